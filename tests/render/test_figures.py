"""Figures: same bytes for the same figure, stamps that fit, and data that are where they should be."""

import re
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.figure import Figure as Canvas
from matplotlib.patches import Rectangle
from msgspec.structs import replace

from reportgen.core.units import Unit
from reportgen.document.model import Figure, FigureKind, FigureSeries
from reportgen.render.figures import colours, digest, scales
from reportgen.render.figures.marks import Categories, LevelLine, Numbers
from reportgen.render.figures.names import each_on_two_lines, shorten
from reportgen.render.figures.plot import plot_of
from reportgen.render.figures.svg import artists, drawing, frame, style
from reportgen.render.grid.summary import alt_text
from tests.render import example

LINE, BARS = map(example.figure_of, example.figures())


def _draw(figure: Figure) -> bytes:
    with drawing.settings():
        return drawing.figure_svg(figure)


@pytest.mark.parametrize("kind", FigureKind)
@pytest.mark.parametrize("x", [(1.0, 2.0, 2.0), ("a", "b", "b")])
def test_every_kind_draws_the_same_bytes_twice(kind: FigureKind, x: tuple[float | str, ...]) -> None:
    figure = replace(BARS, kind=kind, categories=(), series=(FigureSeries("s", x, (1.0, None, 3.0)),))
    drawn = _draw(figure)
    assert drawn == _draw(figure)
    assert digest.is_intact(drawn)
    ElementTree.fromstring(drawn)


def test_a_figure_without_data_is_drawn_empty() -> None:
    for kind in FigureKind:
        assert digest.is_intact(_draw(replace(BARS, kind=kind, categories=(), series=())))


def test_settings_of_the_user_have_no_effect_and_do_not_change() -> None:
    plain = _draw(LINE)
    with mpl.rc_context({"lines.linewidth": 9.0, "font.size": 20.0, "axes.grid": False}):
        assert _draw(LINE) == plain
        assert mpl.rcParams["lines.linewidth"] == 9.0


def test_the_last_bit_of_a_number_has_no_effect() -> None:
    series = LINE.series[0]
    moved = replace(series, y=tuple(y and y * (1 + 2**-52) for y in series.y))
    assert _draw(replace(LINE, series=(moved, *LINE.series[1:]))) == _draw(LINE)


def test_another_number_changes_the_content_digest() -> None:
    series = replace(LINE.series[0], y=(1.0, 7.859))
    changed = replace(LINE, series=(series, *LINE.series[1:]))
    assert drawing.content_digest(plot_of(changed)) != drawing.content_digest(plot_of(LINE))


def test_every_edited_digit_is_detected() -> None:
    drawn = _draw(LINE).decode()
    places = [match.start() for match in re.finditer(r"\d", drawn)]
    for place in [*places[:200:7], *places[200::997]]:
        digit = "1" if drawn[place] != "1" else "2"
        touched = (drawn[:place] + digit + drawn[place + 1 :]).encode()
        assert not digest.is_up_to_date(touched, drawn.encode()), place


@pytest.mark.parametrize("old", [b"", b"<svg/>", b"\xff\x00", b"<!-- reportgen content= bytes= -->\n<svg/>"])
def test_a_file_without_stamp_is_not_intact(old: bytes) -> None:
    assert not digest.is_intact(old)
    assert not digest.is_up_to_date(old, digest.stamped(b"<svg></svg>", "ab" * 32))


def test_inline_figures_have_unique_ids_and_no_document_parts() -> None:
    shown = digest.inline(
        _draw(LINE), prefix="one-", alt="a &quot;b&quot;", by_colour={"#2b3036": "var(--ink)"}
    )
    ids = set(re.findall(r'\bid="([^"]*)"', shown))
    assert ids
    assert all(name.startswith("one-") for name in ids)
    assert set(re.findall(r'href="#([^"]*)"|url\(#([^)]*)\)', shown)) <= {
        pair for name in ids for pair in ((name, ""), ("", name))
    }
    assert shown.startswith('<svg role="img" aria-label="a &quot;b&quot;" ')
    for part in ("<?xml", "<!", "<style", "<metadata", "<title"):
        assert part not in shown
    assert "#ffffff" in shown  # colours are not ids
    assert "#2b3036" not in shown
    assert "var(--ink)" in shown


