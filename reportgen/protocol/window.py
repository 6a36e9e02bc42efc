"""Select the window of a protocol over the steps of a run: skip the warm-up, drop gaps, align the ranks.

In: the entries of every rank. Out: a MeasuredWindow, which holds the entries that count, the same steps
on each rank, and findings about everything that was left out. The window is a range of step numbers
(21..120), so a lost line shortens it and does not move it.

What a gap is depends on how the log takes time. Durations of `timestamp` series run from one time stamp
to the next and contain whatever happened in between: a declared break of known duration is subtracted
from the entry that follows it, and an entry that follows a break of unknown duration is left out. All
other clocks are assumed to stop for declared breaks (our own format does). With any clock, an entry
longer than `gap_factor` times the window's median is left out, unless the host only queued the steps for a
device: then their total is right and single times are not. Quantities other than step times (printed rates,
a loss) have no gaps.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from msgspec import Struct, structs

from reportgen.core.model import Finding, FloatArray, IntArray, Run, Window
from reportgen.core.rules import Rule
from reportgen.protocol.available import lacks_ranks
from reportgen.protocol.definition import Protocol
from reportgen.protocol.steps import BoolArray, Entries, array_median, common_entries, exact_sum

# More gaps than this are counted rather than listed.
_MAX_LISTED_GAPS = 3


class MeasuredWindow(Struct, frozen=True, eq=False):
    """The entries of a run that a protocol measures.

    ranks         entries that count, one for each rank, the same steps in all
    after_warmup  all entries after the warm-up, in the window and later, gaps included
    is_full       True if the log reaches the end of the window
    is_coarse     True if an entry covers several steps
    """

    protocol: Protocol
    ranks: tuple[Entries, ...]
    after_warmup: tuple[Entries, ...]
    window: Window
    is_full: bool
    is_coarse: bool
    findings: tuple[Finding, ...]


def select_window(
    run: Run, series: Sequence[Entries], protocol: Protocol, *, are_times: bool = True
) -> MeasuredWindow | None:
    """Return the window over the entries, one series of each rank, or None if no step is left to measure.

    are_times  True if the values are step times: gaps are left out and breaks subtracted. Otherwise the
               window has no time
    """
    ranks = common_entries(series)
    warmup = warmup_end(ranks[0], protocol) if ranks else 0
    chosen = _choose(ranks[0], warmup, protocol) if ranks else slice(0, 0)
    if chosen.stop <= chosen.start:
        return None
    inside = [rank.take(chosen) for rank in ranks]
    kept = _without_gaps(inside, protocol) if are_times else _whole(inside)
    if kept.left_out.all():
        return None
    time = max(exact_sum(rank.value) for rank in kept.ranks) if are_times else math.nan
    steps = kept.ranks[0].steps
    first, last = int(inside[0].first[0]), int(inside[0].last[-1])
    gaps: list[int] = inside[0].last[kept.left_out].tolist()
    chosen_steps = inside[0].steps
    window = Window(
        first,
        last,
        steps,
        time,
        kept.gap_time,
        _samples(run, kept.ranks, steps),
        tuple(gaps),
        gap_steps=chosen_steps - steps,
    )
    # A log of every tenth step may lack the window's last step and still continue after it.
    is_reached = int(ranks[0].last[-1]) >= warmup + protocol.measure
    findings = (
        *_coarse_interval(run, inside[0], window),
        *_short_window(run, ranks[0], inside[0], warmup, protocol),
        *_gap(run, inside[0], kept.left_out, window),
        *_stalls(run, inside[0], kept.stalls, protocol),
    )
    return MeasuredWindow(
        protocol,
        kept.ranks,
        tuple(rank.take(slice(_after(rank, warmup), None)) for rank in ranks),
        window,
        is_full=is_reached or chosen_steps >= protocol.measure,
        is_coarse=inside[0].is_coarse,
        findings=findings,
    )


def warmup_end(entries: Entries, protocol: Protocol) -> int:
    """Return the last step of the warm-up, 0 without entries.

    A log that begins later than at its first or second entry comes from a resumed process: the log does
    not contain the first warm-up, so the resumed process gets one of its own. One entry may be missing,
    because the first entry of time stamps has no time and some logs print every k-th step only. A few
    lines cut out of the window are too short for a warm-up and keep the window's; a finding says so.
    """
    if not len(entries):
        return 0
    begin = int(entries.first[0])
    resumed = begin - 1 + protocol.warmup
    is_in_window = protocol.warmup < begin <= protocol.warmup + protocol.measure
    is_cut_out = is_in_window and not (entries.first > resumed).any()
    return resumed if _begins_late(entries) and not is_cut_out else protocol.warmup


def _begins_late(entries: Entries) -> bool:
    """Return True if a log lacks its first entries; one may be missing, see `warmup_end`."""
    begin = int(entries.first[0])
    apart = int(entries.first[1]) - begin if len(entries) > 1 else int(entries.span[0])
    return begin > 1 + apart


def _after(entries: Entries, warmup: int) -> int:
    """Return the position of the first entry that begins after the warm-up."""
    return int(entries.first.searchsorted(warmup, "right"))


def _choose(entries: Entries, warmup: int, protocol: Protocol) -> slice:
    """Return the positions of the window's entries.

    Entries of single steps: the steps warmup + 1 .. warmup + measure. Longer entries cannot be cut: whole
    ones are taken from the first that begins after the warm-up until they cover enough steps. The same
    is done in a log that lost all steps of the window.
    """
    begin = _after(entries, warmup)
    span = entries.span[begin:]
    if entries.is_single or (len(span) and int(span.max()) == 1):
        end = int(entries.last.searchsorted(warmup + protocol.measure, "right"))
        if end > begin:
            return slice(begin, end)
    covered = np.cumsum(span)
    end = begin + int(covered.searchsorted(protocol.measure, "left")) + 1
    return slice(begin, min(end, len(entries)))


class _Kept(Struct, frozen=True, eq=False):
    """The ranks of a window without gaps.

    left_out  which entries of the window were dropped; gap_time  s left out
    stalls    long entries that are too many to be gaps and were kept
    """

    ranks: tuple[Entries, ...]
    left_out: BoolArray
    gap_time: float = 0.0
    stalls: int = 0


def _whole(inside: Sequence[Entries]) -> _Kept:
    return _Kept(tuple(inside), np.zeros(len(inside[0]), dtype=bool))


def _without_gaps(inside: Sequence[Entries], protocol: Protocol) -> _Kept:
    """Drop the entries that are gaps.

    A gap on one rank is dropped on all: totals over different steps cannot be compared. Long entries are
    gaps as long as they are few. If they exceed `gap_share` of all entries, they are how the run behaves
    and are measured.
    """
    cleaned = [_without_breaks(rank) for rank in inside]
    left_out = np.zeros(len(inside[0]), dtype=bool)
    too_long, stalls = left_out, 0
    for rank in cleaned:
        left_out = left_out | rank.unknown
        if rank.entries.is_queued:
            continue
        long, times = _too_long(rank.entries, rank.unknown, protocol.gap_factor)
        too_long = too_long | long
        stalls = max(stalls, times)
    if stalls <= max(1, protocol.gap_share * len(too_long)):
        left_out = left_out | too_long
        stalls = 0
    ranks = tuple(rank.entries for rank in cleaned)
    if not left_out.any():
        return _Kept(ranks, left_out, max(rank.break_time for rank in cleaned), stalls)
    gap_time = max(exact_sum((exact_sum(rank.entries.value[left_out]), rank.break_time)) for rank in cleaned)
    return _Kept(tuple(rank.take(~left_out) for rank in ranks), left_out, gap_time, stalls)


@dataclass(frozen=True, slots=True, eq=False)
class _WithoutBreaks:
    """The entries of a rank less declared breaks.

    unknown     entries that contain a break of unknown duration
    break_time  s of the breaks
    """

    entries: Entries
    unknown: BoolArray
    break_time: float = 0.0


def _without_breaks(rank: Entries) -> _WithoutBreaks:
    """Subtract declared breaks from the entries that contain them."""
    unknown = np.zeros(len(rank), dtype=bool)
    if not rank.breaks:
        return _WithoutBreaks(rank, unknown)
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
    return _WithoutBreaks(structs.replace(rank, value=value), unknown, exact_sum(seconds))


def _too_long(rank: Entries, unknown: BoolArray, gap_factor: float) -> tuple[BoolArray, int]:
    """Return which entries exceed gap_factor times the median of all, and how often that happens.

    A clock coarser than the step shows 0, 0, 1: such entries are taken together until time passes. The
    window cuts the first group, so the steps that its time stands for are unknown: its time itself is
    compared with that of the other groups.
    """
    per_step: FloatArray = rank.value if rank.is_single else rank.value / rank.span
    if not rank.breaks and per_step.min() > 0:  # as in most logs: each entry by itself
        too_long: BoolArray = per_step > gap_factor * array_median(per_step)
        return too_long, int(np.count_nonzero(too_long))
    if unknown.all():
        return unknown, 0
    passes = (rank.value > 0) & ~unknown
    together = np.arange(len(rank))
    if not passes.all():
        together = np.concatenate(([0], np.cumsum(passes)[:-1]))
        value: FloatArray = np.bincount(together, np.where(unknown, 0.0, rank.value)).astype(np.float64)
        span = np.bincount(together, np.where(unknown, 0, rank.span))
        averages = value / np.maximum(span, 1)
        if (tick := array_median(value)) > 0:
            averages[0] = min(averages[0], value[0] / tick * array_median(averages))
        per_step = averages[together]
    usual = array_median(per_step[~unknown])
    too_long = ~unknown & (per_step > gap_factor * usual) & (usual > 0)
    return too_long, len(set(together[too_long].tolist()))


def _samples(run: Run, ranks: Sequence[Entries], steps: int) -> float:
    """Return the work in the entries over all ranks, NaN if the log does not say it."""
    if lacks_ranks(run):
        return math.nan
    counted = exact_sum(exact_sum(rank.samples) for rank in ranks)
    if math.isfinite(counted):
        return counted
    return float(run.samples_per_step * steps) if run.samples_per_step is not None else math.nan


def _coarse_interval(run: Run, inside: Entries, window: Window) -> tuple[Finding, ...]:
    if not inside.is_coarse:
        return ()
    intervals = "1 interval" if len(inside) == 1 else f"{len(inside)} intervals"
    message = (
        f"one entry per {_typical(inside.span)} steps; "
        f"steps {window.first}..{window.last} are measured as {intervals}"
    )
    return (Finding("note", Rule.PROTOCOL_COARSE_INTERVAL, run.id, message, inside.place()),)


def _typical(span: IntArray) -> int:
    return int(np.sort(span)[len(span) // 2])


def _short_window(
    run: Run, entries: Entries, inside: Entries, warmup: int, protocol: Protocol
) -> tuple[Finding, ...]:
    begin, first, last = int(entries.first[0]), int(inside.first[0]), int(inside.last[-1])
    end = warmup + protocol.measure
    where = f"steps {first}..{last}"
    if warmup > protocol.warmup:
        message = f"log begins at step {begin}; warm-up taken from there to step {warmup}, {where} measured"
    elif _begins_late(entries):
        only = step_range_text(begin, int(entries.last[-1]))
        message = f"log has only {only}, too few for a warm-up of {protocol.warmup} steps; "
        message += f"those in {warmup + 1}..{end} are measured"
    elif inside.steps < protocol.measure:
        after = f"{protocol.measure} steps after a warm-up of {protocol.warmup}"
        message = f"{inside.steps} of {after} ({where})"
        apart = np.diff(inside.first)
        if not inside.is_coarse and len(apart) and apart.min() > 1:
            message = f"one record per {_typical(apart)} steps: {inside.steps} in {where} sample the {after}"
    elif first > end and not inside.is_coarse:
        message = f"log has none of the steps {warmup + 1}..{end}; {where} are measured instead"
    else:
        return ()
    return (Finding("warning", Rule.PROTOCOL_SHORT_WINDOW, run.id, message, inside.place()),)


def step_range_text(first: int, last: int) -> str:
    """Return a range of steps in words: `step 5`, `steps 43..45`."""
    return f"step {first}" if first == last else f"steps {first}..{last}"


def _stalls(run: Run, inside: Entries, stalls: int, protocol: Protocol) -> tuple[Finding, ...]:
    if not stalls:
        return ()
    message = (
        f"{stalls} of {len(inside)} entries exceed {protocol.gap_factor:g} times the median; "
        "too many to be gaps, so they are measured"
    )
    return (Finding("warning", Rule.PROTOCOL_GAP, run.id, message, inside.place()),)


def _gap(run: Run, inside: Entries, left_out: BoolArray, window: Window) -> tuple[Finding, ...]:
    if not left_out.any() and not window.gap_time > 0:
        return ()
    dropped = inside.take(left_out)
    steps = dropped.steps
    seconds = f"{window.gap_time:.4g} s"
    first, last = int(inside.first[0]), int(inside.last[-1])
    kinds = dict.fromkeys(each.kind for each in inside.breaks if first <= each.step + 1 <= last and each.kind)
    breaks = f" of declared breaks ({', '.join(kinds)})" if kinds else " of declared breaks"
    what = (
        f"{steps} {'step' if steps == 1 else 'steps'} ({_listed(dropped)}) and {seconds}"
        if steps
        else f"{seconds}{breaks}"
    )
    message = f"{what} left out of steps {window.first}..{window.last} ({window.left_out:.1%} of the time)"
    # A declared break is explained; undeclared time may be a stall of the run itself.
    declared = {border.step + 1 for border in inside.breaks}
    is_explained = all(
        any(step in declared for step in range(a, b + 1))
        for a, b in zip(dropped.first.tolist(), dropped.last.tolist(), strict=True)
    )
    source = dropped.place() if steps else inside.place()
    return (Finding("note" if is_explained else "warning", Rule.PROTOCOL_GAP, run.id, message, source),)


def _listed(dropped: Entries) -> str:
    pairs = list(zip(dropped.first.tolist(), dropped.last.tolist(), strict=True))
    shown = [str(b) if a == b else f"{a}..{b}" for a, b in pairs[:_MAX_LISTED_GAPS]]
    return ", ".join(shown) + (", ..." if len(pairs) > _MAX_LISTED_GAPS else "")
