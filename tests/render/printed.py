"""The result of each printer for a mark, in data coordinates, so that both can be compared.

matplotlib's artists have data coordinates. Those of Vega's scene graph are pixels: the labels of an axis turn them back
into numbers, and categories divide an axis into equal parts. A piece is (colour or text, place, value, ...).
"""

import json
import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
import vl_convert
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure as Canvas
from matplotlib.patches import Rectangle
from matplotlib.text import Annotation

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
    Plot,
    Points,
    Segments,
    Targets,
    Texts,
)
from reportgen.render.figures.svg import artists, drawing
from reportgen.render.figures.vega import Printer, plot_specification

Json = dict[str, Any]
Piece = tuple[Any, ...]

_WIDTH = 1000
# Pixels of a scene graph have some digits less than data, and the gaps between bars differ by a little.
_NEAR, _NEAR_PLACE = 2e-3, 0.03


def compare(plot: Plot) -> None:
    """Assert that both printers show the same for each mark of a plot."""
    in_vega = by_vega(plot)
    for mark, found in zip(plot.marks, in_vega, strict=True):
        expected = by_matplotlib(plot, mark)
        assert len(found) == len(expected), (mark, expected, found)
        for one, other in zip(expected, found, strict=True):
            assert _are_near(one, other), (type(mark), one, other)


def _are_near(one: Piece, other: Piece) -> bool:
    return len(one) == len(other) and all(
        _are_near(a, b)
        if isinstance(a, tuple)
        else b == pytest.approx(a, rel=_NEAR, abs=_NEAR_PLACE)
        if isinstance(a, float)
        else a == b
        for a, b in zip(one, other, strict=True)
    )


def by_matplotlib(plot: Plot, mark: Mark) -> list[Piece]:
    """Return the pieces of a mark that matplotlib draws."""
    with drawing.settings():
        axes = Canvas().add_subplot()
        artists.draw(axes, replace(plot, marks=(mark,)))
    return _ARTISTS[type(mark)](axes, plot.is_flat)


def _turned(is_flat: bool, x: Any, y: Any) -> Piece:
    """Return place and value of a point on the page."""
    return (float(y), float(x)) if is_flat else (float(x), float(y))


def _markers(axes: Axes, is_flat: bool) -> list[Piece]:
    return [
        (to_hex(line.get_color()), *_turned(is_flat, x, y))
        for line in axes.lines
        for x, y in zip(line.get_xdata(), line.get_ydata(), strict=True)
    ]


def _polylines(axes: Axes, is_flat: bool) -> list[Piece]:
    return [
        (
            to_hex(line.get_color()),
            line.get_linestyle() != "-",
            line.get_drawstyle() == "steps-post",
            tuple(
                () if math.isnan(x) or math.isnan(y) else _turned(is_flat, x, y)
                for x, y in zip(line.get_xdata(), line.get_ydata(), strict=True)
            ),
        )
        for line in axes.lines
    ]


def _rectangles(axes: Axes, is_flat: bool) -> list[Piece]:
    pieces = []
    for patch in axes.patches:
        assert isinstance(patch, Rectangle)
        (x0, y0), (x1, y1) = patch.get_bbox().get_points()
        place, begin, end = ((y0 + y1) / 2, x0, x1) if is_flat else ((x0 + x1) / 2, y0, y1)
        pieces.append((to_hex(patch.get_facecolor()), float(place), *map(float, sorted((begin, end)))))
    return pieces


def _cells(axes: Axes, is_flat: bool) -> list[Piece]:
    return [(colour, place, (low + high) / 2) for colour, place, low, high in _rectangles(axes, is_flat)]


def _segments(axes: Axes) -> Iterator[tuple[str, Any]]:
    for each in axes.collections:
        assert isinstance(each, LineCollection)
        for segment in each.get_segments():
            yield to_hex(each.get_color()[0]), segment


def _intervals(axes: Axes, is_flat: bool) -> list[Piece]:
    turned = ((c, _turned(is_flat, *a), _turned(is_flat, *b)) for c, (a, b) in _segments(axes))
    return [(colour, first[0], first[1], last[1]) for colour, first, last in turned]


def _ticks(axes: Axes, is_flat: bool) -> list[Piece]:
    middles = [(colour, (a + b) / 2) for colour, (a, b) in _segments(axes)]
    return [(colour, *_turned(is_flat, *middle)) for colour, middle in middles]


def _connected(axes: Axes, is_flat: bool) -> list[Piece]:
    return [
        (to_hex(line.get_color()), *(end for xy in line.get_xydata() for end in _turned(is_flat, *xy)))
        for line in axes.lines
    ]


