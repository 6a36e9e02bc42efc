"""Say at the top of a page what was measured, on what, when, and how far to trust it.

Everything comes from the cases in the tables, so it holds for the numbers that a reader sees.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from reportgen.core import metrics
from reportgen.core.devices import shown_value
from reportgen.core.model import Evidence
from reportgen.document.model import Case, Document, Measurement
from reportgen.render.grid.summary import finding_groups, severity_counts
from reportgen.render.text.english import count

# Factors that name what ran and what it ran on; the first one that the cases have is shown.
_WORK = ("model", "benchmark", "task", "workload", "dataset")
_MACHINES = ("device", "gpu", "hardware", "accelerator", "machine", "cluster", "system")
_MAX_NAMES = 4
_EVIDENCE: dict[Evidence, str] = {
    "steps": "measured step by step",
    "intervals": "measured over printed intervals",
    "aggregate": "aggregates from the logs",
    "published": "published figures",
}
# Of a log that prints a time or rate with its steps: a progress bar prints a smoothed one.
_PRINTED: dict[Evidence, str] = {
    "steps": "times or rates that the logs print at their steps",
    "intervals": "times or rates that the logs print over intervals",
}


@dataclass(frozen=True, slots=True)
class Trust:
    """How far to trust the numbers: repeats and kinds of evidence, and findings by severity."""

    basis: str
    findings: tuple[str, ...]


def measured(report: Document) -> list[tuple[str, str]]:
    """Return (term, text) of what was measured, on what and when; without what the logs do not say."""
    cases = report.cases
    titles = dict.fromkeys(metrics.metric_of(case.metric, case.unit).title for case in cases)
    work, machines = _values(cases, _WORK), _values(cases, _MACHINES)
    what = _listed(titles) + (f" of {_listed(work)}" if work else "")
    terms = [("Measured", what), ("On", _on(machines, cases)), ("When", _when(report))]
    terms.append(("Runs", _runs_text(report)))
    return [(term, text) for term, text in terms if text]


def _runs_text(report: Document) -> str:
    """Return how many runs ended in which way, "" if all are complete and in the tables."""
    return "" if _is_whole(report) else " ".join(report.runs.sentences)


def runs_below(report: Document) -> str:
    """Return how many runs there are, for the end of a page; "" if its first screen says it."""
    return " ".join(report.runs.sentences) if _is_whole(report) else ""


def _is_whole(report: Document) -> bool:
    return len(report.runs.sentences) < 2 and report.runs.statuses.keys() <= {"complete"}


def trust(report: Document) -> Trust:
    """Return how far to trust the numbers."""
    cases = report.cases
    repeats = Counter(len(case.measurements) for case in cases if case.summary)
    kinds = {_kind(measurement) for case in cases for measurement in case.measurements}
    texts = [_repeats(repeats)] if repeats else []
    texts += [text for text in (*_EVIDENCE.values(), *_PRINTED.values()) if text in kinds]
    findings = severity_counts(finding_groups(report))
    return Trust("; ".join(texts), findings)


def _kind(measurement: Measurement) -> str:
    evidence = measurement.evidence
    return (
        _PRINTED.get(evidence, _EVIDENCE[evidence]) if measurement.clock == "printed" else _EVIDENCE[evidence]
    )


def _repeats(repeats: Counter[int]) -> str:
    least, most = min(repeats), max(repeats)
    if least == most:
        return f"{count(least, 'repeat')} per number"
    usual = repeats.most_common(1)[0][0]
    return f"{least} to {most} repeats per number, mostly {usual}"


def _values(cases: Iterable[Case], names: Sequence[str]) -> list[str]:
    """Return the values of the first of these factors that any case has, in the order of the tables."""
    values_of: dict[str, dict[str, None]] = {name: {} for name in names}
    for case in cases:
        for name in values_of.keys() & case.factors.keys():
            values_of[name][shown_value(name, str(case.factors[name]))] = None
    return next((list(values) for values in values_of.values() if values), [])


def _listed(names: Iterable[str]) -> str:
    names = list(names)
    rest = len(names) - _MAX_NAMES
    return ", ".join(names[:_MAX_NAMES]) + (f" and {rest:,} more" if rest > 0 else "")


def _on(machines: Sequence[str], cases: Sequence[Case]) -> str:
    numbers = sorted({n for case in cases if isinstance(n := case.factors.get("devices"), int)})
    devices = ""
    if numbers:
        devices = (
            f"{numbers[0]} to {numbers[-1]} devices" if len(numbers) > 1 else count(numbers[0], "device")
        )
    if devices and not machines:
        return f"{devices} of unknown type"
    return ", ".join(filter(None, (_listed(machines), devices)))


def _when(report: Document) -> str:
    """Return when the runs started, else the dates of the publications."""
    dates = sorted({date for case in report.cases for run in case.runs if (date := run.day)})
    dates = dates or sorted({provenance.date for provenance in report.provenance if provenance.date})
    if not dates:
        return ""
    return dates[0] if dates[0] == dates[-1] else f"{dates[0]} to {dates[-1]}"
