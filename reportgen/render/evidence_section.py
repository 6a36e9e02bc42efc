"""Prepare the evidence part of the page: each case with its repeats, as texts.

A repeat that gave no number (failed, out of memory, too short) is listed with the others: what is
left out of a median must be seen to be left out.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from reportgen.core import metrics, units
from reportgen.core.model import STEP, Case, Finding, Measurement, Run, Source, Summary, Window, identity
from reportgen.core.results import Comparison, Table
from reportgen.core.units import Unit
from reportgen.render.case_index import Appearance, CaseIndex
from reportgen.render.grid import unit_label

_SOURCES_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Repeat:
    """One run of a case: its number, what was measured, where it stands."""

    run: str
    value: str
    evidence: str
    window: str
    status: str
    sources: tuple[str, ...]
    findings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Link:
    """A text that leads to another place of the page, with what is said before and behind it."""

    anchor: str
    text: str
    before: str = ""
    behind: str = ""


@dataclass(frozen=True, slots=True)
class Proof:
    """The evidence of one case.

    places    the tables that show it; compared  what stands against it there, and the baselines
    """

    name: str
    title: str
    factors: str
    summary: str
    unit: str
    repeats: tuple[Repeat, ...]
    findings: tuple[str, ...]
    places: tuple[Link, ...]
    compared: tuple[Link, ...]

    @property
    def is_single(self) -> bool:
        """Return whether one sentence says it all: a figure that somebody else had reduced, or no number."""
        return len(self.repeats) == 1 and not self.has_windows

    @property
    def has_windows(self) -> bool:
        """Return whether any repeat was measured over steps of its own."""
        return any(repeat.window for repeat in self.repeats)


def proofs(cases: CaseIndex, anchor: Callable[[Table], str]) -> list[Proof]:
    """Return the evidence of every case of the report, in the order in which a reader meets them.

    anchor  table -> the anchor of it on the page
    """
    return [_proof(case, cases, anchor) for case in cases.cases]


def _proof(case: Case, cases: CaseIndex, anchor: Callable[[Table], str]) -> Proof:
    unit = _unit(case)
    measured = [_measured(measurement, unit) for measurement in case.measurements]
    unmeasured = [_unmeasured(run) for run in case.unmeasured]
    title = metrics.metric(case.metric, case.unit).title
    if case.phase != STEP:
        title += f", {case.phase}"
    factors = ", ".join(
        f"{name}={value}" for name, value in case.factors.items() if name not in ("metric", "phase")
    )  # the title says these
    shown = cases.appearances(case)
    places = {one.table.id: Link(anchor(one.table), _title(one.table)) for one in shown}
    compared = [_compared(case, one, cases) for one in shown if one.comparison]
    return Proof(
        cases.name(case) or "",
        title,
        factors,
        _summary(case, unit),
        unit_label(unit),
        (*measured, *unmeasured),
        _messages(case.findings),
        tuple(places.values()),
        tuple(dict.fromkeys(link for link in compared if link)),
    )


def _title(table: Table) -> str:
    return table.title or table.id


# What is said before the baseline.
_AGAINST = {
    "ratio": "{} times the value of",
    "speedup": "speed-up {} against",
    "efficiency": "scaling efficiency {} against",
    "expected": "{} times slower than",
}


def _compared(case: Case, shown: Appearance, cases: CaseIndex) -> Link | None:
    """Return what a comparison says, with a link to its baseline; None where that is the case itself."""
    found = shown.comparison
    if found is None or not math.isfinite(found.value):
        return None
    baseline = cases.name(found.baseline)
    if baseline == cases.name(case):
        return None
    differing = [
        f"{name}={value}"
        for name, value in found.baseline.factors.items()
        if name not in case.factors or identity(case.factors[name]) != identity(value)
    ]
    before = _AGAINST[found.kind].format(units.text(found.value, digits=3))
    return Link(f"case-{baseline}", ", ".join(differing) or "the other runs", before, _expectation(found))


def _expectation(found: Comparison) -> str:
    if found.expected is None or found.excess is None:
        return ""
    speed, excess = units.text(found.expected.speed, digits=3), units.text(found.excess, digits=3)
    return f"; expected at {speed} x its speed, and so {excess} times slower than it should be"


def _unit(case: Case) -> Unit:
    item = metrics.item_of(case.metric, case.factors)
    if case.unit == "samples/s" and item:
        return Unit(units.rate_unit(item), case.unit, 1.0)
    return units.choose([measurement.value for measurement in case.measurements], case.unit)


def _number(value: float, unit: Unit) -> str:
    shown = units.text(value / unit.factor, digits=6)
    return shown.rstrip("0").rstrip(".") if "." in shown else shown


def _summary(case: Case, unit: Unit) -> str:
    summary = case.summary
    if summary is None:
        return "no repeat was measured"
    shown = f"{_number(summary.median, unit)} {unit_label(unit)}".strip()
    if summary.n == 1:
        reduced = {measurement.evidence for measurement in case.measurements} & {"aggregate", "published"}
        return f"{shown}, {'a single figure' if reduced else 'a single repeat'}"
    return f"{shown}, {_reduced(summary, unit)}; protocol {case.protocol}"


def _reduced(summary: Summary, unit: Unit) -> str:
    """Say how the repeats became one number, and how far they lie apart."""
    ends = f"{_number(summary.low, unit)} – {_number(summary.high, unit)}"
    if summary.statistic != "median":
        return f"{summary.statistic} of {summary.n}, range {ends}"
    coverage = f"{units.text(summary.coverage * 100, digits=3)} %"
    kind = f"interval {ends} at {coverage}" if summary.reached else f"range {ends}, only {coverage}"
    return f"median of {summary.n}, {kind}"


def _measured(measurement: Measurement, unit: Unit) -> Repeat:
    run = measurement.run
    return Repeat(
        run.id,
        _number(measurement.value, unit),
        measurement.evidence,
        _window(measurement.window),
        _status(run),
        _sources(measurement.sources or (run.source,)),
        _messages((*run.findings, *measurement.findings)),
    )


def _unmeasured(run: Run) -> Repeat:
    return Repeat(run.id, "-", "", "", _status(run), _sources((run.source,)), _messages(run.findings))


def _status(run: Run) -> str:
    return run.status.replace("_", " ")


def _window(window: Window | None) -> str:
    if window is None:
        return ""
    seconds = units.text(window.time, digits=4)
    gap = f", {units.text(window.gap_time, digits=3)} s left out" if window.gap_time else ""
    return f"steps {window.first} to {window.last}, {window.steps} in {seconds} s{gap}"


def _sources(sources: Sequence[Source]) -> tuple[str, ...]:
    shown = tuple(dict.fromkeys(map(str, sources)))
    if len(shown) <= _SOURCES_SHOWN:
        return shown
    return (*shown[:_SOURCES_SHOWN], f"and {len(shown) - _SOURCES_SHOWN} more")


def _messages(findings: Iterable[Finding]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(f"{finding.rule}: {finding.message}" for finding in findings))
