"""Decide how names are written so that they fit."""

import textwrap
from collections.abc import Sequence
from itertools import groupby

_MAX_NAME = 34
MAX_UPRIGHT_NAME = 12
_MAX_CROWD = 55  # characters of all names together, each with a gap of 2
_MANY_NAMES = 8
_INNER = " · "
# Names longer than a line are written on two.
_MAX_LINE = 24
_LETTER, _AXIS_WIDTH = 6.4, 380.0  # points


def shorten(name: str, most: int = _MAX_NAME) -> str:
    """Return a name without its middle if it is too long to leave room for the plot."""
    return name if len(name) <= most else f"{name[: most // 2]}…{name[-most // 2 + 1 :]}"


def is_crowded(names: Sequence[str]) -> bool:
    """Return whether the names would overlap below an axis."""
    total = sum(len(name) + 2 for name in names)
    return total > _MAX_CROWD or max(map(len, names), default=0) > 2 * MAX_UPRIGHT_NAME


def has_groups(names: Sequence[str]) -> bool:
    """Return whether names of two parts are written on two lines, the first part once for its neighbours."""
    parts = [name.split(_INNER) for name in names]
    if len(parts) <= _MANY_NAMES or {len(part) for part in parts} != {2}:
        return False
    outer = [name for name, _ in groupby(part[0] for part in parts)]
    widest = max(len(part[1]) for part in parts) * _LETTER
    return len(outer) == len(set(outer)) and widest <= _AXIS_WIDTH / len(parts)


def groups(names: Sequence[str]) -> list[tuple[str, list[str]]]:
    """Return the first part of names of two parts, each with the second parts of its neighbours."""
    parts = [name.split(_INNER) for name in names]
    return [
        (outer, [inner for _, inner in group]) for outer, group in groupby(parts, key=lambda part: part[0])
    ]


def group_title(title: str) -> str:
    """Return the title of an axis of groups: "batch within sequence"."""
    return " within ".join(reversed(title.split(_INNER)))


def each_on_two_lines(names: Sequence[str]) -> list[str]:
    """Return names on at most two lines; of those that would look the same, what differs."""
    cut = [on_two_lines(name) for name in names]
    alike = [[other for other, text in zip(names, cut, strict=True) if text == own] for own in cut]
    return [on_two_lines(_differing(name, others)) for name, others in zip(names, alike, strict=True)]


def _differing(name: str, alike: Sequence[str]) -> str:
    parts = [other.split(_INNER) for other in alike]
    if len(parts) < 2 or len(set(map(len, parts))) > 1:
        return name
    differs = [len(set(column)) > 1 for column in zip(*parts, strict=True)]
    return (
        _INNER.join(part for part, is_own in zip(name.split(_INNER), differs, strict=True) if is_own) or name
    )


def on_two_lines(name: str) -> str:
    """Return a name on at most two lines; a second line that is too long loses its middle."""
    # A line ends with the dot between two parts, and does not begin with it.
    joined = name.replace(_INNER, _INNER.replace(" ", "\N{NO-BREAK SPACE}", 1))
    for width in (_MAX_LINE, _MAX_NAME):
        first, *rest = textwrap.wrap(joined, width) or [""]
        if len(rest) < 2:
            break
    return "\n".join([first, *([shorten(" ".join(rest))] if rest else [])])
