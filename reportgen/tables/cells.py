"""Fill the cells of one grid: the number or the reason why there is none, with its footnotes."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from reportgen.core.model import Case, Finding
from reportgen.core.results import Cell, Comparison, Note, Quantity
from reportgen.core.rules import Rule
from reportgen.core.units import Unit
from reportgen.tables.compare import Comparer
from reportgen.tables.footnotes import Draft, Notebook
from reportgen.tables.pivot import AxisKey, CaseGrid, varying
from reportgen.tables.spec import TableSpec

UnitOf = Callable[[AxisKey, AxisKey, Case], Unit | None]


# What a cell without a number still has to say; the rest is said beside the numbers of its case.
_OF_ABSENCE = frozenset({Rule.TABLE_MISSING_BASELINE, Rule.EXPECTED_NO_PATH})

_STATUS_TEXTS = {
    "out_of_memory": "out of memory",
    "failed": "failed",
    "cancelled": "cancelled",
    "partial": "partial",
    "running": "incomplete",
}


@dataclass
class Filler:
    """Makes the cells of one table; collects footnotes and findings on the way."""

    spec: TableSpec
    grid: CaseGrid
    unit_of: UnitOf
    comparer: Comparer | None
    notebook: Notebook = field(default_factory=Notebook)
    findings: list[Finding] = field(default_factory=list)

    def drafts(self, row: AxisKey, column: AxisKey) -> list[Draft]:
        """Return the cells of one place, one for each quantity shown."""
        cases = self.grid.slots.get((row, column), ())
        if len(cases) == 1:
            return self._filled(row, column, cases[0])
        if len(cases) > 1:
            return [self._several(cases)] * len(self.spec.show)
        planned = (row, column) in self.grid.planned
        cell = Cell("planned", text="planned") if planned else Cell("absent", text=self.spec.missing)
        return [(cell, ())] * len(self.spec.show)

    def _filled(self, row: AxisKey, column: AxisKey, case: Case) -> list[Draft]:
        notes = self.notebook.of_case(case)
        if case.summary is None:
            # The cell itself says that the run failed; a footnote to the same effect says nothing more.
            more = tuple(note for note in notes if note.rule != Rule.READ_FAILED_RUN)
            return [(self._unmeasured(case), more)] * len(self.spec.show)
        comparison = self._compared(case, notes)
        unit = self.unit_of(row, column, case)
        if self.spec.interval and _is_short_range(case):
            notes.append(self.notebook.add(_range_text(case, self.spec.protocol.confidence)))
        missing = tuple(note for note in notes if note.rule in _OF_ABSENCE)
        of_baseline = self.notebook.of_case(comparison.baseline) if comparison else []
        drafts: list[Draft] = []
        for quantity in self.spec.show:
            cell = self._quantity(quantity, case, comparison, unit)
            all_notes = [*notes, *(() if quantity in ("value", "repeats") else of_baseline)]
            drafts.append((cell, tuple(dict.fromkeys(all_notes)) if cell.kind == "number" else missing))
        return drafts

    def _compared(self, case: Case, notes: list[Note]) -> Comparison | None:
        comparison, missing = self.comparer(case) if self.comparer else (None, None)
        if missing:
            self.findings.append(missing)
            notes.append(self.notebook.add(missing.message, missing.rule))
        return comparison

    def _quantity(
        self, quantity: Quantity, case: Case, comparison: Comparison | None, unit: Unit | None
    ) -> Cell:
        assert case.summary is not None
        if quantity == "value":
            cell = Cell("number", case.summary.median, unit, case=case, comparison=comparison)
            if self.spec.interval and case.summary.n > 1:
                cell = replace(cell, low=case.summary.low, high=case.summary.high)
            return cell
        if quantity == "repeats":
            return Cell("number", float(case.summary.n), case=case, comparison=comparison)
        value = quantity_of(comparison, quantity)
        if value is None:
            return Cell("absent", text=self.spec.missing, case=case, comparison=comparison)
        low, high = _band(comparison, quantity)
        return Cell("number", value, low=low, high=high, case=case, comparison=comparison)

    def _unmeasured(self, case: Case) -> Cell:
        statuses = [run.status for run in case.unmeasured]
        text = next((_STATUS_TEXTS[s] for s in _STATUS_TEXTS if s in statuses), self.spec.missing)
        return Cell("absent" if text == self.spec.missing else "status", text=text, case=case)

    def _several(self, cases: Sequence[Case]) -> Draft:
        names = varying(cases)
        message = (
            f"{len(cases)} different cases: {', '.join(names)} vary; name them in rows, columns, facets or "
            "where, or in ignore or pick"
        )
        self.findings.append(Finding("warning", Rule.TABLE_HIDDEN_VARIATION, self.spec.id, message))
        cell = Cell("several", text="several", several=tuple(cases))
        return cell, (self.notebook.add(message, Rule.TABLE_HIDDEN_VARIATION),)


def quantity_of(comparison: Comparison | None, quantity: Quantity) -> float | None:
    """Return what a comparison says of a quantity, None where it does not apply."""
    if comparison is None:
        return None
    if quantity == "expected":
        return comparison.expected.speed if comparison.expected else None
    value = comparison.excess if quantity == "excess" else comparison.value
    return value if value is not None and math.isfinite(value) else None


def _band(comparison: Comparison | None, quantity: Quantity) -> tuple[float | None, float | None]:
    """Return the band of an expected speed, or of what follows from it, None where the facts agree."""
    if comparison is None or comparison.expected is None or not comparison.expected.is_band:
        return None, None
    if quantity == "expected":
        return comparison.expected.low, comparison.expected.high
    return (comparison.low, comparison.high) if quantity == "excess" else (None, None)


def _is_short_range(case: Case) -> bool:
    """Return whether [low, high] is a mere range: too few repeats, or no median (an olympic mean)."""
    summary = case.summary
    return summary is not None and summary.n > 1 and summary.statistic == "median" and not summary.reached


def _range_text(case: Case, confidence: float) -> str:
    assert case.summary is not None
    return (
        f"range of {case.summary.n} repeats: it holds the median with {case.summary.coverage:.1%}, "
        f"too few repeats for {confidence:.0%}"
    )
