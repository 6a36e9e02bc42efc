"""The measured part of a report.json of any version is what the whole document says."""

import json
from typing import Any

import pytest

from reportgen.core.errors import RequestError
from reportgen.document.cells import placed_cells
from reportgen.document.encode import decode
from reportgen.history.measured import read_measured
from tests.document.test_older import OLD
from tests.history.stored_study import Measured, report_json

Json = dict[str, Any]


def _today() -> Json:
    report = report_json(
        Measured("a", [0.1, 0.12, 0.11], compared_with="b"), Measured("b", [0.2]), digest="1"
    )
    return dict(json.loads(report))


def _version_4() -> Json:
    """Return the report with its comparisons in the table."""
    report = _today()
    for table in report["tables"]:
        table["comparisons"] = {
            case: report["comparisons"][name] for case, name in table["comparisons"].items()
        }
    del report["comparisons"]
    return report | {"version": 4}


def _version_3() -> Json:
    """Return the report with its comparisons in the cells."""
    report = _version_4()
    for table in report["tables"]:
        compared = table.pop("comparisons")
        for cell in (cell for line in table["cells"] for cell in line if cell.get("case") in compared):
            cell["comparison"] = compared[cell["case"]]
    return report | {"version": 3}


@pytest.mark.parametrize("raw", [OLD, _version_3(), _version_4(), _today()], ids=["2", "3", "4", "5"])
def test_every_version_is_read_as_the_document_is(raw: Json) -> None:
    content = json.dumps(raw).encode()
    document, measured = decode(content, "report.json"), read_measured(content, "report.json")
    (table,), (short,) = document.tables, measured.tables
    there = {
        (*map(str, (each.placed.row, each.placed.column)), each.placed.quantity): (
            (each.placed.kind, each.placed.value, each.placed.cell.unit, each.placed.case, each.baseline)
        )
        for each in short.measured_cells(short.baselines(measured.comparisons))
    }
    assert {"a", "b"} <= {case for *_, case, _ in there.values()}
    assert {baseline for *_, baseline in there.values()} > {""}
    for cell in placed_cells(document, table):
        place = (*map(str, (cell.row, cell.column)), cell.quantity)
        baseline = cell.comparison.baseline if cell.comparison and cell.quantity != "value" else ""
        if cell.kind != "absent" or place in there:
            assert there[place] == (cell.kind, cell.value, cell.cell.unit, cell.case, baseline)
    assert measured.sources == document.sources
    for case in document.cases:
        other = measured.case_by_name[case.name]
        assert (other.metric, other.unit, other.protocol) == (case.metric, case.unit, case.protocol)
        assert other.conditions == case.conditions
        assert [
            (each.execution.id, each.execution.started, each.value, each.files) for each in other.repeats
        ] == [(each.run.id, each.run.started, each.value, each.files) for each in case.measurements]


def test_a_repeat_of_version_2_without_a_value_is_none() -> None:
    raw = json.loads(json.dumps(OLD))
    raw["cases"][0]["measurements"].append({"run": "a/r2", "value": None})
    case = read_measured(json.dumps(raw).encode(), "report.json").case_by_name["a"]
    assert [repeat.execution.id for repeat in case.repeats] == ["a/r1"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"<<<<<<<", "is not a report.json"),
        (b"{}", 'no "version"'),
        (b'{"version": 1}', "older than 2"),
        (b'{"version": 99}', "update reportgen"),
        (b'{"version": 5, "tables": 3}', "is not a report.json"),
    ],
)
def test_what_cannot_be_read_names_the_cause(content: bytes, message: str) -> None:
    with pytest.raises(RequestError, match=message):
        read_measured(content, "report.json")
