"""Find the shapes of a log's lines: their words, with the numbers taken out.

Lines that differ in their numbers, dates, progress bars and white space alone have one shape; its columns are
what stood in the places. Only the first megabytes of a log are looked at: a log that repeats does so early.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal

Kind = Literal["number", "date", "clock", "bar"]

MOST_TEXT = 4 * 2**20
_LONGEST_LINE = 2000
_MOST_SLOTS = 60
_MOST_ROWS = 5000
_TOKEN = re.compile(
    r"(?P<date>\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[-+]\d\d:?\d\d)?)"
    r"|(?P<clock>(?<![\d.])\d{1,3}:\d\d(?::\d\d)?(?:[.,]\d+)?(?![\d:]))"
    r"|(?P<bar>\|[█▏▎▍▌▋▊▉▐░▒▓#? ]{2,}\||\[[=>.#-]{3,}\])"
    r"|(?P<number>(?:(?<![\w.)\]])[-+])?(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?(?:[eE][-+]?\d+)?"
    r"|(?<![A-Za-z])(?:nan|NaN|inf|Inf)(?![A-Za-z]))",
    re.ASCII,
)
# What the engine of the patterns holds for white space within a line.
BLANK = " \t\f"
_SPACE = re.compile(f"[{BLANK}]+")
_COUNT = re.compile(r"\d{1,15}|\d{1,3}(?:,\d{3}){1,4}", re.ASCII)
_FEWEST_VALUES = 3
_MOST_FALLS = 0.2


@dataclass(slots=True)
class Shape:
    """Lines of one shape: n slots with n + 1 literals around them.

    literals  white space collapsed, none beside slots
    count     lines of the shape; rows, raws  cells and literals as they stood, of the first of them
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
        """Return the numbers of one slot in the order of the log, not NaN or infinite."""
        if self.kinds[slot] != "number":
            return []
        return [float(cell.replace(",", "")) for cell in self.column(slot) if cell[-1].isdigit()]

    def are_counts(self, slot: int) -> bool:
        """Tell whether all cells are whole numbers."""
        return self.kinds[slot] == "number" and all(_COUNT.fullmatch(cell) for cell in self.column(slot))

    def grows(self, slot: int) -> bool:
        """Tell whether numbers grow; they may stand still (ranks) and fall now and then (epochs)."""
        values = self.numbers(slot)
        falls = sum(after < before for before, after in pairwise(values))
        return len(set(values)) >= _FEWEST_VALUES and falls <= _MOST_FALLS * len(values)

    def never_falls(self, slot: int) -> bool:
        """Tell whether numbers grow all the way, as time since a start does."""
        values = self.numbers(slot)
        return len(set(values)) >= _FEWEST_VALUES and values == sorted(values)

    def spellings(self, place: int) -> set[str]:
        """Return how the literal at a place is written, white space and all."""
        return {raw[place] for raw in self.raws}


def shapes(text: str) -> list[Shape]:
    """Return the shapes of all lines with a number, the most frequent first."""
    found: dict[tuple[tuple[str, ...], tuple[Kind, ...]], Shape] = {}
    for line in text[:MOST_TEXT].split("\n"):
        if not 0 < len(line) <= _LONGEST_LINE:
            continue
        raw, cells, kinds = _split(line)
        if not 0 < len(cells) <= _MOST_SLOTS:
            continue
        literals = tuple(_SPACE.sub(" ", part).strip(BLANK) for part in raw)
        shape = found.setdefault((literals, kinds), Shape(literals, kinds, example=line.strip()))
        shape.count += 1
        if shape.count <= _MOST_ROWS:
            shape.rows.append(cells)
            shape.raws.append(raw)
    return sorted(found.values(), key=lambda shape: (-shape.count, shape.literals))


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
