"""Each kind of figure: the marks of small figures, worked out by hand."""

from dataclasses import replace
from typing import Any

import pytest

from reportgen.document.model import FigureKind
from reportgen.render.figures.kind import kind_named
from reportgen.render.figures.marks import (
    Areas,
    Bars,
    Categories,
    Cells,
    ChangeMark,
    Crosses,
    Dashes,
    Intervals,
    Lines,
    Mark,
    MarkRow,
    Numbers,
    Points,
    Segments,
    Targets,
    Texts,
)
from reportgen.render.figures.plot import plot_shown
from reportgen.render.figures.shown import Shown, ShownChange, ShownSeries

A = ShownSeries(name="A", look=0, places=("1", "8"), values=(2.0, 4.0), low=(1.0, None), high=(3.0, None))
B = ShownSeries(name="B", look=1, places=("1", "8"), values=(1.0, None), failed=("", "out of memory"))
FIGURE = Shown(
    kind="bar", title="T", text="t", x_title="x", y_title="y", unit="s", quantity="value", categories=("1", "8"),
    series=(A, B),
)  # fmt: skip
NUMBERS = replace(FIGURE, categories=(), series=tuple(replace(each, places=(1.0, 8.0)) for each in (A, B)))
BANDS = replace(
    NUMBERS,
    series=(
        ShownSeries(
            name="A", look=0, places=(1.0, 2.0, 4.0), values=(2.0, 3.0, 4.0), low=(1.0, 2.0, None),
            high=(3.0, 4.0, None),
        ),
    ),
)  # fmt: skip
REPEATS = replace(
    FIGURE, series=(ShownSeries(name="A", look=0, places=("1", "8", "1", "1"), values=(1.0, 5.0, 4.0, 3.0)),)
)
STEPS = replace(
    FIGURE,
    categories=(),
    series=tuple(
        ShownSeries(name=f"run {n}", look=n, places=(1.0, 2.0), values=(float(n), None)) for n in range(12)
    ),
)
PARTS = replace(
    FIGURE,
    categories=("from", "more", "to"),
    series=(
        ShownSeries(
            name="whole", look=0, places=("from", "to"), values=(2.0, 5.0), low=(0.0, 0.0), high=(2.0, 5.0)
        ),
        ShownSeries(name="longer", look=1, places=("more",), values=(3.0,), low=(2.0,), high=(5.0,)),
    ),
)
SHARES = replace(
    NUMBERS,
    series=(ShownSeries(name="A", look=0, places=(0.1, 0.2), values=(50.0, 100.0)),),
    is_measured=True,
)
PAIRS = replace(NUMBERS, series=(replace(A, places=(10.0, 18.0), low=(), high=(), labels=("p", "q")),))
DRIFT = replace(FIGURE, series=(A,), changes=tuple(ShownChange(0, "1", "8", f"{n}") for n in range(6)))


def row(
    series: int, place: float | str, value: float | None = None, shift: float = 0.0, **more: Any
) -> MarkRow:
    return MarkRow(series=series, place=place, value=value, shift=pytest.approx(shift), **more)


a1 = {"low": 1.0, "high": 3.0}
lost = {"failed": "out of memory"}


