"""Layout of a table: heads, spans, units, digits, alignment."""

from dataclasses import replace

import example
import pytest

from reportgen.render import markdown, render_table_markdown
from reportgen.render.grid import lay_out, unit_label
from reportgen.results import Cell, Label
from reportgen.units import Unit


def test_equal_heads_above_are_merged_and_the_lowest_are_not() -> None:
    upper, lower = lay_out(example.phase_table()).levels
    assert [(item.text, item.span) for item in upper] == [("Forward", 2), ("Backward", 2)]
    assert [(item.text, item.span) for item in lower] == [("CPU", 1), ("GPU", 1), ("CPU", 1), ("GPU", 1)]


def test_equal_heads_below_different_parents_stay_apart() -> None:
    table = example.phase_table()
    columns = tuple(
        replace(column, labels=(Label(top), Label("same"), Label(f"{i}")))
        for i, (column, top) in enumerate(zip(table.columns, "aabb", strict=True))
    )
    levels = lay_out(replace(table, columns=columns)).levels
    assert [(item.text, item.span) for item in levels[1]] == [("same", 2), ("same", 2)]


def test_markdown_joins_the_levels_of_a_head() -> None:
    assert render_table_markdown(example.phase_table()).startswith(
        "| Model | Forward CPU | Forward GPU | Backward CPU | Backward GPU        |\n"
        "| ----- | ----------: | ----------: | -----------: | ------------------- |\n"
        "| DARNN |     12.3 ms |      456 µs |      34.5 ms | several<sup>1</sup> |\n"
    )


@pytest.mark.parametrize(
    ("value", "low", "high", "digits", "decimals", "text", "interval"),
    [
        (397.6, 396.2, 398.0, 4, None, "397.6", "[396.2, 398.0]"),
        (12411.97, 12000.0, 13000.5, 4, None, "12,412", "[12,000, 13,000]"),
        (0.0559, 0.05, 0.061, 3, None, "0.0559", "[0.0500, 0.0610]"),
        (397.64, 396.0, 398.0, 4, 2, "397.64", "[396.00, 398.00]"),
        (1.5, None, None, 3, None, "1.50", ""),
    ],
)
def test_an_interval_has_the_decimals_of_its_number(
    value: float,
    low: float | None,
    high: float | None,
    digits: int,
    decimals: int | None,
    text: str,
    interval: str,
) -> None:
    table = example.phase_table()
    cell = Cell("number", value, Unit("s", "s", 1.0), low, high)
    table = replace(table, cells=((cell,) * 4,), digits=digits, decimals=decimals)
    item = lay_out(table).rows[0][1][0]
    assert (item.text, item.interval, item.unit) == (text, interval, "s")


def test_decimals_belong_to_the_measured_values_and_not_to_the_ratios_beside_them() -> None:
    table = replace(example.throughput_table(), decimals=0)
    texts = [item.text for item in lay_out(table).rows[1][1]]
    assert texts == ["3,124", "7.858", "out of memory", "-"]


@pytest.mark.parametrize(
    ("mode", "head", "lead", "cell_unit"),
    [
        ("cell", "CPU", ["DARNN"], "ms"),
        ("column", "CPU (ms)", ["DARNN"], ""),
        ("row", "CPU", ["DARNN", "ms"], ""),
        ("table", "CPU", ["DARNN"], ""),
    ],
)
def test_the_unit_stands_where_the_table_wants_it(
    mode: str, head: str, lead: list[str], cell_unit: str
) -> None:
    table = example.phase_table()
    table = replace(
        table,
        unit_mode=mode,
        unit=example.MS,
        rows=tuple(replace(row, unit=example.MS) for row in table.rows),
        columns=tuple(replace(column, unit=example.MS) for column in table.columns),
    )
    grid = lay_out(table)
    assert grid.levels[-1][0].text == head
    assert [item.text for item in grid.rows[0][0]] == lead
    assert grid.rows[0][1][0].unit == cell_unit
    assert ("Step time in ms." in grid.caption) == (mode == "table")


def test_a_caption_that_names_the_unit_is_left_alone() -> None:
    table = example.throughput_table()
    assert lay_out(table).caption == table.caption


@pytest.mark.parametrize(
    ("name", "label"),
    [("us", "µs"), ("degC", "°C"), ("ratio", ""), ("1", ""), ("%", "%"), ("images/s", "images/s")],
)
def test_units_are_written_as_people_write_them(name: str, label: str) -> None:
    assert unit_label(Unit(name, "x", 1.0)) == label


def test_row_heads_that_are_numbers_stand_right() -> None:
    grid = lay_out(example.throughput_table())
    assert [item.align for item in grid.lead] == ["right", "right"]
    assert [item.align for item in lay_out(example.phase_table()).lead] == ["left"]


def test_one_long_cell_does_not_widen_its_column_without_end() -> None:
    lines = markdown.aligned(["a"], [["x" * 200], ["y"]], ["left"]).splitlines()
    assert [len(line) for line in lines] == [7, 7, 204, 7]


def test_wide_characters_count_twice() -> None:
    assert markdown.aligned(["名前"], [["abcd"]], ["left"]).splitlines()[0] == "| 名前 |"


def test_a_table_without_rows_says_so() -> None:
    empty = replace(example.phase_table(), rows=(), cells=(), notes=())
    assert render_table_markdown(empty).startswith("Nothing to show")
