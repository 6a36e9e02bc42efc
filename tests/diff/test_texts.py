"""Texts of authors and figures in two states of a report."""

from typing import Any

from msgspec import structs

from reportgen.diff.texts import text_changes
from reportgen.document.model import Document, Figure, FigureKind, FigureSeries, Label, Note, Table, Template
from tests.diff.stored import number, report, table
from tests.each_of import each_row

SHOWN = table(number(1.0, {"model": "a"}), number(2.0, {"model": "b"}))
BARS = Figure(
    "f", "Times", FigureKind.BAR, table="times", series=(FigureSeries("s", ("a", "b"), (1.0, 2.0)),)
)
BASE = report(SHOWN, figures=(BARS,), prose=Template("One.\nTwo."), headline="Fast.")


def with_table(**fields: Any) -> Document:
    return structs.replace(BASE, tables=(structs.replace(SHOWN, **fields),))


def with_figure(**fields: Any) -> Document:
    return structs.replace(BASE, figures=(structs.replace(BARS, **fields),))


def relabelled() -> tuple[Any, ...]:
    return tuple(structs.replace(row, labels=(Label(f"{row.key[0]}!"),)) for row in SHOWN.rows)


@each_row(
    [
        (BASE, []),
        (structs.replace(BASE, headline="Slow."), []),
        (structs.replace(BASE, headline_template=Template("Good.")), [("headline", "", "Good.")]),
        (structs.replace(BASE, title="B"), [("title", "Study", "B")]),
        (structs.replace(BASE, prose=Template("One.\nTen.")), [("text", "Two.", "Ten.")]),
        (structs.replace(BASE, prose=None), [("text", "One.", "")]),
        (with_table(title="T"), [("title of table times", "Times", "T")]),
        (with_table(about=(Note("N", name="author"), Note("M"))), [("notes of table times", "", "N")]),
        (with_table(rows=relabelled()[:1]), [("heading of a in table times", "a", "a!")]),
        (with_figure(title="F"), [("title of figure f", "Times", "F")]),
        (
            with_figure(series=(FigureSeries("s", ("a",), (1.0,)),)),
            [("figure f", "bar of times; s; a, b", "bar of times; s; a")],
        ),
        (structs.replace(BASE, tables=(SHOWN, Table("new", "New"))), []),
    ]
)
def test_which_texts_changed(new: Document, changes: list[tuple[str, str, str]]) -> None:
    assert [(each.what, each.old, each.new) for each in text_changes(BASE, new)] == changes
