"""Compare two cases per cycle of the SM clock and per joule, where their logs have both.

Only devices of one model are compared per cycle: a cycle of another model does other work. Waiting for data
takes no cycles of the device.
"""

from collections.abc import Sequence
from dataclasses import replace

from reportgen.compare.contract import have_same_device
from reportgen.compare.cycles import CycleComparison
from reportgen.compare.side import MeasuredLogs, Side
from reportgen.compare.verdicts.arrangement import TimedRepeat
from reportgen.compare.verdicts.decision import DecisionRule, decide
from reportgen.core.metrics import metric_of
from reportgen.core.model import DATA_LOADING, STEP, Case
from reportgen.core.rules import Rule
from reportgen.core.stats import median
from reportgen.protocol import try_measure
from reportgen.protocol.available import ENERGY_PER_SAMPLE
from reportgen.protocol.cycles import sm_clocks


def compare_cycles(
    own: Side, baseline: Side, logs: MeasuredLogs, rule: DecisionRule
) -> CycleComparison | None:
    """Return how two sides compare per cycle; None without clocks of the device, or of another model."""
    case, other = own.case, baseline.case
    metric = metric_of(own.metric)
    if case is None or other is None or (own.metric, own.phase) != (baseline.metric, baseline.phase):
        return None
    if metric.better is None or not metric.is_speed or DATA_LOADING in (case.phase, *case.parts):
        return None
    if not have_same_device(own, baseline):
        return None
    clocks, base_clocks = (sm_clocks(each, logs.measured, logs.protocol) for each in (case, other))
    if not clocks or not base_clocks or min(each.value for each in (*own.repeats, *baseline.repeats)) <= 0:
        return None
    is_time = metric.better == "lower"
    cycles, base_cycles = _per_cycle(own, clocks, is_time), _per_cycle(baseline, base_clocks, is_time)
    return CycleComparison(
        _speed_ratio(cycles, base_cycles, is_time),
        _speed_ratio(own.repeats, baseline.repeats, is_time),
        median(clocks),
        median(base_clocks),
        decide(cycles, base_cycles, better=metric.better, rule=rule),
        is_host_bound=_is_host_bound(case) or _is_host_bound(other),
    )


def energy_ratio(own: Side, baseline: Side, logs: MeasuredLogs) -> float | None:
    """Return the energy per sample relative to the baseline's; None unless all repeats have one."""
    if own.case is None or baseline.case is None or not metric_of(own.metric).is_speed:
        return None
    if {own.phase, baseline.phase} != {STEP}:
        return None
    energies, base = (_energies(case, logs) for case in (own.case, baseline.case))
    return median(energies) / median(base) if energies and base and min(*energies, *base) > 0 else None


def _energies(case: Case, logs: MeasuredLogs) -> list[float]:
    attempts = [
        try_measure(logs.measured.of(each.run), ENERGY_PER_SAMPLE, STEP, logs.protocol)
        for each in case.measurements
    ]
    values = [attempt.measurement.value for attempt in attempts if attempt.measurement]
    return values if len(values) == len(case.measurements) else []


def _per_cycle(side: Side, clocks: Sequence[float], is_time: bool) -> list[TimedRepeat]:
    """Return times in cycles, and rates per cycle; the verdict on the seconds says what a run costs."""
    pairs = zip(side.repeats, clocks, strict=True)
    return [
        replace(each, value=each.value * clock if is_time else each.value / clock, seconds=None, devices=0)
        for each, clock in pairs
    ]


def _speed_ratio(own: Sequence[TimedRepeat], base: Sequence[TimedRepeat], is_time: bool) -> float:
    values, others = ([each.value for each in side] for side in (own, base))
    ratio = median(values) / median(others)
    return 1 / ratio if is_time else ratio


def _is_host_bound(case: Case) -> bool:
    return any(f.rule == Rule.TELEMETRY_HOST_BOUND for m in case.measurements for f in m.findings)