def _corners(axes: Axes, is_flat: bool) -> list[Piece]:
    pieces = []
    for each in axes.collections:
        assert isinstance(each, PolyCollection)
        points = {_turned(is_flat, *xy) for path in each.get_paths() for xy in path.vertices}
        pieces += [(to_hex(each.get_facecolor()[0]), *point) for point in sorted(points)]
    return pieces


def _crosses(axes: Axes, is_flat: bool) -> list[Piece]:
    return [
        (colour, place, round((height - 0.025) / 0.04)) for colour, place, height in _markers(axes, is_flat)
    ]


def _texts(axes: Axes, is_flat: bool) -> list[Piece]:
    return [
        (
            text.get_text(),
            *_turned(is_flat, *(text.xy if isinstance(text, Annotation) else text.get_position())),
        )
        for text in (*axes.texts, *(each for each in axes.artists if isinstance(each, Annotation)))
        if text.get_text()
    ]


def _level(axes: Axes, is_flat: bool) -> list[Piece]:
    (line,), (name,) = axes.lines, axes.texts
    ends = line.get_xdata() if is_flat else line.get_ydata()
    return [(name.get_text(), *sorted({float(end) for end in ends}))]


def _change(axes: Axes, is_flat: bool) -> list[Piece]:
    (text,) = axes.texts
    ends = [line.get_xdata() for line in axes.lines] + [
        (patch.get_x(), patch.get_x() + patch.get_width())
        for patch in axes.patches
        if isinstance(patch, Rectangle)
    ]
    x, y = text.get_position()
    line = round((0.99 - float(y)) / 0.06)
    return [(to_hex(text.get_color()), text.get_text(), line, float(x), *map(float, ends[0]))]


_ARTISTS: dict[type, Callable[[Axes, bool], list[Piece]]] = {
    Points: _markers,
    Targets: _markers,
    Lines: _polylines,
    Ideal: _polylines,
    Bars: _rectangles,
    Cells: _cells,
    Intervals: _intervals,
    Areas: _corners,
    Dashes: _ticks,
    Segments: _connected,
    Crosses: _crosses,
    Texts: _texts,
    LevelLine: _level,
    ChangeMark: _change,
}


class Scene:
    """A plot as Vega draws it: the items of each layer, and where a pixel is in the data."""

    def __init__(self, plot: Plot) -> None:
        self.plot = plot
        self.specification = plot_specification(plot)
        drawn = vl_convert.vegalite_to_scenegraph({**self.specification, "width": _WIDTH})
        assert isinstance(drawn, dict)
        self._root = drawn["scenegraph"]
        (frame,) = self._root["items"]
        self.height = float(frame["height"])
        sides = {"bottom": float(frame["width"]), "left": self.height}
        place, value = ("left", "bottom") if plot.is_flat else ("bottom", "left")
        self.place = self._axis(place, plot.places, sides[place])
        self.value = self._axis(value, plot.values, sides[value])

    def items(self, layer: int) -> list[list[Json]]:
        """Return the items of a layer; the items of lines by series."""
        return [
            each["items"]
            for each in groups(self._root)
            if each.get("name") == f"layer_{layer}_marks" and each["items"]
        ]

    def point(self, item: Json) -> Piece:
        """Return place and value of an item."""
        x, y = item["x"], item["y"]
        return (self.place(y), self.value(x)) if self.plot.is_flat else (self.place(x), self.value(y))

    def _axis(self, orient: str, axis: Axis, size: float) -> Callable[[float], float]:
        if isinstance(axis, Categories):
            count = len(axis.names)
            return lambda pixel: pixel / size * count - 0.5
        labels = {
            label["x"] if orient == "bottom" else label["y"]: label["text"]
            for group in groups(self._root)
            if group.get("orient") == orient
            for texts in groups(group)
            if texts.get("role") == "axis-label"
            for label in texts["items"]
            if label["text"]
        }
        values = {
            pixel: float(text.replace(",", "").replace("\u2212", "-")) for pixel, text in labels.items()
        }
        to, back = (math.log, math.exp) if axis.scale == "log" else (float, float)
        if len(values) < 2:
            return lambda pixel: next(iter(values.values()), math.nan)
        first, last = min(values), max(values)
        low, high = to(values[first]), to(values[last])
        return lambda pixel: back(low + (pixel - first) * (high - low) / (last - first))


def groups(item: Json) -> Iterator[Json]:
    """Yield an item of a scene graph and all that are inside it."""
    yield item
    for each in item.get("items", ()):
        yield from groups(each)


