"""Say what a cell of unknown origin is: a number with its unit, or a text that says that a run failed."""

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.formats.parsing import json_values
from reportgen.formats.parsing.csv_cells import quantity
from reportgen.formats.tables.column_units import unit_of_cell
from reportgen.formats.tables.derive import (
    duration,
    is_missing,
    money,
    numeric,
    plain_text,
    spelled,
    with_own_unit,
    without_unit,
)

OUT_OF_MEMORY = lazy_pattern(r"(?i)(?:cuda |gpu )?(?:oom|out[ -_]of[ -_]memory).{0,40}")
FAILED = lazy_pattern(
    r"(?i)x|(?:fail(?:ed|ure)?|error|err|crash(?:ed)?|timeout|timed out|killed|exception|invalid"
    r"|dnf)\b.{0,40}"
)
_NOTHING = lazy_pattern(
    r"(?i)(?:(?:does|did|do|could|can|will|would|was)(?: not|n['\u2019]t)|won['\u2019]t|can(?:not|['\u2019]t)"
    r"|unsupported|untested|too (?:large|big|long|slow)|skipped|todo|pending"
    r"|not (?:enough|supported|applicable|available|run|tested|measured))\b.{0,40}"
)
# "> 10 min", "<0.1": a run that was stopped, or a number below what can be measured.
_BOUND = lazy_pattern(r"(?:[<>]=?|[\u2264\u2265])\s*[0-9].{0,40}")


def number_of(cell: object) -> tuple[float, str] | None:
    """Return (number, unit) of a cell, None if it is not a number."""
    if isinstance(cell, bool) or is_missing(cell) or isinstance(cell, (list, dict)):
        return None
    if not isinstance(cell, str):
        return (float(cell), "") if json_values.is_number(cell) else None
    text = plain_text(cell)
    known = quantity(text, "") or duration(text) or money(text)
    if known:
        return known
    if own := with_own_unit(text):
        return numeric(own[0]), own[1]
    value = numeric(cell)
    return (value, "") if value == value and abs(value) != float("inf") else None


def number_in(cell: object, unit: str) -> tuple[float, str] | None:
    """Return (number, unit) of a cell of a figure, also in a form that only its unit has.

    None for a cell with a unit of another quantity. A cell of a rate may leave out the second: 12.5 MB.
    """
    known = number_of(cell)
    if known is None and isinstance(cell, str):
        known = number_of(without_unit(cell.strip(), unit)) or spelled(cell.strip(), unit)
    is_other = known and known[1] and unit and known[1] != unit
    if known and is_other and not unit_of_cell(known[1], unit):
        return None
    return known


def text_of(cell: object) -> str:
    """Return the text of a cell, "" if there is none."""
    return "" if cell is None else str(cell).strip()


def is_fault(cell: object) -> bool:
    """Return whether a cell is a number, or says that there is none: a run failed, or it has only a bound."""
    text = str(cell).strip()
    is_text = any(each.fullmatch(text) for each in (OUT_OF_MEMORY, FAILED, _BOUND, _NOTHING))
    return is_text or number_of(cell) is not None
