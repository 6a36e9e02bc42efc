"""Load JSON of unknown origin: a whole document or one object a line; nothing here raises on its content."""

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from itertools import accumulate, pairwise
from typing import Any, TypeGuard

from reportgen.core.factors import is_factor_value
from reportgen.core.model import FactorValue
from reportgen.formats.parsing.damage import Malformed


def load(content: bytes, pairs_hook: Callable[[list[tuple[str, Any]]], Any] | None = None) -> Any:
    """Return a JSON document, None if the content is not JSON; the hook makes its objects, as in `json`."""
    try:
        return json.loads(content.decode(), object_pairs_hook=pairs_hook)
    except (ValueError, RecursionError):
        return None


def fault(content: bytes) -> tuple[int, int, bool] | None:
    """Return the line and column where a text stops being JSON, and whether it ends there; None for JSON."""
    text = content.decode("utf-8", "replace")
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        is_cut = error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string")
        return error.lineno, error.colno, is_cut
    except RecursionError:
        return None
    return None


def load_leading(content: bytes) -> Any:
    """Return the JSON document at the beginning of a text, None if there is none; the rest is ignored."""
    return split_leading(content)[0]


def split_leading(content: bytes) -> tuple[Any, str]:
    """Return the JSON document at the beginning of a text, None if there is none, and the text after it."""
    text = content.decode("utf-8", "replace").lstrip()
    try:
        document, end = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return None, text
    return document, text[end:]


def objects(content: bytes, malformed: Malformed | None = None) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield (line, object) of each line that is a JSON object; other lines are malformed unless empty."""
    for number, line in enumerate(content.split(b"\n"), 1):
        if not line.strip():
            continue
        value = load(line) if line.lstrip(b" \t").startswith(b"{") else None
        if isinstance(value, dict):
            yield number, value
        elif malformed:
            malformed.add(number, "not a JSON object")


def inside(document: object, *keys: str) -> Any:
    """Return the value below nested keys, None if an object on the way or the last key is missing."""
    for key in keys:
        document = table(document).get(key)
    return document


def table(value: object) -> Mapping[str, Any]:
    """Return an object, an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def items(value: object) -> list[Any]:
    """Return a list, an empty one for anything else."""
    return value if isinstance(value, list) else []


def tables(value: object) -> list[Mapping[str, Any]]:
    """Return the items of a list as objects, an empty one for each item that is not an object."""
    return [table(item) for item in items(value)]


def number(value: object) -> float:
    """Return a number, also one written as text, NaN for anything else."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return math.nan
    try:
        return float(value)
    except (ValueError, OverflowError):
        return math.nan


def is_number(value: object) -> TypeGuard[int | float]:
    """Return whether a value is a number that stays finite when it is scaled or summed."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e300


def whole(value: object) -> int | None:
    """Return a whole number from 0 that fits into 63 bits, None for anything else."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**63 else None


def scalar(value: object) -> FactorValue | None:
    """Return a text that is not empty, a finite number or a boolean, None for anything else."""
    return value if is_factor_value(value) and value != "" else None


def scalars(values: Mapping[str, object]) -> dict[str, FactorValue]:
    """Return the values of a table that are scalars."""
    return {name: known for name, value in values.items() if (known := scalar(value)) is not None}


def nan_paths(value: object, path: str = "") -> Iterator[str]:
    """Yield the path of each NaN in a document, `train.latency.values`; those in one list have one path."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from nan_paths(inner, f"{path}.{name}" if path else str(name))
    elif isinstance(value, list):
        for inner in value:
            yield from nan_paths(inner, path)
    elif isinstance(value, float) and math.isnan(value):
        yield path


def lines_of(content: bytes, literal: bytes, count: int | None = None) -> list[int]:
    """Return the line of each occurrence of a literal, line 1 for all if there are not `count` of them."""
    offsets = [0, *(match.start() for match in re.finditer(re.escape(literal), content))]
    breaks = accumulate(content.count(b"\n", before, at) for before, at in pairwise(offsets))
    lines = [1 + before for before in breaks]
    return lines if count is None or len(lines) == count else [1] * count
