"""Name the entries of a definition as a reader finds them: by file, line and id."""

import re
from collections import defaultdict
from collections.abc import Callable
from functools import cache
from typing import Any

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.schema import parse

_HEADER = lazy_pattern(r"^[ \t]*\[\[[ \t]*(\w+)[ \t]*\]\]", re.MULTILINE)
_ID = lazy_pattern(r"[\w.-]+")


def entry_places(text: str, place: str) -> Callable[[str], str]:
    """Return a function that names the places below a definition.

    It makes "x.toml: tables[2].rows" to "x.toml:17: tables.times.rows"; other places stay as they are.

    text  of the definition; place  its file
    """

    @cache
    def headers() -> tuple[dict[str, Any], dict[str, list[int]]]:
        lines = defaultdict[str, list[int]](list)
        line, counted = 1, 0
        for header in _HEADER.finditer(text):
            line, counted = line + text.count("\n", counted, header.start()), header.start()
            lines[header[1]].append(line)
        return parse(text), lines

    entry = re.compile(rf"{re.escape(place)}: (\w+)\[(\d{{1,9}})\]")

    def named(match: re.Match[str]) -> str:
        name, position = match[1], int(match[2])
        document, lines = headers()
        entries = document.get(name)
        if not isinstance(entries, list) or position >= len(entries):
            return match[0]  # a value of the definition that looks like a place
        if len(entries) != len(lines.get(name, ())):
            return match[0]  # written in one line, or a text has a line like a header
        return f"{place}:{lines[name][position]}: {_named(name, position, entries[position])}"

    return lambda text: entry.sub(named, text)


def _named(name: str, position: int, entry: Any) -> str:
    id = entry.get("id") if isinstance(entry, dict) else None
    return f"{name}.{id}" if isinstance(id, str) and _ID.fullmatch(id) else f"{name}[{position}]"
