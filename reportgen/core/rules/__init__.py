"""The rules behind findings, one Markdown page each: what it means, when, why, and what to do.

A page `<rule>.md` beside this file is all that makes a rule; the program reads its severity and its
first sentence from there, so that `reportgen rules` and the page cannot say different things.
"""

import re
from dataclasses import dataclass
from functools import cache
from importlib import resources

from reportgen.core.errors import RequestError, did_you_mean

_PAGE = re.compile(r"# (?P<name>\S+)\n\nSeverity: (?P<severity>[a-z, ]+)\n\n(?P<body>.*)\Z", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule: its severities, weakest first (`note, warning`), its first sentence and its whole page."""

    name: str
    severity: str
    summary: str
    page: str


@cache
def rules() -> tuple[Rule, ...]:
    """Return all rules, sorted by name."""
    pages = [entry for entry in resources.files(__name__).iterdir() if entry.name.endswith(".md")]
    return tuple(sorted((_rule(page.read_text("utf-8")) for page in pages), key=lambda rule: rule.name))


def rule(name: str) -> Rule:
    """Return the rule of that name; RequestError with the nearest known name if there is none."""
    known = {one.name: one for one in rules()}
    if name not in known:
        raise RequestError(name, "no such rule", did_you_mean(name, known))
    return known[name]


def _rule(page: str) -> Rule:
    match = _PAGE.match(page)
    assert match, f"a page of a rule has a title, a severity and a text: {page[:80]!r}"
    paragraph = match["body"].split("\n\n", 1)[0].replace("\n", " ")
    sentence = re.split(r"(?<=\.) ", paragraph, maxsplit=1)[0]
    return Rule(match["name"], match["severity"], sentence, page)
