"""heat-map: rows by columns, each cell with its number on a colour from light (least) to dark (most)."""

import math
from itertools import pairwise

from matplotlib.axes import Axes

from reportgen.core import units
from reportgen.document.model import Figure, FigureSeries
from reportgen.render.figures import colours, scales
from reportgen.render.figures.encodings import Json, names, place_of, row, x_axis
from reportgen.render.figures.kinds.base import Drawing, name_categories, positions, shorten

# From ColorBrewer's single blue, which every kind of colour vision orders by its lightness.
_STOPS = ((0xEF, 0xF3, 0xFF), (0x9E, 0xCA, 0xE1), (0x31, 0x82, 0xBD), (0x08, 0x30, 0x6B))
_ON_LIGHT, _ON_DARK = "#16191d", "#fdfdfe"
_DARK_FROM = 0.55
_MAX_COLUMN = 20
_MAX_UPRIGHT_COLUMN = 44  # letters of all columns together


def draw(axes: Axes, figure: Figure) -> None:
    """Draw the cells with their numbers; a cross is a case that failed, an empty place none at all."""
    for n, series in enumerate(figure.series):
        for i, (place, y) in enumerate(zip(positions(figure, series), series.y, strict=True)):
            if y is not None:
                fill, ink = _colours(figure, y)
                axes.barh([place], [0.98], 0.96, left=[n - 0.49], color=[fill])
                _write(axes, n, place, units.text(y, digits=3), ink)
            elif series.failed and series.failed[i]:
                _write(axes, n, place, "×", colours.INK)
    name_categories(axes, figure)
    names = [shorten(series.name, most=_MAX_COLUMN) for series in figure.series]
    is_crowded = sum(map(len, names)) > _MAX_UPRIGHT_COLUMN
    axes.set_xticks(
        range(len(names)),
        labels=names,
        rotation=30 if is_crowded else 0,
        ha="right" if is_crowded else "center",
        rotation_mode="anchor",
    )
    axes.set_xlim(-0.55, len(names) - 0.45)
    axes.grid(visible=False)


def _write(axes: Axes, x: float, y: float, text: str, colour: str) -> None:
    axes.text(x, y, text, ha="center", va="center", color=colour)


def _colours(figure: Figure, value: float) -> tuple[str, str]:
    """Return the colours of a cell and of its number."""
    values = [y for series in figure.series for y in series.y if y is not None]
    place = math.log if scales.y_scale(figure, is_bar=False) == "log" else float
    least, most = place(min(values)), place(max(values))
    share = (place(value) - least) / (most - least) if most > least else 0.0
    return _colour(share), _ON_DARK if share > _DARK_FROM else _ON_LIGHT


def _colour(share: float) -> str:
    at = share * (len(_STOPS) - 1)
    below, above = list(pairwise(_STOPS))[min(int(at), len(_STOPS) - 2)]
    part = at - min(int(at), len(_STOPS) - 2)
    mixed = (round(a + (b - a) * part) for a, b in zip(below, above, strict=True))
    return "#" + "".join(f"{each:02x}" for each in mixed)


def layers(figure: Figure) -> list[Json]:
    """Return the cells, their numbers, and a cross for each failure."""
    columns = {"field": "series", "type": "nominal", "sort": None, "axis": {"title": None, "labelAngle": 0}}
    place = {**x_axis(figure, 0.96), "x": columns}
    fill = {"field": "fill", "type": "nominal", "scale": None, "legend": None}
    ink = {"field": "ink", "type": "nominal", "scale": None, "legend": None}
    return [
        {
            "transform": [{"filter": "isValid(datum.y)"}],
            "mark": {"type": "rect", "stroke": colours.PAPER},
            "encoding": {**place, "color": fill},
        },
        {
            "mark": {"type": "text", "aria": False, "tooltip": None},
            "encoding": {**place, "text": {"field": "text"}, "color": ink},
        },
    ]


def cell_rows(figure: Figure) -> list[Json]:
    """Return a row for each number with its text and colours, and for each case that failed."""
    return [
        _cell(figure, name, series, i)
        for name, series in zip(names(figure), figure.series, strict=True)
        for i, y in enumerate(series.y)
        if y is not None or (series.failed and series.failed[i])
    ]


def _cell(figure: Figure, name: str, series: FigureSeries, position: int) -> Json:
    y = series.y[position]
    if y is None:
        x = place_of(figure, series.x[position])
        return {"series": name, "x": x, "failed": series.failed[position], "text": "×", "ink": colours.INK}
    fill, ink = _colours(figure, y)
    return row(figure, name, series, position) | {"text": units.text(y, digits=3), "fill": fill, "ink": ink}


DRAWING = Drawing(draw=draw, layers=layers, rows=cell_rows, horizontal="always", has_value_axis=False)