def test_a_moved_mark_is_one_changed_line_and_a_new_one_is_a_few() -> None:
    def lines(middle: float, *ends: float) -> list[str]:
        low, high = ends or (None, None)
        series = FigureSeries("a", (1, 2, 4), (1.0, middle, 4.0), (None, low, None), (None, high, None))
        return _draw(replace(LINE, series=(series,))).decode().splitlines()

    before, moved, with_interval = lines(2.0), lines(2.5), lines(2.0, 1.5, 2.5)
    assert len(before) == len(moved)
    # the stamp, the line through all points, the marker
    assert sum(a != b for a, b in zip(before, moved, strict=True)) == 3
    # the interval and its two ends
    assert len(with_interval) - len(before) == 3


def test_a_name_that_reads_like_a_colour_or_an_id_stays() -> None:
    name = '#2b3036 id="x" url(#y) <metadata>'
    shown = digest.inline(
        _draw(replace(BARS, title=name)), prefix="one-", alt="", by_colour={"#2b3036": "var(--ink)"}
    )
    assert name in [element.text for element in ElementTree.fromstring(shown.replace("xlink:", "")).iter()]


def test_text_is_text_in_a_font_that_every_system_has() -> None:
    drawn = _draw(BARS).decode()
    texts = [each.text for each in ElementTree.fromstring(drawn).iter("{http://www.w3.org/2000/svg}text")]
    assert {"Throughput", "Throughput (images/s)", "Devices"} <= set(texts)
    assert re.findall("font-family: [^}]*", drawn) == ["font-family: 'DejaVu Sans', Verdana, sans-serif"]


def test_versions_of_matplotlib_write_the_style_of_a_text_alike() -> None:
    rest = b"""text-anchor: end; fill: #2b3036" x="1">style="a"</text>"""
    old = b"""<text style="font: 700 12px 'DejaVu Sans'; """ + rest
    new = b"""<text style="font-weight: 700; font-size: 12px; font-family: 'DejaVu Sans'; """ + rest
    assert style.styled(old) == style.styled(new)
    assert b'"font-weight: 700; font-size: 12px; text-anchor: end; fill: #2b3036"' in style.styled(old)
    assert b'>style="a"</text>' in style.styled(old)


def test_every_neutral_colour_has_one_for_the_dark() -> None:
    drawn = _draw(LINE).decode()
    dark = drawn.partition("(prefers-color-scheme: dark)")[2].partition("</style>")[0]
    for light, other in colours.IN_THE_DARK.items():
        assert f'[style*="fill: {light}"]{{fill: {other} !important}}' in dark
    assert {colours.INK, colours.GRID, colours.PAPER} <= colours.IN_THE_DARK.keys()


def _texts(figure: Figure) -> list[str | None]:
    root = ElementTree.fromstring(_draw(figure))
    return [each.text for each in root.iter("{http://www.w3.org/2000/svg}text")]


def test_the_ideal_line_and_all_names_are_in_the_legend() -> None:
    assert {"OneFlow", "NGC PyTorch", "Ideal"} <= set(_texts(LINE))


def test_the_ideal_line_says_whose_it_is_where_series_begin_apart() -> None:
    apart = tuple(FigureSeries(name, (1.0, 8.0), (y, 7.5 * y)) for name, y in (("fp16", 9.0), ("fp32", 3.0)))
    figure = replace(LINE, series=apart, ideal=((1.0, 9.0), (8.0, 72.0)))
    assert "Ideal (fp16)" in _texts(figure)
    assert "Ideal" not in _texts(figure)


def test_rows_are_high_enough_for_names_on_two_lines() -> None:
    names = tuple(f"Transformer-XL with a long name \u00b7 amp \u00b7 {n:03}" for n in range(24))
    series = FigureSeries("H100", names, tuple(map(float, range(1, 25))))
    figure = replace(LINE, kind=FigureKind.DOTS, categories=names, series=(series,), ideal=())
    height = float(_draw(figure).decode().partition('viewBox="')[2].partition('"')[0].split()[3])
    assert any("\u00b7" in (text or "") for text in _texts(figure))
    assert height > 24 * 2 * 10  # points; a line of a name has 9


def _ends(figure: Figure) -> list[str]:
    with drawing.settings():
        canvas = Canvas(layout="constrained", dpi=72)
        axes = canvas.add_subplot()
        drawing.draw_data(axes, plot_of(figure))
        ends = frame.name_line_ends(axes, plot_of(figure))
        frame.settle(canvas, axes, ends)
    heights = sorted(end.name.get_window_extent().y0 for end in ends)
    assert all(b - a > 11 for a, b in pairwise(heights))  # no name is on another
    return [end.name.get_text() for end in ends]


