"""Write the tables and figures of a Markdown page: open, folded or as a line with a link.

Below a table is one line: what it measures, what all numbers have in common, and the names of the notes that
hold for all of it. The notes themselves are on the page once.
"""

import html
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from msgspec import structs

from reportgen.core.plain_text import one_line
from reportgen.document.model import Figure, Table
from reportgen.render.data import svg
from reportgen.render.grid.grid import Grid, GridNote, Item, lay_out, with_heads
from reportgen.render.grid.summary import alt_text
from reportgen.render.grid.table_result import result_text, title_of
from reportgen.render.markdown import table as markdown
from reportgen.render.markdown.fit_width import MAX_WIDTH
from reportgen.render.markdown.folding import MAX_TABLES, Form
from reportgen.render.markdown.notes import PageNotes
from reportgen.render.markdown.placing import PlacedFigure, PlacedTables, kept_rows
from reportgen.render.outputs import Content
from reportgen.render.text import escape
from reportgen.render.text.english import count, sentence

NOTES_TITLE = "Notes on the tables"
_NOTES_ANCHOR = "#notes-on-the-tables"

# Where a table is that the page does not show whole, by the name of its file.
TABLE_PAGE = "tables/*.md"

# What the line below a table says; an author's note has a line for itself.
_ON_LINE = ("measure", "constants")
_AUTHOR = "author"
# A section of the page has it whole.
_CONTRACT = "contract"


def fold(summary: str, *parts: str) -> str:
    """Return parts that the page folds; a summary is HTML: no Markdown inside."""
    return "\n\n".join(
        [f"<details>\n<summary>{html.escape(one_line(summary))}</summary>", *parts, "</details>"]
    )


@dataclass(frozen=True, slots=True, eq=False)
class TableBlocks:
    """The tables and figures of one page.

    links  that are on the page; said  the notes of authors that are on it
    """

    content: Content
    notes: PageNotes = field(default_factory=PageNotes)
    links: set[tuple[str, str]] = field(default_factory=set)
    said: set[str] = field(default_factory=set)

    def tables(self, placed: PlacedTables) -> Iterator[str]:
        """Yield the next tables of the page, with their figures."""
        if not placed.is_entry:
            yield from (self._one(*each) for each in _each(placed))
            return
        if len(placed.tables) > 1 and placed.forms[0] == "open":
            yield f"**{escape.markdown(title_of(placed.tables[0]))}**"
        yield from (self._shown(*each) for each in _each(placed) if each[-1] != "linked")
        yield from self._list(placed)

    def _one(self, table: Table, figures: Sequence[Figure], form: Form) -> str:
        if form != "linked":
            return self._shown(table, figures, form)
        return "\n\n".join([self._linked(table, figures), *self._author_notes(table)])

    def _list(self, placed: PlacedTables) -> Iterator[str]:
        """Yield the lines of the tables of an entry that are not on the page, folded."""
        linked = [(table, figures) for table, figures, form in _each(placed) if form == "linked"]
        if linked:
            is_brief = len(placed.tables) > MAX_TABLES
            lines = (f"- {self._linked(*each, is_brief=is_brief)}" for each in linked)
            more = "more table" if len(linked) < len(placed.tables) else "table"
            yield fold(count(len(linked), more), "\n".join(lines))
            yield from dict.fromkeys(note for table, _ in linked for note in self._author_notes(table))

    def _shown(self, table: Table, figures: Sequence[Figure], form: Form) -> str:
        shown = "\n\n".join([self._open(table), *map(self._drawing, figures)])
        return (
            shown
            if form == "open"
            else fold(f"{title_of(table)}: {result_text(self.content.report, table)}", shown)
        )

    def _linked(self, table: Table, figures: Sequence[Figure], *, is_brief: bool = False) -> str:
        """Return the line of a table that is not on the page: its result, and where it is."""
        result = f"{escape.link(title_of(table), self._page_of(table))}: "
        result += escape.markdown(result_text(self.content.report, table, is_brief=is_brief))
        return "; ".join([result, *(f"[figure]({self._svg(figure)})" for figure in figures)])

    def figure(self, placed: PlacedFigure) -> str:
        """Return the next figure that is not beside its table."""
        drawing = self._drawing(placed.figure)
        return drawing if placed.is_open else fold(f"Figure: {placed.figure.title}", drawing)

    def _page_of(self, table: Table) -> str:
        return TABLE_PAGE.replace("*", self.content.table_names[table.id])

    def _svg(self, figure: Figure) -> str:
        return svg.OUTPUT.path_of(self.content.figure_names[figure.id])

    def _drawing(self, figure: Figure) -> str:
        return f"![{escape.markdown(alt_text(figure))}]({self._svg(figure)})"

    def _open(self, table: Table) -> str:
        shown = _first_rows(table)
        grid = with_heads(lay_out(self.content.report, shown), self._with_new_link)
        self.notes.add(table.title, (*grid.notes, *_elsewhere(grid)))
        above = [markdown.rows(shown, grid), self._rest(table, shown), self._line(table, grid)]
        parts = [*above, *self._author_notes(table)]
        return "\n\n".join(filter(None, parts))

    def _author_notes(self, table: Table) -> list[str]:
        """Return the notes that the author of the definition added, unless they are on the page."""
        notes = [note.text for note in table.about if note.name == _AUTHOR and note.text not in self.said]
        self.said.update(notes)
        return [escape.paragraph(sentence(note)) for note in notes]

    def _with_new_link(self, item: Item) -> Item:
        link = (item.text, item.href)
        if link in self.links:
            return replace(item, href="")
        self.links.add(link)
        return item

    def _rest(self, table: Table, shown: Table) -> str:
        """Return where the rows are that a long table does not show."""
        rest = len(table.rows) - len(shown.rows)
        return f"[{rest:,} more rows]({self._page_of(table)})" if rest else ""

    def _line(self, table: Table, grid: Grid) -> str:
        marks = ", ".join(dict.fromkeys(note.mark for note in _elsewhere(grid)))
        notes = f"[Notes]({_NOTES_ANCHOR}): {marks}." if marks else ""
        texts = {note.mark: note.text for note in grid.about}
        measure, constants = (texts.get(mark, "") for mark in _ON_LINE)
        shown = _cut(constants, MAX_WIDTH - len(f"{measure}  Notes: {marks}."))
        return " ".join(filter(None, (escape.paragraph(measure), escape.markdown(shown), notes)))


def _each(placed: PlacedTables) -> Iterator[tuple[Table, Sequence[Figure], Form]]:
    for table, form in zip(placed.tables, placed.forms, strict=True):
        yield table, placed.figures.get(table.id, ()), form


def _cut(text: str, room: int) -> str:
    """Return a sentence that lists something with as many items as fit; index.html has it whole."""
    items = text.split(", ")
    for kept in range(len(items) - 1, -1, -1):
        if len(text) <= room:
            break
        text = f"{', '.join(items[:kept])}, ..." if kept else ""
    return text


def _elsewhere(grid: Grid) -> list[GridNote]:
    """Return the sentences about a table that the line below it only names."""
    return [note for note in grid.about if note.mark not in (*_ON_LINE, _AUTHOR, _CONTRACT)]


def _first_rows(table: Table) -> Table:
    """Return the table with as many rows as a page shows."""
    kept = kept_rows(table)
    if len(kept) == len(table.rows):
        return table
    return structs.replace(
        table, rows=tuple(table.rows[i] for i in kept), cells=tuple(table.cells[i] for i in kept)
    )
