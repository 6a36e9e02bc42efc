"""Turn tables drawn with lines into Markdown, line by line: `+---+` between `|`, and box characters.

Programs print them with prettytable, tabulate, rich, MySQL and psql. A rule above the header goes, the one
below it becomes that of Markdown; a rule between or below rows stays one, which is not a row.
"""

import re
from collections.abc import Sequence

_BARS = "│┃║"
_TO_BAR = str.maketrans(dict.fromkeys(_BARS, "|"))
# Box characters, or the ASCII that stands for them; dashes and bars alone are Markdown.
_RULE = re.compile("[ \\t]*[\u2500-\u257f+|=:-][\u2500-\u257f+|=: -]*[-=\u2500-\u257f+|]\\s*")
_CORNER = re.compile("[-=]\\+|\\+[-=]|[─━═]{2}")


def as_markdown(lines: Sequence[str]) -> list[str]:
    """Return the lines with drawn tables as Markdown; all others, and their number, stay."""
    if not any(map(_CORNER.search, lines)):
        return list(lines)
    bars = [line.translate(_TO_BAR) for line in lines]
    are_rules = [bool(_CORNER.search(line) and _RULE.fullmatch(line)) for line in lines]
    drawn: list[str] = []
    for number, line in enumerate(bars):
        above = bars[number - 1] if number and not are_rules[number - 1] else ""
        columns = above.strip().strip("|").count("|") + 1
        drawn.append(line if not are_rules[number] else "|---" * columns + "|" if "|" in above else "")
    return drawn
