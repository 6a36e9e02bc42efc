"""Where a footnote goes: to a number, to the head of a row, or into the caption."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from reportgen.core.model import Finding
from reportgen.core.rules import Rule
from reportgen.tables.assemble import build_tables
from reportgen.tables.expected import NO_FACTS
from reportgen.tables.results import Table
from tests.builders import published_run, table_spec

GAP = Finding("warning", Rule.PROTOCOL_GAP, "", "a gap")


def table(rows: int, without: int) -> Table:
    """Return a table of so many rows, the last of them without the note."""
    runs = [
        replace(published_run(devices=i, throughput=1.0 + i), findings=(GAP,) if i < rows - without else ())
        for i in range(rows)
    ]
    (made,) = build_tables(table_spec(rows=("devices",)), runs, NO_FACTS)
    return made


def marked(made: Table) -> int:
    return sum(bool(row.notes or cells[0].notes) for row, cells in zip(made.rows, made.cells, strict=True))


def test_a_note_of_all_numbers_is_in_the_caption() -> None:
    made = table(rows=3, without=0)
    assert made.caption[-1] == "a gap"
    assert (made.notes, marked(made)) == ({}, 0)


def test_a_note_of_all_rows_but_one_in_four_stays_in_the_caption_which_names_the_others() -> None:
    made = table(rows=8, without=2)
    assert made.caption[-1] == "a gap (except devices 6; devices 7)"
    assert (made.notes, marked(made)) == ({}, 0)


@pytest.mark.parametrize(("rows", "without"), [(3, 1), (8, 3), (100, 4)])
def test_a_note_that_more_rows_lack_is_at_its_numbers(rows: int, without: int) -> None:
    made = table(rows, without)
    assert not any("a gap" in text for text in made.caption)
    assert [note.text for note in made.notes.values()] == ["a gap"]
    assert marked(made) == rows - without


@pytest.mark.parametrize(
    ("with_gap", "text"),
    [
        ((4,), "a gap (1 of 7 repeats: r4)"),
        ((1, 7), "a gap (2 of 7 repeats: r1, r7)"),
        ((1, 2, 3, 4, 5, 6), "a gap (6 of 7 repeats: r1, r2, r3, r4 and 2 more)"),
        (range(1, 8), "a gap"),
    ],
)
def test_a_note_on_some_repeats_says_which(with_gap: Sequence[int], text: str) -> None:
    runs = [
        replace(
            published_run(throughput=1.0), id=f"r/{n}", repeat=n, findings=(GAP,) if n in with_gap else ()
        )
        for n in range(1, 8)
    ]
    (made,) = build_tables(table_spec(rows=()), runs, NO_FACTS)
    assert text in [note.text for note in (*made.notes.values(), *made.about)]
