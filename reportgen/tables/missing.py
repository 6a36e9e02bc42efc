"""Why a case or a cell has no number, in words for people and data frames."""

from reportgen.core.case_findings import invalid_rule
from reportgen.core.model import Case
from reportgen.tables.results import Cell, Table

# How runs ended that have no number; of several, the first one counts.
STATUS_TEXTS = {
    "out_of_memory": "out of memory",
    "failed": "failed",
    "cancelled": "cancelled",
    "partial": "partial",
    "running": "incomplete",
}


def status_text(case: Case) -> str:
    """Return how the runs without a number ended, "" if all of them are complete."""
    statuses = {run.status for run in case.unmeasured}
    return next((text for status, text in STATUS_TEXTS.items() if status in statuses), "")


def reason_of_case(case: Case) -> str:
    """Return why a case has no value, or why it means nothing; "" if it has one."""
    if case.summary is not None:
        rule = invalid_rule(case.metric, case.phase, case.measurements)
        return f"invalid: {rule}" if rule else ""
    reasons = [finding.message for finding in case.findings if finding.severity != "note"]
    return status_text(case) or ": ".join(["not measured", *reasons[:1]])


def reason_of_cell(table: Table, cell: Cell) -> str:
    """Return what a cell shows instead of a number and why, "" if it shows a number.

    An interval and a verdict are not missing: they are returned as they are.
    """
    if cell.kind == "number":
        return f"invalid: {cell.invalid}" if cell.invalid else ""
    if cell.kind == "interval":
        return f"{cell.low} to {cell.high}"
    if cell.kind == "absent" and cell.case is not None and cell.case.summary is None:
        return reason_of_case(cell.case)
    notes = [table.notes[note].text for note in cell.notes]
    return ": ".join(
        [_WORDS.get(cell.kind, cell.text) if cell.case is None else _with_case(cell), *notes[:1]]
    )


# What the kinds of cells without a case are called.
_WORDS = {"absent": "no run", "several": "several", "planned": "planned"}


def _with_case(cell: Cell) -> str:
    """Return what is missing in a cell with a measured case: what it is compared with."""
    return "nothing to compare with" if cell.kind == "absent" else cell.text
