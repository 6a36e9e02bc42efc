"""A build compares itself with the one before it."""

import pytest

from reportgen.diff.rebuilt import changed_figures, compare_builds
from reportgen.document.model import Case, Measurement, Run
from tests.diff.stored import report

OLD = b'{"version": 2, "name": "r", "tables": [{"id": "t", "cells": [{"row": {"d": 1}, "kind": "number", "value": 1}]}]}'


def published(name: str, *values: tuple[str, float], format: str = "published") -> Case:
    repeats = tuple(
        Measurement(Run(run, format, source=f"{run}:1"), value, "published") for run, value in values
    )
    return Case(name, {"devices": 8}, "step_time", "forward", "s", measurements=repeats)


def test_a_figure_is_found_although_a_line_above_it_moved_its_run() -> None:
    (change,) = changed_figures(
        report(cases=[published("a", ("f#1", 0.0559))]), report(cases=[published("a", ("f#2", 0.559))])
    )
    assert (change.source, change.case, change.metric) == ("f#2:1", "devices=8", "step_time (forward)")
    assert (change.old, change.new, change.unit) == (0.0559, 0.559, "s")


def test_repeats_are_paired_by_run() -> None:
    old, new = published("a", ("f#1", 1.0), ("f#2", 2.0)), published("a", ("f#2", 2.5), ("f#3", 1.0))
    (change,) = changed_figures(report(cases=[old]), report(cases=[new]))
    assert (change.old, change.new) == (2.0, 2.5)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (published("a", ("f#1", 1.0)), published("a", ("f#1", 1.0 + 1e-13))),
        (published("a", ("f#1", 1.0)), published("b", ("f#1", 2.0))),
        (published("a", ("f", 1.0), format="native"), published("a", ("f", 2.0), format="native")),
    ],
    ids=["rounding", "another case", "a measurement"],
)
def test_what_is_not_a_changed_figure(old: Case, new: Case) -> None:
    assert list(changed_figures(report(cases=[old]), report(cases=[new]))) == []


def test_reports_of_two_builds_are_compared_by_path() -> None:
    new = OLD.replace(b'"value": 1', b'"value": 2')
    (change,) = compare_builds({"r/report.json": OLD}, {"r/report.json": new}).cells
    assert (change.place, change.old_text, change.new_text) == ("r/t d=1", "1.000", "2.000")


@pytest.mark.parametrize(
    "before", [{}, {"r/report.json": b"{"}, {"r/report.json": OLD.replace(b"2", b"1", 1)}]
)
def test_a_build_without_a_readable_one_before_it_changes_no_number(before: dict[str, bytes]) -> None:
    assert compare_builds(before, {"r/report.json": OLD}).cells == ()
