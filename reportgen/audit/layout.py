"""Find out what the parts of a table are: headings, keys of rows, numbers.

A table becomes claims (numbers to be checked) and slots (a column of keys, a row of headings): each slot
gives every row or column a text that restricts which cases its numbers are about.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from reportgen.audit.documents import TextCell, TextTable
from reportgen.audit.hints import without_measure
from reportgen.audit.keys import KeyIndex, KeyMatch, Mask, factors_of_heading, squash
from reportgen.audit.numbers import (
    Number,
    has_decimal_comma,
    is_missing,
    parse_number,
    parse_numbers,
    unit_of_heading,
)

_MAX_HEAD_ROWS = 4
# The share of cells that must be numbers for a column to be one of numbers.
_NUMERIC_SHARE = 0.5
_MAX_ROWS = 5000
_MAX_COLUMNS = 200


@dataclass(frozen=True, slots=True)
class NumberClaim:
    """A number of a table, by row, column and position in its cell."""

    row: int
    column: int
    part: int
    number: Number
    cell: TextCell
    unit: str


@dataclass(frozen=True, slots=True)
class Slot:
    """Texts that say which cases rows (or columns) are about.

    is_row   whether there is a text for each row, else for each column
    cells    the cell of each row or column, None where it says nothing
    matches  what it means; None where it restricts nothing
    factors  of a slot of numbers: the factors that they may be
    heading  of the column of keys
    is_context  whether a row of its own says it, for the rows below
    is_flag     whether the texts are "yes" and "no"
    """

    is_row: bool
    index: int
    heading: str
    cells: tuple[TextCell | None, ...]
    matches: tuple[KeyMatch | None, ...]
    factors: tuple[str, ...] = ()
    is_context: bool = False
    is_flag: bool = False

    def mask(self, at: int) -> Mask | None:
        """Return the cases that fit the text at a row or column."""
        match = self.matches[at]
        return None if match is None else match.mask


@dataclass(frozen=True, slots=True)
class TableLayout:
    """A table by its parts.

    heads     heading texts of each column, the outer first
    labels    texts of each row's keys
    """

    table: TextTable
    body: int
    slots: tuple[Slot, ...]
    claims: tuple[NumberClaim, ...]
    heads: tuple[tuple[str, ...], ...]
    labels: tuple[tuple[str, ...], ...]
    key_columns: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Parsed:
    """The numbers of every cell."""

    numbers: tuple[tuple[tuple[Number, ...], ...], ...]

    def share(self, table: TextTable, column: int, first: int) -> float:
        """Return which share of a column's cells are numbers, of those that say anything."""
        cells = [row[column] for row in table.rows[first:]]
        said = [number for number, cell in enumerate(cells) if not is_missing(cell.text)]
        if not said:
            return 0.0
        return sum(bool(self.numbers[first + number][column]) for number in said) / len(said)


def read_layout(table: TextTable, index: KeyIndex) -> TableLayout | None:
    """Return the parts of a table, None if it has no numbers."""
    if table.width > _MAX_COLUMNS or len(table.rows) > _MAX_ROWS + _MAX_HEAD_ROWS or len(table.rows) < 2:
        return None
    comma = has_decimal_comma(cell.text for row in table.rows for cell in row)
    parsed = _Parsed(
        tuple(tuple(tuple(parse_numbers(cell.text, comma=comma)) for cell in row) for row in table.rows)
    )
    body = _body_start(table, parsed)
    heads = _heads(table, body)
    rows = list(range(body, len(table.rows)))
    groups = _group_rows(table, rows)
    numeric = [parsed.share(table, column, body) >= _NUMERIC_SHARE for column in range(table.width)]
    slots = list(_row_slots(table, body, heads, numeric, parsed, index, groups))
    keys = tuple(slot.index for slot in slots if slot.index >= 0)
    texts = [column for column in range(table.width) if not numeric[column]]
    claims = tuple(_claims(table, body, heads, [*keys, *texts], groups, parsed))
    if not claims:
        return None
    slots += _column_slots(table, body, heads, {claim.column for claim in claims}, index)
    labels = _labels(table, body, sorted({*keys, *texts}))
    return TableLayout(table, body, tuple(slots), claims, heads, labels, keys)


