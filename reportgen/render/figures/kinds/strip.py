"""strip: every repeat as a dot, and the median of each category as a short line."""

from dataclasses import replace
from itertools import groupby
from statistics import median

from reportgen.render.figures.kind import Kind, crosses, side_by_side
from reportgen.render.figures.marks import Dashes, Mark, MarkRow, Place, Points
from reportgen.render.figures.shown import Shown

_SPREAD = 0.18  # half the width over which the repeats of a category are spread
_LENGTH = 3.2  # of the line at the median, as a multiple of half that width


def marks(figure: Shown) -> list[Mark]:
    """Return the dots, a short line at each median, and a cross for each failure."""
    shifts = side_by_side(figure)
    half = _SPREAD / max(1, len(figure.series))
    rows: list[MarkRow] = []
    medians: list[MarkRow] = []
    for (series, place), repeats in _repeats(figure).items():
        middle = shifts[series]
        rows += [
            replace(row, shift=middle + shift, repeats=None)
            for row, shift in zip(repeats, _spread(len(repeats), half), strict=True)
        ]
        values = [row.value for row in repeats if row.value is not None]
        medians.append(MarkRow(series=series, place=place, shift=middle, value=median(values)))
    return [
        Points(tuple(rows), size=4.5, opacity=0.75),
        Dashes(tuple(medians), _LENGTH * half),
        *crosses(figure, shifts),
    ]


def _repeats(figure: Shown) -> dict[tuple[int, Place], list[MarkRow]]:
    """Return the repeats of each series at each place, in their order."""
    order = {(row.series, row.place): n for n, row in reversed([*enumerate(figure.rows)])}
    rows = sorted(figure.rows, key=lambda row: order[row.series, row.place])
    return {key: list(group) for key, group in groupby(rows, key=lambda row: (row.series, row.place))}


def _spread(count: int, half: float) -> list[float]:
    """Return where the dots are, relative to the middle, in the order of the repeats."""
    return [0.0 if count < 2 else -half + 2 * half * i / (count - 1) for i in range(count)]


# Dots are compared with each other, not with zero.
KIND = Kind(
    marks=marks, horizontal="if-long", width=1.0, lanes=lambda figure: len(figure.series), zero="never"
)
