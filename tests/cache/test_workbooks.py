"""Sheets of workbooks become CSV as people see them; each is a log below the name of the workbook."""

import datetime
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from reportgen.cache.archives import Packed, unpack
from tests.cli.calling import call, error_of

openpyxl = pytest.importorskip("openpyxl")


def saved(
    path: Path, *rows: list[Any], merged: tuple[str, ...] = (), formats: dict[str, str] | None = None
) -> str:
    """Write a workbook with one sheet, and return its path."""
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    for each in merged:
        book.active.merge_cells(each)
    for place, form in (formats or {}).items():
        book.active[place].number_format = form
    book.save(path)
    return str(path)


def sheet(path: str, name: str = "Sheet.csv") -> str:
    """Return a sheet as the file that it becomes."""
    return Path(unpack(path).folder, name).read_text("utf-8")


@pytest.mark.parametrize(
    ("value", "form", "text"),
    [
        (12.3, "General", "12.3"),
        (0.761, "0.0%", "76.1 %"),
        (12.3456, '0.0 "ms"', "12.3456 ms"),
        (1234567, '#,##0,"k"', "1234.567 k"),
        (-2, "0.00;[Red]-0.00", "-2"),
        (1234.5, "#,##0.00", "1234.5"),
        (True, "General", "true"),
        (datetime.datetime(2026, 3, 1, 10, 30), "yyyy-mm-dd hh:mm", "2026-03-01 10:30:00"),
        (datetime.date(2026, 3, 1), "yyyy-mm-dd", "2026-03-01"),
        (datetime.timedelta(hours=1, minutes=2, seconds=3), "[h]:mm:ss", "1:02:03"),
        ("two\nlines", "General", "two lines"),
        ("=1/3", "General", "?"),
    ],
)
def test_a_cell_is_as_the_sheet_shows_it(tmp_path: Path, value: object, form: str, text: str) -> None:
    assert sheet(saved(tmp_path / "a.xlsx", ["x"], [value], formats={"A2": form})) == f"x\n{text}\n"


def test_merged_cells_hold_for_all_of_their_places_and_titles_are_comments(tmp_path: Path) -> None:
    rows = [["Results"], ["", "A100"], ["model", "ms", "img/s"], ["a", 1, 2], [None, 3, 4]]
    path = saved(tmp_path / "a.xlsx", *rows, merged=("A1:C1", "B2:C2", "A4:A5"))
    assert sheet(path) == "# Results\n,A100,A100\nmodel,ms,img/s\na,1,2\na,3,4\n"


def test_a_row_of_a_sheet_is_a_line_of_its_file(tmp_path: Path) -> None:
    assert sheet(saved(tmp_path / "a.xlsx", [], [None, "x", "y"], [], [None, 1, 2])) == "\nx,y\n\n1,2\n"


def test_each_sheet_that_is_shown_is_a_file(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.active.append(["model", "latency (ms)"])
    book.active.append(["a", 12.5])
    other = book.create_sheet("step times")
    other.append(["model", "step time (s)"])
    other.append(["a", 0.25])
    book.create_sheet("empty")
    book.create_sheet("hidden").append(["x"])
    book["hidden"].sheet_state = "hidden"
    book.save(tmp_path / "book.xlsx")
    assert unpack(str(tmp_path / "book.xlsx")).names == ("Sheet.csv", "step times.csv")


def test_a_workbook_is_learned_and_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    saved(Path("book.xlsx"), ["Bericht"], ["Modell", "Zeit"], ["a", 12.5], ["b", 8.25], merged=("A1:B1",))
    assert "2 of 2 numbers in 2 rows" in call("learn", "book.xlsx", "--unit", "Zeit=ms", "--write", ".")[0]
    assert "latency 8.250 ms" in call("runs", "book.xlsx")[0]


def test_a_damaged_workbook_and_one_without_openpyxl_say_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with zipfile.ZipFile(tmp_path / "torn.xlsx", "w") as archive:
        archive.writestr("xl/workbook.xml", "<workbook>")
    with pytest.raises(Packed, match="cannot be unpacked"):
        unpack(str(tmp_path / "torn.xlsx"))
    saved(tmp_path / "a.xlsx", ["x"], [1])
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    assert error_of("learn", str(tmp_path / "a.xlsx")).endswith(
        'a.xlsx: was skipped; needs openpyxl: pip install "reportgen-bench[xlsx]", or save its sheets as CSV'
    )
