"""A report.json of version 2, which earlier commits hold, is read and compared with one of today."""

import json
from typing import Any

import pytest

from reportgen.core.errors import RequestError
from reportgen.core.units import Unit
from reportgen.diff.cells import changed_cells
from reportgen.diff.changes import compare_reports
from reportgen.document.encode import canonical, decode, encode
from reportgen.document.model import (
    VERSION,
    Breakdown,
    Case,
    Cell,
    Comparison,
    Configuration,
    Document,
    Explorer,
    ExplorerFactor,
    Header,
    Measurement,
    Note,
    Part,
    Run,
    Summary,
    Table,
    name_of_pair,
)

NOTE = Note("2 s left out", rule="protocol.gap")
COMPARED = name_of_pair("b", "a", None, {})
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

    compared = Cell("number", b / 0.1, ratio, shown=f"{b / 0.1:.3f}", case="b", notes=(NOTE.key,))
    table = Table(
        "times", "Times", "step_time", row_factors=("model",), column_factors=("gpu",),
        rows=(Header(("a",)), Header(("b",))),
        columns=(Header(("x",)), Header(("x",), quantity="ratio")),
        cells=((number(0.1, "a"), Cell("absent", text="-")), (number(b, "b"), compared)),
        comparisons={"b": COMPARED},
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
    breakdown = Breakdown("step", b - 0.1, b, 0.1, (Part("forward", seconds=b - 0.1),))
    comparison = Comparison("ratio", "a", b / 0.1, breakdown=breakdown)
    return Document(
        version=VERSION, name="study", title="Study", tables=(table,), cases=cases, sources=sources,
        comparisons={COMPARED: comparison}, notes={NOTE.key: NOTE},
        explorer=Explorer(
            (ExplorerFactor("model", "model", ("a", "b"), ("A", "B")),), configurations=(Configuration(("b",)),)
        ),
    )  # fmt: skip


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
    assert document.comparisons_of(table) == {"b": Comparison("ratio", "a", 2.0)}


def _version_4() -> dict[str, Any]:
    """Return the report of today as version 4 had it."""
    today = json.loads(encode(canonical(_today(0.2))))
    (comparison,), (note,) = today.pop("comparisons").values(), today.pop("notes").values()
    breakdown = {"case": "b", "baseline": "a", **comparison.pop("breakdown")}
    (table,) = today["tables"]
    table |= {"comparisons": {"b": comparison}, "notes": [note]}
    table["cells"][1][1]["notes"] = [0]
    today["explorer"]["configurations"][0]["values"] = [1]
    return today | {"version": 4, "breakdowns": [breakdown]}


def test_version_4_had_comparisons_and_notes_in_each_table() -> None:
    assert decode(json.dumps(_version_4()).encode(), "report.json") == canonical(_today(0.2))


def test_version_3_had_a_comparison_in_each_cell() -> None:
    old = _version_4() | {"version": 3}
    (table,) = old["tables"]
    (compared,) = table.pop("comparisons").values()
    for cell in (cell for line in table["cells"] for cell in line if cell.get("case") == "b"):
        cell["comparison"] = compared
    assert decode(json.dumps(old).encode(), "report.json") == canonical(_today(0.2))


def test_a_note_that_a_table_of_version_4_does_not_have_is_refused() -> None:
    old = _version_4()
    old["tables"][0]["cells"][1][1]["notes"] = [1]
    with pytest.raises(RequestError, match=r"is not a report\.json of version 4: IndexError"):
        decode(json.dumps(old).encode(), "report.json")


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
    [(1, "has version 1, older than 2; run: reportgen build"), (6, "has version 6, not 5; update reportgen")],
)
def test_another_version_is_refused_by_name(version: int, message: str) -> None:
    with pytest.raises(RequestError, match=f"report.json: {message}"):
        decode(json.dumps(OLD | {"version": version}).encode(), "report.json")
