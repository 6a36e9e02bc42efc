"""series: the steps of every repeat; beyond the first few, repeats are grey lines with one legend entry."""

from reportgen.render.figures.kind import MAX_NAMED, Kind, not_listed, split
from reportgen.render.figures.marks import Lines, Mark, Targets
from reportgen.render.figures.shown import Shown


def marks(figure: Shown) -> list[Mark]:
    """Return the grey lines behind, then the named ones; a missing step interrupts a line."""
    named, rest = split(figure.all_rows)
    grey = [Lines(rest, width=0.6, name=not_listed(figure))] if rest else []
    return [*grey, Lines(named, width=1.0), Targets(named, size=1.9)]


KIND = Kind(marks=marks, places="steps", max_listed=MAX_NAMED)
