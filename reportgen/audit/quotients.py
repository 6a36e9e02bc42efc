"""Ratios of two numbers of the same table: a column "A / B", a row "relative to the first".

Which two numbers a line divides is decided by all its numbers: two columns in each row, or each row and one
baseline row, and the same with rows and columns exchanged. The values divided are those of the sources, or
those that the table prints.
"""

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from reportgen.audit.agreement import RATIO, Scale, bits, bounds, is_cut, scales_of
from reportgen.audit.hints import is_ratio
from reportgen.audit.keys import squash
from reportgen.audit.layout import NumberClaim, TableLayout
from reportgen.core.lazy_pattern import lazy_pattern

_DISAGREEMENT, _MIN_PROOF, _MIN_SHARE, _MIN_AGREEING = 6.0, 9.0, 0.6, 3
# A heading that names both lines leaves less to be proved.
_MIN_ANNOUNCED = 2
_MAX_LINES = 40
# Numbers that decide what a line divides.
_MAX_DECIDING = 16
_SIDES = lazy_pattern(r"[A-Za-z0-9)] ?[/:÷] ?[A-Z0-9]")

Place = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Dividend:
    """A number of the table that may be divided: its value by its source, in the base unit, and as printed.

    half        half a unit of the last digit printed, 0 if the source has no further digits
    devices     of its case, 0 if unknown
    is_certain  whether the source agrees with what is printed
    """

    source: float
    printed: float
    half: float
    devices: int
    is_certain: bool


@dataclass(frozen=True, slots=True)
class Quotient:
    """A ratio of a table: what the two numbers give, and whether it agrees.

    is_certain  whether both numbers agree with their sources
    is_trusted  whether the line proves the rule, and no rounding of the two numbers explains the difference
    """

    value: float
    is_agreeing: bool
    is_certain: bool
    is_trusted: bool


@dataclass(frozen=True, slots=True)
class _Rule:
    """Which numbers a line divides: two other lines (across), or one other line by one place of it (along).

    is_inverse     whether the baseline is divided by the number
    is_efficiency  whether the quotient is divided by that of the devices
    bases          along a line: place -> its baseline, where each group of places has its own
    """

    numerator: int
    denominator: int
    is_across: bool
    scale: Scale
    is_inverse: bool = False
    is_efficiency: bool = False
    bases: Mapping[int, int] = field(default_factory=dict)

    def base(self, at: int) -> tuple[int, int]:
        """Return the place and line of the number that the one at a place is divided by."""
        if self.is_across:
            return at, self.denominator
        return self.bases.get(at, self.denominator), self.numerator


@dataclass(frozen=True, slots=True)
class _Names:
    """The name of a line of ratios, and the other lines and their places, as squashed words."""

    heading: str
    lines: tuple[str, ...]
    places: tuple[str, ...]

    @classmethod
    def of(cls, layout: TableLayout, claim: NumberClaim, *, is_column: bool) -> "_Names":
        heads, labels = tuple(map(_squashed, layout.heads)), tuple(map(_squashed, layout.labels))
        lines, places = (heads, labels) if is_column else (labels, heads)
        texts = layout.heads[claim.column] if is_column else layout.labels[claim.row]
        return cls(squash(" ".join(texts)), lines, places)

    def announce(self, rule: _Rule) -> bool:
        """Return whether the heading names what a rule divides: "A over B", "relative to B"."""
        if rule.bases:
            return False
        if not rule.is_across:
            return bool(self.places[rule.denominator]) and self.places[rule.denominator] in self.heading
        first, second = self.lines[rule.numerator], self.lines[rule.denominator]
        return bool(first and second) and first in self.heading and second in self.heading


def _squashed(texts: Sequence[str]) -> str:
    """Return headings without their units."""
    return squash(" ".join(re.sub(r"\([^()]*\)|\[[^\[\]]*\]|, *\S+$", " ", text) for text in texts))


def announces_ratio(texts: Sequence[str]) -> bool:
    """Return whether headings say that what is below them are ratios of two cases."""
    return is_ratio(texts) or any(map(_SIDES.search, texts))


def is_quotient(layout: TableLayout, claim: NumberClaim) -> bool:
    """Return whether a number is announced as a ratio."""
    is_named = announces_ratio(layout.heads[claim.column]) or announces_ratio(layout.labels[claim.row])
    return claim.unit == "x" or is_named or _has_two_names(layout, claim)


def _has_two_names(layout: TableLayout, claim: NumberClaim) -> bool:
    """Return whether a heading consists of the names of two other columns: "sequential/batched"."""
    sides = re.split(r"[/:÷]", " ".join(layout.heads[claim.column]))
    if len(sides) != 2 or not all(map(squash, sides)):
        return False
    others = {_squashed(head) for head in layout.heads}
    return all(squash(side) in others for side in sides)


def quotients_of(
    layout: TableLayout, claims: Sequence[NumberClaim], known: Mapping[Place, Dividend]
) -> dict[NumberClaim, Quotient]:
    """Return what the claims that are ratios should be, as far as their columns or rows prove a rule."""
    known_quotients: dict[NumberClaim, Quotient] = {}
    for is_column in (True, False):
        lines: dict[tuple[int, int], list[NumberClaim]] = defaultdict(list)
        for claim in claims:
            if claim not in known_quotients:
                lines[claim.column if is_column else claim.row, claim.part].append(claim)
        values = {
            (row, column) if is_column else (column, row): each for (row, column), each in known.items()
        }
        # One number agrees with some pair by chance.
        for line in [own for own in lines.values() if len(own) > 1][:_MAX_LINES]:
            names = _Names.of(layout, line[0], is_column=is_column)
            known_quotients |= _of_line(line, values, names, is_column=is_column)
    return known_quotients


