"""Make the cells of one grid: the number, or the reason why there is none, with its footnotes."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from reportgen.compare.comparison import Comparison
from reportgen.core.case_findings import invalid_rule
from reportgen.core.model import Case, Finding
from reportgen.core.rules import Rule
from reportgen.core.stats import fewest_repeats
from reportgen.core.units import Unit
from reportgen.document.model import Note, Quantity
from reportgen.protocol.conditions import OF_REPEATS
from reportgen.tables.compare import Comparer
from reportgen.tables.footnotes import Footnotes, PendingCell
from reportgen.tables.missing import status_text
from reportgen.tables.pivot import LACKING, CaseGrid, Place, varying
from reportgen.tables.results import Cell
from reportgen.tables.spec import TableSpec

UnitOf = Callable[[Place, Case], Unit | None]

# The notes of a cell without a number; all others belong to the numbers of its case.
_OF_ABSENCE = frozenset({Rule.TABLE_MISSING_BASELINE, Rule.TABLE_NOT_COMPARABLE, Rule.EXPECTED_NO_PATH})


@dataclass
class CellBuilder:
    """Makes the cells of one table; collects footnotes and findings."""

    spec: TableSpec
    grid: CaseGrid
    unit_of: UnitOf
    comparer: Comparer | None
    footnotes: Footnotes = field(default_factory=Footnotes)
    findings: list[Finding] = field(default_factory=list)

    def cells(self, place: Place) -> list[PendingCell]:
        """Return the cells of one place, one for each quantity shown."""
        cases = self.grid.slots.get(place, ())
        if len(cases) == 1 and cases[0].summary:
            return self._filled(place, cases[0])
        if any(case.summary for case in cases):
            return [self._several(cases)] * len(self.spec.show)
        if cases:
            return [self._unmeasured(cases)] * len(self.spec.show)
        is_planned = place in self.grid.planned
        cell = Cell("planned", text="planned") if is_planned else Cell("absent", text=self.spec.missing)
        return [PendingCell(cell)] * len(self.spec.show)

    def _filled(self, place: Place, case: Case) -> list[PendingCell]:
        notes = self.footnotes.of_case(case)
        comparison, is_meaningless = self._compared(case, notes)
        unit = self.unit_of(place, case)
        if self.spec.interval and _is_short_range(case):
            text = _range_text(case, self.spec.protocol.confidence)
            notes.append(self.footnotes.add(text, name="range"))
        of_absence = tuple(note for note in notes if note.rule in _OF_ABSENCE)
        of_baseline = self._of_comparison(comparison) if comparison else []
        cells = []
        for quantity in self.spec.show:
            cell = self._quantity(quantity, case, comparison, unit)
            if is_meaningless and cell.kind == "absent":
                cell = replace(cell, kind="incomparable", text="not comparable")
            all_notes = [*notes, *(() if quantity in ("value", "repeats") else of_baseline)]
            of_cell = tuple(dict.fromkeys(all_notes)) if cell.kind == "number" else of_absence
            cells.append(PendingCell(cell, of_cell))
        return cells

    def _of_comparison(self, comparison: Comparison) -> list[Note]:
        """Return the notes of what a case is compared with, and why it is slower if the table says so."""
        notes = self.footnotes.of_case(comparison.baseline)
        parts = comparison.breakdown
        if self.spec.compare and self.spec.compare.why and parts and parts.is_split:
            notes.append(self.footnotes.add(parts.sentence()))
        return notes

    def _compared(self, case: Case, notes: list[Note]) -> tuple[Comparison | None, bool]:
        """Return the comparison, and whether one would be meaningless; add the reason to the notes."""
        if self.comparer is None:
            return None, False
        compared = self.comparer.compare(case)
        if compared.finding:
            self.findings.append(compared.finding)
            notes.append(self.footnotes.add(compared.finding.message, compared.finding.rule))
        return compared.comparison, compared.is_meaningless

    def _quantity(
        self, quantity: Quantity, case: Case, comparison: Comparison | None, unit: Unit | None
    ) -> Cell:
        assert case.summary is not None
        if quantity == "value":
            rule = invalid_rule(case.metric, case.phase, case.measurements)
            cell = Cell(
                "number",
                case.summary.median,
                unit,
                case=case,
                comparison=comparison,
                invalid=rule,
                over_all=case.summary.over_all,
            )
            if self.spec.interval and case.summary.n > 1:
                cell = replace(cell, low=case.summary.low, high=case.summary.high)
            return cell
        if quantity == "repeats":
            return Cell("number", float(case.summary.n), case=case, comparison=comparison)
        if quantity == "interval" and comparison and (interval := comparison.interval):
            return Cell("interval", low=interval[0], high=interval[1], case=case, comparison=comparison)
        if quantity == "verdict" and comparison and comparison.verdict:
            return Cell("verdict", text=comparison.verdict.kind, case=case, comparison=comparison)
        value = quantity_of(comparison, quantity)
        if value is None:
            return Cell("absent", text=self.spec.missing, case=case, comparison=comparison)
        low, high = _band(comparison, quantity)
        over_all = _over_all(comparison, quantity)
        return Cell("number", value, low=low, high=high, case=case, comparison=comparison, over_all=over_all)

    def _unmeasured(self, cases: Sequence[Case]) -> PendingCell:
        """Return the cell of cases without a number: how their runs ended."""
        case = cases[0] if len(cases) == 1 else _joined(cases)
        text = status_text(case) or self.spec.missing
        cell = Cell("absent" if text == self.spec.missing else "status", text=text, case=case)
        # The cell itself says that the run failed; a footnote would repeat it.
        notes = self.footnotes.of_case(case)
        return PendingCell(cell, tuple(note for note in notes if note.rule != Rule.READ_FAILED_RUN))

    def _several(self, cases: Sequence[Case]) -> PendingCell:
        message = _why_several(cases)
        self.findings.append(Finding("warning", Rule.TABLE_HIDDEN_VARIATION, self.spec.id, message))
        note = self.footnotes.add(message, Rule.TABLE_HIDDEN_VARIATION)
        return PendingCell(Cell("several", text="several", several=tuple(cases)), (note,))


def _why_several(cases: Sequence[Case]) -> str:
    """Return in what cases that share a cell differ, and the remedy."""
    names = varying(cases)
    if set(names) <= set(OF_REPEATS):
        shown = ", ".join(f"{name} ({_values(cases, name)})" for name in names)
        return f"runs with equal factors differ in {shown} and are not repeats: name it in labels.toml"
    pronoun = "it" if len(names) == 1 else "them"
    return (
        f"{len(cases)} cases share this cell and differ in {', '.join(names)}: "
        f"add {pronoun} to rows, columns, facets or where, or use ignore or pick"
    )


def _values(cases: Sequence[Case], name: str) -> str:
    return ", ".join(dict.fromkeys(str(case.factors.get(name, LACKING)) for case in cases))


def _joined(cases: Sequence[Case]) -> Case:
    """Return cases that share a cell as one: without a number there is nothing to keep apart."""
    first, differing = cases[0], varying(cases)
    return replace(
        first,
        factors={name: value for name, value in first.factors.items() if name not in differing},
        unmeasured=tuple(run for case in cases for run in case.unmeasured),
        findings=tuple(finding for case in cases for finding in case.findings),
    )


def quantity_of(comparison: Comparison | None, quantity: Quantity) -> float | None:
    """Return a quantity of a comparison, None if it does not apply."""
    if comparison is None or quantity in ("interval", "verdict"):
        return None
    if quantity == "expected":
        return comparison.expected.speed if comparison.expected else None
    beside = {"excess": comparison.excess, "cycles": comparison.in_cycles, "energy": comparison.energy}
    value = beside.get(quantity, comparison.value)
    return value if value is not None and math.isfinite(value) else None


def _over_all(comparison: Comparison | None, quantity: Quantity) -> float | None:
    """Return a quantity of a comparison over all of the windows' time, None if gaps left out little of it."""
    if comparison is None or comparison.over_all is None or quantity in ("expected", "cycles", "energy"):
        return None
    return quantity_of(replace(comparison, value=comparison.over_all), quantity)


def _band(comparison: Comparison | None, quantity: Quantity) -> tuple[float | None, float | None]:
    """Return the band of an expected speed or of the excess, None if the facts agree."""
    if comparison is None or comparison.expected is None or not comparison.expected.is_band:
        return None, None
    if quantity == "expected":
        return comparison.expected.low, comparison.expected.high
    return (comparison.low, comparison.high) if quantity == "excess" else (None, None)


def _is_short_range(case: Case) -> bool:
    """Return True if [low, high] is the range of too few repeats rather than an interval of the median."""
    summary = case.summary
    return summary is not None and summary.n > 1 and summary.statistic == "median" and not summary.reached


def _range_text(case: Case, confidence: float) -> str:
    assert case.summary is not None
    coverage, needed = f"{100 * case.summary.coverage:.3g}%", fewest_repeats(confidence)
    return (
        f"range of {case.summary.n} repeats ({coverage} confidence; {100 * confidence:.3g}% needs {needed})"
    )
