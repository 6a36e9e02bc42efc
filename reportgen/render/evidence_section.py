"""Prepare the evidence section of index.html: each case with its repeats, as texts.

Repeats without a number (failed, out of memory, too short) are listed with the others, so that a reader
sees what a median leaves out.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from reportgen.core import metrics, units
from reportgen.core.factors import factor_key
from reportgen.core.model import STEP, Case, Finding, Measurement, Run, Source, Summary, Window
from reportgen.core.results import Comparison, Table
from reportgen.core.units import Unit
from reportgen.render.case_index import Appearance, CaseIndex
from reportgen.render.grid import unit_label
from reportgen.render.text.english import count

_MAX_SOURCES = 3


@dataclass(frozen=True, slots=True)
class Repeat:
    """One run of a case: its value, the steps it was measured over, its sources and findings."""

    run: str
    value: str
    evidence: str
    window: str
    status: str
    sources: tuple[str, ...]
    findings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Link:
    """A link inside the page, with the text before and after it."""

    anchor: str
    text: str
    before: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True)
class CaseEvidence:
    """The evidence of one case.

    places       links to the tables that show it
    comparisons  its ratio to each baseline, with a link to the baseline
    """

    name: str
    title: str
    factors: str
    summary: str
    unit: str
    repeats: tuple[Repeat, ...]
    findings: tuple[str, ...]
    places: tuple[Link, ...]
    comparisons: tuple[Link, ...]

    @property
    def is_single(self) -> bool:
        """Return whether one line says it all: one repeat without a window."""
        return len(self.repeats) == 1 and not self.has_windows

    @property
    def has_windows(self) -> bool:
        """Return whether any repeat was measured over steps of its log."""
        return any(repeat.window for repeat in self.repeats)


def evidence_of_cases(cases: CaseIndex, anchor: Callable[[Table], str]) -> list[CaseEvidence]:
    """Return the evidence of every case of the report, in reading order.

    anchor  returns the anchor of a table on the page
    """
    return [_case(case, cases, anchor) for case in cases.cases]


def _case(case: Case, cases: CaseIndex, anchor: Callable[[Table], str]) -> CaseEvidence:
    unit = _unit(case)
    measured = [_measured(measurement, unit) for measurement in case.measurements]
    unmeasured = [_unmeasured(run) for run in case.unmeasured]
    title = metrics.metric_of(case.metric, case.unit).title
    if case.phase != STEP:
        title += f", {case.phase}"
    factors = ", ".join(
        f"{name}={value}" for name, value in case.factors.items() if name not in ("metric", "phase")
    )  # the title contains these
    appearances = cases.appearances(case)
    places = {a.table.id: Link(anchor(a.table), a.table.title or a.table.id) for a in appearances}
    comparisons = [_comparison(case, appearance, cases) for appearance in appearances]
    return CaseEvidence(
        cases.name(case) or "",
        title,
        factors,
        _summary(case, unit),
        unit_label(unit),
        (*measured, *unmeasured),
        _messages(case.findings),
        tuple(places.values()),
        tuple(dict.fromkeys(link for link in comparisons if link)),
    )


# The text before the link to the baseline.
_BEFORE_BASELINE = {
    "ratio": "{}x the value of",
    "speedup": "Speed-up {} over",
    "efficiency": "Scaling efficiency {} relative to",
    "expected": "{}x slower than",
}


def _comparison(case: Case, appearance: Appearance, cases: CaseIndex) -> Link | None:
    """Return a comparison with a link to its baseline; None if the case is the baseline."""
    comparison = appearance.comparison
    if comparison is None or not math.isfinite(comparison.value):
        return None
    baseline = cases.name(comparison.baseline)
    if baseline == cases.name(case):
        return None
    differing = [
        f"{name}={value}"
        for name, value in comparison.baseline.factors.items()
        if name not in case.factors or factor_key(case.factors[name]) != factor_key(value)
    ]
    before = _BEFORE_BASELINE[comparison.kind].format(units.text(comparison.value, digits=3))
    texts = ", ".join(each.text for each in comparison.differs)
    differs = f"; differs in {texts}" if texts else ""
    after = _expectation(comparison) + _verdict(comparison) + _beside(comparison)
    after += _breakdown(comparison) + differs
    return Link(f"case-{baseline}", ", ".join(differing) or "the other runs", before, after)


def _breakdown(comparison: Comparison) -> str:
    parts = comparison.breakdown
    return f"; {parts.sentence()}" if parts and parts.is_split else ""


def _verdict(comparison: Comparison) -> str:
    verdict = comparison.verdict
    return "" if verdict is None or verdict.kind == "no repeats" else f"; {verdict.sentence()}"


def _beside(comparison: Comparison) -> str:
    """Return how the two compare per cycle and per joule, where their logs have both."""
    cycles, energy = comparison.cycles, comparison.energy
    texts = [cycles.sentence(comparison.verdict)] if cycles else []
    texts += [f"{units.text(energy, digits=3)}x the energy per sample"] if energy else []
    return "".join(f"; {text}" for text in texts)


def _expectation(comparison: Comparison) -> str:
    if comparison.expected is None or comparison.excess is None:
        return ""
    speed = units.text(comparison.expected.speed, digits=3)
    excess = units.text(comparison.excess, digits=3)
    return f"; {speed}x its speed is expected, so {excess}x slower than expected"


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
        return "no repeat has a value"
    shown = f"{_number(summary.median, unit)} {unit_label(unit)}".strip()
    if summary.n == 1:
        evidence = {measurement.evidence for measurement in case.measurements}
        kind = "published" if evidence == {"published"} else "printed by the log"
        return f"{shown}, {kind if evidence <= {'aggregate', 'published'} else '1 repeat'}"
    return f"{shown}, {_reduced(summary, unit)}; protocol {case.protocol}"


def _reduced(summary: Summary, unit: Unit) -> str:
    """Return how the repeats became one number, and how far apart they are."""
    ends = f"{_number(summary.low, unit)} – {_number(summary.high, unit)}"
    if summary.statistic != "median":
        return f"{summary.statistic} of {summary.n} repeats, range {ends}"
    confidence = f"{units.text(summary.coverage * 100, digits=3)} % confidence"
    kind = "interval" if summary.reached else "range"
    return f"median of {summary.n} repeats, {kind} {ends} ({confidence})"


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
    return f"{window.first} to {window.last} ({count(window.steps, 'step')} in {seconds} s{gap})"


def _sources(sources: Sequence[Source]) -> tuple[str, ...]:
    texts = tuple(dict.fromkeys(map(str, sources)))
    if len(texts) <= _MAX_SOURCES:
        return texts
    return (*texts[:_MAX_SOURCES], f"{len(texts) - _MAX_SOURCES:,} more")


def _messages(findings: Iterable[Finding]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(f"{finding.rule}: {finding.text}" for finding in findings))