def _of_line(
    line: Sequence[NumberClaim], values: Mapping[Place, Dividend], names: "_Names", *, is_column: bool
) -> dict[NumberClaim, Quotient]:
    at = [claim.row if is_column else claim.column for claim in line]
    sample = range(0, len(line), -(-len(line) // _MAX_DECIDING))
    rules = list(_rules(values, line, at))
    best: tuple[float, _Rule | None] = (_MIN_PROOF, None)
    for rule in rules:
        proof, agreeing, compared = 0.0 if names.announce(rule) else -math.log2(len(rules)), 0, 0
        for number in sample:
            if (shown := _shown(rule, values, at[number])) is None:
                continue
            compared += 1
            if _agrees(line[number], shown):
                agreeing += 1
                proof += bits(line[number].number, np.array(shown[:1]))
            else:
                proof -= _DISAGREEMENT
            if compared - agreeing > (1 - _MIN_SHARE) * len(sample):
                break
        if agreeing >= _MIN_SHARE * compared and proof > best[0]:
            best = proof, rule
    if best[1] is None:
        return {}
    rule = best[1]
    known = [
        (claim, place, shown)
        for claim, place in zip(line, at, strict=True)
        if (shown := _shown(rule, values, place)) is not None
    ]
    alike = [_agrees(claim, shown) for claim, _, shown in known]
    like = [
        (claim.number, np.array(shown)) for (claim, _, shown), own in zip(known, alike, strict=True) if own
    ]
    cut = iter(is_cut(like))
    least = _MIN_ANNOUNCED if names.announce(rule) else _MIN_AGREEING
    results: dict[NumberClaim, Quotient] = {}
    for (claim, place, shown), own in zip(known, alike, strict=True):
        is_rounding = _is_rounding(rule, values, place, claim)
        is_right = own and (not next(cut) or is_rounding)
        is_certain = all(each.is_certain for each in _pair(rule, values, place))
        # A wrong 1.00 hides the start of a group, and all ratios behind it look wrong.
        is_sure = not rule.bases or alike.count(False) <= 1
        is_trusted = sum(alike) - own >= least and is_sure and not is_rounding
        results[claim] = Quotient(shown[0], is_right, is_certain, is_trusted)
    return results


def _agrees(claim: NumberClaim, shown: tuple[float, float]) -> bool:
    low, high = bounds(claim.number)
    return any(low <= each <= high for each in shown)


def _is_rounding(rule: _Rule, values: Mapping[Place, Dividend], at: int, claim: NumberClaim) -> bool:
    """Return whether the numbers that a rule divides may have been rounded before they were divided."""
    own, base = _pair(rule, values, at)
    shown = _shown(rule, values, at)
    if shown is None or not own.printed or not base.printed:
        return False
    rounding = own.half / abs(own.printed) + base.half / abs(base.printed)
    return abs(shown[1] - claim.number.value) <= abs(shown[1]) * rounding + claim.number.half


def _pair(rule: _Rule, values: Mapping[Place, Dividend], at: int) -> tuple[Dividend, Dividend]:
    return values[at, rule.numerator], values[rule.base(at)]


def _bases(line: Sequence[NumberClaim], at: Sequence[int]) -> dict[int, int]:
    """Return place -> the nearest place before it whose ratio is 1; {} unless several are."""
    ones = sorted(place for claim, place in zip(line, at, strict=True) if claim.number.value == 1)
    if len(ones) < 2:
        return {}
    return {place: max((first for first in ones if first <= place), default=ones[0]) for place in at}


def _rules(
    values: Mapping[Place, Dividend], line: Sequence[NumberClaim], at: Sequence[int]
) -> Iterator[_Rule]:
    bases = _bases(line, at)
    others = sorted({column for _, column in values})[:_MAX_LINES]
    places = sorted({row for row, _ in values})[:_MAX_LINES]
    scales = list(dict.fromkeys(scale for claim in line for scale in scales_of(RATIO, claim.unit)))
    has_devices = any(each.devices for each in values.values())
    for scale in scales:
        for first in others:
            for second in others:
                if first != second:
                    yield _Rule(first, second, True, scale)
                    if has_devices:
                        yield _Rule(first, second, True, scale, is_efficiency=True)
            if bases:
                yield _Rule(first, first, False, scale, bases=bases)
                yield _Rule(first, first, False, scale, is_inverse=True, bases=bases)
            for place in places:
                yield _Rule(first, place, False, scale)
                yield _Rule(first, place, False, scale, is_inverse=True)


def _shown(rule: _Rule, values: Mapping[Place, Dividend], at: int) -> tuple[float, float] | None:
    """Return the quotients of the sources and of the printed numbers, None if there is nothing to divide."""
    own, base = values.get((at, rule.numerator)), values.get(rule.base(at))
    if own is None or base is None or own is base:
        return None
    own, base = (base, own) if rule.is_inverse else (own, base)
    if not base.source or not base.printed:
        return None
    share = base.devices / own.devices if rule.is_efficiency and own.devices else 1.0
    ratios = own.source / base.source * share, own.printed / base.printed * share
    scale = rule.scale
    return (ratios[0] - scale.offset) / scale.factor, (ratios[1] - scale.offset) / scale.factor
