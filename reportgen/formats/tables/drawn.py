"""Turn tables drawn with lines into Markdown, line by line: `+---+` between `|`, and box characters.

Programs print them with prettytable, tabulate, rich, MySQL and psql. A rule above the header goes, the one
below it becomes that of Markdown; a rule between or below rows stays one, which is not a row. A header of
several lines becomes one in the last of them.
"""

import re
from collections.abc import Sequence
from itertools import pairwise

from reportgen.core.lazy_pattern import lazy_pattern

# Letters that a terminal shows as wide as two others.
WIDE = lazy_pattern(
    "[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]"
)
_BARS = "│┃║"
_TO_BAR = str.maketrans(dict.fromkeys(_BARS, "|"))
# Box characters, or the ASCII that stands for them; dashes and bars alone are Markdown.
_RULE = lazy_pattern("[ \\t]*[\u2500-\u257f+|=:-][\u2500-\u257f+|=: -]*[-=\u2500-\u257f+|]\\s*")
# Two characters, of which the second looks back: so a search skips what begins neither.
_CORNER = lazy_pattern("[-=+─━═](?:(?<=[-=])\\+|(?<=\\+)[-=]|(?<=[─━═])[─━═])")
# A rule that is below some cells of a row, and not below those that go on.
_BELOW_SOME = lazy_pattern(r"\|[ \t]+[|+]")
# A rule without corners, above or below a line that begins with a bar.
_DASHES = lazy_pattern(r"[ \t]*[-=]{3,}\s*")


def as_markdown(lines: Sequence[str]) -> list[str]:
    """Return the lines with drawn tables as Markdown; all others, and their number, stay."""
    if not any(_CORNER.search(line) or _DASHES.fullmatch(line) for line in lines):
        return list(lines)
    bars = [_with_bars(line.translate(_TO_BAR)) for line in lines]
    are_rules = [_is_rule(bars, number, line) for number, line in enumerate(lines)]
    drawn: list[str] = []
    for number, line in enumerate(bars):
        above = bars[number - 1] if number and not are_rules[number - 1] else ""
        columns = above.strip().strip("|").count("|") + 1
        drawn.append(line if not are_rules[number] else "|---" * columns + "|" if "|" in above else "")
        if are_rules[number] and (top := _top_rule(bars, are_rules, number)) is not None:
            if _BELOW_SOME.search(line):
                are_rules[number] = False  # it is inside the header
                continue
            drawn[top + 1 : number] = _joined(bars[top + 1 : number])
    return drawn


def _with_bars(line: str) -> str:
    """Return a line with bars at the corners of a rule that is below some of its cells."""
    return line.replace("+", "|") if re.match(r"\s*\+ *[^\W_]", line) and _CORNER.search(line) else line


def _is_rule(bars: Sequence[str], number: int, line: str) -> bool:
    if _DASHES.fullmatch(line):
        return any(
            each.lstrip().startswith("|")
            for each in (*bars[max(number - 1, 0) : number], *bars[number + 1 : number + 2])
        )
    return bool(_CORNER.search(line) and _RULE.fullmatch(line))


def _top_rule(lines: Sequence[str], are_rules: Sequence[bool], rule: int) -> int | None:
    """Return the rule above the header that a rule ends; None if there is none, or rows are above it."""
    top = next((at for at in range(rule - 1, -1, -1) if are_rules[at] or "|" not in lines[at]), -1)
    has_header = 0 <= top < rule - 1 and are_rules[top]
    is_first = has_header and (top == 0 or not (are_rules[top - 1] or "|" in lines[top - 1]))
    return top if is_first else None


def _joined(lines: Sequence[str]) -> list[str]:
    """Return the lines of a header with all names in the last; a cell above several columns names each.

    Letters as wide as two move what is after them: then only the order of cells is certain.
    """
    cells = [[line[a:b] for a, b in _spans(line)] for line in lines]
    if len({len(each) for each in cells}) == 1:
        parts = [list(map(_text, each)) for each in zip(*cells, strict=True)]
    elif any(map(WIDE.search, lines)):
        return list(lines)
    else:
        parts = [[_above(line, (a + b) / 2) for line in lines] for a, b in _spans(lines[-1])]
    names = [" ".join(filter(None, texts)) for texts in parts]
    return [*[""] * (len(lines) - 1), f"| {' | '.join(names)} |"]


def _spans(line: str) -> list[tuple[int, int]]:
    """Return where the cells of a line begin and end."""
    bars = [match.start() for match in re.finditer(r"\||\+(?=[-=])|(?<=[-=])\+", line)]
    return [(a + 1, b) for a, b in pairwise(bars)]


def _above(line: str, place: float) -> str:
    """Return the text of the cell of a line at a place."""
    return next((_text(line[a:b]) for a, b in _spans(line) if a <= place <= b), "")


def _text(cell: str) -> str:
    """Return the text of a cell, "" for a part of a rule."""
    return "" if set(cell) <= set("-= ") else cell.strip()
