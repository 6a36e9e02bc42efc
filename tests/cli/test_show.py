"""`reportgen show`: the facts of one run and its curves."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.cli import show_command
from reportgen.report.run_view import Curve, ruler, sparkline
from tests.builders import native_files, write_files
from tests.cli.calling import call, error_of
from tests.repository import write_repository


@pytest.mark.parametrize(
    ("values", "width", "shown"),
    [
        ([0, 1, 2, 3, 4, 5, 6, 7], 8, "▁▂▃▄▅▆▇█"),
        ([1, 1, 1, 1, 9, 1, 1, 1], 4, "▁▁█▁"),  # a spike of one value is seen
        ([3, 3, 3], 10, "▁▁▁"),
        ([1, float("nan"), 2], 3, "▁ █"),
        ([-2, -1], 2, "▁█"),
    ],
)
def test_a_letter_is_as_high_as_the_largest_of_its_values(values, width, shown):
    assert sparkline(np.array(values, dtype=float), width) == shown


def test_the_ruler_marks_measured_values():
    assert ruler(np.array([False, False, True, True, False]), 5) == "..==."


@given(st.lists(st.floats(-1e300, 1e300), min_size=1, max_size=300), st.integers(1, 80))
def test_a_curve_is_never_wider_than_asked_for(values, width):
    assert len(sparkline(np.array(values), width)) == min(width, len(values))


@pytest.mark.parametrize(
    ("values", "unit", "text"),
    [
        ([0.1, 0.2, 0.6], "s", "100.0 to 600.0 ms, median 200.0"),
        ([2.0, 2.0], "1", "2.000"),
        ([float("nan"), 0.5], "ratio", "50.00 %"),
    ],
)
def test_a_curve_has_its_range(values, unit, text):
    assert Curve("x", np.array(values), unit).range_text == text


@pytest.fixture
def logs(tmp_path, monkeypatch):
    """A run of 140 steps of 1 ms, but the 50th took 9 ms, and a table of two results."""
    durations = [1_000_000] * 49 + [9_000_000] + [1_000_000] * 90
    write_files(tmp_path / "r1", native_files(1, *durations))
    write_repository(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_run_is_shown_with_its_steps_and_the_window(logs):
    lines = call("show", "r1")[0].splitlines()
    assert lines[0].split()[:3] == ["r1", "complete", "native"]
    at = next(at for at, line in enumerate(lines) if line.startswith("  step time step"))
    assert lines[at].endswith(": 140 values, 1.000 to 9.000 ms, median 1.000")
    assert lines[at + 1].strip() == "▁" * 34 + "█" + "▁" * 61
    assert lines[at + 2].strip() == "." * 14 + "=" * 69 + "." * 13


def test_a_curve_is_as_wide_as_the_terminal(logs, monkeypatch):
    monkeypatch.setattr(show_command, "terminal_width", lambda: 40)
    assert max(len(line) for line in call("show", "r1")[0].splitlines() if "▁" in line) == 40


def test_one_of_several_runs_is_named_by_its_number(logs):
    assert call("show", "logs/rates/rates.csv#2")[0].startswith(
        "rates.csv#2  complete  published  logs/rates/"
    )
    assert error_of("show", "logs/rates/rates.csv") == (
        "logs/rates/rates.csv: 4 runs, not one; name one of them: rates.csv#1, rates.csv#2, rates.csv#3, rates.csv#4"
    )
    assert error_of("show", "logs/rates/rates.csv#9").startswith(
        "logs/rates/rates.csv#9: no run of this number; "
    )
    assert error_of("show", "nowhere") == "nowhere: no such file or folder; check the path"


def test_values_have_the_unit_of_the_item_and_intervals_are_means_of_their_steps(tmp_path):
    epoch = "Train: 0 [{:>4}/640 (  0%)]  Loss:  7.0 (7.0)  Time: {:.3f}s,  400.0/s  (0.500s,  256.00/s)  LR: 1.0e-03  Data: 0.005 (0.010)\n"
    (tmp_path / "timm.log").write_text("".join(epoch.format(step, 0.5) for step in range(0, 601, 50)))
    out = call("show", str(tmp_path / "timm.log"))[0]
    assert "images/s" in out
    assert "samples/s" not in out
    assert ", mean of up to 50 steps: " in out


def test_control_characters_of_a_log_do_not_reach_the_terminal(logs):
    (logs / "r1/run.json").write_text(
        (logs / "r1/run.json")
        .read_text()
        .replace('"complete"', '"complete","case":{"a":"\\u001b]0;x\\u0007"}')
    )
    assert not set("\x1b\x07") & set(call("show", "r1")[0])
