"""A cell is found by the words that a reader sees, and by its factors."""

from dataclasses import replace

import pytest

from reportgen.core.errors import RequestError
from reportgen.document.find_cell import column_text, find_cell, row_text
from reportgen.document.model import Document
from reportgen.tables.assemble import build_tables
from reportgen.tables.expected import NO_FACTS
from reportgen.tables.results import Table
from reportgen.tables.spec import CompareSpec
from tests.builders import published_run, table_spec
from tests.each_of import each_of
from tests.render import example

RUNS = [
    published_run(gpu=gpu, devices=devices, phase_name=name, throughput=100.0 * devices)
    for gpu in ("A40", "V100")
    for devices in (1, 8)
    for name in ("train", "eval")
]


def report(*tables: Table) -> Document:
    return example.document_of(replace(example.report(), name="gpus", tables=tables))


def tables(**keys: object) -> list[Table]:
    fields = {"rows": ("gpu", "devices"), "columns": ("phase_name",), **keys}
    return build_tables(table_spec(id="rates", **fields), RUNS, NO_FACTS)


def place(row: str, column: str, *, table: str = "rates", **keys: object) -> tuple[str, str]:
    at = find_cell(report(*tables(**keys)), table, row, column)
    return row_text(at.row), column_text(at.column)


@each_of(["V100 · 8", "V100, 8", "8, v100", "gpu=V100, devices=8"], ["train", "TRAIN", "phase_name=train"])
def test_heads_are_named_as_printed_by_words_or_by_factors(row: str, column: str) -> None:
    assert place(row, column) == ("V100 · 8", "train")


def test_the_quantity_chooses_among_the_columns_of_a_head() -> None:
    compare = CompareSpec("speedup", {"devices": 1})
    keys = {"compare": compare, "show": ("value", "speedup")}
    assert place("V100, 8", "train", **keys) == ("V100 · 8", "train")
    assert place("V100, 8", "train, speed-up", **keys) == ("V100 · 8", "train · speed-up")
    assert place("V100, 8", "train, quantity=speedup", **keys) == ("V100 · 8", "train · speed-up")


def test_an_only_column_needs_no_name() -> None:
    assert place("V100, 8, train", "", rows=("gpu", "devices", "phase_name"), columns=()) == (
        "V100 · 8 · train",
        "value",
    )


@pytest.mark.parametrize(
    ("table", "row", "column", "message"),
    [
        ("rates", "V100", "train", 'gpus rates: row: "V100" fits 2 rows; name one of: V100 · 1; V100 · 8'),
        ("rates", "V10, 8", "train", 'gpus rates: row: no row "V10, 8"; did you mean "V100 · 8"?'),
        ("rates", "V100, 8", "trian", 'gpus rates: column: no column "trian"; did you mean "train"?'),
        ("rates", "V100, 8", "", "gpus rates: column: the table has 2 columns; name one of: eval; train"),
        ("rate", "V100, 8", "train", 'gpus: no table "rate"; did you mean "rates"?'),
    ],
)
def test_a_wrong_name_offers_the_nearest_and_an_ambiguous_one_all(
    table: str, row: str, column: str, message: str
) -> None:
    with pytest.raises(RequestError) as error:
        place(row, column, table=table)
    assert str(error.value) == message


def test_a_table_with_facets_is_named_with_its_facet() -> None:
    keys = {"rows": ("gpu",), "facets": ("devices",)}
    assert place("V100", "train", table="rates/8", **keys) == ("V100", "train")
    with pytest.raises(RequestError, match=r'"rates" is 2 tables; name one of rates/1, rates/8'):
        place("V100", "train", **keys)
