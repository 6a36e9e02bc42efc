"""Energy per sample: what the devices' own counters rose by while the measured steps did their work.

A counter is read every so often, and its readings seldom meet the borders of the window. So its rise is taken
over the time between readings that lie wholly in measured steps, which is the mean power of a device, and
that power times the time of the window is the energy of the work done in it.
"""

import math

import numpy as np

from reportgen.core.model import STEP, Evidence, Finding, Measurement, Run, Telemetry
from reportgen.core.rules import Rule
from reportgen.protocol import telemetry_checks
from reportgen.protocol.available import series_of
from reportgen.protocol.definition import Protocol
from reportgen.protocol.steps import Entries, total
from reportgen.protocol.timeline import measured_before
from reportgen.protocol.window import lay

# A mean power that was seen for less than this share of the measured time is none of the window's.
_LEAST_SEEN = 0.5


def per_sample(run: Run, protocol: Protocol) -> tuple[Measurement, bool] | Finding | None:
    """Return J per sample over all devices and whether the window was full; a finding says why there is none.

    None for a run without counters, without steps or without samples: it has nothing of the kind.
    """
    counters = [one for one in run.telemetry if np.isfinite(one.columns.get("energy", np.empty(0))).any()]
    steps = series_of(run, "step_time", STEP)
    laid = lay(run, steps, protocol) if counters and steps else None
    if laid is None:
        return None
    powers = [mean_power(one, laid.ranks[0]) for one in counters]
    if not all(map(math.isfinite, powers)):
        message = "the energy counter was not read, or was set back, during most of the measured steps"
        return Finding("warning", Rule.PROTOCOL_NO_NUMBER, run.id, message, run.source)
    work = laid.window.samples
    value = total(powers) * laid.window.time / work if work > 0 else math.nan
    if not math.isfinite(value):
        return None
    sources = tuple(dict.fromkeys(one.source for one in counters))
    findings = (*laid.findings, *telemetry_checks.of_run(run, laid))
    evidence: Evidence = "intervals" if laid.coarse else "steps"
    return Measurement(run, value, evidence, laid.window, sources, findings, "J"), laid.is_full


def mean_power(one: Telemetry, rank: Entries) -> float:
    """Return W by a device's counter over the measured steps, NaN where too little of them was seen."""
    counter = one.columns["energy"]
    known = np.isfinite(counter) & np.isfinite(one.t)
    order = np.argsort(one.t[known], kind="stable")
    t, energy = one.t[known][order], counter[known][order]
    apart, risen = np.diff(t), np.diff(energy)
    # Between two readings in one stretch of measured steps, as much measured time passes as there is.
    measured = np.diff(measured_before(t, rank))
    kept = (apart > 0) & (measured > 0.999 * apart)
    seen = total(apart[kept])
    if (risen[kept] < 0).any() or not seen > 0 or seen < _LEAST_SEEN * total(rank.value):
        return math.nan
    return total(risen[kept]) / seen
