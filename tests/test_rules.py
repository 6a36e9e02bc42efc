"""Every rule that the code can raise has a page, every page has all its parts, and both agree."""

import ast
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from reportgen.core import rules
from reportgen.core.errors import RequestError

ROOT = Path(__file__).parents[1]
AREAS = "read|protocol|clock|rate|telemetry|rank|environment|table|expected|publish"
RULE = re.compile(rf"(?:{AREAS})\.[a-z]+(?:-[a-z]+)*")
NAMES = [rule.name for rule in rules.rules()]


def _texts() -> Iterator[tuple[ast.AST, str]]:
    for path in sorted((ROOT / "reportgen").rglob("*.py")):
        place = path.relative_to(ROOT).as_posix()
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            yield node, f"{place}:{getattr(node, 'lineno', 0)}"


def _rule(node: ast.AST) -> str:
    """Return the rule that a piece of syntax is the text of, else nothing; expected.toml is a file."""
    text = node.value if isinstance(node, ast.Constant) else None
    return text if isinstance(text, str) and RULE.fullmatch(text) and not text.endswith(".toml") else ""


def raised() -> dict[str, str]:
    """Return every rule that occurs in the code as a text of its own, and the place of one occurrence."""
    return {_rule(node): place for node, place in _texts() if _rule(node)}


def with_severity() -> list[tuple[str, str, str]]:
    """Return (severity, rule, place) wherever both are written out side by side, as in Finding(...)."""
    found = []
    for node, place in _texts():
        for severity, rule in pairwise(node.args) if isinstance(node, ast.Call) else ():
            if _rule(rule) and isinstance(severity, ast.Constant):
                found.append((str(severity.value), _rule(rule), place))
    return found


def test_every_rule_that_is_raised_has_a_page() -> None:
    missing = {name: place for name, place in raised().items() if name not in NAMES}
    assert not missing, f"write reportgen/core/rules/<rule>.md for {missing}"


def test_every_page_is_of_a_rule_that_is_raised() -> None:
    assert not set(NAMES) - set(raised())


@pytest.mark.parametrize("name", NAMES)
def test_a_page_says_what_when_why_and_what_to_do(name: str) -> None:
    rule = rules.rule(name)
    headings = re.findall(r"^## (.*)$", rule.page, re.MULTILINE)
    assert headings == ["When it is raised", "Why it matters", "Remedy"]
    assert all(part.strip() for part in re.split(r"^#.*$", rule.page, flags=re.MULTILINE)[1:])
    assert rule.summary.endswith(".")
    assert max(map(len, rule.page.splitlines())) <= 120


@pytest.mark.parametrize("name", NAMES)
def test_the_severities_of_a_page_are_known_and_weakest_first(name: str) -> None:
    order = ["note", "warning", "invalid"]
    severities = rules.rule(name).severity.split(", ")
    assert severities == [one for one in order if one in severities]


def test_a_page_names_every_severity_that_is_raised() -> None:
    found = [one for one in with_severity() if one[1] in NAMES]
    assert len(found) > 10
    assert not [one for one in found if one[0] not in rules.rule(one[1]).severity.split(", ")]


@pytest.mark.parametrize("name", NAMES)
def test_a_page_lies_in_the_file_of_its_name(name: str) -> None:
    assert (ROOT / "reportgen" / "core" / "rules" / f"{name}.md").is_file()


def test_the_rules_are_listed_once_and_sorted() -> None:
    assert sorted(set(NAMES)) == NAMES
    assert "protocol.gap" in NAMES


def test_the_summary_is_the_first_sentence() -> None:
    assert rules.rule("read.repeat-collision").summary == (
        "Two runs of one case carry the same repeat number; both are kept."
    )


def test_an_unknown_rule_names_the_nearest_one() -> None:
    with pytest.raises(RequestError, match=r'protocol\.gaps: no such rule; did you mean "protocol\.gap"\?'):
        rules.rule("protocol.gaps")
