"""Stored rows: whole or not there, whatever happens to the file."""

import os
import sqlite3
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from reportgen.cache import rows as module
from reportgen.cache.rows import Rows, all_rows, rows_of

ROWS = {number.to_bytes(20, "big"): bytes([number % 256]) * 40 for number in range(1200)}
KEY, OTHER = b"k" * 20, b"o" * 20


@pytest.fixture
def rows(tmp_path: Path) -> Rows:
    return rows_of(str(tmp_path), "/work")


def test_rows_come_back_as_they_were(rows: Rows) -> None:
    assert rows.load(ROWS) == {}
    rows.store(ROWS)
    assert rows.load([*ROWS, KEY]) == ROWS
    rows.store({KEY: b""})
    assert rows.load([KEY]) == {KEY: b""}


def test_repositories_have_files_of_their_own(tmp_path: Path, rows: Rows) -> None:
    rows.store({KEY: b"one"})
    other = rows_of(str(tmp_path), "/other")
    assert other.load([KEY]) == {}
    other.store({KEY: b"other"})
    assert (rows.load([KEY]), len(all_rows(str(tmp_path)))) == ({KEY: b"one"}, 2)


def test_a_scribbled_file_never_gives_a_wrong_row(rows: Rows) -> None:
    some = {KEY: b"value" * 900, OTHER: b"other" * 900}
    rows.store(some)
    path = Path(rows.path)
    content = path.read_bytes()
    for at in range(0, len(content), 97):
        path.write_bytes(content[:at] + b"#" * 8 + content[at + 8 :])
        assert rows.load(some).items() <= some.items()
        path.write_bytes(content[:at])
        assert rows.load(some).items() <= some.items()
    path.write_bytes(b"no database" * 100)
    assert rows.load(some) == {}
    rows.store(some)
    assert rows.load(some) == some


def test_rows_without_a_value_do_not_stop_others(rows: Rows) -> None:
    rows.store({OTHER: b"other"})
    with sqlite3.connect(rows.path) as database:
        database.execute("UPDATE row SET value = NULL")
    rows.store({KEY: b"value"})
    assert rows.load([KEY, OTHER]) == {KEY: b"value"}


def test_damaged_rows_are_removed(rows: Rows) -> None:
    rows.store({KEY: b"value", OTHER: b"other"})
    with sqlite3.connect(rows.path) as database:
        database.execute("UPDATE row SET value = ? WHERE key = ?", (b"x" * 40, OTHER))
    assert rows.load([KEY, OTHER]) == {KEY: b"value"}
    assert (rows.remove_damaged(), rows.remove_damaged()) == (1, 0)
    Path(rows.path).write_bytes(b"no database" * 100)
    assert (rows.remove_damaged(), rows.size()) == (1, 0)


def test_rows_that_were_not_used_for_longest_make_room(rows: Rows, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_BYTES", 350)
    for number, used in enumerate(([], [], [b"0" * 20], [])):
        rows.store({b"%d" % number * 20: bytes(100)}, used)
    assert sorted(key[:1] for key in rows.load(b"%d" % number * 20 for number in range(4))) == [b"3"]
    monkeypatch.setattr(module, "MAX_BYTES", 400)
    rows.store({b"4" * 20: bytes(100)}, [b"3" * 20])
    rows.store({b"5" * 20: bytes(100)}, [b"3" * 20])
    assert sorted(key[:1] for key in rows.load(b"%d" % number * 20 for number in range(6))) == [
        b"3", b"4", b"5",
    ]  # fmt: skip


def test_files_of_other_repositories_make_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = [rows_of(str(tmp_path), f"/{number}") for number in range(3)]
    for number, rows in enumerate(files):
        rows.store({KEY: bytes(5000)})
        os.utime(rows.path, (number, number))
    monkeypatch.setattr(module, "MAX_ALL_BYTES", 2 * files[0].size())
    files[1].store({OTHER: b""})
    assert [bool(rows.size()) for rows in files] == [False, True, True]


def test_a_locked_file_gives_nothing(rows: Rows, monkeypatch: pytest.MonkeyPatch) -> None:
    rows.store({KEY: b"value"})
    monkeypatch.setattr(module, "_WAIT_SECONDS", 0.01)
    database = sqlite3.connect(rows.path, isolation_level=None)
    database.execute("BEGIN EXCLUSIVE")
    assert rows.load([KEY]) == {}
    rows.store({OTHER: b"other"})
    database.close()
    assert rows.load([KEY, OTHER]) == {KEY: b"value"}


def test_a_folder_that_cannot_be_written_gives_nothing(tmp_path: Path) -> None:
    (tmp_path / "rows").write_text("a file in its place")
    rows = rows_of(str(tmp_path), "/work")
    rows.store({KEY: b"value"})
    assert (rows.load([KEY]), all_rows(str(tmp_path))) == ({}, [])


def test_rows_of_another_user_are_not_trusted(rows: Rows, monkeypatch: pytest.MonkeyPatch) -> None:
    rows.store({KEY: b"value"})
    user = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: user + 1)
    assert rows.load([KEY]) == {}


def _store_and_load(path: str) -> int:
    """Return how often a row was wrong."""
    rows, wrong = Rows(path), 0
    for number in range(30):
        rows.store({KEY: b"value", b"%020d" % number: b"n"})
        wrong += rows.load([KEY]) not in ({}, {KEY: b"value"})
    return wrong


def test_processes_that_store_at_once_do_not_disturb_each_other(rows: Rows) -> None:
    with ProcessPoolExecutor(3) as executor:
        assert list(executor.map(_store_and_load, [rows.path] * 3)) == [0, 0, 0]
    assert rows.load([KEY]) == {KEY: b"value"}
