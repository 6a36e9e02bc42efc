"""Read the settings that scripts print before they begin: `key = value` and `key ...... value` lines."""

import re
from collections.abc import Mapping

_SETTING = re.compile(
    rb"^[ \t]*([A-Za-z_][A-Za-z0-9_]{0,60})(?: = | \.{3,80} )([^\r\n]{1,400})", re.MULTILINE
)
_TRUE = ("True", "true", "1")
_MOST_DIGITS = 15


def settings(content: bytes) -> Mapping[str, str]:
    """Return the settings in a log, the last of each name; they may also come after the records."""
    return {
        found[1].decode("ascii"): found[2].decode("utf-8", "replace").strip()
        for found in _SETTING.finditer(content)
    }


def number(table: Mapping[str, str], *names: str) -> int | None:
    """Return the first of these settings that is a positive whole number."""
    for name in names:
        text = table.get(name, "")
        if text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS and int(text):
            return int(text)
    return None


def is_set(table: Mapping[str, str], *names: str) -> bool | None:
    """Return whether one of these switches is on, None where the log has none of them."""
    found = [table[name] in _TRUE for name in names if name in table]
    return any(found) if found else None
