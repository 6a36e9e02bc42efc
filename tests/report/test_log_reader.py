"""The logs of a definition are read together: no run twice, no copy among the repeats."""

from hashlib import sha256
from pathlib import Path

import pytest

from reportgen.core.errors import RequestError
from reportgen.load import load_runs, parse_logs
from reportgen.load.worker import RUNS
from reportgen.pipeline import Request, build
from reportgen.report.log_reader import Campaigns, LogReader
from tests.builders import NVIDIA_SMI_LOG, native_files, write_files

TABLE = (
    '[[tables]]\nid = "times"\ntitle = "T"\nmetric = "step_time"\nrows = ["devices"]\nshow = ["repeats"]\n'
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Three repeats in two folders, one of them copied into a third folder."""
    for name, repeat in (("a/r1", 1), ("a/b/r2", 2), ("c/r3", 3), ("d/r3", 3)):
        write_files(
            tmp_path / "logs" / name,
            native_files(repeat, *(repeat * 1000 + step * (3 + repeat) % 11 for step in range(130))),
        )
    write_files(tmp_path / "logs", {"gpu.txt": NVIDIA_SMI_LOG})
    return tmp_path


def read(reader: LogReader, *logs: str) -> Campaigns:
    for position, log in enumerate(logs):
        reader.expect(log, f"x.toml: logs[{position}]")
    return reader.read(logs)


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
    found = read(LogReader(root), *logs)
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


def test_all_definitions_share_one_load(root):
    progress = []
    reader = LogReader(root, lambda what, done, total: progress.append(what) if done == total else None)
    reader.expect("logs/d", "y.toml: logs[0]")
    for _ in range(3):
        read(reader, "logs/a", "logs/c")
    reader.read(["logs/d"])
    assert progress == ["reading logs/d, logs/a, logs/c"]


def test_a_part_of_a_load_is_like_a_load_of_that_part(root):
    everything = LogReader(root)
    everything.expect("logs", "logs")
    for part in ("logs/a", "logs/a/b", "logs/c", "logs/d/r3", "logs/gpu.txt", "logs"):
        result, alone = everything.load([part]), load_runs([part], root=root)
        assert [run.id for run in result.runs] == [run.id for run in alone.runs]
        assert [run.findings for run in result.runs] == [run.findings for run in alone.runs]
        assert (result.findings, result.unrecognised) == (alone.findings, alone.unrecognised)
    assert everything.campaigns("logs") == ["logs", "logs/a", "logs/c", "logs/d"]
    (copy,) = [run for run in everything.load(["logs"]).runs if run.findings]
    assert copy.id == "d/r3"


def test_a_folder_of_damaged_files_is_not_a_campaign(root):
    write_files(root / "logs/x1/r1", native_files(1, *range(5000, 5130)))
    write_files(root / "logs/x2/r1", {"run.json": ""})
    everything = LogReader(root)
    everything.expect("logs", "logs")
    assert [finding.rule for finding in everything.load(["logs"]).findings] == ["read.damaged-file"]
    assert everything.campaigns("logs")[-1] == "logs/x1"


def test_linked_logs_and_the_root_are_read(root):
    (root / "data").mkdir()
    (root / "logs/a").rename(root / "data/a")
    (root / "logs/a").symlink_to(root / "data/a")
    reader = LogReader(root)
    reader.expect("logs/a", "x.toml: logs[0]")
    assert reader.unread("logs") == ["logs/c", "logs/d", "logs/gpu.txt"]
    reader.expect("", "y.toml: logs[0]")
    assert reader.unread("logs") == []


def test_files_of_run_folders_and_hidden_folders_are_scanned_separately(root):
    (root / "logs/.old").mkdir()
    (root / "logs/a/b").rename(root / "logs/.old/b")
    paths = ["logs/c/r3/steps.rank0.csv", "logs/.old", "logs"]
    parsed = parse_logs(paths, RUNS, root=root)
    for path in paths:
        here, alone = parsed.select([path]), load_runs([path], root=root)
        assert [run.id for run in here.runs] == [run.id for run in alone.runs]
        assert here.unrecognised == alone.unrecognised


def test_logs_that_are_not_there_are_named_by_their_place(root):
    with pytest.raises(RequestError, match=r'x.toml: logs\[1\]: no such file or folder: "logs/e"; name a'):
        read(LogReader(root), "logs/a", "logs/e")


def test_the_labels_that_apply_to_logs_are_among_their_sources(root):
    write_files(root, {"labels.toml": "", "logs/labels.toml": "", "logs/a/b/labels.toml": ""})
    write_files(root, {"logs/c/labels.toml": ""})
    found = read(LogReader(root), "logs/a")
    labels = [path for path in found.sha256 if path.endswith("labels.toml")]
    assert sorted(labels) == ["labels.toml", "logs/a/b/labels.toml", "logs/labels.toml"]
    assert {found.sha256[path] for path in labels} == {sha256(b"").hexdigest()}
