"""Write a table as GitHub-flavoured Markdown in which a changed number changes one line.

GFM has one row of heads, so the levels of a head are joined by a space; qualifiers follow after `<br>`.
Columns are not padded: one wider number would change every line of its table. Footnotes have names, not
numbers: a new note would renumber the others. `fit_width` keeps a table within the width of a page.
"""

from collections.abc import Sequence

from reportgen.document.model import Document, Table
from reportgen.render.grid.grid import Align, Grid, GridNote, Item, head_paths, lay_out
from reportgen.render.markdown.fit_width import fitted
from reportgen.render.text import escape

# A footnote lists at most this many places.
MAX_PLACES = 3

_RULERS: dict[Align, str] = {"left": "---", "right": "---:"}


def table_markdown(document: Document, table: Table) -> str:
    """Return a table with its sentences and footnotes, without heading, ending in a line break."""
    grid = lay_out(document, table)
    parts = [rows(table, grid)]
    if grid.caption:
        parts.append(escape.paragraph(" ".join(grid.caption)))
    if grid.notes:
        parts.append("\n".join(map(note, sorted(grid.notes, key=lambda note: note.mark))))
    return "\n\n".join(parts) + "\n"


def note(note: GridNote) -> str:
    """Return a footnote as an item of a list."""
    return f"- {named(note)}"


def named(note: GridNote) -> str:
    """Return a footnote with its name and the places that it is about."""
    more = "; ..." if len(note.places) > MAX_PLACES else ""
    places = f" ({escape.markdown('; '.join(note.places[:MAX_PLACES]) + more)})" if note.places else ""
    return f"{note.mark}{places}: {escape.sentence(note.text)}"


def rows(table: Table, grid: Grid) -> str:
    """Return the table proper, in several tables if it is too wide, without line break at the end."""
    if not (grid.lead or grid.levels) or not grid.rows:
        return "No data."
    return "\n\n".join(_grid(part) for part in fitted(table, grid))


def _grid(grid: Grid) -> str:
    heads = [_item(item, grid) for item in grid.lead] + _flat_heads(grid)
    aligns = [item.align for item in grid.lead] + [item.align for item in grid.levels[-1]]
    body = [[_item(item, grid) for item in (*lead, *cells)] for lead, cells in grid.rows]
    return pipe_table(heads, body, aligns)


def pipe_table(heads: Sequence[str], body: Sequence[Sequence[str]], aligns: Sequence[Align]) -> str:
    """Return a table of Markdown texts."""
    return "\n".join(map(_line, [heads, [_RULERS[align] for align in aligns], *body]))


def _line(texts: Sequence[str]) -> str:
    return f"| {' | '.join(texts)} |"


def _flat_heads(grid: Grid) -> list[str]:
    """Return the head of each column on one line: its levels joined by spaces."""
    return [
        " ".join(
            [*(escape.link(item.text, item.href) for item in above if item.text), _item(lowest, grid)]
        ).strip()
        for *above, lowest in head_paths(grid)
    ]


def _item(item: Item, grid: Grid) -> str:
    """Return one item: the text with its link, interval and unit, names of footnotes, qualifiers."""
    shown = " ".join(
        part
        for part in (escape.link(item.text, item.href), item.sign, item.interval, escape.markdown(item.unit))
        if part
    )
    if item.notes:
        marks = {grid.notes[number - 1].mark for number in item.notes}
        # A page may break the line at the space.
        shown += f" <sup>{', '.join(sorted(marks))}</sup>"
    if item.qualifiers:
        shown += "<br>" + ", ".join(escape.markdown(text) for text in item.qualifiers)
    return shown
