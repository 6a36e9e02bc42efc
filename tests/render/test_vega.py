"""The charts of a page show what the figures show: Vega-Lite and matplotlib are compared.

matplotlib's artists have data coordinates. Those of Vega's scene graph are pixels, which the labels of the
axes turn back into data.
"""

import json
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import pytest
import vl_convert
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure as Canvas

from reportgen.core.units import Unit
from reportgen.document.model import FigureKind, FigureMark
from reportgen.render.figures import drawing, scales
from reportgen.render.figures.colours import INK
from reportgen.render.figures.kinds.base import drawing_of, is_horizontal
from reportgen.render.figures.rounding import shown_figure
from reportgen.render.figures.vega import specification
from reportgen.tables.results import Figure, FigureSeries
from tests.render import example

LINE, BARS = example.figures()

_WIDTH = 1000
# Pixels of a scene graph have some digits less than data.
_NEAR = 2e-3
# The gaps between bars differ by a little.
_NEAR_X = 0.03


def _bars(kind: FigureKind, categories: tuple[str, ...] = ("1", "8", "32")) -> Figure:
    series = (
        FigureSeries("A", categories, (300.0, 400.0, 50.5), (290.0, None, 50.5), (310.0, None, 50.5)),
        FigureSeries("datum.x", categories[:2], (200.0, None)),
        FigureSeries("C", categories, (20.0, 30.0, 40.0), (10.0, 29.0, 39.0), (25.0, 31.0, 44.0)),
    )
    return replace(BARS, kind=kind, categories=categories, series=series)


def _strip(categories: tuple[str, ...]) -> Figure:
    a, b, c = categories
    series = (
        FigureSeries("A", (a, a, a, c, b), (1.0, 3.0, 2.0, 4.0, 5.0)),
        FigureSeries("B", (a, b, a), (2.0, 3.0, 4.0)),
    )
    return replace(BARS, kind=FigureKind.STRIP, categories=categories, series=series)


def _figures() -> Iterator[Any]:
    long = ("a very long name of a category", "another long name of one", "third")
    numbers = (1.0, 2.0, 8.0)
    lines = (
        FigureSeries("A", numbers, (1.0, 1.9, 7.0), (0.9, None, 6.5), (1.1, None, 7.5)),
        FigureSeries("A", numbers, (2.0, None, 3.0)),
    )
    steps = tuple(map(float, range(1, 13)))
    runs = tuple(
        FigureSeries(f"run {n}", steps, tuple(None if i == 5 else 10.0 + n + i % 3 for i in range(12)))
        for n in range(12)
    )
    dates = ("d1", "d2", "d3", "d4", "d5")
    trends = (
        FigureSeries("A", dates, (1.0, 1.1, 2.0, 2.1, 2.5), (0.9,) * 5, (1.5, None, 2.2, 2.3, 2.6)),
        FigureSeries("B", dates[1:], (3.0, 4.0, 5.0, 6.0)),
    )
    changes = (FigureMark(0, "d3", "d3", "+80 %"), FigureMark(1, "d2", "d5", "+100 %"))
    parts = (
        FigureSeries("whole", ("from", "to"), (2.0, 3.0), (0.0, 0.0), (2.0, 3.0)),
        FigureSeries("longer", ("forward",), (2.0,), (2.0,), (4.0,)),
        FigureSeries("shorter", ("backward",), (-1.0,), (4.0,), (3.0,)),
    )
    waterfall = replace(
        BARS, kind=FigureKind.WATERFALL, categories=("from", "forward", "backward", "to"), series=parts
    )
    strip = _strip(("a", "b", "c"))
    yield "bar", _bars(FigureKind.BAR)
    yield "bar, horizontal", _bars(FigureKind.BAR, long)
    yield "stacked-bar", _bars(FigureKind.STACKED_BAR)
    yield "stacked-bar, horizontal", _bars(FigureKind.STACKED_BAR, long)
    yield "line", replace(LINE, series=lines, ideal=((1.0, 1.0), (8.0, 8.0)))
    yield (
        "line, categories",
        replace(LINE, categories=("b", "a"), series=(FigureSeries("s", ("a", "b"), (1.0, 2.0)),), ideal=()),
    )
    yield "series", replace(LINE, kind=FigureKind.SERIES, series=runs, ideal=())
    yield "strip", strip
    yield "strip, horizontal", _strip(long)
    yield (
        "strip, numbers",
        replace(strip, categories=(), series=(FigureSeries("s", (1.0, 1.0, 8.0), (1.0, 2.0, 3.0)),)),
    )
    yield "trend", replace(BARS, kind=FigureKind.TREND, categories=dates, series=trends, changes=changes)
    yield "waterfall", waterfall
    dots = _bars(FigureKind.DOTS)
    yield "dots", dots
    yield (
        "dots of one row",
        replace(
            dots,
            series=tuple(
                replace(s, x=s.x[n:][:1], y=s.y[:1], low=(), high=()) for n, s in enumerate(dots.series)
            ),
        ),
    )
    yield "heat-map", _bars(FigureKind.HEAT_MAP)
    yield "curve", replace(LINE, kind=FigureKind.CURVE, series=lines, ideal=())
    seconds = Unit("s", "s", 1.0)
    shares = (
        FigureSeries("A", (0.010, 0.011, 0.020), (20.0, 60.0, 100.0)),
        FigureSeries("B", (0.012, 0.013), (50.0, 100.0)),
    )
    yield (
        "ecdf",
        replace(LINE, kind=FigureKind.ECDF, unit=example.RATIO, x_unit=seconds, series=shares, ideal=()),
    )
    paired = (
        FigureSeries("A", (100.0, 180.0, 170.0), (0.01, 0.02, 0.08), labels=("1", "2", "8")),
        FigureSeries("B", (90.0, 110.0), (0.02, 0.05), labels=("1", "2")),
    )
    yield (
        "latency-throughput",
        replace(
            LINE,
            kind=FigureKind.LATENCY_THROUGHPUT,
            unit=seconds,
            x_unit=example.RATE,
            series=paired,
            ideal=(),
        ),
    )


