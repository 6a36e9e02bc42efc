"""Layout of a table: heads, spans, units, digits, alignment."""

from dataclasses import replace

import pytest
from msgspec import structs

from reportgen.compare.verdict import Verdict, VerdictKind
from reportgen.core.model import Summary
from reportgen.core.rules import Rule
from reportgen.core.units import Unit
from reportgen.document.model import Header, Label, Note
from reportgen.render import render_table_markdown
from reportgen.render.grid.grid import lay_out, unit_label
from reportgen.tables.assemble import build_tables
from reportgen.tables.expected import NO_FACTS
from reportgen.tables.results import Cell, Table
from reportgen.tables.spec import CompareSpec
from tests.builders import published_run, table_spec
from tests.render import example
from tests.render.example import shown


def test_equal_heads_are_merged_except_in_the_lowest_level() -> None:
    upper, lower = lay_out(*shown(example.phase_table())).levels
    assert [(item.text, item.span) for item in upper] == [("Forward", 2), ("Backward", 2)]
    assert [(item.text, item.span) for item in lower] == [("CPU", 1), ("GPU", 1), ("CPU", 1), ("GPU", 1)]


def test_equal_heads_below_different_parents_are_not_merged() -> None:
    table = example.phase_table()
    columns = tuple(
        structs.replace(column, labels=(Label(top), Label("same"), Label(f"{i}")))
        for i, (column, top) in enumerate(zip(table.columns, "aabb", strict=True))
    )
    levels = lay_out(*shown(replace(table, columns=columns))).levels
    assert [(item.text, item.span) for item in levels[1]] == [("same", 2), ("same", 2)]


def test_the_note_of_a_row_of_means_follows_its_words() -> None:
    runs = [
        published_run(throughput=value, device=device, model=model, precision="fp16")
        for device, values in {"A": (1.0, 1.0), "B": (2.0, 8.0), "C": (1.0, 4.0)}.items()
        for model, value in zip("xy", values, strict=True)
    ]
    spec = table_spec(
        metrics=("throughput",),
        rows=("model", "precision"),
        columns=("device",),
        show=("speedup",),
        compare=CompareSpec("speedup", {"device": "A"}, mean=True),
        where={"device": ("B", "C")},
    )
    (table,) = build_tables(spec, runs, NO_FACTS)
    assert "| geometric mean <sup>mean</sup> |  |" in render_table_markdown(*shown(table))


def test_markdown_joins_the_levels_of_a_head() -> None:
    assert render_table_markdown(*shown(example.phase_table())).startswith(
        "| Model | Forward CPU | Forward GPU | Backward CPU | Backward GPU |\n"
        "| --- | ---: | ---: | ---: | --- |\n"
        "| DARNN | 12.3 ms | 456 µs | 34.5 ms | several <sup>note</sup> |\n"
    )


