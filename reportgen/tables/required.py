"""Check that a table has what its definition requires: cells with numbers, repeats, how runs ended.

A log that was never recorded leaves no trace of its own, so a table looks complete without it. What must be
there is therefore written into the definition, and its absence is a finding.
"""

from collections.abc import Iterator, Mapping, Sequence

from reportgen.core.factors import factor_key
from reportgen.core.model import Case, FactorValue, Finding
from reportgen.core.results import Cell, Header, Table
from reportgen.core.rules import Rule
from reportgen.tables.headings import plain
from reportgen.tables.spec import RequiredSpec

# A finding names at most this many runs.
_MAX_RUNS = 5


def missing_required(id: str, required: RequiredSpec, tables: Sequence[Table]) -> Iterator[Finding]:
    """Yield what the tables of an entry lack, in the order of the definition, then of the cells."""
    for message in _messages(required, tables):
        yield Finding("warning", Rule.TABLE_MISSING_REQUIRED, id, message)


def _messages(required: RequiredSpec, tables: Sequence[Table]) -> Iterator[str]:
    places = [place for table in tables for place in _places(table)]
    for wanted in required.cells:
        fitting = [cell for factors, cell in places if _fits(factors, wanted)]
        if not any(cell.kind == "number" for cell in fitting):
            reasons = sorted({cell.text for cell in fitting if cell.kind not in ("number", "absent")})
            why = f"no number ({', '.join(reasons)})" if reasons else "no number"
            yield f"required cell {_words(wanted)}: {why}"
    if required.all_cells:
        for factors, cell in places:
            if cell.kind != "number":
                yield f"required cell {_words(factors)}: {cell.text or 'no number'}"
    for factors, case in {id(cell.case): (factors, cell.case) for factors, cell in places}.values():
        if case:
            yield from _of_case(required, factors, case)


def _of_case(required: RequiredSpec, factors: Mapping[str, FactorValue], case: Case) -> Iterator[str]:
    if len(case.measurements) < required.repeats:
        yield f"{len(case.measurements)} of {required.repeats} required repeats: {_words(factors)}"
    runs = [*(measurement.run for measurement in case.measurements), *case.unmeasured]
    others = [run for run in runs if required.statuses and run.status not in required.statuses]
    if others:
        shown = ", ".join(f"{run.id} is {run.status.replace('_', ' ')}" for run in others[:_MAX_RUNS])
        more = f" and {len(others) - _MAX_RUNS} more" if len(others) > _MAX_RUNS else ""
        wanted = " or ".join(status.replace("_", " ") for status in required.statuses)
        yield f"required status is {wanted}: {shown}{more}"


def _places(table: Table) -> Iterator[tuple[Mapping[str, FactorValue], Cell]]:
    """Yield the factors of each place with its value, or the first cell if it shows no values."""
    for row, cells in zip(table.rows, table.cells, strict=True):
        if row.is_mean:
            continue
        seen: set[object] = set()
        for column, cell in zip(table.columns, cells, strict=True):
            if (column.key, column.split) not in seen:
                seen.add((column.key, column.split))
                yield _factors(table, row, column), cell


def _factors(table: Table, row: Header, column: Header) -> dict[str, FactorValue]:
    of_row = zip(table.row_factors, row.key, strict=True)
    of_column = zip(table.column_factors, column.key, strict=True)
    return {**dict(table.facet), **dict(of_row), **dict(of_column), **dict(column.split)}


def _fits(factors: Mapping[str, FactorValue], wanted: Mapping[str, FactorValue]) -> bool:
    return all(
        name in factors and factor_key(factors[name]) == factor_key(value) for name, value in wanted.items()
    )


def _words(factors: Mapping[str, FactorValue]) -> str:
    return ", ".join(f"{name}={plain(value)}" for name, value in factors.items())
