"""Ratios that generated documents compute: slowdowns, speed-ups, expected speeds, as measures beside logs.

A cell of a report.json knows its case by its factors. Its ratio becomes a value of the case of the logs that
has these factors, so that keys, headings and words restrict it as they restrict every other number.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from reportgen.audit.agreement import RATIO
from reportgen.audit.evidence import REPEAT, Evidence, Measure
from reportgen.core.factors import factor_key
from reportgen.core.model import FactorValue, FloatArray
from reportgen.document.model import Case, Document, Quantity, Table

# Ratios in documents -> what they are called here.
_SCOPES: Mapping[Quantity, str] = {
    "ratio": "ratio",
    "speedup": "speedup",
    "efficiency": "efficiency",
    "observed": "slowdown",
    "expected": "expected",
    "excess": "excess",
}


def with_documents(evidence: Evidence, documents: Sequence[Document]) -> Evidence:
    """Return the evidence with the ratios of documents as further measures of its cases."""
    cases = _CaseIndex(evidence)
    known_ratios: dict[tuple[str, str, str, bytes], tuple[Measure, FloatArray]] = {}
    for document in documents:
        known = {case.name: case for case in document.cases}
        for table in document.tables:
            for measure, values in _ratios(document, table, known, cases):
                # Tables repeat the ratios of others; the first one is named.
                known_ratios.setdefault(
                    (*measure.quantity, measure.scope, values.tobytes()), (measure, values)
                )
    if not known_ratios:
        return evidence
    return replace(
        evidence,
        measures=(*evidence.measures, *(measure for measure, _ in known_ratios.values())),
        units=(*evidence.units, *([RATIO] * len(known_ratios))),
        values=np.vstack([evidence.values, *(values for _, values in known_ratios.values())]),
    )


def _ratios(
    document: Document, table: Table, known: Mapping[str, Case], cases: "_CaseIndex"
) -> Iterator[tuple[Measure, FloatArray]]:
    """Yield what each kind of ratio of a table says about the cases."""
    place = f"{document.name}/{table.id}"
    rows: dict[Measure, FloatArray] = {}
    for cells in table.cells:
        for head, cell in zip(table.columns, cells, strict=True):
            case = known.get(cell.case or "")
            comparison = document.comparison_of(table, cell)
            if head.quantity not in _SCOPES or cell.value is None or case is None or comparison is None:
                continue
            measure = Measure(case.metric, case.phase, case.protocol, "median", _SCOPES[head.quantity], place)
            values = rows.setdefault(measure, np.full(cases.size, np.nan))
            values[cases.of(case.factors)] = cell.value
    return iter((measure, values) for measure, values in rows.items() if np.isfinite(values).any())


class _CaseIndex:
    """Finds the cases of the evidence that have given factors, and maybe more."""

    def __init__(self, evidence: Evidence) -> None:
        self.size = len(evidence.cases)
        self._evidence = evidence
        self._codes = {
            name: {factor_key(value): code for code, value in enumerate(levels)}
            for name, levels in evidence.levels.items()
        }
        self._known: dict[object, np.ndarray] = {}
        self._is_single = np.array([REPEAT in case.factors for case in evidence.cases], dtype=bool)

    def of(self, factors: Mapping[str, FactorValue]) -> np.ndarray:
        key = tuple(sorted((name, factor_key(value)) for name, value in factors.items()))
        if key not in self._known:
            mask = ~self._is_single
            for name, value in factors.items():
                code = self._codes.get(name, {}).get(factor_key(value))
                mask &= self._evidence.codes[name] == code if code is not None else False
            self._known[key] = np.flatnonzero(mask)
        return self._known[key]
