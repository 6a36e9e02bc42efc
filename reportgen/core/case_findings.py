"""The findings behind a number: of its case, its measurements and its runs, and which a reader must see.

`invalid_rule` decides whether a number means nothing, for cases that were measured now and for those that a
report.json stores.
"""

from collections.abc import Iterable, Sequence
from typing import Protocol

from reportgen.core.metrics import RATES, metric_of
from reportgen.core.model import STEP, Case, Finding
from reportgen.core.rules import Rule

_ALWAYS = frozenset(
    {
        Rule.READ_CORRECTED_FIGURE,
        Rule.TABLE_MISSING_BASELINE,
        Rule.TABLE_HIDDEN_VARIATION,
        Rule.TABLE_NOT_COMPARABLE,
    }
)

# These are about a file that gave no number.
_OF_FILES = frozenset({Rule.READ_MALFORMED_SOURCE, Rule.READ_NEWER_VERSION, Rule.READ_UNREADABLE_FILE})
# These are about the clock of whole steps; a phase has a time of its own.
_OF_WHOLE_STEPS = frozenset({Rule.CLOCK_COARSE, Rule.CLOCK_DISAGREEMENT})
# These are about the work in a rate.
_OF_RATES = frozenset({Rule.RATE_CONTRADICTION, Rule.RATE_DISAGREEMENT})
_FROM_WORK = frozenset({"energy_per_sample"})

# A remark names so many repeats.
_MAX_NAMED = 4


# What a finding, a run, a measurement and a case of the model have in common with those of a document.
class _Finding(Protocol):
    @property
    def severity(self) -> str: ...
    @property
    def rule(self) -> str: ...
    @property
    def subject(self) -> str: ...
    @property
    def message(self) -> str: ...


class _Run(Protocol):
    @property
    def id(self) -> str: ...
    @property
    def repeat(self) -> int | None: ...
    @property
    def profiler(self) -> str: ...
    @property
    def findings(self) -> Sequence[_Finding]: ...


class _Measurement(Protocol):
    @property
    def run(self) -> _Run: ...
    @property
    def findings(self) -> Sequence[_Finding]: ...


class _Case(Protocol):
    @property
    def metric(self) -> str: ...
    @property
    def phase(self) -> str: ...
    @property
    def measurements(self) -> Sequence[_Measurement]: ...
    @property
    def unmeasured(self) -> Sequence[_Run]: ...


def findings_of(case: Case) -> Iterable[Finding]:
    """Yield the findings of a case, its measurements and its runs, each once."""
    runs = [measurement.run for measurement in case.measurements] + list(case.unmeasured)
    groups = [case.findings, *(m.findings for m in case.measurements), *(run.findings for run in runs)]
    yield from dict.fromkeys(finding for group in groups for finding in group)


def is_footnote(severity: str, rule: str) -> bool:
    """Return True if a finding must be shown with the number, not only in the list of findings."""
    return severity != "note" or rule in _ALWAYS


def remark(case: _Case, finding: _Finding) -> str:
    """Return what a finding says beside the number of its case: of some repeats only, with which they are."""
    groups: list[tuple[_Run, Sequence[_Finding]]] = [
        (each.run, (*each.findings, *each.run.findings)) for each in case.measurements
    ]
    groups += [(run, run.findings) for run in case.unmeasured if not run.profiler]
    said = (finding.rule, finding.message)
    of = [
        run
        for run, findings in groups
        if run.id == finding.subject or said in ((each.rule, each.message) for each in findings)
    ]
    if not of or len(of) == len(groups):
        return finding.message
    return f"{finding.message} ({repeats_text(of, len(groups))})"


def repeats_text(runs: Sequence[_Run], total: int) -> str:
    """Return some of all repeats in words: "1 of 7 repeats: r4"."""
    names = [run.id.rpartition("/")[2] if run.repeat is None else f"r{run.repeat}" for run in runs]
    more = f" and {len(names) - _MAX_NAMED} more" if len(names) > _MAX_NAMED else ""
    return f"{len(names)} of {total} repeats: {', '.join(names[:_MAX_NAMED])}{more}"


def is_invalid(case: _Case) -> bool:
    """Return whether the number of a case means nothing, so that nothing may follow from it."""
    return bool(invalid_rule(case.metric, case.phase, case.measurements))


def invalid_rule(metric: str, phase: str, measurements: Iterable[_Measurement]) -> str:
    """Return the rule of the first finding for which a number means nothing, "" if there is none.

    One such repeat is enough. A repeat that has no number, because of such a finding or of another, is not in
    the number.
    """
    groups = ((*each.findings, *each.run.findings) for each in measurements)
    rules = (each.rule for findings in groups for each in findings if each.severity == "invalid")
    return next((str(rule) for rule in rules if _concerns(rule, metric, phase)), "")


def _concerns(rule: str, metric: str, phase: str) -> bool:
    """Return whether an invalid finding about a run is about this number of it."""
    if rule in _OF_RATES:
        return metric_of(metric).unit in RATES or metric in _FROM_WORK
    return rule not in _OF_FILES and (phase == STEP or rule not in _OF_WHOLE_STEPS)
