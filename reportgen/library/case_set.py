"""A set of cases: the result of `cases`."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, overload

from reportgen.core.model import Case, Finding
from reportgen.core.units import choose, text
from reportgen.render.text.english import count
from reportgen.tables.missing import reason_of_case

if TYPE_CHECKING:
    import pandas as pd


class CaseSet(Sequence[Case]):
    """Cases of one metric and phase, in the order of their first runs."""

    def __init__(self, members: Iterable[Case]) -> None:
        self._cases = tuple(members)

    def __len__(self) -> int:
        return len(self._cases)

    @overload
    def __getitem__(self, index: int) -> Case: ...
    @overload
    def __getitem__(self, index: slice) -> "CaseSet": ...
    def __getitem__(self, index: int | slice) -> "Case | CaseSet":
        """Return a case, or the cases of a slice as a CaseSet."""
        return CaseSet(self._cases[index]) if isinstance(index, slice) else self._cases[index]

    def __repr__(self) -> str:
        return f"<CaseSet: {self._summary()}>"

    def _summary(self) -> str:
        quantities = dict.fromkeys(f"{case.metric} of {case.phase}" for case in self)
        lacking = sum(case.summary is None for case in self)
        parts = [
            " and ".join(
                [count(len(self), "case"), *(f"{lacking} without a value" for _ in range(lacking > 0))]
            )
        ]
        return ", ".join([*parts, *quantities])

    def _repr_html_(self) -> str:
        from reportgen.render.page.notebook import listing_html

        differing = _differing(self._cases)
        unit = {base: choose(_medians(self._cases, base), base) for base in {case.unit for case in self}}

        def row(case: Case) -> tuple[str, ...]:
            factors = tuple(str(case.factors.get(name, "-")) for name in differing)
            if case.summary is None:
                return (*factors, reason_of_case(case), "", "0")
            scale, summary = unit[case.unit].factor, case.summary
            value = f"{text(summary.median / scale)} {unit[case.unit].name}".removesuffix(" ratio")
            value += f" ({reason})" if (reason := reason_of_case(case)) else ""
            spread = f"{text(summary.low / scale)} to {text(summary.high / scale)}" if summary.n > 1 else ""
            return (*factors, value, spread, str(summary.n))

        heads = (*differing, "median", "interval", "repeats")
        return listing_html(self._summary(), heads, map(row, self), len(self))

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings of measuring the cases and their runs, each once."""
        every = [
            finding
            for case in self
            for findings in (case.findings, *(measurement.findings for measurement in case.measurements))
            for finding in findings
        ]
        return tuple(dict.fromkeys(every))

    def to_dataframe(self) -> "pd.DataFrame":
        """Return one row per case.

        Columns: factors, metric, phase, value, unit, low, high, n, reason, evidence, status, source.
        """
        from reportgen.tables.dataframes import cases_frame

        return cases_frame(self._cases)


def _differing(cases: Sequence[Case]) -> list[str]:
    """Return the factors in which cases differ, in order of appearance; all of a single case."""
    every = dict.fromkeys(name for case in cases for name in case.factors)
    if len(cases) < 2:
        return list(every)
    return [name for name in every if len({str(case.factors.get(name)) for case in cases}) > 1]


def _medians(cases: Iterable[Case], unit: str) -> list[float]:
    return [case.summary.median for case in cases if case.summary and case.unit == unit]
