"""Cells of two report.json files: paired by place, named where they differ."""

import json
from pathlib import Path

import pytest

from reportgen.core.errors import RequestError
from reportgen.diff.cells import CellChange, changed_cells, number_text
from reportgen.document.encode import decode
from reportgen.document.model import VERSION, source_of
from tests.diff.stored import number, report, table, words

ROOT = Path(__file__).parents[2]
A, B = {"model": "a", "devices": 1}, {"model": "b", "devices": 8}


def told(changes: list[CellChange]) -> list[str]:
    return [f"{change.place}: {change.old_text} -> {change.new_text}" for change in changes]


def test_a_number_that_moved_is_named_with_its_place() -> None:
    old = report(table(number(9.32, A), number(2.0, B)))
    new = report(table(number(9.20, A), number(2.0, B)))
    assert told(changed_cells(old, new)) == ["study/times a devices=1: 9.32 s -> 9.2 s"]


def test_order_and_headings_are_not_changes() -> None:
    old = report(table(number(9.32, A), number(2.0, B)))
    new = report(table(*(number(value, dict(reversed(row.items()))) for value, row in ((2.0, B), (9.32, A)))))
    assert changed_cells(old, new) == []


def test_other_digits_are_an_appearance_only() -> None:
    (change,) = changed_cells(report(table(number(9.321, A))), report(table(number(9.321, A, shown="9.3 s"))))
    assert (change.old_text, change.new_text, change.is_appearance_only) == ("9.321 s", "9.3 s", True)


def test_a_number_that_moves_below_the_shown_digits_has_changed() -> None:
    (change,) = changed_cells(report(table(number(9.32101, A))), report(table(number(9.32102, A))))
    assert (change.old_text, change.new_text, change.is_appearance_only) == ("9.321 s", "9.321 s", False)


def test_the_last_digits_of_a_sum_may_differ() -> None:
    assert changed_cells(report(table(number(0.3, A))), report(table(number(0.3 + 1e-12, A)))) == []


def test_cells_that_came_went_and_failed() -> None:
    old = report(table(number(1.0, A), words("-", B, "absent")))
    new = report(table(words("out of memory", A), number(2.0, {"model": "c"})))
    assert told(changed_cells(old, new)) == [
        "study/times a devices=1: 1 s -> out of memory",
        "study/times c: - -> 2 s",
    ]
    assert told(changed_cells(None, report(table(number(1.0, A))))) == ["study/times a devices=1: - -> 1 s"]
    assert told(changed_cells(report(table(number(1.0, A))), None)) == ["study/times a devices=1: 1 s -> -"]


def test_a_renamed_table_is_the_same_table() -> None:
    old = report(table(number(1.0, A), number(2.0, B), id="old"))
    new = report(table(number(1.0, A), number(2.5, B), id="new"))
    assert told(changed_cells(old, new)) == ["study/new b devices=8: 2 s -> 2.5 s"]


def test_cells_in_columns_that_qualifiers_split_are_paired_by_case() -> None:
    first, second = number(1.0, A, case="x"), number(2.0, A, case="y")
    assert changed_cells(report(table(first, second)), report(table(second, first))) == []


def test_text_and_number_of_one_factor_are_two_cells() -> None:
    changes = changed_cells(report(table(number(1.0, {"n": 1}))), report(table(number(1.0, {"n": "1"}))))
    assert len(changes) == 2


@pytest.mark.parametrize(
    ("value", "unit", "metric", "item", "text"),
    [
        (136_519.0, "samples/s", "throughput", "token", "136,519 tokens/s"),
        (136_519.0, "samples/s", "throughput", "", "136,519 samples/s"),
        (0.125, "s", "step_time", "token", "125.0 ms"),
        (0.5, "ratio", "efficiency", "", "50.00 %"),
    ],
)
def test_a_number_has_the_unit_of_its_table(
    value: float, unit: str, metric: str, item: str, text: str
) -> None:
    assert number_text(value, unit, metric, {"item": item} if item else {}) == text


def test_a_number_without_its_text_is_written_with_its_unit() -> None:
    old, new = number(1.0, A, shown=""), number(2.0, A)
    (change,) = changed_cells(report(table(old)), report(table(new)))
    assert change.old_text == "1.000 s"


@pytest.mark.parametrize(
    "path", sorted((ROOT / "reports").glob("*/report.json")), ids=lambda path: path.parent.name
)
def test_committed_reports_are_read_and_equal_themselves(path: Path) -> None:
    first, second = (decode(path.read_bytes(), str(path)) for _ in range(2))
    assert first.tables
    assert changed_cells(first, second) == []


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{", "is not a report.json"),
        (b"[]", "is not a report.json"),
        (json.dumps({"version": 2, "name": 3}).encode(), "is not a report.json"),
        (json.dumps({"version": VERSION, "name": 3}).encode(), "is not a report.json"),
        (b"[" * 100_000, "is not a report.json"),
        (b'{"version": 6, "name": "x"}', "has version 6, not 5; update reportgen"),
        (b'{"version": 1, "name": "x"}', "has version 1, older than 2; run: reportgen build"),
    ],
)
def test_what_is_not_a_report_is_named(content: bytes, message: str) -> None:
    with pytest.raises(RequestError, match=f"reports/x/report.json: {message}"):
        decode(content, "reports/x/report.json")


@pytest.mark.parametrize(
    ("source", "path"), [("a.csv:12", "a.csv"), ("a.csv", "a.csv"), ("a:b", "a:b"), ("a:b:3", "a:b")]
)
def test_the_file_of_a_source(source: str, path: str) -> None:
    assert source_of(source).path == path
