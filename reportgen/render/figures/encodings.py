"""The parts of Vega-Lite that the kinds of figures share: rows of data, axes, colours, markers, intervals.

Texts of a report are values of rows, titles and lists of names, and never names of fields, expressions or
parts of one, so no text can become active. The fields of a row are:

series, x, y   the name of the series; the category or number; the value, in the unit to show
low, high      the interval of the value, absent if there is none
failed         why there is no value, in rows of their own
case           name of the case behind the value
repeats        how many repeats are behind the value, which `vega.specification` fills in

All channels come from a figure that was rounded by `rounding.shown_figure`.
"""

import math
from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any

from reportgen.core import units
from reportgen.document.model import Figure, FigureSeries
from reportgen.document.texts import unit_label
from reportgen.render.figures import colours, scales
from reportgen.render.figures.kinds.base import (
    GROUP_WIDTH,
    are_named_at_axis,
    colour_of,
    drawing_of,
    is_crowded,
    is_horizontal,
    marker_of,
    present,
    style_of,
    x_ticks,
)
from reportgen.render.figures.scales import IDEAL

Json = dict[str, Any]

# The title of an upright axis is above it.
_ABOVE = {"titleAngle": 0, "titleAlign": "left", "titleAnchor": "end", "titleX": 0, "titleY": -12}

# The markers of matplotlib as Vega calls them, or as a path of a square of 2 x 2.
_SHAPES = {
    "o": "circle",
    "s": "square",
    "^": "triangle-up",
    "D": "diamond",
    "v": "triangle-down",
    "P": "cross",
    "X": "M-1,-.6L-.6,-1L0,-.4L.6,-1L1,-.6L.4,0L1,.6L.6,1L0,.4L-.6,1L-1,.6L-.4,0Z",
    "*": "M0,-1L.23,-.31L.95,-.31L.36,.12L.59,.81L0,.38L-.59,.81L-.36,.12L-.95,-.31L-.23,-.31Z",
}

NO_FIELDS: Mapping[str, Json] = {}

# Of the crosses of failures, in pixels above the axis.
_LOWEST_CROSS, _NEXT_CROSS = 8, 10

# What has an interval that is longer than nothing.
HAS_INTERVAL = "isValid(datum.low) && isValid(datum.high) && datum.low < datum.high"


def names(figure: Figure) -> list[str]:
    """Return the name of each series; equal names are numbered, so that the series stay apart."""
    distinct: list[str] = []
    given = {series.name for series in figure.series}
    for series in figure.series:
        numbered = (f"{series.name} ({number})" for number in count(2))
        is_free = series.name not in distinct
        distinct.append(
            series.name if is_free else next(n for n in numbered if n not in given and n not in distinct)
        )
    return distinct


def rows(figure: Figure) -> list[Json]:
    """Return a row for each value that exists, series by series."""
    return [
        row(figure, name, series, position)
        for name, series in zip(names(figure), figure.series, strict=True)
        for position in present(series)
    ]


def fields(figure: Figure) -> list[Json]:
    """Return what a tooltip says of a row, line by line: a field, with its title, unit and interval."""
    return [
        {"field": "series"},
        {"field": "x", "title": figure.x_title}
        | ({"unit": unit_label(figure.x_unit)} if figure.x_unit else {}),
        {"field": "y", "title": figure.y_title, "unit": unit_label(figure.unit), "ends": ["low", "high"]},
        {"field": "failed"},
        {"field": "repeats", "title": "repeats"},
    ]


def row(figure: Figure, name: str, series: FigureSeries, position: int) -> Json:
    """Return the row of one value."""
    case = series.cases[position] if series.cases else None
    fields: Json = {
        "series": name,
        "x": place_of(figure, series.x[position]),
        "y": series.y[position],
        "low": series.low[position] if series.low else None,
        "high": series.high[position] if series.high else None,
        "case": case,
        "repeats": 0 if case else None,
    }
    return {field: value for field, value in fields.items() if value is not None}


def place_of(figure: Figure, x: float | str) -> float | str:
    """Return x as a row has it: the name of its category, or a number if there are no categories."""
    if not figure.categories:
        return x
    return x if isinstance(x, str) else units.machine(x)


