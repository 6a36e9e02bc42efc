"""Say what a file is that is neither a table nor a log of steps, and in which form it can be read."""

import re
from collections import Counter

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.formats.detection import detect
from reportgen.formats.tables.find_tables import find_tables
from reportgen.sources.logfiles import LogFiles

GUIDE = "docs/how-to/read-a-table.md"
_LABEL = lazy_pattern(r"(?m)^[ \t]*([A-Za-z][A-Za-z _-]{2,40}?) ?[:=] *[0-9].*$")
_NUMBER = lazy_pattern(r"[0-9][0-9.,]*(?: [0-9]{3})*")
_MIN_LABELS = _MIN_ROWS = 3


def known_already(files: LogFiles) -> tuple[str, str] | None:
    """Return (fact, remedy) of a file (a view of one) without a table that a format reads; None of others."""
    known = detect(files.with_settings({}))
    if known is None:
        return None
    fact = f"{known.format.name} reads this file without a definition"
    return fact, f"see: reportgen runs {files.source(files.path).path}"


def refusal(files: LogFiles) -> tuple[str, str] | None:
    """Return (fact, remedy) of a file (a view of one) that no definition is proposed for; None if unknown."""
    text = files.head(files.path).decode("utf-8", "replace").replace("\r", "")
    return _blocks(text) or (None if find_tables(files) else _fixed_width(text))


def _blocks(text: str) -> tuple[str, str] | None:
    """Return what a text is whose labels come again and again, equally often."""
    labels = Counter(match[1] for match in _LABEL.finditer(text))
    often = Counter(count for count in labels.values() if count > 1).most_common(1)
    if not often or often[0][1] < _MIN_LABELS:
        return None
    shown = next(label for label, count in labels.items() if count == often[0][0])
    fact = f'{often[0][0]} blocks of lines with a label and a number, such as "{shown}"'
    return fact, f'write [table] with kind = "block" by hand, see {GUIDE}'


def _fixed_width(text: str) -> tuple[str, str] | None:
    """Return what a text is whose lines have cells between at least two blanks, the last ones numbers."""
    rows = [cells for line in text.split("\n") if len(cells := re.split(" {2,}", line.strip())) > 3]
    are_numbers = [all(map(_NUMBER.fullmatch, cells[-2:])) for cells in rows]
    if sum(are_numbers) < _MIN_ROWS:
        return None
    fact = "a table of fixed width whose header and rows do not fit"
    return fact, f"write it as CSV or Markdown, with a row for each case, see {GUIDE}"
