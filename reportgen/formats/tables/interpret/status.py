"""Turn texts that say how a run ended into checks of the definition."""

import re
from collections.abc import Sequence
from dataclasses import replace

from reportgen.core import units
from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.metrics import metric_of
from reportgen.formats.tables.column_words import slug
from reportgen.formats.tables.derive import is_clock
from reportgen.formats.tables.interpret.cells import FAILED, OUT_OF_MEMORY, number_in, number_of
from reportgen.formats.tables.interpret.draft import Draft
from reportgen.formats.tables.interpret.figure_units import RANKS

_OUT_OF_MEMORY_WORDS = r"(?i)\boom\b|out[ _-]?of[ _-]?memory"
_GOOD = frozenset(
    (
        *("ok", "okay", "success", "successful", "succeeded", "pass", "passed", "complete", "completed"),
        *("done", "finished", "true", "valid", "yes", "0", "ran"),
    )
)
_CANCELLED = frozenset(("cancelled", "canceled", "aborted", "skipped", "skip"))
# "unsupported", "not_supported": what did not run.
_NOT_RUN = lazy_pattern(r"(?:un|not[ _-]?)(?:supported|applicable|available|implemented|run|tested)")
_DECIMALS = lazy_pattern(r"[0-9]\.([0-9]+)(?![0-9.])")
_EXPONENT = lazy_pattern(r"[0-9][eE][-+]?[0-9]")
# The smallest number beside one that was rounded to 0 is below this many of its last digit.
_MOST_ROUNDED = 10
# Of whole numbers, a median of 0 may be below a mean of 2.5.
_MOST_WHOLE = 3
# The digits of a number of JSON or with an exponent: a small one has as many as it needs.
_NO_LAST_DIGIT = 99
# The rank of a statistic that is not known.
_MIDDLE = RANKS["median"]
# Base units of what is never below 0.
_POSITIVE = ("s", "samples/s", "B/s", "FLOP/s", "B", "W", "J")
# A column with more different texts does not hold a status.
_MAX_WORDS = 20


def add_status(draft: Draft, column: str) -> None:
    """Add checks for the texts of a column that say how a run ended."""
    texts = list(dict.fromkeys(str(cell).strip() for cell in draft.known(column)))
    if len(texts) > _MAX_WORDS:
        draft.result.left_out[column] = "too many different texts for a status"
        draft.result.doubts.append("the status is unknown")
        return
    for text in texts:
        lower = text.lower()
        status = (
            "complete" if lower in _GOOD
            else "out_of_memory" if OUT_OF_MEMORY.fullmatch(text)
            else "cancelled" if lower in _CANCELLED or _NOT_RUN.fullmatch(lower)
            else "failed" if FAILED.fullmatch(text) or lower in ("false", "no", "1")
            else ""
        )  # fmt: skip
        if not status:
            draft.result.doubts.append(f'the status "{text[:40]}" is unknown')
            draft.result.notes.append(f'"{text[:40]}" in column "{column}" is read as a complete run')
        elif status != "complete":
            draft.result.checks.append(
                {
                    "column": column,
                    "equals": text,
                    "status": status,
                    "message": f"{slug(column)}: {text[:60]}",
                }
            )


def add_errors(draft: Draft, column: str) -> None:
    """Add checks for the rows that state an error."""
    message = f"{slug(column)}: {{{column}}}"
    texts = [str(cell).strip() for cell in draft.known(column)]
    if any(re.search(_OUT_OF_MEMORY_WORDS, text) for text in texts):
        draft.result.checks.append(
            {"column": column, "matches": _OUT_OF_MEMORY_WORDS, "status": "out_of_memory", "message": message}
        )
    if any(not re.search(_OUT_OF_MEMORY_WORDS, text) for text in texts):
        draft.result.checks.append(
            {"column": column, "missing": False, "status": "failed", "message": message}
        )


def _add_negative(draft: Draft, column: str, unit: str) -> None:
    """Say what numbers below 0 are of what is usually above: -1 for no value, or an offset."""
    read = [number_in(cell, unit) for cell in draft.known(column) if not isinstance(cell, list)]
    negative = {number[0] for number in read if number and number[0] < 0}
    if not negative or units.to_base(1.0, unit)[1] not in _POSITIVE:
        return
    draft.result.doubts.append(f'"{column}" has numbers below 0')
    own = [figure for figure in draft.result.figures if figure.column == column]
    is_mark = len(negative) == 1 and min(negative).is_integer()
    if not is_mark:
        draft.result.notes.append(f'"{column}" has numbers below 0: they are read')
        return
    draft.result.notes.append(f'"{column}" has numbers below 0: they say that there is no value')
    draft.result.figures = [
        replace(figure, zero="absent") if figure in own else figure for figure in draft.result.figures
    ]


def _add_zero(draft: Draft, column: str, unit: str) -> None:
    """Keep times and rates of 0, exact or less than their last digit, unless statistics contradict it."""
    known = [cell for cell in draft.known(column) if not isinstance(cell, list)]
    zero = next((cell for cell in known if (number := number_in(cell, unit)) and number[0] == 0), None)
    own = next(figure for figure in draft.result.figures if figure.column == column)
    base = units.to_base(1.0, unit)[1]
    if zero is None or not unit or not metric_of(own.metric, base).is_never_negative:
        return
    is_time = base == "s"
    draft.result.doubts.append(f'"{column}" has {"times" if is_time else "rates"} of 0')
    is_measured = not is_time or column in draft.answers or _is_measured(draft, column, unit)
    what = "not read: other statistics contradict it; if it was measured, state the unit"
    if is_measured:
        what = f"read as a {'time' if is_time else 'rate'} of 0, or less than its digits show"
    draft.result.notes.append(f'"{zero}" in column "{column}" is {what}')
    draft.result.figures = [
        replace(figure, zero="rounded" if is_measured else "absent") if figure.column == column else figure
        for figure in draft.result.figures
    ]