@pytest.mark.parametrize(
    ("value", "low", "high", "digits", "decimals", "text", "interval"),
    [
        (397.6, 396.2, 398.0, 4, None, "397.6", "(396.2 – 398.0)"),
        (12411.97, 12000.0, 13000.4, 4, None, "12,412", "(12,000 – 13,000)"),
        (0.0559, 0.05, 0.061, 3, None, "0.0559", "(0.0500 – 0.0610)"),
        (397.64, 396.0, 398.0, 4, 2, "397.64", "(396.00 – 398.00)"),
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
    item = lay_out(*shown(table)).rows[0][1][0]
    assert (item.text, item.interval, item.unit) == (text, interval, "s")


def test_decimals_apply_to_measured_values_and_not_to_ratios() -> None:
    table = replace(example.throughput_table(), decimals=0)
    texts = [item.text for item in lay_out(*shown(table)).rows[1][1]]
    assert texts == ["3,124", "7.86", "out of memory", "-"]


@pytest.mark.parametrize(
    ("mode", "head", "lead", "cell_unit"),
    [
        ("cell", "CPU", ["DARNN"], "ms"),
        ("column", "CPU (ms)", ["DARNN"], ""),
        ("row", "CPU", ["DARNN", "ms"], ""),
        ("table", "CPU", ["DARNN"], ""),
    ],
)
def test_the_unit_mode_decides_where_the_unit_is(
    mode: str, head: str, lead: list[str], cell_unit: str
) -> None:
    table = example.phase_table()
    table = replace(
        table,
        unit_mode=mode,
        unit=example.MS,
        rows=tuple(structs.replace(row, unit=example.MS) for row in table.rows),
        columns=tuple(structs.replace(column, unit=example.MS) for column in table.columns),
    )
    grid = lay_out(*shown(table))
    assert grid.levels[-1][0].text == head
    assert [item.text for item in grid.rows[0][0]] == lead
    assert grid.rows[0][1][0].unit == cell_unit
    assert ("Step time in ms." in grid.caption) == (mode == "table")


def test_a_caption_that_contains_the_unit_does_not_repeat_it() -> None:
    table = example.throughput_table()
    assert lay_out(*shown(table)).caption[0] == table.caption[0]


def _values(label: str, unit: Unit, caption: str) -> Table:
    table = example.phase_table()
    columns = tuple(structs.replace(column, quantity_label=label) for column in table.columns)
    return replace(table, unit_mode="table", unit=unit, columns=columns, about=(Note(caption),))


def test_a_common_unit_is_in_the_heads_that_name_a_quantity() -> None:
    seconds = lay_out(*shown(_values("step time", Unit("s", "s", 1.0), "Step time: x.")))
    assert [item.text for item in seconds.levels[-1]] == ["step time (s)"] * 4
    grid = lay_out(*shown(_values("step time", example.MS, "Step time: published figures.")))
    assert [item.text for item in grid.levels[-1]] == ["step time (ms)"] * 4
    assert grid.caption == ("Step time: published figures.",)


def test_if_heads_are_factor_values_the_caption_begins_with_the_unit() -> None:
    seconds = Unit("s", "s", 1.0)
    grid = lay_out(*shown(_values("", seconds, "median of 7 repeats")))
    assert [item.text for item in grid.levels[-1]] == ["CPU", "GPU", "CPU", "GPU"]
    assert grid.caption == ("Step time in s.", "Median of 7 repeats.")
    assert lay_out(*shown(_values("", seconds, "Step time in s: x."))).caption == ("Step time in s: x.",)


def test_a_head_that_contains_the_unit_does_not_repeat_it() -> None:
    heads = [item.text for item in lay_out(*shown(example.throughput_table())).levels[-1]]
    assert heads == ["images/s", "speed-up", "images/s", "speed-up"]


@pytest.mark.parametrize(
    ("summaries", "text"),
    [
        ([(0.984375, True, "median")] * 2, "In parentheses: interval of the median (98.4 % confidence)."),
        (
            [(0.984375, True, "median"), (0.96875, True, "median")],
            "In parentheses: interval of the median (at least 96.9 % confidence).",
        ),
        ([(0.9375, False, "median")], "In parentheses: range of the repeats."),
        ([(0.0, False, "olympic mean")], "In parentheses: range of the repeats."),
        (
            [(0.984375, True, "median"), (0.9375, False, "median")],
            "In parentheses: interval of the median (98.4 % confidence), or the range where there are too few "
            "repeats for an interval.",
        ),
    ],
)
def test_the_caption_explains_the_parentheses(summaries: list[tuple[float, bool, str]], text: str) -> None:
    cells = tuple(
        Cell(
            "number",
            1.0,
            low=0.9,
            high=1.1,
            case=replace(example.case(1.0, {"model": i}), summary=Summary(1.0, 0.9, 1.1, c, r, 7, s)),
        )
        for i, (c, r, s) in enumerate(summaries)
    )
    table = example.phase_table()
    table = replace(table, cells=(cells,), columns=table.columns[: len(cells)])
    assert lay_out(*shown(table)).caption[-1] == text


def test_a_table_without_intervals_does_not_mention_them() -> None:
    assert lay_out(*shown(example.phase_table())).caption == ("Median step time.",)


def test_footnotes_are_numbered_in_the_order_of_reading_without_unused_ones() -> None:
    table = example.phase_table()
    varies, unused, early = Note("batch_size varies"), Note("unused"), Note("the log ends early")
    first, second, third, last = table.cells[0]
    cells = (first, replace(second, notes=(early.key,)), third, replace(last, notes=(varies.key, early.key)))
    notes = example.by_name(varies, unused, early)
    grid = lay_out(*shown(replace(table, cells=(cells,), notes=notes)))
    assert [note.text for note in grid.notes] == ["The log ends early.", "batch_size varies."]
    assert [item.notes for item in grid.rows[0][1]] == [(), (1,), (), (1, 2)]


@pytest.mark.parametrize(
    ("ratio", "digits", "text"),
    [
        (7.30012, 4, "7.30"), (1.0, 4, "1.00"), (0.00409, 4, "0.0041"), (0.0125, 4, "0.0125"),
        (31.2134, 4, "31.2"), (1234.56, 4, "1,235"), (31.2134, 5, "31.213"), (31.2134, 2, "31"),
    ],
)  # fmt: skip
def test_ratios_have_three_digits_unless_the_table_sets_digits(ratio: float, digits: int, text: str) -> None:
    cell = Cell("number", ratio, example.RATIO)
    column = Header((), (), quantity="speedup", quantity_label="speed-up")
    table = replace(example.phase_table(), cells=((cell,),), columns=(column,), digits=digits)
    assert lay_out(*shown(table)).rows[0][1][0].text == text


@pytest.mark.parametrize(
    ("name", "label"),
    [("us", "µs"), ("degC", "°C"), ("ratio", ""), ("1", ""), ("%", "%"), ("images/s", "images/s")],
)
def test_units_are_written_as_people_write_them(name: str, label: str) -> None:
    assert unit_label(Unit(name, "x", 1.0)) == label


def test_numeric_row_heads_are_right_aligned() -> None:
    grid = lay_out(*shown(example.throughput_table()))
    assert [item.align for item in grid.lead] == ["right", "right"]
    assert [item.align for item in lay_out(*shown(example.phase_table())).lead] == ["left"]


def _noted(first: Note, second: Note) -> str:
    """Return the Markdown of a table of two rows: the first note at one cell, the second at another."""
    table = example.phase_table()
    other = structs.replace(table.rows[0], labels=(Label("LSTNet"),))
    cells = [list(table.cells[0]), list(table.cells[0])]
    cells[0][3], cells[1][3] = (replace(cells[0][3], notes=()) for _ in range(2))
    cells[0][1], cells[1][2] = (
        replace(cells[0][1], notes=(first.key,)),
        replace(cells[1][2], notes=(second.key,)),
    )
    rows = (table.rows[0], other)
    return render_table_markdown(
        *shown(
            replace(table, rows=rows, cells=tuple(map(tuple, cells)), notes=example.by_name(first, second))
        )
    )


def test_a_footnote_is_named_after_its_rule() -> None:
    text = _noted(Note("2 s left out", Rule.PROTOCOL_GAP), Note("5 repeats", name="range"))
    assert "| 456 µs <sup>gap</sup> |" in text
    assert text.endswith("\n- gap: 2 s left out.\n- range: 5 repeats.\n")


def test_footnotes_of_one_name_say_where_they_apply() -> None:
    text = _noted(Note("2 s left out", Rule.PROTOCOL_GAP), Note("3 s left out", Rule.PROTOCOL_GAP))
    assert text.endswith(
        "\n- gap (DARNN / Forward GPU): 2 s left out.\n- gap (LSTNet / Backward CPU): 3 s left out.\n"
    )


def test_the_name_of_a_rule_is_its_last_part_if_no_other_rule_has_it() -> None:
    assert Note("", Rule.PROTOCOL_GAP).mark == "gap"
    assert Note("", Rule.RATE_DISAGREEMENT).mark == "rate.disagreement"
    assert len({rule.short for rule in Rule}) == len(Rule)


def test_a_table_without_rows_has_no_data() -> None:
    empty = replace(example.phase_table(), rows=(), cells=(), notes={})
    assert render_table_markdown(*shown(empty)).startswith("No data.")


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        (1.0091, 1.0273, "1.009 – 1.027"),
        (0.99957, 1.0004, "0.99957 – 1.00040"),
        (14.3, 15.6, "14.30 – 15.60"),
        (1.5, 1.5, "1.500 – 1.500"),
        (1e-9, 2.0, "0.00 – 2.00"),
    ],
)
def test_an_interval_of_ratios_shows_two_digits_of_its_width(low: float, high: float, text: str) -> None:
    table = example.phase_table()
    cell = Cell("interval", low=low, high=high)
    laid_out = lay_out(*shown(replace(table, cells=((cell,) * 4,), rows=table.rows[:1])))
    assert laid_out.rows[0][1][0].text == text


