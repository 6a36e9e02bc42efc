"""Lay the window of a protocol over the steps of a run: warm-up off, gaps out, ranks together.

Series of all ranks go in; a Laid comes out: the entries of every rank that count, the same steps on
each, with what had to be left out said in findings. The window goes by step numbers (21..120), so a
lost line makes it shorter rather than later.

What a gap is depends on how the log takes time. Durations of `timestamp` series run from one stamp
to the next and contain whatever happened between them: a declared break of known duration is taken
off the entry that follows it, and an entry that follows one of unknown duration is left out. All
other clocks are held to stop for declared breaks (our own format does). What is longer than
`gap_factor` times the window's median is left out in either case. Quantities that are no time of
steps (printed rates, a loss) know of neither.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from reportgen.core.model import Finding, FloatArray, IntArray, Run, Series, Window
from reportgen.core.rules import Rule
from reportgen.protocol.available import lacks_ranks
from reportgen.protocol.definition import Protocol
from reportgen.protocol.steps import BoolArray, Entries, common, entries, middle, total


@dataclass(frozen=True, slots=True, eq=False)
class Laid:
    """A window laid over a run.

    ranks    entries that count, one for each rank, the same steps in all
    late     entries after the warm-up, the window's and those behind it, gaps not yet left out
    is_full  whether the log reaches the end of the window
    coarse   whether an entry covers several steps
    """

    ranks: tuple[Entries, ...]
    late: tuple[Entries, ...]
    window: Window
    is_full: bool
    coarse: bool
    findings: tuple[Finding, ...]


def lay(run: Run, series: Sequence[Series], protocol: Protocol, *, are_times: bool = True) -> Laid | None:
    """Return the window over the series, one of each rank, or None if no step is left to measure.

    are_times  whether the values are times of steps, from which gaps are left out and breaks taken off;
               without that the window has no time
    """
    return _lay(run, tuple(series), protocol, are_times)


@lru_cache(maxsize=4)  # step time and throughput are measured over one window
def _lay(run: Run, series: tuple[Series, ...], protocol: Protocol, are_times: bool) -> Laid | None:
    ranks = common([entries(one) for one in series])
    warm = warm_from(ranks[0], protocol) if ranks else 0
    chosen = _choose(ranks[0], warm, protocol) if ranks else slice(0, 0)
    if chosen.stop <= chosen.start:
        return None
    inside = [rank.take(chosen) for rank in ranks]
    kept, left_out, gap_time, stalls = _without_gaps(inside, protocol) if are_times else _whole(inside)
    if left_out.all():
        return None
    time = max(total(rank.value) for rank in kept) if are_times else math.nan
    steps = kept[0].steps
    samples = _samples(run, kept, steps)
    window = Window(int(inside[0].first[0]), int(inside[0].last[-1]), steps, time, gap_time, samples)
    chosen_steps = inside[0].steps
    # A log that tells of every tenth step only has no line of the window's last one, but goes on behind it.
    reached = int(ranks[0].last[-1]) >= warm + protocol.measure
    is_full = reached or chosen_steps >= protocol.measure
    coarse = inside[0].is_coarse
    findings = (
        *_coarse_interval(run, inside[0], window, coarse),
        *_short_window(run, ranks[0], inside[0], chosen_steps, warm, protocol),
        *_gap(run, inside[0], left_out, window),
        *_stalls(run, inside[0], stalls, protocol),
    )
    late = tuple(rank.take(slice(_after(rank, warm), None)) for rank in ranks)
    return Laid(tuple(kept), late, window, is_full, coarse, findings)


def warm_from(found: Entries, protocol: Protocol) -> int:
    """Return the last step of the warm-up, 0 for no entries.

    A log that begins later than at its first or second entry is of a process that was resumed: its
    warm-up is not in the log, and it gets one of its own. The first entry of time stamps has no time,
    and some logs tell of every k-th step only, so one entry may be missing. A few lines cut out of the
    window are too short for a warm-up and keep the window's: they are shown with that doubt.
    """
    if not len(found):
        return 0
    begin = int(found.first[0])
    fresh = begin - 1 + protocol.warmup
    is_in_window = protocol.warmup < begin <= protocol.warmup + protocol.measure
    is_cut_out = is_in_window and not (found.first > fresh).any()
    return fresh if _begins_late(found) and not is_cut_out else protocol.warmup


def _begins_late(found: Entries) -> bool:
    """Return whether a log lacks its first entries; one may be missing, as `warm_from` says."""
    begin = int(found.first[0])
    apart = int(found.first[1]) - begin if len(found) > 1 else int(found.span[0])
    return begin > 1 + apart


def _after(found: Entries, warm: int) -> int:
    """Return the position of the first entry that begins after the warm-up."""
    return int(found.first.searchsorted(warm, "right"))


def _choose(found: Entries, warm: int, protocol: Protocol) -> slice:
    """Return the positions of the window's entries.

    Entries of single steps: those of the steps warm + 1 .. warm + measure. Longer ones cannot be cut,
    so whole ones are taken from the first that begins after the warm-up until they cover as many steps
    as should be measured. The same is done in a log that lost all steps of the window.
    """
    begin = _after(found, warm)
    span = found.span[begin:]
    if found.is_single or (len(span) and int(span.max()) == 1):
        end = int(found.last.searchsorted(warm + protocol.measure, "right"))
        if end > begin:
            return slice(begin, end)
    covered = np.cumsum(span)
    end = begin + int(covered.searchsorted(protocol.measure, "left")) + 1
    return slice(begin, min(end, len(found)))


def _whole(inside: list[Entries]) -> tuple[list[Entries], BoolArray, float, int]:
    """Return the ranks as `_without_gaps` does, with nothing left out."""
    return inside, np.zeros(len(inside[0]), dtype=bool), 0.0, 0


def _without_gaps(inside: list[Entries], protocol: Protocol) -> tuple[list[Entries], BoolArray, float, int]:
    """Return the ranks without gaps, which entries those were, the s left out, and the stalls kept.

    An entry that is a gap on one rank is left out on all: the others waited for it or did not, and
    totals over different steps cannot be compared. Long entries are gaps as long as they are few; more
    than `gap_share` of them are how the run is, and a rate without them would be of no run at all.
    """
    cleaned = [_without_breaks(rank) for rank in inside]
    left_out = np.zeros(len(inside[0]), dtype=bool)
    too_long, stalls = left_out, 0
    for rank, unknown, _ in cleaned:
        left_out = left_out | unknown
        long, times = _too_long(rank, unknown, protocol.gap_factor)
        too_long = too_long | long
        stalls = max(stalls, times)
    if stalls <= max(1, protocol.gap_share * len(too_long)):
        left_out = left_out | too_long
        stalls = 0
    if not left_out.any():
        return [rank for rank, _, _ in cleaned], left_out, max(time for *_, time in cleaned), stalls
    gap_time = max(total((total(rank.value[left_out]), seconds)) for rank, _, seconds in cleaned)
    return [rank.take(~left_out) for rank, _, _ in cleaned], left_out, gap_time, stalls


def _without_breaks(rank: Entries) -> tuple[Entries, BoolArray, float]:
    """Return the entries less declared breaks, which cannot be told from one, and the s of breaks."""
    unknown = np.zeros(len(rank), dtype=bool)
    if not rank.breaks:
        return rank, unknown, 0.0
    value, seconds = rank.value.copy(), list[float]()
    for border in rank.breaks:
        follows = border.step + 1
        if not rank.first[0] <= follows <= rank.last[-1]:
            continue
        at = int(rank.last.searchsorted(follows, "left"))
        is_known = math.isfinite(border.duration) and border.duration >= 0
        if rank.clock != "timestamp":
            seconds += [border.duration] if is_known else []
        elif is_known and rank.first[at] <= follows and border.duration <= value[at]:
            value[at] -= border.duration
            seconds.append(border.duration)
        elif rank.first[at] <= follows:
            unknown[at] = True
    return replace(rank, value=value), unknown, total(seconds)


def _too_long(rank: Entries, unknown: BoolArray, gap_factor: float) -> tuple[BoolArray, int]:
    """Return which entries take more than gap_factor times the median of all, and how often that happens.

    A clock coarser than the step shows 0, 0, 1: such entries are taken together until time passes.
    """
    per_step: FloatArray = rank.value if rank.is_single else rank.value / rank.span
    if not rank.breaks and per_step.min() > 0:  # as in most logs: each entry for itself
        too_long: BoolArray = per_step > gap_factor * middle(per_step)
        return too_long, int(np.count_nonzero(too_long))
    if unknown.all():
        return unknown, 0
    passes = (rank.value > 0) & ~unknown
    together = np.arange(len(rank))
    if not passes.all():
        together = np.concatenate(([0], np.cumsum(passes)[:-1]))
        value = np.bincount(together, np.where(unknown, 0.0, rank.value))
        span = np.bincount(together, np.where(unknown, 0, rank.span))
        per_step = (value / np.maximum(span, 1))[together]
    usual = middle(per_step[~unknown])
    too_long = ~unknown & (per_step > gap_factor * usual) & (usual > 0)
    return too_long, len(set(together[too_long].tolist()))


def _samples(run: Run, ranks: Sequence[Entries], steps: int) -> float:
    """Return the work in the entries over all ranks, NaN when the log does not tell."""
    if lacks_ranks(run):
        return math.nan
    counted = total(total(rank.samples) for rank in ranks)
    if math.isfinite(counted):
        return counted
    return float(run.samples_per_step * steps) if run.samples_per_step is not None else math.nan


def _coarse_interval(run: Run, inside: Entries, window: Window, coarse: bool) -> tuple[Finding, ...]:
    if not coarse:
        return ()
    message = (
        f"the log has one entry for every {_typical(inside.span)} steps: "
        f"steps {window.first}..{window.last} are measured in {len(inside)} of them"
    )
    return (Finding("note", Rule.PROTOCOL_COARSE_INTERVAL, run.id, message, inside.place()),)


def _typical(span: IntArray) -> int:
    return int(np.sort(span)[len(span) // 2])


def _short_window(
    run: Run, found: Entries, inside: Entries, chosen_steps: int, warm: int, protocol: Protocol
) -> tuple[Finding, ...]:
    begin, first, last = int(found.first[0]), int(inside.first[0]), int(inside.last[-1])
    end = warm + protocol.measure
    where = f"steps {first}..{last}"
    if warm > protocol.warmup:
        message = f"the log begins at step {begin} and warms up until step {warm}: {where} are measured"
    elif _begins_late(found):
        only = spelled(begin, int(found.last[-1]))
        message = f"the log has only {only}, too few for a warm-up of {protocol.warmup}: "
        message += f"those within {warm + 1}..{end} are measured"
    elif chosen_steps < protocol.measure:
        after = f"{protocol.measure} steps after a warm-up of {protocol.warmup}"
        message = f"{chosen_steps} of {after} ({where})"
        apart = np.diff(inside.first)
        if not inside.is_coarse and len(apart) and apart.min() > 1:
            message = f"{chosen_steps} records, one in {_typical(apart)} steps, sample {where} of the {after}"
    elif first > end and not inside.is_coarse:
        message = f"the log has none of the steps {warm + 1}..{end}: {where} are measured"
    else:
        return ()
    return (Finding("warning", Rule.PROTOCOL_SHORT_WINDOW, run.id, message, inside.place()),)


def spelled(first: int, last: int) -> str:
    """Return a range of steps in words: `step 5`, `steps 43..45`."""
    return f"step {first}" if first == last else f"steps {first}..{last}"


def _stalls(run: Run, inside: Entries, stalls: int, protocol: Protocol) -> tuple[Finding, ...]:
    if not stalls:
        return ()
    message = (
        f"{stalls} of {len(inside)} entries take more than {protocol.gap_factor:g} times the median: "
        "too many to be gaps, they are measured"
    )
    return (Finding("warning", Rule.PROTOCOL_GAP, run.id, message, inside.place()),)


def _gap(run: Run, inside: Entries, left_out: BoolArray, window: Window) -> tuple[Finding, ...]:
    if not left_out.any() and not window.gap_time > 0:
        return ()
    share = window.gap_time / (window.gap_time + window.time) if window.gap_time > 0 else 0.0
    gone = inside.take(left_out)
    steps = gone.steps
    seconds = f"{window.gap_time:.4g} s"
    what = (
        f"{steps} {'step' if steps == 1 else 'steps'} ({_listed(gone)}) and {seconds}"
        if steps
        else f"{seconds} of declared breaks"
    )
    message = f"{what} are left out of steps {window.first}..{window.last}, {share:.1%} of their time"
    # A declared break is what it says; time that nobody declared may be a stall of the run itself.
    declared = {border.step + 1 for border in inside.breaks}
    explained = all(
        any(step in declared for step in range(a, b + 1))
        for a, b in zip(gone.first.tolist(), gone.last.tolist(), strict=True)
    )
    source = gone.place() if steps else inside.place()
    return (Finding("note" if explained else "warning", Rule.PROTOCOL_GAP, run.id, message, source),)


def _listed(gone: Entries, most: int = 3) -> str:
    pairs = list(zip(gone.first.tolist(), gone.last.tolist(), strict=True))
    shown = [str(b) if a == b else f"{a}..{b}" for a, b in pairs[:most]]
    return ", ".join(shown) + (", ..." if len(pairs) > most else "")
