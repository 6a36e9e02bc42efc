"""What a run has to measure with: which series, which aggregates, which metrics and phases.

A phase may be the name of a total: `totals` maps such a name to the phases that add up to it. A
total takes those of its phases that a run has; one that a run does not have is not applicable to it
(inference has no backward pass), and a run without any of them does not have the total.
"""

import math
from collections.abc import Iterable, Mapping
from types import MappingProxyType

import numpy as np

from reportgen.core.metrics import METRICS
from reportgen.core.metrics import metric as metric_of
from reportgen.core.model import STEP, Aggregate, Clock, FloatArray, Run, Series

# What the devices' energy counters and the work of the steps give together.
ENERGY_PER_SAMPLE = "energy_per_sample"

Totals = Mapping[str, tuple[str, ...]]
NO_TOTALS: Totals = MappingProxyType({})

# The whole step is defined from begin to begin, which is what the host sees; a phase is what the
# device does in it, which only events or synchronisation show.
_STEP_CLOCKS: tuple[Clock, ...] = (
    "host_synchronized", "host", "cuda_event", "timestamp", "printed", "unknown",
)  # fmt: skip
_PHASE_CLOCKS: tuple[Clock, ...] = (
    "cuda_event", "host_synchronized", "host", "timestamp", "printed", "unknown",
)  # fmt: skip

# Rates of work that a log may count beside the samples, and the series that counts it.
WORK: Mapping[str, str] = MappingProxyType({"token_throughput": "tokens", "flops": "operations"})

# Of several reductions of one quantity, the one nearest to work over time comes first.
_STATISTICS = ("total", "mean", "published", "median")
# One of several figures (every hundredth step): it stands for itself and for no run.
SAMPLE = "sample"


def parts(phase: str, totals: Totals) -> tuple[str, ...]:
    """Return the phases that the name stands for: those of the total, else the phase itself."""
    return totals.get(phase, (phase,))


def series_of(run: Run, metric: str, phase: str) -> tuple[Series, ...]:
    """Return the series of a metric and phase, one of each rank and all by one clock, ranks ascending.

    Of several clocks the best one that most ranks have is taken, so that ranks stay comparable.
    """
    found = [one for one in run.series if one.metric == metric and one.phase == phase and _has_values(one)]
    if len(found) < 2:
        return tuple(found)
    order = _STEP_CLOCKS if phase == STEP else _PHASE_CLOCKS
    ranks = {clock: {one.rank for one in found if one.clock == clock} for clock in order}
    clock = max(order, key=lambda name: (len(ranks[name]), -order.index(name)))
    by_rank: dict[int, Series] = {}
    for one in found:
        if one.clock == clock:
            by_rank.setdefault(one.rank, one)
    return tuple(by_rank[rank] for rank in sorted(by_rank))


def _has_values(series: Series) -> bool:
    return _is_known(series.value)


def _is_known(values: FloatArray) -> bool:
    """Return whether one of the values is finite; most often the first is."""
    return len(values) > 0 and (math.isfinite(values[0]) or bool(np.isfinite(values).any()))


def aggregate_of(run: Run, metric: str, phase: str) -> Aggregate | None:
    """Return the aggregate that the log has of a metric and phase; of several, the best statistic."""
    found = [one for one in _reduced(run) if (one.metric, one.phase) == (metric, phase)]
    ranked = {name: i for i, name in enumerate(_STATISTICS)}
    return min(found, key=lambda one: ranked.get(one.statistic, len(ranked)), default=None)


def lost(run: Run, metric: str, phases: Iterable[str]) -> Aggregate | None:
    """Return the first figure of a metric and phases that the log has, but not as a number."""
    wanted = {(metric, phase) for phase in phases if aggregate_of(run, metric, phase) is None}
    return next((one for one in _figures(run) if (one.metric, one.phase) in wanted), None)


def _reduced(run: Run) -> list[Aggregate]:
    return [one for one in _figures(run) if math.isfinite(one.value)]


def _figures(run: Run) -> list[Aggregate]:
    return [one for one in run.aggregates if one.statistic != SAMPLE]


def unit_of(run: Run, metric: str) -> str:
    """Return the base unit of a metric in a run: that of METRICS, else the one it was read with."""
    if metric in METRICS:
        return METRICS[metric].unit
    found: list[Series | Aggregate] = [*run.series, *run.aggregates]
    told = (one.unit for one in found if one.metric == metric and one.unit)
    return next(told, metric_of(metric).unit)


def adds_up(run: Run, metric: str) -> bool:
    """Return whether the parts of a metric add up to a whole: seconds and joules do, ratios do not."""
    return unit_of(run, metric) in ("s", "J")


def lacks_ranks(run: Run) -> bool:
    """Return whether ranks ran that have no steps in the log: nobody knows what work they did."""
    return run.ranks is not None and len({one.rank for one in run.series}) < run.ranks


def knows_samples(run: Run) -> bool:
    """Return whether the work done in the steps of a run is known, that of all its ranks."""
    if lacks_ranks(run):
        return False
    return run.samples_per_step is not None or any(
        one.phase == STEP and _is_known(one.samples) for one in run.series
    )


def available(run: Run, totals: Totals = NO_TOTALS) -> tuple[tuple[str, str], ...]:
    """Return the (metric, phase) pairs that the log has something of, sorted; totals included.

    Throughput is among them where step times and the work of a step are known. Whether a protocol
    can then be applied is for `measure` to say.
    """
    direct = {(one.metric, one.phase) for one in run.series if _has_values(one)}
    direct |= {(one.metric, one.phase) for one in _figures(run)}
    direct |= {
        (name, STEP) for one in run.telemetry for name, values in one.columns.items() if _is_known(values)
    }
    direct |= _of_totals(run, direct, totals)
    if knows_samples(run):
        direct |= {("throughput", phase) for metric, phase in direct if metric == "step_time"}
    return tuple(sorted(_with_derived(run, direct)))


def _with_derived(run: Run, direct: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """Return the pairs with the rates of work and the energy per sample, without what these are made of."""
    counts = {(counted, STEP) for counted in WORK.values()} & direct
    if ("step_time", STEP) in direct:
        direct |= {(rate, STEP) for rate, counted in WORK.items() if (counted, STEP) in counts}
        if ("energy", STEP) in direct and run.telemetry and knows_samples(run):
            direct.add((ENERGY_PER_SAMPLE, STEP))
    return direct - counts


def _of_totals(run: Run, direct: Iterable[tuple[str, str]], totals: Totals) -> set[tuple[str, str]]:
    return {
        (metric, name)
        for metric, phase in direct
        for name, phases in totals.items()
        if phase in phases and adds_up(run, metric)
    }
