"""ecdf: the share of steps or repeats up to each value; a steep line is steady, a long tail is not."""

from dataclasses import replace

from reportgen.render.figures.kind import MAX_NAMED, Kind, not_listed, split
from reportgen.render.figures.marks import Lines, Mark, MarkRow, Segments, Targets
from reportgen.render.figures.shown import Shown

_WHOLE = 100.0  # per cent
_WIDTH = 1.6


def marks(figure: Shown) -> list[Mark]:
    """Return stairs for each series, from the axis up to the whole; the grey ones are behind."""
    named, rest = split(figure.rows)
    first: dict[int, MarkRow] = {}
    for row in named:
        first.setdefault(row.series, row)
    risers = tuple((replace(row, value=0.0, case=None, repeats=None), row) for row in first.values())
    grey = [Lines(rest, width=0.6, is_stairs=True, name=not_listed(figure))] if rest else []
    return [*grey, Segments(risers, _WIDTH), Lines(named, _WIDTH, is_stairs=True), Targets(named, size=2.7)]


KIND = Kind(marks=marks, places="measured", log_span=None, limits=(0.0, _WHOLE), max_listed=MAX_NAMED)
