"""Read the words and units around the numbers of a line: which number is a step time, which a rate.

A word belongs to the number that follows it (`time: 12.5`), a unit to the number before it (`12.5 ms`), even
where a colon follows that could lead to the next number (`12.5 ms: 640 img/s: loss=5`). What remains unclear
stays unnamed: a wrong name is worse than none.
"""

import re
from dataclasses import dataclass, replace

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.learn.templates import LineTemplate

_PER = r"(?:\s*/\s*|\s+per\s+|_per_)"
_SECOND = r"s(?:ec(?:ond)?)?(?![a-z])"
_STEP = r"(?:it|iters?|iterations?|steps?|batch(?:es)?|updates?)"
_UNITS = {
    "ms": "ms", "msec": "ms", "millisecond": "ms", "us": "us", "µs": "us", "ns": "ns", "s": "s",
    "sec": "s", "second": "s", "min": "min", "minute": "min",
}  # fmt: skip
_TIME = r"(?P<unit>milliseconds?|msecs?|ms|us|µs|ns|minutes?|min|seconds?|secs?|s)"
_ITEMS = {
    "img": "images", "image": "images", "sample": "samples", "example": "samples", "ex": "samples",
    "seq": "sequences", "sequence": "sequences", "sentence": "sentences", "sent": "sentences",
    "tok": "tokens", "tk": "tokens", "token": "tokens", "word": "words", "frame": "frames",
    "item": "items", "record": "records", "video": "videos", "graph": "graphs",
}  # fmt: skip
_ITEM = "(?P<item>(?:" + "|".join(sorted(_ITEMS, key=len, reverse=True)) + ")s?)"
_STEPS_PER_SECOND = lazy_pattern(rf"(?<![a-z]){_STEP}{_PER}{_SECOND}")
_TIME_PER_STEP = lazy_pattern(rf"(?<![a-z]){_TIME}{_PER}{_STEP}(?![a-z])")
_ITEMS_PER_SECOND = lazy_pattern(rf"(?<![a-z]){_ITEM}{_PER}{_SECOND}")
_UNITS_AFTER = (
    _STEPS_PER_SECOND, _TIME_PER_STEP, _ITEMS_PER_SECOND, lazy_pattern(rf"{_TIME}(?![a-z/_])"),
)  # fmt: skip
_SHORT_RATES = {"ips": "samples", "wps": "words", "tps": "tokens", "fps": "frames", "throughput": "samples"}
_PER_DEVICE = lazy_pattern(r"\s*(?:/|per[ _]?)(?:gpu|device|rank|chip)s?", re.IGNORECASE)
_PER_DEVICE_WORD = lazy_pattern(r"(?:/|per[ _]?)(?:gpu|device|rank|chip)")
_TIME_KEY = lazy_pattern(r"(?<![a-z])(?:time|dt|took|elapsed?|duration|latency|tm)(?![a-z])")
_RATE_KEY = lazy_pattern(r"(?<![a-z])(?:speed|throughput|[iwtf]ps)$")
_UNIT_INSIDE = lazy_pattern(
    r"(?:^|[(_\[ ])(milliseconds?|msecs?|ms|us|µs|ns|minutes?|min|seconds?|secs?|s)[)\]]?$"
)
# Quantities that are neither a rate nor a time, with any unit; a comma or `::` after them ends their field.
_OTHER_QUANTITY = lazy_pattern(
    r"(?<![a-z])(?:loss(?:es|[_ ]?scale)?|nll|ppl|perplexity|lr|learning[_ ]?rate|error|score|reward|mfu"
    r"|mem(?:ory)?|(?:grad(?:ient)?[_ ]?|g)?norm|acc(?:uracy)?|ep(?:och)?s?)"
    r"[\"']?\s*(?:=>|[=:(\[{<])?\s*[\"']?$"
)
_LEADS = lazy_pattern(r"[\"']?\s*[:=]")
_ASSIGNS = lazy_pattern(r"[\"']?\s*=(?!>)")
_LETTER = lazy_pattern(r"[^\W\d_]")
# "it_s" may mean iterations per second or seconds per iteration.
_RATE_OR_TIME = lazy_pattern(r"(?<![a-z])(?:it|its|steps|iters|iterations|batches)_s$")
_STEP_WORD = lazy_pattern(r"(?<![a-z])(?:step|iter|iteration|it|batch|train)")
_PER_STEP = lazy_pattern(r"(?:/|per)[ _]?(?:step|it|batch)")
# Times of a part of a step or of something else, and times over many steps.
_PARTIAL_TIME = lazy_pattern(
    r"(?<![a-z])(?:data|load|fwd|forward|bwd|backward|optim|opt|eval|val|valid|comm|wait|h2d|lr|loss|mem|epoch)"
)
_MIN_ELAPSED_GROWTH = 0.1
_MEAN = lazy_pattern(r"(?<![a-z])(?:eta|remain|left|avg|average|mean)")
_AGGREGATE_TIME = lazy_pattern(r"(?<![a-z])(?:eta|remain|total|left|avg|average|mean)")


