"""What may be wrong with one measured run: is it steady, do its clocks agree, does a rank lag.

Each rule is one function from a laid window to findings; all findings of a run come out of `of_run`.
They label a number and never change it.
"""

import math
import re
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from reportgen.core.model import STEP, Finding, Run, Series
from reportgen.core.rules import Rule
from reportgen.core.stats import median, quantile
from reportgen.protocol import telemetry_checks
from reportgen.protocol.available import series_of
from reportgen.protocol.definition import Protocol
from reportgen.protocol.steps import Entries, entries, mean_rate, total, within
from reportgen.protocol.window import Laid

# Steps whose median is looked at as one: long enough to bury a hiccup, short enough for 10 in 100.
BLOCK = 10

# Blocks that differ by less than this from the rest are steady however quiet the rest is.
STEADY_WITHIN = 0.02

# Two clocks of one and the same steps may differ by this.
CLOCKS_WITHIN = 0.02

# What a log prints as its throughput and what its step times come to may differ by this.
RATES_WITHIN = 0.05

# Here the host waits for the host: its clock is the right one without any synchronisation.
HOST_PHASES = ("data_loading",)

# In these phases a rank of a synchronous run waits for the others: time in them is not its own.
WAITING_PHASES = ("backward", "optimizer", "communication", "all_reduce")

_GPU = re.compile(
    r"gpu|cuda|nvidia|tesla|geforce|quadro|rtx|\b(?:[abhlpv]\d{2,3}s?|[tl]4|g[bh]\d{3})\b", re.IGNORECASE
)


def of_run(run: Run, laid: Laid, used: Sequence[Series], protocol: Protocol) -> tuple[Finding, ...]:
    """Return all findings of measuring the series `used` of a run over a window."""
    return (
        *laid.findings,
        *not_steady(run, laid),
        *unsynchronised(run, used),
        *clock_disagreement(run, laid),
        *straggler(run, laid, protocol),
        *telemetry_checks.of_run(run, laid),
    )


