"""`reportgen compare`: two folders, two parts of one folder, two commits."""

import json
from pathlib import Path

import pytest

from tests.builders import write_files
from tests.cli.calling import call, error_of
from tests.diff.study import BASE, MINUTE, PROTOCOL, START, runs
from tests.git_repository import ScratchRepository

IN_TURNS = [START + (position + 0.5) * MINUTE for position in range(7)]
SLOWER = [value * 1.05 for value in BASE]


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two campaigns of two models; in April, model a is 5 % slower."""
    april = {
        **runs("a", SLOWER, folder="april", starts=IN_TURNS),
        **runs("b", BASE, folder="april", starts=IN_TURNS),
    }
    write_files(tmp_path, {**runs("a", BASE), **runs("b", BASE), **april})
    monkeypatch.chdir(tmp_path)
    return tmp_path


def compare(*arguments: str) -> str:
    out, _ = call("compare", *arguments, "--protocol", PROTOCOL)
    return out


def test_two_folders(root: Path) -> None:
    lines = compare("logs/march", "logs/april").splitlines()
    assert lines[:2] == ["1 slower, 1 same", "A: logs/march -> B: logs/april"]
    assert any("4.8 % slower (4.8 % to 4.8 %; 5.0 % more time)" in line for line in lines)


def test_two_parts_of_one_folder(root: Path) -> None:
    out = compare("logs/march", "--a", "model=a", "--b", "model=b", "--format", "json")
    content = json.loads(out)
    assert (content["old"]["name"], content["new"]["name"]) == ("A: logs/march (a)", "B: logs/march (b)")
    (row,) = content["diff"]["rows"]
    assert row["verdict"]["kind"] == "slower"


def test_where_holds_for_both_sides(root: Path) -> None:
    assert compare("logs/march", "logs/april", "--where", "model=b").startswith("1 same\n")


def test_two_commits(root: Path) -> None:
    repository = ScratchRepository(root)
    repository.commit({"logs/labels.toml": '[constants]\nsite = "here"\n'})
    (root / "logs/april").rename(root / "moved")
    write_files(root, runs("a", SLOWER, starts=IN_TURNS))
    repository.commit()
    out = compare("logs@HEAD~1", "logs", "--format", "markdown", "--a", "model=b", "--b", "model=b")
    assert "A: logs@&#8203;HEAD\\~1 (b) → B: logs (b)" in out
    lines = compare("logs/march@HEAD~1", "logs/march@main").splitlines()
    assert lines[0] == "1 slower, 1 undecided"
    assert "all runs of the second side are on the first, too" in "".join(lines)
    assert error_of("compare", "logs/nothing@main", "logs") == (
        "logs/nothing@main: no such file or folder at this commit; check the path"
    )
    assert error_of("compare", "logs@nothing", "logs").startswith(
        "nothing: is not a commit of this repository"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["logs"], "compare: nothing to compare A with; name B, or two parts of A by --a and --b"),
        (["logs/nothing", "logs"], "logs/nothing: no such file or folder"),
        (["logs", "--a", "model=c"], 'logs: no run has model = "c"; known: a, b'),
        (["logs", "--a", "model"], '--a: "model" is not factor=value; write it as --a devices=8'),
        (
            ["logs/march", "logs/april", "--metric", "power"],
            'compare.metric: no run has metric "power" (28 runs); ',
        ),
    ],
)
def test_requests_that_cannot_be_fulfilled(root: Path, arguments: list[str], message: str) -> None:
    assert error_of("compare", *arguments).startswith(message)


def test_the_metric_that_was_chosen_is_named(root: Path) -> None:
    said = "compared: step_time (step); choose another by --metric and --phase\n"
    assert call("compare", "logs/march", "logs/march", "--protocol", PROTOCOL)[1].endswith(said)


def test_sets_without_a_common_case_name_the_factor_between_them(root: Path) -> None:
    write_files(root, runs("c", BASE, folder="other"))
    error = error_of("compare", "logs/march", "logs/other", "--protocol", PROTOCOL)
    assert error == (
        "compare: no case of B has the factors of one case of A; no value of model is in both; "
        "see reportgen runs, and leave factors out with --ignore model"
    )
