"""The tidy form of a table."""

import csv as reader
import io
from dataclasses import replace

from msgspec import structs

from reportgen.compare.comparison import Comparison
from reportgen.compare.side import side_of
from reportgen.compare.verdict import Verdict
from reportgen.document.model import Header, Label
from reportgen.render.data.csv import table_csv
from reportgen.tables.results import Cell, Table
from tests.render import example
from tests.render.example import shown


def _rows(table: Table) -> list[dict[str, str]]:
    return list(reader.DictReader(io.StringIO(table_csv(*shown(table)).decode())))


def test_quantities_of_one_case_are_one_line() -> None:
    rows = _rows(example.throughput_table())
    assert len(rows) == 6
    assert rows[2] == {
        "nodes": "1", "devices": "8", "framework": "OneFlow", "metric": "throughput", "phase": "step",
        "unit": "samples/s", "value": "3124.25", "low": "3123.937575", "high": "3124.562425",
        "coverage": "0.75", "repeats": "3", "evidence": "steps", "text": "",
        "speedup": "7.85777162978",  # 3124.25 / 397.6 by hand: 7.857771629778...
        "verdict": "", "verdict_low": "", "verdict_high": "",
    }  # fmt: skip


def test_a_verdict_has_its_interval() -> None:
    table = example.throughput_table()
    row = list(table.cells[1])
    for at, cell in enumerate(row):
        if cell.comparison:
            verdict = Verdict("faster", 7.9, "alternating", "signed rank", 7.5, 8.25, 0.95, 0.02)
            row[at] = replace(cell, comparison=replace(cell.comparison, verdict=verdict))
    rows = _rows(replace(table, cells=(table.cells[0], tuple(row), *table.cells[2:])))
    assert [rows[2][name] for name in ("verdict", "verdict_low", "verdict_high")] == ["faster", "7.5", "8.25"]


def test_a_missing_value_is_empty_and_the_text_says_why() -> None:
    rows = _rows(example.throughput_table())
    assert [(row["value"], row["text"]) for row in rows[3:]] == [
        ("", "out of memory"),
        ("", "planned"),
        ("", ""),
    ]


def test_facets_and_factors_called_phase_or_metric_are_columns_once() -> None:
    header = table_csv(*shown(example.phase_table())).decode().splitlines()[0]
    assert header == "family,model,phase,device,metric,unit,value,low,high,coverage,repeats,evidence,text"


def test_a_factor_named_like_a_column_keeps_its_values() -> None:
    table = replace(example.phase_table(), facet=(("value", 3),))
    row = _rows(table)[0]
    assert (row["value_factor"], row["value"]) == ("3", "0.0123")


def test_an_expected_comparison_has_its_own_columns() -> None:
    table = example.phase_table()
    cell = table.cells[0][0]
    assert cell.case
    expected = example.expected()
    side = side_of(cell.case)
    comparison = Comparison(
        "expected", side, side, 9.38, expected=structs.replace(expected, low=0.6, high=0.65)
    )
    table = replace(table, cells=((replace(cell, comparison=comparison), *table.cells[0][1:]),))
    row = _rows(table)[0]
    # 0.67 / 1.0787 = 0.62111801242..., and 9.38 x that; 9.38 x 0.6 and x 0.65
    assert [row[name] for name in ("observed", "expected", "excess", "excess_low", "excess_high")] == [
        "9.38", "0.621118012422", "5.82608695652", "5.628", "6.097",
    ]  # fmt: skip


def test_numbers_carry_twelve_digits_and_booleans_are_words() -> None:
    table = example.phase_table()
    rows = (Header((True,), (Label("yes"),)),)
    cells = (tuple(Cell("absent") for _ in table.columns),)
    assert _rows(replace(table, rows=rows, cells=cells, facet=(("x", 1 / 3),)))[0]["x"] == "0.333333333333"
    assert _rows(replace(table, rows=rows, cells=cells))[0]["model"] == "true"
