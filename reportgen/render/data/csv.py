"""Write tables/<id>.csv: one line for each row and column of a table, base units, 12 digits.

This is the form for other programs: nothing is rounded for people, nothing is merged, and the
quantities that a table shows side by side (value, speed-up, ...) are columns of one line.
"""

import csv
import io
from collections.abc import Iterator, Sequence
from itertools import groupby

from reportgen.core import units
from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.model import FactorValue
from reportgen.core.plain_text import spreadsheet
from reportgen.document.model import (
    COMPARED_QUANTITIES,
    Case,
    Cell,
    CompareKind,
    Comparison,
    Document,
    Header,
    Table,
)
from reportgen.render.outputs import Output

_MEASURED = ("metric", "phase", "unit", "value", "low", "high", "coverage", "repeats", "evidence", "text")
_VERDICT = ("verdict_low", "verdict_high")
# The rule for which the value means nothing. A table has this column only if a value has such a rule.
_INVALID = "invalid"
# The value, and the ratio, over all of the windows' time: columns only where gaps left out much of it.
_OVER_ALL, _RATIO_OVER_ALL = "over_all", "ratio_over_all"
_BANDS: dict[CompareKind, tuple[str, ...]] = {"expected": ("excess_low", "excess_high")}
# A table has these columns only if a log had a clock of the device, or its energy.
_BESIDE = ("cycles", "energy")
_COMPARED: dict[CompareKind, tuple[str, ...]] = {
    kind: (
        *(name for name in names if name not in (*_BESIDE, "interval")),  # it has two columns below
        *_BANDS.get(kind, ()),
        *(_VERDICT if "verdict" in names else ()),
        *(name for name in names if name in _BESIDE),
    )
    for kind, names in COMPARED_QUANTITIES.items()
}
# Only where a case and its baseline differ in more than the factors that are compared.
_DIFFERS = "differs"
# As factors these take the place of our own columns: they say the same.
_ALSO_FACTORS = {"metric", "phase"}
_RESERVED = {
    *_MEASURED,
    _DIFFERS,
    _INVALID,
    _OVER_ALL,
    _RATIO_OVER_ALL,
    *(name for names in _COMPARED.values() for name in names),
}


def table_csv(document: Document, table: Table) -> bytes:
    """Return a table of the document as CSV: UTF-8, comma, line feed; a field without a value is empty."""
    comparisons = _comparison_columns(document, table)
    split = _split_factors(table)
    factors = [*(name for name, _ in table.facet), *table.row_factors, *table.column_factors, *split]
    measured = [name for name in _MEASURED if name not in factors or name not in _ALSO_FACTORS]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*(spreadsheet(_factor_name(name)) for name in factors), *measured, *comparisons])
    for keys, columns, cells in _lines(document, table, split):
        shown = _measured(document, table, cells) | _compared(document, table, cells) | _means(columns, cells)
        writer.writerow([*map(_field, keys), *(shown.get(name, "") for name in (*measured, *comparisons))])
    return text.getvalue().encode()


def _factor_name(name: str) -> str:
    return f"{name}_factor" if name in _RESERVED - _ALSO_FACTORS else name


def _field(value: FactorValue) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return str(value)
    return units.machine(value) if isinstance(value, float) else spreadsheet(value)


def _comparison_columns(document: Document, table: Table) -> list[str]:
    comparisons = document.comparisons_of(table).values()
    kinds = {comparison.kind for comparison in comparisons}
    known = {name for each in comparisons for name in _beside(document, each)}
    names = (name for kind, names in _COMPARED.items() if kind in kinds for name in names)
    cases = (document.case(cell.case) for row in table.cells for cell in row)
    of_cases = {name for case in cases if case for name in _beside_value(case)}
    return [
        *(name for name in (_INVALID, _OVER_ALL) if name in of_cases),
        *(name for name in names if name in known or name not in _BESIDE),
        *([_DIFFERS] if any(each.differs for each in comparisons) else []),
        *([_RATIO_OVER_ALL] if any(each.over_all is not None for each in comparisons) else []),
    ]


def _beside_value(case: Case) -> Iterator[str]:
    """Yield the columns that exist because of a case."""
    if case.invalid:
        yield _INVALID
    if case.summary and case.summary.over_all is not None:
        yield _OVER_ALL


def _beside(document: Document, comparison: Comparison) -> dict[str, str]:
    metric = document.case_by_name[comparison.baseline].metric
    values = {"cycles": comparison.in_cycles(metric), "energy": comparison.energy_per_sample}
    return {name: units.machine(value) for name, value in values.items() if value is not None}


