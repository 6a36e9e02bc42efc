"""Why a number may differ from its source: the usual mistakes of tables made by hand, the simplest first.

Each hypothesis must give the number exactly, to all of its digits. A hypothesis explains a difference that
was found without it; it is never the reason to accuse.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from reportgen.audit.agreement import agrees, bounds, scales_of
from reportgen.audit.evidence import REPEAT, Evidence
from reportgen.audit.layout import NumberClaim
from reportgen.audit.mapping import Reading
from reportgen.audit.numbers import Number

_SHIFTS = (1, -1, 2, -2, 3, -3)
_UNITS = {
    1000.0: "1,000",
    1 / 1000: "1,000",
    1e6: "1,000,000",
    1e-6: "1,000,000",
    60.0: "60",
    1 / 60: "60",
    3600.0: "3,600",
}
_BINARY = {
    2.0**20 / 1e6: "MB for MiB", 1e6 / 2.0**20: "MiB for MB",
    1.024: "a factor of 1,024 for 1,000", 1 / 1.024: "a factor of 1,000 for 1,024",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A mistake that would give the number: its name and the sentence about it."""

    name: str
    text: str


CUT_OFF = Hypothesis("cut off", "digits are cut off, not rounded")


@dataclass(frozen=True, slots=True)
class Doubt:
    """A claim that differs: its reading, the value expected (as shown), its case.

    neighbours  the other claims of the table with the values expected of them
    devices     of the case, 0 if unknown
    """

    claim: NumberClaim
    reading: Reading
    expected: float
    case: int
    devices: int
    neighbours: Sequence[tuple[NumberClaim, float]]


def explain(evidence: Evidence, doubt: Doubt) -> Hypothesis | None:
    """Return the first hypothesis that gives the number, None if none does."""
    return next(iter(_hypotheses(evidence, doubt)), None)


def explain_ratio(number: Number, expected: float) -> Hypothesis | None:
    """Return the first mistake that gives a ratio, None if none does."""
    if _is(number, expected):
        return CUT_OFF
    if expected and _is(number, 1 / expected):
        return Hypothesis("inverted ratio", "the ratio is inverted")
    if _is_transposed(number, expected):
        return Hypothesis("transposed digits", "two neighbouring digits are transposed")
    return next(_shifts(number, expected), None)


def _is(number: Number, shown: float) -> bool:
    return bool(agrees(number, np.array([shown]))[0]) if math.isfinite(shown) else False


def _hypotheses(evidence: Evidence, doubt: Doubt) -> Iterator[Hypothesis]:
    number, expected = doubt.claim.number, doubt.expected
    if _is(number, expected):
        yield CUT_OFF
    yield from _swaps(doubt)
    yield from _shifts(number, expected)
    yield from _per_device(number, expected, doubt.devices)
    yield from _other_measures(evidence, doubt)
    if _is_transposed(number, expected):
        yield Hypothesis("transposed digits", "two neighbouring digits are transposed")
    yield from _copies(doubt)
    yield from _other_cases(evidence, doubt)
    for factor, text in _BINARY.items():
        if _is(number, expected * factor):
            yield Hypothesis("unit", f"the unit is mistaken: {text}")


def _swaps(doubt: Doubt) -> Iterator[Hypothesis]:
    """A swap: another cell has the number expected here, and this one has the number expected there."""
    for claim, expected in doubt.neighbours:
        is_swapped = _is(doubt.claim.number, expected) and _is(claim.number, doubt.expected)
        if is_swapped and not _is(claim.number, expected):
            yield Hypothesis("swapped cells", f"swapped with {claim.number.text} in line {claim.cell.line}")
            return


def _shifts(number: Number, expected: float) -> Iterator[Hypothesis]:
    for shift in _SHIFTS:
        if _is(number, expected * 10.0**shift):
            if abs(shift) == 3:
                yield Hypothesis("unit", "the unit is mistaken: a factor of 1,000")
            places = abs(shift)
            yield Hypothesis("decimal shift", f"the decimal point is {places} place{'s' * (places > 1)} off")
    for factor, text in _UNITS.items():
        if _is(number, expected * factor):
            yield Hypothesis("unit", f"the unit is mistaken: a factor of {text}")


def _per_device(number: Number, expected: float, devices: int) -> Iterator[Hypothesis]:
    if devices > 1 and _is(number, expected / devices):
        yield Hypothesis("per device", f"this is the value of one device of {devices}, not of all")
    if devices > 1 and _is(number, expected * devices):
        yield Hypothesis("total", f"this is the value times {devices} devices")


