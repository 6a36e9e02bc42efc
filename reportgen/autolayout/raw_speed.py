"""Order systems by speed before anything is measured by the protocol: the slowest is the usual baseline.

Everything else is then so many times faster. The order needs no protocol: it only decides between baselines
that compare equally many cases, and `init` writes the one that it chose.
"""

import math
from collections.abc import Sequence

import numpy as np

from reportgen.core.factors import FactorKey, FactorsKey, factor_key, factors_key, value_order
from reportgen.core.metrics import metric_of
from reportgen.core.model import STEP, Run

# Of a logarithm: speeds that differ by less than a thousandth are equal.
_DIGITS = 3


def slowest_first(metric: str, name: str, runs: Sequence[Run]) -> list[object]:
    """Return the values of a factor by their mean speed at work that several of them did, equals by value.

    [] if a value did only work of its own: its speed says nothing.
    """
    by_work: dict[FactorsKey, dict[FactorKey, float]] = {}
    for run in runs:
        if name in run.factors and (speed := raw_speed(metric, run)) > 0:
            work = factors_key({key: value for key, value in run.factors.items() if key != name})
            by_work.setdefault(work, {}).setdefault(factor_key(run.factors[name]), speed)
    relative: dict[FactorKey, list[float]] = {}
    for speeds in by_work.values():
        mean = _mean([math.log(speed) for speed in speeds.values()])
        for value, speed in speeds.items():
            if len(speeds) > 1:
                relative.setdefault(value, []).append(math.log(speed) - mean)
    if any(value not in relative for speeds in by_work.values() for value in speeds):
        return []
    ordered = sorted(relative, key=lambda key: (round(_mean(relative[key]), _DIGITS), value_order(key)))
    return [value for _, value in ordered]


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def raw_speed(metric: str, run: Run) -> float:
    """Return the median of a metric of the whole step, inverted if less is better; 0.0 without a number.

    A run that did not end well has none: its steps may be the first ones.
    """
    if run.status != "complete":
        return 0.0
    value, work = _median(metric, run), run.samples_per_step
    if metric == "throughput" and not value and work:
        step = _median("step_time", run)
        return work / step if step > 0 else 0.0
    is_time = metric_of(metric).better == "lower"
    return 1 / value if is_time and value > 0 else value


def _median(metric: str, run: Run) -> float:
    """Return the median of a metric of the whole step, else its last aggregate; 0.0 without a number."""
    for each in reversed(run.series):
        if (each.metric, each.phase) == (metric, STEP) and np.isfinite(each.value).any():
            return float(np.median(each.value[np.isfinite(each.value)]))
    values = (each.value for each in reversed(run.aggregates) if (each.metric, each.phase) == (metric, STEP))
    return next(values, 0.0)
