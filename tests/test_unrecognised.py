"""unrecognised: folders of logs in a format of one's own, what else lies there, logs in place of reports."""

from pathlib import Path

import pytest

from reportgen.load.unrecognised import Unrecognised, is_of_logs, unrecognised
from tests.test_cli import call

OWN = "it 1 took 5 whatevers\n" * 3
NANOGPT = "".join(f"iter {i}: loss 3.2202, time 893.76ms, mfu 16.68%\n" for i in range(9))


def found(root: Path, files: dict[str, str | bytes]) -> list[Unrecognised]:
    """Return what is found in a folder `logs` with these files."""
    for path, content in files.items():
        place = root / "logs" / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content.encode() if isinstance(content, str) else content)
    return unrecognised(root / "logs", root)


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({}, []),
        ({"mine/a.log": OWN, "mine/b.log": OWN}, [Unrecognised("mine", 2, "mine/a.log")]),
        ({"mine/a.log": OWN, "mine/deep/b.log": 2 * OWN}, [Unrecognised("mine", 2, "mine/deep/b.log")]),
        ({"a.log": OWN, "b/c.txt": OWN}, [Unrecognised("", 1, "a.log"), Unrecognised("b", 1, "b/c.txt")]),
        # One log that is known makes the others what lies beside it.
        ({"mine/a.log": OWN, "mine/b/train.log": NANOGPT}, []),
        ({"train.log": NANOGPT, "mine/a.log": OWN}, [Unrecognised("mine", 1, "mine/a.log")]),
        # What is no text, or no log.
        ({"mine/a.bin": b"\0\1\2", "mine/b.gz": b"\x1f\x8b\x08a", "mine/c.log": ""}, []),
        ({"FORMAT.md": OWN, "mine/README": OWN, "mine/run.sh": OWN, "mine/readme.txt": OWN}, []),
        ({"mine/labels.toml": "[constants]\nmodel = 'x'\n", "mine/.hidden": OWN}, []),
        ({"mine/a.log": OWN, "mine/README.md": OWN, "mine/b.bin": b"\0"}, [Unrecognised("mine", 1, "mine/a.log")]),
        # A format of one's own counts.
        ({"mine/a.log": OWN, "mine/labels.toml": "[format]\nname = 'w'\npattern = 'it (?P<step>\\d+) took (?P<step_time_s>\\d+)'\n"}, []),
        # Labels that are wrong are an error of whoever reads the logs.
        ({"mine/a.log": OWN, "mine/labels.toml": "["}, []),
    ],
)  # fmt: skip
def test_folders_of_text_that_nobody_recognises(
    tmp_path: Path, files: dict[str, str | bytes], expected: list[Unrecognised]
) -> None:
    assert found(tmp_path, files) == expected


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"train.log": NANOGPT}, True),
        ({"a/train.log": NANOGPT, "labels.toml": "[constants]\nmodel = 'x'\n"}, True),
        ({"source.toml": 'title = "x"\ntables = ["t.csv"]\n', "t.csv": "model\nx\n"}, True),
        # A definition, prose that quotes a log, nothing that is recognised.
        ({"train.log": NANOGPT, "mine.toml": "title = 'x'\n"}, False),
        ({"mine.md": NANOGPT}, False),
        ({"a.log": OWN}, False),
        ({"a.bin": b"\0"}, False),
    ],
)
def test_a_folder_with_logs_and_no_definition(
    tmp_path: Path, files: dict[str, str | bytes], expected: bool
) -> None:
    found(tmp_path, files)
    assert is_of_logs(tmp_path / "logs", tmp_path) == expected


def test_no_folder_of_logs_is_none(tmp_path: Path) -> None:
    assert unrecognised(tmp_path / "logs", tmp_path) == []


def test_init_and_build_name_such_folders_and_the_way_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    found(tmp_path, {"my logs/a.log": OWN, "my logs/b.log": OWN})
    told = "logs/my logs: 2 files of no format that is known; try: reportgen learn 'logs/my logs/a.log'\n"
    assert call("init")[1] == f"{told}no runs below logs/; after that: reportgen init reports\n"
    steps = "".join(f"iter {i}: loss 3.2202, time 893.76ms, mfu 16.68%\n" for i in range(140))
    found(tmp_path, {"other/train.log": steps})
    assert call("init")[1] == f"{told}next: reportgen build reports\n"
    assert call("build")[1].startswith(told)


def test_build_names_such_folders_in_the_logs_that_it_was_told_to_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here/reports").mkdir(parents=True)
    found(tmp_path / "there", {"mine/a.log": OWN})
    monkeypatch.chdir(tmp_path / "here")
    err = call("build", "--logs", "../there/logs", "--out", "out")[1]
    assert err.startswith(
        "../there/logs/mine: 1 file of no format that is known; try: reportgen learn ../there/"
    )
