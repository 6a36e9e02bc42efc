"""Check that a table has what its definition requires: cells with numbers, repeats, how runs ended.

A log that was never recorded leaves no trace of its own, so a table looks complete without it. What must be
there is therefore written into the definition, and its absence is a finding.
"""

from collections.abc import Iterator, Sequence

from reportgen.core.factors import factor_key, value_text
from reportgen.core.model import Case, Finding
from reportgen.core.rules import Rule
from reportgen.tables.located_cells import locate_cells, words
from reportgen.tables.results import Table
from reportgen.tables.spec import RequiredSpec

# A finding names at most this many runs, and values of a factor.
_MAX_RUNS = 5
_MAX_VALUES = 8


def missing_required(id: str, required: RequiredSpec, tables: Sequence[Table]) -> Iterator[Finding]:
    """Yield what the tables of an entry lack, in the order of the definition, then of the cells."""
    for message in _messages(required, tables):
        yield Finding("warning", Rule.TABLE_MISSING_REQUIRED, id, message)


def _messages(required: RequiredSpec, tables: Sequence[Table]) -> Iterator[str]:
    places = [place for table in tables for place in locate_cells(table)]
    for wanted in required.cells:
        fitting = [place.cell for place in places if place.fits(wanted)]
        if not any(cell.kind == "number" for cell in fitting):
            reasons = sorted({cell.text for cell in fitting if cell.kind not in ("number", "absent")})
            why = f"no number ({', '.join(reasons)})" if reasons else "no number"
            yield f"required cell {words(wanted)}: {why}"
    for name, number in required.counts.items():
        values = {factor_key(p.factors[name]): p.factors[name] for p in places if p.cell.kind == "number"}
        if len(values) < number:
            shown = ", ".join(map(value_text, list(values.values())[:_MAX_VALUES])) or "none"
            yield f"{len(values)} of {number} required values of {name} have a number: {shown}"
    if required.all_cells:
        for place in places:
            if place.cell.kind != "number":
                yield f"required cell {words(place.factors)}: {place.cell.text or 'no number'}"
    for place in {id(place.cell.case): place for place in places}.values():
        if place.cell.case:
            yield from _of_case(required, words(place.factors), place.cell.case)


def _of_case(required: RequiredSpec, place: str, case: Case) -> Iterator[str]:
    if len(case.measurements) < required.repeats:
        yield f"{len(case.measurements)} of {required.repeats} required repeats: {place}"
    runs = [*(measurement.run for measurement in case.measurements), *case.unmeasured]
    others = [run for run in runs if required.statuses and run.status not in required.statuses]
    if others:
        shown = ", ".join(f"{run.id} is {run.status.replace('_', ' ')}" for run in others[:_MAX_RUNS])
        more = f" and {len(others) - _MAX_RUNS} more" if len(others) > _MAX_RUNS else ""
        wanted = " or ".join(status.replace("_", " ") for status in required.statuses)
        yield f"required status is {wanted}: {shown}{more}"