FIGURES = dict(_figures())


def test_every_kind_is_compared() -> None:
    assert {figure.kind for figure in FIGURES.values()} == set(FigureKind)


@dataclass(frozen=True, slots=True)
class Shown:
    """The marks of a picture, in the order of drawing, in data coordinates.

    dots  (colour, x, y); bars  (colour, x, begin, end); intervals  (x, low, high)
    """

    dots: list[tuple[Any, ...]]
    bars: list[tuple[Any, ...]]
    intervals: list[tuple[Any, ...]]


def _of_matplotlib(figure: Figure) -> Shown:
    with drawing.settings():
        axes: Axes = Canvas().add_subplot()
        drawing.draw_data(axes, figure)
    lines = [
        line
        for line in axes.lines
        if line.get_marker() not in ("_", "|")  # the ends of intervals
        and line.get_label() != "Ideal"
        and line.get_transform() == axes.transData  # not the mark of a change
    ]
    dots = [
        (to_hex(line.get_color()), float(x), float(y))
        for line in lines
        for x, y in zip(line.get_xdata(), line.get_ydata(), strict=True)
        if not math.isnan(y)
    ]
    is_flat = is_horizontal(figure)
    bars = []
    for patch in (
        patch for container in axes.containers for patch in container if hasattr(patch, "get_width")
    ):
        x, y, width, height = patch.get_x(), patch.get_y(), patch.get_width(), patch.get_height()
        ends = (x, x + width) if is_flat else (y, y + height)
        bars.append(
            (to_hex(patch.get_facecolor()), y + height / 2 if is_flat else x + width / 2, *sorted(ends))
        )
    collections = [each for each in axes.collections if isinstance(each, LineCollection)]
    segments = [segment for each in collections for segment in each.get_segments() if len(segment)]
    if figure.kind is FigureKind.STRIP:  # short lines at the medians
        dots += [(INK, float(x0 + x1) / 2, float(y0 + y1) / 2) for (x0, y0), (x1, y1) in segments]
    if figure.kind in (FigureKind.STRIP, FigureKind.WATERFALL):
        segments = []
    intervals = [(y0, x0, x1) if is_flat else (x0, y0, y1) for (x0, y0), (x1, y1) in segments]
    return Shown(dots, bars, intervals)


