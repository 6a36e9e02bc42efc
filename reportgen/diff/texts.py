"""Compare the texts of two states of a report: what an author wrote, and which figures there are.

Numbers in a text come from cells, and move with them. The words around them are the author's: a pull request
that changes them moves no number, so they are named here.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import zip_longest

from reportgen.diff.cells import heading_text
from reportgen.document.model import Document, Figure, Header, Table

# The name of a sentence below a table that the definition contains.
_AUTHOR = "author"


@dataclass(frozen=True, slots=True)
class TextChange:
    """A text of the author, or a figure, that differs; "" on a side that lacks it.

    what  which text: `headline`, `title of table t`
    """

    report: str
    what: str
    old: str
    new: str


def text_changes(old: Document, new: Document) -> Iterator[TextChange]:
    """Yield the texts that differ: of the report, its tables and figures, then the headings."""
    tables = {table.id for table in old.tables} & {table.id for table in new.tables}
    texts, new_texts = _texts(old, tables), _texts(new, tables)
    for what in dict.fromkeys((*new_texts, *texts)):
        before, after = texts.get(what, ""), new_texts.get(what, "")
        if before != after:
            yield TextChange(new.name, what, *_first_difference(before, after))
    earlier = {what: text for table in old.tables for what, text in _headings(table)}
    for what, text in ((what, text) for table in new.tables for what, text in _headings(table)):
        if earlier.get(what, text) != text:
            yield TextChange(new.name, what, earlier[what], text)


def _first_difference(old: str, new: str) -> tuple[str, str]:
    """Return the first line of each side that the other has not at that place."""
    lines = zip_longest(old.splitlines(), new.splitlines(), fillvalue="")
    return next((pair for pair in lines if pair[0] != pair[1]), (old, new))


def _texts(report: Document, tables: Collection[str]) -> dict[str, str]:
    """Return the texts of the author, of these tables, and the figures by name."""
    texts = {"title": report.title}
    for what, template in (("headline", report.headline_template), ("text", report.prose)):
        if template:
            texts[what] = template.text
    for table in (table for table in report.tables if table.id in tables):
        texts[f"title of table {table.id}"] = table.title
        texts[f"notes of table {table.id}"] = "\n".join(n.text for n in table.about if n.name == _AUTHOR)
    for figure in report.figures:
        texts[f"title of figure {figure.id}"] = figure.title
        texts[f"figure {figure.id}"] = _content(figure)
    return texts


def _content(figure: Figure) -> str:
    """Return what a figure shows: its kind, table, series and, where they are cells, the places on x."""
    names = ", ".join(series.name for series in figure.series if series.name)
    parts = [f"{figure.kind} of {figure.table}", figure.y_title, names]
    if figure.kind.shows in ("cells", "pairs"):
        x = figure.categories or tuple(dict.fromkeys(str(x) for each in figure.series for x in each.x))
        parts.append(", ".join(x))
    return "; ".join(part for part in parts if part)


def _headings(table: Table) -> Iterator[tuple[str, str]]:
    """Yield what a row or column is about, by its factors, with its heading."""
    for names, heads in ((table.row_factors, table.rows), (table.column_factors, table.columns)):
        for head in heads:
            factors = dict(zip(names, head.key, strict=False))
            if factors and not head.is_mean:
                yield f"heading of {heading_text(factors)} in table {table.id}", _words(head)


def _words(head: Header) -> str:
    return ", ".join(label.text for label in head.labels)
