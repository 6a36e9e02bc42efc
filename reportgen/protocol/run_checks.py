"""Check one measured run: is it steady, do its clocks agree, does a rank lag.

Each rule is one function from a run and its window to findings; `check_run` returns all of them. They
label a number and never change it.
"""

import math
import re
from collections.abc import Sequence

import numpy as np

from reportgen.core.closure import closures
from reportgen.core.devices import find_device
from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.model import STEP, Finding, Run, Series, Source
from reportgen.core.rules import Rule, Severity
from reportgen.core.stats import median, quantile
from reportgen.protocol.available import is_in_whole_seconds
from reportgen.protocol.conditions import device_model
from reportgen.protocol.contradictions import check_contradictions
from reportgen.protocol.measured_run import MeasuredRun
from reportgen.protocol.outliers import check_level, check_outliers
from reportgen.protocol.printed_rate import RATE_SHARE
from reportgen.protocol.resolution import check_resolution
from reportgen.protocol.steps import (
    Entries,
    block_medians,
    entries_within,
    exact_sum,
    slowest_of,
    step_ranges_text,
)
from reportgen.protocol.telemetry_checks import check_telemetry, device_label
from reportgen.protocol.window import MeasuredWindow
from reportgen.protocol.work import check_work

# Steps of one block, whose median is compared: long enough to bury a hiccup, short enough for 10 in 100.
BLOCK_STEPS = 10

# Blocks that differ from the rest by less than this share are steady however quiet the rest is.
STEADY_SHARE = 0.02

# Two clocks of the same steps may differ by this share.
CLOCK_SHARE = 0.02
# A host that only queues steps is ahead by a few of them, so it may need so much more time than the device.
_IDLE_SHARE = 0.05
# Beyond this share, the device's time is not that of the steps.
_UNUSABLE_IDLE_SHARE = 0.2

# Factors that name the device.
_DEVICE_FACTORS = ("device", "gpu", "accelerator", "device_name", "gpu_name")

# Here the host waits for the host: its clock is right without synchronisation.
HOST_PHASES = ("data_loading",)

# In these phases a rank of a synchronous run waits for the others: time in them is not its own.
WAITING_PHASES = ("backward", "optimizer", "communication", "all_reduce")

_GPU = lazy_pattern(
    r"gpu|cuda|nvidia|tesla|geforce|quadro|rtx|\b(?:[abhlpv]\d{2,3}s?|[tl]4|g[bh]\d{3})\b", re.IGNORECASE
)


def check_run(measured: MeasuredRun, window: MeasuredWindow, used: Sequence[Series]) -> tuple[Finding, ...]:
    """Return all findings of measuring the series `used` of a run over a window."""
    return (
        *window.findings,
        *measured.check(_of_steps, window),
        *check_synchronised(measured.run, used, window),
        *check_device_time(measured, used, window),
        *measured.check(_of_clocks_and_devices, window),
    )


def _of_steps(measured: MeasuredRun, window: MeasuredWindow) -> tuple[Finding, ...]:
    """Return the findings about the steps of a window, the same for all that is measured over it."""
    return (
        *measured.check(check_contradictions, window),
        *check_work(measured, window),
        *check_device(measured, window),
        *(measured.check(check_steady, window) or check_level(measured, window)),
        *check_outliers(measured, window),
    )


def _of_clocks_and_devices(measured: MeasuredRun, window: MeasuredWindow) -> tuple[Finding, ...]:
    """Return the findings about the clocks of a window, its ranks and its devices."""
    return (
        *(check_closure(measured, window) or check_clocks(measured, window)),
        *check_printed_times(measured, window),
        *measured.check(check_resolution, window),
        *measured.check(check_stragglers, window),
        *measured.check(check_telemetry, window),
    )


def check_device(measured: MeasuredRun, window: MeasuredWindow) -> tuple[Finding, ...]:
    """Report a run whose factors name another model of device than its environment."""
    run = measured.run
    factors = {name: str(run.factors[name]) for name in _DEVICE_FACTORS if name in run.factors}
    logged = device_model(run) if factors else ""
    device = find_device(logged) if logged else None
    for name, value in factors.items():
        named = find_device(value)
        if named and device and named != device:
            message = f'{name} is "{value}", and the log was written on "{logged}"'
            return (Finding("warning", Rule.READ_LABEL_CONFLICT, run.id, message, window.ranks[0].place()),)
    return ()


