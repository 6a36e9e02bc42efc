"""Both printers show the same marks, at the same places: compared over plots that are made up of any marks."""

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reportgen.render.figures.marks import (
    Areas,
    Bars,
    Categories,
    Cells,
    ChangeMark,
    Crosses,
    Dashes,
    Ideal,
    Intervals,
    LegendSeries,
    LevelLine,
    Lines,
    Mark,
    MarkRow,
    Numbers,
    Plot,
    Points,
    RowField,
    Rows,
    Segments,
    Targets,
    Texts,
)
from tests.render.printed import by_matplotlib, by_vega, compare

# Their order is not that of their letters.
_NAMES = ("b", "a long name of a category", "datum.x", "10", "9", "${1}")
_LEAST, _MOST = 1.0, 900.0
_VALUES = st.integers(10, 8000).map(lambda tenths: tenths / 10)
# A specification is printed by a program in another language, which takes a moment.
_FEW = settings(max_examples=8)


def _shifts(count: int) -> list[float]:
    return [0.5 * (n + 0.5) / count - 0.25 for n in range(count)]


@st.composite
def rows_and_places(draw: st.DrawFn, *, is_named: bool | None = None) -> tuple[Plot, Rows, Rows]:
    """Make a plot without marks, rows for it, some without a value, and rows that failed."""
    named = draw(st.booleans()) if is_named is None else is_named
    names = draw(st.permutations(_NAMES))[: draw(st.integers(2, len(_NAMES)))]
    numbers = sorted(draw(st.sets(st.integers(1, 64), min_size=2, max_size=6)))
    places = tuple(names) if named else tuple(map(float, numbers))
    series = tuple(
        LegendSeries(f"series {n}", n + draw(st.integers(0, 12))) for n in range(draw(st.integers(1, 4)))
    )
    shifts = _shifts(len(series)) if named and draw(st.booleans()) else [0.0] * len(series)
    rows, failed = [], []
    for n in range(len(series)):
        for i, place in enumerate(places):
            # The first series goes from one end of the axes to the other.
            value = (_LEAST, _MOST)[i] if n == 0 and i < 2 else draw(st.none() | _VALUES)
            low, high = (
                (draw(_VALUES), draw(_VALUES)) if value is not None and draw(st.booleans()) else (None, None)
            )
            row = MarkRow(series=n, place=place, shift=shifts[n], value=value, text=f"{n}/{i}")
            if low is not None and high is not None:
                row = replace(row, low=min(low, high), high=max(low, high))
            rows.append(row)
            if value is None:
                failed.append(replace(row, failed="out of memory", lift=0 if any(shifts) else n))
    scale = draw(st.sampled_from(("linear", "log")))
    ticks = (1.0, 10.0, 100.0, 1000.0) if scale == "log" else ()
    plot = Plot(
        title="T",
        text="t",
        places=Categories(title="places", names=tuple(names)) if named else Numbers(title="places"),
        values=Numbers(title="values", scale=scale, ticks=ticks, is_value=True),  # type: ignore[arg-type]
        is_flat=named and draw(st.booleans()),
        series=series,
        marks=(),
        fields=(RowField("series"),),
    )
    return plot, tuple(rows), tuple(failed)


def _of_lines(plot: Plot, rows: Rows, failed: Rows) -> list[Mark]:
    known = tuple(row for row in rows if row.value is not None)
    crosses: list[Mark] = [Crosses(failed)] if failed else []
    return [
        Areas(rows),
        Lines(rows),
        Intervals(known),
        Targets(rows, 2.0),
        Points(rows),
        *crosses,
        Texts(known, "beside"),
    ]


def _of_signs(plot: Plot, rows: Rows, failed: Rows) -> list[Mark]:
    known = tuple(row for row in rows if row.value is not None)
    pairs = tuple((a, b) for a, b in pairwise(known) if a.series == b.series)
    return [
        Segments(tuple((replace(a, shift=0.0), replace(b, shift=0.0)) for a, b in pairs), 1.0, is_ink=True),
        Lines(known, is_stairs=True, name="2 not listed"),
        Dashes(known, 0.1),
        Intervals(known, is_ink=True),
        Crosses(tuple(replace(row, lift=2) for row in failed), is_ink=True),
        LevelLine(20.0, "baseline"),
    ]


@pytest.mark.parametrize("marks", [_of_lines, _of_signs])
def test_both_printers_show_each_mark_at_the_same_place(
    marks: Callable[[Plot, Rows, Rows], list[Mark]],
) -> None:
    @_FEW
    @given(rows_and_places())
    def check(made: tuple[Plot, Rows, Rows]) -> None:
        plot, rows, failed = made
        compare(replace(plot, marks=tuple(marks(plot, rows, failed))))

    check()


