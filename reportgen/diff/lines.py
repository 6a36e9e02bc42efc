"""Write a report.json as stable lines of text, which `git diff` compares in its place (textconv).

One line for each number and each finding, in the order of the report, with what it is; names of cases,
digests and sources are left out. So `git log -p` of a report.json reads like a list of results.
"""

from collections.abc import Iterator

from reportgen.core.plain_text import one_line
from reportgen.diff.cells import CellChange
from reportgen.document.cells import PlacedCell, placed_cells
from reportgen.document.model import Document


def report_lines(report: Document) -> Iterator[str]:
    """Yield the lines of a report."""
    yield one_line(f"report {report.name}: {report.title}")
    for name, protocol in sorted(report.protocols.items()):
        fields = ", ".join(f"{key}={value}" for key, value in sorted(protocol.items()) if key != "name")
        yield one_line(f"protocol {name}: {fields}")
    for table in report.tables:
        yield ""
        yield one_line(f"table {table.id}: {table.title}")
        for cell in placed_cells(report, table):
            change = CellChange(report.name, table.id, None, cell)
            yield one_line(f"  {change.heading}: {change.new_text}{_repeats(report, cell)}")
    yield ""
    for finding in report.findings:
        yield one_line(f"{finding.severity} {finding.rule} {finding.subject}: {finding.message}")


def _repeats(report: Document, cell: PlacedCell) -> str:
    """Return how many repeats a number is of, "" for ratios and single figures."""
    case = report.case_by_name.get(cell.case)
    if cell.quantity != "value" or not cell.is_number or not case or not case.summary:
        return ""
    number = case.summary.repeats
    return f" ({number} repeats)" if number > 1 else ""
