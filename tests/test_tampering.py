"""`check` finds every edit of one character in every kind of generated file and in injected tables."""

import random
from pathlib import Path

import pytest

from reportgen import api, pipeline
from reportgen.core.errors import RequestError
from tests.conftest import IS_THOROUGH
from tests.repository import write_repository

pytestmark = [pytest.mark.slow, pytest.mark.no_cover]

EDITS = 230 if IS_THOROUGH else 45
# What a build makes does not depend on generated files, except on tables in other files; of the other edits, one in
# so many is checked with a build of its own to hold that.
REBUILT = 10


def _is_found(root: Path) -> bool:
    try:
        return not api.build(root / "reports", check=True).is_up_to_date
    except RequestError:
        return True


def _edited(content: bytes, first: int, last: int, draw: random.Random) -> bytes:
    """Return the content with another character between two places."""
    place = draw.randrange(first, last)
    while content[place] > 0x7F:  # part of a character
        place = draw.randrange(first, last)
    others = [byte for byte in b"0123456789ab <|" if byte != content[place]]
    return content[:place] + bytes([draw.choice(others)]) + content[place + 1 :]


def test_every_edit_of_one_character_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = write_repository(tmp_path / "repository")
    api.build(root / "reports")
    build_reports, readme = pipeline.build, (root / "README.md").read_bytes()
    built = build_reports(pipeline.Request(root, root / "reports"), committed_only=True)
    assert not _is_found(root)
    files = [path for path in sorted((root / "reports").rglob("*")) if path.suffix not in ("", ".toml")]
    # What is not committed is not checked: CSV, histories, and the library that draws charts.
    unchecked = ("frameworks.md", "rates.csv", "history.js", "vega.js")
    files = [path for path in files if path.name not in unchecked] + [root / "README.md"]
    assert len(files) == 9
    draw, missed = random.Random(4711), []
    for number in range(EDITS):
        path = files[number % len(files)]
        before = path.read_bytes()
        first, last = 0, len(before)
        if path == root / "README.md":  # the table; the rest of the file is hand-written
            first, last = before.index(b"-->\n") + 4, before.index(b"<!-- reportgen:end")
        path.write_bytes(_edited(before, first, last, draw))
        is_rebuilt = path == root / "README.md" or number % REBUILT == 0
        monkeypatch.setattr(pipeline, "build", build_reports if is_rebuilt else lambda *_, **__: built)
        if not _is_found(root):
            missed.append((path.name, path.read_bytes()))
        path.write_bytes(before)
    assert missed == []
    assert (root / "README.md").read_bytes() == readme
    monkeypatch.setattr(pipeline, "build", build_reports)
    assert not _is_found(root)
