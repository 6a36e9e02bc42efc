"""Find series, aggregates, metrics and phases that a run can be measured with.

A phase may be the name of a total: `totals` maps such a name to the phases that add up to it. A total
takes those of its phases that a run has. A phase that a run lacks does not apply to it (inference has
no backward pass); a run without any of them does not have the total.
"""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from types import MappingProxyType

import numpy as np

from reportgen.core.errors import RequestError, did_you_mean
from reportgen.core.metrics import METRICS, metric_of
from reportgen.core.model import STEP, Aggregate, Clock, FloatArray, IntArray, Run, Series
from reportgen.protocol.share_of_peak import share_pairs

# Derived from the energy counters of the devices and the work of the steps.
ENERGY_PER_SAMPLE = "energy_per_sample"
ENERGY = "energy"

Totals = Mapping[str, tuple[str, ...]]
NO_TOTALS: Totals = MappingProxyType({})

# What the device does shows only in events or after waiting for it: the host queues work ahead of the device.
_CLOCKS: tuple[Clock, ...] = (
    "cuda_event", "host_synchronized", "host", "timestamp", "printed", "unknown",
)  # fmt: skip

# Printed times that cover less than this share of the steps between the timestamps are a sample of them.
_MIN_COVERED_SHARE = 0.9
# Printed times are rounded: their sum may exceed that of the timestamps by this share.
_MAX_EXCESS_SHARE = 0.02

# A finer clock may show whole seconds too, but not so many in a row.
_MIN_WHOLE_SECONDS = 10

# Rates of work that a log may count beside the samples, and the series that counts it.
WORK: Mapping[str, str] = MappingProxyType({"token_throughput": "tokens", "flops": "operations"})

# Statistics of one quantity, the closest to work over time first.
_STATISTICS = ("total", "mean", "published", "median")
# One of several figures (every hundredth step): it describes itself and not the run.
SAMPLE = "sample"


def parts_of(phase: str, totals: Totals) -> tuple[str, ...]:
    """Return the phases that the name stands for: the parts of a total, else the phase itself."""
    return totals.get(phase, (phase,))


def series_of(run: Run, metric: str, phase: str) -> tuple[Series, ...]:
    """Return the series of a metric and phase, one of each rank and all by one clock, ranks ascending.

    Of several clocks the best one that most ranks have is chosen, so that ranks stay comparable. A clock that
    missed steps is not replaced by a worse one. Timestamps in whole seconds are worse than printed times of
    the same steps.
    """
    matching = [
        series
        for series in run.series
        if series.metric == metric and series.phase == phase and _has_finite(series.value)
    ]
    if len(matching) < 2:
        return tuple(matching)
    ranks = {clock: {series.rank for series in matching if series.clock == clock} for clock in _CLOCKS}
    clock = max(_CLOCKS, key=lambda name: (len(ranks[name]), -_CLOCKS.index(name)))
    if clock == "timestamp" and ranks["printed"] == ranks[clock] and _is_replaced(matching):
        clock = "printed"
    by_rank: dict[int, Series] = {}
    for series in matching:
        if series.clock == clock:
            by_rank.setdefault(series.rank, series)
    return tuple(by_rank[rank] for rank in sorted(by_rank))


def _is_replaced(matching: Sequence[Series]) -> bool:
    """Return True if printed times are more exact than the timestamps of the same steps.

    They must cover the steps (a log may print the time of every tenth step alone) and cannot exceed the time
    between the timestamps, as a running mean may after a slow start.
    """
    stamps, printed = (
        [each for each in matching if each.clock == clock] for clock in ("timestamp", "printed")
    )
    if not all(is_in_whole_seconds(each) for each in stamps):
        return False
    # The first line has no timestamp before it, and a slow start may be in it.
    lines = np.concatenate([each.step for each in stamps])
    steps, seconds = _covered(stamps, lines)
    printed_steps, printed_seconds = _covered(printed, lines)
    if printed_steps < _MIN_COVERED_SHARE * steps or not steps:
        return False
    longest = (seconds + len(stamps)) * (1 + _MAX_EXCESS_SHARE) / steps
    return printed_seconds / printed_steps <= longest


def is_in_whole_seconds(series: Series) -> bool:
    """Return True if all times between the timestamps of a series, and enough of them, are whole seconds."""
    if series.clock != "timestamp":
        return False
    times = series.value[np.isfinite(series.value)]
    return len(times) >= _MIN_WHOLE_SECONDS and bool((times == np.floor(times)).all())


def _covered(series: Iterable[Series], lines: IntArray) -> tuple[int, float]:
    """Return how many steps have a time in these lines (their last steps), and the sum of these times."""
    finite = [(each, np.isfinite(each.value) & np.isin(each.step, lines)) for each in series]
    steps = sum(int(each.span[known].sum()) for each, known in finite)
    return steps, math.fsum(float(each.value[known].sum()) for each, known in finite)


def _has_finite(values: FloatArray) -> bool:
    """Return True if a value is finite; most often the first is."""
    return len(values) > 0 and (math.isfinite(values[0]) or bool(np.isfinite(values).any()))


