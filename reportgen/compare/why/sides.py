"""The two sides of a breakdown: what the runs of a case and of its baseline show about its parts.

The time of the whole is that of the cell. Each phase is the median over the repeats. Where several ranks
timed their phases, those of the slowest rank count: its own time, without the phases in which it waits for
others, is the longest.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from reportgen.compare.breakdown import Breakdown, Hint
from reportgen.compare.contract import have_same_device
from reportgen.compare.side import MeasuredLogs, Side
from reportgen.compare.why.phases import EXPLAINED_BY, without_containers
from reportgen.compare.why.split import PhaseTime, SideTimes, split_difference
from reportgen.core.model import STEP, Case, Measurement, Series, Source
from reportgen.core.stats import median
from reportgen.core.stored_series import without_numbers
from reportgen.protocol import MeasuredRun, MeasuredRuns, Protocol, try_measure
from reportgen.protocol.available import series_of
from reportgen.protocol.cycles import sm_clocks
from reportgen.protocol.measured_run import place_in
from reportgen.protocol.run_checks import WAITING_PHASES

# Times (s) and clocks (Hz) outside are not measurements, and their differences need not be finite.
_TIMES, _CLOCKS = (1e-30, 1e30), (1e3, 1e15)

_STEP_TIME = "step_time"
_RATES = ("throughput", "throughput_per_device", "token_throughput")


def break_down(own_side: Side, baseline_side: Side, logs: MeasuredLogs) -> Breakdown | None:
    """Return the parts of the difference of two times; None unless the number is a time or rate of steps.

    Two stored cases have none: only their logs say how long each phase took.
    """
    case, baseline = own_side.case, baseline_side.case
    if case is None or baseline is None:
        return None
    is_rate = case.metric in _RATES
    if not is_rate and case.metric != _STEP_TIME:
        return None
    pair = case, baseline
    names = _names(case, pair, logs.measured)
    reader = _SideReader(logs.protocol, logs.measured, names, is_rate)
    own, other = (reader.side(each) for each in pair)
    if own is None or other is None:
        return None
    hints = [*_hints(case, is_baseline=False), *_hints(baseline, is_baseline=True)]
    per = "sample" if is_rate else "step"
    same = have_same_device(own_side, baseline_side)
    return split_difference(
        own, other, per=per, is_step=case.phase == STEP, has_same_device=same, hints=hints
    )


def _names(case: Case, pair: Iterable[Case], measured: MeasuredRuns) -> tuple[str, ...]:
    """Return the phases that the whole consists of."""
    if case.parts or case.phase != STEP:
        return case.parts or (case.phase,)
    runs = [measured.of(each.run) for side in pair for each in side.measurements]
    known = [name for run in runs for metric, name in run.available() if metric == _STEP_TIME]
    in_order = [each.phase for run in runs for each in without_numbers(run.run.series)]
    in_order += [each.phase for run in runs for each in run.run.aggregates]
    return without_containers([name for name in dict.fromkeys(in_order) if name in known and name != STEP])


@dataclass(frozen=True, slots=True)
class _RunTimes:
    """The phases of one run in s per step or sample."""

    phases: dict[str, PhaseTime]
    has_ranks: bool


@dataclass(frozen=True, slots=True)
class _SideReader:
    protocol: Protocol
    measured: MeasuredRuns
    names: Sequence[str]
    is_rate: bool

    def side(self, case: Case) -> SideTimes | None:
        """Return what the runs of a case show, None for a case without a time."""
        if case.summary is None or not case.summary.median > 0:
            return None
        whole = self._time(case.summary.median)
        if not _is_within(whole, _TIMES):
            return None
        runs = [times for each in case.measurements if (times := self._times(each))]
        clocks = sm_clocks(case, self.measured, self.protocol)
        return SideTimes(
            whole,
            _medians([run.phases for run in runs], len(case.measurements), self.names),
            has_ranks=bool(runs) and all(run.has_ranks for run in runs),
            is_single=all(_is_single(each) for each in case.measurements),
            clock=median(clocks) if clocks and _is_within(median(clocks), _CLOCKS) else None,
            clock_sources=_clock_sources(case) if clocks else (),
        )

    def _time(self, value: float) -> float:
        return 1 / value if self.is_rate else value

    def _measure(self, measurement: Measurement, metric: str, phase: str) -> Measurement | None:
        run = self.measured.of(measurement.run)
        return try_measure(run, metric, phase, self.protocol).measurement

    def _times(self, measurement: Measurement) -> _RunTimes | None:
        """Return the phases of a run; of a rate in s per sample, which takes the time of a step."""
        scale = 1.0
        if self.is_rate:
            step = self._measure(measurement, _STEP_TIME, STEP)
            if step is None or not measurement.value > 0:
                return None
            scale = 1 / measurement.value / step.value
        run = self.measured.of(measurement.run)
        by_rank = self._by_rank(run)
        if by_rank:
            return _RunTimes({name: _scaled(phase, scale) for name, phase in by_rank.items()}, has_ranks=True)
        phases = {}
        for name in self.names:
            if phase := self._measure(measurement, _STEP_TIME, name):
                sources = phase.sources or (measurement.run.source,)
                phases[name] = PhaseTime(phase.value * scale, sources)
        return _RunTimes(phases, has_ranks=False)

    def _by_rank(self, run: MeasuredRun) -> dict[str, PhaseTime]:
        """Return the phases of the slowest rank, empty unless several ranks timed theirs."""
        series = {name: series_of(run.run, _STEP_TIME, name) for name in self.names}
        series = {name: ranks for name, ranks in series.items() if ranks}
        numbers = [{each.rank for each in ranks} for ranks in series.values()]
        if not series or len(set.union(*numbers)) < 2:
            return {}
        window = run.window(
            series_of(run.run, _STEP_TIME, STEP) or next(iter(series.values())), self.protocol
        )
        if window is None:
            return {}
        times: dict[int, dict[str, float]] = {}
        for name, ranks in series.items():
            for each in ranks:
                time = run.time_per_step(each, window)
                times.setdefault(each.rank, {})[name] = 0.0 if math.isnan(time) else time
        slowest = max(times, key=lambda rank: (_own_time(times[rank]), -rank))
        return {
            name: PhaseTime(
                times[slowest].get(name, 0.0),
                _places(ranks, slowest, lambda each: place_in(each, window.window)),
                0.0 if name in WAITING_PHASES else _lag(times, slowest, name),
            )
            for name, ranks in series.items()
        }


def _own_time(phases: dict[str, float]) -> float:
    """Return the time of a rank in which it does not wait for the others."""
    return math.fsum(time for name, time in phases.items() if name not in WAITING_PHASES)


def _lag(times: dict[int, dict[str, float]], slowest: int, name: str) -> float:
    return times[slowest].get(name, 0.0) - median([phases.get(name, 0.0) for phases in times.values()])


def _places(ranks: Iterable[Series], rank: int, place: Callable[[Series], Source]) -> tuple[Source, ...]:
    return tuple(place(each) for each in ranks if each.rank == rank)


def _scaled(phase: PhaseTime, scale: float) -> PhaseTime:
    return PhaseTime(phase.seconds * scale, phase.sources, phase.lag * scale)


def _medians(runs: Sequence[dict[str, PhaseTime]], count: int, names: Iterable[str]) -> dict[str, PhaseTime]:
    """Return each phase that all runs have, as the median over them."""
    phases = {}
    for name in names:
        times = [run[name] for run in runs if name in run]
        if times and len(times) == count and all(_is_time(each) for each in times):
            phases[name] = PhaseTime(
                median([each.seconds for each in times]),
                _distinct(source for each in times for source in each.sources),
                median([each.lag for each in times]),
            )
    return phases


def _clock_sources(case: Case) -> tuple[Source, ...]:
    return _distinct(device.source for each in case.measurements for device in each.run.telemetry)


def _is_time(phase: PhaseTime) -> bool:
    return (phase.seconds == 0 or _is_within(phase.seconds, _TIMES)) and abs(phase.lag) < _TIMES[1]


def _is_within(value: float, bounds: tuple[float, float]) -> bool:
    return bounds[0] < value < bounds[1]


def _is_single(measurement: Measurement) -> bool:
    run = measurement.run
    return run.ranks == 1 or (run.ranks is None and run.factors.get("devices") == 1)


def _distinct(sources: Iterable[Source]) -> tuple[Source, ...]:
    return tuple(dict.fromkeys(sources))


def _hints(case: Case, *, is_baseline: bool) -> list[Hint]:
    """Return the findings about a case that may explain a part; equal messages of its runs are one.

    A run that was profiled has no measurement, but its profile says which kernels a phase consists of.
    """
    counts: dict[tuple[str, str], Hint] = {}
    of_repeats = [(*each.run.findings, *each.findings) for each in case.measurements]
    for findings in (*of_repeats, *(run.findings for run in case.unmeasured if run.profiler)):
        for finding in dict.fromkeys(findings):
            kind = EXPLAINED_BY.get(finding.rule)
            if kind:
                key = finding.rule, finding.text
                known = counts.get(key)
                counts[key] = Hint(
                    kind, known.finding if known else finding, known.runs + 1 if known else 1, is_baseline
                )
    return list(counts.values())
