"""Factors by name and value: which values are equal, how they are ordered, which conditions they match."""

import math
from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from typing import TypeGuard

from reportgen.core.errors import RequestError, did_you_mean
from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.model import Factors, FactorValue

# A value with its kind; a factor with the key of its value.
FactorKey = tuple[str, FactorValue]
FactorsKey = frozenset[tuple[str, FactorKey]]


class Presence(Enum):
    """Whether a factor is there at all, whatever its value: a condition like a value."""

    ABSENT = "absent"
    PRESENT = "present"


# The values that a factor may have; these, or whether it is there; a condition: factor -> either.
AcceptedValues = tuple[FactorValue, ...]
Accepted = tuple[FactorValue | Presence, ...]
Where = Mapping[str, Accepted]

# What str() writes for a number is a number. "007", "1.10" and "2e1" are names or versions and stay text.
# 18 digits fit into 64 bits; a longer row of digits is a serial number.
_INTEGER = lazy_pattern(r"0|-?[1-9][0-9]{0,17}")
_DECIMAL = lazy_pattern(r"-?(?:0|[1-9][0-9]{0,30})\.[0-9]{1,30}")

_DIGITS = lazy_pattern(r"([0-9]+)")
# int() refuses more digits than 4,300.
_MAX_SORTED_CHARS = 4000


def factor_key(value: FactorValue) -> FactorKey:
    """Return the key by which two factor values are equal: 1 and 1.0 are, 1 and True and "1" are not.

    In Python 1 == True, so factor values are never compared, hashed or sorted themselves.
    """
    kind = "bool" if isinstance(value, bool) else "text" if isinstance(value, str) else "number"
    return kind, value


def factors_key(factors: Factors) -> FactorsKey:
    """Return the key by which two sets of factors are equal."""
    return frozenset((name, factor_key(value)) for name, value in factors.items())


def is_factor_value(value: object) -> TypeGuard[FactorValue]:
    """Return True if something can be the value of a factor: text, or a finite number of 64 bits."""
    if isinstance(value, float):
        return math.isfinite(value)
    return abs(value) < 2**63 if isinstance(value, int) else isinstance(value, str)


def parse_scalar(text: str) -> FactorValue:
    """Return an int or a float if the text is what str() writes for it, else the text.

    So no two texts become the same value: "1.10" and "1.1" are two versions, "00123" is text.
    """
    if _INTEGER.fullmatch(text):
        return int(text)
    return float(text) if _DECIMAL.fullmatch(text) and repr(float(text)) == text else text


def toml_text(value: FactorValue) -> str:
    """Return a factor value as TOML writes it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f'"{value}"'
    return f"{value:g}" if isinstance(value, float) else str(value)


def value_text(value: FactorValue) -> str:
    """Return a factor value as TOML writes it, but text without quotes."""
    return value if isinstance(value, str) else toml_text(value)


def condition_text(wanted: FactorValue | Presence) -> str:
    """Return a value or a presence as TOML writes it."""
    return f"{{ {wanted.value} = true }}" if isinstance(wanted, Presence) else toml_text(wanted)


def matches(factors: Factors, where: Where) -> bool:
    """Return True if each factor in `where` has one of its accepted values, or is absent where it may be."""
    return all(
        _accepts(values, factors[name]) if name in factors else Presence.ABSENT in values
        for name, values in where.items()
    )


def _accepts(wanted: Accepted, value: FactorValue) -> bool:
    key = factor_key(value)
    return any(each is Presence.PRESENT or (is_value(each) and factor_key(each) == key) for each in wanted)


def is_value(wanted: FactorValue | Presence) -> TypeGuard[FactorValue]:
    """Return True if a condition is a value, and not about whether there is one."""
    return not isinstance(wanted, Presence)


def plain_values(wanted: Accepted) -> AcceptedValues:
    """Return the values of a condition."""
    return tuple(filter(is_value, wanted))


def check_absence(name: str, wanted: Accepted, every: Sequence[Factors], place: str, what: str) -> None:
    """Raise RequestError if a factor shall be absent and each of these has it."""
    if Presence.ABSENT in wanted and all(name in factors for factors in every):
        raise RequestError(place, f"every {what} has {name}", "leave the condition out")


def check_where(where: Where, every: Sequence[Factors], place: str = "--where", what: str = "run") -> None:
    """Raise RequestError for a factor or a value that none of these has, with the nearest one.

    place  the argument in messages; what  has the factors
    Values with the same text are readings of one value, of which one is enough: --where devices=8 also
    accepts the text "8".
    """
    for name, values in where.items():
        present = [factors[name] for factors in every if name in factors]
        if not present:
            known = {other for factors in every for other in factors}
            raise RequestError(place, f'no {what} has the factor "{name}"', did_you_mean(name, known))
        check_absence(name, values, every, place, what)
        for readings in _readings(plain_values(values)):
            if not set(map(factor_key, readings)) & set(map(factor_key, present)):
                fact = f"no {what} has {name} = {toml_text(readings[0])}"
                raise RequestError(place, fact, nearest(readings[0], present))
    if where and not any(matches(factors, where) for factors in every):
        raise RequestError(place, f"no {what} fulfils all of these conditions", "leave one out")


def _readings(values: Sequence[FactorValue]) -> Iterable[list[FactorValue]]:
    """Return the values that have the same text together: 8 and "8", true and "true"."""
    by_text: dict[str, list[FactorValue]] = {}
    for value in values:
        by_text.setdefault(str(value).lower(), []).append(value)
    return by_text.values()


def nearest(value: FactorValue, present: Iterable[FactorValue]) -> str:
    """Return the remedy for a value that no run has: written as the wrong type, or misspelt."""
    shown = {str(known): known for known in present}
    if str(value) in shown:
        return f"write it as {toml_text(shown[str(value)])}"
    return did_you_mean(str(value), shown)


def can_both_match(where: Where, other: Where) -> bool:
    """Return True if the same factors could match both conditions."""
    return all(_overlap(where[name], other[name]) for name in where.keys() & other.keys())


def _overlap(wanted: Accepted, other: Accepted) -> bool:
    if Presence.ABSENT in wanted and Presence.ABSENT in other:
        return True
    values, others = plain_values(wanted), plain_values(other)
    if Presence.PRESENT in wanted:
        return bool(others) or Presence.PRESENT in other
    return any(_accepts(other, value) for value in values)


def natural_key(text: str) -> tuple[list[str | int], str]:
    """Return a sorting key that puts r2 before r10; no two texts share one.

    r1 and r01 are the same number, so their texts decide.
    """
    parts: list[str | int] = [*_DIGITS.split(text)]
    parts[1::2] = map(int, parts[1::2])
    return parts, text


def value_order(key: FactorKey) -> tuple[object, ...]:
    """Return a sorting key of factor values: numbers by size, texts naturally without regard to case.

    No two values share one.
    """
    kind, value = key
    if not isinstance(value, str):
        return kind, value
    parts, _ = natural_key(value[:_MAX_SORTED_CHARS].casefold())
    return kind, parts, value
