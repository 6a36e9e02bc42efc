"""Colours of series: one for each name, all over a report."""

from reportgen.core.units import Unit
from reportgen.document.model import FigureKind
from reportgen.tables.results import Figure, FigureSeries
from reportgen.tables.series_colours import with_colours


def colours(*names, kind=FigureKind.BAR):
    figures = [
        Figure(
            "f", "F", kind, "x", "y", Unit("1", "1", 1.0), (), tuple(FigureSeries(n, (), ()) for n in each)
        )
        for each in names
    ]
    return [[series.colour for series in figure.series] for figure in with_colours(figures)]


def test_a_name_keeps_its_colour_in_every_figure():
    assert colours("ab", "cb", "ca") == [[0, 1], [2, 1], [2, 0]]


def test_after_all_plain_colours_a_name_takes_one_that_no_neighbour_has():
    assert colours("abcdefgh", "ai", "ij") == [[0, 1, 2, 3, 4, 5, 6, 7], [0, 1], [1, 0]]
    assert colours("abcdefghij") == [[*range(10)]]


def test_steps_of_runs_take_no_colour_from_others():
    assert colours("abc", kind=FigureKind.SERIES) == [[None, None, None]]


def test_a_name_that_continues_another_has_its_colour_unless_both_are_in_one_figure():
    assert colours(("A", "B"), ("A b=2", "C"), ("A b=2 x", "A b=2")) == [[0, 1], [0, 2], [3, 0]]
    assert colours(("A b=2", "A")) == [[1, 0]]
