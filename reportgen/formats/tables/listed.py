"""Turn the list tables of reStructuredText into Markdown: rows are items, and their cells are items of these.

.. list-table:: Title
   :header-rows: 1

   * - Model
     - Latency (ms)
   * - small
     - 3.25
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.formats.tables.heads import NUMBER_LIKE

_BEGIN = lazy_pattern(r"(?P<indent>[ \t]*)\.\. list-table::[ \t]*(?P<title>.*)")
_HEADS = lazy_pattern(r"\s*:header-rows:\s*(?P<count>[0-9]{1,2})\s*")
_CELL = lazy_pattern(r"\s*(?P<row>[*+-]\s+)?[*+-](?:\s+(?P<text>.*))?")


@dataclass(slots=True)
class _Rows:
    """The rows of one table: the place of each, and its cells. heads  rows of its header, if it is stated"""

    heads: int | None = None
    rows: list[tuple[int, list[str]]] = field(default_factory=list)

    def add(self, at: int, line: str) -> None:
        """Add a line of a table: an option, a cell, or more of the last cell."""
        cell = _CELL.fullmatch(line)
        if heads := _HEADS.fullmatch(line):
            self.heads = int(heads["count"])
        elif cell and (cell["row"] or self.rows):
            self.rows += [(at, [])] if cell["row"] else []
            self.rows[-1][1].append((cell["text"] or "").strip())
        elif self.rows and line.strip():
            cells = self.rows[-1][1]
            cells[-1] = f"{cells[-1]} {line.strip()}".strip()

    @property
    def has_header(self) -> bool:
        """Whether its first row is a header: it is stated, or none of its cells is a number."""
        first = self.rows[0][1] if self.rows else []
        return len(self.rows) > 1 and (
            self.heads > 0 if self.heads is not None else not any(map(NUMBER_LIKE.fullmatch, first))
        )


def as_markdown(lines: Sequence[str]) -> list[tuple[int, str]]:
    """Return (place from 0, text) of the lines, with list tables between bars."""
    written: list[tuple[int, str]] = []
    at = 0
    while at < len(lines):
        begin = _BEGIN.fullmatch(lines[at])
        end = _end(lines, at, len(begin["indent"])) if begin else at + 1
        written += _table(lines, at, end, begin["title"]) if begin else [(at, lines[at])]
        at = end
    return written


def _end(lines: Sequence[str], begin: int, indent: int) -> int:
    """Return the line after the directive that begins at a line: the next one that is not deeper."""
    deeper = (at for at in range(begin + 1, len(lines)) if lines[at].strip())
    return next((at for at in deeper if len(lines[at]) - len(lines[at].lstrip()) <= indent), len(lines))


def _table(lines: Sequence[str], begin: int, end: int, title: str) -> Iterator[tuple[int, str]]:
    """Yield the title and the rows of a table; those without a header have no name, and are not read."""
    table = _Rows()
    for at in range(begin + 1, end):
        table.add(at, lines[at])
    yield from ((begin, ""), (begin, title.strip()), (begin, ""))
    for number, (at, cells) in enumerate(table.rows if table.has_header else ()):
        texts = [cell.replace("|", "\\|") for cell in cells]
        yield at, f"| {' | '.join(texts)} |"
        if number == max(table.heads or 1, 1) - 1:
            yield at, "|---" * len(cells) + "|"
    yield end - 1, ""