def test_a_few_lines_are_named_at_their_ends_unless_one_ends_early() -> None:
    three = tuple(FigureSeries(name, (1.0, 8.0), (1.0, 7.5)) for name in "abc")
    figure = replace(LINE, series=three)
    assert _ends(figure) == ["a", "b", "c", "Ideal"]
    assert _texts(figure).count("a") == 1
    assert _ends(replace(figure, series=three * 3)) == []
    assert _ends(LINE) == []  # the second line has no value for 8


def test_a_series_has_the_colour_that_the_report_gives_it() -> None:
    series = tuple(replace(each, colour=3 - n) for n, each in enumerate(LINE.series))
    drawn = _draw(replace(LINE, series=series)).decode().partition("</style>")[2]
    assert colours.SERIES[3] in drawn
    assert colours.SERIES[0] not in drawn


@pytest.mark.parametrize("kind", [FigureKind.LINE, FigureKind.BAR, FigureKind.STACKED_BAR, FigureKind.STRIP])
def test_a_case_that_failed_has_a_cross_and_the_legend_says_why(kind: FigureKind) -> None:
    series = (FigureSeries("s", ("1", "8"), (1.0, None), failed=("", "out of memory")),)
    figure = replace(BARS, kind=kind, series=series)
    assert "out of memory" in _texts(figure)
    with drawing.settings():
        axes = Canvas().add_subplot()
        artists.draw(axes, plot_of(figure))
    (cross,) = [line for line in axes.lines if line.get_marker() == "x"]
    assert list(np.asarray(cross.get_xdata())) == [1.0]


def _scales(figure: Figure) -> tuple[str, str]:
    """Return the scales of places and values."""
    plot = plot_of(figure)
    places = plot.places.scale if isinstance(plot.places, Numbers) else "linear"
    assert isinstance(plot.values, Numbers)
    return places, plot.values.scale


@pytest.mark.parametrize(
    ("x", "y", "expected"),
    [
        ((1.0, 8.0, 16.0, 32.0), (1.0, 2.0, 3.0, 4.0), ("log", "linear")),
        ((1.0, 2.0, 3.0, 4.0, 5.0), (1.0, 2.0, 3.0, 49.0, 5.0), ("linear", "linear")),
        ((8.0, 16.0, 24.0, 32.0), (0.1, 1.0, 3.0, 5.0), ("linear", "log")),
        ((8.0, 16.0, 24.0, 32.0), (0.0, 1.0, 3.0, 500.0), ("linear", "linear")),
        ((1.0, 32.0), (1.0, 30.0), ("linear", "linear")),
    ],
)
def test_sizes_that_double_and_values_over_decades_have_log_axes(
    x: tuple[float, ...], y: tuple[float, ...], expected: tuple[str, str]
) -> None:
    figure = replace(LINE, series=(FigureSeries("s", x, y),), ideal=())
    assert _scales(figure) == expected
    assert _scales(replace(figure, kind=FigureKind.BAR))[1] == "linear"


def test_beside_logarithmic_sizes_a_diagonal_is_straight() -> None:
    series = (FigureSeries("s", (1.0, 8.0, 16.0, 32.0), (1.0, 7.0, 14.0, 27.0)),)
    figure = replace(LINE, series=series, ideal=((1.0, 1.0), (32.0, 32.0)))
    assert _scales(figure) == ("log", "log")


def test_ratios_have_a_line_at_one_and_no_empty_room_down_to_zero() -> None:
    ratio = replace(BARS, quantity="ratio", unit=example.RATIO)
    line = replace(ratio, kind=FigureKind.LINE)
    levels = [
        [mark.value for mark in plot_of(each).marks if isinstance(mark, LevelLine)] for each in (ratio, BARS)
    ]
    assert levels == [[1.0], []]
    assert [_begins_at_zero(each) for each in (line, ratio, BARS)] == [False, True, True]


def test_an_axis_of_dots_that_does_not_begin_at_zero_says_so() -> None:
    (series,) = BARS.series[:1]
    alone = replace(BARS, kind=FigureKind.DOTS, series=(replace(series, low=(), high=()),))
    ends = tuple(3000 + (y or 1.0) for y in series.y)
    repeated = replace(alone, series=(replace(series, y=ends, low=ends, high=ends),))
    ratio = replace(repeated, quantity="ratio", unit=example.RATIO)
    near = replace(repeated, series=(replace(series, low=tuple(end / 10 for end in ends), high=ends),))
    titles = [plot_of(each).values.title for each in (alone, repeated, ratio, near)]
    assert [title.endswith(", not from 0") for title in titles] == [False, True, False, False]


