"""Read pipe tables and sentences from Markdown. HTML tables inside of it are left to `html_tables`.

Format: https://github.github.com/gfm/#tables-extension-. Code blocks and comments claim nothing.
"""

import html
import re
from dataclasses import dataclass, field
from itertools import pairwise

from reportgen.audit.documents import MAX_CELL_CHARS, MAX_CELLS, Sentence, TextCell, TextTable, rectangle

_DELIMITER = re.compile(r"\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*")
_HEADING = re.compile(r" {0,3}(#{1,6})[ \t\u00a0]+(.*?)[ \t#]*")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_TAG = re.compile(r"<[^<>]{0,300}>")
_BREAK = re.compile(r"<br ?/?>", re.IGNORECASE)
_NOTE = re.compile(r"\[\^[^\[\]]{1,40}\]|<sup>[^<>]{0,40}</sup>", re.IGNORECASE)
_IMAGE = re.compile(r"!\[[^\[\]]{0,200}\]\([^()]{0,500}\)")
_LINK = re.compile(r"\[([^\[\]]{0,300})\](?:\([^()]{0,500}\)|\[[^\[\]]{0,100}\])")
_EMPHASIS = re.compile(r"\*{1,3}|(?<!\w)_{1,3}|_{1,3}(?!\w)|`+|~~")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_BAR = re.compile(r"(?<!\\)\|")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z\[*_])")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_HTML_TABLE = re.compile(r"<table\b.*?(?:</table\s*>|\Z)", re.DOTALL | re.IGNORECASE)
_MAX_HEADINGS = 3


def plain(text: str) -> str:
    """Return the text of a cell or sentence without Markdown and HTML markup."""
    text = text[: 4 * MAX_CELL_CHARS]
    text = _NOTE.sub("", _IMAGE.sub("", text))
    text = _TAG.sub("", _BREAK.sub(" ", text))
    text = _LINK.sub(r"\1", text)
    # An escaped asterisk is a footnote mark; the others are emphasis.
    text = _EMPHASIS.sub("", _ESCAPE.sub(lambda match: f"\x00{match[1]}", text))
    return " ".join(html.unescape(text.replace("\x00", "")).split())[:MAX_CELL_CHARS]


@dataclass(slots=True)
class _MarkdownReader:
    """The state while the lines of a document are read."""

    tables: list[TextTable] = field(default_factory=list)
    sentences: list[Sentence] = field(default_factory=list)
    headings: dict[int, str] = field(default_factory=dict)
    paragraph: list[tuple[int, int, str]] = field(default_factory=list)
    last_text: str = ""
    cells: int = 0

    def context(self) -> tuple[str, ...]:
        """Return the headings above, and the paragraph directly before a table."""
        headings = [self.headings[level] for level in sorted(self.headings)][-_MAX_HEADINGS:]
        return (*headings, *([self.last_text] if self.last_text else []))

    def heading(self, level: int, text: str) -> None:
        """Begin a section."""
        self.headings = {known: title for known, title in self.headings.items() if known < level}
        self.headings[level] = plain(text)
        self.last_text = ""

    def end_paragraph(self) -> None:
        """Cut the lines of a paragraph into sentences."""
        if not self.paragraph:
            return
        headings = tuple(self.headings[level] for level in sorted(self.headings))[-_MAX_HEADINGS:]
        for number, start, line in self.paragraph:
            position = 0
            for part in _SENTENCE_END.split(line):
                at = line.find(part, position)
                position = at + len(part)
                self.sentences.append(Sentence(part, number, start + at, headings))
        self.last_text = plain(" ".join(line for _, _, line in self.paragraph))
        self.paragraph = []


def read_markdown(text: str) -> tuple[list[TextTable], list[Sentence]]:
    """Return the pipe tables and the sentences of a document."""
    hidden = _HTML_TABLE.sub(_blank, blank_hidden(text))
    lines = hidden.split("\n")
    starts = _starts(lines)
    reader = _MarkdownReader()
    number, fence = 0, ""
    while number < len(lines):
        line = lines[number]
        match = _FENCE.match(line)
        if fence:
            fence = "" if match and match[1].startswith(fence) else fence
            number += 1
            continue
        if match:
            reader.end_paragraph()
            fence = match[1]
            number += 1
            continue
        if number + 1 < len(lines) and "|" in line and _is_delimiter(lines[number + 1]):
            reader.end_paragraph()
            number = _read_table(reader, lines, starts, number)
            continue
        _read_text(reader, line, number, starts[number])
        number += 1
    reader.end_paragraph()
    return reader.tables, reader.sentences


def blank_hidden(text: str) -> str:
    """Return a document with its comments replaced by spaces, so that places stay the same."""
    return _COMMENT.sub(_blank, text)


def _blank(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match[0])


def _starts(lines: list[str]) -> list[int]:
    starts, position = [], 0
    for line in lines:
        starts.append(position)
        position += len(line) + 1
    return starts


def _is_delimiter(line: str) -> bool:
    return (
        "-" in line
        and len(line) < 20_000
        and set(line.strip()) <= set("|:- \t\r")
        and bool(_DELIMITER.fullmatch(line.rstrip("\r")))
    )


def _read_text(reader: _MarkdownReader, line: str, number: int, start: int) -> None:
    if match := _HEADING.fullmatch(line.rstrip("\r")):
        reader.end_paragraph()
        reader.heading(len(match[1]), match[2])
    elif not line.strip():
        reader.end_paragraph()
    else:
        reader.paragraph.append((number + 1, start, line))


def _read_table(reader: _MarkdownReader, lines: list[str], starts: list[int], number: int) -> int:
    """Read the table whose head is at a line; return the number of the line after it."""
    context, first = reader.context(), number
    rows = [_cells(lines[number], number, starts[number])]
    number += 2
    while number < len(lines) and "|" in lines[number] and reader.cells < MAX_CELLS:
        # A table that repeats its own separator means nothing by it.
        if not _is_delimiter(lines[number]):
            rows.append(_cells(lines[number], number, starts[number]))
            reader.cells += len(rows[-1])
        number += 1
    width = len(rows[0])
    body = [row[:width] if len(row) > width else row for row in rows]
    reader.tables.append(TextTable(rectangle(body), 1, context, first + 1))
    reader.last_text = ""
    return number


def _cells(line: str, number: int, start: int) -> list[TextCell]:
    line = line.rstrip("\r")
    bars = [match.start() for match in _BAR.finditer(line)]
    edges = [-1, *bars, len(line)]
    if bars and not line[: bars[0]].strip():
        edges = edges[1:]
    if bars and not line[bars[-1] + 1 :].strip() and len(edges) > 2:
        edges = edges[:-1]
    cells = []
    for left, right in pairwise(edges):
        raw = line[left + 1 : right]
        inner = left + 1 + len(raw) - len(raw.lstrip())
        end = max(inner, left + 1 + len(raw.rstrip()))
        cells.append(TextCell(plain(raw), number + 1, start + inner, start + end))
    return cells
