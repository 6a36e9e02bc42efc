"""Every family reads its fixtures as `.expected.toml` says, which was written by hand from the log.

runs      number of runs, parts of one run counted once
numbers   of all measured values, so that nothing is added
values    single ones, in the base unit, with their statistic and some of their factors
messages  of findings; an empty list: there are none
path, beside  where the log is, and texts of the files near it
never     texts that no factor and no finding shows: secrets, host names
"""

import math
import re
from pathlib import Path
from typing import Any

import pytest

from reportgen.core.model import Aggregate, Finding, Run
from reportgen.formats.detection import offer
from reportgen.formats.tables import families
from reportgen.sources.logfiles import LogFiles
from tests.builders import check_valid
from tests.each_of import each_of
from tests.formats.tables.fixtures_of_families import FOLDER, fixtures

FIXTURES = list(fixtures())
KEYS = {"runs", "numbers", "values", "status", "messages", "path", "beside", "never"}
KEYS_OF_VALUE = {"metric", "phase", "statistic", "value", "factors"}


def read(log: Path, expected: dict[str, Any]) -> tuple[str, list[Run], list[Finding]]:
    """Return the name of the format that reads a log, its runs and all findings."""
    path = expected.get("path", log.name)
    beside = {name: text.encode() for name, text in expected.get("beside", {}).items()}
    view = LogFiles.of({path: log.read_bytes(), **beside}).file(path)
    claimed = offer(view)
    assert claimed is not None, f"no format recognises {log.name}"
    assert claimed.rivals == ()
    items = list(claimed.format.read(claimed.files))
    check_valid(items)
    runs = [item for item in items if isinstance(item, Run)]
    others = [item for item in items if isinstance(item, Finding)]
    return claimed.format.name, runs, [*others, *(each for run in runs for each in run.findings)]


@each_of(FIXTURES)
def test_a_fixture_is_read_as_expected(fixture: tuple[str, Path, dict[str, Any]]) -> None:
    family, log, expected = fixture
    assert expected.keys() <= KEYS
    name, runs, findings = read(log, expected)
    assert name == family
    assert len({run.part_of or run.id for run in runs}) == expected["runs"]
    assert {run.status for run in runs} <= {expected.get("status", "complete")}
    numbers = [(run, figure) for run in runs for figure in run.aggregates]
    assert len(numbers) == expected["numbers"], [(run.factors, figure) for run, figure in numbers]
    for value in expected.get("values", ()):
        assert len([1 for pair in numbers if _is_it(value, *pair)]) == 1, value
    messages = [finding.text for finding in findings]
    for message in expected.get("messages", ()):
        assert message in messages
    assert expected.get("messages") != [] or not messages
    shown = repr([(run.factors, run.environment, run.command, run.machines) for run in runs]) + repr(messages)
    assert [text for text in expected.get("never", ()) if text in shown] == []


def _is_it(value: dict[str, Any], run: Run, figure: Aggregate) -> bool:
    assert value.keys() <= KEYS_OF_VALUE
    factors = value.get("factors", {}) | {name: value[name] for name in ("statistic",) if name in value}
    return (
        (figure.metric, figure.phase) == (value["metric"], value.get("phase", "step"))
        and math.isclose(figure.value, value["value"], rel_tol=1e-9)
        and {name: run.factors.get(name) for name in factors} == factors
    )


@pytest.mark.parametrize(
    ("log", "tail", "status", "messages"),
    [
        ("nccl_tests.2026.log", "Killed\n", "partial", ["failed after the last figure, in line {}"]),
        (
            "osu.log",
            "Traceback (most recent call last):\n  File 'a.py', line 1\nRuntimeError: CUDA error: 700\n",
            "partial",
            ["failed after the last figure, in line {}"],
        ),
        (
            "babelstream.txt",
            "x: failed: out of memory\n",
            "partial",
            ["out of memory after the last figure, in line {}"],
        ),
        (
            "vllm_serve_text.log",
            "RuntimeError: CUDA error: 700\n",
            "complete",
            ["failed after the last figure, in line {}"],
        ),
        ("vllm_serve_text.log", "run.sh: line 3: 77 Terminated              vllm serve\n", "complete", []),
    ],
)
def test_an_error_after_the_results_is_noted(log: str, tail: str, status: str, messages: list[str]) -> None:
    before = (FOLDER / log).read_text("utf-8").rstrip("\n")
    line = before.count("\n") + 1 + tail.count("\n")
    claimed = offer(LogFiles.of({log: f"{before}\n{tail}".encode()}).file(log))
    assert claimed is not None
    runs = [item for item in claimed.format.read(claimed.files) if isinstance(item, Run)]
    assert runs[-1].status == status
    shown = [
        finding.message for run in runs for finding in run.findings if "after the last" in finding.message
    ]
    assert shown == [message.format(line) for message in messages]


def test_every_family_has_a_fixture() -> None:
    assert {known.name for known in families.formats()} == {family for family, _, _ in FIXTURES}


def test_every_log_beside_the_tests_has_an_expectation() -> None:
    logs = {path for path in FOLDER.iterdir() if not path.name.endswith(".expected.toml")}
    assert logs == {log for _, log, _ in FIXTURES}


@each_of(sorted(families.FOLDER.glob("*.toml")))
def test_the_head_of_a_definition_has_its_sign_and_rows(path: Path) -> None:
    """Only the head is parsed to list the formats."""
    sections = re.findall(r"^\[+([^\]\n]+)", path.read_text("utf-8"), re.MULTILINE)
    heads = [name for name in sections if name.removeprefix("forms.") in ("sign", "rows")]
    assert heads in (["sign", "rows"], ["forms.sign", "forms.rows"] * sections.count("forms"))
    is_form = [name.startswith(("forms", "sign", "rows")) for name in sections]
    assert is_form == sorted(is_form, reverse=True)
