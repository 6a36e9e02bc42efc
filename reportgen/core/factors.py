"""Put names in the order in which people count: r2 before r10."""

import re

_DIGITS = re.compile(r"([0-9]+)")


def by_name(text: str) -> tuple[list[str | int], str]:
    """Return a sorting key of words and numbers in turn; no two texts share one.

    r1 and r01 are the same number: their texts decide.
    """
    parts: list[str | int] = [*_DIGITS.split(text)]
    parts[1::2] = map(int, parts[1::2])
    return parts, text
