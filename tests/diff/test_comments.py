"""The comment on a pull request for each kind of change, as a reviewer sees it: real commits, golden comments."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from reportgen.baseline import diff_reports
from reportgen.diff.markdown import comment
from tests.diff.study import BASE, MINUTE, START, Study, definition, runs
from tests.git_repository import ScratchRepository

pytestmark = pytest.mark.slow

GOLDEN = Path(__file__).parent / "golden"

# 5 % more and 0 % more, with another noise of 1 %.
NOISE = (0.1003, 0.0997, 0.1001, 0.0996, 0.1005, 0.0999, 0.1002)
SLOWER = tuple(round(value * 1.05, 6) for value in NOISE)
# In turns with the old runs, each after one of them; and an hour after all of them.
IN_TURNS = [START + (position + 0.5) * MINUTE for position in range(7)]
LATER = [START + 3600 + position * MINUTE for position in range(7)]

APRIL = definition(logs=["april"])


@pytest.fixture
def study(tmp_path: Path) -> Study:
    """A study of two models on main, measured in March, and a branch of it."""
    study = Study(tmp_path / "repo")
    study.commit({"reports/study.toml": definition(), **runs("a", BASE), **runs("b", BASE)}, "study")
    study.branch()
    return study


def april(values: tuple[float, ...], starts: list[float], driver: str = "550.54") -> dict[str, str]:
    """Return the logs of April, in which model a has other values, and a definition that reads only them."""
    others = [start + 1 for start in starts]
    return {
        "reports/study.toml": APRIL,
        **runs("a", values, folder="april", starts=starts, driver=driver),
        **runs("b", NOISE, folder="april", starts=others, driver=driver),
    }


def regression_in_turns(study: Study) -> None:
    study.commit(april(SLOWER, IN_TURNS))


def regression_afterwards(study: Study) -> None:
    study.commit(april(SLOWER, LATER))


def noise_in_turns(study: Study) -> None:
    study.commit(april(NOISE, IN_TURNS))


def noise_afterwards(study: Study) -> None:
    study.commit(april(NOISE, LATER))


def new_driver(study: Study) -> None:
    study.commit(april(SLOWER, IN_TURNS, driver="570.00"))


def runs_added(study: Study) -> None:
    study.commit(runs("a", SLOWER, folder="march/more", starts=LATER))


def rerounded(study: Study) -> None:
    study.commit({"reports/study.toml": definition(table="digits = 3\n")})


def changed_protocol(study: Study) -> None:
    study.commit({"reports/study.toml": definition(protocol="2+3x5")})


def changed_definition(study: Study) -> None:
    study.commit({"reports/study.toml": definition(table='where = { model = ["a"] }\n')})


def edited_log(study: Study) -> None:
    study.commit(runs("a", [*BASE[:3], 0.09, *BASE[4:]]))


def measured_again_in_place(study: Study) -> None:
    study.commit(runs("a", SLOWER, starts=LATER))


def deleted_log(study: Study) -> None:
    study.remove("logs/march/a/r2")
    study.remove("logs/march/a/r6")
    study.commit()


def renamed_report(study: Study) -> None:
    study.git.git("mv", "reports/study.toml", "reports/steps.toml")
    study.commit(message="rename")


def new_and_gone(study: Study) -> None:
    study.commit(
        {"reports/study.toml": APRIL, **runs("b", BASE, folder="april"), **runs("c", BASE, folder="april")}
    )


def failed_runs(study: Study) -> None:
    study.commit(
        {
            "reports/study.toml": APRIL,
            **runs("a", BASE, folder="april", status="out_of_memory"),
            **runs("b", BASE, folder="april"),
        }
    )


def reports_not_built(study: Study) -> None:
    study.write(runs("a", SLOWER))


def rebased(study: Study) -> None:
    """The branch adds a model; main moves on in between, and the branch is put on top of it."""
    study.commit(runs("c", BASE), "add c")
    study.git.git("checkout", "--quiet", "main")
    study.commit(runs("a", SLOWER, folder="march/more", starts=LATER), "more of a")
    study.git.git("checkout", "--quiet", "work")
    study.git.git("rebase", "--quiet", "-X", "theirs", "main")
    study.commit(message="build")


def main_moved_on(study: Study) -> None:
    """As `rebased`, but not put on top: what main changed since is not a change of the branch."""
    study.commit(runs("c", BASE), "add c")
    study.git.git("checkout", "--quiet", "main")
    study.commit(runs("a", SLOWER, folder="march/more", starts=LATER), "more of a")
    study.git.git("checkout", "--quiet", "work")


def no_merge_base(study: Study) -> None:
    study.git.git("checkout", "--quiet", "--orphan", "other")
    study.commit(april(SLOWER, IN_TURNS))


def nothing(study: Study) -> None:
    study.commit({"README.md": "# Study\n"})


CASES: list[Callable[[Study], None]] = [
    regression_in_turns,
    regression_afterwards,
    noise_in_turns,
    noise_afterwards,
    new_driver,
    runs_added,
    rerounded,
    changed_protocol,
    changed_definition,
    edited_log,
    measured_again_in_place,
    deleted_log,
    renamed_report,
    new_and_gone,
    failed_runs,
    reports_not_built,
    rebased,
    main_moved_on,
    no_merge_base,
    nothing,
]


def check(name: str, root: Path, base: str = "") -> None:
    """Compare the comment with the accepted one; REPORTGEN_ACCEPT=1 accepts it.

    Hashes of commits contain the generated files, which may change for other reasons.
    """
    result = diff_reports(root / "reports", base, {})
    text = comment(result.diff, result.old, result.new)
    text = text.replace(result.old.commit[:10], "0ld0000000").replace(result.new.commit[:10], "new0000000")
    path = GOLDEN / f"{name}.md"
    if os.environ.get("REPORTGEN_ACCEPT"):
        path.write_text(text, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == text, f"read {path}, then accept with REPORTGEN_ACCEPT=1"


@pytest.mark.parametrize("change", CASES, ids=lambda change: change.__name__)
def test_the_comment_is_as_accepted(study: Study, change: Callable[[Study], None]) -> None:
    change(study)
    check(change.__name__, study.root)


def test_the_first_report_ever(tmp_path: Path) -> None:
    study = Study(tmp_path / "repo")
    study.git.commit({"README.md": "# Study\n"})
    study.branch()
    study.commit({"reports/study.toml": definition(), **runs("a", BASE)})
    check("first_report", study.root)


def test_a_shallow_clone(study: Study, tmp_path: Path) -> None:
    """Both tips are there, and the commits between them are not."""
    regression_in_turns(study)
    study.git.git("checkout", "--quiet", "main")
    study.commit(runs("c", BASE), "main moved on")
    clone = ScratchRepository(tmp_path / "clone")
    clone.git("remote", "add", "origin", f"file://{study.root}")
    clone.git("fetch", "--quiet", "--depth=1", "origin", "main", "work")
    clone.git("checkout", "--quiet", "-b", "work", "origin/work")
    check("shallow_clone", clone.root, "origin/main")


def test_every_golden_comment_has_a_test() -> None:
    names = {change.__name__ for change in CASES} | {"first_report", "shallow_clone"}
    assert {path.stem for path in GOLDEN.iterdir()} == names
