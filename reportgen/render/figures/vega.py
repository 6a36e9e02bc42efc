"""Print plots as Vega-Lite specifications, which any program for Vega-Lite draws.

A plot goes in, a specification comes out: layers for each mark, in their order. The mark that a reader points
at gives the specification its data, and marks of the same rows share them.

Texts of a report are values of rows, titles and lists of names, and never names of fields, expressions or
parts of one, so no text can become active. docs/developers/rendering.md describes the fields of a row.
"""

import json
from collections.abc import Sequence
from functools import singledispatchmethod
from typing import Any

from reportgen.document.model import Figure
from reportgen.render.figures import colours, scales
from reportgen.render.figures.colours import GRID, IDEAL, INK, PAPER
from reportgen.render.figures.marks import (
    Areas,
    Axis,
    Bars,
    Categories,
    Cells,
    ChangeMark,
    Crosses,
    Dashes,
    Ideal,
    Intervals,
    LevelLine,
    Lines,
    Mark,
    MarkRow,
    Numbers,
    Plot,
    Points,
    Rows,
    Segments,
    Targets,
    Texts,
)
from reportgen.render.figures.names import shorten
from reportgen.render.figures.plot import plot_of
from reportgen.render.figures.rounding import RepeatsOf

Json = dict[str, Any]

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"

_MAX_TITLE = 80
_MAX_CHANGE = 24
_HEIGHT = 300  # pixels of the plot, without axes and title
_LANE_PITCH = 18  # pixels from one horizontal bar to the next
_AREA = 5 / 3  # square pixels of a marker whose diameter is 1 point
# Of crosses and of the texts of changes, in pixels from their edge.
_LOWEST_CROSS, _NEXT_CROSS = 8, 10
_CROSS_ROOM = 16  # from the highest cross to the values
_NEXT_CHANGE = 14

# The title of an upright axis is above it. A narrow chart has room for long titles beside names, not beyond
# the data: the title of names ends at their axis, and that of the other axis at the end of that one.
_ABOVE = {"titleAngle": 0, "titleAlign": "left", "titleAnchor": "end", "titleX": 0, "titleY": -12}
_ABOVE_NAMES = {**_ABOVE, "titleAlign": "right", "titleX": -6}
_BELOW_END = {"titleAnchor": "end", "titleAlign": "right"}
_SLOPE = {"labelAngle": -30, "labelLimit": 120}

# The markers of the series, in the order of those of `svg`, by their names or as a path of a square of 2 x 2.
_CROSS = "M-1,-.6L-.6,-1L0,-.4L.6,-1L1,-.6L.4,0L1,.6L.6,1L0,.4L-.6,1L-1,.6L-.4,0Z"
_SHAPES = (
    "circle",
    "square",
    "triangle-up",
    "diamond",
    "triangle-down",
    "cross",
    _CROSS,
    "M0,-1L.23,-.31L.95,-.31L.36,.12L.59,.81L0,.38L-.59,.81L-.36,.12L-.95,-.31L-.23,-.31Z",
)
_DASHES = ([1, 0], [6, 4], [2, 3])
_ORDER = {"field": "order", "type": "quantitative"}
_SILENT = {"aria": False, "tooltip": None}

_HAS_INTERVAL = "isValid(datum.low) && isValid(datum.high) && datum.low < datum.high"
_HAS_VALUE = "isValid(datum.y)"

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
        "titleLimit": 340,
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
    "area": {"invalid": "break-paths-show-path-domains", "opacity": 0.2, "aria": False, "tooltip": None},
    "point": {"invalid": "filter", "filled": True, "size": 60, "opacity": 1},
    "rule": {"aria": False, "tooltip": None},
    "style": {
        "interval": {"color": INK, "strokeWidth": 1},
        "ideal": {"strokeDash": [5, 4], "strokeWidth": 1.3},
        "ideal-name": {"align": "right", "dy": -9, "fontSize": 11, "aria": False, "tooltip": None},
        "front-name": {"align": "left", "dx": 8, "dy": 12, "fontSize": 11, "aria": False, "tooltip": None},
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
        "band": {"color": INK, "strokeWidth": 0.8, "strokeDash": [1, 3]},
        "rest": {"color": IDEAL, "strokeWidth": 0.6, "opacity": 0.6},
        "step": {"strokeDash": [5, 4]},
        "drift": {"opacity": 0.1, "aria": False, "tooltip": None},
        "change": {"align": "left", "baseline": "top", "fontSize": 11, "aria": False, "tooltip": None},
    },
}


