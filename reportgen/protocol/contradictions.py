"""Find what a log says twice about the same steps, and differently.

A step ends where the next begins, and a phase is part of its step. If a log says otherwise, something in it
is wrong, and nothing says what: above `INVALID_SHARE` no number is taken from the run.
"""

import numpy as np

from reportgen.core.model import STEP, Finding, Series
from reportgen.core.rules import Rule, Severity
from reportgen.protocol.available import ENERGY_PER_SAMPLE, WORK
from reportgen.protocol.definition import Protocol
from reportgen.protocol.measured_run import MeasuredRun
from reportgen.protocol.plausibility import check_plausible
from reportgen.protocol.steps import BoolArray, Entries, common_entries, entries_between, exact_sum
from reportgen.protocol.window import MeasuredWindow

# Times that differ by this share of the steps' time are named; by the second share, no number is printed.
NAMED_SHARE = 0.01
INVALID_SHARE = 0.05

# What is computed from step times.
_FROM_STEP_TIMES = frozenset(("step_time", "throughput", ENERGY_PER_SAMPLE, *WORK))


def find_contradictions(measured: MeasuredRun, metric: str, protocol: Protocol) -> tuple[Finding, ...]:
    """Return the invalid findings that forbid a number of this metric: of the reader, and of the steps."""
    rules = (Rule.READ_CONTRADICTION, Rule.CLOCK_CONTRADICTION, Rule.CLOCK_COARSE)
    by_reader = [finding for finding in measured.run.findings if finding.rule in rules]
    whole = measured.series("step_time", STEP) if metric in _FROM_STEP_TIMES else ()
    window = measured.window(whole, protocol) if whole else None
    checks = (check_contradictions, check_plausible)
    in_steps = [each for check in checks for each in measured.check(check, window)] if window else []
    return tuple(each for each in (*by_reader, *in_steps) if each.severity == "invalid")


def check_contradictions(measured: MeasuredRun, window: MeasuredWindow) -> tuple[Finding, ...]:
    """Return all contradictions about the steps of a window."""
    return (*_begins(measured, window), *_phases(measured, window))


def _severity(share: float) -> Severity:
    return "invalid" if share > INVALID_SHARE else "warning"


def _begins(measured: MeasuredRun, window: MeasuredWindow) -> list[Finding]:
    """Report steps that do not end where the next step begins."""
    findings = []
    for series in measured.run.series:
        if (series.metric, series.phase) != ("step_time", STEP) or not series.clock.startswith("host"):
            continue
        entries = measured.entries(series)
        first, last = window.window.first, window.window.last
        inside = entries_between(entries, first, last)
        touching = _must_touch(inside)
        duration = inside.value[:-1][touching]
        elapsed = np.maximum((inside.begin[1:] - inside.begin[:-1])[touching], 0.0)
        total = exact_sum(duration)
        overlap = exact_sum(np.maximum(duration - elapsed, 0.0))
        uncovered = exact_sum(np.maximum(elapsed - duration, 0.0))
        if not max(overlap, uncovered) > NAMED_SHARE * total:
            continue
        if overlap >= uncovered:
            message = f"begin before the step before them ends, by {overlap:.4g} s together"
            share = overlap / total
        else:
            message = f"leave {uncovered:.4g} s between them that belong to no step and no declared break"
            share = uncovered / (total + uncovered)
        message = f"rank {series.rank}: steps {first}..{last} take {total:.4g} s and {message}"
        rule = Rule.CLOCK_CONTRADICTION
        findings.append(Finding(_severity(share), rule, measured.run.id, message, inside.place()))
    return findings


def _must_touch(entries: Entries) -> BoolArray:
    """Return for each entry but the last whether it must end where the next begins.

    It must if both begins are known, their steps follow each other, and there is no break inside or between.
    """
    is_known = np.isfinite(entries.begin[:-1]) & np.isfinite(entries.begin[1:])
    follows: BoolArray = is_known & (entries.first[1:] == entries.last[:-1] + 1)
    for border in entries.breaks:
        follows &= (border.step < entries.first[:-1] - 1) | (border.step > entries.last[:-1])
    return follows


def _phases(measured: MeasuredRun, window: MeasuredWindow) -> list[Finding]:
    """Report phases that take longer than the steps that contain them, by the same clock."""
    run = measured.run
    wholes = {
        (series.rank, series.clock): series
        for series in run.series
        if (series.metric, series.phase) == ("step_time", STEP)
    }
    findings = []
    for series in run.series:
        whole = wholes.get((series.rank, series.clock))
        if series.metric != "step_time" or series.phase == STEP or whole is None:
            continue
        of_phase, of_steps = _times_of_same_steps(measured, series, whole, window)
        if not of_phase > of_steps * (1 + NAMED_SHARE):
            continue
        message = (
            f"rank {series.rank}: {series.phase} takes {of_phase:.4g} s in measured steps that take "
            f"{of_steps:.4g} s"
        )
        severity = _severity(of_phase / of_steps - 1 if of_steps else 1.0)
        findings.append(Finding(severity, Rule.CLOCK_CONTRADICTION, run.id, message, series.source))
    return findings


def _times_of_same_steps(
    measured: MeasuredRun, phase: Series, whole: Series, window: MeasuredWindow
) -> tuple[float, float]:
    """Return the s of a phase and of whole steps, over the measured entries that both have."""
    both = common_entries([measured.inside(each, window) for each in (phase, whole)])
    return exact_sum(both[0].value), exact_sum(both[1].value)