def check_steady(measured: MeasuredRun, window: MeasuredWindow) -> tuple[Finding, ...]:
    """Report the step from which the run is steady, if that is not the first after the warm-up.

    The median step time of each block of 10 steps after the warm-up is compared with the median of the
    last half of the log. A block agrees if it is within the interquartile range of that half's steps, or
    within 2 %. A run is steady from its first block that agrees; a later disturbance has nothing to do
    with the warm-up. For single steps only, and for at least four blocks.
    """
    blocks = len(window.after_warmup[0]) // BLOCK_STEPS
    if blocks < 4 or window.after_warmup[0].is_coarse or window.after_warmup[0].is_queued:
        return ()
    slowest = slowest_of(window.after_warmup)
    medians = block_medians(slowest.value, BLOCK_STEPS)
    half = blocks // 2
    settled_steps = np.sort(slowest.value[half * BLOCK_STEPS :]).tolist()
    low, settled, high = (quantile(settled_steps, share) for share in (0.25, 0.5, 0.75))
    tolerance = max(high - low, STEADY_SHARE * settled)
    steady = np.flatnonzero(np.abs(medians[:half] - settled) <= tolerance)
    first = int(steady[0]) if len(steady) else half
    if first == 0:
        return ()
    change = float(medians[0]) / settled - 1 if settled > 0 else float("inf")
    block = f"steps {int(slowest.first[0])}..{int(slowest.last[BLOCK_STEPS - 1])}"
    message = (
        f"steady only from step {int(slowest.first[first * BLOCK_STEPS])}; {block} take "
        f"{abs(change):.1%} {'more' if change > 0 else 'less'} time per step"
    )
    return (Finding("warning", Rule.PROTOCOL_NOT_STEADY, measured.run.id, message, slowest.place()),)


def is_on_gpu(run: Run) -> bool:
    """Return True if the run used a GPU, by its factors, else by its telemetry."""
    device = str(run.factors.get("device", run.factors.get("accelerator", "")))
    if device:
        return not device.lower().startswith("cpu") and bool(_GPU.search(device))
    return not all(device.is_cpu for device in run.telemetry)


def check_synchronised(run: Run, used: Sequence[Series], window: MeasuredWindow) -> tuple[Finding, ...]:
    """Report what a GPU run timed on the host without waiting for the device."""
    host = [series for series in used if series.clock == "host"]
    phases = sorted({series.phase for series in host} - {STEP, *HOST_PHASES})
    borders = {window.window.first - 1, window.window.last}
    # Other formats do not say when the host waited; most trainers do when they read the loss that they print.
    whole = [series.idle_after for series in host if series.phase == STEP and series.idle_after is not None]
    if not (phases or whole) or not is_on_gpu(run):
        return ()
    is_right = all(borders <= idle_after for idle_after in whole)
    if whole and is_right:
        message = (
            "steps are timed on the host, which waited for the device where the measured steps begin and "
        )
        message += "end: their total is right, single steps are not"
    elif whole:
        message = "steps are timed on the host, which did not wait for the device where the measured steps "
        message += "begin and end; it may have queued them in less time than they took"
    else:
        message = f"{', '.join(phases)}: timed on the host without synchronisation; "
        message += "work of one phase may be counted in a later one"
    severity: Severity = "note" if whole and is_right else "warning"
    return (Finding(severity, Rule.CLOCK_UNSYNCHRONISED, run.id, message, used[0].source),)


