"""Write a figure as a Vega-Lite specification: what matplotlib draws, from the same rounded figure.

A Figure goes in, a specification comes out that any program for Vega-Lite draws. `kinds` makes the layers;
title, colours, axes and what a tooltip says are the same for all of them. docs/developers/rendering.md
describes the fields that the script of a page reads.
"""

from collections.abc import Callable, Sequence

from reportgen.document.model import Figure
from reportgen.render.figures.colours import GRID, IDEAL, INK, PAPER
from reportgen.render.figures.encodings import Json, fields, ideal_line, reference_line, rows
from reportgen.render.figures.kinds.base import drawing_of, is_horizontal, shorten
from reportgen.render.figures.rounding import shown_figure
from reportgen.render.grid.summary import alt_text

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"

_MAX_TITLE = 80
_HEIGHT = 300  # pixels of the plot, without axes and title
_BAR_PITCH = 18  # pixels from one horizontal bar to the next

# The same for all figures. The colours are replaced by those of the page.
CONFIG: Json = {
    "background": PAPER,
    "font": "system-ui, -apple-system, 'Segoe UI', Roboto, 'Liberation Sans', sans-serif",
    "view": {"stroke": None},
    "title": {"anchor": "start", "color": INK, "fontSize": 14, "offset": 12, "frame": "group"},
    "axis": {
        "domainColor": INK,
        "gridColor": GRID,
        "labelColor": INK,
        "titleColor": INK,
        "titleFontWeight": "normal",
        "ticks": False,
        "grid": False,
        "labelPadding": 6,
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleLimit": 260,
        "labelLimit": 260,
        "labelFlush": False,
    },
    "legend": {
        "orient": "bottom",
        "columns": 3,
        "labelColor": INK,
        "labelFontSize": 12,
        "labelLimit": 300,
        "symbolStrokeWidth": 2,
    },
    "mark": {"tooltip": {"content": "data"}},
    "bar": {"stroke": PAPER, "strokeWidth": 0},
    "line": {"strokeWidth": 2, "invalid": "break-paths-show-path-domains", "aria": False, "tooltip": None},
    "point": {"invalid": "filter", "filled": True, "size": 60, "opacity": 1},
    "rule": {"aria": False, "tooltip": None},
    "style": {
        "interval": {"color": INK, "strokeWidth": 1},
        "ideal": {"strokeDash": [5, 4], "strokeWidth": 1.3},
        "ideal-name": {"align": "right", "dy": -9, "fontSize": 11, "aria": False, "tooltip": None},
        "median": {
            "color": INK,
            "filled": False,
            "strokeWidth": 1.6,
            "size": 300,
            "aria": False,
            "tooltip": None,
        },
        "reference": {"color": INK, "strokeDash": [5, 4]},
        "reference-name": {"color": INK, "fontSize": 11, "aria": False, "tooltip": None},
        "failed": {"size": 60},
        "rest": {"color": IDEAL, "strokeWidth": 0.6, "opacity": 0.6},
        "step": {"strokeDash": [5, 4]},
        "drift": {"opacity": 0.1, "aria": False, "tooltip": None},
        "change": {"align": "left", "baseline": "top", "fontSize": 11, "aria": False, "tooltip": None},
    },
}


def _unknown(_case: str) -> int | None:
    return None


def specification(figure: Figure, repeats_of: Callable[[str], int | None] = _unknown) -> Json:
    """Return the Vega-Lite specification of a figure.

    repeats_of  how many repeats are behind a case, by its name
    """
    shown = shown_figure(figure)
    drawing = drawing_of(shown)
    layers = [*drawing.layers(shown), *ideal_line(shown), *reference_line(shown)]
    return {
        "$schema": SCHEMA,
        "title": {"text": shorten(shown.title, most=_MAX_TITLE)},
        "description": alt_text(figure),
        "width": "container",
        "height": _height(shown),
        "autosize": {"type": "fit-x", "contains": "padding"},
        "data": _named((drawing.rows or rows)(shown), repeats_of),
        "layer": [
            {**layer, "data": _named(layer["data"]["values"], repeats_of)} if "data" in layer else layer
            for layer in layers
        ],
        "config": CONFIG,
        "usermeta": {"fields": (drawing.fields or fields)(shown)},
    }


def _height(figure: Figure) -> int:
    if not is_horizontal(figure):
        return _HEIGHT
    return max(_HEIGHT, _BAR_PITCH * len(figure.categories) * drawing_of(figure).bars_per_category(figure))


def _named(rows: Sequence[Json], repeats_of: Callable[[str], int | None]) -> Json:
    """Return the data, in which each row says how many repeats are behind its case."""
    named = [
        row | {"repeats": repeats_of(row["case"])} if row.get("case") and "repeats" in row else row
        for row in rows
    ]
    return {"values": [{field: each for field, each in row.items() if each is not None} for row in named]}
