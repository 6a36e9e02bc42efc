"""Find letters in brackets that name a class or a head, as in `mAP50(B)` and `mAP50(M)`, and not a unit."""

from collections.abc import Mapping, Sequence

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.formats.tables.column_words import MEASURED_WORDS, QUALITY_WORDS, words_of

_MARK = lazy_pattern(r"[(\[]([A-Z])[)\]]")


def plain_names(columns: Mapping[str, Sequence[float]]) -> dict[str, str]:
    """Return the names of columns whose brackets hold such a letter, with braces, which hold no unit.

    columns  name -> numbers. A quality has no unit, no number of bytes is at most 1, and names that differ
    in the letter alone measure the same. A letter that is such a mark in one column is one in the others.
    """
    stems: dict[str, set[str]] = {}
    letters = {name: match[1] for name in columns if (match := _MARK.search(name))}
    for name, letter in letters.items():
        stems.setdefault(_MARK.sub("", name), set()).add(letter)
    marks = {
        letter
        for name, letter in letters.items()
        if not _names_quantity(name)
        and (
            QUALITY_WORDS & set(words_of(name))
            or len(stems[_MARK.sub("", name)]) > 1
            or (letter == "B" and _are_fractions(columns[name]))
        )
    }
    return {
        name: _MARK.sub(r"{\1}", name)
        for name, letter in letters.items()
        if letter in marks and not _names_quantity(name)
    }


def _names_quantity(name: str) -> bool:
    return bool(MEASURED_WORDS & set(words_of(name)))


def _are_fractions(values: Sequence[float]) -> bool:
    return any(value % 1 for value in values) and all(abs(value) <= 1 for value in values)
