"""Turn tables whose columns blanks align into Markdown, as programs and pandas print them.

A rule of dashes or equals signs may end the header. Without a rule, the cells have to show that lines are a
table and not a log. Lines whose columns are not certain
stay as they are.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.formats.parsing.csv_cells import number
from reportgen.formats.tables.column_units import unit_of
from reportgen.formats.tables.column_words import meaning_of
from reportgen.formats.tables.derive import plain_text
from reportgen.formats.tables.drawn import WIDE
from reportgen.formats.tables.heads import is_measurement

_DASHES = str.maketrans(dict.fromkeys("─━═┄┈╌", "-"))
_RULE = lazy_pattern(r" *[-=]{2}[-= ]*")
# A number, or what stands for it.
_HAS_RESULT = lazy_pattern(r"[0-9]|(?<!\S)(?:OOM|N/A)(?!\S)")
_ELISION = lazy_pattern(r"[ .…]+")
# A comma or another separator, but for one in brackets: a line of CSV or LaTeX, or a sentence.
_OTHER = lazy_pattern(r"[;&|\t\\]|,(?![^()\[\]]*[)\]])|:(?: |$)")
_MAX_WIDTH = 1000
_MAX_HEADS = 3
_WITHIN_CELL = lazy_pattern(r" *[±…] *| \+/- ")
_MARK = "\0"
# A byte for each letter: 0 for a blank.
_TO_BITS = bytes(int(place != ord(" ")) for place in range(256))
# Headers that are tried, and the rows below them all; more rows of one without a rule are a log.
_MAX_TRIED = 200
_MAX_TRIED_ROWS = 20_000
_MAX_ROWS_WITHOUT_RULE = 2000

Table = tuple[tuple[str, ...], list[tuple[str, ...]]]


def as_markdown(lines: Sequence[str]) -> list[tuple[int, str]]:
    """Return (number from 1, text) of the lines, with the rows of aligned tables between bars.

    Without a rule below a header, that of Markdown has the number of the header.
    """
    plain = [line.rstrip().translate(_DASHES) for line in lines]
    written: dict[int, list[str]] = {}
    ends = _ends_of_blocks(plain)
    at = tried = tried_rows = 0
    while at < len(plain) and tried < _MAX_TRIED and tried_rows < _MAX_TRIED_ROWS:
        rows = None
        if _may_be_header(plain[at]) and (plain[at].startswith("  ") or " " in plain[at]):
            tried += 1
            tried_rows += min(ends[at] - at, _MAX_ROWS_WITHOUT_RULE)
            rows = _table_at(plain, at)
        if rows:
            written |= rows
        at = max(rows) + 1 if rows else at + 1
    return [(at + 1, text) for at, line in enumerate(lines) for text in written.get(at, [line])]


def _ends_of_blocks(lines: Sequence[str]) -> list[int]:
    """Return for each line where the lines around it end that have no empty one between them."""
    ends = [len(lines)] * len(lines)
    for at in range(len(lines) - 2, -1, -1):
        ends[at] = ends[at + 1] if lines[at] else at
    return ends


def _table_at(lines: Sequence[str], begin: int) -> dict[int, list[str]] | None:
    """Return the lines of Markdown for each line of the table whose header is at a line; None for others."""
    rule = next((at for at in range(begin + 1, begin + _MAX_HEADS + 1) if _is_rule(lines, at)), 0)
    for first in (rule,) if rule else (begin + 1, begin + 2):
        heads = lines[begin:first]
        below = _rows(lines, rule + 1 if rule else first, has_rule=rule > 0)
        body = list(below if rule else islice(below, _MAX_ROWS_WITHOUT_RULE + 1))
        is_log = not rule and len(body) > _MAX_ROWS_WITHOUT_RULE
        if not body or is_log or not all(map(_may_be_header, heads)):
            continue
        columns = _columns(heads, [lines[at] for at in body], lines[rule] if rule else "")
        if (
            columns
            and (rule or _is_certain(*columns))
            and not any(map(_are_signs, zip(*columns[1], strict=True)))
        ):
            names, rows = columns
            for at in range(begin - 1, max(begin - 1 - _MAX_HEADS, -1), -1):
                names = names if _is_rule(lines, at) else _with_groups(lines[at], names)
            line = "|---" * len(names) + "|"
            written = {at: [""] if at < first else [line] for at in range(begin, body[-1] + 1)}
            written[first - 1] = [_between_bars(names), *([] if rule else [line])]
            return written | {at: [_between_bars(row)] for at, row in zip(body, rows, strict=True)}
    return None


def _with_groups(line: str, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return names that repeat with the texts of the line above the header, one for each repetition."""
    groups = re.split(" {2,}", line.strip())
    for width in range(len(names) // len(groups), 0, -1):
        start = len(names) - width * len(groups)
        parts = [names[at : at + width] for at in range(start, len(names), width)]
        if len(groups) > 1 and len(set(parts)) == 1:
            repeated = (f"{group} {name}" for group, part in zip(groups, parts, strict=True) for name in part)
            return (*names[:start], *repeated)
    return names


def _between_bars(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _rows(lines: Sequence[str], first: int, *, has_rule: bool) -> Iterator[int]:
    """Yield the lines of rows, up to an empty line; without a rule above them, each has a number."""
    for at in range(first, len(lines)):
        line = lines[at]
        is_other = not line or len(line) > _MAX_WIDTH or "|" in line or "\t" in line
        if is_other or not (has_rule or _HAS_RESULT.search(line)):
            return
        if not _is_rule(lines, at) and not _ELISION.fullmatch(line):
            yield at


def _is_rule(lines: Sequence[str], at: int) -> bool:
    return at < len(lines) and bool(_RULE.fullmatch(lines[at]))


def _may_be_header(line: str) -> bool:
    """Return whether a line has words, few of them numbers, and no separator of another table."""
    words = line.split()
    if not words or len(line) > _MAX_WIDTH or _OTHER.search(line) or _RULE.fullmatch(line):
        return False
    return 2 * sum(1 for word in words if number(word) is not None) <= len(words)


def _is_certain(names: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Return whether lines without a rule are a table: lines of a log differ in their numbers alone.

    It has columns of numbers, numbers with units or the numbers of rows, or a metric with its unit.
    """
    columns = list(zip(*rows, strict=True))
    is_numbered = not names[0] and _are_numbered(columns[0])
    numbers = sum(1 for column in columns if all(number(cell) is not None for cell in column))
    has_units = any(map(_have_units, columns))
    is_log = any(_shape(name) == _shape(cell) != "" for name, cell in zip(names, rows[0], strict=True))
    if len(rows) < 2 or is_log or is_measurement(names) or any(number(name) is not None for name in names):
        return False
    return is_numbered or has_units or numbers > 1 or any(map(_is_metric, names))


def _are_signs(cells: Sequence[str]) -> bool:
    """Return whether a column has only signs between the numbers of one cell: "12 / 34"."""
    return set(cells) <= {"/", "|", "+", "±", "=", ":", "vs"}


def _is_metric(name: str) -> bool:
    meaning = meaning_of(name)
    return meaning.kind == "figure" and bool(meaning.metric and meaning.unit)


def _have_units(cells: Sequence[str]) -> bool:
    """Return whether the cells of a column are numbers with their units, but for half that have no number."""
    numbers = [cell for cell in cells if re.search("[0-9]", cell)]
    return 2 * len(numbers) >= len(cells) and all(map(_has_unit, numbers))


def _has_unit(cell: str) -> bool:
    """Return whether a cell is a number with its unit."""
    match = re.fullmatch(r"[+-]?[0-9][0-9.,]* ?([^\W\d]+(?:/s)?|%)", plain_text(cell))
    return bool(match and unit_of(match[1]))


def _shape(text: str) -> str:
    """Return a text with its numbers replaced, "" for one without numbers."""
    return re.sub(r"[0-9][0-9.,]*", "0", text) if re.search("[0-9]", text) else ""


def _columns(heads: Sequence[str], body: Sequence[str], rule: str) -> Table | None:
    """Return the names of columns and the cells of each row, None if columns are not certain.

    A column is below a group of dashes of the rule, or between places that are blank in all lines; two blanks
    separate the names of a header, or one if there are more columns. A cell that is too long moves those
    after it: then each row must have as many texts between two blanks as the header.
    """
    heads, body = list(map(_joined, heads)), list(map(_joined, body))
    lines = [*heads, *body]
    if any(map(WIDE.search, lines)):
        return _by_words(lines, " {2,}") if len(heads) == 1 else None
    groups = [group.start() for group in re.finditer("[-=]+", rule)][1:]
    if groups and not any(line[at - 1 : at].strip() for line in lines for at in groups):
        return _split(lines, len(heads), [0, *groups])
    for blanks in (2, 1):
        cuts = _cuts(heads, body, blanks)
        if len(cuts) > 1 and (columns := _split(lines, len(heads), cuts)):
            return columns
    if len(heads) > 1:
        return None
    # A name of several words has one blank in it where two separate names.
    return _by_words(lines, " {2,}" if "  " in heads[0].strip() else " +")


def _by_words(lines: Sequence[str], blanks: str) -> Table | None:
    """Return the texts between blanks if lines have equally many; a header of numbered rows has one less."""
    names, *rows = [tuple(map(_plain, re.split(blanks, line.strip()))) for line in lines]
    if _are_numbered([row[0] for row in rows]) and all(len(row) == len(names) + 1 for row in rows):
        names = ("", *names)
    is_full = len(names) > 1 and all(len(row) == len(names) for row in rows)
    return (names, rows) if is_full else None


def _are_numbered(cells: Sequence[str]) -> bool:
    return list(cells) == [str(number) for number in range(len(cells))]


def _joined(line: str) -> str:
    """Return a line with marks in place of the blanks around signs within a cell: `12.3 ±  0.4`."""
    return _WITHIN_CELL.sub(lambda match: match[0].replace(" ", _MARK), line)


def _plain(cell: str) -> str:
    return (re.sub(f"{_MARK}+", " ", cell) if _MARK in cell else cell).strip()


def _split(lines: Sequence[str], heads: int, cuts: Sequence[int]) -> Table | None:
    """Return names and rows of lines cut at places; None if a cell is two, or an inner column lacks some."""
    ends = [*cuts[1:], None]
    cells = [tuple(_plain(line[a:b]) for a, b in zip(cuts, ends, strict=True)) for line in lines]
    if any("  " in cell for line in cells for cell in line):
        return None
    above, below = list(zip(*cells[:heads], strict=True)), list(zip(*cells[heads:], strict=True))
    if not all(map(any, below)) or not all(map(any, above[1:-1])) or not _are_single(above):
        return None
    names = tuple(" ".join(filter(None, parts)) for parts in above)
    # Of two lines of a header, pandas names the index in the second, and prints each of its texts once.
    columns = [
        _down(x) if heads > 1 and not any(parts[:-1]) else x for parts, x in zip(above, below, strict=True)
    ]
    return names, list(zip(*columns, strict=True))


def _are_single(columns: Sequence[Sequence[str]]) -> bool:
    """Return whether a header names each column in one line, or all in the first, with units below them.

    A text above several columns is not below one of them.
    """
    are_named = all(sum(map(bool, parts)) <= 1 for parts in columns)
    units = [text for parts in columns for text in parts[1:] if text]
    return are_named or (
        all(parts[0] for parts in columns) and all(unit_of(text.strip("()[]")) for text in units)
    )


def _down(cells: Sequence[str]) -> tuple[str, ...]:
    """Return the cells of a column, each empty one with the text above it."""
    filled: list[str] = []
    for cell in cells:
        filled.append(cell or (filled[-1] if filled else ""))
    return tuple(filled)


def _cuts(heads: Sequence[str], body: Sequence[str], blanks: int) -> list[int]:
    """Return where columns begin: after places that are blank in all lines, among `blanks` in the header."""
    used = _used([*heads, *body])
    header = _used(heads).ljust(len(used))
    wide = [gap.span() for gap in re.finditer(" +", header)]
    wide = [(a, b) for a, b in wide if b - a >= blanks or a == 0 or b == len(header)]
    gaps = [gap.span() for gap in re.finditer("(?<=x) +", used)]
    gaps = [(a, b) for a, b in gaps if any(c <= a and b <= d for c, d in wide)]
    begins, ends = [0, *(b for _, b in gaps)], [*(a for a, _ in gaps), len(used)]
    return _paired(list(zip(begins, ends, strict=True)), header, _used(body))


def _used(lines: Sequence[str]) -> str:
    """Return a line with an x at each place where a line has a letter."""
    used = 0
    for line in lines:
        used |= int.from_bytes(line.encode("latin-1", "replace").translate(_TO_BITS), "little")
    places = used.to_bytes(max(map(len, lines)), "little")
    return "".join("x" if place else " " for place in places)


def _paired(spans: Sequence[tuple[int, int]], header: str, body: str) -> list[int]:
    """Return where columns begin; a name and cells that are not below each other are one column.

    That is certain if the spans beside both have a name and cells; otherwise there are no columns. Cells
    without a name one blank after others are their units.
    """
    kinds = [("h" if header[a:b].strip() else "") + ("b" if body[a:b].strip() else "") for a, b in spans]
    cuts: list[int] = []
    at = 0
    while at < len(spans):
        run = at + 1
        while (
            run < len(spans) and len(kinds[run - 1]) == len(kinds[run]) == 1 and kinds[run - 1] != kinds[run]
        ):
            run += 1
        if run - at > 2:
            return []
        is_unit = kinds[at] == "b" and run - at == 1 and at > 0 and spans[at][0] - spans[at - 1][1] == 1
        cuts += [] if is_unit else [spans[at][0] if at else 0]
        at = run
    return cuts
