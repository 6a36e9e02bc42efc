"""Write the pattern of a line shape: its words as they stand, named groups where numbers have a meaning.

The pattern is to be read and corrected by people, so it says as little as it must: white space that never
changes is kept, numbers without a meaning are skipped by their kind, and what stands before the first group
is left out.
"""

import re

from reportgen.learn.roles import Roles
from reportgen.learn.shapes import BLANK, Shape

_SPECIAL = re.compile(r"([\\.+*?()|\[\]{}^$])")
_BLANKS = re.compile(f"[{BLANK}]{{2,}}|[\t\f]")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029]")
_LAST_WORDS = re.compile(r"[^\W\d_][^,;|\[\](){}]*[\[({]?$|[^\s\w]$")
_BARS = {"|": r"\|[^|]*\|", "[": r"\[[^\]]*\]"}


def pattern(shape: Shape, roles: Roles, *, whole_line: bool) -> str:
    """Return the pattern of a shape from its first named slot to its last.

    whole_line  begin with the line rather than with the word before the first group
    """
    first, last = min(roles.names), max(roles.names)
    pieces = ["^"] if whole_line else []
    if whole_line:
        pieces += [
            _literal(shape, 0) if slot == 0 else _skipped(shape, slot - 1) + _literal(shape, slot)
            for slot in range(first + 1)
        ]
    else:
        pieces.append(_words_before(shape, first))
    for slot in range(first, last + 1):
        pieces.append(
            _named(shape, slot, roles.names[slot]) if slot in roles.names else _skipped(shape, slot)
        )
        if slot < last:
            pieces.append(_literal(shape, slot + 1))
    return "".join(pieces) + _unit(shape, roles, last)


def anchor(shape: Shape, roles: Roles) -> str:
    """Return the longest text with letters that all lines of a shape have at their groups, "" if none."""
    first, last = min(roles.names), max(roles.names)
    places = range(first, last + 2)
    texts = [text for place in places for text in [_common(shape, place)] if re.search(r"[^\W\d_]{2}", text)]
    return max(texts, key=len, default="")


def _common(shape: Shape, place: int) -> str:
    """Return what is the same in all spellings of a literal: the whole, or its longest word."""
    spellings = shape.spellings(place)
    if len(spellings) == 1:
        return next(iter(spellings)).strip(BLANK)
    return max(shape.literals[place].split(" "), key=len, default="")


def _literal(shape: Shape, place: int) -> str:
    """Return the pattern of a literal, loose only where the lines differ in white space."""
    spellings = shape.spellings(place)
    if len(spellings) == 1:
        return escape(next(iter(spellings)))
    text = shape.literals[place]
    before = _space({spelling[: len(spelling) - len(spelling.lstrip(BLANK))] for spelling in spellings})
    after = _space({spelling[len(spelling.rstrip(BLANK)) :] for spelling in spellings})
    return before + escape(text).replace(" ", r"\s+") + after if text else before


def _space(seen: set[str]) -> str:
    if len(seen) == 1:
        return escape(next(iter(seen)))
    return r"\s*"


def _words_before(shape: Shape, slot: int) -> str:
    """Return the last words of the literal before a slot."""
    found = _LAST_WORDS.search(shape.literals[slot])
    if not found or shape.kinds[slot] == "date":
        return "" if slot or shape.literals[0] else "^" + _literal(shape, 0)
    whole, text = _literal(shape, slot), escape(found[0])
    return whole[max(whole.rfind(text), 0) :]


def _named(shape: Shape, slot: int, name: str) -> str:
    cells = shape.column(slot)
    if shape.kinds[slot] == "date":
        kind = r"[\d/-]+[T ][\d:.,]+" + ("" if all(cell[-1].isdigit() for cell in cells) else "Z?")
        kind = (
            r"[\d/-]+[T ][\d:.,+Z-]+"
            if any(re.search(r"Z|[-+]\d\d:?\d\d$", cell) for cell in cells)
            else kind
        )
    elif name in ("step", "epoch") or name.endswith(("size", "len", "devices", "epoch")):
        kind = r"[\d,]+" if any("," in cell for cell in cells) else r"\d+"
    else:
        kind = r"\d[\d,]*\.?\d*" if any("," in cell for cell in cells) else r"\d+\.?\d*"
        kind += r"(?:e[-+]?\d+)?" if any("e" in cell.lower() and cell[0].isdigit() for cell in cells) else ""
    return f"(?P<{name}>{kind})"


def _skipped(shape: Shape, slot: int) -> str:
    """Return the pattern of a slot without a meaning; a number that is part of a word stays as it is."""
    cells = shape.column(slot)
    before = shape.spellings(slot)
    if len(set(cells)) == 1 and all(re.search(r"[A-Za-z_]$", spelling) for spelling in before):
        return escape(cells[0])
    kinds = {"date": r"[\d/-]+[T ][\d:.,+Z-]+", "clock": r"[\d:.,]+"}
    if shape.kinds[slot] == "bar":
        return _BARS[cells[0][0]]
    if shape.kinds[slot] in kinds:
        return kinds[shape.kinds[slot]]
    if all(cell.isdecimal() for cell in cells):
        return r"\d+"
    return r"[-+.,\w]+" if any("," in cell for cell in cells) else r"[-+.\w]+"


def _unit(shape: Shape, roles: Roles, slot: int) -> str:
    """Return the unit behind the last group."""
    end = roles.units.get(slot, 0)
    if not end:
        return ""
    lead = _space({raw[: len(raw) - len(raw.lstrip(BLANK))] for raw in shape.spellings(slot + 1)})
    return lead + escape(shape.literals[slot + 1][:end]).replace(" ", r"\s+")


def escape(text: str) -> str:
    """Return text as a pattern: special characters quoted, control characters named, runs of spaces loose."""
    quoted = _SPECIAL.sub(r"\\\1", text)
    quoted = _BLANKS.sub(r"\\s+", quoted)
    return _CONTROL.sub(lambda found: rf"\x{{{ord(found[0]):x}}}", quoted)
