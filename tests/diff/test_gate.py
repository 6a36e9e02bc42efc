"""The kinds of `--fail-on` that we print everywhere: what must not pass, and what must."""

import inspect
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from reportgen.autolayout import repository_files
from reportgen.baseline import diff_reports
from reportgen.cli import diff_command
from reportgen.diff.failures import KINDS, failures_of
from tests.cli.calling import call
from tests.diff.study import BASE, MINUTE, START, Study, definition, runs

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
GATE = ("slower", "not-comparable", "invalid", "edited", "gone", "protocol", "acceptance")
TURNS = [START + (position + 0.5) * MINUTE for position in range(7)]
MARCH = {**runs("a", BASE), **runs("b", BASE)}
SLOWER = tuple(value * 1.05 for value in BASE)


# Model a passes; model b, whose first step takes twice as long, fails.
RULE = 'all = [{ table = "times", against = 0.1, min_ratio = 0.9 }]'


def ruled(rule: str) -> str:
    return definition(table=f'[[acceptance]]\nid = "speed"\n{rule}\n')


@pytest.fixture(scope="module")
def main(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report of two models; on a branch, model a was measured again, 5 % slower."""
    study = Study(tmp_path_factory.mktemp("gate") / "repo")
    study.commit({"reports/study.toml": definition(), "reports/other.toml": ruled(RULE), **MARCH})
    study.branch()
    study.write(runs("a", SLOWER, folder="april", starts=TURNS))
    return study.root


@pytest.fixture
def study(main: Path, tmp_path: Path) -> Study:
    return Study(Path(shutil.copytree(main, tmp_path / "repo")))


BOTH = ["march", "april"]
FEWER = "where = { model = ['b'] }\n"


def lower_bound(study: Study) -> None:
    study.commit({"reports/other.toml": ruled(RULE.replace("0.9", "0.5"))})


def deleted_rule(study: Study) -> None:
    study.commit({"reports/other.toml": definition()})


def rule_about_less(study: Study) -> None:
    study.commit({"reports/other.toml": ruled(RULE.replace("min", "where = { model = 'a' }, min"))})


def higher_bound(study: Study) -> None:
    study.commit({"reports/other.toml": ruled(RULE.replace("0.9", "0.95"))})


def nothing(study: Study) -> None:
    pass


def shown(study: Study) -> None:
    study.commit({"reports/study.toml": definition(logs=BOTH)})


def hidden_by_where(study: Study) -> None:
    study.commit({"reports/study.toml": definition(logs=BOTH, table=FEWER)})


def hidden_in_another_report(study: Study) -> None:
    study.git.git("mv", "reports/study.toml", "reports/steps.toml")
    study.commit({"reports/steps.toml": definition(logs=BOTH, table=FEWER)})


def hidden_in_another_table(study: Study) -> None:
    study.commit({"reports/study.toml": definition(logs=BOTH, table=FEWER).replace('"times"', '"steps"')})


def deleted_report(study: Study) -> None:
    (study.root / "reports/study.toml").unlink()
    study.remove("reports/study")
    study.commit()


def deleted_log(study: Study) -> None:
    study.remove("logs/march/a/r2")
    study.commit()


def other_window(study: Study) -> None:
    study.commit({"reports/study.toml": definition(protocol="2+3x7")})


def fewer_repeats(study: Study) -> None:
    """No number moves; but the finding on missing repeats never comes any more."""
    study.commit({"reports/study.toml": definition(protocol="1+4x3")})


def other_digits(study: Study) -> None:
    study.commit({"reports/study.toml": definition(table="digits = 3\n")})


def renamed(study: Study) -> None:
    study.git.git("mv", "reports/study.toml", "reports/steps.toml")
    study.commit()


def another_model(study: Study) -> None:
    study.commit(runs("c", BASE))


WEAKER = "1 acceptance rule weaker, gone or no longer failing"

CHANGES: list[tuple[Callable[[Study], None], list[str]]] = [
    (shown, ["1 slower"]),
    (hidden_by_where, ["1 number gone"]),
    (hidden_in_another_report, ["2 numbers gone", "1 report gone"]),
    (hidden_in_another_table, ["2 numbers gone"]),
    (deleted_report, ["2 numbers gone", "1 report gone"]),
    (deleted_log, ["3 committed logs edited or deleted"]),
    (other_window, ["1 not comparable", "1 protocol changed"]),
    (fewer_repeats, ["1 protocol changed"]),
    (lower_bound, [WEAKER]),
    (deleted_rule, [WEAKER]),
    (rule_about_less, [WEAKER]),
    (higher_bound, []),
    (nothing, []),
    (other_digits, []),
    (renamed, []),
    (another_model, []),
]


@pytest.mark.parametrize(("change", "failed"), CHANGES, ids=lambda value: getattr(value, "__name__", ""))
def test_what_the_printed_kinds_refuse(
    study: Study, change: Callable[[Study], None], failed: list[str]
) -> None:
    change(study)
    diff = diff_reports(study.root / "reports", "main", {}).diff
    assert failures_of(diff, GATE, 0.02) == failed


def test_a_report_of_the_base_that_cannot_be_read_does_not_pass(study: Study) -> None:
    """Otherwise its numbers would be new ones, and nothing would be compared."""
    study.git.git("checkout", "--quiet", "main")
    study.git.commit({"reports/study/report.json": '{"version": 1, "name": "study"}'})
    study.git.git("checkout", "--quiet", "-B", "work")
    study.remove("reports/study")
    study.commit()
    diff = diff_reports(study.root / "reports", "main", {}).diff
    assert failures_of(diff, GATE, 0.02) == ["1 report that cannot be compared"]


def test_the_command_exits_with_5(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    fewer_repeats(study)
    monkeypatch.chdir(study.root)
    out, err = call("diff", "main", "--fail-on", ",".join(GATE), "--threshold", "2%", code=5)
    assert err == "failed: 1 protocol changed\n"
    assert "study   repeats 7 -> 3  2 cases" in out


PRINTED = re.compile(r"fail-on:? ([a-z-]+(?:,[a-z-]+)+)|fail-on:\n.*\n    default: (.+)")


def test_the_same_kinds_are_printed_everywhere() -> None:
    pages = [path.read_text("utf-8") for path in (ROOT / "docs").rglob("*.md")]
    others = [(ROOT / "action.yml").read_text("utf-8"), (ROOT / "README.md").read_text("utf-8")]
    code = [inspect.getsource(module) for module in (repository_files, diff_command)]
    printed = [match[1] or match[2] for text in (*pages, *others, *code) for match in PRINTED.finditer(text)]
    assert set(printed) == {",".join(kind for kind in KINDS if kind in GATE)}
    assert len(printed) == 8
