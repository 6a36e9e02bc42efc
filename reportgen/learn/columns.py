"""Say what the numbers of a line are: a step that grows, its time or rate, timestamps, epochs, constants."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from reportgen.learn.templates import Shape
from reportgen.learn.tokens import Words, is_time, reading, words_of

_STEP_KEY = re.compile(
    r"(?<![a-z])(?:global[_ ]?step|step|iter|iteration|it|i|batch|update|idx)s?(?:[_ ]?(?:no|num))?$"
)
_EPOCH_KEY = re.compile(r"(?<![a-z])ep(?:och)?s?$")
_RANK_KEY = re.compile(r"(?<![a-z])(?:global[_ ]?)?rank$")
_NOT_A_STEP = re.compile(
    r"sample|token|consumed|word|seen|byte|mem|seed|rank|gpu|pid|process|port|line|world|(?<![a-z])(?:ep(?:och)?s?|loss|lr)$"
)
_EVALUATION = re.compile(r"(?<![a-z])(?:eval|val|valid|validation|evaluation|test)(?![a-z])", re.IGNORECASE)
# A number without a word that grows beside a date is more often something else.
_LEAST_SURE = 2
_SECONDS = ("", "s", "sec", "secs", "second", "seconds")
_FACTORS = {
    "batch_size": re.compile(r"(?<!global)(?<!global[_ ])(?<![a-z])(?:batch[_ ]?size|bsz?|mbs)$"),
    "global_batch_size": re.compile(r"(?<![a-z])(?:global[_ ]?batch[_ ]?size|gbs)$"),
    "devices": re.compile(r"(?<![a-z])(?:gpus|devices|world[_ ]?size|num[_ ]gpus)$"),
    "seq_len": re.compile(r"(?<![a-z])(?:seq[_ ]?len|sequence[_ ]length)$"),
}


@dataclass(slots=True)
class Roles:
    """Group names of slots, and what was assumed in giving them.

    units   where the unit of a slot ends in the literal behind it
    sure    how much the words said: the higher the surer
    """

    names: dict[int, str] = field(default_factory=dict)
    units: dict[int, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    is_per_device: bool = False
    sure: int = 1

    def time_slot(self) -> int | None:
        """Return the slot of the step time."""
        return next((slot for slot, name in self.names.items() if name.startswith("step_time")), None)


def roles(shape: Shape) -> Roles | None:
    """Return what the slots of a shape mean; None without a growing step and a time, rate or date."""
    found = Roles()
    words = words_of(shape)
    step, sure = _step(shape, words)
    if step is None:
        return None
    found.names[step] = "step"
    measured = max(_name_times_and_rates(shape, words, found), 1)
    _name_stamp(shape, words, found)
    if len(found.names) < 2:
        return None
    _name_others(shape, words, found)
    found.sure = sure * measured
    if found.sure < _LEAST_SURE:
        return None
    if any(_EVALUATION.search(literal) for literal in shape.literals):
        found.sure = 0
    return found


def _step(shape: Shape, words: Sequence[Words]) -> tuple[int | None, int]:
    """Return the slot of the step and how sure that is: a number called so before one that only grows."""
    best, chosen = 0, None
    for slot, one in enumerate(words):
        behind = shape.literals[slot + 1]
        if not shape.are_counts(slot) or not shape.grows(slot) or one.unit or behind[:1] == "%":
            continue
        is_named = bool(_STEP_KEY.search(one.key))
        if not is_named and (_NOT_A_STEP.search(one.key) or is_time(one.key) or one.named_unit):
            continue
        sure = 4 if is_named else 2 if behind.startswith("/") else 1
        if sure > best:
            best, chosen = sure, slot
    return chosen, best


def _name_times_and_rates(shape: Shape, words: Sequence[Words], found: Roles) -> int:
    """Name the surest time and the surest rate, the first of equals; return how sure the surer is."""
    free = [slot for slot in range(len(words)) if slot not in found.names]
    readings = [(slot, read) for slot in free if (read := reading(shape, words[slot], slot))]
    sure = 0
    for is_rate in (False, True):
        fitting = [(slot, read) for slot, read in readings if read.is_rate == is_rate]
        if not fitting:
            continue
        slot, best = max(fitting, key=lambda pair: (pair[1].sure, -pair[0]))
        found.names[slot], found.units[slot] = best.name, best.end
        found.notes += [best.note] if best.note else []
        found.is_per_device |= best.is_per_device
        sure = max(sure, best.sure)
    return sure


def _name_stamp(shape: Shape, words: Sequence[Words], found: Roles) -> None:
    """Name a date that changes, else seconds since 1970 or since the start."""
    dates = [
        slot for slot, kind in enumerate(shape.kinds) if kind == "date" and len(set(shape.column(slot))) > 1
    ]
    if dates:
        found.names[dates[0]] = "timestamp"
        return
    for slot, one in enumerate(words):
        if slot in found.names or not shape.never_falls(slot):
            continue
        if all(re.fullmatch(r"1\d{9}(?:\.\d+)?", cell) for cell in shape.column(slot)):
            found.names[slot] = "timestamp"
            return
        unit = one.unit or one.named_unit
        if is_time(one.key) and unit in _SECONDS and all("." in cell for cell in shape.column(slot)):
            found.names[slot] = "timestamp"
            found.notes.append(f'the time "{one.key}" grows: it is taken for seconds since the start')
            return


def _name_others(shape: Shape, words: Sequence[Words], found: Roles) -> None:
    """Name the epoch, its length, the rank, and constants that describe the case."""
    for slot, key in enumerate(one.key for one in words):
        if slot in found.names or not shape.are_counts(slot):
            continue
        taken = set(found.names.values())
        values = shape.numbers(slot)
        if "epoch" not in taken and _EPOCH_KEY.search(key) and values == sorted(values):
            found.names[slot] = "epoch"
        elif "rank" not in taken and _RANK_KEY.search(key) and len(set(values)) > 1:
            found.names[slot] = "rank"
        elif len(set(values)) == 1:
            name = next((name for name, pattern in _FACTORS.items() if pattern.search(key)), "")
            found.names |= {slot: name} if name and name not in taken else {}
    after = next(slot for slot, name in found.names.items() if name == "step") + 1
    if "epoch" in found.names.values() and after < len(words) and after not in found.names:
        is_length = (
            shape.literals[after] == "/" and shape.are_counts(after) and len(set(shape.column(after))) == 1
        )
        found.names |= {after: "steps_per_epoch"} if is_length else {}
