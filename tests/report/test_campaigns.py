"""The logs of a definition are read together: no run twice, no copy among the repeats."""

from pathlib import Path

import pytest

from reportgen.core.errors import RequestError
from reportgen.pipeline import Request, build
from reportgen.report.log_reader import Reader
from tests.test_load import MONITOR, native, write

TABLE = (
    '[[tables]]\nid = "times"\ntitle = "T"\nmetric = "step_time"\nrows = ["devices"]\nshow = ["repeats"]\n'
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Three repeats in two folders, one of them copied into a third folder."""
    for name, repeat in (("a/r1", 1), ("a/b/r2", 2), ("c/r3", 3), ("d/r3", 3)):
        write(tmp_path / "logs" / name, native(repeat, *(repeat * 1000 + step for step in range(130))))
    write(tmp_path / "logs", {"gpu.txt": MONITOR})
    return tmp_path


@pytest.mark.parametrize(
    ("logs", "held"),
    [
        (("logs/a", "logs/c"), [2, 1]),
        (("logs/a", "logs/a/b", "logs/c"), [2, 0, 1]),
        (("logs/a/b", "logs/a", "logs/c", "logs/c"), [1, 1, 1]),
        (("logs/a/b/r2", "logs/gpu.txt"), [1, 1]),
        (("", "logs/c"), [5, 0]),
    ],
)
def test_what_several_folders_hold_belongs_to_the_first_of_them(root, logs, held):
    found = Reader(root).read(logs, "reports/x.toml: logs")
    assert [len(runs) for runs in found.runs.values()] == held


@pytest.mark.parametrize("logs", ['"logs/a", "logs/a/b", "logs/c"', '"logs/c", "logs/a", "logs/d"'])
def test_neither_an_overlap_nor_a_copy_is_a_repeat(root, logs):
    (root / "reports").mkdir()
    (root / "reports/x.toml").write_text(f"logs = [{logs}]\n{TABLE}")
    made = build(Request(root, root / "reports"))
    (table,) = made.reports[0].tables
    assert [cell.value for row in table.cells for cell in row] == [3]
    copies = [str(f.source) for f in made.findings if f.rule == "read.duplicate-run"]
    assert copies == (["logs/d/r3/run.json"] if "/d" in logs else [])


def test_definitions_that_name_the_same_logs_share_one_reading(root):
    asked = []
    reader = Reader(root, lambda what, done, total: asked.append(what) if done == total else None)
    for _ in range(3):
        reader.read(("logs/a", "logs/c"), "x.toml: logs")
    assert asked == ["reading logs/a, logs/c"]


def test_logs_that_are_not_there_are_named_by_their_place(root):
    with pytest.raises(RequestError, match=r'x.toml: logs\[1\]: no such file or folder: "logs/e"; name a'):
        Reader(root).read(("logs/a", "logs/e"), "x.toml: logs")
