"""Facts about a run that the metrics and tables of a build share: entries, windows, findings, measurements.

A run is asked for many metrics, and by many tables. Each answer is computed once and kept here, as long
as the build that owns the store. Nothing is kept between builds. Windows and the entries of steps take much
memory, so only some thousand runs have theirs at a time: a run that lets go of them is measured before for
all that the build expects to be asked.
"""

import math
from collections import deque
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar, cast

import numpy as np
from msgspec import Struct

from reportgen.core.column_file import release_columns
from reportgen.core.model import Finding, Measurement, Run, Series, Source, Window
from reportgen.protocol.available import NO_TOTALS, Totals, available_metrics, series_of
from reportgen.protocol.definition import Protocol
from reportgen.protocol.steps import BoolArray, Entries, entries_within, exact_sum, measurable_entries
from reportgen.protocol.window import MeasuredWindow, select_window

T = TypeVar("T")
H = TypeVar("H", bound=Hashable)

# Runs that have their windows at a time: more than a case has, most often.
_MAX_OPEN = 500
# After a run was asked for so often, the steps that were read leave the memory: those of some hundred runs.
_RELEASED_AFTER = 10_000


class Attempt(Struct, frozen=True):
    """The measurement of a run, or None with the findings that say why there is none.

    Only a run without any data of the metric (`available_metrics`) has neither.
    """

    measurement: Measurement | None
    findings: tuple[Finding, ...] = ()


Check = Callable[["MeasuredRun", MeasuredWindow], tuple[Finding, ...]]
AttemptKey = tuple[str, str, tuple[str, ...] | None, Protocol]


@dataclass(slots=True)
class _Opened:
    """Parts of a run that take much memory.

    Series are compared by identity, and so are windows.

    series    by metric and phase
    computed  of a window, by function, and the entries inside it, by series
    places    sources of measurements
    """

    series: dict[tuple[str, str], tuple[Series, ...]] = field(default_factory=dict)
    entries: dict[Series, Entries] = field(default_factory=dict)
    windows: dict[tuple[tuple[Series, ...], Protocol, bool], MeasuredWindow | None] = field(
        default_factory=dict
    )
    computed: dict[int, tuple[MeasuredWindow, dict[object, object]]] = field(default_factory=dict)
    places: dict[tuple[Source, ...], tuple[Source, ...]] = field(default_factory=dict)


class MeasuredRun:
    """A run with everything that was computed from it.

    store  that it belongs to
    """

    __slots__ = ("_known", "_opened", "_store", "run")

    def __init__(self, run: Run, store: "MeasuredRuns | None" = None) -> None:
        self.run = run
        self._store = store
        self._opened: _Opened | None = None
        # Of thousands of runs, one dictionary takes half the memory of three.
        self._known: dict[object, object] = {}

    def _open(self) -> _Opened:
        if self._opened is None:
            self._opened = _Opened()
            if self._store:
                self._store.add_opened(self)
        return self._opened

    def close(self) -> None:
        """Let go of entries and windows; they are made again when they are asked for."""
        self._opened = None

    def same(self, value: H) -> H:
        """Return a value that equals this one, the same for all runs of the store."""
        return self._store.same(value) if self._store else value

    def available(self, totals: Totals = NO_TOTALS) -> tuple[tuple[str, str], ...]:
        """Return the (metric, phase) pairs for which the log has data; see `available_metrics`."""
        key = tuple(totals.items()) if totals else ()
        if key not in self._known:
            self._known[self.same(key)] = self.same(available_metrics(self.run, totals))
        return cast(tuple[tuple[str, str], ...], self._known[key])

    def fact(self, compute: Callable[[Run], T]) -> T:
        """Return what a function computes of the run as its log has it; all metrics share it."""
        if compute not in self._known:
            fact = compute(self.run)
            self._known[compute] = self._store.alike(fact) if self._store else fact
        return cast(T, self._known[compute])

    def attempt(self, key: AttemptKey, measure: Callable[[], Attempt]) -> Attempt:
        """Return the attempt at a metric, phase, parts of a total and protocol."""
        if key not in self._known:
            made = measure()
            # Of thousands of runs, measurements without findings take less memory than attempts.
            self._known[self.same(key)] = made if made.findings else made.measurement
        known = self._known[key]
        return known if isinstance(known, Attempt) else Attempt(cast(Measurement | None, known))

    def series(self, metric: str, phase: str) -> tuple[Series, ...]:
        """Return the series of a metric and phase; see `series_of`."""
        known, key = self._open().series, (metric, phase)
        if key not in known:
            known[key] = series_of(self.run, metric, phase)
        return known[key]

    def entries(self, series: Series) -> Entries:
        """Return the measurable entries of one of the run's series."""
        known = self._open().entries
        if series not in known:
            known[series] = measurable_entries(series)
        return known[series]

    def window(
        self, series: Sequence[Series], protocol: Protocol, *, are_times: bool = True
    ) -> MeasuredWindow | None:
        """Return the window over the series, one of each rank; see `select_window`."""
        known = self._open().windows
        key = (tuple(series), protocol, are_times)
        if key not in known:
            entries = [self.entries(each) for each in series]
            known[key] = select_window(self.run, entries, protocol, are_times=are_times)
        return known[key]

    def inside(self, series: Series, window: MeasuredWindow) -> Entries:
        """Return the entries of a series that are inside the measured steps of a window."""
        known = self._known_of(window)
        if series not in known:
            known[series] = entries_within(self.entries(series), window.ranks[0])
        return cast(Entries, known[series])

    def places_in(self, series: Sequence[Series], window: Window) -> tuple[Source, ...]:
        """Return the lines of the first measured step in each of the series; metrics share them."""
        places = tuple(dict.fromkeys(place_in(each, window) for each in series))
        return self._open().places.setdefault(places, places)

    def is_unmeasured(self, series: Series, window: MeasuredWindow) -> BoolArray:
        """Return which values of a series are missing in measured steps."""
        missing = np.isnan(series.value)
        if not missing.any():  # as in most logs
            return missing
        missing &= np.isin(series.step, window.ranks[0].last)
        return missing & ~np.isin(series.step, self.entries(series).last)

    def time_per_step(self, series: Series, window: MeasuredWindow) -> float:
        """Return the s per measured step that a phase takes; NaN if no step entered it.

        A step that never entered a phase spent no time in it: the optimizer runs once in four steps where
        gradients are accumulated. Intervals may be missing, so they count themselves, and a step whose time
        was not measured counts nowhere.
        """
        inside = self.inside(series, window)
        if not len(inside):
            return math.nan
        unmeasured = int(series.span[self.is_unmeasured(series, window)].sum())
        steps = inside.steps if inside.is_coarse else window.window.steps - unmeasured
        return exact_sum(inside.value) / steps

    def check(self, check: Check, window: MeasuredWindow) -> tuple[Finding, ...]:
        """Return the findings of a check of one of the run's windows."""
        return self.once(check, window)

    def once(self, compute: "Callable[[MeasuredRun, MeasuredWindow], T]", window: MeasuredWindow) -> T:
        """Return what a function computes of one of the run's windows; several metrics share a window."""
        known = self._known_of(window)
        if compute not in known:
            known[compute] = compute(self, window)
        return cast(T, known[compute])

    def _known_of(self, window: MeasuredWindow) -> dict[object, object]:
        computed = self._open().computed
        if id(window) not in computed:
            computed[id(window)] = window, {}
        return computed[id(window)][1]


