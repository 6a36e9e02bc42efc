"""curve: a value over sizes that double, such as message or batch sizes, with a band for its intervals.

An interval between values that have none is a line: a band from one place to the same has no width.
"""

from dataclasses import replace

from reportgen.render.figures.kind import Kind, crosses
from reportgen.render.figures.marks import Areas, Intervals, Lines, Mark, MarkRow, Points
from reportgen.render.figures.shown import Shown


def marks(figure: Shown) -> list[Mark]:
    """Return the bands, the lines with their points, and a cross for each failure."""
    rows = figure.rows
    alone = _alone(figure)
    bands = tuple(replace(row, low=None, high=None) if row in alone else row for row in rows)
    intervals = [Intervals(tuple(row for row in rows if row in alone))] if alone else []
    return [Areas(bands), Lines(rows), *intervals, Points(rows), *crosses(figure)]


def _alone(figure: Shown) -> set[MarkRow]:
    """Return the rows with an interval, but none at the next places of their series."""
    order = {name: n for n, name in enumerate(figure.categories)}

    def place(row: MarkRow) -> tuple[int, float]:
        return row.series, order[row.place] if isinstance(row.place, str) else row.place

    rows = sorted(figure.rows, key=place)
    return {
        row
        for row, *pair in zip(rows, [None, *rows], [*rows[1:], None], strict=False)
        if row.has_interval
        and not any(each and each.series == row.series and each.low is not None for each in pair)
    }


# Over sizes that double, values grow with them: a smaller span needs a logarithmic axis.
KIND = Kind(marks=marks, places="doubling", log_span=10.0, has_line_ends=True)
