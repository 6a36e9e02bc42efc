"""Audit documents: which of their numbers are backed by logs, and which differ from them.

A document and the evidence of logs go in, a verdict for each number comes out:

    documents     tables and sentences with their places; read by `reader` (Markdown, HTML, CSV)
    numbers       what a cell says: value, digits, unit
    evidence      everything that can be derived from logs: cases and measures; `result_files` reads results
                  as runs, `generated` adds the ratios of report.json, `ratios` those of two cases
    keys, layout  headings and key columns, and which cases they restrict a number to
    namings, places              the values that words name, and the cases that contradict the words
    agreement, hints, mapping    what each column shows, decided by all numbers of the table
    verdicts, hypotheses         a verdict for each cell, and the mistake that explains a difference
    quotients     ratios of two numbers of one table
    sentences, prose             the numbers that sentences claim, and their verdicts

`docs/explanation/audit.md` explains to readers what is accused and what is not.
"""

from reportgen.audit.auditor import AuditedDocument, Auditor
from reportgen.audit.evidence import Evidence, gather_evidence
from reportgen.audit.generated import with_documents
from reportgen.audit.reader import read_document
from reportgen.audit.result_files import read_results
from reportgen.audit.verdicts import CellVerdict, Judgement

__all__ = [
    "AuditedDocument",
    "Auditor",
    "CellVerdict",
    "Evidence",
    "Judgement",
    "gather_evidence",
    "read_document",
    "read_results",
    "with_documents",
]
