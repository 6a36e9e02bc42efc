"""One side of a comparison: what comparing needs to know of a case, wherever it comes from."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from reportgen.compare.conditions import Conditions, conditions_of_case
from reportgen.compare.verdicts.arrangement import TimedRepeat
from reportgen.core.case_findings import invalid_rule
from reportgen.core.model import Case, Factors, Measurement
from reportgen.protocol import MeasuredRuns, Protocol
from reportgen.protocol.timeline import run_duration


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """A case that was measured now, or one that a document stores.

    unit        base unit; value  of the case in it, None without a number
    repeats     those that decide. In a comparison with an earlier state, the new ones alone
    conditions  what it was measured with, besides its factors
    low, high   interval of the value, None if there is none; n  the repeats that it stands for
    of_runs     factors of its runs that the case does not have, because they keep no cases apart
    case        the measured case, None for a stored one
    without_repeats  why no repeats decide, "" if there are any
    invalid     rule of the finding for which the value means nothing, "" if there is none
    over_all    the value over all of the windows' time; None where gaps left out little of it
    """

    metric: str
    phase: str
    unit: str
    value: float | None
    repeats: tuple[TimedRepeat, ...] = ()
    factors: Factors = field(default_factory=dict)
    conditions: Conditions = field(default_factory=dict)
    low: float | None = None
    high: float | None = None
    n: int = 0
    of_runs: Mapping[str, str] = field(default_factory=dict)
    case: Case | None = None
    without_repeats: str = ""
    invalid: str = ""
    over_all: float | None = None


def side_of(case: Case) -> Side:
    """Return a measured case as a side."""
    summary = case.summary
    return Side(
        case.metric,
        case.phase,
        case.unit,
        summary.median if summary else None,
        tuple(map(timed_repeat, case.measurements)),
        case.factors,
        conditions_of_case(case),
        summary.low if summary else None,
        summary.high if summary else None,
        summary.n if summary else 0,
        _of_runs(case),
        case,
        invalid=invalid_rule(case.metric, case.phase, case.measurements),
        over_all=summary.over_all if summary else None,
    )


def _of_runs(case: Case) -> Mapping[str, str]:
    """Return the factors that only the runs have, of several runs with all their values."""
    values: dict[str, set[str]] = {}
    for measurement in case.measurements:
        for name, value in measurement.run.factors.items():
            if name not in case.factors:
                values.setdefault(name, set()).add(str(value))
    return {name: ", ".join(sorted(each)) for name, each in values.items()}


def timed_repeat(measurement: Measurement) -> TimedRepeat:
    """Return a measured run as a repeat of a side."""
    run = measurement.run
    devices = run.factors.get("devices", run.ranks)
    return TimedRepeat(
        measurement.value,
        run.started,
        run.round,
        clock=run.started_clock,
        seconds=run_duration(run),
        devices=devices if isinstance(devices, int) else 0,
    )


class Sides(dict[Case, Side]):
    """The sides of measured cases, each made once: `sides[case]`."""

    def __missing__(self, case: Case) -> Side:
        """Make the side of a case that is asked for the first time."""
        side = self[case] = side_of(case)
        return side


@dataclass(frozen=True, slots=True)
class MeasuredLogs:
    """Where clocks, energy and phases of cases are read: the store of the build, and the protocol."""

    measured: MeasuredRuns
    protocol: Protocol
