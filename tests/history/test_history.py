"""`reportgen history`: points are new measurements, change points have a cause, and a moved baseline is named."""

import csv
import io
import json
import random
import re
from pathlib import Path

import pytest

from reportgen.core.change_points import ChangePointRule
from reportgen.history.cells import cell_histories
from reportgen.history.commits import ReportState, read_states
from reportgen.history.measured import read_measured
from reportgen.history.points import CellHistory, with_all_changes, with_changes
from tests.cli.calling import call, error_of
from tests.history.stored_study import Measured, StoredStudy, report_json, spread

RULE = ChangePointRule()


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> StoredStudy:
    study = StoredStudy(tmp_path / "repo")
    monkeypatch.chdir(study.root)
    return study


def histories(study: StoredStudy, quantity: str = "value") -> dict[object, CellHistory]:
    """Return the histories of the rows by model."""
    states = read_states(study.root / "reports" / "study")
    found = cell_histories(states, "times", {}, {})
    return {each.row["model"]: with_changes(each, RULE) for each in found if each.quantity == quantity}


def notes_of(root: Path) -> str:
    states = read_states(root / "reports" / "study")
    assert list(states)
    return " ".join(states.notes())


@pytest.fixture(scope="module")
def long_study(tmp_path_factory: pytest.TempPathFactory) -> tuple[StoredStudy, list[str]]:
    """Thirty commits: model a gets 4 % slower at the 12th and drifts by 5 % from the 18th, b only has noise."""
    study = StoredStudy(tmp_path_factory.mktemp("long") / "repo")
    generator = random.Random(1)
    commits = []
    for day in range(30):
        a = 0.1 * (1.04 if day >= 12 else 1) * (1 + 0.05 * max(0, day - 18) / 11)
        driver = "550" if day < 12 else "560"
        cases = [
            Measured("a", spread(a, generator, 0.003), driver=driver),
            Measured("b", spread(0.2, generator, 0.003)),
        ]
        commits.append(study.commit(*cases, digest=str(day), message=f"day {day}"))
    return study, commits


