"""A compared cell carries the parts of its difference; with `why`, footnotes show them."""

import pytest

from reportgen.compare.comparison import Comparison
from reportgen.tables.assemble import build_tables
from reportgen.tables.expected import NO_FACTS
from reportgen.tables.results import Table
from reportgen.tables.spec import CompareSpec
from tests.builders import published_run, table_spec

RUNS = [
    published_run(
        gpu=gpu, model=model, values={"data_loading": load, "forward": forward}, samples=None, repeat=None
    )
    for gpu, model, load, forward in [
        ("A", "x", 1.0, 1.0),
        ("B", "x", 4.0, 2.0),
        ("A", "y", 1.0, 1.0),
        ("B", "y", 2.0, 1.0),
    ]
]


def table(phase: str = "all", **compare: bool) -> Table:
    spec = table_spec(
        metrics=("step_time",),
        phases=(phase,),
        totals={"all": ("data_loading", "forward")},
        rows=("model",),
        columns=("gpu",),
        compare=CompareSpec("expected", {"gpu": "A"}, **compare),
        show=("value", "observed"),
    )
    (built,) = build_tables(spec, RUNS, NO_FACTS)
    return built


def comparison(table: Table, row: int) -> Comparison:
    compared = table.cells[row][3].comparison
    assert compared is not None
    return compared


def test_a_cell_carries_the_parts_of_its_difference() -> None:
    breakdown = comparison(table(), 0).breakdown
    assert breakdown is not None
    assert {part.name: part.seconds for part in breakdown.measured} == {"data_loading": 3.0, "forward": 1.0}


def test_the_baseline_itself_has_no_parts() -> None:
    own = table().cells[0][1].comparison
    assert own is not None
    assert own.breakdown is None


def test_a_single_phase_is_not_split() -> None:
    breakdown = comparison(table("forward"), 0).breakdown
    assert breakdown is not None
    assert not breakdown.is_split


@pytest.mark.parametrize("why", [True, False])
def test_footnotes_of_ratios_show_the_parts_if_the_definition_says_so(why: bool) -> None:
    built = table(why=why)
    notes = {note.text for note in built.notes.values()}
    parts = {
        "4.00 s more per step: data loading 75 %, forward 25 %",
        "1.00 s more per step: data loading 100 %",
    }
    assert parts <= notes if why else not parts & notes
    value, ratio = built.cells[0][2], built.cells[0][3]
    assert (value.notes, bool(ratio.notes)) == ((), why)
