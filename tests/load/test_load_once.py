"""A build lists each folder once, opens, recognises and parses each log once, and measures each run once."""

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from reportgen.load import worker
from reportgen.pipeline import Request, build
from reportgen.protocol import measure
from reportgen.sources import filesystem
from tests.builders import NVIDIA_SMI_LOG, native_files, write_files

TABLE = '[[tables]]\nid = "t"\ntitle = "T"\nmetric = "step_time"\nrows = ["devices"]\n'
FACTS = """
[systems]
A = { devices = 4 }
B = { devices = 8 }
[[fact]]
of = "A"
to = "B"
source = "computed"
computed = { logs = "logs/facts", metric = "step_time", over = { model = ["m"] } }
"""


def nanogpt(milliseconds: float) -> str:
    return "".join(f"iter {i}: loss 3.2, time {milliseconds + i % 7}ms, mfu 16.68%\n" for i in range(140))


class Counts:
    """Counts calls by their place."""

    def __init__(self) -> None:
        self.opened: Counter[str] = Counter()
        self.listed: Counter[str] = Counter()
        self.recognised: Counter[str] = Counter()
        self.read: Counter[str] = Counter()
        self.measured: Counter[str] = Counter()


@pytest.fixture
def counts(monkeypatch: pytest.MonkeyPatch) -> Iterator[Counts]:
    counts = Counts()

    def count(module: Any, name: str, counter: Counter[str], place: Callable[[Any], str]) -> None:
        function = getattr(module, name)

        def counted(*args: Any, **keys: Any) -> Any:
            counter[place(args[0])] += 1
            return function(*args, **keys)

        monkeypatch.setattr(module, name, counted)

    for name in ("read_head", "read_whole", "read_head_tail", "sha256_of"):
        count(filesystem, name, counts.opened, str)
    count(filesystem, "list_files", counts.listed, str)
    count(worker, "offer", counts.recognised, lambda view: view.source(view.path).path)
    count(worker, "_read_runs", counts.read, lambda job: worker._source(job.files).path)
    count(measure, "_attempt", counts.measured, _measurement)
    return counts


def _measurement(request: measure.MeasureRequest) -> str:
    return f"{request.run.source.path} {request.metric} {request.phase} {request.protocol}"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "reports").mkdir()
    write_files(tmp_path / "logs/a", {"x.log": nanogpt(90), "gpu.txt": NVIDIA_SMI_LOG, "notes": "nothing"})
    write_files(tmp_path / "logs/b/r1", native_files(1, *range(1000, 1130)))
    write_files(tmp_path / "logs/b/r2", native_files(2, *range(2000, 2130)))
    for devices in (4, 8):
        source = f'[constants]\nmodel = "m"\ndevices = {devices}\n'
        write_files(
            tmp_path / f"logs/facts/{devices}", {"x.log": nanogpt(10 * devices), "labels.toml": source}
        )
    return tmp_path


def logs_opened(counts: Counts, root: Path) -> dict[str, int]:
    return {
        Path(path).relative_to(root).as_posix(): number
        for path, number in counts.opened.items()
        if path.startswith(f"{root}/logs/")
    }


def check(counts: Counts, root: Path, folders: list[str]) -> None:
    logs = {
        path.relative_to(root).as_posix()
        for folder in folders
        for path in (root / folder).rglob("*")
        if path.is_file()
    }
    opened = logs_opened(counts, root)
    assert set(opened) == logs
    assert {path: number for path, number in opened.items() if number != 1} == {}
    assert set(counts.listed.values()) == {1}
    assert set(counts.recognised.values()) == {1}
    assert set(counts.read.values()) == {1}
    assert set(counts.measured.values()) == {1}


def test_a_build_without_definitions_reads_each_log_once(root: Path, counts: Counts) -> None:
    made = build(Request(root, root / "reports"))
    assert [report.name for report in made.reports] == ["a", "b", "facts"]
    check(counts, root, ["logs"])


def test_a_build_with_overlapping_definitions_reads_each_log_once(root: Path, counts: Counts) -> None:
    (root / "reports/expected.toml").write_text(FACTS)
    for name, logs in (("x", '"logs/b"'), ("y", '"logs/b/r2", "logs/facts"'), ("z", '"logs/b", "logs/b/r1"')):
        (root / f"reports/{name}.toml").write_text(f"logs = [{logs}]\n{TABLE}")
    build(Request(root, root / "reports"))
    check_nested = {name: counts.listed.pop(name) for name in list(counts.listed) if "/b/r" in name}
    assert set(check_nested.values()) <= {1, 2}
    check(counts, root, ["logs/b", "logs/facts"])
