"""Read a document by its name and content: Markdown with HTML tables inside, HTML, or CSV."""

from reportgen.audit.csv_tables import read_csv
from reportgen.audit.documents import MAX_DOCUMENT_CHARS, MAX_MARKDOWN_CHARS, MAX_TABLES, TextDocument
from reportgen.audit.html_tables import read_html
from reportgen.audit.markdown_tables import read_markdown
from reportgen.core.errors import RequestError

_CSV = (".csv", ".tsv")
_HTML = (".html", ".htm", ".xhtml")


def read_document(name: str, text: str) -> TextDocument:
    """Return the tables and sentences of a document.

    name  of the file; its extension says the format, Markdown if it is none that is known
    Raises RequestError for a document that is too long.
    """
    extension = f".{name.rpartition('.')[2].lower()}" if "." in name else ""
    is_csv = extension in _CSV
    is_html = extension in _HTML or text.lstrip()[:200].lower().startswith(("<!doctype html", "<html"))
    limit = MAX_DOCUMENT_CHARS if is_csv or is_html else MAX_MARKDOWN_CHARS
    if len(text) > limit:
        fact = f"has {len(text):,} characters, more than {limit:,}"
        raise RequestError(name, fact, "cut out the tables to audit")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if is_csv:
        return TextDocument(name, text, tuple(read_csv(text)))
    tables, sentences = read_html(text) if is_html else read_markdown(text)
    return TextDocument(name, text, tuple(tables[:MAX_TABLES]), tuple(sentences))
