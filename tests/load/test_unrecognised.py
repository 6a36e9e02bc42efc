"""Folders of logs in an unknown format, other files beside logs, logs in place of reports."""

import shlex
from dataclasses import replace
from pathlib import Path

import pytest

from reportgen.autolayout.scaffold import holds_logs
from reportgen.core.rules import Rule
from reportgen.load import load_runs, worker
from reportgen.load.scan import FolderJob
from reportgen.load.unread import unread_logs
from reportgen.load.unrecognised import UnknownFolder
from reportgen.sources.logfiles import LogFiles
from tests.builders import format_named, native_files, write_files
from tests.cli.calling import call, error_of

OWN = "it 1 took 5 whatevers\n" * 3
NANOGPT = "".join(f"iter {i}: loss 3.2202, time 893.76ms, mfu 16.68%\n" for i in range(9))


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({}, []),
        ({"mine/a.log": OWN, "mine/b.log": OWN}, [UnknownFolder("logs/mine", ("logs/mine/a.log", "logs/mine/b.log"))]),
        ({"mine/a.log": OWN, "mine/deep/b.log": 2 * OWN}, [UnknownFolder("logs/mine", ("logs/mine/deep/b.log", "logs/mine/a.log"))]),
        ({"a.log": OWN, "b/c.txt": OWN}, [UnknownFolder("logs", ("logs/a.log",)), UnknownFolder("logs/b", ("logs/b/c.txt",))]),
        # One recognised log: the other files belong to it.
        ({"mine/a.log": OWN, "mine/b/train.log": NANOGPT}, []),
        ({"train.log": NANOGPT, "mine/a.log": OWN}, [UnknownFolder("logs/mine", ("logs/mine/a.log",))]),
        # Files that are not text, or not logs.
        ({"mine/a.bin": b"\0\1\2", "mine/b.gz": b"\x1f\x8b\x08a", "mine/c.log": ""}, []),
        ({"FORMAT.md": OWN, "mine/README": OWN, "mine/run.sh": OWN, "mine/readme.txt": OWN}, []),
        ({"mine/labels.toml": "[constants]\nmodel = 'x'\n", "mine/.hidden": OWN}, []),
        ({"mine/a.log": OWN, "mine/README.md": OWN, "mine/b.bin": b"\0"}, [UnknownFolder("logs/mine", ("logs/mine/a.log",))]),
        # A custom format counts.
        ({"mine/a.log": OWN, "mine/labels.toml": "[format]\nname = 'w'\npattern = 'it (?P<step>\\d+) took (?P<step_time_s>\\d+)'\n"}, []),
    ],
)  # fmt: skip
def test_folders_of_text_that_no_format_recognises(
    tmp_path: Path, files: dict[str, str | bytes], expected: list[UnknownFolder]
) -> None:
    write_files(tmp_path / "logs", {"unrelated": "", **files})
    assert load_runs(["logs"], root=tmp_path).unknown_folders("logs") == expected


@pytest.mark.parametrize(
    ("files", "messages"),
    [
        ({"r1.log": NANOGPT, "r2.log": ""}, {"logs/r2.log": "is empty; logs/r1.log is a log, so a run may be missing"}),
        ({"r1/train": NANOGPT, "r2/train": b"\0\1"}, {"logs/r2/train": "is binary; logs/r1/train is a log, so a run may be missing"}),
        # Blocks that were never written; a folder that is one run.
        ({"a.log": NANOGPT, "b.log": b"\0" * 99}, {"logs/b.log": "is empty; logs/a.log is a log, so a run may be missing"}),
        ({f"r{n}/{name}": text for n in (1, 2) for name, text in native_files(n, *range(1000, 1130)).items()} | {"r3/run.json": ""},
         {"logs/r3/run.json": "is empty; logs/r1/run.json is a log, so a run may be missing"}),
        # Other names, other folders; compressed files have a finding of their own.
        ({"r1.log": NANOGPT, "model.bin": b"\0\1", "stderr": "", "other/x.log": ""}, {}),
        ({"r1.log": NANOGPT, "notes.log": "hello\n"}, {}),
        ({"r1.log": NANOGPT, "r2.log": b"\x1f\x8b\x08a"}, {"logs/r2.log": "is compressed with gzip and was skipped; decompress it if it is a log"}),
    ],
)  # fmt: skip
def test_an_empty_or_binary_file_with_the_name_of_a_log_is_a_finding(
    tmp_path: Path, files: dict[str, str | bytes], messages: dict[str, str]
) -> None:
    write_files(tmp_path / "logs", files)
    loaded = load_runs(["logs"], root=tmp_path)
    assert {finding.subject: finding.message for finding in loaded.findings} == messages


