"""One side of a comparison: what comparing needs to know of a case, wherever it comes from."""

from dataclasses import dataclass, field

from reportgen.compare.conditions import Conditions, conditions_of_case
from reportgen.compare.verdicts.arrangement import TimedRepeat
from reportgen.core.model import Case, Factors, Measurement
from reportgen.protocol import MeasuredRuns, Protocol
from reportgen.protocol.run_duration import run_duration


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """A case that was measured now, or one that a document stores.

    unit        base unit; value  of the case in it, None without a number
    repeats     those that decide. In a comparison with an earlier state, the new ones alone
    conditions  what it was measured with, besides its factors
    low, high   interval of the value, None if there is none; n  the repeats that it stands for
    case        the measured case, None for a stored one
    without_repeats  why no repeats decide, "" if there are any
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
    case: Case | None = None
    without_repeats: str = ""

    def of_runs(self, name: str) -> str:
        """Return the values of a factor in the measured runs, "" if no run has it."""
        runs = (each.run for each in self.case.measurements) if self.case else ()
        return ", ".join(sorted({str(run.factors[name]) for run in runs if name in run.factors}))


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
        case,
    )


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
