"""history.js: the history of the numbers of a page, from committed documents alone."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from reportgen import publish
from reportgen.history import page_file
from reportgen.history.page_file import ReportVersions
from reportgen.pipeline import Request, build
from reportgen.render.outputs import NO_HISTORY
from tests.git_repository import ScratchRepository
from tests.history.stored_study import Measured, StoredStudy
from tests.repository import CSV, write_charts_library, write_repository


@pytest.fixture
def study(tmp_path: Path) -> StoredStudy:
    return StoredStudy(tmp_path / "repo")


def history_js(root: Path) -> bytes:
    report = root / "reports" / "study" / "report.json"
    return ReportVersions(root / "reports", ["study"]).history_js("study", report.read_bytes())


def cases(script: bytes) -> dict[str, list[list[Any]]]:
    return json.loads(script.removeprefix(b"globalThis.reportgenHistory = ").removesuffix(b";\n"))


def commit_days(study: StoredStudy, values: Sequence[float]) -> None:
    for day, value in enumerate(values):
        a = Measured("a", [value], compared_with="b", driver="550" if day == 0 else "560")
        study.commit(a, Measured("b", [0.2]), digest=str(day))


def test_a_case_has_its_value_and_its_ratio_at_each_commit(study: StoredStudy) -> None:
    commit_days(study, [0.1, 0.125])
    found = cases(history_js(study.root))
    assert list(found) == ["a"]  # b never changed
    value, ratio = found["a"]
    assert value[:4] == ["value", "value", "times", [[100], [125]]]
    assert [row[2] for row in value[4]] == ["100.0 ms", "125.0 ms"]
    assert [row[5] for row in value[4]] == ["", "driver 550 -> 560"]
    assert ratio[:4] == ["ratio", "ratio", "times", [[0.5], [0.625]]]
    assert value[6] == "too few points for change points: 2 of 7"


def test_a_number_that_never_changed_has_no_history(study: StoredStudy) -> None:
    commit_days(study, [0.1, 0.1])
    assert history_js(study.root) == NO_HISTORY


def test_what_is_not_committed_is_the_last_point(study: StoredStudy) -> None:
    commit_days(study, [0.1, 0.125])
    study.git.git("reset", "--quiet", "--soft", "HEAD~1")
    assert [row[0] for row in cases(history_js(study.root))["a"][0][4]][1:] == ["now"]


def test_only_the_last_commits_are_read(study: StoredStudy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_file, "MAX_VERSIONS", 3)
    commit_days(study, [0.1, 0.11, 0.12, 0.13])
    assert cases(history_js(study.root))["a"][0][3] == [[110], [120], [130]]


def test_without_old_commits_there_is_no_history(study: StoredStudy, tmp_path: Path) -> None:
    commit_days(study, [0.1, 0.125])
    study.git.git("clone", "--quiet", "--depth", "1", f"file://{study.root}", str(tmp_path / "clone"))
    assert history_js(tmp_path / "clone") == NO_HISTORY
    (tmp_path / "no repository" / "reports").mkdir(parents=True)
    assert (
        ReportVersions(tmp_path / "no repository" / "reports", ["study"]).history_js("study", b"")
        == NO_HISTORY
    )


def test_a_build_writes_it_and_a_check_does_not_ask_for_it(tmp_path: Path) -> None:
    root = write_repository(tmp_path / "repo")
    write_charts_library(root)
    scratch = ScratchRepository(root)
    request = Request(root, root / "reports")
    publish.apply(build(request, cache=True).files, root / "reports")
    scratch.commit(message="first")
    committed = build(request, committed_only=True).files
    scratch.commit({"logs/rates/rates.csv": CSV.replace("760", "700")}, "slower")
    files = build(request, cache=True).files
    ((value, *_),) = cases(files["frameworks/history.js"]).values()
    assert [row[2] for row in value[4]] == ["760.0 images/s", "700.0 images/s"]
    publish.apply(files, root / "reports")
    assert build(request, cache=True).files["frameworks/history.js"] == files["frameworks/history.js"]
    assert "frameworks/history.js" not in committed
    alone = build(Request(root, root / "reports", out=tmp_path / "mail", standalone=True)).files
    assert "frameworks/history.js" not in alone
    assert b"globalThis.reportgenHistory = {" in alone["frameworks/index.html"]
    assert b"700.0 images/s" in alone["frameworks/index.html"]
    other = build(Request(root, root / "reports", logs=root / "logs", out=tmp_path / "other")).files
    assert other["frameworks/history.js"] == NO_HISTORY