def test_a_file_that_a_format_claims_without_reading_a_run_is_a_finding() -> None:
    claimed = replace(format_named("nanogpt"), read=lambda files: iter(()))
    files = LogFiles.of({"train.log": NANOGPT.encode()}).file("train.log")
    runs, (finding,) = worker._read_runs(FolderJob(claimed, files, ()), set())
    assert (runs, finding.rule, finding.message) == (
        [],
        Rule.READ_NO_RUN,
        "recognised as nanogpt, but no run could be read from it",
    )


@pytest.mark.parametrize(
    ("read", "expected"),
    [
        (["logs"], []),
        ([], ["logs/a", "logs/b", "logs/train.log"]),
        (["logs/a"], ["logs/b", "logs/train.log"]),
        # A part of a folder is read.
        (["logs/a/x", "logs/train.log"], ["logs/a/y", "logs/b"]),
        (["logs/a", "logs/b/c.log", "logs/train.log"], []),
    ],
)
def test_logs_that_no_definition_names(tmp_path: Path, read: list[str], expected: list[str]) -> None:
    files = ("a/x/1.log", "a/y/2.log", "b/c.log", "train.log", "FORMAT.md", ".git/x", "empty/.hidden")
    write_files(tmp_path / "logs", dict.fromkeys(files, ""))
    assert list(unread_logs(tmp_path, "logs", read)) == expected
    assert list(unread_logs(tmp_path, "none", read)) == []


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"train.log": NANOGPT}, True),
        ({"a/train.log": NANOGPT, "labels.toml": "[constants]\nmodel = 'x'\n"}, True),
        ({"source.toml": 'title = "x"\ntables = ["t.csv"]\n', "t.csv": "model\nx\n"}, True),
        # A definition, prose that quotes a log, unrecognised files.
        ({"train.log": NANOGPT, "mine.toml": "title = 'x'\n"}, False),
        ({"mine.md": NANOGPT}, False),
        ({"a.log": OWN}, False),
        ({"a.bin": b"\0"}, False),
    ],
)
def test_a_folder_with_logs_and_no_definition(
    tmp_path: Path, files: dict[str, str | bytes], expected: bool
) -> None:
    write_files(tmp_path / "logs", files)
    assert holds_logs(tmp_path / "logs", tmp_path) == expected


def test_init_and_build_name_unknown_folders_and_suggest_learn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_files(tmp_path / "logs", {"my logs/a.log": OWN, "my logs/b.log": OWN})
    told = "logs/my logs: unknown format (2 files); try: reportgen learn 'logs/my logs/a.log'\n"
    assert call("init")[1] == f"{told}no runs below logs/; after that: reportgen build reports\n"
    steps = "".join(f"iter {i}: loss 3.2202, time 893.76ms, mfu 16.68%\n" for i in range(140))
    write_files(tmp_path / "logs", {"other/train.log": steps})
    assert call("init")[1] == f"{told}next: reportgen build reports\n"
    assert call("build", "--logs", "logs")[1].startswith(told)