def by_vega(plot: Plot) -> list[list[Piece]]:
    """Return the pieces that Vega draws of each mark. Targets are not drawn, so they have none."""
    scene = Scene(plot)
    layers = scene.specification["layer"]
    places = {json.dumps(layer): number for number, layer in enumerate(layers)}
    return [_of_mark(scene, mark, places) for mark in plot.marks]


Groups = list[list[Json]]


def _of_mark(scene: Scene, mark: Mark, places: dict[str, int]) -> list[Piece]:
    if isinstance(mark, Targets):
        return []
    numbers = [places[json.dumps(layer)] for layer in Printer(scene.plot).layers(mark)]
    return _ITEMS[type(mark)](scene, [group for number in numbers for group in scene.items(number)])


def _filled(scene: Scene, found: Groups) -> list[Piece]:
    return [(item["fill"], *scene.point(item)) for group in found for item in group]


def _stroked(scene: Scene, found: Groups) -> list[Piece]:
    return [(item["stroke"], *scene.point(item)) for group in found for item in group]


def _joined(scene: Scene, found: Groups) -> list[Piece]:
    return [_line(scene, group) for group in found if "text" not in group[0]]


def _bars_of(scene: Scene, found: Groups) -> list[Piece]:
    return [_rectangle(scene, item) for group in found for item in group]


def _cells_of(scene: Scene, found: Groups) -> list[Piece]:
    return [(colour, place, (low + high) / 2) for colour, place, low, high in _bars_of(scene, found)]


def _ruled(scene: Scene, found: Groups) -> list[Piece]:
    return [
        (item["stroke"], *scene.point(item), *_other_end(scene, item)) for group in found for item in group
    ]


def _intervals_of(scene: Scene, found: Groups) -> list[Piece]:
    return [(colour, place, *sorted((a, b))) for colour, place, a, _, b in _ruled(scene, found)]


def _corners_of(scene: Scene, found: Groups) -> list[Piece]:
    pieces = []
    for group in found:
        known = [item for item in group if item.get("defined", True)]
        points = {end for item in known for end in (scene.point(item), _other_end(scene, item))}
        pieces += [(group[0]["fill"], *each) for each in sorted(points)]
    return pieces


def _crosses_of(scene: Scene, found: Groups) -> list[Piece]:
    pieces = []
    for item in (item for group in found for item in group if "fill" in item):  # not the line above them
        height = item["x"] if scene.plot.is_flat else scene.height - item["y"]
        pieces.append((item["fill"], scene.point(item)[0], round((height - 8) / 10)))
    return pieces


def _texts_of(scene: Scene, found: Groups) -> list[Piece]:
    return [(item["text"], *scene.point(item)) for group in found for item in group if item.get("text")]


def _level_of(scene: Scene, found: Groups) -> list[Piece]:
    (line,), (name,) = found
    return [(name["text"], scene.value(line["x"] if scene.plot.is_flat else line["y"]))]


def _change_of(scene: Scene, found: Groups) -> list[Piece]:
    (shape,), (text,) = found
    ends = (text["x"], shape["x"], shape["x"] + shape.get("width", 0.0))
    return [(text["fill"], text["text"], round(text["y"] / 14), *map(scene.place, ends))]


_ITEMS: dict[type, Callable[[Scene, Groups], list[Piece]]] = {
    Points: _filled,
    Lines: _joined,
    Ideal: _joined,
    Bars: _bars_of,
    Cells: _cells_of,
    Intervals: _intervals_of,
    Areas: _corners_of,
    Dashes: _stroked,
    Segments: _ruled,
    Crosses: _crosses_of,
    Texts: _texts_of,
    LevelLine: _level_of,
    ChangeMark: _change_of,
}


def _line(scene: Scene, group: list[Json]) -> Piece:
    item = group[0]
    points = tuple(scene.point(each) if each.get("defined", True) else () for each in group)
    is_dashed = item.get("strokeDash", [1, 0]) != [1, 0]
    return (item["stroke"], is_dashed, item.get("interpolate") == "step-after", points)


def _rectangle(scene: Scene, item: Json) -> Piece:
    left, top = item["x"], item["y"]
    right, bottom = left + item["width"], top + item["height"]
    place, ends = (
        ((top + bottom) / 2, (left, right)) if scene.plot.is_flat else ((left + right) / 2, (top, bottom))
    )
    return (item["fill"], scene.place(place), *sorted(map(scene.value, ends)))


def _other_end(scene: Scene, item: Json) -> Piece:
    return scene.point({axis: item.get(f"{axis}2", item[axis]) for axis in "xy"})
