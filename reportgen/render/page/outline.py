"""The contents of index.html: its headings, and the tables below each.

It is read from the finished HTML, because the author's text may place tables and headings in any order.
"""

import re
from dataclasses import dataclass
from html import unescape

from reportgen.core.lazy_pattern import lazy_pattern

_TOKEN = lazy_pattern(
    r'<h2 id="(?P<heading>[^"]+)">(?P<text>.*?)</h2>'
    r'|(?P<loose><div class="tables">)'
    r'|<section class="table" id="(?P<table>[^"]+)" data-title="(?P<title>[^"]*)"',
    re.DOTALL,
)
_TAG = lazy_pattern(r"<[^>]+>")
_HEADING = lazy_pattern(r"<h2>(?=.)")

# More tables below one heading are folded in the list; without a heading, their titles say what they are.
MOST_OPEN = 8
MOST_OPEN_ALONE = 40


@dataclass(frozen=True, slots=True)
class ContentsEntry:
    """A link to a table."""

    title: str
    anchor: str


@dataclass(frozen=True, slots=True)
class ContentsGroup:
    """A heading with the tables below it; without an anchor for tables that are below none."""

    title: str
    anchor: str
    tables: tuple[ContentsEntry, ...]

    @property
    def is_folded(self) -> bool:
        """Return whether the list shows the tables only on request."""
        return len(self.tables) > (MOST_OPEN if self.title else MOST_OPEN_ALONE)


def number_headings(prose: str) -> str:
    """Return the author's text as HTML with an id for each heading of the second level."""
    numbers = iter(range(1, prose.count("<h2>") + 1))
    return _HEADING.sub(lambda _: f'<h2 id="text-{next(numbers)}">', prose)


def contents_of(html: str) -> tuple[ContentsGroup, ...]:
    """Return the headings of a page in order, each with its tables."""
    groups: list[tuple[str, str, list[ContentsEntry]]] = []
    for token in _TOKEN.finditer(html):
        if token["heading"]:
            groups.append((unescape(_TAG.sub("", token["text"])).strip(), token["heading"], []))
            continue
        if token["loose"] or not groups:
            groups.append(("", "", []))
        if token["loose"]:
            continue
        title = unescape(token["title"])
        groups[-1][2].append(ContentsEntry(title.removeprefix(f"{groups[-1][0]}: "), token["table"]))
    return tuple(
        ContentsGroup(title, anchor, tuple(tables)) for title, anchor, tables in groups if title or tables
    )