def x_axis(figure: Figure, width: float = GROUP_WIDTH, **more: Any) -> Json:
    """Return the channel of x: categories in their order, or numbers. It is y if bars are horizontal.

    width  of what is drawn of a category, as a share of the distance between two categories
    more   replaces parts of it
    """
    if not figure.categories:
        ticks = x_ticks(figure)
        axis = {"values": ticks} if ticks else {}
        kind: Json = {"type": "log"} if scales.x_scale(figure) == "log" else {"zero": False}
        scale: Json = {**kind, "nice": False, "padding": 12}
        channel: Json = {"field": "x", "type": "quantitative", "scale": scale, "axis": axis}
    else:
        angle = {"labelAngle": -30 if is_crowded(figure.categories) else 0}
        channel = {
            "field": "x",
            "type": "nominal",
            "scale": {
                "domain": list(figure.categories),
                "type": "band",
                "paddingInner": round(1 - width, 3),
                "paddingOuter": round((1 - width) / 2, 3),
            },
            "axis": _ABOVE if is_horizontal(figure) else angle,
        }
    channel["axis"] = {**channel["axis"], "title": scales.x_title(figure) or None}
    return {"y" if is_horizontal(figure) else "x": channel | more}


def y_axis(figure: Figure, field: str = "y", **more: Any) -> Json:
    """Return the channel of the values. It is x if bars are horizontal.

    more  replaces parts of it
    """
    channel: Json = {
        "field": field,
        "type": "quantitative",
        "scale": _y_scale(figure),
        "axis": {
            "title": scales.values_title(figure),
            "grid": True,
            "domain": False,
            **_value_ticks(figure),
            **({} if is_horizontal(figure) else _ABOVE),
        },
    }
    return {"x" if is_horizontal(figure) else "y": channel | more}


def _value_ticks(figure: Figure) -> Json:
    """Return where the axis of the values has ticks: a logarithmic one at 1, 2 and 5 times powers of ten."""
    if scales.y_scale(figure, is_bar=drawing_of(figure).is_bar) == "linear":
        return {"tickCount": 5}
    ys = [y for series in figure.series for y in (*series.y, *series.low, *series.high) if y]
    decades = range(math.floor(math.log10(min(ys))), math.ceil(math.log10(max(ys))) + 1)
    return {"values": [m * 10.0**decade for decade in decades for m in scales.log_steps(ys)]}


def _y_scale(figure: Figure) -> Json:
    drawing = drawing_of(figure)
    if scales.y_scale(figure, is_bar=drawing.is_bar) == "log":
        return {"type": "log", "nice": False, "padding": 8}
    is_zero = scales.begins_at_zero(figure, is_bar=drawing.is_bar, from_zero=drawing.from_zero)
    values = (y for series in figure.series for y in (*series.y, *series.low) if y is not None)
    return {"zero": drawing.is_bar or (is_zero and all(value >= 0 for value in values))}


def y_end(figure: Figure, field: str) -> Json:
    """Return the second channel of the values, such as the other end of an interval."""
    return {"x2" if is_horizontal(figure) else "y2": {"field": field}}


def x_offset(figure: Figure) -> Json:
    """Return the channel that puts the series of a category beside each other; {} for a single series."""
    if len(figure.series) < 2:
        return {}
    channel: Json = {"field": "series", "scale": {"domain": names(figure), "paddingInner": 0.06}}
    return {"yOffset" if is_horizontal(figure) else "xOffset": channel}


def colour(figure: Figure) -> Json:
    """Return matplotlib's colours of the series, with a legend if there are several."""
    return {"color": _by_series(figure, [colour_of(style_of(figure, n)) for n in range(len(figure.series))])}


def shape(figure: Figure) -> Json:
    """Return matplotlib's markers of the series, with a legend if there are several."""
    return {
        "shape": _by_series(
            figure, [_SHAPES[marker_of(style_of(figure, n))] for n in range(len(figure.series))]
        )
    }


