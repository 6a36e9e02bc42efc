"""Cells and repeats that a definition requires and a table lacks."""

from typing import Any

import pytest

from reportgen.core.errors import RequestError
from reportgen.report.definition import table_from_keys
from reportgen.tables.assemble import build_tables
from reportgen.tables.expected import NO_FACTS
from tests.builders import published_run

RUNS = [
    *(published_run(node="n1", devices=8, repeat=i, throughput=100.0 + i) for i in (1, 2, 3)),
    published_run(node="n2", devices=8, repeat=1, throughput=99.0),
    published_run(node="n3", devices=8, repeat=1, status="out_of_memory"),
    published_run(node="n3", devices=4, repeat=1, throughput=50.0),
]


def messages(runs=RUNS, **required: Any) -> list[str]:
    keys = {"id": "nodes", "rows": ["node"], "columns": ["devices"], "required": required}
    tables = build_tables(table_from_keys(keys, "x.toml: tables[0]"), runs, NO_FACTS)
    findings = [finding for table in tables for finding in table.findings]
    assert {(f.rule, f.severity, f.subject) for f in findings} <= {
        ("table.missing-required", "warning", "nodes")
    }
    return [finding.message for finding in findings]


def test_a_table_that_requires_nothing_lacks_nothing():
    assert messages() == []


@pytest.mark.parametrize(
    ("cell", "lacks"),
    [
        ({"node": "n1"}, []),
        ({"node": "n1", "devices": 8}, []),
        ({"node": "n1", "devices": 4}, ["required cell node=n1, devices=4: no number"]),
        ({"node": "n3"}, []),
        ({"node": "n3", "devices": 8}, ["required cell node=n3, devices=8: no number (out of memory)"]),
        ({"node": "n4"}, ["required cell node=n4: no number"]),
    ],
)
def test_a_required_cell_needs_a_number(cell: dict[str, Any], lacks: list[str]):
    assert messages(cells=[cell]) == lacks


@pytest.mark.parametrize(
    ("counts", "lacks"),
    [
        ({"node": 3, "devices": 2}, []),
        ({"node": 4}, ["3 of 4 required values of node have a number: n1, n2, n3"]),
        ({"devices": 3}, ["2 of 3 required values of devices have a number: 8, 4"]),
    ],
)
def test_values_may_be_counted(counts: dict[str, int], lacks: list[str]):
    assert messages(counts=counts) == lacks


def test_all_cells_may_be_required():
    assert messages(cells="all") == [
        "required cell node=n1, devices=4: -",
        "required cell node=n2, devices=4: -",
        "required cell node=n3, devices=8: out of memory",
    ]


def test_each_case_needs_the_required_repeats():
    assert messages(runs=RUNS[:4], repeats=3) == ["1 of 3 required repeats: node=n2, devices=8"]


def test_runs_must_end_as_required():
    (message,) = messages(statuses=["complete", "partial"])
    assert message.startswith("required status is complete or partial: ")
    assert message.endswith(" is out of memory")
    assert messages(statuses=["complete", "out_of_memory"]) == []


@pytest.mark.parametrize(
    ("required", "error"),
    [
        ({"cells": [{"nod": "n1"}]}, 'cells[0].nod: is not in rows, columns or facets; did you mean "node"?'),
        ({"cell": []}, 'cell: no such key; did you mean "cells"?'),
        ({"counts": {"nod": 3}}, 'counts.nod: is not in rows, columns or facets; did you mean "node"?'),
        ({"counts": {"node": 0}}, "counts.node: 0 is out of range; use a number at least 1"),
        ({"repeats": 0}, "repeats: 0 is out of range; use a number at least 1"),
        ({"statuses": ["done"]}, 'statuses[0]: "done" is not known'),
    ],
)
def test_a_wrong_requirement_is_an_error(required: dict[str, Any], error: str):
    with pytest.raises(RequestError) as raised:
        messages(**required)
    assert str(raised.value).startswith(f"x.toml: tables[0].required.{error}")


def test_facets_are_searched_together():
    keys = {"id": "t", "rows": ["devices"], "facets": ["node"], "required": {"cells": [{"node": "n9"}]}}
    tables = build_tables(table_from_keys(keys, "t"), RUNS, NO_FACTS)
    assert [len(table.findings) for table in tables] == [1, 0, 0]