def _body_start(table: TextTable, parsed: _Parsed) -> int:
    """Return the first row below the headings: rows of headings have words, or few numbers, above numbers."""
    body = table.head_rows
    if body == 0:
        body = 0 if any(parsed.numbers[0][1:]) else 1
    while body < min(_MAX_HEAD_ROWS, len(table.rows) - 1) and _is_heading(table, parsed, body):
        body += 1
    return body


def _is_heading(table: TextTable, parsed: _Parsed, row: int) -> bool:
    numeric = [
        column for column in range(table.width) if parsed.share(table, column, row + 1) >= _NUMERIC_SHARE
    ]
    if not numeric:
        return False
    cells = [table.rows[row][column] for column in numeric]
    said = [cell for cell in cells if cell.text]
    words = [cell for cell in said if not parse_numbers(cell.text) and not is_missing(cell.text)]
    if len(said) >= 2 and len(words) == len(said):
        return True
    above = [table.rows[row - 1][column].text for column in numeric] if row else []
    others = [table.rows[row][column].text for column in range(table.width) if column not in numeric]
    are_counts = all(re.fullmatch(r"\d{1,5}", cell.text) for cell in cells)
    repeats = len(set(above)) < len(above) or "" in above
    return bool(row) and are_counts and repeats and not any(others) and len(cells) > 1


def _heads(table: TextTable, body: int) -> tuple[tuple[str, ...], ...]:
    """Return the headings above each column; a blank one above others repeats its left neighbour."""
    levels: list[list[str]] = []
    for level in range(body):
        texts = [cell.text for cell in table.rows[level]]
        if level < body - 1:
            for column in range(1, len(texts)):
                below = any(table.rows[lower][column].text for lower in range(level + 1, body))
                texts[column] = texts[column] or (texts[column - 1] if below else "")
        levels.append(texts)
    return tuple(tuple(level[column] for level in levels) for column in range(table.width))


def _group_rows(table: TextTable, rows: Sequence[int]) -> dict[int, TextCell]:
    """Return row -> the label of the group that it is in, for tables with rows that hold one label only."""
    if table.width < 2:
        return {}
    groups: dict[int, TextCell] = {}
    label: TextCell | None = None
    for row in rows:
        cells = table.rows[row]
        texts = {cell.text for cell in cells if cell.text}
        is_label = (
            len(texts) == 1
            and bool(cells[0].text)
            and (all(not cell.text for cell in cells[1:]) or all(cell.is_repeated for cell in cells[1:]))
        )
        if is_label:
            label = cells[0]
        if label is not None:
            groups[row] = label
    return groups


def _row_slots(
    table: TextTable,
    body: int,
    heads: Sequence[tuple[str, ...]],
    numeric: Sequence[bool],
    parsed: _Parsed,
    index: KeyIndex,
    groups: dict[int, TextCell],
) -> Iterator[Slot]:
    size = len(table.rows) - body
    for column in range(table.width):
        heading = " ".join(dict.fromkeys(text for text in heads[column] if text))
        cells = _filled([table.rows[body + row][column] for row in range(size)], is_key=not numeric[column])
        if numeric[column] and (pair := _paired_slots(table, body, column, heading, parsed, index, groups)):
            yield from pair
            continue
        if numeric[column]:
            slot = _number_slot(
                column, heading, cells, [parsed.numbers[body + row][column] for row in range(size)], index
            )
        else:
            slot = _text_slot(column, heading, cells, index)
        if slot:
            yield slot
    if groups:
        own = tuple(groups.get(body + row) for row in range(size))
        matches = tuple(index.match(cell.text) if cell else None for cell in own)
        if any(matches):
            yield Slot(True, -1, "", own, matches, is_context=True)


