"""Split names of columns that form a grid: `1 GPU ms`, `1 GPU img/s`, `8 GPUs ms`, `8 GPUs img/s`.

A header of two lines gives such names, and people write them in one line, too.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

# If one column is called so, the others are what is compared with it.
BASELINES = frozenset(
    (
        *("after", "base", "baseline", "before", "control", "current", "head", "main", "master", "naive"),
        *("new", "old", "optimized", "original", "ours", "pr", "previous", "ref", "reference", "stock"),
        *("upstream", "vanilla"),
    )
)
# A blank after more words is in a sentence.
_MAX_WORDS = 8


def levels_of(names: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Return (upper, lower) of the names in a grid: two upper names or more share two lower ones or more.

    Of several ways to split a name, the longest upper name counts. One lower name is enough if an upper one
    says that the others are compared with it: `old time/op`, `new time/op`.
    """
    below: dict[str, dict[str, str]] = {}
    for name in names:
        for upper, lower in _splits(name):
            below.setdefault(upper, {})[lower] = name
    uppers = Counter(lower for lowers in below.values() for lower in lowers)
    known: dict[str, tuple[str, str]] = {}
    for upper in sorted(below, key=len):
        shared = [lower for lower in below[upper] if uppers[lower] > 1]
        if len(shared) > (upper.lower() not in BASELINES):
            known |= {name: (upper, lower) for lower, name in below[upper].items()}
    return known


def _splits(name: str) -> Iterator[tuple[str, str]]:
    for blank in list(re.finditer(r"\s+", name))[:_MAX_WORDS]:
        if blank.start():
            yield name[: blank.start()], name[blank.end() :]
