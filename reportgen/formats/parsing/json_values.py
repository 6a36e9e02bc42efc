"""Load JSON of unknown origin: a whole document, or one object a line; what is no JSON is None or damage."""

import json
import math
from collections.abc import Iterator, Mapping
from typing import Any, TypeGuard

from reportgen.core.model import FactorValue
from reportgen.formats.base import Claim
from reportgen.formats.parsing.damage import Malformed
from reportgen.sources.logfiles import LogFiles


def load(content: bytes) -> Any:
    """Return a JSON document, None for anything that is none."""
    try:
        return json.loads(content.decode())
    except (ValueError, RecursionError):
        return None


def leading(content: bytes) -> Any:
    """Return the JSON document that a text begins with, whatever follows it, None for none."""
    try:
        return json.JSONDecoder().raw_decode(content.decode("utf-8", "replace").lstrip())[0]
    except (ValueError, RecursionError):
        return None


def objects(content: bytes, malformed: Malformed | None = None) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield (line, object) of each line that is a JSON object; others but empty ones are malformed."""
    for number, line in enumerate(content.split(b"\n"), 1):
        if not line.strip():
            continue
        found = load(line) if line.lstrip(b" \t").startswith(b"{") else None
        if isinstance(found, dict):
            yield number, found
        elif malformed:
            malformed.add(number, "not a JSON object")


def claim(
    files: LogFiles, literals: tuple[bytes, ...], confidence: float, starts: bytes = b"{["
) -> Claim | None:
    """Claim a file that begins like JSON and has all these literals in its head; the first is shown."""
    if files.is_folder:
        return None
    head = files.head(files.path)
    begin = head.lstrip()[:1]
    if not begin or begin not in starts or b"\0" in head or not all(literal in head for literal in literals):
        return None
    line = head.count(b"\n", 0, head.find(literals[0])) + 1
    return Claim(
        confidence, files.source(files.path, line), literals[0].decode("utf-8", "replace"), (files.path,)
    )


def table(found: object) -> Mapping[str, Any]:
    """Return what is an object, an empty one for anything else."""
    return found if isinstance(found, dict) else {}


def items(found: object) -> list[Any]:
    """Return what is a list, an empty one for anything else."""
    return found if isinstance(found, list) else []


def number(found: object) -> float:
    """Return a number, also one that stands there as a text, NaN for anything else."""
    if isinstance(found, bool) or not isinstance(found, (int, float, str)):
        return math.nan
    try:
        return float(found)
    except (ValueError, OverflowError):
        return math.nan


def is_number(found: object) -> TypeGuard[int | float]:
    """Return whether something is a number, and one that stays a float when it is scaled or added up."""
    return isinstance(found, (int, float)) and not isinstance(found, bool) and abs(found) < 1e300


def whole(found: object) -> int | None:
    """Return a whole number from 0 that fits into 63 bits, None for anything else."""
    return found if isinstance(found, int) and not isinstance(found, bool) and 0 <= found < 2**63 else None


def scalar(found: object) -> FactorValue | None:
    """Return a text, a finite number or a boolean, None for anything else."""
    if isinstance(found, (str, bool)):
        return found or None if isinstance(found, str) else found
    if isinstance(found, int):
        return found if abs(found) < 2**63 else None
    return found if isinstance(found, float) and math.isfinite(found) else None


def line_of(content: bytes, literal: bytes, last: bool = False) -> int:
    """Return the line of the first (or last) place of a literal, 0 where it is not."""
    at = content.rfind(literal) if last else content.find(literal)
    return content.count(b"\n", 0, at) + 1 if at >= 0 else 0
