"""The steps of many runs are in a file: the same values, with or without a disk."""

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from reportgen.core import column_file
from reportgen.core.column_file import ColumnFile, release_columns
from reportgen.core.model import FloatArray


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing stays in memory, and a piece of the file holds 1,024 numbers."""
    monkeypatch.setattr(column_file, "_IN_MEMORY", 0)
    monkeypatch.setattr(column_file, "_PIECE", 8192)


def _columns(*lengths: int) -> list[FloatArray]:
    return [np.arange(length, dtype=np.float64) + length for length in lengths]


def _are_equal(some: Sequence[FloatArray], others: Sequence[FloatArray]) -> bool:
    return [(each.dtype, each.tolist()) for each in some] == [(each.dtype, each.tolist()) for each in others]


def test_columns_come_back_equal_over_several_pieces() -> None:
    columns = _columns(3, 1000, 500, 1024, 1, 700)
    file = ColumnFile()
    stored = [file.stored(each) for each in columns]
    assert _are_equal(stored, columns)
    assert not any(each.flags.writeable for each in stored)
    release_columns()
    assert _are_equal(stored, columns)
    del file
    release_columns()
    assert _are_equal(stored, columns)


@pytest.mark.skipif(not Path("/proc/self/smaps").exists(), reason="needs Linux")
def test_released_columns_leave_the_memory() -> None:
    stored = ColumnFile().stored(np.ones(1024))

    def resident() -> int:
        address = stored.__array_interface__["data"][0]
        smaps = Path("/proc/self/smaps").read_text().split(f"{address:x}-", 1)[1]
        return int(smaps.split("Rss:", 1)[1].split()[0])

    assert (stored.sum(), resident()) == (1024, 8)
    release_columns()
    assert resident() == 0


def test_other_types_are_aligned() -> None:
    file = ColumnFile()
    flags, numbers = file.stored(np.array([True, False, True])), file.stored(np.array([7, 8]))
    assert (flags.tolist(), numbers.tolist(), numbers.flags.aligned) == ([True, False, True], [7, 8], True)


@pytest.mark.parametrize("length", [0, 1025], ids=["empty", "longer than a piece"])
def test_a_column_that_fits_no_piece_stays_in_memory(length: int) -> None:
    (column,) = _columns(length)
    assert ColumnFile().stored(column) is column


def test_the_first_columns_stay_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(column_file, "_IN_MEMORY", 96)
    file, columns = ColumnFile(), _columns(6, 6, 6)
    assert [file.stored(each) is each for each in columns] == [True, True, False]


@pytest.mark.parametrize("name", ["pwrite", "ftruncate", "dup"])
def test_on_a_full_disk_columns_stay_in_memory(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    file, columns = ColumnFile(), _columns(10, 20)
    before = file.stored(columns[0])

    def full(*_: object) -> int:
        raise OSError("no space left on device")

    monkeypatch.setattr(os, name, full)
    after = file.stored(columns[1]) if name == "pwrite" else ColumnFile().stored(columns[1])
    assert after is columns[1]
    assert _are_equal([before, after], columns)


def test_a_column_is_written_whole_by_a_system_that_writes_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    write = os.pwrite
    monkeypatch.setattr(os, "pwrite", lambda file, content, at: write(file, bytes(content)[:3], at))
    columns, file = _columns(10, 20), ColumnFile()
    assert _are_equal([file.stored(each) for each in columns], columns)
