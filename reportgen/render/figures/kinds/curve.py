"""curve: a value over sizes that double, such as message or batch sizes, with a band for its intervals."""

from reportgen.render.figures.kind import Kind, crosses
from reportgen.render.figures.marks import Areas, Lines, Mark, Points
from reportgen.render.figures.shown import Shown


def marks(figure: Shown) -> list[Mark]:
    """Return the bands, the lines with their points, and a cross for each failure."""
    rows = figure.rows
    return [Areas(rows), Lines(rows), Points(rows), *crosses(figure)]


# Over sizes that double, values grow with them: a smaller span needs a logarithmic axis.
KIND = Kind(marks=marks, places="doubling", log_span=10.0, has_line_ends=True)