def _begins_at_zero(figure: Figure) -> bool:
    values = plot_of(figure).values
    assert isinstance(values, Numbers)
    return values.is_from_zero


def test_a_title_has_no_lonely_word_on_its_second_line() -> None:
    title = "Throughput on 32 GPUs: ResNet-50 v1.5, FP32, batch size 128"
    lines = [text for text in _texts(replace(BARS, title=title)) if text and text in title and len(text) > 20]
    assert lines == ["Throughput on 32 GPUs: ResNet-50", "v1.5, FP32, batch size 128"]


def test_the_line_at_one_says_what_it_is() -> None:
    ratio = replace(BARS, unit=example.RATIO)
    names = {
        quantity: _texts(replace(ratio, quantity=quantity)) for quantity in ("ratio", "efficiency", "excess")
    }
    assert "baseline" in names["ratio"]
    assert "ideal" in names["efficiency"]
    assert "as expected" in names["excess"]


@pytest.mark.parametrize("title", ["time per step", "memory of devices"])
def test_the_axis_has_its_unit_whatever_letters_its_title_has(title: str) -> None:
    figure = replace(BARS, y_title=title, unit=Unit("s", "s", 1.0))
    assert plot_of(figure).values.title == f"{title} (s)"


def test_names_that_would_be_cut_to_the_same_text_show_their_difference() -> None:
    framework = "NGC Pytorch 24.09, NGC HugeCTR 24.09, NVIDIA Nemo 24.09"
    names = [
        f"{framework} · ssd · {system} · H100 NVL (PCIe) · 1 · 128"
        for system in ("R760x2H100NVL", "SYS-421GE")
    ]
    assert each_on_two_lines([*names, "short"]) == ["R760x2H100NVL", "SYS-421GE", "short"]


def test_names_of_two_parts_are_on_two_lines() -> None:
    names = tuple(f"{seq} · {batch}" for seq in (128, 256) for batch in (1, 2, 4, 8, 16))
    figure = replace(BARS, x_title="seq · batch", categories=names, series=())
    texts = _texts(replace(figure, series=(FigureSeries("s", names, (1.0,) * 10),)))
    assert (texts.count("128"), texts.count("256"), texts.count("16")) == (1, 1, 2)
    assert "batch within seq" in texts


def test_missing_values_draw_nothing() -> None:
    one = replace(BARS, series=(FigureSeries("s", ("1", "8"), (1.0, None)),))
    two = replace(BARS, series=(FigureSeries("s", ("1", "8"), (1.0, 2.0)),))
    drawn = [_draw(each).partition(b"</style>")[2].count(b"#0072b2") for each in (one, two)]
    assert drawn == [1, 2]


def test_no_clock_and_no_version_is_written(tmp_path: Path) -> None:
    drawn = _draw(LINE).decode()
    assert "date" not in drawn
    assert mpl.__version__ not in drawn


@pytest.mark.parametrize(
    ("value", "text"), [(1500.0, "1,500"), (0.25, "0.25"), (1.5, "1.5"), (0.0, "0"), (199999.9, "200,000")]
)
def test_ticks_separate_thousands(value: float, text: str) -> None:
    assert scales.number_text(value) == text


def test_sizes_that_are_not_powers_of_two_have_no_exponent() -> None:
    assert scales.size_text(1_500_000.0, [1000.0, 1_500_000.0]) == "1,500,000"


def test_the_default_alt_text_names_axes_and_series() -> None:
    assert alt_text(LINE) == "Speed-up, FP32: Speed-up over Devices, for OneFlow, NGC PyTorch"
    assert alt_text(BARS) == "OneFlow is 7.858 times as fast"


def _many(count: int) -> Figure:
    series = tuple(FigureSeries(f"run {n}", (1.0, 2.0), (1.0 + n, 2.0)) for n in range(count))
    return replace(LINE, kind=FigureKind.SERIES, series=series, ideal=())


def _legend(figure: Figure) -> list[str]:
    """Return what the legend of a figure says, by drawing it."""
    with drawing.settings():
        canvas = Canvas()
        frame.legend(canvas, plot_of(figure))
        return [text.get_text() for text in canvas.legends[0].get_texts()]


