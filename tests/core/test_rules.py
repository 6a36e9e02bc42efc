"""Every rule has a page and is raised, every page has all its parts, and constants and pages agree."""

import ast
import re

import pytest

from reportgen.core.errors import RequestError
from reportgen.core.model import Finding
from reportgen.core.rules import SEVERITIES, Rule, find_rule
from tests.conftest import ROOT
from tests.source_code import calls, files, nodes, place

PAGES = ROOT / "reportgen" / "core" / "rules"
RULES = list(Rule)
IDS = [str(rule) for rule in RULES]


SOURCES = [path for path in files("reportgen") if PAGES not in path.parents]


def _rule_of(node: ast.AST) -> Rule | None:
    """Return the rule that `Rule.NAME` means, None for any other syntax."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "Rule":
        return Rule.__members__.get(node.attr)
    return None


def test_no_rule_is_written_as_a_text() -> None:
    wrong = [
        f"{place(path, node)}: {node.value}"
        for path in SOURCES
        for node in nodes(path)
        if isinstance(node, ast.Constant) and node.value in IDS
    ]
    assert not wrong, "\n".join(wrong)


def test_every_rule_is_raised() -> None:
    assert not set(RULES) - {_rule_of(node) for path in SOURCES for node in nodes(path)}


def test_a_finding_must_have_a_severity_of_its_rule() -> None:
    wrong = []
    for path in SOURCES:
        for node, function in calls(path):
            if function == "Finding" and len(node.args) > 1:
                severity, rule = node.args[0], _rule_of(node.args[1])
                if isinstance(severity, ast.Constant) and rule and severity.value not in rule.severities:
                    wrong.append(f"{place(path, node)}: {rule} is never a {severity.value}")
    assert not wrong, "\n".join(wrong)
    with pytest.raises(AssertionError, match=r"read\.large-file cannot be a note"):
        Finding("note", Rule.READ_LARGE_FILE, "run", "message")


def test_every_rule_has_a_page_and_rules_are_sorted() -> None:
    assert sorted(path.stem for path in PAGES.glob("*.md")) == IDS


def test_the_name_of_a_constant_is_the_id() -> None:
    assert [rule.name for rule in RULES] == [re.sub(r"[.-]", "_", rule.value).upper() for rule in RULES]


def test_a_page_starts_with_id_and_severities() -> None:
    starts = {rule: f"# {rule}\n\nSeverity: {', '.join(rule.severities)}\n\n" for rule in RULES}
    assert [rule for rule in RULES if not rule.page.startswith(starts[rule])] == []


def test_a_page_has_the_three_sections_and_text_in_each() -> None:
    sections = ["When it is raised", "Why it matters", "Remedy"]
    headings = {rule: re.findall(r"^## (.*)$", rule.page, re.MULTILINE) for rule in RULES}
    assert [rule for rule in RULES if headings[rule] != sections] == []
    parts = {rule: re.split(r"^#.*$", rule.page, flags=re.MULTILINE)[1:] for rule in RULES}
    assert [rule for rule in RULES if not all(part.strip() for part in parts[rule])] == []
    assert [rule for rule in RULES if not rule.summary.endswith(".")] == []
    assert [rule for rule in RULES if max(map(len, rule.page.splitlines())) > 120] == []


def test_severities_are_listed_from_the_weakest() -> None:
    order = list(reversed(SEVERITIES))
    assert [rule for rule in RULES if not rule.severities] == []
    assert [rule for rule in RULES if list(rule.severities) != sorted(rule.severities, key=order.index)] == []


def test_the_summary_is_the_first_sentence() -> None:
    assert Rule.READ_REPEAT_COLLISION.summary == (
        "Two runs claim the same repeat of one case; both are kept."
    )


def test_an_unknown_rule_names_the_nearest_one() -> None:
    assert find_rule("protocol.gap") is Rule.PROTOCOL_GAP
    with pytest.raises(RequestError, match=r'protocol\.gaps: no such rule; did you mean "protocol\.gap"\?'):
        find_rule("protocol.gaps")
