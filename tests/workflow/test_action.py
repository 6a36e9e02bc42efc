"""The steps of action.yml in a scratch repository with real commits, against a stand-in for GitHub."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.diff.study import BASE, MINUTE, START, Study, definition, runs
from tests.workflow.github import ACTION, BOT, ROOT, FakeGitHub, run_action, running

pytestmark = pytest.mark.slow

MARKER = "<!-- reportgen diff -->"
CLOSED = "http://127.0.0.1:9"  # no server listens there


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """A branch on which model a is 5 % slower, measured in turns with the old runs, and its origin."""
    study = Study(tmp_path_factory.mktemp("study") / "repo")
    study.commit({"reports/study.toml": definition(), **runs("a", BASE)})
    study.git.git("branch", "origin-main")
    study.branch()
    starts = [START + (position + 0.5) * MINUTE for position in range(7)]
    slower = runs("a", [value * 1.05 for value in BASE], folder="april", starts=starts)
    study.commit({"reports/study.toml": definition(logs=["april"]), **slower})
    return study


@pytest.fixture
def checkout(study: Study, tmp_path: Path) -> Path:
    """A copy as actions/checkout leaves it: a clone with the branches of the origin."""
    checkout = tmp_path / "checkout"
    study.git.git("clone", "--quiet", str(study.root), str(checkout))
    return checkout


@pytest.fixture(scope="module")
def results(study: Study, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The output of the steps Check and Compare; tests of the comment alone differ in what the server answers."""
    folder = tmp_path_factory.mktemp("results")
    study.git.git("clone", "--quiet", str(study.root), str(folder / "checkout"))
    run_action(folder / "checkout", folder / "job", FakeGitHub(url=CLOSED), pages="false", fail_on="")
    return folder / "job" / "temp" / "reportgen"


@pytest.fixture
def github() -> Iterator[FakeGitHub]:
    with running(FakeGitHub()) as github:
        yield github


def test_a_comment_is_created_and_the_summary_and_pages_are_written(
    checkout: Path, tmp_path: Path, github: FakeGitHub
) -> None:
    job = run_action(checkout, tmp_path / "job", github, fail_on="")
    assert (job.code, job.outputs) == (0, {"code": "0"}), job.log
    (comment,) = github.comments
    assert comment["body"].startswith(f"{MARKER}\n\n### Benchmarks: 1 slower\n")
    assert "4.8 % slower" in comment["body"]
    assert job.summary == comment["body"]
    assert "comment created" in job.log
    assert (job.pages / "study" / "index.html").is_file()


def test_the_comment_is_renewed_and_those_of_others_are_left_alone(
    checkout: Path, tmp_path: Path, github: FakeGitHub
) -> None:
    stranger = github.add(f"{MARKER}\nmine", login="mallory")
    github.add("Nice!", login="ada")
    run_action(checkout, tmp_path / "first", github)
    (checkout / "reports/study.toml").write_text(definition())
    (checkout / "logs/april/a/r1/steps.rank0.csv").unlink()
    job = run_action(checkout, tmp_path / "second", github)
    assert github.writes == ["POST", "PATCH"]
    ours = [each["body"] for each in github.comments if each["user"]["login"] == BOT]
    assert len(ours) == 1
    assert "not up to date" in ours[0]
    assert stranger["body"] == f"{MARKER}\nmine"
    assert "comment renewed" in job.log


def test_a_stale_report_fails_with_the_command_that_repairs_it(
    checkout: Path, tmp_path: Path, github: FakeGitHub
) -> None:
    (checkout / "reports/study/README.md").write_text("edited\n")
    job = run_action(checkout, tmp_path / "job", github)
    assert job.code == 3
    assert "run: reportgen build reports" in job.log
    (comment,) = github.comments
    assert comment["body"].startswith(f"{MARKER}\n\n**The reports are not up to date.**\n\n```text\n")
    assert "run: reportgen build reports" in comment["body"]
    assert "### Benchmarks: " in comment["body"]