def specification(figure: Figure, repeats_of: RepeatsOf | None = None) -> Json:
    """Return the Vega-Lite specification of a figure.

    repeats_of  how many repeats are behind a case, by its name; None for a figure without evidence
    """
    return plot_specification(plot_of(figure, repeats_of))


def plot_specification(plot: Plot) -> Json:
    """Return the Vega-Lite specification of a plot."""
    printer = Printer(plot)
    return {
        "$schema": SCHEMA,
        "title": {"text": shorten(plot.title, most=_MAX_TITLE)},
        "description": plot.text,
        "width": "container",
        "height": _height(plot),
        "autosize": {"type": "fit-x", "contains": "padding"},
        "data": {"values": printer.values(printer.rows)},
        "layer": sorted((layer for mark in plot.marks for layer in printer.layers(mark)), key=_is_text),
        "config": CONFIG,
        "usermeta": {"fields": [_field(each.name, each.title, each.unit, each.ends) for each in plot.fields]},
    }


def _is_text(layer: Json) -> bool:
    return isinstance(layer["mark"], dict) and layer["mark"]["type"] == "text"


def _height(plot: Plot) -> int:
    if not (plot.is_flat and isinstance(plot.places, Categories)):
        return _HEIGHT
    return max(_HEIGHT, _LANE_PITCH * len(plot.places.names) * plot.lanes)


def _field(name: str, title: str, unit: str, ends: tuple[str, ...]) -> Json:
    more = {"title": title, "unit": unit, "ends": list(ends)}
    return {"field": name} | {key: value for key, value in more.items() if value}


