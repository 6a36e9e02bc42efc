"""heat-map: rows by columns, each cell with its number on a colour from light (least) to dark (most)."""

import math
from dataclasses import replace
from itertools import pairwise

from reportgen.core import units
from reportgen.render.figures import colours
from reportgen.render.figures.kind import Kind
from reportgen.render.figures.marks import Cells, Mark, MarkRow, Texts
from reportgen.render.figures.shown import Shown

# From ColorBrewer's single blue, which every kind of colour vision orders by its lightness.
_STOPS = ((0xEF, 0xF3, 0xFF), (0x9E, 0xCA, 0xE1), (0x31, 0x82, 0xBD), (0x08, 0x30, 0x6B))
_ON_LIGHT, _ON_DARK = "#16191d", "#fdfdfe"
_DARK_FROM = 0.55
_LOG_SPAN = 50.0  # values of this span are shaded by their logarithms


def marks(figure: Shown) -> list[Mark]:
    """Return the cells with their numbers; a cross is a case that failed, an empty place none at all."""
    values = [row.value for row in figure.rows if row.value is not None]
    cells = tuple(_cell(row, values) for row in figure.all_rows if row.value is not None or row.failed)
    return [Cells(cells), Texts(cells, "cell")]


def _cell(row: MarkRow, values: list[float]) -> MarkRow:
    if row.value is None:
        return replace(row, text="×", ink=colours.INK)
    share = _share(row.value, min(values), max(values))
    ink = _ON_DARK if share > _DARK_FROM else _ON_LIGHT
    return replace(row, text=units.text(row.value, digits=3), fill=_colour(share), ink=ink)


def _share(value: float, least: float, most: float) -> float:
    """Return how far a value is from the least to the most, from 0 to 1."""
    if least > 0 and most >= _LOG_SPAN * least:
        value, least, most = math.log(value), math.log(least), math.log(most)
    return (value - least) / (most - least) if most > least else 0.0


def _colour(share: float) -> str:
    at = share * (len(_STOPS) - 1)
    below, above = list(pairwise(_STOPS))[min(int(at), len(_STOPS) - 2)]
    part = at - min(int(at), len(_STOPS) - 2)
    mixed = (round(a + (b - a) * part) for a, b in zip(below, above, strict=True))
    return "#" + "".join(f"{each:02x}" for each in mixed)


KIND = Kind(marks=marks, horizontal="always", columns=True, width=0.96)
