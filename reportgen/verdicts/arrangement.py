"""Derive from start times how the repeats of two cases were arranged.

A machine drifts: it warms up, it is shared, its clocks change. Where the repeats of two cases took turns, a
drift touches both and the difference within each round is valid. Where all repeats of one case ran before
those of the other, a drift looks like a difference. So the arrangement decides which test may be used.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Kind = Literal["random rounds", "rounds", "alternating", "blocked", "unknown"]

# In these, the n-th repeats of both cases belong together.
PAIRED: tuple[Kind, ...] = ("random rounds", "rounds", "alternating")


@dataclass(frozen=True, slots=True)
class TimedRepeat:
    """One repeat of a case.

    value  in the unit of the metric; start  s since any fixed time, None if the log does not say it
    round  number of the round that it was planned for, None if nothing was planned
    """

    value: float
    start: float | None = None
    round: int | None = None


# A repeat of the case and one of its baseline.
Round = tuple[TimedRepeat, TimedRepeat]


@dataclass(frozen=True, slots=True)
class Arrangement:
    """The kind of an arrangement, and the rounds: pairs of one repeat of each case, in time order."""

    kind: Kind
    rounds: tuple[Round, ...] = ()

    @property
    def is_paired(self) -> bool:
        """Return whether the repeats took turns."""
        return self.kind in PAIRED


def arrange(repeats: Sequence[TimedRepeat], others: Sequence[TimedRepeat]) -> Arrangement:
    """Return how the repeats of two cases were arranged.

    Planned rounds are taken as they are: their order was drawn. Else rounds are what the start times show:
    each repeat of one case next to one of the other. `blocked` means that one case ran as a whole before the
    other; an order between the two, or a start that is missing or occurs twice, is unknown.
    """
    planned = _planned_rounds(repeats, others)
    if planned:
        return Arrangement("random rounds", planned)
    timed = [(each.start, which, each) for which, side in enumerate((repeats, others)) for each in side]
    starts = [start for start, _, _ in timed if start is not None]
    if len(set(starts)) < len(timed) or not repeats or not others:
        return Arrangement("unknown")
    ordered = sorted(timed, key=lambda entry: entry[0] or 0.0)
    sides = [which for _, which, _ in ordered]
    if sides == sorted(sides) or sides == sorted(sides, reverse=True):
        is_pair = len(sides) == 2
        return Arrangement("unknown" if is_pair else "blocked")
    if len(repeats) != len(others) or any(sides[i] == sides[i + 1] for i in range(0, len(sides), 2)):
        return Arrangement("unknown")
    pairs = [sorted(ordered[i : i + 2], key=lambda entry: entry[1]) for i in range(0, len(ordered), 2)]
    rounds = tuple((first[2], second[2]) for first, second in pairs)
    return Arrangement(
        "alternating" if len({sides[i] for i in range(0, len(sides), 2)}) == 1 else "rounds", rounds
    )


def _planned_rounds(repeats: Sequence[TimedRepeat], others: Sequence[TimedRepeat]) -> tuple[Round, ...]:
    """Return the rounds of both cases; none if a repeat was not planned or shares its round."""
    sides: list[dict[int, TimedRepeat]] = []
    for side in (repeats, others):
        by_round = {each.round: each for each in side if each.round is not None}
        if len(by_round) < len(side):
            return ()
        sides.append({number: each for number, each in by_round.items() if number is not None})
    shared = sorted(sides[0].keys() & sides[1].keys())
    return tuple((sides[0][number], sides[1][number]) for number in shared)
