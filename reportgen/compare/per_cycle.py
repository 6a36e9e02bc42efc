"""Compare two cases per cycle of the SM clock and per joule, where their logs have both.

Only devices of one model are compared per cycle: a cycle of another model does other work. Waiting for data
takes no cycles of the device.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from reportgen.compare.conditions import have_same_device
from reportgen.compare.cycles import CycleComparison
from reportgen.compare.verdicts import DecisionRule, TimedRepeat, decide
from reportgen.core.metrics import metric_of
from reportgen.core.model import DATA_LOADING, STEP, Case
from reportgen.core.rules import Rule
from reportgen.core.stats import median
from reportgen.protocol import MeasuredRuns, Protocol, try_measure
from reportgen.protocol.available import ENERGY_PER_SAMPLE
from reportgen.protocol.cycles import sm_clocks


@dataclass(frozen=True, slots=True)
class PerCycle:
    """Compares cases of one protocol per cycle; `measured` is the store of the build."""

    measured: MeasuredRuns
    protocol: Protocol
    rule: DecisionRule

    def compare(self, case: Case, baseline: Case) -> CycleComparison | None:
        """Return how two cases compare per cycle; None without clocks of the device, or of another model."""
        better = metric_of(case.metric).better
        is_waiting = DATA_LOADING in (case.phase, *case.parts)
        if (case.metric, case.phase) != (baseline.metric, baseline.phase):
            return None
        if better is None or not metric_of(case.metric).is_speed or is_waiting:
            return None
        if not have_same_device(case, baseline):
            return None
        own, base = (sm_clocks(side, self.measured, self.protocol) for side in (case, baseline))
        if not own or not base:
            return None
        seconds = [_values(side) for side in (case, baseline)]
        cycles = [_per_cycle(side, clocks) for side, clocks in ((case, own), (baseline, base))]
        if min(min(values) for values in seconds) <= 0:
            return None
        return CycleComparison(
            _speed_ratio(*cycles, better=better),
            _speed_ratio(*seconds, better=better),
            median(own),
            median(base),
            decide(_timed(case, cycles[0]), _timed(baseline, cycles[1]), better=better, rule=self.rule),
            is_host_bound=_is_host_bound(case) or _is_host_bound(baseline),
        )

    def energy_ratio(self, case: Case, baseline: Case) -> float | None:
        """Return the energy per sample relative to the baseline's; None unless all repeats have one."""
        if {case.phase, baseline.phase} != {STEP} or not metric_of(case.metric).is_speed:
            return None
        own, base = (self._energies(side) for side in (case, baseline))
        return median(own) / median(base) if own and base and min(*own, *base) > 0 else None

    def _energies(self, case: Case) -> list[float]:
        attempts = [
            try_measure(self.measured.of(each.run), ENERGY_PER_SAMPLE, STEP, self.protocol)
            for each in case.measurements
        ]
        values = [attempt.measurement.value for attempt in attempts if attempt.measurement]
        return values if len(values) == len(case.measurements) else []


def _values(case: Case) -> list[float]:
    return [each.value for each in case.measurements]


def _per_cycle(case: Case, clocks: Sequence[float]) -> list[float]:
    """Return times in cycles, and rates per cycle."""
    is_time = metric_of(case.metric).better == "lower"
    pairs = zip(_values(case), clocks, strict=True)
    return [value * clock if is_time else value / clock for value, clock in pairs]


def _speed_ratio(own: Sequence[float], base: Sequence[float], *, better: str) -> float:
    ratio = median(own) / median(base)
    return ratio if better == "higher" else 1 / ratio


def _timed(case: Case, values: Sequence[float]) -> list[TimedRepeat]:
    pairs = zip(case.measurements, values, strict=True)
    return [
        TimedRepeat(value, each.run.started, each.run.round, clock=each.run.started_clock)
        for each, value in pairs
    ]


def _is_host_bound(case: Case) -> bool:
    return any(f.rule == Rule.TELEMETRY_HOST_BOUND for m in case.measurements for f in m.findings)