@pytest.mark.parametrize(
    ("kind", "figure", "expected"),
    [
        # Two bars of 0.8 / 2 x 0.94; their middles are 0.2 beside that of the category.
        ("bar", FIGURE, [
            Bars((row(0, "1", 2.0, -0.2, **a1), row(0, "8", 4.0, -0.2), row(1, "1", 1.0, 0.2)), pytest.approx(0.376)),
            Intervals((row(0, "1", 2.0, -0.2, **a1), row(0, "8", 4.0, -0.2), row(1, "1", 1.0, 0.2)), is_ink=True),
            Crosses((row(1, "8", None, 0.2, **lost),)),
        ]),
        # The bar of B begins at 2, where that of A ends. Only the first series has crosses.
        ("stacked-bar", FIGURE, [
            Bars(
                (row(0, "1", 2.0, low=0.0, high=2.0), row(0, "8", 4.0, low=0.0, high=4.0),
                 row(1, "1", 1.0, low=2.0, high=3.0)),
                pytest.approx(0.6), "stack",
            ),
        ]),
        ("waterfall", PARTS, [
            Segments(((row(0, "from", 2.0), row(0, "more", 2.0)), (row(0, "more", 5.0), row(0, "to", 5.0))), 0.8, True),
            Bars(
                (row(0, "from", 2.0, low=0.0, high=2.0), row(0, "to", 5.0, low=0.0, high=5.0),
                 row(1, "more", 3.0, low=2.0, high=5.0)),
                pytest.approx(0.6), "low",
            ),
        ]),
        ("line", NUMBERS, [
            Lines((row(0, 1.0, 2.0, **a1), row(0, 8.0, 4.0), row(1, 1.0, 1.0))),
            Intervals((row(0, 1.0, 2.0, **a1), row(0, 8.0, 4.0), row(1, 1.0, 1.0))),
            Points((row(0, 1.0, 2.0, **a1), row(0, 8.0, 4.0), row(1, 1.0, 1.0))),
            Crosses((row(1, 8.0, lift=0, **lost),)),
        ]),
        # A band of one interval would have no width.
        ("curve", NUMBERS, [
            Areas((row(0, 1.0, 2.0), row(0, 8.0, 4.0), row(1, 1.0, 1.0))),
            Lines((row(0, 1.0, 2.0, **a1), row(0, 8.0, 4.0), row(1, 1.0, 1.0))),
            Intervals((row(0, 1.0, 2.0, **a1),)),
            Points((row(0, 1.0, 2.0, **a1), row(0, 8.0, 4.0), row(1, 1.0, 1.0))),
            Crosses((row(1, 8.0, lift=0, **lost),)),
        ]),
        ("curve", BANDS, [
            Areas((row(0, 1.0, 2.0, low=1.0, high=3.0), row(0, 2.0, 3.0, low=2.0, high=4.0), row(0, 4.0, 4.0))),
            Lines((row(0, 1.0, 2.0, low=1.0, high=3.0), row(0, 2.0, 3.0, low=2.0, high=4.0), row(0, 4.0, 4.0))),
            Points((row(0, 1.0, 2.0, low=1.0, high=3.0), row(0, 2.0, 3.0, low=2.0, high=4.0), row(0, 4.0, 4.0))),
        ]),
        # The dots of a category are spread over 0.6.
        ("dots", FIGURE, [
            Intervals((row(0, "1", 2.0, -0.3, **a1), row(0, "8", 4.0, -0.3), row(1, "1", 1.0, 0.3))),
            Points((row(0, "1", 2.0, -0.3, **a1), row(0, "8", 4.0, -0.3), row(1, "1", 1.0, 0.3)), 7.0),
            Crosses((row(1, "8", None, 0.3, **lost),)),
        ]),
        ("dots", replace(FIGURE, series=(replace(A, places=("1",), values=(2.0,), low=(), high=()),)), [
            Intervals((row(0, "1", 2.0),)),
            Points((row(0, "1", 2.0),), 7.0),
        ]),
        # Three repeats are spread over 0.36; their median is 3, and the line there is 1.6 times as long.
        ("strip", REPEATS, [
            Points((row(0, "1", 1.0, -0.18), row(0, "1", 4.0), row(0, "1", 3.0, 0.18), row(0, "8", 5.0)), 4.5, 0.75),
            Dashes((row(0, "1", 3.0), row(0, "8", 5.0)), pytest.approx(0.576)),
        ]),
        # Ten runs have names; a step without value is a row that interrupts the line.
        ("series", STEPS, [
            Lines(tuple(row(n, x, n if x == 1 else None) for n in (10, 11) for x in (1.0, 2.0)), 0.6, name="2 not listed"),
            Lines(tuple(row(n, x, n if x == 1 else None) for n in range(10) for x in (1.0, 2.0)), 1.0),
            Targets(tuple(row(n, x, n if x == 1 else None) for n in range(10) for x in (1.0, 2.0)), 1.9),
        ]),
        ("ecdf", SHARES, [
            Segments(((row(0, 0.1, 0.0), row(0, 0.1, 50.0)),), 1.6),
            Lines((row(0, 0.1, 50.0), row(0, 0.2, 100.0)), 1.6, is_stairs=True),
            Targets((row(0, 0.1, 50.0), row(0, 0.2, 100.0)), 2.7),
        ]),
        ("latency-throughput", PAIRS, [
            Lines((row(0, 10.0, 2.0, text="p"), row(0, 18.0, 4.0, text="q")), is_in_order=True),
            Intervals((row(0, 10.0, 2.0, text="p"), row(0, 18.0, 4.0, text="q"))),
            Points((row(0, 10.0, 2.0, text="p"), row(0, 18.0, 4.0, text="q"))),
            Texts((row(0, 10.0, 2.0, text="p"), row(0, 18.0, 4.0, text="q")), "beside"),
        ]),
        # Texts are in five lines; the sixth one is at the edge again.
        ("trend", DRIFT, [
            *(ChangeMark(0, "1", "8", f"{n}", n % 5) for n in range(6)),
            Lines((row(0, "1", 2.0, **a1), row(0, "8", 4.0)), 1.0),
            Intervals((row(0, "1", 2.0, **a1), row(0, "8", 4.0)), cap=2.0),
            Points((row(0, "1", 2.0, **a1), row(0, "8", 4.0)), 4.0),
        ]),
    ],
)  # fmt: skip
def test_a_kind_says_which_marks_are_drawn(kind: str, figure: Shown, expected: list[Mark]) -> None:
    marks = kind_named(kind).marks(figure)
    assert len(marks) == len(expected)
    for mark, wanted in zip(marks, expected, strict=True):
        assert wanted == mark


