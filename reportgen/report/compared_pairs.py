"""The comparisons of a report's tables: which case, against which baseline, and what part of the step."""

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from reportgen.compare.comparison import Comparison
from reportgen.core.case_findings import findings_of
from reportgen.core.model import STEP, Case, Finding
from reportgen.document.model import Header
from reportgen.tables.results import Table

REST_OF_STEP = "the rest of the step"


@dataclass(frozen=True, slots=True, eq=False)
class ComparedPair:
    """The comparison of a case, with its place in a table.

    place     the heads of its row and column in words, without those of factors in which the two differ
    left_out  the phases of the step that the number does not contain; () for a whole step
    """

    table: Table
    place: str
    comparison: Comparison
    left_out: tuple[str, ...]

    @property
    def case(self) -> Case:
        """Return the case."""
        return self.comparison.case

    @property
    def baseline(self) -> Case:
        """Return the case that it is compared with."""
        return self.comparison.baseline

    @property
    def differing(self) -> tuple[str, ...]:
        """Return the factors in which the two differ."""
        return self.comparison.differing_factors

    @property
    def warnings(self) -> tuple[Finding, ...]:
        """Return the findings about both cases and their runs, without notes."""
        findings = (finding for case in (self.case, self.baseline) for finding in findings_of(case))
        return tuple(finding for finding in findings if finding.severity != "note")


@dataclass(frozen=True, slots=True, eq=False)
class ComparedEntry:
    """The pairs of one entry of a definition, all its facets together.

    title         without the facet
    incomparable  cells that are not comparable with their baselines
    sets_differ   how many cases the sides have, as a clause, "" if all have all
    means         how many geometric means a table has, if it is the only one with any, else 0
    """

    title: str
    pairs: tuple[ComparedPair, ...]
    incomparable: int
    sets_differ: str
    means: int


def compared_entries(tables: Sequence[Table]) -> list[ComparedEntry]:
    """Return the entries that compare anything, in the order of the definition."""
    entries = []
    for _, group in groupby(tables, key=lambda table: table.id.partition("/")[0]):
        facets = list(group)
        pairs = tuple(pair for table in facets for pair in _pairs(table))
        if pairs:
            title = facets[0].family_title
            kinds = [cell.kind for table in facets for line in table.cells for cell in line]
            incomparable, unequal = kinds.count("incomparable"), facets[0].sets_differ
            entries.append(ComparedEntry(title, pairs, incomparable, unequal, _count_means(facets)))
    return entries


def _pairs(table: Table) -> Iterator[ComparedPair]:
    """Yield each pair of the table once, though several cells show quantities of it."""
    seen: set[tuple[int, int]] = set()
    for row, line in zip(table.rows, table.cells, strict=True):
        for column, cell in zip(table.columns, line, strict=True):
            case, comparison = cell.case, cell.comparison
            if case is None or comparison is None or comparison.baseline is case:
                continue
            if not math.isfinite(comparison.value) or comparison.value <= 0:
                continue
            # A phase is a part of another, and neither faster nor slower than it.
            if (case.metric, case.phase) != (comparison.baseline.metric, comparison.baseline.phase):
                continue
            if (id(case), id(comparison.baseline)) not in seen:
                seen.add((id(case), id(comparison.baseline)))
                place = _place(table, row, column, comparison.differing_factors)
                yield ComparedPair(table, place, comparison, _left_out(case))


def _place(table: Table, row: Header, column: Header, differing: Collection[str]) -> str:
    words = [table.facet_text]
    for name, title, key, label in zip(table.row_factors, table.row_titles, row.key, row.labels, strict=True):
        if name not in differing:
            words.append(label.text if isinstance(key, str) else f"{title.text} {label.text}")
    heads = zip(table.column_factors, column.labels, strict=True)
    words += [label.text for name, label in heads if name not in differing]
    return ", ".join(word for word in words if word not in ("", "-"))


def _left_out(case: Case) -> tuple[str, ...]:
    """Return the phases of the runs that a case does not contain."""
    if case.phase == STEP and not case.parts:
        return ()
    covered = {*case.parts, case.phase}
    phases: dict[str, None] = {}
    for run in (measurement.run for measurement in case.measurements):
        phases.update((series.phase, None) for series in run.series if series.metric == "step_time")
        phases.update((figure.phase, None) for figure in run.aggregates if figure.metric == "step_time")
    missing = tuple(phase.replace("_", " ") for phase in phases if phase not in covered and phase != STEP)
    return missing or ((REST_OF_STEP,) if STEP in phases and case.phase != STEP else ())


def _count_means(facets: Sequence[Table]) -> int:
    """Return how many geometric means the tables have; of several tables, none stands for all rows."""
    counts = [
        sum(
            cell.value is not None
            for row, line in zip(table.rows, table.cells, strict=True)
            for cell in line
            if row.is_mean
        )
        for table in facets
    ]
    return max(counts) if sum(map(bool, counts)) == 1 else 0
