"""Assign roles to the numbers of a line: a growing step, its time or rate, timestamp, epoch, constants."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.learn.templates import LineTemplate
from reportgen.learn.tokens import NumberContext, elapsed_unit, is_time, meaning_of, number_contexts

_STEP_KEY = lazy_pattern(
    r"(?<![a-z])(?:global[_ ]?step|step|iter|iteration|it|i|batch|update|idx)s?(?:[_ ]?(?:no|num))?$"
)
_EPOCH_KEY = lazy_pattern(r"(?<![a-z])ep(?:och)?s?$")
_RANK_KEY = lazy_pattern(r"(?<![a-z])(?:global[_ ]?)?rank$")
_NOT_A_STEP = lazy_pattern(
    r"sample|token|consumed|word|seen|byte|mem|seed|rank|gpu|pid|process|port|line|world|(?<![a-z])(?:ep(?:och)?s?|loss|lr)$"
)
_EVALUATION = lazy_pattern(r"(?<![a-z])(?:eval|val|valid|validation|evaluation|test)(?![a-z])", re.IGNORECASE)
# A growing number without a word, next to a date, is more often something else.
_MIN_SCORE = 2
_SECONDS_SINCE_1970 = lazy_pattern(r"1\d{9}(?:\.\d+)?")
_FACTORS = {
    "batch_size": lazy_pattern(r"(?<!global)(?<!global[_ ])(?<![a-z])(?:batch[_ ]?size|bsz?|mbs)$"),
    "global_batch_size": lazy_pattern(r"(?<![a-z])(?:global[_ ]?batch[_ ]?size|gbs)$"),
    "devices": lazy_pattern(r"(?<![a-z])(?:gpus|devices|world[_ ]?size|num[_ ]gpus)$"),
    "seq_len": lazy_pattern(r"(?<![a-z])(?:seq[_ ]?len|sequence[_ ]length)$"),
}


@dataclass(slots=True)
class ColumnRoles:
    """Group names of slots, and the assumptions behind them.

    units  where the unit of a slot ends in the literal after it
    score  how clear the words are: higher is surer
    """

    names: dict[int, str] = field(default_factory=dict)
    units: dict[int, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    is_per_device: bool = False
    score: int = 1

    def time_slot(self) -> int | None:
        """Return the slot of the step time."""
        return next((slot for slot, name in self.names.items() if name.startswith("step_time")), None)


def column_roles(template: LineTemplate) -> ColumnRoles | None:
    """Return the roles of the slots; None without a growing step and a time, rate or date."""
    roles = ColumnRoles()
    contexts = number_contexts(template)
    step, score = _step(template, contexts)
    if step is None:
        return None
    roles.names[step] = "step"
    measured = max(_name_times_and_rates(template, contexts, roles), 1)
    _name_stamp(template, contexts, roles)
    if len(roles.names) < 2:
        return None
    _name_others(template, contexts, roles)
    roles.score = score * measured
    if roles.score < _MIN_SCORE:
        return None
    if any(_EVALUATION.search(literal) for literal in template.literals):
        roles.score = 0
    return roles


def _step(template: LineTemplate, contexts: Sequence[NumberContext]) -> tuple[int | None, int]:
    """Return the slot of the step and its score: a number with a step word before one that only grows."""
    best, chosen = 0, None
    for slot, context in enumerate(contexts):
        after = template.literals[slot + 1]
        if not template.are_counts(slot) or not template.grows(slot) or context.unit or after[:1] == "%":
            continue
        is_named = bool(_STEP_KEY.search(context.key))
        if not is_named and (_NOT_A_STEP.search(context.key) or is_time(context.key) or context.named_unit):
            continue
        score = 4 if is_named else 2 if after.startswith("/") else 1
        if score > best:
            best, chosen = score, slot
    return chosen, best


def _name_times_and_rates(
    template: LineTemplate, contexts: Sequence[NumberContext], roles: ColumnRoles
) -> int:
    """Name the time and the rate with the highest scores, the first of equals; return the higher score."""
    free = [slot for slot in range(len(contexts)) if slot not in roles.names]
    meanings = [(slot, meaning) for slot in free if (meaning := meaning_of(template, contexts[slot], slot))]
    score = 0
    for is_rate in (False, True):
        candidates = [(slot, meaning) for slot, meaning in meanings if meaning.is_rate == is_rate]
        if not candidates:
            continue
        slot, best = max(candidates, key=lambda pair: (pair[1].score, -pair[0]))
        roles.names[slot], roles.units[slot] = best.name, best.end
        roles.notes += [best.note] if best.note else []
        roles.is_per_device |= best.is_per_device
        score = max(score, best.score)
    return score


def _name_stamp(template: LineTemplate, contexts: Sequence[NumberContext], roles: ColumnRoles) -> None:
    """Name a date that changes, else seconds since 1970 or the time since the start."""
    dates = [
        slot
        for slot, kind in enumerate(template.kinds)
        if kind == "date" and len(set(template.column(slot))) > 1
    ]
    if dates:
        roles.names[dates[0]] = "timestamp"
        return
    for slot, context in enumerate(contexts):
        if slot in roles.names:
            continue
        if template.never_falls(slot) and all(map(_SECONDS_SINCE_1970.fullmatch, template.column(slot))):
            roles.names[slot] = "timestamp"
            return
        if unit := elapsed_unit(template, context, slot):
            roles.names[slot] = "timestamp" if unit == "s" else f"timestamp_{unit}"
            name = f'"{context.key}" only grows: it is the time since the start, not a step time'
            roles.notes.append(f"{name}; the difference from line to line is used")
            return


def _name_others(template: LineTemplate, contexts: Sequence[NumberContext], roles: ColumnRoles) -> None:
    """Name the epoch, its length, the rank, and constants that describe the case."""
    for slot, key in enumerate(context.key for context in contexts):
        if slot in roles.names or not template.are_counts(slot):
            continue
        taken = set(roles.names.values())
        values = template.numbers(slot)
        if "epoch" not in taken and _EPOCH_KEY.search(key) and values == sorted(values):
            roles.names[slot] = "epoch"
        elif "rank" not in taken and _RANK_KEY.search(key) and len(set(values)) > 1:
            roles.names[slot] = "rank"
        elif len(set(values)) == 1:
            name = next((name for name, pattern in _FACTORS.items() if pattern.search(key)), "")
            roles.names |= {slot: name} if name and name not in taken else {}
    after = next(slot for slot, name in roles.names.items() if name == "step") + 1
    if "epoch" in roles.names.values() and after < len(contexts) and after not in roles.names:
        is_length = (
            template.literals[after] == "/"
            and template.are_counts(after)
            and len(set(template.column(after))) == 1
        )
        roles.names |= {after: "steps_per_epoch"} if is_length else {}
