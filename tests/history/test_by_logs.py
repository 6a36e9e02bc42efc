"""`reportgen history --by date|driver`: points from the logs, without commits."""

from pathlib import Path

import pytest

from tests.cli.calling import call, error_of
from tests.diff.study import BASE, START, Study, definition, runs

pytestmark = pytest.mark.slow

DAY = 86400.0


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Study:
    """Model a in seven runs on each of two days, 10 % slower on the second, with another driver."""
    study = Study(tmp_path / "repo")
    later = [START + DAY + position * 60 for position in range(7)]
    slower = [value * 1.1 for value in BASE]
    first = runs("a", BASE)
    second = runs("a", slower, folder="april", starts=later, driver="560.28")
    study.write({"reports/study.toml": definition(logs=["march", "april"]), **first, **second})
    monkeypatch.chdir(study.root)
    return study


def test_a_point_is_a_day_or_a_driver(study: Study) -> None:
    out, _ = call("history", "study/times", "--by", "date", "--format", "csv")
    points = [line.split(",") for line in out.splitlines()[1:]]
    assert [(point[2], point[4], point[8]) for point in points] == [
        ("2024-03-09", "0.1", "7"),
        ("2024-03-10", "0.11", "7"),
    ]
    assert points[1][9] == "driver.version 550.54 -> 560.28"
    out, _ = call("history", "study/times", "--by", "driver")
    assert out.splitlines()[0] == "study/times a: 2 points, 100.0 -> 110.0 ms"
    assert "driver.version" not in out


def test_what_no_log_says_is_an_error(study: Study) -> None:
    assert error_of("history", "study/times", "--by", "dirver") == (
        '--by: no log of study/times says "dirver"; name a factor, date, or a part of the environment such as driver'
    )
    assert (
        error_of("history", "study/time", "--by", "date")
        == 'study/time: no such table; did you mean "times"?'
    )
    assert error_of("history", "times", "--by", "date").startswith("times: is not REPORT/TABLE")
