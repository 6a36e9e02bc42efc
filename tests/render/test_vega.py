"""The specifications of charts: figures of each kind, what their rows say, and which texts they may contain."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import msgspec
import pytest
import vl_convert

from reportgen.core.units import Unit
from reportgen.document import model
from reportgen.document.model import FigureKind, FigureMark
from reportgen.render.figures.plot import plot_of
from reportgen.render.figures.vega import specification
from reportgen.tables.results import Figure, FigureSeries
from tests.render import example
from tests.render.printed import by_vega, compare, groups

LINE, BARS = example.figures()


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


@pytest.mark.parametrize("name", FIGURES)
def test_vega_lite_shows_what_matplotlib_shows(name: str) -> None:
    plot = plot_of(example.figure_of(FIGURES[name]))
    compare(plot)
    assert any(by_vega(plot))


def _specification(figure: Figure) -> dict[str, Any]:
    return specification(example.figure_of(figure))


def _scene(spec: dict[str, Any]) -> dict[str, Any]:
    scene = vl_convert.vegalite_to_scenegraph({**spec, "width": 1000})
    assert isinstance(scene, dict)
    return scene["scenegraph"]


def _marks(scene: dict[str, Any]) -> list[dict[str, Any]]:
    return [each for each in groups(scene) if each.get("role") == "mark" and each["marktype"] != "group"]


@pytest.mark.parametrize("kind", ["bar", "bar, horizontal", "line", "strip"])
def test_a_failed_case_is_a_cross_that_says_why(kind: str) -> None:
    figure = FIGURES[kind]
    first = figure.series[0]
    failed = ("out of memory", *("",) * (len(first.x) - 1))
    figure = replace(figure, series=(replace(first, failed=failed), *figure.series[1:]))
    layer = next(each for each in _specification(figure)["layer"] if "failed" in str(each["mark"]))
    assert [(row["series"], row["x"], row["failed"]) for row in layer["data"]["values"]] == [
        (first.name, first.x[0], "out of memory")
    ]
    shapes = [item.get("shape") for mark in _marks(_scene(_specification(figure))) for item in mark["items"]]
    assert shapes.count(layer["mark"]["shape"]) == 1


def test_crosses_of_one_x_are_above_each_other() -> None:
    lost = [
        replace(series, failed=("",) * (len(series.x) - 1) + ("out of memory",))
        for series in FIGURES["line"].series
    ]
    layers = _specification(replace(FIGURES["line"], series=tuple(lost)))["layer"]
    assert [layer["mark"]["yOffset"] for layer in layers if "failed" in str(layer["mark"])] == [-8, -18]


def test_sizes_that_double_and_values_over_decades_have_logarithmic_axes() -> None:
    series = (FigureSeries("s", (1.0, 2.0, 4.0, 8.0), (1.0, 10.0, 100.0, 1000.0)),)
    encoding = _specification(replace(LINE, series=series, ideal=(), quantity="value"))["layer"][0][
        "encoding"
    ]
    assert [encoding[axis]["scale"]["type"] for axis in "xy"] == ["log", "log"]


@pytest.mark.parametrize(
    ("sizes", "texts"),
    [((2.0**10, 2.0**20, 2.0**30), {"1 Ki", "1 Mi", "1 Gi"}), ((1.0, 1024.0, 3.0 * 2**20), {"1,024"})],
)
def test_sizes_that_are_powers_of_two_are_written_as_in_tables(
    sizes: tuple[float, ...], texts: set[str]
) -> None:
    series = (FigureSeries("s", sizes, (1.0, 2.0, 3.0)),)
    spec = _specification(replace(LINE, kind=FigureKind.CURVE, series=series, ideal=()))
    assert texts <= {*re.findall('"text": "([^"]*)"', json.dumps(_scene(spec)))}


def test_ratios_have_a_line_at_one_with_its_name() -> None:
    ratios = replace(BARS, quantity="ratio")
    assert [layer["data"]["values"] for layer in _specification(ratios)["layer"] if "data" in layer] == [
        [{"y": 1.0}],
        [{"y": 1.0, "text": "baseline"}],
    ]


def test_series_of_one_name_stay_apart() -> None:
    spec = _specification(FIGURES["line"])
    assert [row["series"] for row in spec["data"]["values"]] == ["A"] * 3 + ["A (2)"] * 2


def test_an_interval_is_a_row_with_both_ends() -> None:
    rows = _specification(_bars(FigureKind.BAR))["data"]["values"]
    assert rows[0] == {"series": "A", "x": "1", "y": 300.0, "low": 290.0, "high": 310.0}
    assert rows[1] == {"series": "A", "x": "8", "y": 400.0}


def test_bars_begin_at_zero_and_lines_do_if_they_are_above_it() -> None:
    lower = replace(LINE, series=(FigureSeries("s", (1.0, 2.0), (-5.0, -4.0)),), ideal=())
    scales = [
        layer["encoding"]["y"]["scale"]["zero"]
        for figure in (_bars(FigureKind.BAR), LINE, lower, FIGURES["strip"])
        for layer in _specification(figure)["layer"][:1]
    ]
    assert scales == [True, True, False, False]


@pytest.mark.parametrize("kind", FigureKind)
def test_a_figure_without_data_is_a_chart_without_marks(kind: FigureKind) -> None:
    scene = vl_convert.vegalite_to_scenegraph(
        {**_specification(replace(BARS, kind=kind, categories=(), series=())), "width": 400}
    )
    assert [mark["items"] for mark in _marks(scene["scenegraph"]) if mark["items"]] == []


def _with_failures(values: tuple[float | None, ...], kind: FigureKind = FigureKind.CURVE) -> Figure:
    sizes = tuple(2.0**n for n in range(len(values)))
    failed = tuple("" if value else "out of memory" for value in values)
    series = (
        FigureSeries("a", sizes, values, failed=failed),
        FigureSeries("b", sizes, tuple(value and 2 * value for value in values), failed=failed),
    )
    return replace(LINE, kind=kind, ideal=(), series=series)


@pytest.mark.parametrize(("values", "is_log"), [((1.0, 100.0, None), True), ((-5.0, 1.0, None), False)])
def test_failures_are_below_all_values_of_an_axis_without_zero(
    values: tuple[float | None, ...], is_log: bool
) -> None:
    """Two crosses above each other: pixels from the top, 300 of them."""
    spec = _specification(_with_failures(values))
    assert (spec["layer"][0]["encoding"]["y"]["scale"].get("type") == "log") == is_log
    points = [item for mark in _marks(_scene(spec)) if mark["marktype"] == "symbol" for item in mark["items"]]
    crosses = sorted(item["y"] for item in points if item["y"] > 270)
    assert (len(crosses), crosses[-1]) == (2, 292)
    assert max(item["y"] for item in points if item["y"] < 270) <= 300 - 34
    labels = [
        item for each in groups(_scene(spec)) if each.get("role") == "axis-label" for item in each["items"]
    ]
    numbers = [float(item["text"].replace("\u2212", "-")) for item in labels if item["align"] == "right"]
    assert len(numbers) > 2
    least = min(filter(None, values))
    assert min(numbers) >= min(least, 2 * least)


def test_a_cross_beside_values_from_zero_is_at_zero() -> None:
    assert (
        "range" not in _specification(_with_failures((2.0, 3.0, None)))["layer"][0]["encoding"]["y"]["scale"]
    )


def test_the_titles_of_a_flat_chart_end_at_an_axis_and_need_no_room_beyond_the_data() -> None:
    scene = _scene(
        _specification(
            _bars(FigureKind.BAR, ("a very long name of a category", "another long name of one", "third"))
        )
    )
    titles = [item for each in groups(scene) if each.get("role") == "axis-title" for item in each["items"]]
    assert len(titles) == 2
    assert {item["align"] for item in titles} == {"right"}


@pytest.mark.parametrize(("values", "align"), [((0.5, 0.8, 1.0), "right"), ((1.0, 1.5, 2.0), "left")])
def test_the_name_of_the_baseline_is_on_the_side_with_more_room(
    values: tuple[float, ...], align: str
) -> None:
    names = ("a", "b", "c")
    figure = replace(BARS, kind=FigureKind.DOTS, quantity="ratio", categories=names)
    series = tuple(FigureSeries(name, (name,), (value,)) for name, value in zip(names, values, strict=True))
    (name,) = [
        layer["mark"]
        for layer in _specification(replace(figure, series=series))["layer"]
        if layer["mark"].get("style") == "reference-name"
    ]
    assert name["align"] == align


def test_a_figure_of_failures_alone_has_no_number_at_its_axis() -> None:
    layers = _specification(_with_failures((None, None)))["layer"]
    axes = [layer["encoding"]["y"]["axis"] for layer in layers if "axis" in layer["encoding"].get("y", {})]
    assert axes
    assert [axis["values"] for axis in axes] == [[]] * len(axes)


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
    spec = _specification(figure)
    scene = _scene(spec)
    texts = {
        item["text"] for group in groups(scene) if group.get("marktype") == "text" for item in group["items"]
    }
    assert evil in texts
    assert len([item for mark in _marks(scene) for item in mark["items"]]) == 2


def test_a_row_has_the_name_of_its_case_and_the_number_of_repeats() -> None:
    series = model.FigureSeries("A", ("1", "8"), (1.0, 2.0), cases=("name", None))
    figure = msgspec.structs.replace(example.figure_of(BARS), series=(series,))
    rows = specification(figure, {"name": 3}.__getitem__)["data"]["values"]
    assert [row.get("case") for row in rows] == ["name", None]
    assert [row.get("repeats") for row in rows] == [3, None]


def test_series_with_the_names_of_their_categories_have_no_legend() -> None:
    at_axis = tuple(FigureSeries(name, (name,), (1.0,)) for name in ("A", "B"))
    for series, is_needed in ((at_axis, False), (_bars(FigureKind.DOTS).series, True)):
        chart = _specification(replace(_bars(FigureKind.DOTS), series=series, categories=()))
        legends = re.findall(r'"legend": (null|\{)', json.dumps(chart["layer"]))
        assert ("{" in legends) == is_needed


def test_series_of_equal_names_stay_apart() -> None:
    series = tuple(FigureSeries(name, ("a",), (1.0,)) for name in ("A", "A", "A (2)"))
    figure = Figure("f", "F", FigureKind.BAR, "x", "y", Unit("ms", "s", 1e-3), ("a",), series)
    rows = _specification(figure)["data"]["values"]
    assert [row["series"] for row in rows] == ["A", "A (3)", "A (2)"]