class Printer:
    """Prints the marks of one plot as layers."""

    def __init__(self, plot: Plot) -> None:
        self.plot = plot
        self.rows = _main_rows(plot.marks)
        self._names = [series.name for series in plot.series]
        self._is_shifted = plot.slots == 1 and any(row.shift for mark in plot.marks for row in _rows_of(mark))
        # Vega-Lite connects points in the order of their names, unless another order is given.
        names = plot.places.names if isinstance(plot.places, Categories) else ()
        self._places = {name: number for number, name in enumerate(names)}
        is_along = any(isinstance(mark, Lines | Areas) for mark in plot.marks)
        self._has_own_order = any(isinstance(mark, Lines) and mark.is_in_order for mark in plot.marks)
        self._is_ordered = self._has_own_order or bool(is_along and names)
        self._is_stacked = any(isinstance(mark, Bars) and mark.begin == "stack" for mark in plot.marks)

    def values(self, rows: Sequence[MarkRow]) -> list[Json]:
        """Return the data of rows. A field that a row does not have is left out."""
        return [self._datum(row, number) for number, row in enumerate(rows)]

    def _datum(self, row: MarkRow, number: int) -> Json:
        order = row.series if self._is_stacked else None
        if self._is_ordered:
            order = number if self._has_own_order else self._places[str(row.place)]
        fields = {
            "series": self._names[row.series] if self._names else None,
            "x": row.place,
            "y": row.value,
            "low": None if self._is_stacked else row.low,
            "high": None if self._is_stacked else row.high,
            "shift": row.shift if self._is_shifted else None,
            "order": order,
            "text": row.text or None,
            "fill": row.fill or None,
            "ink": row.ink or None,
            "failed": row.failed or None,
            "case": row.case,
            "repeats": row.repeats,
        }
        return {name: value for name, value in fields.items() if value is not None}

    # The channels.

    def _place(self, **more: Any) -> Json:
        """Return the channels of where a row is; `more` replaces parts of its channel."""
        channel = _axis_channel(self.plot.places, "x", is_upright=self.plot.is_flat) | more
        return {"y" if self.plot.is_flat else "x": channel}

    def _shifted(self) -> Json:
        """Return the channels of where a row is within its category."""
        offset: Json = {}
        if self.plot.slots > 1:
            offset = {"field": "series", "scale": {"domain": self._names, "paddingInner": 0.06}}
        elif self._is_shifted:
            offset = {"field": "shift", "type": "quantitative", "scale": {"domain": [-0.5, 0.5]}}
        return self._place() | ({"yOffset" if self.plot.is_flat else "xOffset": offset} if offset else {})

    def _value(self, field: str = "y", end: str = "", **more: Any) -> Json:
        """Return the channels of the values; end: the field of the other end of a bar or an interval."""
        is_column = isinstance(self.plot.values, Categories)
        channel = _axis_channel(
            self.plot.values, "series" if is_column else field, is_upright=not self.plot.is_flat
        )
        if self.plot.is_flat:
            channel["axis"] |= _BELOW_END
        if self.plot.crosses:
            pixels = _band_height(self.plot)
            ends = [pixels, {"expr": "width"}] if self.plot.is_flat else [_from_bottom(pixels), 0]
            channel["scale"] |= {"range": ends}
        if self.plot.is_empty and not is_column:
            channel |= {"scale": {"domain": [0, 1]}, "axis": channel["axis"] | {"values": []}}
        name = "x" if self.plot.is_flat else "y"
        return {name: channel | more} | ({f"{name}2": {"field": end}} if end else {})

    def _colour(self) -> Json:
        """Return the colours of the series, with a legend if there are several."""
        return {"color": self._by_series([colours.series(each.look) for each in self.plot.listed])}

    def _shape(self) -> Json:
        """Return the markers of the series, with a legend if there are several."""
        return {"shape": self._by_series([_SHAPES[colours.marker(each.look)] for each in self.plot.listed])}

    def _dashes(self) -> Json:
        """Return the dashes of the series, nothing if all lines are solid."""
        dashes = [_DASHES[colours.repeat(each.look, len(_DASHES))] for each in self.plot.listed]
        return (
            {"strokeDash": self._by_series(dashes) | {"legend": None}}
            if dashes.count(_DASHES[0]) < len(dashes)
            else {}
        )

    def _order(self) -> Json:
        """Return the channel of the order in which points are connected, {} for numbers."""
        return {"order": _ORDER} if self._is_ordered else {}

    def _by_series(self, values: Sequence[object]) -> Json:
        is_needed = self.plot.has_legend and len(self.plot.series) > 1
        scale = {"domain": [series.name for series in self.plot.listed], "range": list(values)}
        legend = {"title": None} if is_needed else None
        return {"field": "series", "type": "nominal", "scale": scale, "legend": legend}

    def _layer(self, mark: str | Json, rows: Rows, encoding: Json, *filters: str) -> Json:
        """Return a layer; it has rows of its own if they differ from the rows of the specification."""
        own = {} if rows is self.rows else {"data": {"values": self.values(rows)}}
        chosen = {"transform": [{"filter": each} for each in filters]} if filters else {}
        return {**own, **chosen, "mark": mark, "encoding": encoding}

    # The marks.

    @singledispatchmethod
    def layers(self, mark: Mark) -> list[Json]:
        """Return the layers of a mark, the first one behind the others."""
        raise TypeError(mark)

    @layers.register
    def _points(self, mark: Points) -> list[Json]:
        look: Json = {"type": "point", "size": round(mark.size**2 * _AREA)}
        look |= {"opacity": mark.opacity} if mark.opacity < 1 else {}
        encoding = {**self._shifted(), **self._value(), **self._colour(), **self._shape()}
        return [self._layer(look, mark.rows, encoding, *_if_missing(mark.rows))]

    @layers.register
    def _targets(self, mark: Targets) -> list[Json]:
        look = {"type": "point", "size": round(mark.size**2 * _AREA)}
        encoding = {**self._shifted(), **self._value(), **self._colour()}
        return [self._layer(look, mark.rows, encoding, *_if_missing(mark.rows))]

    @layers.register
    def _lines(self, mark: Lines) -> list[Json]:
        stairs = {"interpolate": "step-after"} if mark.is_stairs else {}
        if mark.name:
            look: Json = {"type": "line", "style": "rest", **stairs}
            series: Json = {"detail": {"field": "series"}}
        else:
            look = {"type": "line", "strokeWidth": mark.width, **stairs}
            series = {**self._colour(), **self._dashes()}
        return [self._layer(look, mark.rows, {**self._shifted(), **self._value(), **series, **self._order()})]

    @layers.register
    def _ideal(self, mark: Ideal) -> list[Json]:
        points: list[Json] = [{"x": x, "y": y} for x, y in mark.points]
        encoding = {**self._place(), **self._value()}
        return [
            {
                "data": {"values": points},
                "mark": {"type": "line", "style": "ideal", "color": IDEAL},
                "encoding": encoding,
            },
            {
                "data": {
                    "values": [points[(len(points) - 1) // 2 if mark.is_front else -1] | {"text": mark.name}]
                },
                "mark": {
                    "type": "text",
                    "style": "front-name" if mark.is_front else "ideal-name",
                    "color": IDEAL,
                },
                "encoding": encoding | {"text": {"field": "text"}},
            },
        ]

    @layers.register
    def _bars(self, mark: Bars) -> list[Json]:
        more: Json = {}
        value = self._value()
        if mark.begin == "low":
            value = self._value("low", "high")
        elif mark.begin == "stack":
            # Vega-Lite stacks them again when a reader hides a series.
            value = self._value(stack="zero")
            more = {"order": _ORDER}
        return [self._layer("bar", mark.rows, {**self._shifted(), **value, **self._colour(), **more})]

    @layers.register
    def _cells(self, mark: Cells) -> list[Json]:
        encoding = {**self._place(), **self._value(), "color": _own_colour("fill")}
        look = {"type": "rect", "stroke": PAPER}
        return [self._layer(look, mark.rows, encoding, *_if_missing(mark.rows))]

    @layers.register
    def _intervals(self, mark: Intervals) -> list[Json]:
        if not any(row.has_interval for row in mark.rows):
            return []
        encoding = {**self._shifted(), **self._value("low", "high")}
        if not mark.is_ink:
            encoding |= self._colour()
        return [self._layer({"type": "rule", "style": "interval"}, mark.rows, encoding, _HAS_INTERVAL)]

    @layers.register
    def _areas(self, mark: Areas) -> list[Json]:
        if not any(row.low is not None for row in mark.rows):
            return []
        encoding = {**self._shifted(), **self._value("low", "high"), **self._colour(), **self._order()}
        return [self._layer("area", mark.rows, encoding)]

    @layers.register
    def _ticks(self, mark: Dashes) -> list[Json]:
        look = {
            "type": "point",
            "style": "median",
            "shape": "stroke",
            "angle": 90 if self.plot.is_flat else 0,
        }
        return [self._layer(look, mark.rows, {**self._shifted(), **self._value()})]

    @layers.register
    def _segments(self, mark: Segments) -> list[Json]:
        values = [
            begin | {f"{axis}2": end[axis] for axis in "xy"}
            for first, last in mark.ends
            for begin, end in [self.values((first, last))]
        ]
        middle = {"bandPosition": 0.5} if isinstance(self.plot.places, Categories) else {}
        across, up = ("y2", "x2") if self.plot.is_flat else ("x2", "y2")
        encoding = {
            **self._place(**middle), **self._value(), across: {"field": "x2", **middle}, up: {"field": "y2"}
        }  # fmt: skip
        look = {"type": "rule", "style": "interval", "strokeWidth": mark.width}
        series = {} if mark.is_ink else self._colour()
        return [{"data": {"values": values}, "mark": look, "encoding": encoding | series}] if values else []

    @layers.register
    def _crosses(self, mark: Crosses) -> list[Json]:
        colour = {"color": {"value": INK}} if mark.is_ink else self._colour()
        crosses = [
            self._crosses_at(lift, tuple(row for row in mark.rows if row.lift == lift), colour)
            for lift in sorted({row.lift for row in mark.rows})
        ]
        return [*self._band(), *crosses]

    def _band(self) -> list[Json]:
        """Return the line between crosses and values, if these have an axis without a zero."""
        if not self.plot.crosses:
            return []
        pixels = _band_height(self.plot)
        across, along, end = ("x", "y", "height") if self.plot.is_flat else ("y", "x", "width")
        at = pixels if self.plot.is_flat else _from_bottom(pixels)
        ends = {across: {"value": at}, along: {"value": 0}, f"{along}2": {"value": end}}
        return [{"data": {"values": [{"y": 0}]}, "mark": {"type": "rule", "style": "band"}, "encoding": ends}]

    def _crosses_at(self, lift: int, rows: Rows, colour: Json) -> Json:
        pixels = _LOWEST_CROSS + _NEXT_CROSS * lift
        flat = self.plot.is_flat
        at_axis: Json = {"x": {"value": pixels}} if flat else {"y": {"value": "height"}}
        look = {"type": "point", "style": "failed", "shape": _CROSS, **({} if flat else {"yOffset": -pixels})}
        return self._layer(look, rows, {**self._shifted(), **at_axis, **colour})

    @layers.register
    def _texts(self, mark: Texts) -> list[Json]:
        beside = {"align": "right", "dx": -6, "dy": -6} if mark.where == "beside" else {}
        colour = {"color": _own_colour("ink")} if mark.where == "cell" else {}
        encoding = {**self._shifted(), **self._value(), "text": {"field": "text"}, **colour}
        return [self._layer({"type": "text", **beside, **_SILENT}, mark.rows, encoding)]

    @layers.register
    def _level(self, mark: LevelLine) -> list[Json]:
        if self.plot.is_flat:
            end: Json = {"y": {"value": 0}}
            is_last = self._is_in_upper_half(mark.value)
            place = {"align": "right" if is_last else "left", "baseline": "top", "dx": -3 if is_last else 3}
        else:
            end = {"x": {"value": "width"}}
            place = {"align": "right", "baseline": "bottom", "dy": -2}
        return [
            {
                "data": {"values": [{"y": mark.value}]},
                "mark": {"type": "rule", "style": "reference"},
                "encoding": self._value(),
            },
            {
                "data": {"values": [{"y": mark.value, "text": mark.name}]},
                "mark": {"type": "text", "style": "reference-name", **place},
                "encoding": {**self._value(), **end, "text": {"field": "text"}},
            },
        ]

    def _is_in_upper_half(self, value: float) -> bool:
        values = [row.value for row in self.rows if row.value is not None]
        return bool(values) and 2 * value > min(values) + max(values)

    @layers.register
    def _change(self, mark: ChangeMark) -> list[Json]:
        colour = {"color": colours.series(self.plot.series[mark.series].look)}
        at = mark.shift + 0.5
        text = shorten(mark.text, most=_MAX_CHANGE)
        end = {} if mark.is_step else {"x2": {"field": "last", "bandPosition": at}}
        look = {"type": "rule", "style": "step"} if mark.is_step else {"type": "rect", "style": "drift"}
        row = {"first": mark.first, "last": mark.last, "text": text}
        return [
            {
                "data": {"values": [row]},
                "mark": look | colour,
                "encoding": self._place(field="first", bandPosition=at) | end,
            },
            {
                "data": {"values": [row]},
                "mark": {"type": "text", "style": "change", "y": _NEXT_CHANGE * mark.line, **colour},
                "encoding": self._place(field="first", bandPosition=mark.text_shift + 0.5)
                | {"text": {"field": "text"}},
            },
        ]


def _rows_of(mark: Mark) -> Rows:
    return () if isinstance(mark, Ideal | LevelLine | ChangeMark | Segments) else mark.rows


def _main_rows(marks: Sequence[Mark]) -> Rows:
    """Return the rows that a reader points at."""
    return next((mark.rows for mark in marks if isinstance(mark, Points | Targets | Bars | Cells)), ())


def _if_missing(rows: Rows) -> list[str]:
    """Return the filter of rows with a value, none if all have one."""
    return [_HAS_VALUE] if any(row.value is None for row in rows) else []


def _own_colour(field: str) -> Json:
    return {"field": field, "type": "nominal", "scale": None, "legend": None}


def _axis_channel(axis: Axis, field: str, *, is_upright: bool) -> Json:
    """Return the channel of an axis."""
    if isinstance(axis, Categories):
        return _names_channel(axis, field, is_upright=is_upright)
    return _numbers_channel(axis, field, is_upright=is_upright)


def _names_channel(axis: Categories, field: str, *, is_upright: bool) -> Json:
    scale: Json = {
        "domain": list(axis.names),
        "type": "band",
        "paddingInner": round(1 - axis.width, 3),
        "paddingOuter": round((1 - axis.width) / 2, 3),
    }
    level = {"labelAngle": 0, "labelLimit": {"expr": f"width / {max(1, len(axis.names))}"}}
    look: Json = _ABOVE_NAMES if is_upright else level if axis.labels == "level" else _SLOPE
    some = {"values": list(axis.names[:: axis.every])} if axis.every > 1 else {}
    guide = {"grid": True} if axis.guide == "lines" else {}
    named = {**look, **some, **guide, "title": axis.title or None}
    return {"field": field, "type": "nominal", "scale": scale, "axis": named}


def _numbers_channel(axis: Numbers, field: str, *, is_upright: bool) -> Json:
    """Return the channel of numbers; those along the places are as far as the data."""
    if axis.scale == "log":
        scale: Json = {"type": "log", "nice": False, "padding": 12}
    elif axis.limits:
        scale = {"domain": list(axis.limits)}
    elif axis.is_from_zero or axis.is_value:
        scale = {"zero": axis.is_from_zero}
    else:
        scale = {"zero": False, "nice": False, "padding": 12}
    ticks: Json = {"values": list(axis.ticks)} if axis.ticks else {"tickCount": 5}
    look: Json = {"grid": axis.has_grid, "domain": not axis.is_value, **(_ABOVE if is_upright else {})}
    named = {**ticks, **_size_labels(axis), **look, "title": axis.title or None}
    return {"field": field, "type": "quantitative", "scale": scale, "axis": named}


def _band_height(plot: Plot) -> int:
    """Return how many pixels the crosses below the values need."""
    return _LOWEST_CROSS + _NEXT_CROSS * (plot.crosses - 1) + _CROSS_ROOM


def _from_bottom(pixels: int) -> Json:
    return {"expr": f"height - {pixels}"}


def _size_labels(axis: Numbers) -> Json:
    """Return the labels of sizes that are written in Ki or Mi; {} for numbers as Vega writes them."""
    labels = {f"{value:.0f}": scales.size_text(value, axis.ticks) for value in axis.ticks}
    if axis.is_value or not any(text.endswith("i") for text in labels.values()):
        return {}
    return {"labelExpr": f"{json.dumps(labels)}[datum.value]"}
