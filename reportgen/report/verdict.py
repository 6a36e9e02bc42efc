"""The sentences that a reviewer reads first: headline, source of the numbers, whether there are warnings.

A definition may have its own headline; the default names the largest excess over an expected speed.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reportgen.core.model import Finding, Run
from reportgen.core.results import Comparison, Expected, Header, Table
from reportgen.core.units import text
from reportgen.report.run_counts import count_runs, name_runs


def headline(tables: Sequence[Table]) -> str:
    """Return the largest excess over an expected speed, "" if there is none."""
    worst = _worst(tables)
    return _slower_than_expected(worst) if worst else ""


def verdict_sentences(
    runs: Sequence[Run], findings: Sequence[Finding], others: Sequence[Run] = ()
) -> Iterator[str]:
    """Yield what the numbers come from, and whether there are warnings, without counts.

    runs  behind the tables; others  of the same logs, in no table

    A count would change this sentence, and the index of all reports, with every log that is added.
    """
    if runs:
        yield f"Source: {name_runs(runs)}."
    elif not others:
        yield "No runs to report on."
    if others:
        yield "Some runs of these logs are in no table."
    if any(finding.severity != "note" for finding in findings):
        yield "Read the warnings before using these numbers."


def run_counts(runs: Sequence[Run], others: Sequence[Run] = ()) -> Iterator[str]:
    """Yield how many runs are behind the tables, and how many in none."""
    if runs:
        yield f"In tables: {count_runs(runs)}."
    if others:
        yield f"In no table: {count_runs(others)}."


@dataclass(frozen=True, slots=True)
class _Excess:
    """A cell that is slower than expected, with its place in words."""

    table: Table
    place: str
    comparison: Comparison
    expected: Expected
    excess: float


def _worst(tables: Sequence[Table]) -> _Excess | None:
    """Return the largest excess of the first table that shows any, None if it is not above 1.

    The author puts the most important table first; later tables show its details.
    """
    for table in tables:
        excesses = [
            _Excess(table, _place(table, row, column), compared, compared.expected, compared.excess)
            for row, cells in zip(table.rows, table.cells, strict=True)
            for column, cell in zip(table.columns, cells, strict=True)
            if column.quantity == "excess" and cell.kind == "number"
            if (compared := cell.comparison) and compared.expected and compared.excess is not None
        ]
        if excesses:
            worst = max(excesses, key=lambda excess: excess.excess)
            return worst if worst.excess > 1 else None
    return None


def _place(table: Table, row: Header, column: Header) -> str:
    """Return a cell's place in words; a number needs the name of its factor."""
    words = []
    for title, key, label in zip(table.row_titles, row.key, row.labels, strict=True):
        words.append(label.text if isinstance(key, str) else f"{title.text} {label.text}")
    words += [label.text for label in column.labels]
    return ", ".join(word for word in words if word)


def _slower_than_expected(worst: _Excess) -> str:
    """Return the observed ratio, what the hardware explains of it, and the rest."""
    expected, observed = worst.expected, worst.comparison.value
    place = f"{worst.table.title} ({worst.place})" if worst.place else worst.table.title
    pair = f"{expected.target} is {_ratio(observed)} than {expected.reference}"
    excess = _band(worst.comparison.low, worst.excess, worst.comparison.high, expected.is_band)
    if observed >= 1 > expected.speed:
        share = _band(1 / expected.high, 1 / expected.speed, 1 / expected.low, expected.is_band)
        reason = f"; hardware explains {share}"
    else:
        reason = f", where {_ratio(1 / expected.speed)} is expected"
    return f"{place}: {pair}{reason}, so it is {excess} slower than expected."


def _ratio(slower: float) -> str:
    return f"{_times(slower)} slower" if slower >= 1 else f"{_times(1 / slower)} faster"


def _times(value: float) -> str:
    return f"{text(value, digits=3)}x"


def _band(low: float | None, value: float, high: float | None, is_band: bool) -> str:
    if not is_band or low is None or high is None:
        return _times(value)
    return f"{_times(low)} to {_times(high)}"