def _of_vega(figure: Figure) -> Shown:
    scene = _scene(specification(figure))
    is_flat = is_horizontal(figure)
    names: str = "names" if figure.categories else scales.x_scale(figure)
    values = scales.y_scale(figure, is_bar=drawing_of(figure).is_bar)
    if not drawing_of(figure).has_value_axis:
        values = names
    x = _axis(scene, "bottom", values if is_flat else names)
    y = _axis(scene, "left", names if is_flat else values)
    place, value = (y, x) if is_flat else (x, y)
    dots, bars, intervals = [], [], []
    for mark in _marks(scene):
        for item in mark["items"]:
            if not item.get("defined", True) or "y" not in item:
                continue  # a missing step interrupts a line
            left, top = item["x"], item["y"]
            if mark["marktype"] == (
                "line" if figure.kind in (FigureKind.SERIES, FigureKind.ECDF) else "symbol"
            ):
                is_filled = "fill" in item and item.get("shape") != "stroke"
                dots.append((item["fill" if is_filled else "stroke"], x(left), y(top)))
            elif mark["marktype"] == "rect" and item.get("opacity", 1) == 1:
                right, bottom = left + item["width"], top + item["height"]
                middle = (top + bottom) / 2 if is_flat else (left + right) / 2
                ends = (value(left), value(right)) if is_flat else (value(bottom), value(top))
                bars.append((item["fill"], place(middle), *sorted(ends)))
            elif (
                mark["marktype"] == "rule"
                and figure.kind is not FigureKind.WATERFALL
                and "strokeDash" not in item
            ):
                ends = (left, item["x2"]) if is_flat else (top, item["y2"])
                intervals.append((place(top if is_flat else left), *map(value, ends)))
    return Shown(dots, bars, intervals)


def _scene(spec: dict[str, Any]) -> dict[str, Any]:
    scene = vl_convert.vegalite_to_scenegraph({**spec, "width": _WIDTH})
    assert isinstance(scene, dict)
    return scene["scenegraph"]


