"""Regular expressions and globs that users write: checked, and run in time linear in the text (google-re2).

A pattern sees one line at a time and matches once per line: a search that continued within the line would be
quadratic again.
"""

from collections import Counter
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Any

import re2

from reportgen.core.lazy_pattern import lazy_pattern

_GROUP = lazy_pattern(r"\(\?P?<(\w+)>")
_ANY_BYTE = lazy_pattern(r"(?<!\\)(?:\\\\)*\\C")
_MAX_PATTERN_CHARS = 4000
# Each byte of a log may take time for each instruction of a pattern; a{1,999} has a thousand.
_MAX_INSTRUCTIONS = 2000
SYNTAX = "the syntax is RE2's, without look-around and back-references"


def syntax_fault(pattern: str) -> str:
    """Return why a pattern cannot be used, "" if it can."""
    if len(pattern) > _MAX_PATTERN_CHARS:
        return f"has more than {_MAX_PATTERN_CHARS} characters"
    if _ANY_BYTE.search(pattern):
        return r"\C would match the end of a line"
    try:
        compiled(pattern.encode())
        whole_line(pattern.encode())
    except re2.error as error:
        reason = error.args[0] if error.args else b""
        return reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
    except UnicodeEncodeError:
        return "is not text"
    repeated = [name for name, count in Counter(_GROUP.findall(pattern)).items() if count > 1]
    return f'has the group "{repeated[0]}" twice' if repeated else ""


def pattern_fault(pattern: str) -> tuple[str, str] | None:
    """Return why a user's pattern cannot be used, and the remedy; None if it can."""
    if fault := syntax_fault(pattern):
        return fault, SYNTAX
    if whole_line(pattern.encode()).programsize > _MAX_INSTRUCTIONS:
        return "repeats so much that logs would take minutes", "write + or * for a large {n,m}"
    return None


@lru_cache(maxsize=64)
def whole_line(pattern: str | bytes) -> Any:  # of the package, which has no types
    """Return the pattern followed by the rest of the line, so that no line is searched twice.

    pattern  text to search in text, bytes to search in bytes
    """
    if isinstance(pattern, bytes):
        return compiled(b"(?m)(?:" + pattern + rb")[^\n]*")
    return compiled("(?m)(?:" + pattern + r")[^\n]*")


@lru_cache(maxsize=256)
def compiled(pattern: str | bytes) -> Any:
    """Return a pattern that matches within one line."""
    options = re2.Options()
    options.log_errors = False
    options.never_nl = True
    return re2.compile(pattern, options)


def ends_with(path: str, glob: str) -> bool:
    """Return whether a glob matches the end of a path, with as many components as it has itself."""
    wanted, parts = glob.split("/"), path.split("/")
    ends = parts[-len(wanted) :]
    return len(ends) == len(wanted) and all(map(fnmatchcase, ends, wanted))
