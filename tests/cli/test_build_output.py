"""The output of build and check about a change: numbers, published figures, lines, findings, JSON."""

import json
from pathlib import Path

import pytest

from tests.cli.calling import call

REPORT = "reports/frameworks/report.json"


@pytest.fixture
def here(repository, monkeypatch) -> Path:
    """A repository whose reports are built, after one of its published figures was edited."""
    monkeypatch.chdir(repository)
    call("build", "reports")
    edit(repository, "A,8,760", "A,8,700")
    return repository


def edit(root: Path, old: str, new: str) -> None:
    log = root / "logs/rates/rates.csv"
    log.write_text(log.read_text().replace(old, new))


NUMBERS = [
    "number   frameworks/rates devices=8, A: 760.0 images/s -> 700.0 images/s",
    "number   frameworks/rates devices=8, A, speed-up: 7.60 -> 7.00",
]
FIGURE = "warning  logs/rates/rates.csv:3: published figure throughput changed: 760.0 -> 700.0 samples/s"


@pytest.mark.parametrize("command", ["build", "check"])
def test_old_and_new_numbers_are_printed(here: Path, command: str) -> None:
    out, _ = call(command, "reports", code=3 if command == "check" else 0)
    assert [line for line in out.splitlines() if line.startswith("number")] == NUMBERS


@pytest.mark.parametrize("command", ["build", "check"])
def test_a_published_figure_that_changed_is_a_warning_until_it_is_built(here: Path, command: str) -> None:
    _, err = call(command, "reports", code=3 if command == "check" else 0)
    assert FIGURE in err.splitlines()
    assert "declare a correction in source.toml" in err
    call("build", "reports")
    assert "published figure" not in call("check", "reports")[1]


def test_a_build_prints_numbers_before_it_writes(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*arguments: object, **options: object) -> None:
        raise KeyboardInterrupt

    before = (here / REPORT).read_bytes()
    monkeypatch.setattr("reportgen.publish.apply", stop)
    out, _ = call("build", "reports", code=130)
    assert NUMBERS[0] in out
    assert (here / REPORT).read_bytes() == before


def test_a_first_build_prints_no_numbers(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(repository)
    assert "number" not in call("build", "reports")[0]


def test_new_and_removed_numbers_are_counted(here: Path) -> None:
    edit(here, "A,8,700\nB,1,90", "A,8,700\nA,16,1400\nA,32,2800\nB,1,90")
    out, _ = call("check", "reports", code=3)
    assert [line for line in out.splitlines() if line.startswith("number")][-1] == "numbers  4 new"


def test_only_the_first_numbers_are_printed(here: Path) -> None:
    lines = [f"A,{devices},{100 * devices}" for devices in range(1, 40)]
    (here / "logs/rates/rates.csv").write_text("framework,devices,rate\n" + "\n".join(lines) + "\n")
    call("build", "reports")
    edit(here, "00\n", "01\n")
    out, _ = call("check", "reports", code=3)
    numbers = [line for line in out.splitlines() if line.startswith("number")]
    assert len(numbers) == 21
    assert numbers[-1].startswith("numbers  ")


def test_check_prints_changed_lines_only_with_diff(here: Path) -> None:
    plain, _ = call("check", "reports", code=3)
    out, _ = call("check", "reports", "--diff", code=3)
    assert out.startswith(plain)
    lines = out.removeprefix(plain).splitlines()
    assert {line for line in lines if line.startswith("+++")} == {
        "+++ b/README.md",
        "+++ b/reports/README.md",
        "+++ b/reports/frameworks/README.md",
    }
    assert "-| 8 | 760.0 | 7.60 | - |" in lines
    assert "+| 8 | 700.0 | 7.00 | - |" in lines


def test_json_holds_files_numbers_figures_and_findings(here: Path) -> None:
    out, _ = call("check", "reports", "--format", "json", code=3)
    document = json.loads(out)
    assert (document["version"], document["reports"], document["is_up_to_date"]) == (1, ["frameworks"], False)
    assert {"path": "reports/frameworks/README.md", "what": "changed"} in document["changes"]
    number, speedup = document["numbers"]
    assert (number["old"], number["new"], number["old_text"]) == (760.0, 700.0, "760.0 images/s")
    assert (speedup["quantity"], speedup["old"], speedup["new"]) == ("speedup", 7.6, 7.0)
    assert (number["row"], number["column"]) == ({"devices": 8}, {"framework": "A"})
    (figure,) = document["published"]
    assert (figure["source"], figure["old"], figure["new"]) == ("logs/rates/rates.csv:3", 760.0, 700.0)
    built, _ = call("build", "reports", "--format", "json")
    assert json.loads(built)["numbers"] == document["numbers"]


def test_strict_names_the_findings_it_fails_on(here: Path) -> None:
    edit(here, "B,1,90", "B,1,fast")
    call("build", "reports")
    warning = "warning  logs/rates/rates.csv:4:"
    assert warning not in call("check", "reports")[1]
    assert warning in call("check", "reports", "--strict", code=4)[1]


def test_a_number_that_looks_the_same_is_only_counted(here: Path) -> None:
    call("build", "reports")
    edit(here, "A,8,700", "A,8,700.001")
    out, _ = call("check", "reports", code=3)
    assert [line for line in out.splitlines() if line.startswith("number")] == [
        "numbers  2 in digits that are not shown"
    ]