def _by_series(figure: Figure, values: Sequence[str]) -> Json:
    is_needed = len(figure.series) > 1 and not are_named_at_axis(figure)
    legend: Json = {"legend": {"title": None} if is_needed else None}
    scale = {"domain": names(figure), "range": list(values)}
    return {"field": "series", "type": "nominal", "scale": scale, **legend}


def intervals(figure: Figure, **more: Any) -> list[Json]:
    """Return the layer of the intervals, none if no value has one.

    more  further channels, or others
    """
    if not any(low is not None for series in figure.series for low in series.low):
        return []
    encoding = {**x_axis(figure), **y_axis(figure, "low"), **y_end(figure, "high"), **more}
    return [
        {
            "transform": [{"filter": HAS_INTERVAL}],
            "mark": {"type": "rule", "style": "interval"},
            "encoding": encoding,
        }
    ]


def failed_marks(figure: Figure, more: Mapping[str, Json] = NO_FIELDS, **channels: Any) -> list[Json]:
    """Return the layers with a cross at the axis for each case that failed, one layer for each series.

    Crosses of one x are above each other if no channel puts them side by side.

    more      further fields of the rows of a series, by its name
    channels  those of x, and others than the colours of the series
    """
    is_beside = "xOffset" in channels or "yOffset" in channels
    return [
        _crosses(figure, lost, 0 if is_beside else position, channels)
        for position, (name, series) in enumerate(zip(names(figure), figure.series, strict=True))
        if (lost := [row | more.get(name, {}) for row in _failed_rows(figure, name, series)])
    ]


def _failed_rows(figure: Figure, name: str, series: FigureSeries) -> list[Json]:
    return [
        {"series": name, "x": place_of(figure, series.x[i]), "failed": why}
        | ({"case": series.cases[i]} if series.cases and series.cases[i] else {})
        for i, why in enumerate(series.failed)
        if why
    ]


def _crosses(figure: Figure, lost: list[Json], height: int, channels: Json) -> Json:
    """Return the layer of the crosses of a series; height: how many crosses fit below them."""
    lift = _LOWEST_CROSS + _NEXT_CROSS * height
    at_axis: Json = {"x": {"value": lift}} if is_horizontal(figure) else {"y": {"value": "height"}}
    up = {} if is_horizontal(figure) else {"yOffset": -lift}
    mark = {"type": "point", "style": "failed", "shape": _SHAPES["X"], **up}
    return {"data": {"values": lost}, "mark": mark, "encoding": {**at_axis, **colour(figure), **channels}}


def reference_line(figure: Figure) -> list[Json]:
    """Return the layers of the line at 1.0 and of its name, none for a figure that shows no ratios."""
    at = scales.reference(figure)
    if at is None:
        return []
    end: Json = {"y": {"value": 0}} if is_horizontal(figure) else {"x": {"value": "width"}}
    place = (
        {"align": "left", "baseline": "top", "dx": 3}
        if is_horizontal(figure)
        else {"align": "right", "baseline": "bottom", "dy": -2}
    )
    return [
        {
            "data": {"values": [{"y": at}]},
            "mark": {"type": "rule", "style": "reference"},
            "encoding": y_axis(figure),
        },
        {
            "data": {"values": [{"y": at, "text": scales.reference_name(figure)}]},
            "mark": {"type": "text", "style": "reference-name", **place},
            "encoding": {**y_axis(figure), **end, "text": {"field": "text"}},
        },
    ]


def ideal_line(figure: Figure) -> list[Json]:
    """Return the layer of the dashed line of proportional growth, none if the figure has none."""
    if not figure.ideal:
        return []
    points = [{"x": x, "y": y} for x, y in figure.ideal]
    return [
        {
            "data": {"values": points},
            "mark": {"type": "line", "style": "ideal", "color": colours.IDEAL},
            "encoding": {**x_axis(figure), **y_axis(figure)},
        },
        {
            "data": {"values": [points[-1] | {"text": IDEAL}]},
            "mark": {"type": "text", "style": "ideal-name", "color": colours.IDEAL},
            "encoding": {**x_axis(figure), **y_axis(figure), "text": {"field": "text"}},
        },
    ]
