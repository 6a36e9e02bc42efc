"""Print changed files, old and new numbers, changed published figures, findings: for `build`, `check`."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from reportgen.cli.log_edits import LogEdits
from reportgen.cli.options import print_document
from reportgen.cli.terminal import log, sanitize
from reportgen.core import units
from reportgen.render.text.english import count

if TYPE_CHECKING:
    from reportgen.api import BuildResult
    from reportgen.core.model import Finding
    from reportgen.diff.cells import CellChange
    from reportgen.diff.rebuilt import FigureChange
    from reportgen.document.model import Document

_MAX_NUMBERS = 20


def print_numbers(result: "BuildResult") -> None:
    """Print old and new numbers, the first ones one by one; warn of published figures that changed."""
    both = [change for change in result.rebuilt.cells if change.old and change.new]
    shown = [change for change in both if change.old_text != change.new_text]
    for change in shown[:_MAX_NUMBERS]:
        print(sanitize(f"number   {change.place}: {change.old_text} -> {change.new_text}"))
    rest = [
        (len(shown) - _MAX_NUMBERS, "more"),
        (sum(change.old is None for change in result.rebuilt.cells), "new"),
        (sum(change.new is None for change in result.rebuilt.cells), "removed"),
        (len(both) - len(shown), "in digits that are not shown"),
    ]
    counts = [f"{number:,} {what}" for number, what in rest if number > 0]
    if counts:
        print(f"numbers  {', '.join(counts)}")
    log_figures(result.rebuilt.figures)


def log_figures(figures: "Sequence[FigureChange]") -> None:
    """Warn of published figures that are others than in the last build."""
    for each in figures[:_MAX_NUMBERS]:
        old, new = (units.text(value) for value in (each.old, each.new))
        log(f"warning  {each.source}: published figure {each.metric} changed: {old} -> {new} {each.unit}")
    if len(figures) > _MAX_NUMBERS:
        log(f"... and {count(len(figures) - _MAX_NUMBERS, 'published figure')} more")
    if figures:
        log("published figures stay as published: undo the edit, and declare a correction in source.toml")


def print_lines(lines: Iterable[str]) -> None:
    """Print the changed lines of files."""
    for line in lines:
        print(sanitize(line))


def log_acceptance(reports: "Iterable[Document]") -> None:
    """Log the result of each entry of acceptance, and the first cells that do not pass."""
    from reportgen.render.grid.acceptance import ratio_text

    for report in reports:
        for entry in report.acceptance:
            coverage = f" ({entry.coverage})" if entry.coverage else ""
            log(f"acceptance  {report.name}/{entry.id}: {entry.outcome}{coverage}")
            cells = [(rule, cell) for rule in entry.rules for cell in rule.cells if cell.outcome != "pass"]
            for rule, cell in cells[:_MAX_NUMBERS] if entry.outcome != "pass" else ():
                why = cell.reason or f"ratio {ratio_text(cell.ratio or 0.0, rule.bounds)}"
                log(f"  {cell.outcome}: {rule.text}: {cell.place}: {why}")
            if entry.outcome != "pass" and len(cells) > _MAX_NUMBERS:
                log(f"  ... and {count(len(cells) - _MAX_NUMBERS, 'cell')} more: see the report")


def print_json(result: "BuildResult", edits: LogEdits) -> None:
    """Print the result for programs."""
    print_document(
        reports=[report.name for report in result.reports],
        files=result.files,
        is_up_to_date=result.is_up_to_date,
        changes=[{"path": change.path, "what": change.what} for change in result.changes],
        log_edits=[{"path": path, "what": what} for path, what in edits.states],
        numbers=[_number(change) for change in result.rebuilt.cells],
        published=result.rebuilt.figures,
        acceptance={report.name: report.acceptance for report in result.reports if report.acceptance},
        findings=[_finding(finding) for finding in result.findings],
    )


def _finding(finding: "Finding") -> dict[str, object]:
    """Return a finding as JSON has it."""
    return {
        "severity": finding.severity,
        "rule": finding.rule,
        "subject": finding.subject,
        "message": finding.text,
        "path": finding.source.path if finding.source else None,
        "line": finding.source.line if finding.source else None,
    }


def _number(change: "CellChange") -> dict[str, object]:
    return {
        "report": change.report,
        "table": change.table,
        "row": change.cell.row,
        "column": change.cell.column,
        "quantity": change.cell.quantity,
        "unit": change.cell.unit,
        "old": change.old and change.old.value,
        "new": change.new and change.new.value,
        "old_text": change.old_text,
        "new_text": change.new_text,
    }