def check_device_time(
    measured: MeasuredRun, used: Sequence[Series], window: MeasuredWindow
) -> tuple[Finding, ...]:
    """Report the steps that CUDA events should have timed and did not."""
    findings = []
    protocol = window.protocol
    first = min(window.window.first, protocol.warmup + 1)
    last = max(window.window.last, protocol.warmup + protocol.measure)
    for series in used:
        if series.clock != "cuda_event":
            continue
        # Steps without a time are not among the measured ones, and may be missing at the ends of the window.
        missing = np.isnan(series.value) & (series.step >= first) & (series.step <= last)
        if series.phase != STEP:
            missing = measured.is_unmeasured(series, window)
        if not missing.any():
            continue
        count, steps = int(series.span[missing].sum()), step_ranges_text(series.step[missing].tolist())
        unit = "step" if count == 1 else "steps"
        message = f"rank {series.rank}: {series.phase} has no device time in {count} {unit} ({steps}); "
        message += "the others are measured"
        place = Source(series.source.path, int(series.line[int(missing.argmax())]))
        findings.append(Finding("warning", Rule.CLOCK_NO_DEVICE_TIME, measured.run.id, message, place))
    return tuple(findings)


def check_closure(measured: MeasuredRun, window: MeasuredWindow) -> tuple[Finding, ...]:
    """Report ranks whose clock did not see the work: the devices took another time from wait to wait.

    Where breaks hide how long the devices worked, events are trusted. The clock of the host is not: it sees
    only what it waited for.
    """
    findings = []
    for rank in window.ranks:
        key = ("step_time", STEP, rank.rank, rank.clock)
        whole = [s for s in measured.run.series if (s.metric, s.phase, s.rank, s.clock) == key]
        stretches = [
            closure
            for series in whole
            for closure in closures(series, measured.run.series)
            if closure.stretch.first <= window.window.last and closure.stretch.last >= window.window.first
        ]
        opened = [closure for closure in stretches if closure.is_open]
        hidden = [x for x in stretches if rank.clock == "host" and not x.is_closed]
        if opened:
            worst = max(opened, key=lambda closure: closure.at_least)
            why = f"{worst.stretch.least:.4g} s until all devices were idle; the clock did not see the work "
            why += "of another device or stream, or of a queue"
        elif hidden:
            worst = max(hidden, key=lambda closure: closure.at_most)
            why = f"up to {worst.stretch.most:.4g} s until all devices were idle; the host did not wait for "
            why += "them before a break, and they may have worked on in it"
        else:
            continue
        by = "CUDA events" if rank.clock == "cuda_event" else "the clock of the host"
        steps = f"steps {worst.stretch.first}..{worst.stretch.last}"
        message = (
            f"rank {rank.rank}: the clock does not close: {steps} take {worst.total:.4g} s by {by}, and {why}"
        )
        findings.append(Finding("invalid", Rule.CLOCK_DISAGREEMENT, measured.run.id, message, rank.place()))
    return tuple(findings)


def check_clocks(measured: MeasuredRun, window: MeasuredWindow) -> tuple[Finding, ...]:
    """Report ranks whose device events and host clock disagree about the time of the same steps.

    A host that did not wait only queued the steps, so its time says how far it ran ahead. It is hardly longer
    than the device's: a queue holds a few steps, and a device that waits for the host needs the host's time.
    """
    findings = []
    for rank in window.ranks:
        totals = _by_clock(measured, rank)
        device, synchronised = totals.get("cuda_event"), totals.get("host_synchronized")
        host = synchronised or totals.get("host")
        if not host or not device or abs(device / host - 1) <= CLOCK_SHARE:
            continue
        took = f"rank {rank.rank}: measured steps take {device:.4g} s by CUDA events"
        if synchronised:
            message = f"{took} and {host:.4g} s by the host clock ({abs(device / host - 1):.1%} apart)"
        else:
            message = f"{took}; the host queued them in {host:.4g} s"
        severity: Severity = "warning" if synchronised else "note"
        idle = 1 - device / host
        if not synchronised and idle > _IDLE_SHARE:
            message = f"{took}, but the host needed {host:.4g} s: the events leave out {idle:.0%} of the time"
            severity = "invalid" if idle > _UNUSABLE_IDLE_SHARE else "warning"
        findings.append(Finding(severity, Rule.CLOCK_DISAGREEMENT, measured.run.id, message, rank.place()))
    return tuple(findings)


