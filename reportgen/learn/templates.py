"""Find the templates of a log's lines: their words, with the numbers taken out.

Lines that differ only in numbers, dates, progress bars and white space have one template; its columns are the
values in these slots. Only the first megabytes of a log are searched: a log that repeats does so early.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal

from reportgen.core.lazy_pattern import lazy_pattern

Kind = Literal["number", "date", "clock", "bar"]

MAX_TEXT_CHARS = 4 * 2**20
_MAX_LINE_CHARS = 2000
_MAX_SLOTS = 60
_MAX_ROWS = 5000
_TOKEN = lazy_pattern(
    r"(?P<date>\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[-+]\d\d:?\d\d)?)"
    r"|(?P<clock>(?<![\d.])\d{1,3}:\d\d(?::\d\d)?(?:[.,]\d+)?(?![\d:]))"
    r"|(?P<bar>\|[█▏▎▍▌▋▊▉▐░▒▓#? ]{2,}\||\[[=>.#-]{3,}\])"
    r"|(?P<number>(?:(?<![\w.)\]])[-+])?(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?(?:[eE][-+]?\d+)?"
    r"|(?<![A-Za-z])(?:nan|NaN|inf|Inf)(?![A-Za-z]))",
    re.ASCII,
)
# White space within a line for the engine of the patterns.
BLANK = " \t\f"
_SPACE = lazy_pattern(f"[{BLANK}]+")
_COUNT = lazy_pattern(r"\d{1,15}|\d{1,3}(?:,\d{3}){1,4}", re.ASCII)
_MIN_VALUES = 3
_MAX_FALL_SHARE = 0.2
# Elapsed time rises from line to line; the noise of step times rises in half of the lines.
_MIN_GROWING = 10
_MIN_RISE_SHARE = 0.9
_MAX_RESTART_SHARE = 0.02


@dataclass(slots=True)
class LineTemplate:
    """A kind of line: n slots with n + 1 literals around them.

    literals  with white space collapsed, and stripped beside slots
    count     number of lines; rows, raws  cells and unchanged literals of the first of them
    """

    literals: tuple[str, ...]
    kinds: tuple[Kind, ...]
    count: int = 0
    rows: list[tuple[str, ...]] = field(default_factory=list)
    raws: list[tuple[str, ...]] = field(default_factory=list)
    example: str = ""

    def column(self, slot: int) -> list[str]:
        """Return the cells of one slot."""
        return [row[slot] for row in self.rows]

    def numbers(self, slot: int) -> list[float]:
        """Return the finite numbers of one slot in the order of the log."""
        if self.kinds[slot] != "number":
            return []
        return [float(cell.replace(",", "")) for cell in self.column(slot) if cell[-1].isdigit()]

    def are_counts(self, slot: int) -> bool:
        """Return whether all cells are whole numbers."""
        return self.kinds[slot] == "number" and all(_COUNT.fullmatch(cell) for cell in self.column(slot))

    def grows(self, slot: int) -> bool:
        """Return whether numbers grow; they may repeat (ranks) and fall now and then (epochs)."""
        values = self.numbers(slot)
        falls = sum(after < before for before, after in pairwise(values))
        return len(set(values)) >= _MIN_VALUES and falls <= _MAX_FALL_SHARE * len(values)

    def never_falls(self, slot: int) -> bool:
        """Return whether numbers never fall, as elapsed time does."""
        values = self.numbers(slot)
        return len(set(values)) >= _MIN_VALUES and values == sorted(values)

    def accumulates(self, slot: int) -> bool:
        """Return whether numbers only grow, as elapsed time does; it may start again now and then."""
        values = self.numbers(slot)
        rises = sum(after > before for before, after in pairwise(values))
        falls = sum(after < before for before, after in pairwise(values))
        is_rare = falls <= max(1, _MAX_RESTART_SHARE * len(values))
        grows = len(values) >= _MIN_GROWING and is_rare and rises >= _MIN_RISE_SHARE * (len(values) - 1)
        return grows or self.never_falls(slot)

    def growth(self, slot: int) -> float:
        """Return how much numbers grow in all, as a share of the largest: 1 for a time that starts at 0."""
        values = self.numbers(slot)
        largest = max(values, default=0.0)
        return (
            sum(max(after - before, 0.0) for before, after in pairwise(values)) / largest if largest else 0.0
        )

    def spellings(self, place: int) -> set[str]:
        """Return how the literal at a place is written, including white space."""
        return {raw[place] for raw in self.raws}


def find_templates(text: str) -> list[LineTemplate]:
    """Return the templates of all lines with a number, the most frequent first."""
    templates: dict[tuple[tuple[str, ...], tuple[Kind, ...]], LineTemplate] = {}
    for line in text[:MAX_TEXT_CHARS].split("\n"):
        if not 0 < len(line) <= _MAX_LINE_CHARS:
            continue
        raw, cells, kinds = _split(line)
        if not 0 < len(cells) <= _MAX_SLOTS:
            continue
        literals = tuple(_SPACE.sub(" ", part).strip(BLANK) for part in raw)
        new = LineTemplate(literals, kinds, example=line.strip())
        template = templates.setdefault((literals, kinds), new)
        template.count += 1
        if template.count <= _MAX_ROWS:
            template.rows.append(cells)
            template.raws.append(raw)
    return sorted(templates.values(), key=lambda template: (-template.count, template.literals))


def _split(line: str) -> tuple[tuple[str, ...], tuple[str, ...], tuple[Kind, ...]]:
    raw: list[str] = []
    cells: list[str] = []
    kinds: list[Kind] = []
    end = 0
    for token in _TOKEN.finditer(line):
        raw.append(line[end : token.start()])
        cells.append(token[0])
        kinds.append(_kind(token))
        end = token.end()
    return (*raw, line[end:]), tuple(cells), tuple(kinds)


def _kind(token: re.Match[str]) -> Kind:
    kinds: Sequence[Kind] = ("date", "clock", "bar")
    return next((kind for kind in kinds if token[kind]), "number")
