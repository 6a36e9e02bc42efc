"""Write a comparison as Markdown for a comment on a pull request.

Always below the limit of the forges, for any reports: sections get shares of the space, and
what does not fit is counted. Texts from logs and definitions are escaped: they can neither notify a user,
refer to an issue, link anywhere, nor end a table or a `<details>`.
"""

from collections.abc import Sequence

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.diff.changes import Diff
from reportgen.diff.sections import Endpoint, Section, headline, sections_of, sentences
from reportgen.render.text.escape import href, markdown, paragraph

# The first line, by which a workflow finds its comment to renew it.
MARKER = "<!-- reportgen diff -->"

# GitHub refuses comments with more than 65,536 characters; the action puts the end of an output before it.
MAX_CHARS = 61_000
_MAX_HEAD_CHARS = 12_000
# Rows of a table before the others are folded.
_VISIBLE_ROWS = 10
_MAX_TEXT_CHARS = 400
# What a forge turns into a notification, a reference or a link.
_ACTIVE = lazy_pattern(r"@(?=\w)|#(?=\d)|:(?=//)|(?i:www)(?=\.)|(?i:GH)(?=-\d)")


def comment(diff: Diff, old: Endpoint, new: Endpoint) -> str:
    """Return the comparison as Markdown, at most MAX_CHARS characters."""
    lines = [
        MARKER,
        f"### Benchmarks: {inert_text(headline(diff))}",
        "",
        f"{_endpoint(old)} → {_endpoint(new)}",
        "",
    ]
    for sentence in sentences(diff):
        if sum(map(len, lines)) < _MAX_HEAD_CHARS:
            lines += [_inert(paragraph(_cut(sentence))), ""]
    every = sections_of(diff)
    for position, section in enumerate(every):
        left = MAX_CHARS - sum(len(line) + 1 for line in lines)
        lines += _section(section, left // (len(every) - position))
    return "\n".join(lines).rstrip() + "\n"


def inert_text(text: str) -> str:
    """Return a text that a forge shows as it is, cut if it is very long."""
    return _inert(markdown(_cut(text)))


def _cut(text: str) -> str:
    shown = text.replace("->", "→")
    return f"{shown[: _MAX_TEXT_CHARS - 1]}…" if len(shown) > _MAX_TEXT_CHARS else shown


def _inert(escaped: str) -> str:
    """Return the text with an invisible character between the parts of what would be active."""
    return _ACTIVE.sub(lambda match: f"{match.group()}&#8203;", escaped)


def _endpoint(endpoint: Endpoint) -> str:
    if not endpoint.commit:
        return inert_text(endpoint.name)
    commit = f"`{endpoint.commit[:10]}`"
    target = href(endpoint.url)
    return f"{f'[{commit}]({target})' if target else commit} ({inert_text(endpoint.name)})"


def _section(section: Section, space: int) -> list[str]:
    """Return a section in at most `space` characters; rows that do not fit are counted."""
    rows = [_table_row(row) for row in section.rows]
    head = [_table_row(section.columns), _table_row(["---"] * len(section.columns))]
    fixed = 2 * sum(map(len, head)) + len(section.title) + 400
    fitting = 0
    while fitting < len(rows) and fixed + len(rows[fitting]) < space:
        fixed += len(rows[fitting]) + 1
        fitting += 1
    left_out = len(rows) - fitting
    more = [f"… and {left_out:,} more: see `reportgen diff --format json`.", ""] if left_out else []
    visible = 0 if section.is_folded else min(_VISIBLE_ROWS, fitting)
    lines = [] if section.is_folded else [f"#### {section.title} ({len(rows):,})", ""]
    if visible:
        lines += [*head, *rows[:visible], ""]
    if visible < fitting:
        title = f"{section.title} ({len(rows):,})" if section.is_folded else f"{fitting - visible:,} more"
        table = [*head, *rows[visible:fitting], ""]
        lines += ["<details>", f"<summary>{title}</summary>", "", *table, *more, "</details>", ""]
        return lines
    return lines + more


def _table_row(texts: Sequence[str]) -> str:
    return f"| {' | '.join(text if text == '---' else inert_text(text) or ' ' for text in texts)} |"
