"""A campaign shows the time that is left, stops at its budget, and can be planned without running."""

import argparse
import re
import sys

import pytest

from collectors.__main__ import main
from collectors.launcher import launch
from collectors.launcher.remaining_time import RemainingTime, duration_text, parse_duration


class Now:
    def __init__(self):
        self.seconds = 0.0

    def __call__(self):
        return self.seconds


@pytest.mark.parametrize(
    ("text", "seconds"), [("2h", 7200), ("90m", 5400), ("1h30m", 5400), ("45s", 45), ("1h0m5s", 3605)]
)
def test_a_duration_has_units(text, seconds):
    assert parse_duration(text) == seconds


@pytest.mark.parametrize("text", ["", "2", "0h", "h", "2d", "1.5h", "-1h", "5m2h"])
def test_what_is_not_a_duration_is_refused(text):
    with pytest.raises(argparse.ArgumentTypeError, match="use 2h, 90m, 1h30m or 45s"):
        parse_duration(text)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.4, "0s"), (59.6, "1m"), (125, "2m5s"), (3600, "1h"), (5430, "1h30m"), (7199, "2h"), (3599.7, "1h")],
)
def test_a_duration_is_shown_with_two_units(seconds, text):
    assert duration_text(seconds) == text


def test_the_rest_is_the_median_of_each_case_and_of_all_for_a_new_case():
    time = RemainingTime()
    assert time.expected(["a"]) is None
    for case, seconds in (("a", 10), ("a", 30), ("a", 11), ("b", 100)):
        time.add(case, seconds)
    # a: median of 10, 11, 30; b: 100; new: median of 10, 11, 30, 100
    assert time.expected(["a", "b", "b", "new"]) == 11 + 100 + 100 + 20.5
    assert time.prefix(["a"]) == ""
    assert time.prefix(["a", "b"]) == ", about 1m51s left"


@pytest.mark.parametrize(
    ("now", "reason"),
    [
        (0, ""),
        (90, ""),
        (91, "9s of the budget of 1m40s are left, and a run takes about 10s"),
        (100, "the budget of 1m40s is used up"),
    ],
)
def test_no_run_begins_that_would_end_after_the_budget(now, reason):
    clock = Now()
    time = RemainingTime(100, clock)
    time.add("a", 10)
    clock.seconds = now
    assert time.over_budget("a") == reason
    assert RemainingTime(None, clock).over_budget("a") == ""


def test_without_a_duration_the_first_run_begins():
    assert RemainingTime(1, Now()).over_budget("a") == ""


@pytest.mark.slow
def test_a_campaign_stops_at_its_budget_and_continues(tmp_path, capsys, monkeypatch):
    times = iter([0.0, 0.0, 9.9])  # s when the budget begins, before the first run, and after it
    monkeypatch.setattr(launch, "RemainingTime", lambda budget: RemainingTime(budget, lambda: next(times)))
    sleep = ["--", sys.executable, "-S", "-c", "import time; time.sleep(0.2)"]
    line = ["run", "--logs", str(tmp_path / "logs"), "--telemetry-interval", "0", "--repeats", "3"]
    assert main([*line, "--budget", "10s", *sleep]) == 0
    err = capsys.readouterr().err
    assert re.search(
        "0s of the budget of 10s are left, and a run takes about [0-9]+s; runs left: 2; the same", err
    )
    monkeypatch.undo()
    assert len(list(tmp_path.glob("logs/*/r*"))) == 1
    assert main([*line, *sleep]) == 0
    assert len(list(tmp_path.glob("logs/*/r*"))) == 3


def test_a_dry_run_prints_the_plan_without_secrets_and_runs_nothing(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "4")
    monkeypatch.setenv("API_TOKEN", "hidden")
    logs = tmp_path / "logs"
    line = ["run", "--logs", str(logs), "--case", "b=1", "--case", "b=2", "--repeats", "2", "--dry-run"]
    options = ["--timing", "host", "--lock-clocks", "1410"]
    assert main([*line, *options, "--", "train", "--b={b}", "--api-key", "secret"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"{logs}: 4 runs of 2 cases, order: interleaved"
    assert lines[1] == "b=1,locked_clock_mhz=1410: 2 runs of: train --b=1 --api-key [removed]"
    assert lines[3] == f"   1  {logs}/b=1,locked_clock_mhz=1410"
    assert lines[4] == f"   2  {logs}/b=2,locked_clock_mhz=1410"
    assert "OMP_NUM_THREADS=4" in lines[7]
    assert "REPORTGEN_TIMING=host" in lines[7]
    assert lines[8:] == ["telemetry: every 0.1 s", "locked_clock_mhz=1410, until the end"]
    assert "hidden" not in "".join(lines)
    assert not logs.exists()
