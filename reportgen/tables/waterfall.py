"""Make a waterfall of one compared cell: from the time of its baseline, part by part, to its own."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from reportgen.compare.breakdown import Breakdown, percent
from reportgen.compare.comparison import Comparison
from reportgen.core.errors import RequestError
from reportgen.core.factors import matches
from reportgen.core.model import FactorValue
from reportgen.core.units import choose
from reportgen.document.model import Header
from reportgen.tables.figure_rows import check_factors, row_name
from reportgen.tables.results import Cell, Figure, FigureSeries, Table
from reportgen.tables.spec import FigureSpec

_WHOLE, _LONGER, _SHORTER = "whole", "longer than the baseline", "shorter"
# An error lists at most this many cells.
_MAX_LISTED = 6


def waterfall_figure(spec: FigureSpec, tables: Sequence[Table]) -> Figure:
    """Return the figure of the only cell of the tables that `where` fits and whose difference has parts.

    Raises RequestError if there is none, or more than one.
    """
    check_factors(spec, tables)
    fitting = {
        (id(cell.case), id(comparison.baseline)): (table, row, comparison)
        for table in tables
        for row, line in zip(table.rows, table.cells, strict=True)
        for column, cell in zip(table.columns, line, strict=True)
        if (comparison := _split(cell)) and matches(_factors(table, row, column), spec.where)
    }
    if len(fitting) != 1:
        names = [f"{table.id} {row_name(row)}" for table, row, _ in fitting.values()]
        listed = "; ".join(names[:_MAX_LISTED]) + ("; ..." if len(names) > _MAX_LISTED else "")
        fact = f"fits {len(names)} cells: {listed}" if names else "fits no cell whose difference has parts"
        remedy = "name the factors of one cell" if names else "compare a whole step whose phases are timed"
        raise RequestError(f"{spec.place}.where", fact, remedy)
    ((table, row, comparison),) = fitting.values()
    assert comparison.breakdown is not None
    return _figure(spec, table, row, comparison, comparison.breakdown)


def _split(cell: Cell) -> Comparison | None:
    comparison = cell.comparison
    return comparison if comparison and comparison.breakdown and comparison.breakdown.is_split else None


def _factors(table: Table, row: Header, column: Header) -> Mapping[str, FactorValue]:
    return {
        **dict(table.facet),
        **dict(zip(table.row_factors, row.key, strict=False)),
        **dict(zip(table.column_factors, column.key, strict=False)),
    }


def _figure(
    spec: FigureSpec, table: Table, row: Header, comparison: Comparison, breakdown: Breakdown
) -> Figure:
    names, case, baseline = _names(comparison), comparison.case, comparison.baseline
    series = [
        replace(each, cases=tuple(baseline if name == names[1] else case for name in each.x))
        for each in _series(breakdown, names)
    ]
    categories = (names[1], *(_part_name(breakdown, i) for i in range(len(breakdown.measured))), names[0])
    place = ", ".join(text for text in (table.facet_text, row_name(row)) if text)
    title = f"{spec.title}: {place}" if place else spec.title
    alt = f"waterfall plot: {title}; from {names[1]} to {names[0]}: {breakdown.sentence()}"
    unit = choose((breakdown.own, breakdown.baseline), "s")
    return Figure(
        spec.id,
        title,
        spec.kind,
        "",
        f"time per {breakdown.per}",
        unit,
        categories,
        tuple(series),
        alt=alt,
        table=table.id,
    )


def _names(comparison: Comparison) -> tuple[str, str]:
    """Return the case and its baseline by the factors in which they differ, in the order of the case's."""
    differing, sides = comparison.differing_factors, (comparison.own.factors, comparison.base.factors)
    in_order = [name for name in dict.fromkeys((*sides[0], *sides[1])) if name in differing]
    own, other = (" ".join(str(factors[name]) for name in in_order if name in factors) for factors in sides)
    return own or "case", other or "baseline"


def _part_name(breakdown: Breakdown, position: int) -> str:
    part = breakdown.measured[position]
    return f"{part.text} ({percent(breakdown.share(part))})"


def _series(breakdown: Breakdown, names: tuple[str, str]) -> tuple[FigureSeries, ...]:
    """Return the wholes, the parts that lengthen the time, and those that shorten it.

    y is the length of a bar; low and high are where it begins and ends.
    """
    bars = {
        _WHOLE: [(names[1], 0.0, breakdown.baseline), (names[0], 0.0, breakdown.own)],
        _LONGER: [],
        _SHORTER: [],
    }
    end = breakdown.baseline
    for position, part in enumerate(breakdown.measured):
        begin, end = end, end + (part.seconds or 0.0)
        name = _part_name(breakdown, position)
        bars[_LONGER if end >= begin else _SHORTER].append((name, begin, end))
    return tuple(
        FigureSeries(
            kind,
            tuple(name for name, _, _ in each),
            tuple(end - begin for _, begin, end in each),
            tuple(begin for _, begin, _ in each),
            tuple(end for _, _, end in each),
        )
        for kind, each in bars.items()
        if each
    )
