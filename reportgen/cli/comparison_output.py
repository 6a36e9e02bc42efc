"""Print a comparison, of `diff` or `compare`, as text, Markdown or JSON."""

import os
import sys
from enum import StrEnum
from typing import TYPE_CHECKING

from reportgen.cli.terminal import print_table, sanitize

if TYPE_CHECKING:
    from reportgen.api import ResultDiff
    from reportgen.diff.sections import Section

# Rows of a section before the others are only counted.
_MAX_ROWS = 40
# Columns of text that goes to a log of CI or a pager.
_WIDTH = 120
_BOLD, _RED, _RESET = "\x1b[1m", "\x1b[31m", "\x1b[0m"


class OutputFormat(StrEnum):
    """How a comparison is printed."""

    TEXT = "text"
    MARKDOWN = "markdown"
    JSON = "json"


def print_comparison(result: "ResultDiff", format: OutputFormat) -> None:
    """Print a comparison; text has colours on a terminal only."""
    if format is OutputFormat.JSON:
        sys.stdout.write(result.to_json())
    elif format is OutputFormat.MARKDOWN:
        sys.stdout.write(result.to_markdown())
    else:
        _print_text(result)


def _print_text(result: "ResultDiff") -> None:
    from reportgen.diff.sections import sections_of, sentences

    print(_styled(sanitize(result.headline), _BOLD))
    print(sanitize(f"{result.old.text} -> {result.new.text}"))
    for sentence in sentences(result.diff):
        print(sanitize(sentence))
    for section in sections_of(result.diff):
        _print_section(section)


def _print_section(section: "Section") -> None:
    title = f"{section.title} ({len(section.rows):,})"
    if section.is_folded:
        print(f"\n{title}: see --format json")
        return
    print()
    print(_styled(title, _BOLD + (_RED if section.tone == "bad" else "")))
    print_table([section.columns, *section.rows[:_MAX_ROWS]], _WIDTH)
    if len(section.rows) > _MAX_ROWS:
        print(f"... and {len(section.rows) - _MAX_ROWS:,} more: see --format json")


def _styled(text: str, style: str) -> str:
    has_colours = sys.stdout.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
    return f"{style}{text}{_RESET}" if has_colours else text
