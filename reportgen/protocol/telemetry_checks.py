"""What the devices' telemetry says against a measured run: throttled, capped, shared, starved, or not seen.

Each rule is one function from the samples taken during the measured steps to findings; all of a run come out
of `of_run`. Nothing here removes a number. Reasons are the bits of NVML's mask (`throttle_reasons`; clock
event reasons since driver 535), whose names are reportgen's own:
https://docs.nvidia.com/deploy/nvml-api/group__nvmlClocksEventReasons.html
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from reportgen.core.model import Finding, FloatArray, Run, Source, Telemetry
from reportgen.core.rules import Rule, Severity
from reportgen.protocol.available import series_of
from reportgen.protocol.steps import BoolArray, total, within
from reportgen.protocol.steps import entries as entries_of
from reportgen.protocol.timeline import during, time_span
from reportgen.protocol.window import Laid

IDLE, POWER_CAP = 0x1, 0x4

# The device ran slower than it was set to: something is wrong with its cooling or its supply.
HARMFUL = {"hw_slowdown": 0x8, "sw_thermal": 0x20, "hw_thermal": 0x40, "hw_power_brake": 0x80}

# The device ran as it was set to, or as its power limit allows: worth knowing.
SET_SO = {"applications_clocks": 0x2, "sw_power_cap": POWER_CAP, "sync_boost": 0x10, "display_clocks": 0x100}

# From here on idleness and waiting say that the host holds the device up.
IDLE_SHARE, WAITING_SHARE = 0.10, 0.10

# A limit within this of the default one is the default one, rounded.
LIMIT_WITHIN = 0.005

# Masks travel as floats, which hold 53 bits; nine are in use.
_BEYOND = 2.0**53

# Less of the measured time than this near a sample, or fewer samples than these, is worth a note.
COVERED, FEWEST = 0.95, 5


@dataclass(frozen=True, slots=True)
class Seen:
    """One device during the measured steps.

    whole   its telemetry of the whole run; inside  which samples of it were taken during measured steps
    span    begin and end of the window in s on the run's clock
    """

    name: str
    whole: Telemetry
    inside: BoolArray
    span: tuple[float, float]

    def __len__(self) -> int:
        return int(self.inside.sum())

    def values(self, metric: str) -> FloatArray:
        """Return the values that the samples during the measured steps have of a metric."""
        column = self.whole.columns.get(metric)
        if column is None:
            return np.empty(0)
        found = column[self.inside]
        kept: FloatArray = found[np.isfinite(found)]
        return kept

    def holding(self, metric: str) -> FloatArray:
        """Return the values of what is seldom read, with the last before the window: it still held then."""
        column, t = self.whole.columns.get(metric), self.whole.t
        if column is None:
            return np.empty(0)
        known = np.isfinite(column) & np.isfinite(t) & (t <= self.span[1])
        order = np.argsort(t[known], kind="stable")
        before = int((t[known] < self.span[0]).sum())
        kept: FloatArray = column[known][order][max(0, before - 1) :]
        return kept

    def share(self, bits: int) -> float:
        """Return the share of the samples in which one of the bits of `throttle_reasons` is set."""
        values = self.values("throttle_reasons")
        masks = values[(values >= 0) & (values < _BEYOND)].astype(np.int64)
        return float(np.mean(masks & bits != 0)) if len(masks) else 0.0


def of_run(run: Run, laid: Laid) -> tuple[Finding, ...]:
    """Return what the telemetry of a run says of the steps measured; nothing where the clocks do not meet."""
    placed = [one for one in run.telemetry if np.isfinite(one.t).any() or one.events]
    span = time_span(laid) if placed else None
    if span is None:
        return ()
    seen = [_seen(one, laid, span) for one in placed]
    capped = power_capped(run, seen)
    return (
        *throttled(run, seen, without=POWER_CAP if any(one.severity == "warning" for one in capped) else 0),
        *capped,
        *other_process(run, seen),
        *host_bound(run, laid, seen),
        *device_lost(run, seen),
        *coverage(run, seen),
    )


def _seen(one: Telemetry, laid: Laid, span: tuple[float, float]) -> Seen:
    # A UUID is told apart by its first group; the whole of it stands in the log.
    return Seen(one.device[:12], one, during(one.t, laid.ranks[0]), span)


def throttled(run: Run, seen: Sequence[Seen], *, without: int = 0) -> tuple[Finding, ...]:
    """Say why the clocks were held down, how often, and where most; `without` leaves bits to another rule."""
    findings = []
    kinds: tuple[tuple[Severity, Mapping[str, int]], ...] = (("warning", HARMFUL), ("note", SET_SO))
    for severity, reasons in kinds:
        shares = {name: [one.share(bit & ~without) for one in seen] for name, bit in reasons.items()}
        said = [f"{name} in {_where(found, seen)}" for name, found in shares.items() if any(found)]
        if not said:
            continue
        # The place is that of the device that any of these reasons holds most.
        worst = seen[int(np.argmax(np.max([found for found in shares.values() if any(found)], axis=0)))]
        message = f"clocks held down by {', '.join(said)}"
        findings.append(_finding(severity, Rule.TELEMETRY_THROTTLED, run, message, worst.whole.source))
    return tuple(findings)


def _where(shares: Sequence[float], seen: Sequence[Seen]) -> str:
    """Return the share in words, and on which of several devices it is largest."""
    worst = int(np.argmax(shares))
    text = f"{shares[worst]:.1%} of the samples"
    if len(seen) == 1:
        return text
    return f"{text} of {seen[worst].name} ({sum(map(bool, shares))} of {len(seen)} devices)"


def power_capped(run: Run, seen: Sequence[Seen]) -> tuple[Finding, ...]:
    """Say that a device was set to less power than it is made for; a warning if it met the limit."""
    found = []
    for one in seen:
        limits, defaults = one.holding("power_limit"), one.holding("power_limit_default")
        if not len(limits) or not len(defaults):
            continue
        limit, default = float(limits.min()), float(defaults.max())
        if not limit < default * (1 - LIMIT_WITHIN):
            continue
        share, is_told = one.share(POWER_CAP), len(one.values("throttle_reasons")) > 0
        met = f"met in {share:.1%} of the samples" if is_told else "nothing tells whether it was met"
        message = f"{one.name}: power limit {limit:.4g} W, below the default of {default:.4g} W; {met}"
        severity: Severity = "warning" if share > 0 or not is_told else "note"
        found.append(_finding(severity, Rule.TELEMETRY_POWER_CAPPED, run, message, one.whole.source))
    return tuple(found)


def other_process(run: Run, seen: Sequence[Seen]) -> tuple[Finding, ...]:
    """Say that processes of others were on a device."""
    found = []
    for one in seen:
        most = float(one.holding("foreign_processes").max(initial=0))
        if not most > 0:
            continue
        memory = float(one.holding("foreign_memory").max(initial=0))
        holding = f", holding up to {memory / 2**30:.3g} GiB" if memory > 0 else ""
        message = f"{one.name}: up to {most:.0f} {'process' if most == 1 else 'processes'} of others{holding}"
        found.append(_finding("warning", Rule.TELEMETRY_OTHER_PROCESS, run, message, one.whole.source))
    return tuple(found)


def host_bound(run: Run, laid: Laid, seen: Sequence[Seen]) -> tuple[Finding, ...]:
    """Say that a device idled, or that the steps waited for data, while they were measured."""
    said = []
    work = [(one, one.values("utilization")) for one in seen]
    busy = {one.name: total(values) / len(values) for one, values in work if len(values)}
    if busy and (least := min(busy.values())) <= 1 - IDLE_SHARE:
        of = "" if len(seen) == 1 else f" of {min(busy, key=lambda name: busy[name])}"
        said.append(f"the utilisation{of} is {least:.1%}")
    idle = [one.share(IDLE) for one in seen]
    if max(idle) > 0:
        said.append(f"idle in {_where(idle, seen)}")
    waiting = _waiting(run, laid)
    if waiting >= WAITING_SHARE:
        said.append(f"waiting for data takes {waiting:.1%} of the step time")
    if not said:
        return ()
    message = f"the host may hold the device up: {'; '.join(said)}"
    return (_finding("note", Rule.TELEMETRY_HOST_BOUND, run, message, seen[0].whole.source),)


def _waiting(run: Run, laid: Laid) -> float:
    """Return the share of the step time in which the rank that waits longest waits for its data."""
    loading = [total(within(entries_of(one), laid.ranks[0]).value)
               for one in series_of(run, "step_time", "data_loading")]  # fmt: skip
    return max(loading, default=0.0) / laid.window.time if laid.window.time > 0 else 0.0


def device_lost(run: Run, seen: Sequence[Seen]) -> tuple[Finding, ...]:
    """Say that a device did not answer, or wanted a reset, while the steps were measured."""
    found = []
    for one in seen:
        gone = None
        for event in sorted(one.whole.events, key=lambda event: event.t):
            # What had returned before the window began did not touch it.
            if event.t > one.span[1] or (gone and event.name == "returned" and event.t >= one.span[0]):
                break
            gone = None if event.name == "returned" else event
        if gone:
            source = Source(one.whole.source.path, gone.line)
            message = f"{one.name}: {_EVENTS.get(gone.name, gone.name)} {gone.t:.4g} s after the first step"
            found.append(_finding("warning", Rule.TELEMETRY_DEVICE_LOST, run, message, source))
    return tuple(found)


_EVENTS = {"lost": "the driver lost it", "reset": "the driver asked for a reset of it"}


def coverage(run: Run, seen: Sequence[Seen]) -> tuple[Finding, ...]:
    """Say where samples leave much of the measured time unseen, or are too few to speak for it."""
    shares = [_covered(one) for one in seen]
    worst = int(np.argmin(shares))
    one = seen[worst]
    if shares[worst] >= COVERED and min(map(len, seen)) >= FEWEST:
        return ()
    if shares[worst] >= COVERED:
        one = min(seen, key=len)
    duration = one.span[1] - one.span[0]
    message = (
        f"{one.name}: {len(one)} {'sample' if len(one) == 1 else 'samples'} within {duration:.4g} s of "
        f"measured steps, {_covered(one):.1%} of which are near one"
    )
    return (_finding("note", Rule.TELEMETRY_COVERAGE, run, message, one.whole.source),)


def _covered(one: Seen) -> float:
    """Return the share of the window that lies between samples no further apart than twice the usual."""
    t = np.sort(one.whole.t[np.isfinite(one.whole.t)])
    if len(t) < 2:
        return 0.0
    usual = 2 * float(np.median(np.diff(t)))
    begin, end = np.clip(t[:-1], *one.span), np.clip(t[1:], *one.span)
    near = (end - begin)[np.diff(t) <= usual]
    duration = one.span[1] - one.span[0]
    return total(near) / duration if duration > 0 else 0.0


def _finding(severity: Severity, rule: Rule, run: Run, message: str, source: Source) -> Finding:
    return Finding(severity, rule, run.id, message, source)
