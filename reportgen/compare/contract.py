"""The contract of a comparison: what was held equal, what differs, and what is not stated.

Each factor and condition of two sides is in one of four lists. A difference is either what the comparison is
about (or follows from it: another batch size is other work), or something else, and then a
reader must know of it. A few make the ratio meaningless.
"""

from collections.abc import Collection, Iterable, Iterator, Set
from dataclasses import dataclass

import msgspec

from reportgen.compare.conditions import COMMAND, DEVICE_NAMES, ESSENTIAL, EVIDENCE, OF_SAMPLES, SIZES
from reportgen.compare.side import Side
from reportgen.compare.terms import (
    DEVICE_TERMS,
    GPU_VERSIONS,
    SETTINGS,
    SIZE_TERMS,
    VARIABLE,
    VERSIONS,
    WORK_TERMS,
    term_of,
    version_of,
)
from reportgen.core.command_line import differing_arguments, option_name
from reportgen.core.factors import factor_key
from reportgen.core.metrics import RATES, metric_of
from reportgen.core.model import RESERVED
from reportgen.protocol.conditions import CLOCK, DEVICE, ITEM, QUANTITIES, RANKS, STATISTIC, WORK

# What a log should say about any measurement.
EXPECTED = (WORK, RANKS, DEVICE, CLOCK, "dataset", "precision")
# What more it should say of text and of images, by what a rate counts.
OF_ITEMS = {
    "token": ("sequence_length", "tokenizer"), "sequence": ("sequence_length", "tokenizer"),
    "image": ("image_size",),
}  # fmt: skip
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


def contract_between(
    own: Side, baseline: Side, about: Collection[str] = (), ignored: Iterable[str] = ()
) -> Contract:
    """Return what was held equal between two sides, what differs, and what is not stated.

    about    the factors that the comparison is about. Those that change the work of a step, the ranks or the
             device explain a difference in these
    ignored  factors that keep no cases apart; the runs of the two sides may differ in them
    """
    explained = _explained_by(about)
    factors = list(_factors(own, baseline))
    differing = [each for each in factors if each.own != each.baseline]
    named = {name for each in factors for name in (each.name, term_of(each.name))}
    conditions = list(_conditions(own, baseline, explained))
    # A factor stands for the condition of its name, unless the conditions differ where the factors do not.
    equal = [each for each in (*factors, *conditions) if each.own == each.baseline]
    unequal = [each for each in conditions if each.own != each.baseline]
    of_runs = tuple(_ignored(own, baseline, ignored))
    said = named | {name for each in of_runs for name in (each.name, term_of(each.name))}
    return Contract(
        tuple((each.name, each.own) for each in equal if each.is_factor or each.name not in named),
        (
            *(each for each in differing if each.name in about),
            *(each for each in unequal if each.name in explained and each.name not in named),
        ),
        (
            *(each for each in differing if each.name not in about and each.name not in RESERVED),
            *(each for each in unequal if each.name not in explained),
            *of_runs,
        ),
        tuple(name for name in _not_stated(own, baseline) if name not in said),
    )


def have_same_device(own: Side, baseline: Side) -> bool:
    """Return whether two sides ran on one device model: by their logs, else by the factors that name it."""
    models = [side.conditions.get(DEVICE) for side in (own, baseline)]
    if all(models):
        return models[0] == models[1]
    return all(own.factors.get(name) == baseline.factors.get(name) for name in DEVICE_NAMES)


def _explained_by(about: Collection[str]) -> set[str]:
    """Return the conditions in which a comparison of these factors differs by its nature."""
    explained = {name for each in about for name in (each, term_of(each)) if name}
    if SIZES & explained:
        explained |= {WORK, RANKS, *SIZE_TERMS}
    if DEVICE_NAMES & explained:
        explained |= {DEVICE, *DEVICE_TERMS}
    return explained - set(QUANTITIES)


def _conditions(own: Side, baseline: Side, explained: Set[str]) -> Iterator[Difference]:
    """Yield each condition that both sides say, with its value on both sides, which may be equal."""
    # A rate is work over time, so rates of steps of other sizes may be compared.
    is_rate = metric_of(own.metric).better != "lower"
    of_time = () if is_rate else (WORK, *SIZE_TERMS)
    essential = {CLOCK, EVIDENCE, STATISTIC, ITEM, *OF_SAMPLES, *(WORK_TERMS - SIZE_TERMS), *of_time}
    own_said, base_said = own.conditions, baseline.conditions
    one_sided = {name for name in own_said.keys() ^ base_said.keys() if name.startswith(VARIABLE)}
    for name in _in_order((own_said.keys() & base_said.keys()) | one_sided):
        values = own_said.get(name, _ABSENT), base_said.get(name, _ABSENT)
        if name == COMMAND and values[0] != values[1]:
            values = _commands(own, baseline, explained)
        yield Difference(name, *values, is_essential=name in essential)


def _commands(own: Side, baseline: Side, explained: Set[str]) -> tuple[str, str]:
    """Return in what the commands differ besides what another condition says; equal texts if in nothing."""
    known = {*explained, *map(option_name, map(str, (*own.factors.values(), *baseline.factors.values())))}
    known |= own.factors.keys() | baseline.factors.keys()
    command = own.conditions[COMMAND]
    first, second = differing_arguments(command, baseline.conditions[COMMAND], known)
    return (first or _ABSENT, second or _ABSENT) if first or second else (command, command)


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
    """Yield names of conditions: the essential first, then the work, then the others."""
    known = set(names)
    yield from (name for name in ESSENTIAL if name in known)
    yield from sorted(known - set(ESSENTIAL), key=lambda name: (name not in WORK_TERMS, name))


def _ignored(own: Side, baseline: Side, names: Iterable[str]) -> Iterator[Difference]:
    for name in names:
        first, second = own.of_runs.get(name), baseline.of_runs.get(name)
        if first is not None and second is not None and first != second:
            yield Difference(name, first, second)


def _not_stated(own: Side, baseline: Side) -> Iterator[str]:
    """Yield what one side does not say of its conditions, then versions and settings that neither says."""
    sides = (own, baseline)
    item = next((side.conditions[ITEM] for side in sides if ITEM in side.conditions), "")
    counted = [ITEM] if metric_of(own.metric, own.unit).unit in RATES else []
    stated = own.conditions.keys() | baseline.conditions.keys()
    of_work = {*EXPECTED, *OF_ITEMS.get(item, ()), *counted}
    yield from (
        name
        for name in _in_order({name for name in of_work | stated if not name.startswith(VARIABLE)})
        if any(name not in side.conditions for side in sides)
    )
    versions = {version_of(name) for name in stated}
    is_on_cpu = all(str(side.factors.get("device", "")).lower() == "cpu" for side in sides)
    others = [name for name in VERSIONS if name not in versions and not (is_on_cpu and name in GPU_VERSIONS)]
    settings = [*([] if is_on_cpu else sorted(DEVICE_TERMS)), COMMAND, *SETTINGS]
    yield from (*others, *(name for name in settings if name not in stated))