@dataclass(frozen=True, slots=True)
class NumberContext:
    """The words before a number, in lower case, and the unit after it.

    end       where the unit ends in the literal after the number, 0 without a unit
    is_other  the words name a quantity that is neither a rate nor a time
    """

    key: str
    unit: str
    end: int
    is_other: bool

    @property
    def named_unit(self) -> str:
        """The unit of time that the words end with: `step_ms`, `time (s)`."""
        match = _UNIT_INSIDE.search(self.key)
        return match[1] if match else ""


@dataclass(frozen=True, slots=True)
class Meaning:
    """The group name for a number, derived from the words around it.

    score  how clear the words are; end  where the unit ends in the literal after the number, 0 without one
    note   what was assumed
    """

    name: str
    score: int
    end: int = 0
    note: str = ""
    is_per_device: bool = False

    @property
    def is_rate(self) -> bool:
        """Whether it is a rate; otherwise it is a time."""
        return self.name.endswith("_per_second")


def number_contexts(template: LineTemplate) -> list[NumberContext]:
    """Return the context of each number; the unit of the previous number is not part of its words."""
    contexts: list[NumberContext] = []
    for slot in range(len(template.kinds)):
        text = template.literals[slot].lower()[contexts[-1].end if contexts else 0 :]
        key = re.sub(r"[\s\"'=:(\[{<>|,]+$", "", text).strip()
        context = NumberContext(key, "", 0, bool(_OTHER_QUANTITY.search(text)))
        unit = _unit_after(template, slot)
        if _is_clear(template, slot) or (unit and _owns(template, slot, context, unit)):
            context = replace(context, unit=unit, end=len(unit))
        contexts.append(context)
    return contexts


def _unit_after(template: LineTemplate, slot: int) -> str:
    """Return the unit after a number, which may belong to it or be the name of the next number."""
    literal = template.literals[slot + 1].lower()
    matches = (pattern.match(literal) for pattern in _UNITS_AFTER)
    return next((match[0] for match in matches if match), "")


def _is_clear(template: LineTemplate, slot: int) -> bool:
    """Return whether there is a unit after a number that cannot be the name of another number."""
    unit = _unit_after(template, slot)
    rest = template.literals[slot + 1][len(unit) :]
    is_glued = any(not raw[:1].isspace() for raw in template.spellings(slot + 1))
    leads = _LEADS.match(rest) or (not rest and _leads_to_a_number(template, slot + 1))
    return bool(unit) and (is_glued or not leads)


def _owns(template: LineTemplate, slot: int, context: NumberContext, unit: str) -> bool:
    """Return whether a unit between two numbers belongs to the first; else it names the second."""
    rest = template.literals[slot + 1][len(unit) :]
    has_unit = bool(context.named_unit) or any(pattern.search(context.key) for pattern in _UNITS_AFTER[:3])
    if _ASSIGNS.match(rest) or has_unit or context.is_other or template.literals[slot] == "/":
        return False
    is_rate = any(pattern.match(unit) for pattern in (_STEPS_PER_SECOND, _ITEMS_PER_SECOND))
    if _RATE_KEY.search(context.key) if is_rate else is_time(context.key):
        return True
    if template.are_counts(slot) and template.grows(slot):  # more likely the step
        return False
    has_next = slot + 1 < len(template.kinds) and _is_clear(template, slot + 1)
    return bool(has_next or _LETTER.search(rest) or not _LETTER.search(context.key))