def _is_measured(draft: Draft, column: str, unit: str) -> bool:
    """Return whether times of 0 were measured: other statistics beside them are near the last digit, if any.

    The minimum of some times is 0 beside any others. A median of 0 beside a mean of 2.5 may be missing, and
    a maximum of 0 is, unless the mean would be rounded to 0, too.
    """
    known = [cell for cell in draft.known(column) if not isinstance(cell, list)]
    beside = _beside_zeros(draft, column, unit)
    own = next(figure for figure in draft.result.figures if figure.column == column)
    if own.statistic == "minimum" and all(beside):
        return True
    digit = units.to_base(_last_digit(known, unit), unit)[0]
    rank = RANKS.get(own.statistic, _MIDDLE)
    # A median of 0.0 may be far below its mean of 0.4; of whole numbers, 0 beside 9 was not measured.
    most = _MOST_ROUNDED if any(_digits(known, unit)) else _MOST_WHOLE
    # Beside a mean, a maximum says nothing about the median.
    lower = [[each for each in row if RANKS.get(each[1], _MIDDLE) <= _MIDDLE] or row for row in beside]
    return not any(
        time >= digit * (most if rank <= RANKS.get(statistic, _MIDDLE) else 1)
        for row in (lower if rank == _MIDDLE else beside)
        for time, statistic in row
    )


def _beside_zeros(draft: Draft, column: str, unit: str) -> list[list[tuple[float, str]]]:
    """Return the other statistics of each row with a time of 0, as (seconds above 0, statistic)."""
    figures = draft.result.figures
    own = next(figure for figure in figures if figure.column == column)
    same = replace(own, statistic="").kind
    others = [x for x in figures if replace(x, statistic="").kind == same and x.statistic != own.statistic]
    rows = [
        row.cells for row in draft.records if (zero := number_in(row.cells.get(column), unit)) and not zero[0]
    ]
    return [
        [
            (units.to_base(number[0], number[1] or x.unit)[0], x.statistic)
            for x in others
            if (number := number_in(cells.get(x.column), x.unit)) and number[0] > 0
        ]
        for cells in rows
    ]


def _last_digit(cells: Sequence[object], unit: str) -> float:
    """Return the last digit that numbers are printed with, in their unit."""
    return 10.0 ** -max(_digits(cells, unit))


def _digits(cells: Sequence[object], unit: str) -> list[int]:
    """Return how many digits each number has after the point."""
    return [_digits_of(cell) for cell in cells if number_in(cell, unit)]


def _digits_of(cell: object) -> int:
    if not isinstance(cell, str) or _EXPONENT.search(cell):
        return _NO_LAST_DIGIT
    match = _DECIMALS.search(cell)
    return len(match[1]) if match else 0


def add_faults(draft: Draft, column: str) -> None:
    """Add checks for texts such as OOM in place of numbers, and say which other cells are not numbers."""
    unit = next(figure.unit for figure in draft.result.figures if figure.column == column)
    known = [cell for cell in draft.known(column) if not isinstance(cell, list)]
    faults = dict.fromkeys(str(x).strip() for x in known if number_in(x, unit) is None)
    _add_negative(draft, column, unit)
    _add_zero(draft, column, unit)
    clock = next((str(x) for x in known if is_clock(str(x)) and number_in(x, unit)), "")
    if clock and column not in draft.answers and not draft.clock_of(column):
        draft.result.doubts.append(f'"{column}" has times with one colon beside plain numbers')
        draft.result.notes.append(f'"{clock}" in column "{column}" is read as minutes and seconds')
    for text in list(faults)[:_MAX_WORDS]:
        status = (
            "out_of_memory" if OUT_OF_MEMORY.fullmatch(text) else "failed" if FAILED.fullmatch(text) else ""
        )
        message = f"{slug(column)}: {text[:60]}"
        if not status:
            draft.result.doubts.append(f'"{text[:40]}" in "{column}" is not a number')
            why = f"not in {unit}" if number_of(text) else "not a number"
            remedy = f"; write it in {unit}, or in a column of its own" if number_of(text) and unit else ""
            draft.result.notes.append(f'"{text[:40]}" in column "{column}" is {why} and is not read{remedy}')
        elif not any(x["column"] == column and x.get("equals") == text for x in draft.result.checks):
            if _alone(draft, column, text):
                draft.result.checks.append(
                    {"column": column, "equals": text, "status": status, "message": message}
                )
            else:
                draft.result.notes.append(f'"{text[:40]}" in column "{column}": no value there')
                draft.result.doubts.append(f'"{text[:40]}" beside numbers')


def _alone(draft: Draft, column: str, text: str) -> bool:
    """Return whether rows with a text in a column have no numbers in other columns of figures."""
    others = {x.column: x.unit for x in draft.result.figures if x.column != column}
    rows = [record for record in draft.records if str(record.cells.get(column)).strip() == text]
    return not any(number_in(row.cells.get(name), unit) for row in rows for name, unit in others.items())
