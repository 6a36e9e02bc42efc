"""Figures: same bytes for the same figure, stamps that fit, and data that are where they should be."""

import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import matplotlib as mpl
import pytest
from matplotlib.figure import Figure as Canvas
from matplotlib.patches import Rectangle

from reportgen.core.results import Figure, FigureKind, FigureSeries
from reportgen.render.figures import digest, drawing
from reportgen.render.figures.kinds.base import (
    categories,
    colour_of,
    drawing_of,
    is_horizontal,
    marker_of,
    shorten,
)
from reportgen.render.summary import alt_text
from tests.render import example

LINE, BARS = example.figures()


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
    assert drawing.content_digest(replace(LINE, series=(series,))) != drawing.content_digest(LINE)


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
    shown = digest.inline(_draw(LINE), prefix="one-", alt="a &quot;b&quot;")
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


def test_the_ideal_line_and_all_names_are_in_the_legend() -> None:
    drawn = _draw(LINE).decode()
    for name in ("OneFlow", "NGC PyTorch", "Ideal"):
        assert f"<!-- {name} -->" in drawn


def test_missing_values_draw_nothing() -> None:
    one = replace(BARS, series=(FigureSeries("s", ("1", "8"), (1.0, None)),))
    two = replace(BARS, series=(FigureSeries("s", ("1", "8"), (1.0, 2.0)),))
    assert (_draw(one).count(b"#0072b2"), _draw(two).count(b"#0072b2")) == (1, 2)


def test_no_clock_and_no_version_is_written(tmp_path: Path) -> None:
    drawn = _draw(LINE).decode()
    assert "date" not in drawn
    assert mpl.__version__ not in drawn


@pytest.mark.parametrize(("value", "text"), [(1500.0, "1,500"), (0.25, "0.25"), (1.5, "1.5"), (0.0, "0")])
def test_ticks_separate_thousands(value: float, text: str) -> None:
    assert drawing._tick(value, None) == text


def test_the_default_alt_text_names_axes_and_series() -> None:
    assert alt_text(LINE) == "Speed-up, FP32: Speed-up over Devices, for OneFlow, NGC PyTorch"
    assert alt_text(BARS) == "OneFlow is 7.858 times as fast"


def _many(count: int) -> Figure:
    series = tuple(FigureSeries(f"run {n}", (1.0, 2.0), (1.0 + n, 2.0)) for n in range(count))
    return replace(LINE, kind=FigureKind.SERIES, series=series, ideal=())


def _legend(figure: Figure) -> list[str]:
    """Return what the legend of a figure says, by drawing it."""
    with drawing.settings():
        axes = Canvas().add_subplot()
        drawing_of(figure).draw(axes, figure)
        return [str(label) for label in axes.get_legend_handles_labels()[1]]


def test_a_legend_names_ten_runs_and_counts_the_others() -> None:
    assert _legend(_many(10)) == [f"run {n}" for n in range(10)]
    assert sorted(_legend(_many(43))) == sorted([*(f"run {n}" for n in range(10)), "33 not listed"])


def test_series_with_equal_colours_have_different_markers() -> None:
    assert len({(colour_of(n), marker_of(n)) for n in range(20)}) == 20


def test_a_large_number_is_one_category() -> None:
    figure = replace(BARS, categories=("1048576",), series=(FigureSeries("a", (1048576.0,), (1.0,)),))
    assert categories(figure) == ("1048576",)


@pytest.mark.parametrize("kind", [FigureKind.BAR, FigureKind.STACKED_BAR])
def test_bars_with_long_names_are_horizontal_the_first_on_top(kind: FigureKind) -> None:
    names = ("GeForce RTX 2080 with Max-Q Design", "A40")
    series = tuple(FigureSeries(name, names, (1.0, 2.0)) for name in ("amp", "fp32"))
    figure = replace(BARS, kind=kind, categories=names, series=series)
    axes = Canvas().add_subplot()
    drawing._draw(axes, figure)
    assert [label.get_text() for label in axes.get_yticklabels()] == list(names)
    assert axes.get_ylim()[0] > axes.get_ylim()[1]
    assert axes.get_xlim()[0] == 0
    assert {bar.get_width() for bar in axes.patches if isinstance(bar, Rectangle)} == {1.0, 2.0}
    assert not is_horizontal(replace(figure, kind=FigureKind.LINE))
    assert not is_horizontal(replace(figure, categories=tuple(f"128 · {n}" for n in range(40)), series=()))


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
    assert shorten("a" * 50) == "a" * 50
    assert shorten("a" * 26 + "b" * 26) == "a" * 25 + "…" + "b" * 24


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
        drawing_of(figure).draw(axes, figure)
    bars = [patch for patch in axes.patches if isinstance(patch, Rectangle)]
    if is_horizontal(figure):
        ends = [(bar.get_x(), bar.get_x() + bar.get_width()) for bar in bars]
    else:
        ends = [(bar.get_y(), bar.get_y() + bar.get_height()) for bar in bars]
    assert ends == [(0.0, 2.0), (0.0, 4.0), (2.0, 5.0), (5.0, 4.0)]
    assert len(axes.collections) == 1  # the lines between the bars