def _other_measures(evidence: Evidence, doubt: Doubt) -> Iterator[Hypothesis]:
    """The number is another measure of the case: a rate for a time, a mean for a median, another phase."""
    low, high = bounds(doubt.claim.number)
    own = evidence.measures[doubt.reading.measure]
    values = evidence.values[:, doubt.case]
    close: list[tuple[int, int, Hypothesis]] = []
    for base in dict.fromkeys(evidence.units):
        for scale in scales_of(base, ""):
            rows = np.flatnonzero(
                (values >= low * scale.factor + scale.offset) & (values <= high * scale.factor + scale.offset)
            )
            for row in rows:
                measure = evidence.measures[row]
                if evidence.units[row] != base or row == doubt.reading.measure:
                    continue
                changes = sum(
                    getattr(measure, name) != getattr(own, name)
                    for name in ("metric", "phase", "protocol", "statistic", "scope")
                )
                close.append((changes, int(row), _named_measure(own, measure, evidence, int(row), doubt)))
    if close:
        yield min(close, key=lambda each: each[:2])[2]


def _named_measure(own: object, measure: object, evidence: Evidence, row: int, doubt: Doubt) -> Hypothesis:
    here, there = evidence.measures[doubt.reading.measure], evidence.measures[row]
    if (here.metric, here.phase) == (there.metric, there.phase):
        if here.statistic != there.statistic:
            return Hypothesis(
                "statistic", f"this is the {there.statistic}; the table shows the {here.statistic}"
            )
        if here.scope != there.scope:
            return Hypothesis("scope", f"this is the value of scope {there.scope}, not {here.scope}")
        return Hypothesis("protocol", f"this is the value under protocol {there.protocol}")
    if evidence.units[row] != evidence.units[doubt.reading.measure] and here.phase == there.phase:
        return Hypothesis("time for rate", f"this is {there.metric}, not {here.metric}")
    return Hypothesis("other measure", f"this is {there.metric} of phase {there.phase}")


def _is_transposed(number: Number, expected: float) -> bool:
    digits = _digits(number.value, number.half)
    right = _digits(expected, number.half)
    if len(digits) != len(right) or digits == right:
        return False
    differing = [at for at in range(len(digits)) if digits[at] != right[at]]
    return (
        len(differing) == 2
        and differing[1] == differing[0] + 1
        and (digits[differing[0]], digits[differing[1]]) == (right[differing[1]], right[differing[0]])
    )


def _digits(value: float, half: float) -> str:
    return str(round(abs(value) / (2 * half))) if half > 0 and abs(value) / half < 1e17 else ""


def _copies(doubt: Doubt) -> Iterator[Hypothesis]:
    """The number belongs to another row or column of the table."""
    for claim, expected in doubt.neighbours:
        if (
            claim.row != doubt.claim.row
            and claim.column == doubt.claim.column
            and _is(doubt.claim.number, expected)
        ):
            yield Hypothesis("wrong row", f"this is the value of line {claim.cell.line}")
            return
    for claim, expected in doubt.neighbours:
        if claim.row == doubt.claim.row and _is(doubt.claim.number, expected):
            yield Hypothesis("wrong column", f"this is the value of another column, {claim.number.text}")
            return


def _other_cases(evidence: Evidence, doubt: Doubt) -> Iterator[Hypothesis]:
    """The number is the same measure of another run or case, the most similar one."""
    values = evidence.values[doubt.reading.measure]
    low, high = bounds(doubt.claim.number)
    scale = doubt.reading.scale
    cases = np.flatnonzero(
        (values >= low * scale.factor + scale.offset) & (values <= high * scale.factor + scale.offset)
    )
    factors = evidence.cases[doubt.case].factors
    ranked: list[tuple[int, int, list[str]]] = []
    for case in cases.tolist():
        other = evidence.cases[case].factors
        names = sorted({*factors, *other} - {REPEAT})
        changed = [name for name in names if factors.get(name) != other.get(name)]
        ranked.append((len(changed), case, changed))
    if ranked:
        count, nearest, changed = min(ranked, key=lambda each: each[:2])
        if count <= 3:
            source = evidence.source_of(nearest, evidence.measures[doubt.reading.measure])
            what = ", ".join(
                f"{name}={evidence.cases[nearest].factors.get(name, '-')}" for name in changed[:3]
            )
            yield Hypothesis(
                "stale run", f"this is the value of another run{f' ({what})' if what else ''}, {source}"
            )
