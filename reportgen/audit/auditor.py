"""Audit one document: map each table, judge its cells, judge the ratios in its sentences."""

from collections import Counter
from dataclasses import dataclass

from reportgen.audit.documents import Document, TextTable
from reportgen.audit.evidence import Evidence
from reportgen.audit.keys import KeyIndex
from reportgen.audit.layout import read_layout
from reportgen.audit.mapping import Mapper, TableMapping, ValueIndex
from reportgen.audit.verdicts import CellVerdict, Judge, Judgement


@dataclass(frozen=True, slots=True)
class AuditedTable:
    """A table with its judgements; `mapping` is None if it has no numbers."""

    table: TextTable
    judgements: tuple[Judgement, ...]
    mapping: TableMapping | None = None


@dataclass(frozen=True, slots=True)
class AuditedDocument:
    """A document with the judgements of all its numbers."""

    document: Document
    tables: tuple[AuditedTable, ...]
    sentences: tuple[Judgement, ...] = ()

    @property
    def judgements(self) -> tuple[Judgement, ...]:
        """All judgements, by place."""
        every = [each for table in self.tables for each in table.judgements] + list(self.sentences)
        return tuple(sorted(every, key=lambda each: (each.cell.line, each.cell.start)))

    @property
    def counts(self) -> Counter[CellVerdict]:
        """How many numbers have each verdict."""
        return Counter(each.verdict for each in self.judgements)


class Auditor:
    """Audits documents against one body of evidence."""

    def __init__(self, evidence: Evidence) -> None:
        self.evidence = evidence
        self._keys, self._values = KeyIndex(evidence), ValueIndex(evidence)

    def audit(self, document: Document) -> AuditedDocument:
        """Return the document with a verdict for each number."""
        return AuditedDocument(document, tuple(self._table(table) for table in document.tables))

    def _table(self, table: TextTable) -> AuditedTable:
        layout = read_layout(table, self._keys)
        if layout is None:
            return AuditedTable(table, ())
        mapping, candidates = Mapper(self.evidence, self._values, layout).map()
        return AuditedTable(table, tuple(Judge(self.evidence, mapping, candidates).judge()), mapping)
