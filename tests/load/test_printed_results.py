"""Results that a measured command printed become parts of its run, with the factors of both."""

import json
from pathlib import Path
from typing import Any

import pytest

from reportgen.core.model import Run
from reportgen.load import load_runs
from reportgen.report.run_counts import whole_runs
from tests.formats.tables.fixtures_of_families import FOLDER

PRINTED = (FOLDER / "nccl_tests.log").read_text()


def loaded(root: Path, output: str, **about: Any) -> list[Run]:
    folder = root / "logs" / "link=nvlink" / "r1"
    folder.mkdir(parents=True)
    run = {"format": "reportgen-run", "version": 1, "status": "complete", "wall_time_ns": 5 * 10**9}
    run |= {"case": {"link": "nvlink"}, "repeat": 1, **about}
    (folder / "run.json").write_text(json.dumps(run))
    (folder / "stdout.log").write_text(output)
    return list(load_runs(["logs"], root=root).runs)


def test_the_wall_time_stays_with_the_run_and_each_result_has_its_own_factors(tmp_path: Path) -> None:
    whole, *parts = loaded(tmp_path, PRINTED)
    assert [(figure.metric, figure.value) for figure in whole.aggregates] == [("run_time", 5.0)]
    assert whole.factors == {"link": "nvlink"}
    assert {run.factors["link"] for run in parts} == {"nvlink"}
    sized = [run for run in parts if "message_size" in run.factors]  # the others are an average over sizes
    assert [(run.factors["message_size"], run.factors["in_place"]) for run in sized] == [
        (2**25, False), (2**25, True), (2**26, False), (2**26, True),
    ]  # fmt: skip
    assert [figure.value for run in sized for figure in run.aggregates if figure.metric == "bus_bandwidth"] == [
        13.08e9, 13.24e9, 13.08e9, 13.24e9,
    ]  # fmt: skip
    assert {figure.source.path for run in parts for figure in run.aggregates} == {
        "logs/link=nvlink/r1/stdout.log"
    }
    assert whole_runs([whole, *parts]) == [whole]


def test_a_run_that_failed_stays_failed(tmp_path: Path) -> None:
    assert {run.status for run in loaded(tmp_path, PRINTED, status="failed")} == {"failed"}


def test_wrong_results_fail_their_part(tmp_path: Path) -> None:
    wrong = PRINTED.replace("13.08      0", "13.08      7", 1)
    whole, *parts = loaded(tmp_path, wrong)
    assert (whole.status, {run.status for run in parts}) == ("complete", {"failed"})


def test_what_the_run_says_of_itself_wins(tmp_path: Path) -> None:
    _, *parts = loaded(tmp_path, PRINTED, case={"devices": 4})
    assert {run.factors["devices"] for run in parts} == {4}
    assert "devices is 4 in the run and 2 in its output: the run's own is used" in [
        finding.message for finding in parts[0].findings
    ]


@pytest.mark.parametrize("output", ["", "slept 0.2 s\n", "#   size count type time\n 1 2\n", "\0\xff{"])
def test_other_output_changes_nothing(tmp_path: Path, output: str) -> None:
    (run,) = loaded(tmp_path, output)
    assert run.part_of == 0
