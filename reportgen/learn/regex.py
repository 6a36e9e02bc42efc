"""Write the pattern of a line template: its words unchanged, named groups for the numbers with a role.

The pattern is to be read and corrected by people, so it says as little as it must: white space that never
changes is kept, numbers without a role are skipped by their kind, and the text before the first group
is left out. A number is taken whole or not at all: in another log of the form it may be smaller and have an
exponent, or be followed by another unit.
"""

import re

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.learn.columns import ColumnRoles
from reportgen.learn.templates import BLANK, LineTemplate

_SPECIAL = lazy_pattern(r"([\\.+*?()|\[\]{}^$])")
_BLANKS = lazy_pattern(f"[{BLANK}]{{2,}}|[\t\f]")
_CONTROL = lazy_pattern(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029]")
_LAST_WORDS = lazy_pattern(r"[^\W\d_][^,;|\[\](){}]*[\[({]?$|[^\s\w]$")
_EXPONENT = r"(?:[eE][-+]?\d+)?"
_THOUSANDS = r"\d+(?:,\d{3})*"
# What ends a number: no letter and no more of a number, a clock or a share; a sentence may end with it.
_END = r"[.,:]?(?:[^\pL\d_.,:%]|$)"
_ENDED = lazy_pattern(r"[.,:]?(?:[^\w.,:%]|$)")
_BARS = {"|": r"\|[^|]*\|", "[": r"\[[^\]]*\]"}


def pattern(template: LineTemplate, roles: ColumnRoles, *, whole_line: bool) -> str:
    """Return the pattern of a template from its first named slot to its last.

    whole_line  begin with the line rather than with the word before the first group
    """
    first, last = min(roles.names), max(roles.names)
    pieces = ["^"] if whole_line else []
    if whole_line:
        pieces += [
            _literal(template, 0) if slot == 0 else _skipped(template, slot - 1) + _literal(template, slot)
            for slot in range(first + 1)
        ]
    else:
        pieces.append(_words_before(template, first))
    for slot in range(first, last + 1):
        pieces.append(
            _named(template, slot, roles.names[slot]) if slot in roles.names else _skipped(template, slot)
        )
        if slot < last:
            pieces.append(_literal(template, slot + 1))
    return "".join(pieces) + _after(template, roles, last)


def anchor(template: LineTemplate, roles: ColumnRoles) -> str:
    """Return the longest text with letters that all lines of a template have at their groups, "" if none."""
    first, last = min(roles.names), max(roles.names)
    places = range(first, last + 2)
    texts = [
        text for place in places for text in [_common(template, place)] if re.search(r"[^\W\d_]{2}", text)
    ]
    return max(texts, key=len, default="")


def _common(template: LineTemplate, place: int) -> str:
    """Return what is the same in all spellings of a literal: the whole, or its longest word."""
    spellings = template.spellings(place)
    if len(spellings) == 1:
        return next(iter(spellings)).strip(BLANK)
    return max(template.literals[place].split(" "), key=len, default="")


def _literal(template: LineTemplate, place: int) -> str:
    """Return the pattern of a literal, loose only where the lines differ in white space."""
    spellings = template.spellings(place)
    if len(spellings) == 1:
        return escape(next(iter(spellings)))
    text = template.literals[place]
    before = _space({spelling[: len(spelling) - len(spelling.lstrip(BLANK))] for spelling in spellings})
    after = _space({spelling[len(spelling.rstrip(BLANK)) :] for spelling in spellings})
    if not text:
        return r"\s+" if all(spellings) else before
    return before + escape(text).replace(" ", r"\s+") + after


def _space(seen: set[str]) -> str:
    if len(seen) == 1:
        return escape(next(iter(seen)))
    return r"\s*"


def _words_before(template: LineTemplate, slot: int) -> str:
    """Return the last words of the literal before a slot."""
    words = _LAST_WORDS.search(template.literals[slot])
    if template.kinds[slot] == "date" and (slot or template.literals[0]):
        return ""
    if not words or template.kinds[slot] == "date":
        return ("" if slot else "^") + _literal(template, slot)
    whole, text = _literal(template, slot), escape(words[0])
    return whole[max(whole.rfind(text), 0) :]


def _named(template: LineTemplate, slot: int, name: str) -> str:
    cells = template.column(slot)
    if template.kinds[slot] == "date":
        kind = r"[\d/-]+[T ][\d:.,]+" + ("" if all(cell[-1].isdigit() for cell in cells) else "Z?")
        kind = (
            r"[\d/-]+[T ][\d:.,+Z-]+"
            if any(re.search(r"Z|[-+]\d\d:?\d\d$", cell) for cell in cells)
            else kind
        )
    else:
        kind = _THOUSANDS if any("," in cell for cell in cells) else r"\d+"
        is_count = name in ("step", "epoch", "rank") or name.endswith(("size", "len", "devices", "epoch"))
        kind += "" if is_count else r"(?:\.\d*)?" + _EXPONENT
    return f"(?P<{name}>{kind})"


def _skipped(template: LineTemplate, slot: int) -> str:
    """Return the pattern of a slot without a meaning; a number that is part of a word stays as it is."""
    cells = template.column(slot)
    before = template.spellings(slot)
    if len(set(cells)) == 1 and all(re.search(r"[A-Za-z_]$", spelling) for spelling in before):
        return escape(cells[0])
    kinds = {"date": r"[\d/-]+[T ][\d:.,+Z-]+", "clock": r"[\d:.,]+"}
    if template.kinds[slot] == "bar":
        return _BARS[cells[0][0]]
    if template.kinds[slot] in kinds:
        return kinds[template.kinds[slot]]
    if all(cell.isdecimal() for cell in cells):
        return r"\d+"
    return r"[-+.,\w]+" if any("," in cell for cell in cells) else r"[-+.\w]+"


def _after(template: LineTemplate, roles: ColumnRoles, slot: int) -> str:
    """Return the pattern after the last group: its unit, the text glued to it, or the end of a number."""
    end = roles.units.get(slot, 0)
    if not end and template.kinds[slot] == "date":
        return ""
    if not end and all(_ENDED.match(text) for text in _rests(template, slot)):
        return _END
    text, spellings = template.literals[slot + 1], template.spellings(slot + 1)
    end = end or len(text.split(" ")[0])
    lead = _space({raw[: len(raw) - len(raw.lstrip(BLANK))] for raw in spellings})
    is_apart = slot + 2 == len(template.literals) or all(raw != raw.rstrip(BLANK) for raw in spellings)
    next_letter = text[end : end + 1] or ("" if is_apart else "_")
    ends_a_word = re.match(r"\w\b", text[:end][-1:] + next_letter, re.ASCII) if end else None
    return lead + escape(text[:end]).replace(" ", r"\s+") + (r"\b" if ends_a_word else "")


def _rests(template: LineTemplate, slot: int) -> set[str]:
    """Return the texts after a slot up to the end of the next slot."""
    return {
        "".join((raw[slot + 1], *row[slot + 1 : slot + 2]))
        for raw, row in zip(template.raws, template.rows, strict=True)
    }


def escape(text: str) -> str:
    """Return text as a pattern: special characters quoted, control characters named, runs of spaces loose."""
    quoted = _SPECIAL.sub(r"\\\1", text)
    quoted = _BLANKS.sub(r"\\s+", quoted)
    return _CONTROL.sub(lambda match: rf"\x{{{ord(match[0]):x}}}", quoted)