def check_printed_times(measured: MeasuredRun, window: MeasuredWindow) -> tuple[Finding, ...]:
    """Report printed step times that the timestamps of the log contradict by more than these are coarse."""
    used = window.ranks[0].clock
    other = {"printed": "timestamp", "timestamp": "printed"}.get(used)
    steps = [each for each in measured.run.series if (each.metric, each.phase) == ("step_time", STEP)]
    others = [each for each in steps if each.clock == other]
    compared = measured.window(others, window.protocol) if others else None
    if compared is None or not compared.window.time > 0:
        return ()
    printed, stamped = (window, compared) if used == "printed" else (compared, window)
    is_whole = any(is_in_whole_seconds(each) for each in steps)
    by_stamps = stamped.window.time / stamped.window.steps
    by_print = printed.window.time / printed.window.steps
    # Both ends of the window are cut to whole seconds.
    apart = abs(by_print / by_stamps - 1) - (1 / stamped.window.time if is_whole else 0.0)
    if apart <= (CLOCK_SHARE if used == "printed" else RATE_SHARE):
        return ()
    stamps = "timestamps, in whole seconds," if is_whole else "timestamps"
    message = (
        f"the log prints {by_print:.4g} s per step; its {stamps} are {by_stamps:.4g} s per step apart; "
        f"the {'printed times' if used == 'printed' else 'timestamps'} are used"
    )
    # Timestamps contain all time between the steps, so a number by them is not in doubt.
    severity: Severity = "invalid" if apart > RATE_SHARE and used == "printed" else "warning"
    return (Finding(severity, Rule.CLOCK_DISAGREEMENT, measured.run.id, message, printed.ranks[0].place()),)


def _by_clock(measured: MeasuredRun, rank: Entries) -> dict[str, float]:
    """Return clock -> s of the measured steps of a rank, for the clocks that saw all of them."""
    key = ("step_time", STEP, rank.rank)
    whole = [s for s in measured.run.series if (s.metric, s.phase, s.rank) == key]
    if len(whole) < 2:
        return {}
    inside = {str(series.clock): entries_within(measured.entries(series), rank) for series in whole}
    return {clock: exact_sum(part.value) for clock, part in inside.items() if len(part) == len(rank)}


def check_stragglers(measured: MeasuredRun, window: MeasuredWindow) -> tuple[Finding, ...]:
    """Report the ranks that the others wait for.

    In a synchronous run all ranks take the same time; the fast ones wait where gradients are exchanged.
    So a rank's own time is its step time without the phases that wait. A rank lags if its own time
    exceeds the median of the other ranks' by more than `straggler` of the step time.
    """
    if len(window.ranks) < 2:
        return ()
    steps = window.window.steps
    own = {
        rank.rank: exact_sum(rank.value) / steps - _waiting_time(measured, window, rank.rank)
        for rank in window.ranks
    }
    step_time = window.window.time / steps
    findings = []
    for rank in window.ranks:
        others = median([value for number, value in own.items() if number != rank.rank])
        lag = own[rank.rank] - others
        if not lag > window.protocol.straggler * step_time:
            continue
        run = measured.run
        message = (
            f"rank {rank.rank}{_device_of(run, rank.rank)} needs {own[rank.rank]:.4g} s per step without "
            f"waiting, the others {others:.4g} s (a lag of {lag / step_time:.1%} of the step time)"
        )
        findings.append(Finding("warning", Rule.RANK_STRAGGLER, run.id, message, rank.place()))
    return tuple(findings)


def _device_of(run: Run, rank: int) -> str:
    """Return " on GPU-11111111 (PCI 00000000:41:00.0)" if the log names the device of a rank."""
    uuid = run.environment.get(f"rank.{rank}.device_uuid")
    pci = run.environment.get(f"rank.{rank}.device_pci") or run.environment.get(f"gpu.{uuid}.pci")
    place = f" (PCI {pci})" if pci else ""
    return f" on {device_label(str(uuid))}{place}" if uuid else ""


def _waiting_time(measured: MeasuredRun, window: MeasuredWindow, rank: int) -> float:
    """Return the s per step in which a rank may wait for the others."""
    waiting = [s for name in WAITING_PHASES for s in measured.series("step_time", name)]
    times = [measured.time_per_step(series, window) for series in waiting if series.rank == rank]
    return exact_sum(time for time in times if not math.isnan(time))
