"""Arrange a Diff as a headline, sentences and sections of rows, the same for Markdown and terminals.

The order is what a reviewer asks: is anything slower, by how much, what else moved and why, what is new.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from reportgen.compare.side import Side
from reportgen.compare.verdict import difference_from, difference_text, time_text
from reportgen.core.metrics import metric_of
from reportgen.core.stats import median
from reportgen.diff.acceptance import AcceptanceChange
from reportgen.diff.cells import ABSENT, CellChange
from reportgen.diff.changes import Diff, FindingChange, ReportChange
from reportgen.diff.rows import Row
from reportgen.render.text.english import count

Tone = Literal["bad", "good", "plain"]

_KINDS = (
    "slower", "faster", "likely slower", "likely faster", "undecided", "no repeats", "not comparable", "same",
    "changed",
)  # fmt: skip
_MAX_NAMED = 5
# What a verdict without a test says about the order of the runs.
_ORDERS = {"blocked": ", not interleaved", "unknown": ", order of the runs unknown"}


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One side of a comparison.

    commit  its full hash, "" for a folder; name  what it is; url  its web page, "" if not known
    """

    commit: str
    name: str
    url: str = ""

    @property
    def text(self) -> str:
        """The short hash with the name, or the name alone."""
        return f"{self.commit[:10]} ({self.name})" if self.commit else self.name


