"""Define the table of what more requests at once cost: a rate beside a latency, over the load.

A serving benchmark raises the load until the rate stops growing and latencies grow instead. Neither number
means much without the other, so both are in one table, and its figure draws one over the other.
"""

from collections.abc import Collection, Mapping, Sequence

from reportgen.autolayout.table_layout import choose_axes
from reportgen.core.metrics import metric_of
from reportgen.core.model import STEP, Run
from reportgen.protocol import Protocol
from reportgen.protocol.conditions import STATISTIC
from reportgen.tables.latencies import DRAWN_STATISTICS
from reportgen.tables.spec import METRIC, TableSpec

_ID = "rate-and-latency"
# The first of each that the logs have.
_RATES = ("output_token_throughput", "total_token_throughput", "request_throughput", "throughput")
_LATENCIES = ("tpot", "e2e_latency", "ttft", "latency")
_LOADS = ("concurrency", "request_rate")
_COLUMNS = (METRIC, STATISTIC)
_MIN_LOADS = 3


def tradeoff_spec(
    by_metric: Mapping[str, Mapping[str, Sequence[Run]]],
    runs: Sequence[Run],
    place: str,
    guessed: Collection[str] = (),
) -> TableSpec | None:
    """Return the spec of the table; None unless runs have a rate and a latency at three loads.

    by_metric  metric -> phase -> runs with data
    """
    rate = next((name for name in _RATES if STEP in by_metric.get(name, ())), "")
    if not rate:
        return None
    of_rate = by_metric[rate][STEP]
    rows = choose_axes(of_rate, runs, guessed, has_columns=True).rows
    both = (
        (name, load)
        for name in _LATENCIES
        for load in _LOADS
        if load in rows and _has_both(rows, load, of_rate, by_metric.get(name, {}).get(STEP, ()))
    )
    time, load = next(both, ("", ""))
    if not time:
        return None
    title = f"{metric_of(rate).title} and {metric_of(time).title.lower()}"
    return TableSpec(
        place=place,
        id=_ID,
        title=title,
        protocol=Protocol(),
        metrics=(rate, time),
        phases=(STEP,),
        unit="per-cell",
        rows=(*(name for name in rows if name != load), load),
        columns=_COLUMNS,
    )


def _has_both(rows: Sequence[str], load: str, of_rate: Sequence[Run], of_time: Sequence[Run]) -> bool:
    """Return whether a system has both numbers at three loads, the latency by the statistic that is drawn."""
    known = {run.factors.get(STATISTIC) for run in of_time}
    drawn = next((name for name in DRAWN_STATISTICS if name in known), None)
    shown = [run for run in of_time if drawn is None or run.factors.get(STATISTIC) == drawn]
    own = {tuple(run.factors.get(name) for name in rows) for run in shown}
    at = rows.index(load)
    loads: dict[object, set[object]] = {}
    for run in of_rate:
        key = tuple(run.factors.get(name) for name in rows)
        if key in own:
            loads.setdefault((*key[:at], *key[at + 1 :]), set()).add(key[at])
    return any(len(each) >= _MIN_LOADS for each in loads.values())


def load_of(table: TableSpec) -> str:
    """Return the factor that raises the load, "" for a table of another kind."""
    return table.rows[-1] if table.columns == _COLUMNS else ""
