"""latency-throughput: latency over throughput, a line per system, each point with the size that varies."""

from reportgen.render.figures.kind import Kind
from reportgen.render.figures.marks import Intervals, Lines, Mark, Points, Texts
from reportgen.render.figures.shown import Shown


def marks(figure: Shown) -> list[Mark]:
    """Return the lines in the order of their points, the points, and their labels."""
    rows = figure.rows
    return [Lines(rows, is_in_order=True), Intervals(rows), Points(rows), Texts(rows, "beside")]


KIND = Kind(marks=marks, places="measured", log_span=10.0, is_roomy=True)
