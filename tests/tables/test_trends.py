"""Trends: repeats grouped by date, version or factor, with steps and drifts, from the logs alone."""

import random
from dataclasses import replace
from typing import Any

import pytest

from reportgen.core.errors import RequestError
from reportgen.core.model import Run
from reportgen.document.model import FigureKind
from reportgen.history.logs import log_histories
from reportgen.tables.assemble import build_tables
from reportgen.tables.expected import NO_FACTS
from reportgen.tables.figures import build_figures
from reportgen.tables.results import Figure
from reportgen.tables.spec import FigureSpec
from reportgen.tables.trends import trends_of, x_of
from tests.builders import published_run, table_spec
from tests.render import example

DAY = 86400.0
START = 1_704_067_200.0  # 2024-01-01, 00:00 UTC


def nightly(days: int = 20, *, step_at: int = 10, repeats: int = 3) -> list[Run]:
    """Return repeats of one case, some each day; they are 4 % slower from a day on, with another driver."""
    generator = random.Random(1)
    runs = []
    for day in range(days):
        rate = 100 / (1.04 if day >= step_at else 1) * (1 + generator.gauss(0, 0.003))
        for number in range(repeats):
            driver = "550.54" if day < step_at else "560.28"
            run = published_run(
                model="a",
                throughput=rate * (1 + 0.001 * (number - 1)),
                environment={"driver.version": driver},
            )
            id = f"{day}-{number}"
            runs.append(replace(run, id=id, repeat=None, started=START + day * DAY + number * 60))
    return runs


def figure_of(runs: list[Run], x: str, **table: Any) -> Figure:
    spec = FigureSpec("reports/t.toml: figures[0]", "f", "F", FigureKind.TREND, "t", x)
    entry = table_spec(**({"rows": ("model",)} | table))
    (figure,) = build_figures(spec, build_tables(entry, runs, NO_FACTS))
    return figure


def test_repeats_of_a_day_are_a_point_with_median_and_range() -> None:
    figure = figure_of(nightly(2), "date")
    (series,) = figure.series
    assert series.x == figure.categories == ("2024-01-01", "2024-01-02")
    assert series.low[0] == pytest.approx((series.y[0] or 0) * 0.999)
    assert series.high[0] == pytest.approx((series.y[0] or 0) * 1.001)
    assert figure.x_title == "date"
    assert figure.changes == ()


def test_a_step_is_marked_with_its_size_and_what_else_changed() -> None:
    figure = figure_of(nightly(), "date")
    (change,) = figure.changes
    assert (change.series, change.first, change.last) == (0, "2024-01-11", "2024-01-11")
    assert change.text in ("3.6 % slower", "3.7 % slower", "3.8 % slower", "3.9 % slower", "4.0 % slower")
    assert figure.alt.endswith(f"; step at 2024-01-11: {change.text}; driver.version 550.54 -> 560.28")


def test_the_driver_may_be_x_and_is_then_no_event() -> None:
    figure = figure_of(nightly(), "driver")
    assert figure.categories == ("550.54", "560.28")
    assert [len(series.x) for series in figure.series] == [2]


def test_versions_are_in_natural_order() -> None:
    runs = [
        replace(published_run(model="a", throughput=1.0, environment={"driver": name}), id=name)
        for name in ("550.9", "550.54", "1000.1")
    ]
    assert figure_of(runs, "driver").categories == ("550.9", "550.54", "1000.1")


def test_commits_are_in_the_order_of_their_first_runs() -> None:
    runs = [
        replace(
            published_run(model="a", throughput=1.0, environment={"git.commit": 40 * letter}),
            id=letter,
            started=START + position * DAY,
        )
        for position, letter in enumerate("cab")
    ]
    assert figure_of(runs, "commit").categories == ("cccccccc", "aaaaaaaa", "bbbbbbbb")


def test_commits_that_a_series_lacks_stay_in_order() -> None:
    runs = [
        replace(
            published_run(model=model, throughput=1.0, environment={"git.commit": 40 * letter}),
            id=f"{model}{letter}",
            started=START + "cab".index(letter) * DAY,
        )
        for model, letters in (("a", "cb"), ("b", "cab"))
        for letter in letters
    ]
    assert figure_of(runs, "commit").categories == ("cccccccc", "aaaaaaaa", "bbbbbbbb")


def test_a_start_that_no_calendar_has_is_not_a_day() -> None:
    assert x_of(replace(published_run(model="a"), started=1e300), "date") == ""
    runs = [replace(nightly(1)[0], started=1e300)]
    report = example.report(tables=tuple(build_tables(table_spec(rows=("model",)), runs, NO_FACTS)))
    (history,) = log_histories(report, report.tables[0].id, "driver", {}, {})
    assert [point.date for point in history.points] == [""]


def test_a_row_factor_may_be_x_and_the_other_rows_become_series() -> None:
    runs = [
        published_run(model=model, night=night, throughput=1.0 * night)
        for model in ("a", "b")
        for night in (1, 2, 10)
    ]
    figure = figure_of(runs, "night", rows=("model", "night"))
    assert figure.categories == ("1", "2", "10")
    assert [(series.name, series.y) for series in figure.series] == [
        ("a", (1.0, 2.0, 10.0)),
        ("b", (1.0, 2.0, 10.0)),
    ]


def test_logs_that_do_not_say_x_are_an_error_with_the_choices() -> None:
    with pytest.raises(RequestError, match='no log of table "t" says "date"; name a factor, date, commit'):
        figure_of([published_run(model="a", throughput=1.0)], "date")


def test_a_run_without_x_is_not_a_point() -> None:
    runs = nightly(3)
    runs[0] = replace(runs[0], started=None)
    (table,) = build_tables(table_spec(rows=("model",)), runs, NO_FACTS)
    (trend,) = trends_of(table, "date")
    assert [point.summary.n for point in trend.points] == [2, 3, 3]


@pytest.mark.parametrize(
    ("environment", "by", "x"),
    [
        ({"driver": "1"}, "driver", "1"),
        ({"driver.version": "1"}, "driver", "1"),
        ({"software.torch": "2.4"}, "torch", "2.4"),
        ({"git.commit": "0123456789abcdef"}, "commit", "01234567"),
        ({}, "driver", ""),
    ],
)
def test_x_is_found_in_the_environment(environment: dict[str, str], by: str, x: str) -> None:
    assert x_of(published_run(model="a", environment=environment), by) == x


def test_numbers_that_differ_are_different_points() -> None:
    values = 2.0, 0.1, 1234567.0, 1234568.0
    x = [x_of(published_run(size=value, throughput=1.0), "size") for value in values]
    assert x == ["2", "0.1", "1234567", "1234568"]