def test_build_names_what_no_definition_reads_and_lists_skipped_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    steps = "".join(f"iter {i}: loss 3.2202, time {890 + i % 7}ms, mfu 16.68%\n" for i in range(140))
    write_files(tmp_path / "logs/read", {"r1.log": steps, "r2.log": "", "own.txt": OWN, "README.md": OWN})
    write_files(tmp_path / "logs", {"read/sweep.jsonl": '{"event": "begin", "cases": 9}\n' * 9})
    call("init")
    write_files(tmp_path / "logs", {f"new{n}/1.log": OWN for n in range(5)})
    told = call("build")[1].splitlines()
    assert told[0] == (
        "no definition reads logs/new0, logs/new1, logs/new2, ... (list all with --verbose); add what is "
        "missing to `logs` of a definition"
    )
    assert told[1] == (
        "warning  logs/read/r2.log: is empty; logs/read/r1.log is a log, so a run may be missing "
        "[read.damaged-file]"
    )
    assert (
        "; 4 files skipped (1 empty, 2 not a log, 1 unknown format): logs/read/own.txt, logs/read/r2.log"
        in told[2]
    )
    listed = call("build", "--verbose")[1].splitlines()
    assert "logs/new3, logs/new4; add" in listed[0]
    assert listed[1:5] == [
        "skipped  logs/read/README.md: not a log",
        "skipped  logs/read/own.txt: unknown format",
        "skipped  logs/read/r2.log: empty",
        "skipped  logs/read/sweep.jsonl: not a log",
    ]


def test_build_names_unknown_folders_below_the_logs_option(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here/reports").mkdir(parents=True)
    write_files(tmp_path / "there/logs", {"mine/a.log": OWN})
    monkeypatch.chdir(tmp_path / "here")
    assert error_of("build", "--logs", "../there/logs", "--out", "out") == (
        "logs: no runs: no format recognises this file; try: reportgen learn ../there/logs/mine/a.log"
    )
    write_files(tmp_path / "there/logs", {"other/train.log": NANOGPT})
    err = call("build", "--logs", "../there/logs", "--out", "out")[1]
    assert err.startswith("../there/logs/mine: unknown format (1 file); try: reportgen learn ../there/")


def test_the_commands_that_build_prints_for_logs_of_an_unknown_form_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The devices are in the names of folders, one of them with a blank; 0.2 s against 0.4 s a step."""
    for device, time in (("rtx 3090", 0.4), ("rtx 4090", 0.2)):
        lines = "".join(f"step {step} loss 3.{step:02} time {time:.3f}s\n" for step in range(99))
        write_files(tmp_path / "logs", {f"{device}/train.log": lines})
    monkeypatch.chdir(tmp_path)
    Path("reports").mkdir()
    head, look, accept = error_of("build").split("; ")
    assert head == "logs: no runs: no format recognises these 2 files"
    look, accept = look.removeprefix("see how to read it: "), accept.removeprefix("accept that for all: ")
    assert accept == f"{look} --write logs"
    for command in (look, accept):
        program, *arguments = shlex.split(command)
        assert program == "reportgen"
        call(*arguments)
    call("build")
    assert "rtx 4090 is 2x as fast as rtx 3090" in Path("reports/overview/README.md").read_text("utf-8")


def test_a_file_that_a_run_takes_its_environment_from_is_not_unknown(tmp_path: Path) -> None:
    system = "CPU: Xeon\nGPU: Tesla V100\n"
    log = "Training performance = 490.43 FPS\n"
    files = {"s/PyTorch_x_FP32/log.txt": log, "s/sys_pytorch.txt": system, "other/sys_pytorch.txt": system}
    write_files(tmp_path / "logs", files)
    loaded = load_runs(["logs"], root=tmp_path)
    assert loaded.runs[0].environment["cpu"] == "Xeon"
    assert [file.path for file in loaded.unrecognised] == ["logs/other/sys_pytorch.txt"]
    # Without the log, nothing reads it.
    alone = load_runs(["logs/s/sys_pytorch.txt"], root=tmp_path)
    assert [file.path for file in alone.unrecognised] == ["logs/s/sys_pytorch.txt"]
