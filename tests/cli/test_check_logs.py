"""`reportgen check` against the merge base: committed logs are only added."""

import os
from pathlib import Path

import pytest

from tests.cli.calling import call
from tests.diff.study import BASE, Study, definition, runs
from tests.git_repository import ScratchRepository, leave_ci

pytestmark = pytest.mark.slow

PUBLISHED = "model,rate\na,100\nb,200\n"
SOURCE = (
    'title = "T"\nurl = "https://example.org"\ndate = "2024"\ntables = ["t.csv"]\n[factors]\nmodel = "model"\n'
    '[[metrics]]\ncolumn = "rate"\nmetric = "throughput"\nunit = "images/s"\n'
)


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Study:
    """A branch that begins at a commit with logs and reports."""
    study = Study(tmp_path / "repo")
    published = (
        definition(logs=["published"]).replace("step_time", "throughput").replace('"times"', '"rates"')
    )
    study.commit(
        {
            "reports/study.toml": definition(),
            "reports/published.toml": published,
            "logs/published/t.csv": PUBLISHED,
            "logs/published/source.toml": SOURCE,
            **runs("a", BASE),
        }
    )
    study.branch()
    monkeypatch.chdir(study.root)
    leave_ci(monkeypatch)
    return study


def test_edited_and_deleted_logs_are_named_with_the_remedy(study: Study) -> None:
    base = study.git.git("rev-parse", "HEAD")
    study.remove("logs/march/a/r3")
    study.commit({"logs/published/t.csv": PUBLISHED.replace("100", "101")}, "edit")
    out, err = call("check", code=3)
    assert out.splitlines() == [
        "deleted   logs/march/a/r3/environment.node0.json",
        "deleted   logs/march/a/r3/run.json",
        "deleted   logs/march/a/r3/steps.rank0.csv",
        "edited    logs/published/t.csv",
    ]
    assert f"4 committed log files edited or deleted since {base[:10]} (main)" in err
    assert f"git checkout {base[:10]} -- PATH" in err
    out, err = call("check", "--allow-log-edits")
    assert out.startswith("deleted   logs/march/a/r3/")
    assert err.endswith("up to date\n")


def test_an_edit_that_is_not_committed_yet_is_found_too(study: Study) -> None:
    study.write({"logs/published/t.csv": PUBLISHED.replace("100", "101")})
    out, _ = call("check", code=3)
    assert "edited    logs/published/t.csv" in out.splitlines()


def test_logs_that_grow_move_or_are_described_better_are_not_edited(study: Study) -> None:
    (study.root / "logs/march/a").rename(study.root / "logs/march/moved")
    study.commit(
        {
            "logs/published/t.csv": PUBLISHED + "c,300\n",
            "logs/published/source.toml": SOURCE.replace('"T"', '"Table"'),
            "logs/march/labels.toml": "",
            **runs("b", BASE),
        }
    )
    out, err = call("check")
    assert (out, err.splitlines()[-1]) == ("", "up to date")


def test_logs_that_a_definition_no_longer_names_are_not_deleted(study: Study) -> None:
    study.commit({"reports/study.toml": definition(logs=["april"]), **runs("a", BASE, folder="april")})
    out, _ = call("check")
    assert out == ""


def test_without_history_nothing_is_compared(
    study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study.commit({"logs/published/t.csv": PUBLISHED.replace("100", "101")})
    clone = ScratchRepository(tmp_path / "clone")
    clone.git("remote", "add", "origin", f"file://{study.root}")
    clone.git("fetch", "--quiet", "--depth=1", "origin", "main", "work")
    clone.git("checkout", "--quiet", "-b", "work", "origin/work")
    monkeypatch.chdir(clone.root)
    out, err = call("check")
    assert (out, err.splitlines()[-1]) == ("", "up to date")
    (clone.root / ".git").rename(tmp_path / "no-repository")
    call("check")


def test_without_git_nothing_is_compared(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    study.commit({"logs/published/t.csv": PUBLISHED.replace("100", "101")})
    call("check", code=3)
    monkeypatch.setenv("PATH", os.devnull)
    call("check")