def _paired_slots(
    table: TextTable,
    body: int,
    column: int,
    heading: str,
    parsed: _Parsed,
    index: KeyIndex,
    groups: dict[int, TextCell],
) -> tuple[Slot, ...]:
    """Return the slots of a column with two factors ("seq len / batch"): the group's and the row's number."""
    parts = re.split(r"\s*[/|\\,]\s*", heading)
    known = set(index.numeric_factors())
    factors = [tuple(factor for factor in factors_of_heading(part) if factor in known) for part in parts]
    if column or len(factors) != 2 or not factors[1] or not groups:
        return ()
    size = len(table.rows) - body
    labels = [groups.get(body + row) for row in range(size)]
    cells = [table.rows[body + row][column] for row in range(size)]
    slots = []
    for own, line in ((factors[0], labels), (factors[1], cells)):
        numbers = [parse_number(cell.text) if cell else None for cell in line]
        if own and not any(number and number.unit for number in numbers):
            matches = [index.match_number(own, number.value) if number else None for number in numbers]
            slots.append(Slot(True, column, "", tuple(line), tuple(matches), own, is_context=line is labels))
    return tuple(slots)


def _filled(cells: Sequence[TextCell], *, is_key: bool) -> list[TextCell]:
    """Return the cells; a blank key repeats the one above it."""
    if not is_key or not cells or not cells[0].text:
        return list(cells)
    filled: list[TextCell] = []
    for cell in cells:
        filled.append(cell if cell.text or not filled else filled[-1])
    return filled


def _number_slot(
    column: int, heading: str, cells: Sequence[TextCell], numbers: Sequence[Sequence[Number]], index: KeyIndex
) -> Slot | None:
    factors = factors_of_heading(heading) or _factors_named(heading, index)
    factors = tuple(factor for factor in factors if factor in set(index.numeric_factors()))
    is_plain = all(len(own) <= 1 and all(not each.unit for each in own) for own in numbers)
    if index.are_counts(factors):
        is_plain = is_plain and all(each.value.is_integer() for own in numbers for each in own)
    if not factors or not is_plain:
        return None
    # A blank count repeats the one above it, as merged cells do.
    places: list[int] = []
    for at, cell in enumerate(cells):
        places.append(at if cell.text or not places else places[-1])
    matches = tuple(
        index.match_number(factors, numbers[at][0].value)
        if numbers[at]
        else (index.match(cells[at].text) if cells[at].text else None)
        for at in places
    )
    return Slot(True, column, heading, tuple(cells[at] for at in places), matches, factors)


def _factors_named(heading: str, index: KeyIndex) -> tuple[str, ...]:
    name = squash(heading)
    return tuple(factor for factor in index.numeric_factors() if name and squash(factor) == name)


def _text_slot(column: int, heading: str, cells: Sequence[TextCell], index: KeyIndex) -> Slot | None:
    flags = [index.match_flag(heading, cell.text) for cell in cells] if heading else []
    if any(flags):
        return Slot(True, column, heading, tuple(cells), tuple(flags), is_flag=True)
    matches = [index.match(cell.text) if cell.text else None for cell in cells]
    if not any(matches):
        return None
    return Slot(True, column, heading, tuple(cells), _with_unknown(cells, matches, index))


def _with_unknown(
    cells: Sequence[TextCell], matches: Sequence[KeyMatch | None], index: KeyIndex
) -> tuple[KeyMatch | None, ...]:
    """Return the matches; beside texts that are known, one that no case knows fits no case."""
    nothing = KeyMatch(np.zeros(len(index.evidence.cases), dtype=bool), {}, exact=False)
    return tuple(
        match if match or not cell.text or is_missing(cell.text) else nothing
        for cell, match in zip(cells, matches, strict=True)
    )


def _column_slots(
    table: TextTable, body: int, heads: Sequence[tuple[str, ...]], columns: set[int], index: KeyIndex
) -> Iterator[Slot]:
    for level in range(body):
        texts = [heads[column][level] if column in columns else "" for column in range(table.width)]
        cells = [
            (table.rows[level][column] if table.rows[level][column].text else _left(table, level, column))
            if text
            else None
            for column, text in enumerate(texts)
        ]
        if factors := _counts_of(table, level, texts, columns, index):
            matches = [
                index.match_number(factors, parse_numbers(text)[0].value) if text else None for text in texts
            ]
            yield Slot(False, level, "", tuple(cells), tuple(matches), factors)
            continue
        names = [without_measure(text) for text in texts]
        matches = [index.match(name) if name else None for name in names]
        if any(matches):
            yield Slot(False, level, "", tuple(cells), _with_siblings(names, matches, index))


