"""The files of a large build are in a temporary file: the same content, in whatever pieces it was made."""

import os

import pytest

from reportgen.core import stored_files
from reportgen.core.errors import RequestError
from reportgen.core.stored_files import StoredFiles, pieces_of

CONTENTS = {"a.md": b"few bytes", "b.json": b"0123456789" * 9, "c/d.js": b"x" * 70, "e.js": b"y" * 40}


@pytest.fixture(params=[1000, 100, 0], ids=["in memory", "in part", "in the file"])
def stored(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> StoredFiles:
    """The files; so many of their bytes stay in memory."""
    monkeypatch.setattr(stored_files, "_IN_MEMORY", request.param)
    monkeypatch.setattr(stored_files, "_CHUNK", 32)
    files = StoredFiles()
    for number, (path, content) in enumerate(CONTENTS.items()):
        files.add(path, content if number % 2 else (content[i : i + 7] for i in range(0, len(content), 7)))
    return files


def test_files_come_back_as_they_were_added(stored: StoredFiles) -> None:
    assert dict(stored) == CONTENTS
    assert (list(stored), len(stored)) == (list(CONTENTS), len(CONTENTS))
    assert {path: b"".join(pieces_of(stored, path)) for path in stored} == CONTENTS
    assert {path: b"".join(pieces_of(CONTENTS, path)) for path in CONTENTS} == CONTENTS


def test_an_empty_file_is_none() -> None:
    files = StoredFiles()
    files.add("a", b"")
    files.add("b", iter([b"", b""]))
    assert dict(files) == {}


def test_files_are_taken_below_a_folder(stored: StoredFiles) -> None:
    every = StoredFiles()
    every.add("index.html", b"index")
    every.take(stored, "report/")
    every.take({"index.md": b"text"})
    below = {f"report/{path}": content for path, content in CONTENTS.items()}
    del stored
    assert dict(every) == {"index.html": b"index", **below, "index.md": b"text"}


def test_a_full_disk_is_an_error_with_a_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(stored_files, "_IN_MEMORY", 0)
    monkeypatch.setattr(os, "pwrite", full)
    with pytest.raises(RequestError, match=r"No space left on device.*TMPDIR"):
        StoredFiles().add("a", b"content")
