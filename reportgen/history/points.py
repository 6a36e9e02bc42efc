"""A cell over time: its points in order, and the steps and drifts between them."""

import math
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial

from reportgen.compare.verdict import time_text
from reportgen.core.change_points import ChangePoint, ChangePointRule, find_changes
from reportgen.core.metrics import metric_of
from reportgen.core.model import FactorValue
from reportgen.core.stats import median
from reportgen.core.units import Unit
from reportgen.tables.trends import change_size

Key = Mapping[str, FactorValue]

# Lag-1 correlations of independent noise are below 2 / sqrt(n); above this, p is too small whatever n is.
_CORRELATED = 0.5
# Values before and after a change from which its cause is judged.
_NEIGHBOURS = 10
# A test takes about a millisecond per point, and a pool a tenth of a second.
_POOL_POINTS, _CHUNK_CELLS = 1_000, 4
# A side of a ratio that changed by a smaller share did not move.
MOVED = 0.005


@dataclass(frozen=True, slots=True)
class HistoryPoint:
    """A number at one commit, date or version.

    label, date  what it is called, and its day (ISO 8601)
    value        base unit; low, high  its interval, None without one
    repeats      behind the value
    own, base    medians of the case and its baseline, None where they are unknown
    subject      first line of the commit's message
    events       what else changed here: environment, findings, protocol, baseline
    """

    label: str
    date: str
    value: float
    low: float | None = None
    high: float | None = None
    repeats: int = 0
    own: float | None = None
    base: float | None = None
    subject: str = ""
    commit: str = ""
    events: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class HistoryChange:
    """A step or drift with its sentence; `cause` says what else changed there, "" if nothing did."""

    point: ChangePoint
    text: str
    cause: str = ""


@dataclass(frozen=True, slots=True)
class CellHistory:
    """One cell of a table over time.

    unit     base unit of the values
    metric   of the table, for the better direction
    note     why no change points are given, or how far to trust them; "" if there is nothing to say
    end      since when the cell shows no number, and why; "" if it shows one now
    case     name of the case behind the last number, "" without one
    shown    unit in which the table shows it, None without one
    """

    report: str
    table: str
    row: Key
    column: Key
    quantity: str
    metric: str
    unit: str
    points: tuple[HistoryPoint, ...]
    changes: tuple[HistoryChange, ...] = ()
    note: str = ""
    end: str = ""
    case: str = ""
    shown: Unit | None = None


def with_all_changes(histories: Sequence[CellHistory], rule: ChangePointRule) -> tuple[CellHistory, ...]:
    """Return the histories with their steps and drifts, found in several processes where that pays."""
    find = partial(with_changes, rule=rule)
    if sum(len(history.points) for history in histories) < _POOL_POINTS:
        return tuple(map(find, histories))
    with ProcessPoolExecutor() as pool:
        return tuple(pool.map(find, histories, chunksize=_CHUNK_CELLS))


def with_changes(history: CellHistory, rule: ChangePointRule) -> CellHistory:
    """Return the history with its steps and drifts."""
    values = [point.value for point in history.points]
    if len(values) < rule.fewest_points:
        note = f"too few points for change points: {len(values)} of {rule.fewest_points}"
        return replace(history, note=note)
    if min(values) <= 0:
        return replace(history, note="no change points: not all values are positive")
    result = find_changes(values, rule)
    changes = tuple(
        HistoryChange(change, _sentence(history, change), _cause(history, change, result.changes))
        for change in result.changes
    )
    note = ""
    if changes and result.neighbour_correlation > max(_CORRELATED, 2 / math.sqrt(len(values))):
        note = (
            f"neighbouring points resemble each other (correlation {result.neighbour_correlation:.2f}), "
            "so a change may be noise"
        )
    return replace(history, changes=changes, note=note)


def _sentence(history: CellHistory, change: ChangePoint) -> str:
    """Return "step at 3fa1c02: 4.1 % slower (4.3 % more time; p = 0.004)"."""
    first, last = history.points[change.first], history.points[change.last]
    # A ratio has no better direction of its own.
    metric = history.metric if history.quantity == "value" else ""
    time = time_text(1 / change.ratio) if metric_of(metric).better == "lower" else ""
    size = f"{change_size(change.ratio, metric)} ({f'{time}; ' if time else ''}p = {change.p:.2g})"
    if change.kind == "step":
        return f"step at {first.label}: {size}"
    return f"drift from {first.label} to {last.label}: {size}"


def _cause(history: CellHistory, change: ChangePoint, every: Sequence[ChangePoint]) -> str:
    """Return what else changed at a step, and whether a ratio moved because of its baseline."""
    parts = [_moved_side(history, change, every)] if history.quantity != "value" else []
    if change.kind == "step":
        parts += history.points[change.first].events
    return "; ".join(part for part in parts if part)


def _moved_side(history: CellHistory, change: ChangePoint, every: Sequence[ChangePoint]) -> str:
    """Return which side of a ratio moved, by the medians of the values between it and the changes next to it.

    "" if another change overlaps it: the values on one side of it show both.
    """
    others = [each for each in every if each != change]
    if any(each.first <= change.last and change.first <= each.last for each in others):
        return ""
    begin = max((each.last for each in others if each.last < change.first), default=0)
    end = min((each.first for each in others if each.first > change.last), default=len(history.points))
    before = history.points[max(begin, change.first - _NEIGHBOURS) : change.first or 1]
    after = history.points[change.last : min(end, change.last + _NEIGHBOURS)]
    own = _log_change([p.own for p in before], [p.own for p in after])
    base = _log_change([p.base for p in before], [p.base for p in after])
    if own is None or base is None:
        return ""
    own, base = math.expm1(own), math.expm1(base)
    own_moved, base_moved = abs(own) >= MOVED, abs(base) >= MOVED
    if base_moved and not own_moved:
        return f"the baseline moved ({100 * base:+.1f} %), the case did not"
    if own_moved and not base_moved:
        return f"the case moved ({100 * own:+.1f} %), the baseline did not"
    sides = f"the case {100 * own:+.1f} %, the baseline {100 * base:+.1f} %"
    return f"both moved: {sides}" if own_moved else sides


def _log_change(before: list[float | None], after: list[float | None]) -> float | None:
    old, new = ([x for x in values if x is not None and x > 0] for values in (before, after))
    return math.log(median(new) / median(old)) if old and new else None