class MeasuredRuns:
    """The store of one build: each run is measured once per metric, phase and protocol."""

    def __init__(self) -> None:
        self._runs: dict[int, MeasuredRun] = {}
        self._together: dict[tuple[object, tuple[int, ...], Protocol], object] = {}
        self._known: dict[object, object] = {}
        self._open: deque[MeasuredRun] = deque()
        self._asked = 0
        self._measure: Callable[[MeasuredRun], None] | None = None

    def of(self, run: Run) -> MeasuredRun:
        """Return the run with everything that was computed from it so far."""
        if id(run) not in self._runs:
            self._runs[id(run)] = MeasuredRun(run, self)
        self._asked += 1
        if self._asked % _RELEASED_AFTER == 0:
            release_columns()
        return self._runs[id(run)]

    def same(self, value: H) -> H:
        """Return the first value that equals this one."""
        return cast(H, self._known.setdefault(value, value))

    def alike(self, value: T) -> T:
        """Return the first value with the text of this one: 1 and 1.0 differ."""
        return cast(T, self._known.setdefault((type(value), repr(value)), value))

    def expect(self, measure: Callable[[MeasuredRun], None]) -> None:
        """Say how to measure what a run will be asked for: it is done before a run lets go of its windows."""
        self._measure = measure

    def add_opened(self, run: MeasuredRun) -> None:
        """Note that a run has entries and windows; the one that has had them longest lets go of them."""
        self._open.append(run)
        if len(self._open) > _MAX_OPEN:
            oldest = self._open.popleft()
            if self._measure:
                self._measure(oldest)
            oldest.close()

    def forget(self) -> None:
        """Forget everything: the build asks no more."""
        self._open.clear()
        self._runs.clear()
        self._together.clear()

    def together(
        self,
        compute: "Callable[[Sequence[Run], MeasuredRuns, Protocol], T]",
        runs: Sequence[Run],
        protocol: Protocol,
    ) -> T:
        """Return what a function computes of several runs; the cases of all metrics share it."""
        key = (compute, tuple(id(self.of(run).run) for run in runs), protocol)
        if key not in self._together:
            self._together[key] = compute(runs, self, protocol)
        return cast(T, self._together[key])


def place_in(series: Series, window: Window) -> Source:
    """Return the line of the first measured step in a series."""
    measured = series.step >= window.first
    at = int(measured.argmax())
    return Source(series.source.path, int(series.line[at])) if measured[at] else series.source