def _groups(item: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield item
    for each in item.get("items", ()):
        yield from _groups(each)


def _marks(scene: dict[str, Any]) -> list[dict[str, Any]]:
    return [each for each in _groups(scene) if each.get("role") == "mark" and each["marktype"] != "group"]


def _axis(scene: dict[str, Any], orient: str, kind: str) -> Callable[[float], float]:
    """Return the function from pixels to data, from the labels of an axis.

    kind  "linear" or "log" for numbers, "names" for categories, which are numbered
    """
    labels = [
        (label["x"] if orient == "bottom" else label["y"], label["text"])
        for axis in _groups(scene)
        if axis.get("orient") == orient
        for texts in _groups(axis)
        if texts.get("role") == "axis-label"
        for label in texts["items"]
        if label["text"]
    ]
    if kind == "names":
        values = list(map(float, range(len(labels))))
    else:
        values = [float(text.replace(",", "").replace("\u2212", "-")) for _, text in labels]
    place = math.log if kind == "log" else float
    (first, low), (last, high) = sorted(zip((pixel for pixel, _ in labels), map(place, values), strict=True))[
        :: len(labels) - 1
    ]
    back = math.exp if kind == "log" else float
    return lambda pixel: back(low + (pixel - first) * (high - low) / (last - first))


@pytest.mark.parametrize("name", FIGURES)
def test_vega_lite_shows_what_matplotlib_shows(name: str) -> None:
    figure = shown_figure(FIGURES[name])
    expected, drawn = _of_matplotlib(figure), _of_vega(figure)
    _check(expected.dots, drawn.dots, figure)
    _check(expected.bars, drawn.bars, figure)
    _check(expected.intervals, drawn.intervals, figure)
    assert expected.dots or expected.bars


def _check(expected: list[tuple[Any, ...]], drawn: list[tuple[Any, ...]], figure: Figure) -> None:
    """Compare marks one by one: of texts, which are colours, all; of numbers what pixels can say."""
    assert len(drawn) == len(expected)
    if figure.kind is FigureKind.STRIP:  # grouped by category there
        expected, drawn = sorted(expected), sorted(drawn)
    for one, other in zip(expected, drawn, strict=True):
        for a, b in zip(one, other, strict=True):
            assert a == b if isinstance(a, str) else b == pytest.approx(a, rel=_NEAR, abs=_NEAR_X), (
                one,
                other,
            )


@pytest.mark.parametrize("kind", ["bar", "bar, horizontal", "line", "strip"])
def test_a_failed_case_is_a_cross_that_says_why(kind: str) -> None:
    figure = FIGURES[kind]
    first = figure.series[0]
    failed = ("out of memory", *("",) * (len(first.x) - 1))
    figure = replace(figure, series=(replace(first, failed=failed), *figure.series[1:]))
    layer = next(each for each in specification(figure)["layer"] if "failed" in str(each["mark"]))
    assert [(row["series"], row["x"], row["failed"]) for row in layer["data"]["values"]] == [
        (first.name, first.x[0], "out of memory")
    ]
    shapes = [item.get("shape") for mark in _marks(_scene(specification(figure))) for item in mark["items"]]
    assert shapes.count(layer["mark"]["shape"]) == 1


def test_crosses_of_one_x_are_above_each_other() -> None:
    lost = [
        replace(series, failed=("",) * (len(series.x) - 1) + ("out of memory",))
        for series in FIGURES["line"].series
    ]
    layers = specification(replace(FIGURES["line"], series=tuple(lost)))["layer"]
    assert [layer["mark"]["yOffset"] for layer in layers if "failed" in str(layer["mark"])] == [-8, -18]


def test_sizes_that_double_and_values_over_decades_have_logarithmic_axes() -> None:
    series = (FigureSeries("s", (1.0, 2.0, 4.0, 8.0), (1.0, 10.0, 100.0, 1000.0)),)
    encoding = specification(replace(LINE, series=series, ideal=(), quantity="value"))["layer"][0]["encoding"]
    assert [encoding[axis]["scale"]["type"] for axis in "xy"] == ["log", "log"]


def test_ratios_have_a_line_at_one_with_its_name() -> None:
    ratios = replace(BARS, quantity="ratio")
    assert [layer["data"]["values"] for layer in specification(ratios)["layer"] if "data" in layer] == [
        [{"y": 1.0}],
        [{"y": 1.0, "text": "baseline"}],
    ]


def test_series_of_one_name_stay_apart() -> None:
    spec = specification(FIGURES["line"])
    assert [row["series"] for row in spec["data"]["values"]] == ["A"] * 3 + ["A (2)"] * 2


def test_an_interval_is_a_row_with_both_ends() -> None:
    rows = specification(_bars(FigureKind.BAR))["data"]["values"]
    assert rows[0] == {"series": "A", "x": "1", "y": 300.0, "low": 290.0, "high": 310.0}
    assert rows[1] == {"series": "A", "x": "8", "y": 400.0}


def test_bars_begin_at_zero_and_lines_do_if_they_are_above_it() -> None:
    lower = replace(LINE, series=(FigureSeries("s", (1.0, 2.0), (-5.0, -4.0)),), ideal=())
    scales = [
        layer["encoding"]["y"]["scale"]["zero"]
        for figure in (_bars(FigureKind.BAR), LINE, lower, FIGURES["strip"])
        for layer in specification(figure)["layer"][:1]
    ]
    assert scales == [True, True, False, False]


@pytest.mark.parametrize("kind", FigureKind)
def test_a_figure_without_data_is_a_chart_without_marks(kind: FigureKind) -> None:
    scene = vl_convert.vegalite_to_scenegraph(
        {**specification(replace(BARS, kind=kind, categories=(), series=())), "width": 400}
    )
    assert [mark["items"] for mark in _marks(scene["scenegraph"]) if mark["items"]] == []


def test_texts_of_a_report_are_values_and_titles_only() -> None:
    """A name may be an expression, a path of fields or a signal: nothing of it is evaluated."""
    evil = 'datum[\'y\'] + ${1} </script> \\" a.b[0] {"signal": "width"}'
    figure = replace(
        BARS,
        title=evil,
        x_title=evil,
        y_title=evil,
        alt=evil,
        categories=(evil,),
        series=(FigureSeries(evil, (evil,), (1.0,)), FigureSeries("b", (evil,), (2.0,))),
    )
    spec = specification(figure)
    scene = _scene(spec)
    texts = {
        item["text"] for group in _groups(scene) if group.get("marktype") == "text" for item in group["items"]
    }
    assert evil in texts
    assert len([item for mark in _marks(scene) for item in mark["items"]]) == 2


def test_a_row_has_the_name_of_its_case_and_the_number_of_repeats() -> None:
    case = example.case(1.0, {"devices": 1})
    figure = replace(BARS, series=(FigureSeries("A", ("1", "8"), (1.0, 2.0), cases=(case, None)),))
    rows = specification(figure, lambda each: "name" if each is case else None)["data"]["values"]
    assert [row.get("case") for row in rows] == ["name", None]
    assert [row.get("repeats") for row in rows] == [3, None]


def test_series_with_the_names_of_their_categories_have_no_legend() -> None:
    at_axis = tuple(FigureSeries(name, (name,), (1.0,)) for name in ("A", "B"))
    for series, is_needed in ((at_axis, False), (_bars(FigureKind.DOTS).series, True)):
        chart = specification(replace(_bars(FigureKind.DOTS), series=series, categories=()))
        legends = re.findall(r'"legend": (null|\{)', json.dumps(chart["layer"]))
        assert ("{" in legends) == is_needed


def test_series_of_equal_names_stay_apart() -> None:
    series = tuple(FigureSeries(name, ("a",), (1.0,)) for name in ("A", "A", "A (2)"))
    figure = Figure("f", "F", FigureKind.BAR, "x", "y", Unit("ms", "s", 1e-3), ("a",), series)
    rows = specification(figure)["data"]["values"]
    assert [row["series"] for row in rows] == ["A", "A (3)", "A (2)"]
