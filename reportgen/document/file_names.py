"""Make names of files and anchors from the identifiers of tables and figures.

An identifier may contain values from a log (`fp32/Tesla V100-SXM2/8`): `/` becomes `--`, and every other
special character becomes `-`.
"""

import hashlib
from collections.abc import Iterable

from reportgen.core.lazy_pattern import lazy_pattern

REPORT_JSON = "report.json"
HISTORY = "history.js"
_OTHER = lazy_pattern(r"[^A-Za-z0-9._-]+")


def stem(identifier: str) -> str:
    """Return the identifier as a file name without extension."""
    parts = (_OTHER.sub("-", part).strip(".-") for part in identifier.split("/"))
    return "--".join(part for part in parts if part)[:120] or "unnamed"


def stems(identifiers: Iterable[str]) -> dict[str, str]:
    """Return a file name for each identifier; all differ, ignoring case."""
    identifiers = list(dict.fromkeys(identifiers))
    plain = {identifier: stem(identifier) for identifier in identifiers}
    taken: dict[str, int] = {}
    for name in plain.values():
        taken[name.casefold()] = taken.get(name.casefold(), 0) + 1
    return {
        identifier: name if taken[name.casefold()] == 1 else f"{name}-{_digest(identifier)}"
        for identifier, name in plain.items()
    }


def _digest(identifier: str) -> str:
    return hashlib.sha256(identifier.encode("utf-8", "replace")).hexdigest()[:8]
