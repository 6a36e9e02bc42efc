"""Audit one document: map each table, judge its cells, judge the ratios in its sentences."""

from collections import Counter
from dataclasses import dataclass, replace

import numpy as np

from reportgen.audit.documents import TextDocument, TextTable
from reportgen.audit.evidence import Evidence
from reportgen.audit.hints import is_ratio
from reportgen.audit.keys import KeyIndex
from reportgen.audit.layout import NumberClaim, TableLayout, read_layout
from reportgen.audit.mapping import Mapper, TableMapping, ValueIndex
from reportgen.audit.namings import NamingIndex
from reportgen.audit.numbers import has_decimal_comma
from reportgen.audit.places import Places
from reportgen.audit.prose import ProseJudge
from reportgen.audit.ratios import with_ratios
from reportgen.audit.sentences import MAX_SENTENCES, claims_of
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

    document: TextDocument
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


def shows_ratio(layout: TableLayout, claim: NumberClaim) -> bool:
    """Return whether a number looks like a ratio of two cases."""
    return claim.unit == "x" or is_ratio(layout.heads[claim.column])


class Auditor:
    """Audits documents against one body of evidence."""

    def __init__(self, evidence: Evidence) -> None:
        self.evidence = evidence
        self._keys, self._values = KeyIndex(evidence), ValueIndex(evidence)
        self._names = NamingIndex(evidence, self._keys.levels)

    def audit(self, document: TextDocument) -> AuditedDocument:
        """Return the document with a verdict for each number."""
        tables = tuple(self._table(table) for table in document.tables)
        sentences = document.sentences[:MAX_SENTENCES]
        comma = has_decimal_comma(each.text for each in sentences)
        claims = [claim for each in sentences for claim in claims_of(each, self._names, comma=comma)]
        return AuditedDocument(document, tables, tuple(ProseJudge(self.evidence, self._names).judge(claims)))

    def _table(self, table: TextTable) -> AuditedTable:
        layout = read_layout(table, self._keys)
        if layout is None:
            return AuditedTable(table, ())
        evidence = self.evidence
        places = Places(layout, self._names)
        mapping, candidates = Mapper(evidence, self._values, layout, places).map()
        if any(shows_ratio(layout, claim) for claim in layout.claims if claim not in mapping.readings):
            cases = np.zeros(len(evidence.cases), dtype=bool)
            for row in {claim.row for claim in layout.claims}:
                cases |= candidates.row(row)
            # The baseline of a ratio need not be in the table, but it meets the same conditions.
            evidence = with_ratios(evidence, cases & candidates.shared())
            mapping, candidates = Mapper(evidence, ValueIndex(evidence), layout, places).map()
        judge = Judge(evidence, mapping, candidates, places)
        if columns := judge.columns_without_reading():
            # The unit above a column may be wrong: its numbers are compared in all units.
            free = tuple(
                replace(claim, unit="") if claim.column in columns and not claim.number.unit else claim
                for claim in layout.claims
            )
            layout = replace(layout, claims=free)
            mapping, candidates = Mapper(evidence, ValueIndex(evidence), layout, places).map()
            judge = Judge(evidence, mapping, candidates, places, columns)
        return AuditedTable(table, tuple(judge.judge()), mapping)
