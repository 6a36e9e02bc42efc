"""Read tables and sentences from Markdown: pipe tables as GitHub defines them, and HTML tables.

The tokens of markdown-it-py know their lines; the columns of cells are looked up in the source. Code blocks
and comments claim nothing. Of the whole document only blocks are parsed: markup inside a line is parsed where
its text is needed, and no more of it than a cell may have, so that hostile markup costs little.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import replace
from operator import attrgetter, itemgetter

from markdown_it import MarkdownIt
from markdown_it.token import Token

from reportgen.audit.documents import (
    MAX_CELL_CHARS,
    MAX_CELLS,
    MAX_TABLES,
    Sentence,
    TextCell,
    TextTable,
    line_starts,
    rectangle,
)
from reportgen.audit.html_tables import read_html
from reportgen.core.lazy_pattern import lazy_pattern

_BLOCKS = MarkdownIt("commonmark").enable("table").disable("inline")
_INLINE = MarkdownIt("commonmark").enable("strikethrough").disable("text_join")
_MAX_BRACKETS = 20  # The time for links grows with the square of their number.
_WITHOUT_LINKS = MarkdownIt("commonmark").enable("strikethrough").disable(["text_join", "link", "image"])
_NOTE = lazy_pattern(r"\[\^[^\[\]]{1,40}\]|<sup>[^<>]{0,40}</sup>", re.IGNORECASE)
_CODE_SPAN = lazy_pattern(r"`[^`\n]*<[^`\n]*`")
_SEPARATOR = lazy_pattern(r":?-+:?")
_SENTENCE_END = lazy_pattern(r"(?<=[.!?])(?<!\bvs\.)\s+(?=[A-Z\[*_])")
# Blocks of HTML without prose: tables, which are read as such, and parts that a page does not show.
_NO_PROSE = lazy_pattern(
    r"\s*<(?:!|/?(?:table|caption|thead|tbody|tfoot|t[rdh]|script|style|pre)\b)", re.IGNORECASE
)
_MAX_HEADINGS = 3
_CAPTION = lazy_pattern(r"[*_]*table\b[\w .]{0,8}:", re.IGNORECASE)
_HTML_HEADING = lazy_pattern(r"<h([1-6])\b[^<>]*>(.*?)</h\1\s*>", re.IGNORECASE | re.DOTALL)
_ESCAPED_ASTERISK = r"\*"  # the mark of a footnote; the other asterisks are emphasis


def read_markdown(text: str) -> tuple[list[TextTable], list[Sentence]]:
    """Return the tables, those in HTML too, and the sentences of a document."""
    reader = _MarkdownReader(text)
    tokens = iter(_BLOCKS.parse(text))
    for token in tokens:
        reader.read(token, tokens)
    html_tables, _ = read_html(reader.without_code(), is_part=True)
    tables = [*reader.tables, *map(reader.below_headings, html_tables)]
    return sorted(tables, key=attrgetter("line")), reader.sentences


def without_markup(text: str) -> str:
    """Return the text of a cell or sentence without Markdown and HTML markup."""
    text = _NOTE.sub("", text[: 4 * MAX_CELL_CHARS])
    parser = _INLINE if text.count("[") <= _MAX_BRACKETS else _WITHOUT_LINKS
    (inline,) = parser.parseInline(text)
    return " ".join("".join(map(_shown, inline.children or ())).split())[:MAX_CELL_CHARS]


def _shown(token: Token) -> str:
    if token.type == "html_inline":
        return " " if token.content.lower().startswith("<br") else ""
    if token.type in ("softbreak", "hardbreak"):
        return " "
    return "" if token.type == "image" or token.markup == _ESCAPED_ASTERISK else token.content


class _MarkdownReader:
    """The state while the tokens of a document are read."""

    def __init__(self, text: str) -> None:
        self.tables: list[TextTable] = []
        self.sentences: list[Sentence] = []
        self._lines, self._starts = text.split("\n"), line_starts(text)
        self._headings: dict[str, str] = {}
        self._sections: list[tuple[int, tuple[str, ...]]] = [(0, ())]
        self._last_text = self._above_list = ""
        self._table_end = -2
        self._code: list[tuple[int, int]] = []
        self._cells = 0

    def read(self, token: Token, following: Iterator[Token]) -> None:
        """Read a block, whose other tokens are the next ones of `following`."""
        if token.type == "heading_open":
            self._open_section(token.tag, next(following).content, _first_line(token))
        elif token.type == "paragraph_open":
            self._read_prose(next(following))
        elif token.type == "html_block":
            for level, title in _HTML_HEADING.findall(token.content):
                self._open_section(f"h{level}", title, _first_line(token))
            if not _NO_PROSE.match(token.content):
                self._read_prose(token)
        elif token.type in ("bullet_list_open", "ordered_list_open") and token.level == 0:
            self._above_list, self._last_text = self._last_text, ""
        elif token.type == "table_open":
            self._read_table(following)
        elif token.type in ("fence", "code_block") and token.map:
            self._code.append((token.map[0], token.map[1]))

    def _open_section(self, tag: str, title: str, line: int) -> None:
        above = {name: title for name, title in self._headings.items() if name < tag}
        self._headings = {**above, tag: without_markup(title)}
        self._sections.append((line, tuple(self._headings.values())[-_MAX_HEADINGS:]))
        self._last_text = ""

    def _read_prose(self, token: Token) -> None:
        """Cut the lines of a paragraph, or of a block of HTML, into sentences."""
        first, end = token.map or (0, 0)
        if self.tables and first - self._table_end <= 1 and _CAPTION.match(token.content):
            caption = without_markup(token.content)
            self.tables[-1] = replace(self.tables[-1], context=(*self.tables[-1].context, caption))
            return
        if _CAPTION.match(token.content):
            self._caption_list(without_markup(token.content), first)
        is_in_list = token.level > 1
        context = (*self._sections[-1][1], *((self._above_list,) if is_in_list and self._above_list else ()))
        for number in range(first, end):
            line, position = self._lines[number], 0
            for part in _SENTENCE_END.split(line):
                at = line.find(part, position)
                position = at + len(part)
                start = self._starts[number] + at
                self.sentences.append(Sentence(part, number + 1, start, context))
        above = self._last_text if is_in_list else ""
        self._last_text = f"{above} {without_markup(token.content)}".strip()[:MAX_CELL_CHARS]

    def _caption_list(self, caption: str, line: int) -> None:
        """Give the caption below a list to the sentences of the list."""
        first = self._sections[-1][0]
        for number, each in enumerate(self.sentences):
            if first < each.line <= line:
                self.sentences[number] = replace(each, context=(*each.context, caption))

    def _read_table(self, tokens: Iterator[Token]) -> None:
        rows: list[list[TextCell]] = []
        contents: list[str] = []
        number = 0
        for token in tokens:
            if token.type == "table_close":
                break
            if token.type == "tr_open":
                number, contents = _first_line(token), []
            elif token.type == "inline":
                contents.append(token.content)
            # A table that repeats its own separator means nothing by it.
            elif token.type == "tr_close" and not all(map(_SEPARATOR.fullmatch, contents)):
                self._cells += len(contents)
                if self._cells <= MAX_CELLS and len(self.tables) < MAX_TABLES:
                    rows.append(list(self._row(number, contents)))
        self._table_end = number + 1
        if rows:
            context = (*self._sections[-1][1], *([self._last_text] if self._last_text else []))
            self.tables.append(TextTable(rectangle(rows), 1, context, rows[0][0].line))
        self._last_text = ""

    def _row(self, number: int, contents: Sequence[str]) -> Iterator[TextCell]:
        """Yield the cells of a line, each found behind the bar that ends the one before it."""
        line, start = self._lines[number], self._starts[number]
        before = re.match(r"[\s>]*\|?", line)
        position = before.end() if before else 0
        for content in contents:
            written = content.replace("|", r"\|")
            at = line.find(written, position) if written else position
            at = position if at < 0 else at
            end = min(at + len(written), len(line))
            yield TextCell(without_markup(content), number + 1, start + at, start + end)
            position = line.find("|", end) + 1 or len(line)

    def without_code(self) -> str:
        """Return the document with blanks for its code, so that places stay the same."""
        lines = list(self._lines)
        for first, end in self._code:
            lines[first:end] = [" " * len(line) for line in lines[first:end]]
        return _CODE_SPAN.sub(lambda match: " " * len(match[0]), "\n".join(lines))

    def below_headings(self, table: TextTable) -> TextTable:
        """Return a table of HTML with the headings of the section that it is in."""
        section = bisect_left(self._sections, table.line - 1, key=itemgetter(0)) - 1
        _, headings = self._sections[max(section, 0)]
        return replace(table, context=(*headings, *table.context))


def _first_line(token: Token) -> int:
    """Return the index of the first line of a block."""
    return token.map[0] if token.map else 0
