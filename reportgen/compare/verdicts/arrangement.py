"""Derive from start times how the repeats of two cases were arranged.

A machine drifts: it warms up, it is shared, its clocks change. Where the repeats of two cases took turns, a
drift touches both and the difference within each round is valid. Where all repeats of one case ran before
those of the other, a drift looks like a difference. So the arrangement decides which test may be used.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

Kind = Literal["random rounds", "rounds", "alternating", "blocked", "unknown"]

# In these, the n-th repeats of both cases belong together.
PAIRED: tuple[Kind, ...] = ("random rounds", "rounds", "alternating")
# Local times of one moment differ by 26 hours at most: UTC+14 and UTC-12.
_ZONES = 26 * 3600.0


@dataclass(frozen=True, slots=True)
class TimedRepeat:
    """One repeat of a case.

    value    in the unit of the metric; start  s since any fixed time, None if the log does not say it
    clock    that the start is by: starts by different clocks have no order
    round    the campaign (by the seed of its order) and the number of the round in it; None if not planned
    seconds  that the run took, None if the log does not say it; devices  that it took, 0 if not known
    """

    value: float
    start: float | None = None
    round: tuple[int, int] | None = None
    seconds: float | None = None
    devices: int = 0
    clock: str = ""


# In strict alternation one case always runs later in a round, and a drift makes it look faster or slower. So
# its test has a lower level: then at most 5.5 % of equal cases differ at 95 % under any noise tried.
ALTERNATING_LEVEL = 0.8

# Of rounds that lack a case, because a run failed, at least so many must be left: they decide at 95 %.
FEWEST_SHARED = 6

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

    Planned rounds are taken as they are, if all repeats took part in them and none began before the round
    before it had ended: their order was drawn. Else rounds are what the start times show: each repeat of one
    case next to one of the other. `blocked` means that one case ran as a whole before the other, by any clock
    if days are between them; an order between the two, or a start that is missing, occurs twice or is by
    another clock, is unknown.
    """
    planned = _planned_rounds(repeats, others)
    if planned:
        return Arrangement("random rounds", planned)
    timed = [(each.start, which, each) for which, side in enumerate((repeats, others)) for each in side]
    starts = [start for start, _, _ in timed if start is not None]
    is_ordered = len(set(starts)) == len(timed) and have_one_clock((*repeats, *others))
    if not repeats or not others:
        return Arrangement("unknown")
    if not is_ordered:
        return Arrangement("blocked" if len(timed) > 2 and are_days_apart(repeats, others) else "unknown")
    ordered = sorted(timed, key=lambda entry: entry[0] or 0.0)
    sides = [which for _, which, _ in ordered]
    if sides == sorted(sides) or sides == sorted(sides, reverse=True):
        # One run of each shows no order.
        return Arrangement("unknown" if len(sides) == 2 else "blocked")
    if len(repeats) != len(others) or any(sides[i] == sides[i + 1] for i in range(0, len(sides), 2)):
        return Arrangement("unknown")
    pairs = [sorted(ordered[i : i + 2], key=lambda entry: entry[1]) for i in range(0, len(ordered), 2)]
    rounds = tuple((first[2], second[2]) for first, second in pairs)
    has_fixed_order = len(set(sides[::2])) == 1
    return Arrangement("alternating" if has_fixed_order else "rounds", rounds)


def level_of(kind: str, alpha: float) -> float:
    """Return the level of the test of rounds in an order, so that its false alarms are at most alpha."""
    return alpha * ALTERNATING_LEVEL if kind == "alternating" else alpha


def have_one_clock(repeats: Sequence[TimedRepeat]) -> bool:
    """Return whether all starts are known by one clock, so that they have an order."""
    return all(each.start is not None for each in repeats) and len({each.clock for each in repeats}) < 2


def are_days_apart(repeats: Sequence[TimedRepeat], others: Sequence[TimedRepeat]) -> bool:
    """Return whether one case ran so long before the other that no time zone changes their order."""
    sides = [[each.start for each in side if each.start is not None] for side in (repeats, others)]
    if not all(sides) or sum(map(len, sides)) < len(repeats) + len(others):
        return False
    first, second = sorted(sides, key=min)
    return min(second) - max(first) > _ZONES


def _planned_rounds(repeats: Sequence[TimedRepeat], others: Sequence[TimedRepeat]) -> tuple[Round, ...]:
    """Return the rounds that both cases took part in, if they follow each other in time.

    None if a repeat was not planned, or if so many rounds lack one of the cases that too few are left.
    """
    own, base = ({each.round: each for each in side} for side in (repeats, others))
    if None in own or None in base or len(own) < len(repeats) or len(base) < len(others):
        return ()
    shared = [(own[number], base[number]) for number in own if number in base]
    if len(shared) < FEWEST_SHARED and own.keys() != base.keys():
        return ()
    spans = [
        (min(first.start, second.start), max(first.start, second.start), (first, second))
        for first, second in shared
        if first.start is not None and second.start is not None
    ]
    spans.sort(key=lambda span: span[:2])
    is_in_turn = all(later[0] > earlier[1] for earlier, later in pairwise(spans))
    return tuple(span[2] for span in spans) if is_in_turn and len(spans) == len(shared) else ()
