"""The spread of the repeats of comparable cases, pooled: what a few repeats borrow to be likely.

A report knows its noise better than three numbers do. That two cases are as noisy as the others is an
assumption, and a verdict that rests on it says so.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from reportgen.compare.conditions import EVIDENCE
from reportgen.compare.side import Side
from reportgen.compare.verdicts.arrangement import TimedRepeat
from reportgen.compare.verdicts.decision import Spread
from reportgen.core.factors import FactorsKey, factors_key
from reportgen.core.stats import deviation
from reportgen.protocol.conditions import CLOCK

# Of cases that are measured alike: quantity, phase, clock and evidence.
_Kind = tuple[str, str, str, str]


@dataclass(frozen=True, eq=False)
class Spreads:
    """The pooled spreads of some cases, for each way of measuring.

    sides  the cases; they are read once, when a spread is first asked for
    """

    sides: Iterable[Side]

    def like(self, own: Side, base: Side) -> Spread | None:
        """Return the spread of the cases that are measured like these two; None if the two differ in that."""
        return self._pooled.get(_kind(own)) if _kind(own) == _kind(base) else None

    @cached_property
    def _pooled(self) -> Mapping[_Kind, Spread]:
        # Several tables of a document may show one case.
        members: dict[_Kind, dict[tuple[FactorsKey, tuple[TimedRepeat, ...]], list[float]]] = {}
        for side in self.sides:
            if len(side.repeats) > 1 and not side.invalid and min(each.value for each in side.repeats) > 0:
                logs = [math.log(each.value) for each in side.repeats]
                members.setdefault(_kind(side), {})[factors_key(side.factors), side.repeats] = logs
        return {kind: _pooled([*cases.values()]) for kind, cases in members.items()}


def _kind(side: Side) -> _Kind:
    conditions = side.conditions
    return side.metric, side.phase, conditions.get(CLOCK, ""), conditions.get(EVIDENCE, "")


def _pooled(cases: Sequence[list[float]]) -> Spread:
    """Return the standard deviation of values about the means of their cases."""
    squares = math.fsum((len(values) - 1) * deviation(values) ** 2 for values in cases)
    free = sum(len(values) - 1 for values in cases)
    return Spread(math.sqrt(squares / free), len(cases), free)
