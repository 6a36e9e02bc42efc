"""Every rule has a page and is raised, every page has all its parts, and constants and pages agree."""

import ast
import re
from collections.abc import Iterator

import pytest

from reportgen.core.errors import RequestError
from reportgen.core.model import Finding
from reportgen.core.rules import SEVERITIES, Rule, find_rule
from tests.conftest import ROOT

PAGES = ROOT / "reportgen" / "core" / "rules"
RULES = list(Rule)
IDS = [str(rule) for rule in RULES]


def _nodes() -> Iterator[tuple[ast.AST, str]]:
    """Yield every piece of syntax outside the rules themselves, with its place."""
    for path in sorted((ROOT / "reportgen").rglob("*.py")):
        if PAGES not in path.parents:
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                yield node, f"{path.relative_to(ROOT)}:{getattr(node, 'lineno', 0)}"


def _rule_of(node: ast.AST) -> Rule | None:
    """Return the rule that `Rule.NAME` means, None for any other syntax."""
    is_rule = isinstance(node, ast.Attribute) and ast.unparse(node.value) == "Rule"
    return Rule[node.attr] if is_rule and node.attr in Rule.__members__ else None


def test_no_rule_is_written_as_a_text() -> None:
    texts = {node.value: place for node, place in _nodes() if isinstance(node, ast.Constant)}
    assert not {text: place for text, place in texts.items() if text in IDS}


def test_every_rule_is_raised() -> None:
    assert not set(RULES) - {_rule_of(node) for node, _ in _nodes()}


def test_a_finding_must_have_a_severity_of_its_rule() -> None:
    wrong = []
    for node, place in _nodes():
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "Finding" and len(node.args) > 1:
            severity, rule = node.args[0], _rule_of(node.args[1])
            if isinstance(severity, ast.Constant) and rule and severity.value not in rule.severities:
                wrong.append(f"{place}: {rule} is never a {severity.value}")
    assert not wrong, "\n".join(wrong)
    with pytest.raises(AssertionError, match=r"read\.large-file cannot be a note"):
        Finding("note", Rule.READ_LARGE_FILE, "run", "message")


def test_every_rule_has_a_page_and_rules_are_sorted() -> None:
    assert sorted(path.stem for path in PAGES.glob("*.md")) == IDS


@pytest.mark.parametrize("rule", RULES)
def test_the_name_of_a_constant_is_the_id(rule: Rule) -> None:
    assert rule.name == re.sub(r"[.-]", "_", rule.value).upper()


@pytest.mark.parametrize("rule", RULES)
def test_a_page_starts_with_id_and_severities(rule: Rule) -> None:
    assert rule.page.startswith(f"# {rule}\n\nSeverity: {', '.join(rule.severities)}\n\n")


@pytest.mark.parametrize("rule", RULES)
def test_a_page_has_the_four_sections(rule: Rule) -> None:
    headings = re.findall(r"^## (.*)$", rule.page, re.MULTILINE)
    assert headings == ["When it is raised", "Why it matters", "Remedy"]
    assert all(part.strip() for part in re.split(r"^#.*$", rule.page, flags=re.MULTILINE)[1:])
    assert rule.summary.endswith(".")
    assert max(map(len, rule.page.splitlines())) <= 120


@pytest.mark.parametrize("rule", RULES)
def test_severities_are_listed_from_the_weakest(rule: Rule) -> None:
    assert rule.severities
    assert list(rule.severities) == [known for known in reversed(SEVERITIES) if known in rule.severities]


def test_the_summary_is_the_first_sentence() -> None:
    assert Rule.READ_REPEAT_COLLISION.summary == (
        "Two runs claim the same repeat of one case; both are kept."
    )


def test_an_unknown_rule_names_the_nearest_one() -> None:
    assert find_rule("protocol.gap") is Rule.PROTOCOL_GAP
    with pytest.raises(RequestError, match=r'protocol\.gaps: no such rule; did you mean "protocol\.gap"\?'):
        find_rule("protocol.gaps")
