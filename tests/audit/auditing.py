"""Audit a text against runs, and pick verdicts out of the result."""

from collections.abc import Iterable

from reportgen.audit import AuditedDocument, Auditor, Judgement, gather_evidence, read_document
from reportgen.core.model import Run


def audit(text: str, runs: Iterable[Run], name: str = "t.md") -> AuditedDocument:
    """Return the audited document."""
    return Auditor(gather_evidence(runs)).audit(read_document(name, text))


def verdicts(document: AuditedDocument) -> dict[str, str]:
    """Return text -> verdict of all numbers."""
    return {each.text: str(each.verdict) for each in document.judgements}


def accused(document: AuditedDocument) -> list[Judgement]:
    """Return the numbers that differ."""
    return [each for each in document.judgements if each.verdict == "differs"]


def mistakes(document: AuditedDocument) -> list[tuple[str, str]]:
    """Return (text, name of the hypothesis) of the numbers that differ, "" without a hypothesis."""
    return [(each.text, each.hypothesis.name if each.hypothesis else "") for each in accused(document)]
