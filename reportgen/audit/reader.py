"""Read a document by its name and content: Markdown with HTML tables inside, HTML, or CSV."""

import re

from reportgen.audit.csv_tables import read_csv
from reportgen.audit.documents import MAX_DOCUMENT_CHARS, Document, TextTable
from reportgen.audit.html_tables import read_html
from reportgen.audit.markdown_tables import blank_hidden, read_markdown

_CSV = (".csv", ".tsv")
_HTML = (".html", ".htm", ".xhtml")
_TABLE = re.compile(r"<table\b.*?(?:</table\s*>|\Z)", re.DOTALL | re.IGNORECASE)
_MAX_TABLES = 500


def read_document(name: str, text: str) -> Document:
    """Return the tables and sentences of a document.

    name  of the file; its extension says the format, Markdown if it is none that is known
    """
    text = text[:MAX_DOCUMENT_CHARS].replace("\r\n", "\n").replace("\r", "\n")
    extension = f".{name.rpartition('.')[2].lower()}" if "." in name else ""
    if extension in _CSV:
        return Document(name, text, tuple(read_csv(text)))
    if extension in _HTML or text.lstrip()[:200].lower().startswith(("<!doctype html", "<html")):
        tables, sentences = read_html(text)
        return Document(name, text, tuple(tables[:_MAX_TABLES]), tuple(sentences))
    tables, sentences = read_markdown(text)
    tables += _html_inside(text)
    ordered = sorted(tables[:_MAX_TABLES], key=lambda table: table.line)
    return Document(name, text, tuple(ordered), tuple(sentences))


def _html_inside(text: str) -> list[TextTable]:
    tables: list[TextTable] = []
    hidden = blank_hidden(text)
    for match in _TABLE.finditer(hidden):
        line = hidden.count("\n", 0, match.start()) + 1
        tables += read_html(
            match[0], offset=match.start(), line=line, context=_heading_above(hidden, match.start())
        )[0]
        if len(tables) > _MAX_TABLES:
            break
    return tables


def _heading_above(text: str, position: int) -> tuple[str, ...]:
    headings = re.findall(r"^#{1,6} +(.{1,200})$", text[max(0, position - 20_000) : position], re.MULTILINE)
    return tuple(headings[-2:])
