"""The contract of a comparison: what was held equal, what differs, and what is not stated.

Each factor and condition of two sides is in one of four lists. A difference is either what the comparison is
about (or follows from it: another batch size is other work), or something else, and then a
reader must know of it. A few make the ratio meaningless.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

import msgspec

from reportgen.compare.conditions import DEVICE_NAMES, ESSENTIAL, EVIDENCE, SIZES, VERSIONS, version_of
from reportgen.compare.side import Side
from reportgen.core.factors import factor_key
from reportgen.core.metrics import RATES, metric_of
from reportgen.core.model import RESERVED
from reportgen.protocol.conditions import CLOCK, DEVICE, ITEM, RANKS, WORK

# What a log should say about any measurement; of a rate, also what it counts.
_EXPECTED = (WORK, RANKS, DEVICE, CLOCK)
_ABSENT = "-"


class Difference(msgspec.Struct, frozen=True, omit_defaults=True):
    """Something in which a case and its baseline differ.

    name          the condition or factor
    own           its value in the case
    baseline      its value in the baseline
    is_essential  whether the ratio of the two means nothing
    is_factor     whether it is a factor of the cases, as opposed to what their logs say
    """

    name: str
    own: str
    baseline: str
    is_essential: bool = False
    is_factor: bool = False

    @property
    def text(self) -> str:
        """Return the difference in words: "driver (470; 550 in the baseline)"."""
        return f"{self.name} ({self.own}; {self.baseline} in the baseline)"

    @property
    def change_text(self) -> str:
        """Return the difference of a later state from an earlier one: "driver 470 -> 550"."""
        return f"{self.name} {self.baseline} -> {self.own}"


@dataclass(frozen=True, slots=True)
class Contract:
    """The factors and conditions of two sides.

    held_equal  name and value
    about       what the comparison is about, and what follows from it; factors first
    differs     what else differs: factors, then conditions (the essential first), then ignored factors
    not_stated  names of what one of the sides does not say, or neither
    """

    held_equal: tuple[tuple[str, str], ...] = ()
    about: tuple[Difference, ...] = ()
    differs: tuple[Difference, ...] = ()
    not_stated: tuple[str, ...] = ()


def contract(own: Side, baseline: Side, about: Collection[str] = (), ignored: Iterable[str] = ()) -> Contract:
    """Return what was held equal between two sides, what differs, and what is not stated.

    about    the factors that the comparison is about. Those that change the work of a step, the ranks or the
             device explain a difference in these
    ignored  factors that keep no cases apart; the runs of the two sides may differ in them
    """
    explained = _explained_by(about)
    factors = list(_factors(own, baseline))
    differing = [each for each in factors if each.own != each.baseline]
    own_said, base_said = own.conditions, baseline.conditions
    both = [name for name in _in_order(own_said) if name in base_said]
    # A rate is work over time, so rates of other work may be compared.
    essential = ESSENTIAL if metric_of(own.metric).better == "lower" else (CLOCK, EVIDENCE, ITEM)
    conditions = [
        Difference(name, own_said[name], base_said[name], name in essential)
        for name in both
        if own_said[name] != base_said[name]
    ]
    named = {each.name for each in factors}
    return Contract(
        (
            *((each.name, each.own) for each in factors if each.own == each.baseline),
            *((n, own_said[n]) for n in both if own_said[n] == base_said[n] and n not in named),
        ),
        (
            *(each for each in differing if each.name in about),
            *(each for each in conditions if each.name in explained and each.name not in named),
        ),
        (
            *(each for each in differing if each.name not in about and each.name not in RESERVED),
            *(each for each in conditions if each.name not in explained),
            *_ignored(own, baseline, ignored),
        ),
        tuple(name for name in _not_stated(own, baseline) if name not in named),
    )


def have_same_device(own: Side, baseline: Side) -> bool:
    """Return whether two sides ran on one device model: by their logs, else by the factors that name it."""
    models = [side.conditions.get(DEVICE) for side in (own, baseline)]
    if all(models):
        return models[0] == models[1]
    return all(own.factors.get(name) == baseline.factors.get(name) for name in DEVICE_NAMES)


def _explained_by(about: Collection[str]) -> set[str]:
    """Return the conditions in which a comparison of these factors differs by its nature."""
    explained = set(about)
    if SIZES & explained:
        explained |= {WORK, RANKS}
    if DEVICE_NAMES & explained:
        explained.add(DEVICE)
    return explained - {ITEM}


def _factors(own: Side, baseline: Side) -> Iterator[Difference]:
    """Yield each factor with its value on both sides, which may be equal."""
    for name in sorted({*own.factors, *baseline.factors}):
        values = [side.factors.get(name) for side in (own, baseline)]
        first, second = (_ABSENT if value is None else str(value) for value in values)
        keys = [None if value is None else factor_key(value) for value in values]
        if keys[0] == keys[1]:
            second = first
        elif first == second:
            # The number 1 and the text "1" are two values.
            first, second = (f"{value!r}" for value in values)
        yield Difference(name, first, second, is_factor=True)


def _in_order(names: Iterable[str]) -> Iterator[str]:
    """Yield names of conditions, the essential first."""
    known = set(names)
    yield from (name for name in ESSENTIAL if name in known)
    yield from sorted(known - set(ESSENTIAL))


def _ignored(own: Side, baseline: Side, names: Iterable[str]) -> Iterator[Difference]:
    for name in names:
        first, second = own.of_runs.get(name), baseline.of_runs.get(name)
        if first is not None and second is not None and first != second:
            yield Difference(name, first, second)


def _not_stated(own: Side, baseline: Side) -> Iterator[str]:
    """Yield what one side does not say of its conditions, and the versions that neither says."""
    expected = (*_EXPECTED, *([ITEM] if metric_of(own.metric, own.unit).unit in RATES else []))
    stated = own.conditions.keys() | baseline.conditions.keys()
    yield from (
        name
        for name in _in_order({*expected, *stated})
        if name not in own.conditions or name not in baseline.conditions
    )
    versions = {version_of(name) for name in stated}
    yield from (name for name in VERSIONS if name not in versions)