@pytest.mark.parametrize(("status", "token"), [(403, "read-only"), (401, ""), (404, "")])
def test_a_fork_without_permission_has_the_summary_and_does_not_fail(
    tmp_path: Path, results: Path, github: FakeGitHub, status: int, token: str
) -> None:
    github.status = status
    job = run_action(tmp_path, tmp_path / "job", github, results=results, token=token, pages="false")
    assert job.code == 0, job.log
    assert github.comments == []
    assert "### Benchmarks: 1 slower" in job.summary
    assert "::notice::no permission to comment" in job.log
    assert not job.pages.exists()


def test_a_server_that_does_not_answer_is_a_warning(tmp_path: Path, results: Path) -> None:
    job = run_action(tmp_path, tmp_path / "job", FakeGitHub(url=CLOSED), results=results, pages="false")
    assert job.code == 0
    assert "::warning::no comment: " in job.log
    assert "### Benchmarks: 1 slower" in job.summary


def test_a_regression_fails(checkout: Path, tmp_path: Path, github: FakeGitHub) -> None:
    job = run_action(checkout, tmp_path / "job", github, pages="false")
    assert job.code == 5
    assert github.comments[0]["body"].startswith(f"{MARKER}\n\n**failed: 1 slower**\n\n### Benchmarks")
    milder = run_action(checkout, tmp_path / "again", github, threshold="9%", pages="false")
    assert milder.code == 0


def test_a_push_is_checked_and_not_compared(checkout: Path, tmp_path: Path, github: FakeGitHub) -> None:
    job = run_action(checkout, tmp_path / "job", github, pull_request=False, pages="false")
    assert (job.code, github.writes, job.summary) == (0, [], f"{MARKER}\n\nThe reports are up to date.\n")


def test_a_comparison_that_fails_says_why(checkout: Path, tmp_path: Path, github: FakeGitHub) -> None:
    job = run_action(checkout, tmp_path / "job", github, base="nothing", pages="false")
    assert job.code == 1
    assert "**The comparison failed** (exit code 1)." in job.summary
    assert "nothing: is not a commit of this repository" in job.summary


def test_output_that_quotes_logs_is_not_a_command_to_the_runner(
    checkout: Path, tmp_path: Path, github: FakeGitHub
) -> None:
    (checkout / "reports/study.toml").write_text(definition() + '"::set-env name=PATH::x ```" = 1\n')
    job = run_action(checkout, tmp_path / "job", github, pages="false")
    assert job.code == 1
    token = re.search(r"^::stop-commands::(\w+)$", job.log, re.MULTILINE)
    assert token
    start, end = job.log.index(token[0]), job.log.index(f"::{token[1]}::\n")
    assert start < job.log.index("set-env") < end


def test_the_own_comment_is_found_behind_hundreds_of_others(
    tmp_path: Path, results: Path, github: FakeGitHub
) -> None:
    for number in range(150):
        github.add(f"comment {number}", login="ada")
    ours = github.add(f"{MARKER}\nold")
    run_action(tmp_path, tmp_path / "job", github, results=results, pages="false")
    assert github.writes == ["PATCH"]
    assert "1 slower" in ours["body"]


def step(name: str) -> dict[str, Any]:
    (found,) = [each for each in ACTION["runs"]["steps"] if each.get("name") == name]
    return found


def test_inputs_reach_scripts_as_variables_only() -> None:
    """An expression in the text of a script would let its value be a command."""
    for step in ACTION["runs"]["steps"]:
        assert "${{" not in step.get("run", ""), step["name"]
        assert step.get("shell") == "bash" or "uses" in step


def test_the_action_installs_the_version_of_the_action() -> None:
    install = step("Install")
    assert install["run"].startswith("python -I -m pip install ")
    assert install["run"].endswith('"$ACTION_PATH"')


def test_every_step_is_pinned_by_commit() -> None:
    used = [each["uses"] for each in ACTION["runs"]["steps"] if "uses" in each]
    assert used
    assert [name for name in used if not re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", name)] == []


def test_the_pre_commit_hook_is_a_command_that_passes_here() -> None:
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    assert (hook["entry"], hook["args"], hook["pass_filenames"]) == ("reportgen check", ["reports"], False)
    assert re.search(hook["files"], "logs/a/run.json")
    assert re.search(hook["files"], "reports/study.toml")
    assert not re.search(hook["files"], "src/main.py")