def test_a_legend_names_ten_runs_and_counts_the_others() -> None:
    assert _legend(_many(10)) == [f"run {n}" for n in range(10)]
    assert _legend(_many(43)) == [*(f"run {n}" for n in range(10)), "33 not listed"]


def test_series_with_equal_colours_have_different_markers() -> None:
    assert len({(colours.series(n), colours.marker(n)) for n in range(20)}) == 20


def test_a_large_number_is_one_category() -> None:
    figure = replace(BARS, categories=("1048576",), series=(FigureSeries("a", (1048576.0,), (1.0,)),))
    places = plot_of(figure).places
    assert isinstance(places, Categories)
    assert places.names == ("1048576",)


@pytest.mark.parametrize("kind", [FigureKind.BAR, FigureKind.STACKED_BAR])
def test_bars_with_long_names_are_horizontal_the_first_on_top(kind: FigureKind) -> None:
    names = ("GeForce RTX 2080 with Max-Q Design", "A40")
    series = tuple(FigureSeries(name, names, (1.0, 2.0)) for name in ("amp", "fp32"))
    figure = replace(BARS, kind=kind, categories=names, series=series)
    axes = Canvas().add_subplot()
    drawing.draw_data(axes, plot_of(figure))
    assert [label.get_text().replace("\n", " ") for label in axes.get_yticklabels()] == list(names)
    assert axes.get_ylim()[0] > axes.get_ylim()[1]
    assert axes.get_xlim()[0] == 0
    assert {bar.get_width() for bar in axes.patches if isinstance(bar, Rectangle)} == {1.0, 2.0}
    assert not plot_of(replace(figure, kind=FigureKind.LINE)).is_flat
    assert not plot_of(replace(figure, categories=tuple(f"128 · {n}" for n in range(40)), series=())).is_flat


def test_a_figure_is_high_enough_for_its_horizontal_bars() -> None:
    many = tuple(f"GeForce RTX 2080 with Max-Q Design {n}" for n in range(60))
    figure = replace(BARS, categories=many, series=(FigureSeries("s", many, (1.0,) * 60),))
    assert _height(figure) > 3 * _height(BARS)


@pytest.mark.filterwarnings("error")  # matplotlib gives up the layout where it finds no room
@pytest.mark.parametrize("kind", [kind for kind in FigureKind if kind != "series"])
def test_names_of_any_length_leave_room_for_the_plot(kind: FigureKind) -> None:
    name = "x" * 400
    series = tuple(FigureSeries(f"{name}{n}", (name, "8"), (1.0, 2.0)) for n in range(3))
    figure = replace(BARS, kind=kind, title=name, x_title=name, categories=(name, "8"), series=series)
    assert "…".encode() in _draw(figure)
    assert shorten("a" * 34) == "a" * 34
    assert shorten("a" * 26 + "b" * 26) == "a" * 17 + "…" + "b" * 16


def _height(figure: Figure) -> float:
    return float(ElementTree.fromstring(_draw(figure)).attrib["height"].removesuffix("pt"))


@pytest.mark.parametrize(
    "names", [("A", "up", "down", "B"), tuple(f"{n} is a long name of a bar" for n in "AUDB")]
)
def test_a_waterfall_draws_each_bar_from_where_it_begins(names: tuple[str, ...]) -> None:
    first, up, down, last = names
    series = (
        FigureSeries("whole", (first, last), (2.0, 4.0), (0.0, 0.0), (2.0, 4.0)),
        FigureSeries("longer", (up,), (3.0,), (2.0,), (5.0,)),
        FigureSeries("shorter", (down,), (-1.0,), (5.0,), (4.0,)),
    )
    figure = replace(BARS, kind=FigureKind.WATERFALL, categories=names, series=series)
    with drawing.settings():
        axes = Canvas().add_subplot()
        artists.draw(axes, plot_of(figure))
    bars = [patch for patch in axes.patches if isinstance(patch, Rectangle)]
    if plot_of(figure).is_flat:
        ends = [(bar.get_x(), bar.get_x() + bar.get_width()) for bar in bars]
    else:
        ends = [(bar.get_y(), bar.get_y() + bar.get_height()) for bar in bars]
    assert ends == [(0.0, 2.0), (0.0, 4.0), (2.0, 5.0), (5.0, 4.0)]
    assert len(axes.lines) == 3  # between the bars
