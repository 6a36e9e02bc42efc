"""Find the columns whose decimal mark is a comma: "12,5", "1.234,5 ms". A number must prove it."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.formats.tables.column_words import meaning_of
from reportgen.formats.tables.derive import GROUPING

# Rows that are looked at.
_MAX_ROWS = 200
_NUMBER = lazy_pattern(rf"[+-]?([0-9.,{GROUPING}]+)(?:\s*[^0-9.,]*)")
_GROUPS = lazy_pattern(f"[{GROUPING}]")
# What follows a value: its spread, or a remark in brackets.
_BESIDE = lazy_pattern(r"±|[(\[]")
# "3.837.530" has two marks of one kind: they separate thousands.
_PROVES_COMMA = lazy_pattern(
    r"[0-9]{1,3}(?:\.[0-9]{3})+,[0-9]+|[0-9]{1,3}(?:\.[0-9]{3}){2,}|[0-9]+,(?:[0-9]{1,2}|[0-9]{4,})|0,[0-9]+"
)
_PROVES_POINT = lazy_pattern(
    r"[0-9]{1,3}(?:,[0-9]{3})+\.[0-9]*|[0-9]{1,3}(?:,[0-9]{3}){2,}|[0-9]+\.(?:[0-9]{1,2}|[0-9]{4,})|0\.[0-9]+"
)
# Numbers with several points that do not separate thousands: an address, a version.
_PARTS = lazy_pattern(r"(?![0-9]{1,3}(?:\.[0-9]{3})+$)[0-9]+(?:\.[0-9]+){2,}")
# Columns by name that may list numbers: GPUs "0,1".
_LISTS = ("factor", "index", "repeat", "series", "ignored", "status", "started")


Mark = Literal[".", ",", "either"]


def proves_comma(text: str) -> bool:
    """Return whether the comma of a number is its decimal mark beyond doubt."""
    match = _NUMBER.fullmatch(text.strip())
    return bool(match and _PROVES_COMMA.fullmatch(_GROUPS.sub("", match[1])))


def decimal_of(rows: Sequence[Mapping[str, Any]], columns: Iterable[str]) -> Mark | list[str]:
    """Return the decimal mark of the numbers of rows, or the columns in which it is a comma.

    Without a proof of a point, the commas of all columns are decimal marks. "either" if one column has proofs
    of both, and each number with a comma says what it is: a program joined the outputs of two others.
    """
    texts = {name: _numbers(rows, name) for name in columns if not name.startswith("../")}
    measured = [name for name in texts if meaning_of(name).kind not in _LISTS or meaning_of(name).unit]
    measured = [name for name in measured if not any(map(_PARTS.fullmatch, texts[name]))]
    points = {name for name in measured if any(map(_PROVES_POINT.fullmatch, texts[name]))}
    commas = [name for name in measured if any(map(_PROVES_COMMA.fullmatch, texts[name]))]
    if points & set(commas):
        with_comma = [text for name in measured for text in texts[name] if "," in text]
        are_clear = all(_PROVES_COMMA.fullmatch(x) or _PROVES_POINT.fullmatch(x) for x in with_comma)
        return "either" if are_clear else "."
    proven = [name for name in commas if name not in points]
    lists = {name for name in texts if name not in measured and any("," in text for text in texts[name])}
    return "." if not proven else proven if points or lists else ","


def _numbers(rows: Sequence[Mapping[str, Any]], column: str) -> list[str]:
    """Return the numbers of texts in a column, without units, signs, spreads, remarks and grouping marks."""
    cells = (row.get(column) for row in rows[:_MAX_ROWS])
    parts = (_NUMBER.fullmatch(_BESIDE.split(cell, 1)[0].strip()) for cell in cells if isinstance(cell, str))
    return [_GROUPS.sub("", part[1]) for part in parts if part]
