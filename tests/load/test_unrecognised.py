"""Folders of logs in an unknown format, other files beside logs, logs in place of reports."""

from pathlib import Path

import pytest

from reportgen.autolayout.scaffold import holds_logs
from reportgen.load import load_runs
from reportgen.load.unrecognised import UnknownFolder
from tests.builders import write_files
from tests.cli.calling import call

OWN = "it 1 took 5 whatevers\n" * 3
NANOGPT = "".join(f"iter {i}: loss 3.2202, time 893.76ms, mfu 16.68%\n" for i in range(9))


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({}, []),
        ({"mine/a.log": OWN, "mine/b.log": OWN}, [UnknownFolder("logs/mine", 2, "logs/mine/a.log")]),
        ({"mine/a.log": OWN, "mine/deep/b.log": 2 * OWN}, [UnknownFolder("logs/mine", 2, "logs/mine/deep/b.log")]),
        ({"a.log": OWN, "b/c.txt": OWN}, [UnknownFolder("logs", 1, "logs/a.log"), UnknownFolder("logs/b", 1, "logs/b/c.txt")]),
        # One recognised log: the other files belong to it.
        ({"mine/a.log": OWN, "mine/b/train.log": NANOGPT}, []),
        ({"train.log": NANOGPT, "mine/a.log": OWN}, [UnknownFolder("logs/mine", 1, "logs/mine/a.log")]),
        # Files that are not text, or not logs.
        ({"mine/a.bin": b"\0\1\2", "mine/b.gz": b"\x1f\x8b\x08a", "mine/c.log": ""}, []),
        ({"FORMAT.md": OWN, "mine/README": OWN, "mine/run.sh": OWN, "mine/readme.txt": OWN}, []),
        ({"mine/labels.toml": "[constants]\nmodel = 'x'\n", "mine/.hidden": OWN}, []),
        ({"mine/a.log": OWN, "mine/README.md": OWN, "mine/b.bin": b"\0"}, [UnknownFolder("logs/mine", 1, "logs/mine/a.log")]),
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
    assert call("init")[1] == f"{told}no runs below logs/; after that: reportgen init reports\n"
    steps = "".join(f"iter {i}: loss 3.2202, time 893.76ms, mfu 16.68%\n" for i in range(140))
    write_files(tmp_path / "logs", {"other/train.log": steps})
    assert call("init")[1] == f"{told}next: reportgen build reports\n"
    assert call("build", "--logs", "logs")[1].startswith(told)


def test_build_names_unknown_folders_below_the_logs_option(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here/reports").mkdir(parents=True)
    write_files(tmp_path / "there/logs", {"mine/a.log": OWN})
    monkeypatch.chdir(tmp_path / "here")
    err = call("build", "--logs", "../there/logs", "--out", "out")[1]
    assert err.startswith("../there/logs/mine: unknown format (1 file); try: reportgen learn ../there/")