def is_time(key: str) -> bool:
    """Return whether words name a time."""
    return bool(_TIME_KEY.search(key))


def meaning_of(template: LineTemplate, context: NumberContext, slot: int) -> Meaning | None:
    """Return whether a number is a step time or a rate; None if it is neither or unclear."""
    if context.is_other or not template.numbers(slot):
        return None
    key, unit, end = context.key, context.unit, context.end
    per_device = _PER_DEVICE.match(template.literals[slot + 1][end:])
    if end and per_device:
        end += per_device.end()
    is_per_device = bool(per_device or _PER_DEVICE_WORD.search(key))
    text, at, score = (unit, end, 4) if unit else (key, 0, 3)
    if meaning := _rate(text, key, at, score - is_per_device):
        return replace(meaning, is_per_device=is_per_device and meaning.is_rate)
    short = key.rpartition(" ")[2]
    if short in _SHORT_RATES and not unit:
        note = "" if short != "throughput" else "the throughput has no unit: samples per second are assumed"
        return Meaning(f"{_SHORT_RATES[short]}_per_second", 2, 0, note, is_per_device)
    return _plain_time(template, slot, context, end)


def _leads_to_a_number(template: LineTemplate, place: int) -> bool:
    """Return whether units precede their numbers: this one is between two, and none follows the last."""
    is_between = place < len(template.kinds) and all(raw[:1].isspace() for raw in template.spellings(place))
    return is_between and not re.search(r"[A-Za-z]", template.literals[-1])


def _rate(text: str, key: str, end: int, score: int) -> Meaning | None:
    """Return the meaning of a text with "per": items or steps per second, time per step."""
    if _AGGREGATE_TIME.search(key):
        return None
    if match := _ITEMS_PER_SECOND.search(text):
        item = match["item"]
        return Meaning(f"{_ITEMS.get(item) or _ITEMS[item.removesuffix('s')]}_per_second", score, end)
    if match := _TIME_PER_STEP.search(text):
        return (
            None
            if _PARTIAL_TIME.search(key)
            else Meaning(f"step_time_{_unit(match['unit'])}", score + 1, end)
        )
    return Meaning("steps_per_second", score - 2, end) if _STEPS_PER_SECOND.search(text) else None


def _plain_time(template: LineTemplate, slot: int, context: NumberContext, end: int) -> Meaning | None:
    """Return the meaning of a number with a word or unit of time that covers a whole step."""
    key, unit, inside = context.key, context.unit, context.named_unit
    is_of_a_step = bool(_STEP_WORD.search(key))
    is_named = is_time(key) or bool(inside and is_of_a_step and not _RATE_OR_TIME.search(key))
    is_elapsed = template.accumulates(slot) and not _PER_STEP.search(key)
    if _PARTIAL_TIME.search(key) or _AGGREGATE_TIME.search(key) or is_elapsed:
        return None
    if not is_named and (not unit or (_LETTER.search(key) and not is_of_a_step)):
        return None
    known = _unit(unit or inside)
    note = "" if known else "the time has no unit: seconds are assumed"
    score = 1 + is_named + bool(known) + (is_of_a_step and is_named)
    return Meaning(f"step_time_{known or 's'}", score, end, note)


def elapsed_unit(template: LineTemplate, context: NumberContext, slot: int) -> str:
    """Return the unit of a time since the start, which only grows; "" for any other number."""
    key, unit = context.key, _unit(context.unit or context.named_unit)
    is_other = context.is_other or _PARTIAL_TIME.search(key) or _MEAN.search(key) or _PER_STEP.search(key)
    if is_other or not (unit or is_time(key)) or not template.accumulates(slot):
        return ""
    if template.growth(slot) < _MIN_ELAPSED_GROWTH:  # a step time that drifts
        return ""
    # Whole numbers without a unit are more often a count.
    return unit or ("s" if is_time(key) and all("." in cell for cell in template.column(slot)) else "")


def _unit(text: str) -> str:
    return _UNITS.get(text) or _UNITS.get(text.removesuffix("s"), "")
