"""nvbench's binary samples: steps of the run of their state, and findings for wrong files."""

import json
import struct
from pathlib import Path

import numpy as np
import pytest

from reportgen.core.model import Finding, Run
from reportgen.formats.benchmarks.nvbench import MAX_SAMPLES
from reportgen.formats.detection import detect
from reportgen.load import load_runs
from reportgen.protocol import Protocol, measure_run
from reportgen.sources.logfiles import LogFiles
from tests.each_of import each_row
from tests.formats.valid_logs import NVBENCH

TIMES = [0.5 * number for number in range(1, 131)]
BINARY = struct.pack("<130f", *TIMES)


def document(*files: tuple[str, int | str]) -> bytes:
    """Return nvbench's JSON with a state for each file of samples: its path and its size."""
    found = json.loads(NVBENCH)
    state = found["benchmarks"][0]["states"][0]
    found["benchmarks"][0]["states"] = [
        {**state, "summaries": [*state["summaries"], {
            "tag": "nv/json/bin:nv/cold/sample_times", "hint": "file/sample_times",
            "data": [{"name": "filename", "type": "string", "value": path},
                     {"name": "size", "type": "int64", "value": str(size)}]}]}
        for path, size in files
    ]  # fmt: skip
    return json.dumps(found, indent=1).encode()


def read(content: bytes, files: dict[str, bytes]) -> list[Run | Finding]:
    claimed = detect(LogFiles.of({"out.json": content, **files}).file("out.json"))
    assert claimed is not None
    return list(claimed.format.read(claimed.files))


def runs(content: bytes, files: dict[str, bytes]) -> list[Run]:
    return [one for one in read(content, files) if isinstance(one, Run)]


@pytest.mark.parametrize("path", [
    "out.json-bin/0.bin", "results/today/out.json-bin/0.bin", "/home/user/out.json-bin/0.bin",
    "C:\\\\results\\\\out.json-bin\\\\0.bin", "../../out.json-bin//0.bin",
])  # fmt: skip
def test_samples_are_the_steps_of_their_state(path: str) -> None:
    (run,) = runs(document((path, 130)), {"out.json-bin/0.bin": BINARY})
    (series,) = run.series
    assert (series.metric, series.phase, series.clock) == ("latency", "cold_gpu", "cuda_event")
    assert series.source.path == "out.json-bin/0.bin"
    np.testing.assert_array_equal(series.value, TIMES)
    np.testing.assert_array_equal(series.step, range(1, 131))
    found = measure_run(run, "latency", "cold_gpu", Protocol())
    assert found is not None
    assert (found.value, found.evidence) == (sum(TIMES[20:120]) / 100, "steps")
    # nvbench's own means are kept and used if a protocol has no step left.
    assert [one.value for one in run.aggregates] == [0.001, 0.0009, 8e11]


def test_each_state_has_its_own_file() -> None:
    files = {f"out.json-bin/{n}.bin": struct.pack("<f", n + 1) for n in range(3)}
    found = runs(document(*((name, 1) for name in files)), files)
    assert [run.series[0].value.tolist() for run in found] == [[1.0], [2.0], [3.0]]
    few = measure_run(found[0], "latency", "cold_gpu", Protocol())
    assert few is not None
    assert (few.value, few.evidence) == (0.001, "aggregate")


def test_only_the_first_of_many_samples_are_read() -> None:
    binary = np.arange(3 * MAX_SAMPLES, dtype="<f4").tobytes()
    (run,) = runs(document(("out.json-bin/0.bin", 3 * MAX_SAMPLES)), {"out.json-bin/0.bin": binary})
    np.testing.assert_array_equal(run.series[0].value, range(MAX_SAMPLES))


ABSENT = "the sample file of a state is not beside the JSON or could not be read with it"
UNEVEN = "the size of a state's sample file is not four bytes per sample"


@each_row(
    [
        ("out.json-bin/1.bin", 130, ABSENT),
        ("../secret-bin/0.bin", 1, ABSENT),
        ("out.json-bin/../secret.bin", 1, ABSENT),
        ("secret.bin", 1, ABSENT),
        ("out.json-bin/0.bin\0", 130, ABSENT),
        ("out.json-bin/\ud8000.bin", 130, ABSENT),
        ("/" * 100_000, 130, ABSENT),
        ("", 130, ABSENT),
        ("out.json-bin/0.bin", 131, UNEVEN),
        ("out.json-bin/0.bin", 129, UNEVEN),
        ("out.json-bin/0.bin", "many", UNEVEN),
        ("out.json-bin/odd.json-bin/7.bin", 1, UNEVEN),
    ]
)
def test_a_file_that_does_not_match_the_json_is_a_finding(path: str, size: int | str, fault: str) -> None:
    files = {"out.json-bin/0.bin": BINARY, "odd.json-bin/7.bin": b"\0" * 5, "secret.bin": b"\0" * 4}
    run, finding = read(document((path, size), (path, size)), files)[1:]
    assert isinstance(run, Run)
    assert isinstance(finding, Finding)
    assert (run.series, len(run.aggregates)) == ((), 3)
    assert (finding.rule, finding.message) == ("read.malformed-line", f"{fault}, and 1 more like it")


def test_two_states_do_not_share_a_file() -> None:
    content = document(("out.json-bin/0.bin", 130), ("out.json-bin/0.bin", 130))
    one, other, finding = read(content, {"out.json-bin/0.bin": BINARY})
    assert isinstance(one, Run)
    assert isinstance(other, Run)
    assert isinstance(finding, Finding)
    assert (len(one.series), len(other.series)) == (1, 0)
    assert finding.message == "the sample file of a state belongs to another state"


def test_on_disk_only_files_below_the_root_are_read(tmp_path: Path) -> None:
    logs = tmp_path / "root" / "logs"
    (logs / "out.json-bin").mkdir(parents=True)
    (tmp_path / "secret").write_bytes(BINARY)
    (logs / "out.json-bin" / "0.bin").write_bytes(BINARY)
    (logs / "out.json-bin" / "1.bin").symlink_to(tmp_path / "secret")
    (logs / "out.json-bin" / "2.bin").mkdir()
    content = document(*((f"/elsewhere/out.json-bin/{n}.bin", 130) for n in range(4)))
    (logs / "out.json").write_bytes(content)
    loaded = load_runs([logs], root=tmp_path / "root")
    assert [len(run.series) for run in loaded.runs] == [1, 0, 0, 0]
    assert loaded.runs[0].series[0].source.path == "logs/out.json-bin/0.bin"
    assert f"{ABSENT}, and 2 more like it" in [finding.message for finding in loaded.findings]