@dataclass(frozen=True, slots=True)
class Section:
    """A table of the comparison. is_folded: a reader needs it only to look something up."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    tone: Tone = "plain"
    is_folded: bool = False


def headline(diff: Diff) -> str:
    """Return the comparison in a few words: `1 slower, 2 undecided`."""
    counts = diff.verdicts
    parts = [f"{counts[kind]:,} {kind}" for kind in _KINDS if counts[kind]]
    if diff.ratios and not parts:
        parts.append(count(len(diff.ratios), "ratio or verdict", "ratios or verdicts") + " moved")
    invalid = sum(change.finding.severity == "invalid" for change in diff.findings_came)
    if invalid:
        parts.append(f"{invalid:,} new invalid")
    for paths, what in ((diff.logs.edited, "edited"), (diff.logs.deleted, "deleted")):
        if paths:
            parts.append(f"{count(len(paths), 'committed log file')} {what}")
    if diff.protocols:
        parts.append(count(len(diff.protocols), "protocol") + " changed")
    if diff.acceptance:
        parts.append(count(len(diff.acceptance), "acceptance rule") + " changed")
    if diff.new_reports:
        parts.append(count(len(diff.new_reports), "new report"))
    if diff.gone_reports:
        parts.append(f"{count(len(diff.gone_reports), 'report')} gone")
    for changes, word in ((diff.appeared, "new"), (diff.disappeared, "gone")):
        if changes:
            parts.append(f"{count(len(changes), 'number')} {word}")
    said = ", ".join(parts) or "no number moved"
    return f"{said}, {count(len(diff.texts), 'text')} changed" if diff.texts else said


def sentences(diff: Diff) -> list[str]:
    """Return what the headline leaves open: the mean, what did not move, logs, notes."""
    said = []
    mean, averaged = diff.mean_ratio, diff.averaged
    if mean is not None and len(averaged) > 1:
        by = " or ".join(dict.fromkeys(row.comparison.own.metric.replace("_", " ") for row in averaged))
        mean_text = difference_text(mean)
        said.append(f"Geometric mean speed of the {len(averaged)} cases compared (by {by}): {mean_text}.")
    if diff.unchanged:
        said.append(f"{count(diff.unchanged, 'number')} did not move.")
    for paths, what in ((diff.logs.edited, "edited"), (diff.logs.deleted, "deleted")):
        if paths:
            said.append(f"Logs should only be added, but committed ones were {what}: {paths_text(paths)}.")
    return [*said, *diff.notes]


def paths_text(paths: Sequence[str]) -> str:
    """Return paths by name, or, if they are many, their number below each of a few folders."""
    groups = [f"{path} ({files:,} files)" if files > 1 else path for path, files in _grouped(paths)]
    more = f" and {len(groups) - _MAX_NAMED:,} more" if len(groups) > _MAX_NAMED else ""
    return ", ".join(groups[:_MAX_NAMED]) + more


def _grouped(paths: Sequence[str]) -> list[tuple[str, int]]:
    """Return (path or folder, number of files): folders as deep as possible, so that they are few."""
    depth = max((path.count("/") for path in paths), default=0)
    while True:
        groups = Counter(_above(path, depth) for path in paths)
        if len(groups) <= _MAX_NAMED or depth == 0:
            return sorted(groups.items())
        depth -= 1


def _above(path: str, depth: int) -> str:
    parts = path.split("/")
    return path if len(parts) <= depth + 1 else f"{'/'.join(parts[: depth + 1])}/"


def verdict_text(row: Row) -> str:
    """Return how the new number compares with the old one, how sure that is, and with the time in gaps.

    Of a case that has old runs, too, the added ones are compared with the old ones.
    """
    over_all = row.comparison.speed_ratio_over_all
    with_gaps = "" if over_all is None else f"; with the time in gaps {difference_text(over_all)}"
    return f"{_while_stepping(row)}{with_gaps}"


def _while_stepping(row: Row) -> str:
    own, base = row.comparison.own, row.comparison.base
    if not row.is_part:
        return _verdict_text(row, own.value)
    added = f"{count(len(own.repeats), 'repeat')} added: "
    return added + _verdict_text(row, median([each.value for each in own.repeats]), _before(base))


def _before(base: Side) -> str:
    """Return the repeats of a side as what the added ones are compared with."""
    return f"the {len(base.repeats)} before" if len(base.repeats) > 1 else "the one before"


def _verdict_text(row: Row, new: float | None, than: str = "") -> str:
    verdict, old = row.verdict, row.comparison.base.value
    if verdict is None:
        if not old or new is None:
            return "changed"
        percent = 100 * (new / old - 1)
        shown = f"{percent:+.3g} %" if abs(percent) < 999.5 else f"{percent:+,.0f} %"
        return f"{shown}{f' against {than}' if than else ''}"
    is_time = metric_of(row.comparison.own.metric).better == "lower"
    if verdict.kind not in ("undecided", "no repeats", "not comparable") or row.ratio is None:
        order = _ORDERS.get(verdict.arrangement, "") if verdict.test == "separation" else ""
        return f"{verdict.sentence(beside_time=is_time, than=than)}{order}"
    time = time_text(row.ratio) * is_time
    difference = difference_from(row.ratio, than) if than else difference_text(row.ratio)
    shown = f"{difference}{f' ({time})' if time else ''}"
    return f"{shown}, {'but ' * (verdict.kind == 'undecided')}{verdict.sentence()}"


def sections_of(diff: Diff) -> list[Section]:
    """Return the tables of the comparison that have rows."""
    cases: dict[str, list[Row]] = {}
    for row in diff.rows:
        cases.setdefault(row.kind, []).append(row)
    reports = [_report_row(each, "new") for each in diff.new_reports]
    reports += [_report_row(each, "gone") for each in diff.gone_reports]
    reports += [_report_row(each, f"renamed from {each.old_name}") for each in diff.renamed_reports]
    protocols = [(each.report, each.change, count(each.cases, "case")) for each in diff.protocols]
    ratios = [(each.place, each.heading, each.old, each.new, "; ".join(each.reasons)) for each in diff.ratios]
    texts = [(each.report, each.what, each.old, each.new) for each in diff.texts]
    environment = [(each.name, each.old, each.new, count(each.rows, "row")) for each in diff.environment]
    logs = [
        (path, f"{what}, {count(files, 'file')}")
        for paths, what in ((diff.logs.added, "added"), (diff.logs.unread, "no longer read"))
        for path, files in _grouped(paths)
    ]
    every = [
        *(
            _rows(kind.capitalize(), rows, "bad" if kind == "slower" else "plain")
            for kind, rows in cases.items()
        ),
        Section(
            "Acceptance rules that changed",
            ("report", "acceptance", "before", "after", "what"),
            tuple(map(_acceptance, diff.acceptance)),
            "bad" if any(each.is_weaker for each in diff.acceptance) else "plain",
        ),
        Section("Protocols that changed", ("report", "change", "measures"), tuple(protocols)),
        Section("Ratios and verdicts that moved", ("table", "cell", "before", "after", "why"), tuple(ratios)),
        _findings("New findings", diff.findings_came),
        _findings("Findings that went", diff.findings_went, is_folded=True),
        Section("Environment that differs", ("what", "before", "after", "may explain"), tuple(environment)),
        Section("Reports", ("report", "what", "title", "contains"), tuple(reports)),
        _cells("New numbers", diff.appeared),
        _cells("Numbers that went", diff.disappeared),
        _cells("Cells without a number", diff.reworded),
        _cells("Equal numbers, written in another way", diff.rerounded, is_folded=True),
        Section("Texts that changed", ("report", "what", "before", "after"), tuple(texts)),
        Section("Logs", ("log", "what"), tuple(logs), is_folded=True),
    ]
    return [section for section in every if section.rows]


def _rows(title: str, rows: Iterable[Row], tone: Tone) -> Section:
    """Return a table of cases; those that were measured now are in no table of a report."""
    texts = [_row(row) for row in rows]
    if any(text[0] for text in texts):
        return Section(title, ("table", "case", "before", "after", "verdict", "why"), tuple(texts), tone)
    columns = ("case", "first", "second", "verdict of the second", "differs in")
    return Section(title, columns, tuple(text[1:] for text in texts), tone)


def _row(row: Row) -> tuple[str, ...]:
    also = f" (and {count(len(row.tables) - 1, 'other table')})" if len(row.tables) > 1 else ""
    why = "; ".join((*row.reasons, *(each.change_text for each in row.environment)))
    heading = row.heading or row.comparison.own.metric
    return f"{row.place}{also}", heading, row.old, row.new, verdict_text(row), why


def _acceptance(change: AcceptanceChange) -> tuple[str, ...]:
    kind = ("weaker" if change.new != ABSENT else "gone") if change.is_weaker else "changed"
    unjudged = f": no longer judged: {'; '.join(change.unjudged)}" if change.unjudged else ""
    return change.report, change.entry, change.old, change.new, kind + unjudged


def _report_row(change: ReportChange, what: str) -> tuple[str, ...]:
    contains = f"{count(change.numbers, 'number')} in {count(change.tables, 'table')}"
    warnings = f"; {count(change.findings, 'warning')}" if change.findings else ""
    return change.name, what, change.title, contains + warnings


def _findings(title: str, changes: Iterable[FindingChange], *, is_folded: bool = False) -> Section:
    rows = tuple(
        (
            each.finding.severity,
            each.report,
            each.finding.subject,
            each.finding.message + (f": {each.finding.detail}" if each.finding.detail else ""),
            each.finding.rule,
        )
        for each in changes
    )
    return Section(title, ("severity", "report", "subject", "finding", "rule"), rows, is_folded=is_folded)


def _cells(title: str, changes: Iterable[CellChange], *, is_folded: bool = False) -> Section:
    rows = tuple(
        (f"{each.report}/{each.table}", each.heading, each.old_text, each.new_text) for each in changes
    )
    return Section(title, ("table", "cell", "before", "after"), rows, is_folded=is_folded)
