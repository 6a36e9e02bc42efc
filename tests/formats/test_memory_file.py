"""The memory that gpu_memory_usage.py saw, beside the logs of two formatsin the form of DLPerf's script."""

from pathlib import Path

import pytest

from reportgen.core.model import Run, Source
from reportgen.formats.detection import detect
from reportgen.load import load_runs
from reportgen.sources.logfiles import LogFiles
from tests.each_of import each_of

LOGS = {
    "oneflow": b"batch_size = 16384\n100 time 1602836839.5 loss 0.547\n200 time 1602836842.5 loss 0.512\n",
    "hugectr": b"[HUGECTR][02:51:59][INFO][RANK0]: Iter: 100 Time(100 iters): 0.315066s Loss: 0.125152 lr:0.001000\n",
}


def read(name: str, **beside: bytes) -> Run:
    files = LogFiles.of({"n1g8.log": LOGS[name], **{f"n1g8.{end}": text for end, text in beside.items()}})
    claimed = detect(files.file("n1g8.log"))
    assert claimed is not None
    assert claimed.format.name == name
    (run,) = claimed.format.read(claimed.files)
    assert isinstance(run, Run)
    return run


@pytest.mark.parametrize("name", LOGS)
def test_the_memory_file_of_a_log_belongs_to_its_run(name: str) -> None:
    (found,) = read(name, mem=b"a warning of NVML\nmax device0 memory usage is: 5934088192\n").aggregates
    assert (found.metric, found.phase, found.value) == ("memory_used", "step", 5934088192)
    assert (found.statistic, found.source) == ("maximum", Source("n1g8.mem", 2))


@each_of(
    LOGS,
    [
        b"",
        b"max device0 memory usage is: 0\n",
        b"max device0 memory usage is: 12",
        b"max device0 memory usage is: many\n",
        b"\xff\0",
        b"x" * 70_000,
    ],
)
def test_a_missing_measurement_is_absent(name: str, text: bytes) -> None:
    found = read(name, mem=text).aggregates
    assert [one.value for one in found] == ([12] if text.endswith(b"12") else [])
    assert read(name).aggregates == ()


def test_the_memory_file_is_read_from_disk_and_not_a_log(tmp_path: Path) -> None:
    for end, content in (("log", LOGS["oneflow"]), ("mem", b"max device0 memory usage is: 7\n")):
        (tmp_path / f"a.{end}").write_bytes(content)
    loaded = load_runs([tmp_path], root=tmp_path)
    assert [[one.value for one in run.aggregates] for run in loaded.runs] == [[7]]
    assert loaded.findings == ()