@_FEW
@given(rows_and_places(is_named=True), st.sampled_from(("slots", "stack", "low")))
def test_both_printers_show_the_same_bars(made: tuple[Plot, Rows, Rows], form: str) -> None:
    plot, rows, failed = made
    values = Numbers(title="values", is_from_zero=True, is_value=True)
    known = tuple(row for row in rows if row.value is not None)
    places = replace(plot.places, width=0.8)
    if form == "slots":
        count = len(plot.series)
        shifts = [(n - (count - 1) / 2) * 0.8 / count for n in range(count)]
        known = tuple(replace(row, shift=shifts[row.series]) for row in known)
        lost = tuple(replace(row, shift=shifts[row.series], lift=0) for row in failed)
        plot = replace(
            plot, slots=count, marks=(Bars(known, 0.8 / count * 0.94), Intervals(known), Crosses(lost))
        )
    elif form == "stack":
        tops: dict[object, float] = {}
        stacked = []
        for row in known:
            begin = tops.get(row.place, 0.0)
            tops[row.place] = begin + (row.value or 0.0)
            stacked.append(replace(row, shift=0.0, low=begin, high=tops[row.place]))
        plot = replace(plot, marks=(Bars(tuple(stacked), 0.8, begin="stack"),))
    else:
        floating = [replace(row, shift=0.0, low=5.0, high=5.0 + (row.value or 0.0)) for row in known]
        plot = replace(plot, marks=(Bars(tuple(floating), 0.8, begin="low"),))
    compare(replace(plot, places=places, values=values))


@settings(max_examples=4)
@given(rows_and_places(is_named=True))
def test_both_printers_show_the_same_cells(made: tuple[Plot, Rows, Rows]) -> None:
    plot, rows, _ = made
    cells = tuple(replace(row, shift=0.0, fill=f"#{n:02x}8040", ink="#16191d") for n, row in enumerate(rows))
    columns = Categories(title="columns", names=tuple(series.name for series in plot.series))
    compare(replace(plot, values=columns, is_flat=True, marks=(Cells(cells), Texts(cells, "cell"))))


@settings(max_examples=4)
@given(rows_and_places(is_named=True), st.data())
def test_both_printers_show_the_same_changes(made: tuple[Plot, Rows, Rows], data: st.DataObject) -> None:
    plot, rows, _ = made
    names = [row.place for row in rows if row.series == 0]
    first = data.draw(st.integers(0, len(names) - 2))
    last = data.draw(st.integers(first + 1, len(names) - 1))
    step = ChangeMark(0, str(names[last]), str(names[last]), "+80 %", 0)
    drift = ChangeMark(0, str(names[first]), str(names[last]), "+100 %", 3)
    rows = tuple(replace(row, shift=0.0) for row in rows)
    compare(replace(plot, is_flat=False, marks=(step, drift, Points(rows))))


@pytest.mark.parametrize("scale", ["linear", "log"])
def test_both_printers_show_the_same_line_of_proportional_growth(scale: str) -> None:
    rows = tuple(MarkRow(series=0, place=float(n), value=float(n)) for n in (1, 4, 32))
    axis = Numbers(title="", scale=scale, ticks=(1.0, 10.0, 100.0))  # type: ignore[arg-type]
    ideal = Ideal(((1.0, 1.0), (32.0, 32.0)), "Ideal")
    plot = Plot(
        title="", text="", places=axis, values=axis, is_flat=False, series=(LegendSeries("a", 0),), fields=(),
        marks=(ideal, Lines(rows, is_in_order=True)),
    )  # fmt: skip
    compare(plot)


_LINE = (MarkRow(series=0, place="b", value=2.0), MarkRow(series=0, place="a", value=1.0))


def _plot(*marks: Mark) -> Plot:
    return Plot(
        title="", text="", places=Categories(title="", names=("b", "a")),
        values=Numbers(title="", is_from_zero=True, is_value=True), is_flat=False, series=(LegendSeries("s", 0),),
        fields=(), marks=marks,
    )  # fmt: skip


def test_a_line_follows_the_order_of_categories_and_not_of_letters() -> None:
    line = [("#0072b2", False, False, ((0.0, 2.0), (1.0, 1.0)))]
    assert by_matplotlib(_plot(), Lines(_LINE)) == line
    ((drawn,),) = by_vega(_plot(Lines(_LINE)))
    assert drawn[3] == (pytest.approx((0.0, 2.0)), pytest.approx((1.0, 1.0)))


def test_a_file_has_no_targets_and_a_page_has_them() -> None:
    assert by_matplotlib(_plot(), Targets(_LINE, 3.0)) == []
    compare(_plot(Targets(_LINE, 3.0), Lines(_LINE)))


def test_a_difference_between_the_printers_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.render import printed

    compare(_plot(Points(_LINE)))
    monkeypatch.setattr(printed, "by_vega", lambda plot: by_vega(replace(plot, marks=(Points(_LINE[:1]),))))
    with pytest.raises(AssertionError):
        compare(_plot(Points(_LINE)))


def test_every_type_of_mark_is_compared() -> None:
    from tests.render import printed

    assert set(printed._ARTISTS) == set(get_args(Mark))
