"""The row of geometric means, and which sides of a comparison lack cases that others have.

A mean is over paired ratios only, with a finding that names the rows without a pair.
"""

import re
from collections.abc import Iterable, Sequence

from reportgen.compare.conditions import COMPETITORS
from reportgen.core.factors import FactorKey, matches
from reportgen.core.model import Case, Finding
from reportgen.core.rules import Rule
from reportgen.core.stats import geometric_mean
from reportgen.document.model import Header
from reportgen.protocol.conditions import STATISTIC
from reportgen.tables.cells import CellBuilder
from reportgen.tables.footnotes import PendingCell
from reportgen.tables.headings import facet_text
from reportgen.tables.pivot import LACKING, CaseGrid, key_of
from reportgen.tables.results import Cell
from reportgen.tables.spec import METRIC, PHASE, TableSpec

# A sentence lists at most this many sides, and cases of one.
_MAX_LISTED = 3


def mean_cells(
    builder: CellBuilder,
    columns: Sequence[Header],
    pending: Sequence[Sequence[PendingCell]],
    rows: Sequence[Header],
) -> list[PendingCell]:
    """Return the geometric means of the paired ratios of each column; a finding names unmatched rows."""
    means: list[PendingCell] = []
    for position, column in enumerate(columns):
        cells = [line[position].cell for line in pending]
        values = [cell.value for cell in cells if _is_pair(cell) and cell.value and cell.value > 0]
        if column.quantity in ("value", "repeats") or not values:
            means.append(PendingCell(Cell("absent", text="")))
            continue
        unmatched = [
            " ".join(label.text for label in row.labels)
            for row, cell, line in zip(rows, cells, pending, strict=True)
            if cell.kind != "number" and (_has_number(line) or _has_either(builder, cell))
        ]
        statistics = {
            str(cell.case.factors.get(STATISTIC, "")) for cell in cells if _is_pair(cell) and cell.case
        }
        of_all = f" of {len(values) + len(unmatched)}" if unmatched else ""
        if len(values) == 1:
            text = f"1{of_all} {'rows' if of_all else 'row'} has both values, and a geometric mean needs two"
            cell = Cell("absent", text=builder.spec.missing)
        elif len(statistics) > 1:
            text = f"different statistics have no mean: {', '.join(sorted(statistics))}"
            cell = Cell("absent", text=builder.spec.missing)
        else:
            text = f"geometric mean of the {len(values)}{of_all} rows that have both values"
            cell = Cell("number", geometric_mean(values))
        means.append(PendingCell(cell, (builder.footnotes.add(text, name="mean"),)))
        if unmatched:
            what = "1 row lacks one of the two values, or they are not comparable: it is"
            if len(unmatched) > 1:
                what = (
                    f"{len(unmatched)} rows lack one of the two values, or these are not comparable: they are"
                )
            message = f"{what} left out of the geometric mean: {'; '.join(unmatched)}"
            builder.findings.append(Finding("note", Rule.TABLE_SETS_DIFFER, builder.spec.id, message))
    return means


def sets_differ(spec: TableSpec, grids: Sequence[CaseGrid], pool: Iterable[Case]) -> tuple[str, str]:
    """Return which sides of a comparison lack configurations that another has; "" if none does.

    First as a sentence that names them, then as a clause: "not every device has all 46 cases: 16 to 23".

    A side is a value of the factors that the baseline names, a configuration one of all other factors that
    the table shows, in any facet. Only cases with a number count, and with a value of one of these factors.

    pool  all cases that may be a baseline: it need not be in the table
    """
    if spec.compare is None:
        return "", ""
    about = tuple(spec.compare.baseline)
    others = tuple(
        name
        for name in (*spec.facets, *spec.rows, *spec.columns)
        if name not in (*about, *spec.pick, METRIC, PHASE)
    )
    where = {name: values for name, values in spec.where.items() if name not in about}
    where |= {name: (value,) for name, value in spec.compare.baseline.items()}
    cases = [case for grid in grids for slot in grid.slots.values() for case in slot]
    sides: dict[_Values, dict[_Values, None]] = {}
    for case in (*cases, *(case for case in pool if matches(case.factors, where))):
        if case.summary is None:
            continue
        if any(side := _values(about, case)):
            sides.setdefault(side, {})[_values(others, case)] = None
    every = dict.fromkeys(each for configurations in sides.values() for each in configurations)
    lacking = []
    for side, own in sides.items():
        missing = [_words(spec, others, each) for each in every if each not in own]
        # Combinations of several factors are too long to be named.
        named = f" (not {_first(missing)})" if len(others) == 1 else ""
        if missing:
            what = f"{len(own)} of {len(every)} {plural(others)}{named}"
            lacking.append(f"{_words(spec, about, side)} has {what}")
    if not lacking:
        return "", ""
    counts = sorted({len(own) for own in sides.values()})
    noun = about[0].replace("_", " ") if len(about) == 1 and about[0] in COMPETITORS else "side"
    clause = f"not every {noun} has all {len(every)} cases: {counts[0]} to {counts[-1]}"
    if len(counts) == 1:
        clause = f"no {noun} has all {len(every)} cases: each has {counts[0]}"
    if len(lacking) == 1:
        clause = f"not every side has every case: {lacking[0]}"
    return f"Not every side has every case: {_first(lacking, '; ')}.", clause


# Values of factors in the order of their names; None if the case lacks one.
_Values = tuple[FactorKey | None, ...]


def _values(names: Sequence[str], case: Case) -> _Values:
    return tuple(key_of(name, case) for name in names)


def _words(spec: TableSpec, names: Sequence[str], values: _Values) -> str:
    stated = [(name, key[1]) for name, key in zip(names, values, strict=True) if key]
    return " ".join(facet_text(spec, name, value) for name, value in stated) or str(LACKING)


def plural(names: Sequence[str]) -> str:
    """Return what configurations are called: "models", "combinations of model and batch size"."""
    words = [name.replace("_", " ") for name in names]
    if len(words) > 1:
        return f"combinations of {', '.join(words[:-1])} and {words[-1]}"
    if words[0].endswith("s"):
        return words[0]
    return f"{words[0][:-1]}ies" if re.search("[^aeiou]y$", words[0]) else f"{words[0]}s"


def _first(texts: Sequence[str], separator: str = ", ") -> str:
    more = f"{separator}and {len(texts) - _MAX_LISTED} more" if len(texts) > _MAX_LISTED else ""
    return f"{separator.join(texts[:_MAX_LISTED])}{more}"


def _is_pair(cell: Cell) -> bool:
    """Return True if a cell compares a case with another: the baseline's own ratio does not."""
    is_compared = cell.comparison is not None and cell.comparison.baseline is not cell.case
    return cell.kind == "number" and is_compared


def _has_number(line: Sequence[PendingCell]) -> bool:
    return any(pending.is_number for pending in line)


def _has_either(builder: CellBuilder, cell: Cell) -> bool:
    """Return whether the case of a cell without a ratio has a number, or its baseline has one."""
    if builder.comparer is None or cell.case is None:
        return False
    baseline = builder.comparer.baseline_of(cell.case)
    return cell.case.summary is not None or (baseline is not None and baseline.summary is not None)