@lru_cache(maxsize=4)
def not_steady(run: Run, laid: Laid) -> tuple[Finding, ...]:
    """Say from which step the run is steady, if that is not the first after the warm-up.

    The median step time of each block of 10 steps after the warm-up is compared with the median of the
    last half of the log. It belongs to it if it is within the interquartile range of that half's
    steps, or within 2 %. A run is steady from its first block that does; a disturbance that comes
    later is no matter of the warm-up. For single steps only, and at least four blocks of them.
    """
    blocks = len(laid.late[0]) // BLOCK
    if blocks < 4 or laid.late[0].is_coarse:
        return ()
    slowest = max(laid.late, key=lambda rank: total(rank.value))
    ordered = np.sort(slowest.value[: blocks * BLOCK].reshape(blocks, BLOCK), axis=1)
    medians = (ordered[:, (BLOCK - 1) // 2] + ordered[:, BLOCK // 2]) / 2
    half = blocks // 2
    settled_steps = sorted(slowest.value[half * BLOCK :].tolist())
    low, settled, high = (quantile(settled_steps, share) for share in (0.25, 0.5, 0.75))
    tolerance = max(high - low, STEADY_WITHIN * settled)
    steady = np.flatnonzero(np.abs(medians[:half] - settled) <= tolerance)
    first = int(steady[0]) if len(steady) else half
    if first == 0:
        return ()
    change = float(medians[0]) / settled - 1 if settled > 0 else float("inf")
    message = (
        f"steady from step {int(slowest.first[first * BLOCK])} only: steps {int(slowest.first[0])}.."
        f"{int(slowest.last[BLOCK - 1])} take {abs(change):.1%} {'more' if change > 0 else 'less'} time each"
    )
    return (Finding("warning", Rule.PROTOCOL_NOT_STEADY, run.id, message, slowest.place()),)


def is_on_gpu(run: Run) -> bool:
    """Return whether the run used a GPU, by its factors, else by its telemetry."""
    device = str(run.factors.get("device", run.factors.get("accelerator", "")))
    if device:
        return not device.lower().startswith("cpu") and bool(_GPU.search(device))
    return bool(run.telemetry)


def unsynchronised(run: Run, used: Sequence[Series]) -> tuple[Finding, ...]:
    """Say which phases of a GPU run were timed on the host without waiting for the device."""
    on_device = [one for one in used if one.phase not in (STEP, *HOST_PHASES)]
    host = sorted({one.phase for one in on_device if one.clock == "host"})
    if not host or not is_on_gpu(run):
        return ()
    message = (
        f"{', '.join(host)}: timed on the host without waiting for the device, so that work of one phase "
        "may be counted in a later one"
    )
    return (Finding("warning", Rule.CLOCK_UNSYNCHRONISED, run.id, message, used[0].source),)


def clock_disagreement(run: Run, laid: Laid) -> tuple[Finding, ...]:
    """Say where the events of the device and the host see a different time for the same steps."""
    found = []
    for rank in laid.ranks:
        totals = _by_clock(run, rank)
        host = totals.get("host_synchronized", totals.get("host"))
        device = totals.get("cuda_event")
        if not host or not device or abs(device / host - 1) <= CLOCKS_WITHIN:
            continue
        message = (
            f"rank {rank.rank}: the measured steps take {device:.4g} s by CUDA events and {host:.4g} s "
            f"by the host, {abs(device / host - 1):.1%} apart"
        )
        found.append(Finding("warning", Rule.CLOCK_DISAGREEMENT, run.id, message, rank.place()))
    return tuple(found)


def _by_clock(run: Run, rank: Entries) -> dict[str, float]:
    """Return clock -> s of the measured steps of a rank, for the clocks that saw all of them."""
    whole = [one for one in run.series if (one.metric, one.phase, one.rank) == ("step_time", STEP, rank.rank)]
    if len(whole) < 2:
        return {}
    inside = {str(one.clock): within(entries(one), rank) for one in whole}
    return {clock: total(found.value) for clock, found in inside.items() if len(found) == len(rank)}


@lru_cache(maxsize=4)
def rate_disagreement(run: Run, laid: Laid) -> tuple[Finding, ...]:
    """Say where the log prints another throughput than its step times come to, over the same steps."""
    timed = laid.window.samples / laid.window.time if laid.window.time > 0 else math.nan
    inside = [within(entries(one), laid.ranks[0]) for one in series_of(run, "throughput", STEP)]
    printed = total(mean_rate(rank) if len(rank) else math.nan for rank in inside) if inside else math.nan
    if not timed > 0 or not printed > 0 or abs(printed / timed - 1) <= RATES_WITHIN:
        return ()
    message = (
        f"the log prints {printed:.4g} samples/s, its step times come to {timed:.4g} samples/s over the same "
        f"steps, {abs(printed / timed - 1):.1%} apart; the step times are used"
    )
    return (Finding("warning", Rule.RATE_DISAGREEMENT, run.id, message, inside[0].place()),)


def straggler(run: Run, laid: Laid, protocol: Protocol) -> tuple[Finding, ...]:
    """Name the ranks that the others wait for.

    In a synchronous run all ranks take the same time, the fast ones waiting where gradients are
    exchanged. So a rank's own time is its step time without the phases that wait; it lags if that
    exceeds the median of the other ranks' by more than `straggler` of the step time.
    """
    if len(laid.ranks) < 2:
        return ()
    steps = laid.window.steps
    own = {rank.rank: (total(rank.value) - _waiting(run, rank)) / steps for rank in laid.ranks}
    step_time = laid.window.time / steps
    found = []
    for rank in laid.ranks:
        others = median([value for number, value in own.items() if number != rank.rank])
        lag = own[rank.rank] - others
        if not lag > protocol.straggler * step_time:
            continue
        message = (
            f"rank {rank.rank} takes {own[rank.rank]:.4g} s a step before it meets the others, who take "
            f"{others:.4g} s: {lag / step_time:.1%} of the step time"
        )
        found.append(Finding("warning", Rule.RANK_STRAGGLER, run.id, message, rank.place()))
    return tuple(found)


def _waiting(run: Run, rank: Entries) -> float:
    waiting = [one for name in WAITING_PHASES for one in series_of(run, "step_time", name)]
    found = [one for one in waiting if one.rank == rank.rank]
    return total(total(within(entries(one), rank).value) for one in found)
