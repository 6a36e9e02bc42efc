"""Compare two states of all reports: which cases moved, which ratios, what came and went.

Old and new reports by name go in, a Diff comes out. A case that several tables show is one row. Cells are
paired by place, so a case is found again under another protocol or with other factors.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from reportgen.compare.spread import Spreads
from reportgen.core.factors import factors_key
from reportgen.core.rules import SEVERITIES
from reportgen.core.stats import geometric_mean
from reportgen.diff.acceptance import AcceptanceChange, acceptance_changes
from reportgen.diff.cells import (
    CellChange,
    cell_key,
    changed_cells,
    heading_text,
    paired_cells,
    same_number,
    same_value,
)
from reportgen.diff.pairs import (
    DESCRIPTIONS,
    CasePair,
    compare_pair,
    protocol_change,
    reasons_of,
    shown_number,
)
from reportgen.diff.rows import (
    EnvironmentChange,
    Row,
    corrected_rows,
    environment_changes,
    primary_rows,
    sorted_rows,
)
from reportgen.diff.texts import TextChange, text_changes
from reportgen.document.cells import PlacedCell, placed_cells
from reportgen.document.model import Case, Document, Finding
from reportgen.document.sides import side_of

Reports = Mapping[str, Document]


@dataclass(frozen=True, slots=True)
class RatioChange:
    """A ratio that moved, or whose verdict changed, and why. Then the verdict is behind the number."""

    place: str
    heading: str
    old: str
    new: str
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FindingChange:
    """A finding that came or went."""

    report: str
    finding: Finding


@dataclass(frozen=True, slots=True)
class ProtocolChange:
    """A protocol that measures cases of a report in another way now, even if no number moved.

    change  the fields that differ: `warmup 20 -> 30`
    cases   number of cases that it measures
    """

    report: str
    change: str
    cases: int


@dataclass(frozen=True, slots=True)
class ReportChange:
    """A report that is new, gone or renamed (then with its old name).

    findings  number of those above notes
    """

    name: str
    title: str
    tables: int
    numbers: int
    findings: int
    old_name: str = ""


@dataclass(frozen=True, slots=True)
class LogChanges:
    """Committed logs of reports that were added, edited, deleted or are no longer read, by path.

    edited   other content; deleted  no longer there; unread  there, but no longer read
    added    read now and not before
    """

    added: tuple[str, ...] = ()
    edited: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Diff:
    """The differences between two states of all reports.

    rows        cases whose repeats or numbers moved, the worst first
    ratios      ratios and verdicts in tables that moved
    appeared, disappeared  cells that are a number on one side only, in reports that both sides have
    reworded    cells without a number on both sides, whose texts differ
    rerounded   equal numbers that are written in another way
    protocols   protocols that changed, in reports that both sides have
    acceptance  rules of acceptance that changed, in reports that both sides have
    texts       texts of authors and figures that changed, in reports that both sides have
    unreadable  reports of the old side that this version cannot read, so nothing of them was compared
    unchanged   number of cells that are numbers and did not move
    notes       what a reader should know about the comparison itself
    """

    rows: tuple[Row, ...] = ()
    ratios: tuple[RatioChange, ...] = ()
    appeared: tuple[CellChange, ...] = ()
    disappeared: tuple[CellChange, ...] = ()
    reworded: tuple[CellChange, ...] = ()
    rerounded: tuple[CellChange, ...] = ()
    protocols: tuple[ProtocolChange, ...] = ()
    acceptance: tuple[AcceptanceChange, ...] = ()
    texts: tuple[TextChange, ...] = ()
    findings_came: tuple[FindingChange, ...] = ()
    findings_went: tuple[FindingChange, ...] = ()
    environment: tuple[EnvironmentChange, ...] = ()
    new_reports: tuple[ReportChange, ...] = ()
    gone_reports: tuple[ReportChange, ...] = ()
    renamed_reports: tuple[ReportChange, ...] = ()
    unreadable: tuple[str, ...] = ()
    logs: LogChanges = LogChanges()
    unchanged: int = 0
    notes: tuple[str, ...] = field(default=())

    @property
    def verdicts(self) -> Counter[str]:
        """How many rows have each verdict; a row whose metric is not a speed counts as `changed`."""
        return Counter(row.kind for row in self.rows)

    @property
    def averaged(self) -> list[Row]:
        """The rows that `mean_ratio` averages: one of each case that can be compared."""
        compared = [
            row
            for row in self.rows
            if row.ratio is not None and row.verdict and row.verdict.kind != "not comparable"
        ]
        return primary_rows(compared)

    @property
    def mean_ratio(self) -> float | None:
        """The geometric mean of the speed ratios of the cases that can be compared, None without any."""
        ratios = [row.ratio for row in self.averaged if row.ratio is not None]
        return geometric_mean(ratios) if ratios else None


def compare_reports(old: Reports, new: Reports, is_there: Callable[[str], bool] = lambda path: True) -> Diff:
    """Return what differs between two states of all reports, by name.

    is_there  whether a log of the old state still exists
    """
    renamed = _renamed(old, new)
    pairs = [(old.get(renamed.get(name, name)), report) for name, report in sorted(new.items())]
    both = [(before, after) for before, after in pairs if before is not None]
    gone = old.keys() - new.keys() - set(renamed.values())
    rows = sorted_rows(_rows(both))
    changes = [change for before, after in both for change in changed_cells(before, after)]
    came, went = _finding_changes(both)
    return Diff(
        rows=rows,
        ratios=tuple(ratio for before, after in both for ratio in _ratios(before, after)),
        appeared=tuple(change for change in changes if _is_gain(change.old, change.new)),
        disappeared=tuple(change for change in changes if _is_gain(change.new, change.old)),
        reworded=tuple(
            change for change in changes if not change.has_number and change.cell.quantity != "verdict"
        ),
        rerounded=tuple(change for change in changes if change.is_appearance_only),
        protocols=tuple(change for before, after in both for change in _protocols(before, after)),
        acceptance=tuple(change for before, after in both for change in acceptance_changes(before, after)),
        texts=tuple(change for before, after in both for change in text_changes(before, after)),
        findings_came=came,
        findings_went=went,
        environment=environment_changes(rows),
        new_reports=tuple(_report(after) for before, after in pairs if before is None),
        gone_reports=tuple(_report(old[name]) for name in sorted(gone)),
        renamed_reports=tuple(_report(new[name], earlier) for name, earlier in sorted(renamed.items())),
        logs=log_changes(
            (each.sources for each in old.values()), (each.sources for each in new.values()), is_there
        ),
        unchanged=sum(_unchanged(before, after) for before, after in both),
    )


def _is_gain(old: PlacedCell | None, new: PlacedCell | None) -> bool:
    return new is not None and new.is_number and not (old is not None and old.is_number)


def _unchanged(old: Document, new: Document) -> int:
    return sum(change.has_number and change.is_same for change in paired_cells(old, new))


def _renamed(old: Reports, new: Reports) -> dict[str, str]:
    """Return new name -> old name of reports that have most of their cells in common."""
    renamed: dict[str, str] = {}
    gone = {name: _cells(report) for name, report in old.items() if name not in new}
    for name in sorted(new.keys() - old.keys()):
        cells = _cells(new[name])
        for earlier, others in sorted(gone.items()):
            if 2 * len(cells & others) > max(len(cells), len(others)) and earlier not in renamed.values():
                renamed[name] = earlier
                break
    return renamed


def _cells(report: Document) -> set[tuple[object, ...]]:
    return {(table.id, *cell_key(cell)) for table in report.tables for cell in placed_cells(report, table)}


def _report(report: Document, old_name: str = "") -> ReportChange:
    numbers = sum(cell.is_number for table in report.tables for cell in placed_cells(report, table))
    findings = sum(finding.severity != "note" for finding in report.findings)
    return ReportChange(report.name, report.title, len(report.tables), numbers, findings, old_name)


# Rows: cases


def _rows(both: Iterable[tuple[Document, Document]]) -> list[Row]:
    """Return a row for each pair of cases that moved, with verdicts corrected for their number.

    Several reports may show the same case of the same runs: that is one row.
    """
    rows: dict[object, Row] = {}
    for before, after in both:
        for identity, row in _rows_of_report(before, after):
            known = rows.get(identity)
            rows[identity] = replace(known, tables=(*known.tables, *row.tables)) if known else row
    return corrected_rows(list(rows.values()))


def _rows_of_report(old: Document, new: Document) -> Iterator[tuple[object, Row]]:
    """Yield what identifies a pair of cases that moved in any report, and its row."""
    definitions = {table.id: table.definition for table in old.tables}
    redefined = {
        table.id
        for table in new.tables
        if definitions.get(table.id) and table.definition and table.definition != definitions[table.id]
    }
    spreads = Spreads(map(side_of, old.cases))
    for (before, after), changes in _shown_cases(old, new).items():
        pair = _pair(old, new, before, after, is_redefined=any(each.table in redefined for each in changes))
        if pair and pair.has_moved:
            yield (_identity(pair.old), _identity(pair.new)), _row(pair, spreads, changes)


def _shown_cases(old: Document, new: Document) -> dict[tuple[str, str], list[CellChange]]:
    """Return the names of the old and the new case of each pair of cells, with the cells that show them."""
    shown: dict[tuple[str, str], list[CellChange]] = {}
    for change in paired_cells(old, new):
        if change.old and change.new and change.old.case and change.new.case:
            shown.setdefault((change.old.case, change.new.case), []).append(change)
    return shown


def _identity(case: Case) -> tuple[object, ...]:
    runs = tuple(
        (repeat.files, repeat.run.id.partition("#")[2], repeat.value) for repeat in case.measurements
    )
    return case.metric, case.phase, case.protocol, factors_key(case.factors), runs


def _pair(
    old: Document, new: Document, before: str, after: str, *, is_redefined: bool = False
) -> CasePair | None:
    """Return the pair of two cases, None if one of them has no number."""
    sides = old.case_by_name.get(before), new.case_by_name.get(after)
    if not all(side and side.summary for side in sides):
        return None
    first, second = sides
    assert first is not None
    assert second is not None
    return CasePair(old, new, first, second, is_redefined)


def _row(pair: CasePair, spreads: Spreads, changes: Sequence[CellChange]) -> Row:
    values = [each for each in changes if each.cell.quantity == "value"]
    first = (values or changes)[0]
    comparison = compare_pair(pair, spreads)
    return Row(
        place=f"{first.report}/{first.table}",
        heading=first.row_and_column,
        comparison=comparison,
        old=(values and first.old_text) or shown_number(pair.old),
        new=(values and first.new_text) or shown_number(pair.new),
        reasons=reasons_of(pair, comparison.breakdown),
        tables=tuple(dict.fromkeys(f"{change.report}/{change.table}" for change in changes)),
        is_part=bool(pair.repeats.kept and pair.repeats.added),
        case=_case_text(pair.new),
    )


def _case_text(case: Case) -> str:
    """Return the factors of a case and its first run; runs without this metric are among its runs, too."""
    runs = [run.id for run in case.runs]
    return f"{heading_text(dict(sorted(case.factors.items())))} [{min(runs, default='')}]"


# Protocols


def _protocols(old: Document, new: Document) -> Iterator[ProtocolChange]:
    """Yield each change of a protocol with the number of cases that both states measure by it."""
    pairs = [_pair(old, new, before, after) for before, after in _shown_cases(old, new)]
    changes = Counter(change for pair in pairs if pair and (change := protocol_change(pair)))
    yield from (ProtocolChange(new.name, change, cases) for change, cases in sorted(changes.items()))


# Ratios


def _ratios(old: Document, new: Document) -> Iterator[RatioChange]:
    definitions = {table.id: table.definition for table in old.tables}
    digests = {table.id: table.definition for table in new.tables}
    for change in paired_cells(old, new):
        before, after = change.old, change.new
        if before is None or after is None or after.quantity in ("value", "repeats"):
            continue
        has_moved = before.is_number and after.is_number and not same_number(before, after)
        is_reworded = after.quantity == "verdict" and change.old_text != change.new_text
        verdicts = _verdicts(before, after)
        if not (has_moved or is_reworded or any(verdicts)):
            continue
        digest = definitions.get(change.table, "")
        reasons = [*_ratio_reasons(old, new, before, after)]
        if digest and digests[change.table] and digest != digests[change.table]:
            reasons.append("definition changed")
        yield RatioChange(
            f"{change.report}/{change.table}",
            change.heading,
            change.old_text + verdicts[0],
            change.new_text + verdicts[1],
            tuple(reasons),
        )


def _verdicts(old: PlacedCell, new: PlacedCell) -> tuple[str, str]:
    """Return the verdicts on a ratio as the ends of texts, "" for both if they are of one kind."""
    if new.quantity == "verdict" or not (old.is_number and new.is_number):
        return "", ""
    kinds = [
        each.comparison.verdict.kind if each.comparison and each.comparison.verdict else "no verdict"
        for each in (old, new)
    ]
    return ("", "") if kinds[0] == kinds[1] else (f", {kinds[0]}", f", {kinds[1]}")


def _ratio_reasons(old: Document, new: Document, before: PlacedCell, after: PlacedCell) -> Iterator[str]:
    own = _pair(old, new, before.case, after.case)
    if own and own.has_moved:
        yield f"its number moved: {shown_number(own.old)} -> {shown_number(own.new)}"
    first, second = before.comparison, after.comparison
    if first is None or second is None:
        return
    base = _pair(old, new, first.baseline, second.baseline)
    if base and base.old.factors != base.new.factors:
        yield "other baseline"
    elif base and base.has_moved:
        yield f"its baseline moved: {shown_number(base.old)} -> {shown_number(base.new)}"
    facts = first.expected, second.expected
    if facts[0] and facts[1] and not same_value(facts[0].speed, facts[1].speed):
        yield f"expected facts changed: {facts[0].speed:.4g} -> {facts[1].speed:.4g}"


# Findings and logs


def _finding_changes(
    both: Iterable[tuple[Document, Document]],
) -> tuple[tuple[FindingChange, ...], tuple[FindingChange, ...]]:
    """Return the findings that came and that went.

    A finding whose numbers changed has neither come nor gone, nor has one whose run has another name now. One
    that became invalid came.
    """
    came: list[FindingChange] = []
    went: list[FindingChange] = []
    for before, after in both:
        old, new = list(before.findings), list(after.findings)
        for key in (_renumbered, _subject):
            same = Counter(map(key, old)) & Counter(map(key, new))
            old, new = (_without(side, key, same) for side in (old, new))
        came += [FindingChange(after.name, finding) for finding in new]
        went += [FindingChange(after.name, finding) for finding in old]
    return _sorted_findings(came), _sorted_findings(went)


_FindingKey = tuple[str, ...]


def _renumbered(finding: Finding) -> _FindingKey:
    """Return what a finding says about a run of a log with several, for any number of the run."""
    file = finding.subject.partition("#")[0]
    return finding.rule, file, finding.message, finding.detail, str(finding.severity == "invalid")


def _subject(finding: Finding) -> _FindingKey:
    # A warning that became invalid came: nothing may follow from the number any more.
    return finding.rule, finding.subject, str(finding.severity == "invalid")


def _without(
    findings: Iterable[Finding], key: Callable[[Finding], _FindingKey], same: Counter[_FindingKey]
) -> list[Finding]:
    """Return the findings that are left when so many of each key are taken away."""
    left = same.copy()
    kept = []
    for finding in findings:
        if left[key(finding)]:
            left[key(finding)] -= 1
        else:
            kept.append(finding)
    return kept


def _sorted_findings(changes: Iterable[FindingChange]) -> tuple[FindingChange, ...]:
    def key(change: FindingChange) -> tuple[int, str, str, str]:
        finding = change.finding
        severity = SEVERITIES.index(finding.severity) if finding.severity in SEVERITIES else len(SEVERITIES)
        return severity, finding.rule, change.report, finding.subject

    return tuple(sorted(changes, key=key))


def log_changes(
    old: Iterable[Mapping[str, str]], new: Iterable[Mapping[str, str]], is_there: Callable[[str], bool]
) -> LogChanges:
    """Return changed logs; a missing one whose content is elsewhere was moved.

    old, new  path -> SHA-256 of what each report reads
    """
    before, after = _logs(old), _logs(new)
    gone, came = before.keys() - after.keys(), after.keys() - before.keys()
    contents = {after[path] for path in came}
    missing = {path for path in gone if not is_there(path)}
    moved = {before[path] for path in missing} & contents
    return LogChanges(
        added=tuple(sorted(path for path in came if after[path] not in moved)),
        edited=tuple(sorted(path for path in before.keys() & after.keys() if before[path] != after[path])),
        deleted=tuple(sorted(path for path in missing if before[path] not in moved)),
        unread=tuple(sorted(gone - missing)),
    )


def _logs(sources: Iterable[Mapping[str, str]]) -> dict[str, str]:
    """Return the logs among sources, without the files that describe logs, which may be corrected."""
    return {
        path: digest
        for each in sources
        for path, digest in each.items()
        if path.rpartition("/")[2] not in DESCRIPTIONS
    }