def aggregate_of(run: Run, metric: str, phase: str) -> Aggregate | None:
    """Return the aggregate that the log has of a metric and phase; of several, the best statistic."""
    matching = [
        figure
        for figure in _figures(run)
        if (figure.metric, figure.phase) == (metric, phase) and math.isfinite(figure.value)
    ]
    ranked = {name: i for i, name in enumerate(_STATISTICS)}
    return min(matching, key=lambda figure: ranked.get(figure.statistic, len(ranked)), default=None)


def unparsable_aggregate(run: Run, metric: str, phases: Iterable[str]) -> Aggregate | None:
    """Return the first aggregate of a metric and phases whose text is not a number."""
    wanted = {(metric, phase) for phase in phases if aggregate_of(run, metric, phase) is None}
    return next((figure for figure in _figures(run) if (figure.metric, figure.phase) in wanted), None)


def _figures(run: Run) -> list[Aggregate]:
    return [figure for figure in run.aggregates if figure.statistic != SAMPLE]


def unit_of(run: Run, metric: str) -> str:
    """Return the base unit of a metric in a run: from METRICS, else the one it was read with."""
    if metric in METRICS:
        return METRICS[metric].unit
    quantities: list[Series | Aggregate] = [*run.series, *run.aggregates]
    units = (quantity.unit for quantity in quantities if quantity.metric == metric and quantity.unit)
    return next(units, metric_of(metric).unit)


def adds_up(run: Run, metric: str) -> bool:
    """Return True if the parts of a metric add up to a whole: seconds and joules do, ratios do not."""
    return unit_of(run, metric) in ("s", "J")


def lacks_ranks(run: Run) -> bool:
    """Return True if ranks ran that have no steps in the log: their work is unknown."""
    return run.ranks is not None and len({series.rank for series in run.series}) < run.ranks


def knows_samples(run: Run) -> bool:
    """Return True if the work in the steps of a run is known, over all its ranks."""
    if lacks_ranks(run):
        return False
    return run.samples_per_step is not None or any(
        series.phase == STEP and _has_finite(series.samples) for series in run.series
    )


def available_metrics(run: Run, totals: Totals = NO_TOTALS) -> tuple[tuple[str, str], ...]:
    """Return the (metric, phase) pairs for which the log has data, sorted; totals included.

    Throughput is included where step times and the work of a step are known. Whether a protocol can
    be applied to them is decided by `try_measure`.
    """
    pairs = {(series.metric, series.phase) for series in run.series if _has_finite(series.value)}
    pairs |= {(figure.metric, figure.phase) for figure in _figures(run)}
    pairs |= {
        (name, STEP)
        for device in run.telemetry
        for name, values in device.columns.items()
        if _has_finite(values)
    }
    pairs |= _of_totals(run, pairs, totals)
    if knows_samples(run):
        pairs |= {("throughput", phase) for metric, phase in pairs if metric == "step_time"}
    return tuple(sorted(_with_derived(run, pairs)))


def _with_derived(run: Run, pairs: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """Add rates of work, energy per sample and shares of peaks, and remove the counts behind rates."""
    counts = {(counted, STEP) for counted in WORK.values()} & pairs
    if ("step_time", STEP) in pairs:
        pairs |= {(rate, STEP) for rate, counted in WORK.items() if (counted, STEP) in counts}
        if (ENERGY, STEP) in pairs and run.telemetry and knows_samples(run):
            pairs.add((ENERGY_PER_SAMPLE, STEP))
    return pairs - counts | share_pairs(run, pairs)


def _of_totals(run: Run, pairs: Iterable[tuple[str, str]], totals: Totals) -> set[tuple[str, str]]:
    return {
        (metric, name)
        for metric, phase in pairs
        for name, phases in totals.items()
        if phase in phases and adds_up(run, metric)
    }


# Requests: an empty result because of a misspelling is worse than none


def check_metrics(place: str, metrics: Sequence[str], known: Collection[str], count: int) -> None:
    """Raise RequestError for the first metric that is not known.

    place  of the request, such as `cases()`; count  the number of runs that were looked at
    """
    for metric in metrics:
        if metric not in known:
            fact = f'no run has metric "{metric}" ({count} runs)'
            raise RequestError(f"{place}.metric", fact, did_you_mean(metric, known))


def check_quantities(
    place: str,
    metrics: Sequence[str],
    phases: Sequence[str],
    available: Collection[tuple[str, str]],
    count: int,
) -> None:
    """Raise RequestError for the first metric, else the first phase, that no run has.

    available  the pairs of metric and phase that the runs have
    """
    check_metrics(place, metrics, {metric for metric, _ in available}, count)
    known = {phase for metric, phase in available if metric in metrics}
    for phase in phases:
        if phase not in known:
            first, others = metrics[0], len(metrics) - 1
            named = f"{first} or {others} other metrics" if others > 1 else " or ".join(metrics)
            fact = f'no run has {named} of phase "{phase}" ({count} runs)'
            raise RequestError(f"{place}.phase", fact, did_you_mean(phase, known))