@pytest.mark.parametrize(
    ("kind", "sign"),
    [
        ("faster", "▲"),
        ("slower", "▼"),
        ("same", "="),
        ("likely faster", "△"),
        ("likely slower", "▽"),
        ("undecided", "?"),
        ("no repeats", ""),
    ],
)
def test_a_ratio_has_the_sign_of_its_verdict(kind: VerdictKind, sign: str) -> None:
    table = replace(example.throughput_table(), has_signs=True)
    row = [
        replace(
            cell, comparison=replace(cell.comparison, verdict=Verdict(kind, 7.9, "rounds", low=7.8, high=8.0))
        )
        if cell.comparison
        else cell
        for cell in table.cells[1]
    ]
    signed = replace(table, cells=(table.cells[0], tuple(row), *table.cells[2:]))
    grid = lay_out(*shown(signed))
    assert [item.sign for item in grid.rows[1][1]] == ["", sign, "", ""]
    words = (
        "Signs: ▲ faster, ▼ slower, = same, △ likely faster, ▽ likely slower, ? undecided; "
        "no sign where there are no repeats."
    )
    assert (words in grid.caption) == bool(sign)
    assert (f" {sign} |" in render_table_markdown(*shown(signed))) == bool(sign)
    assert [item.sign for item in lay_out(*shown(replace(signed, has_signs=False))).rows[1][1]] == [""] * 4


def test_a_head_that_repeats_the_row_above_is_marked() -> None:
    runs = [
        published_run(throughput=1.0, model=m, batch_size=b, device=d)
        for m, b, d in ("x1A", "x1B", "x2A", "y2A")
    ]
    spec = table_spec(metrics=("throughput",), rows=("model", "batch_size", "device"))
    (table,) = build_tables(spec, runs, NO_FACTS)
    marks = [[head.is_repeated for head in heads] for heads, _ in lay_out(*shown(table)).rows]
    assert marks == [[False] * 3, [True, True, False], [True, False, False], [False] * 3]
