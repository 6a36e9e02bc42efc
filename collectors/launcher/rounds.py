"""Arrange the missing runs of a campaign: in rounds of one run of each case, or case by case.

A machine drifts: it warms up, other load comes and goes. In a round, all cases run shortly after one another.
If the order within each round is drawn at random, drift favours none of them, and the runs of a round can be
compared by a test that drift cannot deceive. The order follows from a recorded seed: the cases of a round are
sorted by the SHA-256 of "seed/round/folder of the case".
"""

import functools
import hashlib
import secrets
from collections.abc import Mapping
from typing import NamedTuple, Optional

ORDERS = ("interleaved", "random", "sequential")
_MAX_SEED = 2**31


class Turn(NamedTuple):
    """A run to come: the folder name of its case, and its round (from 1; None if the order is not random)."""

    case: str
    round: Optional[int]


def draw_seed() -> int:
    """Return a new seed."""
    return secrets.randbelow(_MAX_SEED)


def arrange(missing: Mapping[str, int], order: str, *, first_round: int, seed: int) -> list[Turn]:
    """Return the missing runs in their order.

    missing      folder name of each case -> number of runs; in the order of the campaign
    order        one of ORDERS; interleaved: each round has the order of the campaign
    first_round  number of the first random round; higher than those of earlier calls of the launcher, because
                 their rounds are over
    seed         of the order random
    """
    if order == "sequential":
        return [Turn(case, None) for case, count in missing.items() for _ in range(count)]
    turns = []
    for done in range(max(missing.values(), default=0)):
        cases = [case for case, count in missing.items() if count > done]
        if order == "random":
            number = first_round + done
            turns += [
                Turn(case, number) for case in sorted(cases, key=functools.partial(_draw, seed, number))
            ]
        else:
            turns += [Turn(case, None) for case in cases]
    return turns


def _draw(seed: int, number: int, case: str) -> bytes:
    return hashlib.sha256(f"{seed}/{number}/{case}".encode()).digest()
