"""Describe each report for the index: its result, what was measured when, how far to trust it."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from reportgen.compare.verdict import VerdictKind
from reportgen.core.rules import SEVERITIES, Severity
from reportgen.document.model import Document
from reportgen.render.grid.summary import alt_text
from reportgen.render.text.english import count

_VERDICT_ORDER: tuple[VerdictKind, ...] = (
    "faster", "same", "slower", "likely faster", "likely slower", "undecided", "not comparable", "no repeats",
)  # fmt: skip
_MAX_DEVICES = 6
_SIZES = {"devices", "nodes"}


@dataclass(frozen=True, slots=True)
class ReportCard:
    """One report in the index.

    when      dates of the runs, or of the publications; "" if no log says them
    devices   the devices that were measured
    verdicts  how many comparisons have which verdict, in words
    findings  how many findings there are of each severity
    picture   path of its first figure, relative to the reports folder, "" without one
    alt       alternative text of the picture
    """

    name: str
    title: str
    headline: str
    sentences: tuple[str, ...]
    when: str
    devices: str
    verdicts: str
    findings: tuple[tuple[Severity, str], ...]
    picture: str
    alt: str


def cards_of(reports: Sequence[Document]) -> list[ReportCard]:
    """Return a card for each report, by name. Raises RequestError for a wrong headline."""
    from reportgen.document import file_names
    from reportgen.render.prose.template import fill_headline

    cards = []
    for report in sorted(reports, key=lambda report: report.name):
        pictures = file_names.stems(figure.id for figure in report.figures)
        first = next(iter(report.figures), None)
        cards.append(
            ReportCard(
                report.name,
                report.title,
                fill_headline(report).text,
                report.verdict,
                _when(report),
                _devices(report.runs.devices),
                _verdicts(report),
                _finding_counts(report),
                f"{report.name}/figures/{pictures[first.id]}.svg" if first else "",
                alt_text(first) if first else "",
            )
        )
    return cards


def _when(report: Document) -> str:
    runs = report.runs
    published = sorted({each.date for each in report.provenance if each.date})
    texts = (
        _span("measured", [runs.first_day, runs.last_day] if runs.first_day else []),
        _span("published", published),
    )
    return ", ".join(filter(None, texts))


def _span(what: str, days: Sequence[str]) -> str:
    if not days:
        return ""
    return f"{what} {days[0]}" if days[0] == days[-1] else f"{what} {days[0]} to {days[-1]}"


def _devices(names: Sequence[str]) -> str:
    rest = len(names) - _MAX_DEVICES
    return ", ".join([*names[:_MAX_DEVICES], *([f"{rest} more"] if rest > 0 else [])])


def _verdicts(report: Document) -> str:
    """Count the verdicts. That more devices are faster than one is not a result: scaling is left out."""
    every = [each for table in report.tables for each in report.comparisons_of(table).values()]
    compared = [each for each in every if not _SIZES & {*report.contract_of(each).about}]
    kinds = Counter(each.verdict.kind for each in compared if each.verdict)
    return ", ".join(f"{kinds[kind]:,} {kind}" for kind in _VERDICT_ORDER if kinds[kind])


def _finding_counts(report: Document) -> tuple[tuple[Severity, str], ...]:
    every = dict.fromkeys(
        [*report.findings, *(finding for table in report.tables for finding in table.findings)]
    )
    counts = Counter(finding.severity for finding in every)
    return tuple(
        (severity, count(counts[severity], severity, "invalid" if severity == "invalid" else ""))
        for severity in SEVERITIES
        if counts[severity]
    )
