"""Write acceptance.csv: one line for each cell under a rule of acceptance, base units, 12 digits."""

import csv
import io
import re

from reportgen.core import units
from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.plain_text import spreadsheet
from reportgen.document.model import Document
from reportgen.render.outputs import Content, Output

_HEAD = (
    *("acceptance", "acceptance_result", "rule", "rule_result", "cell", "result", "reason"),
    *("metric", "unit", "value", "reference", "ratio"),
)


def _acceptance_csv(content: Content) -> bytes:
    """Return the file."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_HEAD)
    for entry in content.report.acceptance:
        for rule in entry.rules:
            for cell in rule.cells:
                words = (entry.id, entry.outcome, rule.text, rule.outcome, cell.place, cell.outcome)
                numbers = (cell.value, cell.reference, cell.ratio)
                writer.writerow(
                    [
                        *map(spreadsheet, (*words, cell.reason, cell.metric, cell.unit)),
                        *("" if number is None else units.machine(number) for number in numbers),
                    ]
                )
    return text.getvalue().encode("utf-8", "replace")


def _has_rules(report: Document) -> bool:
    return bool(report.acceptance)


OUTPUT = Output(
    path="acceptance.csv",
    mark=lazy_pattern(rb"\A" + re.escape(",".join(_HEAD).encode()) + rb"\r?\n"),
    of_report=_acceptance_csv,
    is_needed=_has_rules,
)
