"""Whether a clock closes: the times of the steps against the wall time between two waits for all devices."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from reportgen.core.model import STEP, Series, Stretch

# A clock that is further from the wall time than this share did not see the work.
OPEN_SHARE = 0.02
_WHOLE = ("step_time", STEP)
# The better ones first.
_CLOCKS = ("cuda_event", "host_synchronized", "host", "timestamp", "printed", "unknown")
# A wait itself takes time, in s.
_WAIT_SECONDS = 0.002


class Closure(NamedTuple):
    """The steps of a stretch by one clock against the wall time.

    total     s, by the clock
    at_least  share of the wall time by which the two are apart, at least; at_most
    """

    stretch: Stretch
    total: float
    at_least: float
    at_most: float

    @property
    def is_open(self) -> bool:
        """Return True if the clock did not see the work."""
        return self.at_least > OPEN_SHARE and self.at_least * self.stretch.most > _WAIT_SECONDS

    @property
    def is_closed(self) -> bool:
        """Return True if the clock saw all of the work; both may be False, if breaks hide it."""
        return self.at_most <= OPEN_SHARE or self.at_most * self.stretch.most <= _WAIT_SECONDS


def closures(series: Series, others: Sequence[Series]) -> Iterator[Closure]:
    """Yield the closure of each stretch of `series`; `others` are all series of its run.

    A step without a time by this clock may have taken its time on the host, or that of the others.
    """
    if not series.stretches:
        return
    hosts = [x for x in others if (x.metric, x.phase, x.rank, x.clock) == (*_WHOLE, series.rank, "host")]
    host = hosts[0].value if hosts and len(hosts[0].value) == len(series.value) else series.value
    for stretch in series.stretches:
        inside = (series.step - series.span + 1 >= stretch.first) & (series.step <= stretch.last)
        value, span, missing = series.value[inside], series.span[inside], np.isnan(series.value[inside])
        is_whole = int(span.sum()) == stretch.last - stretch.first + 1
        by_host = host[inside][missing] - np.where(
            series.step[inside][missing] == stretch.last, stretch.wait, 0
        )
        if not is_whole or missing.all() or not np.isfinite(by_host).all():
            continue
        total = float(value[~missing].sum())
        usual = span[missing] * (total / float(span[~missing].sum()))
        low, high = (total + float(limit(by_host, usual).sum()) for limit in (np.minimum, np.maximum))
        at_least = max(stretch.least - high, low - stretch.most, 0.0) / stretch.most
        at_most = max(high - stretch.least, stretch.most - low) / stretch.most
        yield Closure(stretch, total, at_least, at_most)


def closure_text(series: Sequence[Series]) -> str:
    """Return how well the best clock of each rank closes, of the worst rank; "" if that is not known."""
    ranks: dict[int, Series] = {}
    for each in series:
        if (each.metric, each.phase) == _WHOLE and any(closures(each, series)):
            best = ranks.setdefault(each.rank, each)
            if _CLOCKS.index(each.clock) < _CLOCKS.index(best.clock):
                ranks[each.rank] = each
    all_closures = [closure for each in ranks.values() for closure in closures(each, series)]
    parts = []
    closed = [closure for closure in all_closures if closure.is_closed]
    opened = [closure for closure in all_closures if closure.is_open]
    for text, some, shares in (
        ("closed to", closed, [closure.at_most for closure in closed]),
        ("open by", opened, [closure.at_least for closure in opened]),
    ):
        if some:
            first, last = min(x.stretch.first for x in some), max(x.stretch.last for x in some)
            where = f" (steps {first}..{last})" if closed and opened else ""
            parts.append(f"{text} {100 * max(shares):.1f} %{where}")
    return ", ".join(parts)
