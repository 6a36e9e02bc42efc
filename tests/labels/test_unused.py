"""Unused entries of a labels.toml: one finding per load for each, at its line."""

from pathlib import Path

import pytest

from reportgen.load import load_runs
from tests.builders import native_files, write_files

GOOD = """\
[constants]
device = "V100"
[rename]
devices = "gpus"
[aliases.device]
V100 = "V"
[aliases.gpus]
4 = 8
[[paths]]
pattern = "r{number:int}"
"""


def findings(root: Path, text: str, argument: str = "logs", **files: str) -> list[tuple[str, int, str]]:
    write_files(
        root, {"logs/labels.toml": text, **{f"logs/{name}": content for name, content in files.items()}}
    )
    write_files(root / "logs/a/r1", native_files(1, 7, 8))
    write_files(root / "logs/a/r2", native_files(2, 7, 9))
    found = [one for one in load_runs([argument], root=root).findings if one.rule == "read.unused-label"]
    assert {one.source.path for one in found} <= {"logs/labels.toml"}
    return [(one.severity, one.source.line, one.message) for one in found]


@pytest.mark.parametrize(
    ("more", "severity", "line", "message"),
    [
        (
            '[[paths]]\npattern = "{model}_b{batch_size:int}.log"\n',
            "warning",
            12,
            'paths[1]: "{model}_b{batch_size:int}.log" matches no log that earlier patterns leave',
        ),
        (
            '[aliases.devcie]\nV100 = "V"\n',
            "warning",
            11,
            'aliases.devcie: no run has a factor "devcie"; did you mean "device"?',
        ),
    ],
)
def test_unused_entries_are_found_at_their_line(tmp_path, more, severity, line, message) -> None:
    assert findings(tmp_path, GOOD + more) == [(severity, line, message)]


@pytest.mark.parametrize(
    ("old", "new", "severity", "line", "message"),
    [
        ("r{number:int}", "run{number:int}", "warning", 10, 'paths[0]: "run{number:int}" matches no log'),
        (
            'devices = "gpus"',
            'device_num = "x"\ndevices = "gpus"',
            "warning",
            4,
            'rename.device_num: no run has a factor "device_num"; did you mean "device"?',
        ),
        ('V100 = "V"', 'V100 = "V"\nA40 = "A"', "note", 7, 'aliases.device: no run has device = "A40"'),
    ],
)
def test_patterns_that_match_no_log_are_found_at_their_line(
    tmp_path, old, new, severity, line, message
) -> None:
    assert findings(tmp_path, GOOD.replace(old, new)) == [(severity, line, message)]


def test_an_entry_that_applies_to_one_run_is_used(tmp_path) -> None:
    assert findings(tmp_path, GOOD) == []


def test_a_pattern_behind_another_that_takes_its_logs_is_unused(tmp_path) -> None:
    text = '[[paths]]\npattern = "{name}"\n' + GOOD[GOOD.index("[[paths") :]
    assert [line for _, line, _ in findings(tmp_path, text)] == [4]


def test_labels_above_the_argument_are_not_checked(tmp_path) -> None:
    assert findings(tmp_path, '[[paths]]\npattern = "b/{name}"\n', "logs/a") == []


def test_labels_without_logs_are_not_checked(tmp_path) -> None:
    write_files(tmp_path, {"logs/b/labels.toml": '[rename]\nx = "y"\n', "logs/b/notes.txt": "-"})
    assert findings(tmp_path, "") == []


def test_a_process_pool_reports_the_labels_that_applied(tmp_path, monkeypatch) -> None:
    for name in ("_POOL_FILES", "_BATCH_FILES"):
        monkeypatch.setattr(f"reportgen.load.{name}", 1)
    text = GOOD.replace("r{number:int}", "run{number:int}")
    assert [line for _, line, _ in findings(tmp_path, text)] == [10]


TABLE = """\
[[table]]
name = "mine"
rows = {{ kind = "{kind}", {key} = '''{pattern}''' }}
figures = [{{ column = "rate", metric = "throughput", unit = "images/s" }}]
"""


@pytest.mark.parametrize(
    ("kind", "key", "pattern", "log", "reads"),
    [
        ("pattern", "pattern", r"rate=(?P<rate>\d+)", "a\nrate=12\n", True),
        ("pattern", "pattern", r"rate: (?P<rate>\d+)", "a\nrate=12\n", False),
        ("block", "begin", "^Results$", "a\nResults\nrate: 12\n", True),
        ("block", "begin", "^Result$", "a\nResults\nrate: 12\n", False),
    ],
)
def test_a_definition_that_reads_no_file_is_found(
    tmp_path: Path, kind: str, key: str, pattern: str, log: str, reads: bool
) -> None:
    """A definition without a sign reads the texts that its pattern matches."""
    text = TABLE.format(kind=kind, key=key, pattern=pattern)
    write_files(tmp_path, {"logs/labels.toml": text, "logs/x.log": log})
    loaded = load_runs(["logs"], root=tmp_path)
    assert [run.aggregates[0].value for run in loaded.runs] == ([12] if reads else [])
    assert [(each.source.line, each.message) for each in loaded.findings if each.source] == (
        [] if reads else [(2, '"mine" reads no file: correct its pattern, its columns or its sign')]
    )


def test_a_definition_without_any_file_is_not_checked(tmp_path: Path) -> None:
    text = TABLE.format(kind="block", key="begin", pattern="^x")
    write_files(tmp_path, {"logs/labels.toml": text})
    assert load_runs(["logs"], root=tmp_path).findings == ()
