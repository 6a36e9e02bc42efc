"""Audit documents: which numbers of tables made by hand are backed by logs, and which differ from them.

A document and the evidence of logs go in, a verdict for each number comes out:

    documents     tables and sentences with their places; read by `reader` (Markdown, HTML, CSV)
    numbers       what a cell says: value, digits, unit
    evidence      everything that can be derived from logs: cases and measures
    keys, layout  headings and key columns, and which cases they restrict a number to
    agreement, hints, mapping    what each column shows, decided by all numbers of the table
    ratios        speed-ups and slowdowns, in tables and sentences
    verdicts, hypotheses         a verdict for each cell, and the mistake that explains a difference

`docs/explanation/audit.md` explains to readers what is accused and what is not.
"""

from reportgen.audit.auditor import AuditedDocument, Auditor
from reportgen.audit.evidence import Evidence, gather_evidence
from reportgen.audit.reader import read_document
from reportgen.audit.verdicts import CellVerdict, Judgement

__all__ = [
    "AuditedDocument",
    "Auditor",
    "CellVerdict",
    "Evidence",
    "Judgement",
    "gather_evidence",
    "read_document",
]