def _left(table: TextTable, level: int, column: int) -> TextCell | None:
    return next((table.rows[level][at] for at in range(column, -1, -1) if table.rows[level][at].text), None)


def _counts_of(
    table: TextTable, level: int, texts: Sequence[str], columns: set[int], index: KeyIndex
) -> tuple[str, ...]:
    """Return the factor of headings that are bare numbers: named at their left, or the likeliest."""
    own = [text for text in texts if text]
    if not own or not all(re.fullmatch(r"\d{1,7}", text) for text in own):
        return ()
    known = set(index.numeric_factors())
    first = min(columns)
    for column in range(first):
        corner = table.rows[level][column].text
        for part in (corner, *re.split(r"[\\/|>→]+| by | vs ", corner)):
            if factors := tuple(each for each in factors_of_heading(part) if each in known):
                return factors
    values = {float(text) for text in own}
    fitting = [
        factor
        for factor in ("devices", "batch_size", "seq_len", "nodes")
        if factor in known and all(_has(index, factor, value) for value in values)
    ]
    return tuple(fitting[:1])


def _has(index: KeyIndex, factor: str, value: float) -> bool:
    match = index.match_number((factor,), value)
    return bool(match and match.named[factor])


def _with_siblings(
    texts: Sequence[str], matches: Sequence[KeyMatch | None], index: KeyIndex
) -> tuple[KeyMatch | None, ...]:
    """Return the matches; a heading that no case knows fits none if most of its neighbours are keys."""
    distinct = {text: match for text, match in zip(texts, matches, strict=True) if text}
    keys = sum(match is not None for match in distinct.values())
    if keys * 2 <= len(distinct) or keys < 2:
        return tuple(matches)
    nothing = KeyMatch(np.zeros(len(index.evidence.cases), dtype=bool), {}, exact=False)
    return tuple(
        match if match or not text or unit_of_heading(text) else nothing
        for text, match in zip(texts, matches, strict=True)
    )


def _claims(
    table: TextTable,
    body: int,
    heads: Sequence[tuple[str, ...]],
    keys: Sequence[int],
    groups: dict[int, TextCell],
    parsed: _Parsed,
) -> Iterator[NumberClaim]:
    skipped = {
        *keys,
        *(column for column in range(table.width) if _is_counter(table, body, heads, column, parsed)),
    }
    units = [_unit(heads[column], table.context) for column in range(table.width)]
    for row in range(body, len(table.rows)):
        for column in range(table.width):
            cell = table.rows[row][column]
            if column in skipped or cell.is_repeated or groups.get(row) is cell:
                continue
            for part, number in enumerate(parsed.numbers[row][column]):
                unit = number.unit or (units[column] if not part else "")
                yield NumberClaim(row - body, column, part, number, cell, unit)


def _unit(heads: Sequence[str], context: Sequence[str]) -> str:
    return next((unit for text in reversed(heads) if (unit := unit_of_heading(text))), "")


def _is_counter(
    table: TextTable, body: int, heads: Sequence[tuple[str, ...]], column: int, parsed: _Parsed
) -> bool:
    """Return whether a column counts the rows: 0, 1, 2 or 1, 2, 3 without a heading."""
    if (
        squash(" ".join(heads[column])) not in ("", "num", "no", "index", "id", "row")
        or len(table.rows) - body < 2
    ):
        return False
    values = [numbers[column][0].value if numbers[column] else None for numbers in parsed.numbers[body:]]
    return values in ([float(i) for i in range(len(values))], [float(i + 1) for i in range(len(values))])


def _labels(table: TextTable, body: int, columns: Sequence[int]) -> tuple[tuple[str, ...], ...]:
    return tuple(
        tuple(row[column].text for column in columns if row[column].text) for row in table.rows[body:]
    )