@pytest.mark.parametrize(
    ("values", "fills"),
    [
        # From the least, the first colour, over the middle between the second and the third, to the most.
        ((1.0, 2.0, 3.0), ("#eff3ff", "#68a6cf", "#08306b")),
        # Values over more than a factor of 50 are shaded by their logarithms.
        ((1.0, 10.0, 100.0), ("#eff3ff", "#68a6cf", "#08306b")),
        ((7.0, 7.0, 7.0), ("#eff3ff", "#eff3ff", "#eff3ff")),
    ],
)
def test_cells_of_a_heat_map_are_darker_for_more(values: tuple[float, ...], fills: tuple[str, ...]) -> None:
    series = (ShownSeries(name="A", look=0, places=("a", "b", "c"), values=values),)
    cells, texts = kind_named("heat-map").marks(replace(FIGURE, categories=("a", "b", "c"), series=series))
    assert isinstance(cells, Cells)
    assert isinstance(texts, Texts)
    assert tuple(each.fill for each in cells.rows) == fills
    assert texts.rows is cells.rows


def test_a_failed_case_in_a_heat_map_is_a_cross_and_one_that_never_ran_is_nothing() -> None:
    series = (
        ShownSeries(name="A", look=0, places=("1", "8"), values=(None, None), failed=("", "out of memory")),
    )
    cells, _ = kind_named("heat-map").marks(replace(FIGURE, series=series))
    assert isinstance(cells, Cells)
    assert [(each.place, each.text, each.fill) for each in cells.rows] == [("8", "×", "")]


@pytest.mark.parametrize("kind", FigureKind)
def test_every_kind_has_a_plot_of_marks(kind: FigureKind) -> None:
    plot = plot_shown(replace(FIGURE, kind=kind), kind_named(kind))
    assert plot.marks


def test_a_point_of_a_figure_knows_its_axes() -> None:
    plot = plot_shown(NUMBERS, kind_named("line"))
    assert plot.places == Numbers(title="x", ticks=(8.0, 1.0))
    assert plot.values == Numbers(title="y (s)", is_from_zero=True, has_grid=True, is_value=True)
    named = plot_shown(FIGURE, kind_named("bar"))
    assert named.places == Categories(title="x", names=("1", "8"), width=0.8)
    assert (named.slots, named.lanes, named.is_flat) == (2, 2, False)
