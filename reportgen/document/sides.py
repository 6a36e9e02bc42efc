"""A case of a document as a side of a comparison."""

from collections.abc import Iterable, Mapping

from reportgen.compare.side import Side
from reportgen.compare.verdicts import TimedRepeat
from reportgen.document.model import Case, Measurement


def side_of(case: Case, repeats: Iterable[Measurement] | None = None, without_repeats: str = "") -> Side:
    """Return a case of a document as a side.

    repeats  those that decide, None for all of the case; without_repeats  why there are none
    """
    summary = case.summary
    deciding = case.measurements if repeats is None else repeats
    return Side(
        case.metric,
        case.phase,
        case.unit,
        summary.value if summary else None,
        tuple(
            TimedRepeat(each.value, each.run.started, each.run.round, clock=each.run.started_clock)
            for each in deciding
        ),
        case.factors,
        case.conditions,
        summary.low if summary else None,
        summary.high if summary else None,
        summary.repeats if summary else 0,
        _of_runs(case),
        without_repeats=without_repeats,
        invalid=case.invalid,
        over_all=summary.over_all if summary else None,
    )


def _of_runs(case: Case) -> Mapping[str, str]:
    """Return the factors that only the runs have, of several runs with all their values."""
    values: dict[str, set[str]] = {}
    for measurement in case.measurements:
        for name, value in measurement.run.factors.items():
            values.setdefault(name, set()).add(str(value))
    return {name: ", ".join(sorted(each)) for name, each in values.items()}
