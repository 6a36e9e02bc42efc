"""A report.json of version 2, which earlier commits hold, is read and compared with one of today."""

import json

import pytest

from reportgen.core.errors import RequestError
from reportgen.core.units import Unit
from reportgen.diff.cells import changed_cells
from reportgen.diff.changes import compare_reports
from reportgen.document.encode import canonical, decode, encode
from reportgen.document.model import (
    VERSION,
    Case,
    Cell,
    Comparison,
    Document,
    Header,
    Measurement,
    Run,
    Summary,
    Table,
)

OLD = {
    "version": 2,
    "name": "study",
    "title": "Study",
    "verdict": ["b is slower."],
    "tables": [
        {
            "id": "times",
            "title": "Times",
            "metric": "step_time",
            "cells": [
                {"row": {"model": "a"}, "column": {"gpu": "x"}, "quantity": "value", "kind": "number",
                 "value": 0.1, "unit": "s", "shown": "100.0 ms", "case": "a"},
                {"row": {"model": "b"}, "column": {"gpu": "x"}, "quantity": "value", "kind": "number",
                 "value": 0.2, "unit": "s", "shown": "200.0 ms", "case": "b"},
                {"row": {"model": "b"}, "column": {"gpu": "x"}, "quantity": "ratio", "kind": "number",
                 "value": 2.0, "unit": "ratio", "shown": "2.000", "case": "b",
                 "comparison": {"kind": "ratio", "baseline": "a", "value": 2.0}},
            ],
        }
    ],
    "cases": [
        {"case": name, "factors": {"model": name}, "metric": "step_time", "phase": "step", "unit": "s",
         "protocol": "20+100x7", "summary": {"value": value, "repeats": 1},
         "measurements": [{"run": f"{name}/r1", "format": "native", "value": value, "evidence": "steps",
                           "started": 86400.0, "source": f"logs/{name}/r1.csv:1"}]}
        for name, value in (("a", 0.1), ("b", 0.2))
    ],
    "sources": {"logs/a/r1.csv": "1", "logs/b/r1.csv": "2"},
}  # fmt: skip


def _today(b: float) -> Document:
    """Return the same report as it is written today, with another time of b."""
    seconds, ratio = Unit("ms", "s", 1e-3), Unit("ratio", "ratio", 1.0)

    def number(value: float, case: str) -> Cell:
        return Cell("number", value, seconds, shown=f"{value * 1e3:.1f} ms", case=case)

    compared = Cell("number", b / 0.1, ratio, shown=f"{b / 0.1:.3f}", case="b")
    table = Table(
        "times", "Times", "step_time", row_factors=("model",), column_factors=("gpu",),
        rows=(Header(("a",)), Header(("b",))),
        columns=(Header(("x",)), Header(("x",), quantity="ratio")),
        cells=((number(0.1, "a"), Cell("absent", text="-")), (number(b, "b"), compared)),
        comparisons={"b": Comparison("ratio", "a", b / 0.1)},
    )  # fmt: skip
    cases = tuple(
        Case(
            name, {"model": name}, "step_time", "step", "s", "20+100x7", summary=Summary(value),
            measurements=(
                Measurement(
                    Run(f"{name}/r1", "native", started=86400.0, source=f"logs/{name}/r1.csv:1"), value, "steps"
                ),
            ),
        )
        for name, value in (("a", 0.1), ("b", b))
    )  # fmt: skip
    sources = {"logs/a/r1.csv": "1", "logs/b/r1.csv": "2"}
    return Document(
        version=VERSION, name="study", title="Study", tables=(table,), cases=cases, sources=sources
    )


def _read() -> Document:
    return decode(json.dumps(OLD).encode(), "report.json")


def test_the_numbers_of_version_2_are_read() -> None:
    document = _read()
    (table,) = document.tables
    assert (document.version, document.headline, table.row_factors, table.column_factors) == (
        2, "b is slower.", ("model",), ("gpu",),
    )  # fmt: skip
    assert [[cell.value for cell in line] for line in table.cells] == [[0.1, None], [0.2, 2.0]]
    assert [case.measurements[0].value for case in document.cases] == [0.1, 0.2]
    assert [case.measurements[0].run.id for case in document.cases] == ["a/r1", "b/r1"]
    assert [case.summary and case.summary.value for case in document.cases] == [0.1, 0.2]
    assert table.comparisons == {"b": Comparison("ratio", "a", 2.0)}


def test_version_3_had_a_comparison_in_each_cell() -> None:
    today = json.loads(encode(canonical(_today(0.2))))
    (table,) = today["tables"]
    for cell in (
        cell for line in table["cells"] for cell in line if cell.get("case") in table["comparisons"]
    ):
        cell["comparison"] = table["comparisons"][cell["case"]]
    del table["comparisons"]
    assert decode(json.dumps(today | {"version": 3}).encode(), "report.json") == canonical(_today(0.2))


def test_version_2_and_that_of_today_have_equal_numbers() -> None:
    assert changed_cells(_read(), _today(0.2)) == []
    compared = compare_reports({"study": _read()}, {"study": _today(0.2)})
    assert (compared.rows, compared.ratios) == ((), ())


def test_a_number_that_moved_since_version_2_is_named() -> None:
    changes = changed_cells(_read(), _today(0.3))
    assert [(each.place, each.old_text, each.new_text) for each in changes] == [
        ("study/times b, x", "200.0 ms", "300.0 ms"),
        ("study/times b, x, ratio", "2.000", "3.000"),
    ]


@pytest.mark.parametrize(
    ("version", "message"),
    [(1, "has version 1, older than 2; run: reportgen build"), (5, "has version 5, not 4; update reportgen")],
)
def test_another_version_is_refused_by_name(version: int, message: str) -> None:
    with pytest.raises(RequestError, match=f"report.json: {message}"):
        decode(json.dumps(OLD | {"version": version}).encode(), "report.json")
