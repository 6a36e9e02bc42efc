"""`reportgen diff`: formats, exit codes, and requests that cannot be fulfilled."""

import json
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest

from tests.cli.calling import call, error_of
from tests.diff.study import BASE, MINUTE, START, Study, definition, runs
from tests.git_repository import leave_ci

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """A branch on which model a is 5 % slower, measured in turns with the old runs."""
    study = Study(tmp_path_factory.mktemp("study") / "repo")
    study.commit({"reports/study.toml": definition(), **runs("a", BASE)})
    study.branch()
    starts = [START + (position + 0.5) * MINUTE for position in range(7)]
    slower = runs("a", [value * 1.05 for value in BASE], folder="april", starts=starts)
    study.commit({"reports/study.toml": definition(logs=["april"]), **slower})
    return study


@pytest.fixture(autouse=True)
def in_study(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(study.root)
    leave_ci(monkeypatch)


def test_text_has_no_colours_where_there_is_no_terminal() -> None:
    out, _ = call("diff")
    assert out.splitlines()[0] == "1 slower"
    assert "Slower (1)" in out
    assert "4.8 % slower (4.8 % to 4.8 %; 5.0 %" in out
    assert "\x1b" not in out


def test_text_that_goes_to_a_log_is_not_wider_than_a_page() -> None:
    from reportgen.cli.comparison_output import OutputFormat, print_comparison
    from reportgen.diff.changes import Diff, RatioChange
    from reportgen.diff.sections import Endpoint
    from reportgen.library.result_diff import ResultDiff

    change = RatioChange("study/times", "resnet50", "1.0", "2.0", ("its number moved: 1 s -> 2 s",) * 9)
    with redirect_stdout(StringIO()) as out:
        print_comparison(
            ResultDiff(Diff(ratios=(change,)), Endpoint("", "a"), Endpoint("", "b")), OutputFormat.TEXT
        )
    lines = out.getvalue().splitlines()
    assert max(map(len, lines)) <= 120
    assert sum(line.count("moved:") for line in lines) == 9


def test_a_terminal_has_colours_unless_the_user_wants_none(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from reportgen.cli.comparison_output import OutputFormat, print_comparison
    from reportgen.diff.changes import Diff
    from reportgen.diff.sections import Endpoint
    from reportgen.library.result_diff import ResultDiff

    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    sides = Endpoint("", "before"), Endpoint("", "after\x1b[31m")
    print_comparison(ResultDiff(Diff(), *sides), OutputFormat.TEXT)
    monkeypatch.setenv("NO_COLOR", "1")
    print_comparison(ResultDiff(Diff(), *sides), OutputFormat.TEXT)
    coloured, plain = capsys.readouterr().out.split("before -> after\ufffd[31m\n")[:2]
    assert (coloured, plain) == ("\x1b[1mno number moved\x1b[0m\n", "no number moved\n")


def test_json_and_markdown() -> None:
    out, _ = call("diff", "main", "--format", "json")
    assert json.loads(out)["verdicts"] == {"slower": 1}
    out, _ = call("diff", "--format", "markdown")
    assert out.startswith("<!-- reportgen diff -->\n### Benchmarks: 1 slower\n")


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (["--fail-on", "slower"], 5),
        (["--fail-on", "slower,invalid", "--threshold", "2%"], 5),
        (["--fail-on", "slower", "--threshold", "5"], 0),
        (["--fail-on", "faster, invalid,gone"], 0),
    ],
)
def test_it_fails_on_the_named_kinds(options: list[str], code: int) -> None:
    _, err = call("diff", *options, code=code)
    assert err == ("failed: 1 slower\n" if code else "")


def test_a_report_is_written_as_lines_for_git() -> None:
    out, _ = call("diff", "--textconv", "reports/study/report.json")
    assert "a: 105.0 ms (7 repeats)\n" in out


def test_a_report_with_conflicts_is_written_as_it_is(tmp_path: Path) -> None:
    """A driver that fails would end `git diff`."""
    (tmp_path / "report.json").write_text("<<<<<<< main\n{\n", encoding="utf-8")
    out, _ = call("diff", "--textconv", str(tmp_path / "report.json"))
    assert out == "<<<<<<< main\n{\n"


def test_git_shows_numbers_instead_of_json(study: Study) -> None:
    """The driver that the documentation names, with a program in place of the installed one."""
    import shlex
    import sys

    command = f"{shlex.quote(sys.executable)} -m reportgen diff --textconv"
    (study.root / ".git" / "info" / "attributes").write_text("reports/*/report.json diff=reportgen\n")
    source = Path(__file__).parents[2]
    shown = study.git.git(
        "-c",
        f"diff.reportgen.textconv={command}",
        "diff",
        "-U0",
        "main",
        "--",
        "reports/study/report.json",
        PYTHONPATH=str(source),
    )
    changed = [line for line in shown.splitlines() if line[:1] in "+-" and line[:3] not in ("+++", "---")]
    assert changed == ["-a: 100.0 ms (7 repeats)", "+a: 105.0 ms (7 repeats)"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing"], "nothing: is not a commit of this repository; check the name"),
        (["--fail-on", "slow"], '--fail-on: no kind of change is called "slow"; did you mean "slower"?'),
        (["--threshold", "x"], '--threshold: "x" is not a percentage below 100; write it as 2%'),
        (["--threshold", "nan%"], '--threshold: "nan%" is not a percentage below 100; write it as 2%'),
        (["--reports", "nowhere"], "nowhere: no such folder; name the folder of report definitions"),
        (["--textconv", "nothing.json"], "nothing.json: cannot be read: No such file or directory; name a report.json"),
    ],
)  # fmt: skip
def test_requests_that_cannot_be_fulfilled(arguments: list[str], message: str) -> None:
    assert error_of("diff", *arguments).startswith(message)
