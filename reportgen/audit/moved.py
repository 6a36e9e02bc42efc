"""Find rows and columns whose numbers all belong to other ones: swapped labels, a row that is shifted.

One number that agrees with another place may be chance. So all numbers of a line must agree with one other
line whose own numbers are wrong as well, or each with another place of its own line.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from reportgen.audit.agreement import bits
from reportgen.audit.evidence import Evidence
from reportgen.audit.keys import Mask
from reportgen.audit.layout import NumberClaim
from reportgen.audit.mapping import Outcome, Reading, compare

# What the numbers of a line must prove for another place, in bits.
_MIN_PROOF = 14.0
_MAX_LINES, _MAX_NUMBERS = 300, 40


@dataclass(frozen=True, slots=True)
class LineNumber:
    """A number of a row or column with its reading, and whether it agrees where it is."""

    claim: NumberClaim
    reading: Reading
    is_verified: bool


@dataclass(frozen=True, slots=True)
class Moved:
    """The place that a number belongs to: its case and value there, and what it proves, in bits."""

    case: int
    value: float
    proof: float
    text: str


Lines = Mapping[int, Sequence[LineNumber]]


def moved_lines(
    evidence: Evidence, lines: Lines, candidates: Callable[[NumberClaim], Mask], *, is_row: bool
) -> dict[NumberClaim, Moved]:
    """Return where the numbers of wrong lines belong.

    lines  the numbers of each row (or column); candidates  the cases that a number of some place may be about
    """
    moved: dict[NumberClaim, Moved] = {}
    finder = _Finder(evidence, lines, candidates, is_row)
    for at, members in list(lines.items())[:_MAX_LINES]:
        if _is_wrong(members) and 1 < len(members) <= _MAX_NUMBERS:
            moved |= finder.of_other_line(at) or finder.of_own_line(at)
    return moved


def _is_wrong(members: Sequence[LineNumber]) -> bool:
    """Return whether fewer than half of the numbers of a line agree where they are."""
    return 2 * sum(each.is_verified for each in members) < len(members)


@dataclass(frozen=True, slots=True)
class _Finder:
    evidence: Evidence
    lines: Lines
    candidates: Callable[[NumberClaim], Mask]
    is_row: bool

    def of_other_line(self, at: int) -> dict[NumberClaim, Moved]:
        """Return the other wrong line in which all numbers of a line agree, {} without one."""
        for other, theirs in list(self.lines.items())[:_MAX_LINES]:
            if other == at or not _is_wrong(theirs):
                continue
            outcomes = list(self._in_line(at, other))
            proof = sum(bits(each.claim.number, own.values) for each, own in outcomes)
            if len(outcomes) == 1:
                # One number is little: the other line must have the number of this one.
                proof += sum(bits(each.claim.number, own.values) for each, own in self._in_line(other, at))
            if outcomes and proof - math.log2(len(self.lines)) >= _MIN_PROOF:
                what = "row" if self.is_row else "column"
                text = f"the numbers of this {what} belong to that of line {theirs[0].claim.cell.line}"
                if not self.is_row:
                    text = f"the numbers of this column belong to that of {theirs[0].claim.number.text}"
                return {each.claim: _moved(each, own, text) for each, own in outcomes}
        return {}

    def _in_line(self, at: int, other: int) -> Iterator[tuple[LineNumber, Outcome]]:
        """Yield the numbers of a line with the cases of another; nothing unless all of them agree."""
        theirs = {self._across(each.claim): each for each in self.lines[other]}
        agreeing: list[tuple[LineNumber, Outcome]] = []
        for each in self.lines[at]:
            there = theirs.get(self._across(each.claim))
            if there is None:
                return
            outcome = self._compare(each, there)
            if not outcome.is_verified:
                return
            agreeing.append((each, outcome))
        yield from agreeing

    def _across(self, claim: NumberClaim) -> tuple[int, int]:
        return (claim.column if self.is_row else claim.row), claim.part

    def _compare(self, each: LineNumber, there: LineNumber) -> Outcome:
        """Compare a number with the cases of another place, under the reading of that place."""
        place = replace(each.claim, row=there.claim.row, column=there.claim.column)
        return compare(self.evidence, place, there.reading, self.candidates(place))

    def of_own_line(self, at: int) -> dict[NumberClaim, Moved]:
        """Return the other places of a line that its numbers belong to, {} unless all belong to others."""
        plain = [each for each in self.lines[at] if not self._is_ratio(each)]
        if len(plain) < 2 or any(each.is_verified for each in plain):
            return {}
        moved: dict[NumberClaim, Moved] = {}
        taken: set[NumberClaim] = set()
        proof = -math.lgamma(len(plain) + 1) / math.log(2)
        for each in plain:
            for there in plain:
                if there is each or there.claim in taken or there.reading.scale != each.reading.scale:
                    continue
                outcome = self._compare(each, there)
                if outcome.is_verified:
                    what = "column" if self.is_row else "row"
                    text = f"the number belongs to the {what} in which {there.claim.number.text} is written"
                    moved[each.claim] = _moved(each, outcome, text)
                    taken.add(there.claim)
                    proof += bits(each.claim.number, outcome.values)
                    break
            else:
                return {}
        return moved if proof >= _MIN_PROOF else {}

    def _is_ratio(self, each: LineNumber) -> bool:
        return bool(self.evidence.measures[each.reading.measure].baseline)


def _moved(each: LineNumber, outcome: Outcome, text: str) -> Moved:
    at = int(np.flatnonzero(outcome.agree)[0])
    return Moved(
        int(outcome.cases[at]), float(outcome.values[at]), bits(each.claim.number, outcome.values), text
    )