def test_processes_find_the_same_changes(
    long_study: tuple[StoredStudy, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    study, _ = long_study
    found = cell_histories(read_states(study.root / "reports" / "study"), "times", {}, {})
    here = with_all_changes(found, RULE)
    monkeypatch.setattr("reportgen.history.points._POOL_POINTS", 0)
    assert with_all_changes(found, RULE) == here
    assert any(history.changes for history in here)


def test_a_step_and_a_slow_drift_are_found_and_nothing_else(
    long_study: tuple[StoredStudy, list[str]],
) -> None:
    study, commits = long_study
    found = histories(study)
    assert [len(found[model].points) for model in "ab"] == [30, 30]
    step, drift = found["a"].changes
    assert (step.point.kind, step.point.first) == ("step", 12)
    assert step.text.startswith(f"step at {commits[12]}: ")
    assert step.text.partition(": ")[2].startswith(("3.8 % slower", "3.9 % slower", "3.7 % slower"))
    assert step.cause == "driver 550 -> 560"
    assert (drift.point.kind, drift.text[:10]) == ("drift", "drift from")
    assert found["b"].changes == ()


def test_the_text_shows_a_curve_with_marks_and_all_points(
    long_study: tuple[StoredStudy, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    study, commits = long_study
    monkeypatch.chdir(study.root)
    out, err = call("history", "study/times", "--row", "model=a")
    lines = out.splitlines()
    assert lines[0].startswith("study/times a: 30 points, ")
    assert lines[1].startswith("  ▁")
    assert lines[2][14] == "^"
    assert set(lines[2]) == set(" ^~")
    assert f"  step at {commits[12]}: " in lines[3]
    row = next(line for line in lines if line.startswith(commits[12]))
    assert "driver 550 -> 560" in row
    assert "STEP 3." in row
    assert "2024-03-13" in row
    assert err == ""


def test_json_csv_and_markdown_have_every_point(
    long_study: tuple[StoredStudy, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    study, commits = long_study
    monkeypatch.chdir(study.root)
    document = json.loads(call("history", "study/times", "--format", "json")[0])
    assert document["rule"]["significance"] == RULE.significance
    assert [cell["row"]["model"] for cell in document["cells"]] == ["a", "b"]
    assert [change["kind"] for change in document["cells"][0]["changes"]] == ["step", "drift"]
    rows = list(csv.DictReader(io.StringIO(call("history", "study/times", "--format", "csv")[0])))
    assert [row["point"] for row in rows] == commits * 2
    assert float(rows[0]["value"]) == pytest.approx(0.1, rel=0.02)
    markdown = call("history", "study/times", "--row", "model=a", "--format", "markdown")[0]
    assert markdown.startswith("### study/times a: 30 points")
    assert sum(line.startswith("| ") for line in markdown.splitlines()) == 32
    assert f"| {commits[12]} | 2024-03-13 |" in markdown


def test_a_commit_that_measures_nothing_new_gives_no_point(study: StoredStudy) -> None:
    first = study.commit(Measured("a", [0.1]), Measured("b", [0.2]), digest="1")
    changed = study.commit(Measured("a", [0.1]), Measured("b", [0.3], folder="q"), digest="1")
    found = histories(study)
    assert [point.label for point in found["a"].points] == [first]
    assert [point.label for point in found["b"].points] == [first, changed]


def test_renamed_logs_are_not_a_new_measurement(study: StoredStudy) -> None:
    first = study.commit(Measured("a", [0.1, 0.11]), digest="1")
    study.commit(Measured("a", [0.1, 0.11], folder="moved"), digest="1")
    assert [point.label for point in histories(study)["a"].points] == [first]


def test_a_point_has_only_the_runs_that_its_commit_adds(study: StoredStudy) -> None:
    """The median of all five runs hides that the new ones are slower."""
    study.commit(Measured("a", [0.1, 0.1, 0.1]), digest="1")
    study.commit(Measured("a", [0.1, 0.1, 0.1, 0.2, 0.22]), digest="1")
    points = histories(study)["a"].points
    assert [(point.value, point.repeats) for point in points] == [(0.1, 3), (pytest.approx(0.21), 2)]
    assert (points[1].low, points[1].high) == (0.2, 0.22)


def test_another_protocol_on_the_same_logs_is_an_event(study: StoredStudy) -> None:
    study.commit(Measured("a", [0.1]), digest="1")
    study.commit(Measured("a", [0.12], protocol="50+100x7"), digest="1")
    assert histories(study)["a"].points[1].events == (
        "the same logs, computed anew",
        "protocol 20+100x7 -> 50+100x7",
    )


def test_new_findings_and_versions_are_events_of_their_point(study: StoredStudy) -> None:
    study.commit(Measured("a", [0.1]), digest="1")
    study.commit(Measured("a", [0.1], driver="560", rules=["telemetry.throttled"]), digest="2")
    study.commit(Measured("a", [0.1], driver="560", rules=["telemetry.throttled"]), digest="3")
    events = [point.events for point in histories(study)["a"].points]
    assert events == [(), ("driver 550 -> 560", "warning telemetry.throttled"), ()]


def test_a_point_names_its_edited_logs(study: StoredStudy) -> None:
    study.commit(Measured("a", [0.1, 0.1]), digest="1")
    study.commit(Measured("a", [0.2, 0.2]), digest="1 edited")
    study.commit(Measured("a", [0.3, 0.3]), digest="2")
    events = [point.events for point in histories(study)["a"].points]
    assert events == [(), ("log edited (same start time): logs/a/r1.csv, logs/a/r2.csv",), ()]


@pytest.mark.parametrize("edited", [1, 2])
def test_a_new_log_of_either_of_two_equal_runs_is_a_point(edited: int) -> None:
    """Equal runs are one measurement, but each of their logs counts."""
    content = json.loads(report_json(Measured("a", [0.1, 0.1]), digest="1"))
    files = ["logs/a/r1.csv", "logs/a/r2.csv"]
    states = []
    for day, digests in enumerate([["same", "same"], ["same", "new"] if edited == 2 else ["new", "same"]]):
        content["sources"] = dict(zip(files, digests, strict=True))
        report = read_measured(json.dumps(content).encode(), "report.json")
        states.append(ReportState(f"c{day}", "", "", f"c{day}", report))
    (found,) = cell_histories(states, "times", {}, {})
    assert [point.label for point in found.points] == ["c0", "c1"]


def test_a_log_without_start_time_was_edited_or_replaced(study: StoredStudy) -> None:
    study.commit(Measured("a", [0.1] * 5, has_start=False), digest="1")
    study.commit(Measured("a", [0.2] * 5, has_start=False), digest="2")
    named = "logs/a/r1.csv, logs/a/r2.csv, logs/a/r3.csv and 2 more"
    assert histories(study)["a"].points[1].events == (f"log edited or replaced: {named}",)


def test_a_deleted_number_has_a_history_with_its_end(study: StoredStudy) -> None:
    study.commit(Measured("a", [0.1]), Measured("b", [0.2]), digest="1")
    deleted = study.commit(Measured("b", [0.2]), digest="1")
    study.commit(Measured("b", [0.3]), digest="2")
    out, _ = call("history", "study/times", "--row", "model=a")
    assert out.splitlines()[:2] == [
        "study/times a: 1 point, 100.0 -> 100.0 ms",
        f"  no number since {deleted}: the table has no such cell",
    ]
    ends = [
        (cell["row"], cell["end"])
        for cell in json.loads(call("history", "study/times", "--format", "json")[0])["cells"]
    ]
    assert ends == [
        ({"model": "b"}, ""),
        ({"model": "a"}, f"no number since {deleted}: the table has no such cell"),
    ]


def test_a_history_names_the_deleted_table_and_the_text_in_place_of_a_number(study: StoredStudy) -> None:
    study.commit(Measured("a", [0.1]), digest="1")
    content = json.loads((study.root / "reports/study/report.json").read_bytes())
    ((cell,),) = content["tables"][0]["cells"]
    cell |= {"kind": "status", "value": None, "text": "failed"}
    failed = study.git.commit({"reports/study/report.json": json.dumps(content)})[:8]
    assert histories(study)["a"].end == f'no number since {failed}: the cell shows "failed"'
    study.commit(Measured("a", [0.1]), digest="2")
    content["tables"] = []
    gone = study.git.commit({"reports/study/report.json": json.dumps(content)})[:8]
    found = histories(study)["a"]
    assert (len(found.points), found.end) == (2, f"no number since {gone}: the report has no such table")


def test_a_ratio_that_moved_with_its_baseline_says_so(study: StoredStudy) -> None:
    generator = random.Random(2)
    for day in range(16):
        base = spread(0.1 if day < 8 else 0.09, generator, 0.002)
        own = spread(0.2, generator, 0.002)
        cases = [Measured("base", base), Measured("a", own, compared_with="base")]
        study.commit(*cases, digest=str(day))
    ratio = histories(study, "ratio")["a"]
    (step,) = ratio.changes
    assert step.point.first == 8
    assert step.cause.startswith("the baseline moved (-10.")
    assert "the case did not" in step.cause
    (event,) = ratio.points[8].events
    assert re.fullmatch(r"baseline (99|100)\.\d+ -> (89|90)\.\d+ ms \(-(9|10)\.\d %\)", event)


def test_an_uncommitted_report_is_the_last_point(study: StoredStudy) -> None:
    study.commit(Measured("a", [0.1]), digest="1")
    committed = (study.root / "reports/study/report.json").read_bytes()
    study.commit(Measured("a", [0.2]), digest="2")
    study.git.git("reset", "--quiet", "--soft", "HEAD~1")
    assert [point.label for point in histories(study)["a"].points][1:] == ["now"]
    (study.root / "reports/study/report.json").write_bytes(committed)
    assert len(histories(study)["a"].points) == 1


def test_few_points_have_a_note_instead_of_change_points(study: StoredStudy) -> None:
    study.commit(Measured("a", [0.1]), digest="1")
    assert histories(study)["a"].note == "too few points for change points: 1 of 7"
    out, _ = call("history", "study/times")
    assert out.splitlines()[:2] == [
        "study/times a: 1 point, 100.0 -> 100.0 ms",
        "  too few points for change points: 1 of 7",
    ]


def test_many_cells_are_a_line_each(study: StoredStudy) -> None:
    study.commit(*(Measured(name, [0.1]) for name in "abcd"), digest="1")
    out, err = call("history", "study/times")
    assert out.splitlines() == [f"study/times {name}: 1 point, 100.0 -> 100.0 ms" for name in "abcd"]
    assert err == "--row and --column choose cells; up to 3 are printed with all points\n"


def test_reports_of_other_versions_and_shallow_clones_are_noted(study: StoredStudy, tmp_path: Path) -> None:
    study.git.commit({"reports/study/report.json": '{"version": 1, "name": "study"}'})
    study.commit(Measured("a", [0.1]), digest="1")
    assert "1 commit has a report.json of another version" in notes_of(study.root)
    clone = tmp_path / "clone"
    study.git.git("clone", "--quiet", "--depth", "1", f"file://{study.root}", str(clone))
    assert "git fetch --unshallow" in notes_of(clone)


def test_wrong_names_are_errors_with_the_closest_name(study: StoredStudy) -> None:
    study.commit(Measured("a", [0.1]), digest="1")
    assert error_of("history", "study/time") == 'study/time: no such table; did you mean "times"?'
    assert error_of("history", "studi/times").endswith('did you mean "study"?')
    assert error_of("history", "study/times", "--row", "model=z") == 'row: no row has model = "z"; known: a'
    assert error_of("history", "study/times", "--row", "model").startswith('--row: "model" is not')
