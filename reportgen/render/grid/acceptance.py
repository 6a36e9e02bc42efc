"""The results of acceptance as texts, once for Markdown and HTML."""

from collections.abc import Iterator
from dataclasses import dataclass

from reportgen.core import units
from reportgen.core.metrics import metric_of
from reportgen.core.units import Unit
from reportgen.document.model import Acceptance, AcceptedCell, RatioBounds
from reportgen.document.texts import unit_label

HEADS = ("Rule", "Cell", "Measured", "Reference", "Ratio", "Result")


@dataclass(frozen=True, slots=True)
class AcceptanceLine:
    """One line of the table of an entry: texts in the order of HEADS, and whether the rule holds."""

    texts: tuple[str, ...]
    is_pass: bool


def heading(entry: Acceptance) -> str:
    """Return the title with the result, how the rules belong together, and whether they judge all cases."""
    together = "one of these rules must hold" if entry.is_any else "all of these rules must hold"
    said = [together] * (len(entry.rules) > 1) + [entry.coverage] * bool(entry.coverage)
    return f"{entry.title}: {entry.outcome}" + (f" ({'; '.join(said)})" if said else "")


def lines(entry: Acceptance) -> Iterator[AcceptanceLine]:
    """Yield the lines of an entry; a rule without a cell has one too."""
    for rule in entry.rules:
        for cell in rule.cells:
            ratio = "-" if cell.ratio is None else ratio_text(cell.ratio, rule.bounds)
            result = f"{cell.outcome}: {cell.reason}" if cell.reason else cell.outcome
            texts = (rule.text, cell.place, *_values(cell), ratio, result)
            yield AcceptanceLine(texts, cell.outcome == "pass")
        if not rule.cells:
            yield AcceptanceLine((rule.text, "-", "-", "-", "-", "not evaluated: no cell"), False)


def ratio_text(ratio: float, bounds: RatioBounds) -> str:
    """Return the ratio with 3 digits, or with as many as it needs to stay on its side of the bounds."""
    for digits in range(3, 15):
        shown = units.text(ratio, digits=digits)
        if bounds.include(float(shown.replace(",", ""))) == bounds.include(ratio):
            return shown
    return repr(ratio)


def _values(cell: AcceptedCell) -> tuple[str, str]:
    """Return the measured value and its reference in one unit."""
    if cell.value is None or cell.reference is None:
        return "-", "-"
    if cell.unit == "samples/s" and cell.item:
        unit = Unit(units.rate_unit(cell.item), cell.unit, 1.0)
    else:
        unit = units.choose([cell.value], cell.unit or metric_of(cell.metric).unit)
    label = unit_label(unit)
    shown = (f"{units.text(value / unit.factor)} {label}".strip() for value in (cell.value, cell.reference))
    measured, reference = shown
    return measured, reference