def _machine(value: float | None) -> str:
    return "" if value is None else units.machine(value)


def _split_factors(table: Table) -> list[str]:
    """Return the qualifying factors that had to split columns, in order of appearance."""
    return list(dict.fromkeys(name for column in table.columns for name, _ in column.split))


Line = tuple[tuple[FactorValue, ...], tuple[Header, ...], tuple[Cell, ...]]


def _lines(document: Document, table: Table, split: Sequence[str]) -> Iterator[Line]:
    """Yield (factor values, columns, cells) per line; columns of one key and split differ in quantity."""
    facet = tuple(value for _, value in table.facet)
    for row, cells in zip(table.rows, table.cells, strict=True):
        pairs = zip(table.columns, cells, strict=True)
        for (key, _), group in groupby(pairs, key=lambda pair: (pair[0].key, pair[0].split)):
            columns, same = zip(*group, strict=True)
            yield (*facet, *row.key, *key, *_split_values(document, split, columns[0], same)), columns, same


def _split_values(
    document: Document, split: Sequence[str], column: Header, cells: Sequence[Cell]
) -> Iterator[FactorValue]:
    """Yield the values of the splitting factors; a column that was not split shows its case's values."""
    case = document.case(next((cell.case for cell in cells if cell.case), None))
    known = {**(case.factors if case else {}), **dict(column.split)}
    return (known.get(name, "") for name in split)


def _means(columns: Sequence[Header], cells: Sequence[Cell]) -> dict[str, str]:
    """Return the numbers that stand for a whole column rather than for a case."""
    return {
        column.quantity: units.machine(cell.value)
        for column, cell in zip(columns, cells, strict=True)
        if cell.case is None and cell.kind == "number" and cell.value is not None
    }


def _measured(document: Document, table: Table, cells: Sequence[Cell]) -> dict[str, str]:
    """Return what the line says of the measurement itself, which any of its cells may hold."""
    case = document.case(next((cell.case for cell in cells if cell.case), None))
    kinds = {cell.kind for cell in cells}
    text = "" if "number" in kinds else next((cell.text for cell in cells if cell.kind != "absent"), "")
    line = {"metric": spreadsheet(case.metric if case else table.metric), "text": spreadsheet(text)}
    if case is None:
        return line
    line |= {"phase": spreadsheet(case.phase), "unit": spreadsheet(case.unit), _INVALID: case.invalid}
    return line | _summary(case) if not text else line


def _summary(case: Case) -> dict[str, str]:
    if case.summary is None:
        return {"repeats": "0"}
    summary = case.summary
    line = {
        "value": units.machine(summary.value),
        "repeats": str(summary.repeats),
        "evidence": " ".join(sorted({measurement.evidence for measurement in case.measurements})),
    }
    line[_OVER_ALL] = _machine(summary.over_all)
    if summary.repeats > 1:
        line |= {
            "low": units.machine(summary.ends[0]),
            "high": units.machine(summary.ends[1]),
            "coverage": units.machine(summary.coverage or 0.0),
        }
    return line


def _compared(document: Document, table: Table, cells: Sequence[Cell]) -> dict[str, str]:
    line: dict[str, str] = {}
    for comparison in filter(None, (document.comparison_of(table, cell) for cell in cells)):
        line |= _beside(document, comparison) | {_RATIO_OVER_ALL: _machine(comparison.over_all)}
        line[_DIFFERS] = spreadsheet("; ".join(each.text for each in comparison.differs))
        if verdict := comparison.verdict:
            line["verdict"] = verdict.kind
            if verdict.low is not None and verdict.high is not None:
                line |= {
                    "verdict_low": units.machine(verdict.low),
                    "verdict_high": units.machine(verdict.high),
                }
        if comparison.kind != "expected":
            line[comparison.kind] = _machine(comparison.value)
            continue
        line["observed"] = _machine(comparison.value)
        if comparison.expected:
            line["expected"] = units.machine(comparison.expected.speed)
        for name, value in (
            ("excess", comparison.excess),
            ("excess_low", comparison.excess_low),
            ("excess_high", comparison.excess_high),
        ):
            if value is not None:
                line[name] = units.machine(value)
    return line


OUTPUT = Output(
    path="tables/*.csv",
    mark=lazy_pattern(rb"\A[^\n]*unit,value,low,high,coverage,repeats,evidence,text"),
    of_table=lambda content, table: table_csv(content.report, table),
    is_committed=False,
)
