"""Read the words and units around the numbers of a line: which number is a step time, which a rate.

A word belongs to the number that follows it (`time: 12.5`), a unit to the number before it (`12.5 ms`), even
where a colon follows that could lead to the next number (`12.5 ms: 640 img/s: loss=5`). What remains unclear
stays unnamed: a wrong name is worse than none.
"""

import re
from dataclasses import dataclass, replace

from reportgen.learn.templates import Shape

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
_STEPS_PER_SECOND = re.compile(rf"(?<![a-z]){_STEP}{_PER}{_SECOND}")
_TIME_PER_STEP = re.compile(rf"(?<![a-z]){_TIME}{_PER}{_STEP}(?![a-z])")
_ITEMS_PER_SECOND = re.compile(rf"(?<![a-z]){_ITEM}{_PER}{_SECOND}")
_UNITS_BEHIND = (
    _STEPS_PER_SECOND, _TIME_PER_STEP, _ITEMS_PER_SECOND, re.compile(rf"{_TIME}(?![a-z/_])"),
)  # fmt: skip
_SHORT_RATES = {"ips": "samples", "wps": "words", "tps": "tokens", "fps": "frames", "throughput": "samples"}
_PER_DEVICE = re.compile(r"\s*(?:/|per[ _]?)(?:gpu|device|rank|chip)s?", re.IGNORECASE)
_PER_DEVICE_WORD = re.compile(r"(?:/|per[ _]?)(?:gpu|device|rank|chip)")
_TIME_KEY = re.compile(r"(?<![a-z])(?:time|dt|took|elapsed?|duration|latency|tm)(?![a-z])")
_RATE_KEY = re.compile(r"(?<![a-z])(?:speed|throughput|[iwtf]ps)$")
_UNIT_INSIDE = re.compile(
    r"(?:^|[(_\[ ])(milliseconds?|msecs?|ms|us|µs|ns|minutes?|min|seconds?|secs?|s)[)\]]?$"
)
# What is neither a rate nor a time whatever unit stands near; a comma or `::` behind it ends its field.
_OTHER = re.compile(
    r"(?<![a-z])(?:loss(?:es|[_ ]?scale)?|nll|ppl|perplexity|lr|learning[_ ]?rate|error|score|reward|mfu"
    r"|mem(?:ory)?|(?:grad(?:ient)?[_ ]?|g)?norm|acc(?:uracy)?|ep(?:och)?s?)"
    r"[\"']?\s*(?:=>|[=:(\[{<])?\s*[\"']?$"
)
_LEADS = re.compile(r"[\"']?\s*[:=]")
_ASSIGNS = re.compile(r"[\"']?\s*=(?!>)")
_LETTER = re.compile(r"[^\W\d_]")
# "it_s" may be iterations a second as well as the seconds of one.
_RATE_OR_TIME = re.compile(r"(?<![a-z])(?:it|its|steps|iters|iterations|batches)_s$")
_STEP_WORD = re.compile(r"(?<![a-z])(?:step|iter|iteration|it|batch|train)")
_PER_STEP = re.compile(r"(?:/|per)[ _]?(?:step|it|batch)")
# Times that are those of a part of a step, of something else, or of all of it so far.
_A_PART = re.compile(
    r"(?<![a-z])(?:data|load|fwd|forward|bwd|backward|optim|opt|eval|val|valid|comm|wait|h2d|lr|loss|mem|epoch)"
)
_OF_MANY = re.compile(r"(?<![a-z])(?:eta|remain|total|left|avg|average|mean)")


@dataclass(frozen=True, slots=True)
class Words:
    """What stands around a number: the words before it, in small letters, and the unit behind it.

    end       where the unit ends in the literal behind the number, 0 without one of its own
    is_other  the words say that it is neither a rate nor a time
    """

    key: str
    unit: str
    end: int
    is_other: bool

    @property
    def named_unit(self) -> str:
        """The unit of time that the words end with: `step_ms`, `time (s)`."""
        found = _UNIT_INSIDE.search(self.key)
        return found[1] if found else ""


@dataclass(frozen=True, slots=True)
class Reading:
    """What the words around a number say it is: the name of a group.

    sure  how plainly; end  where the unit ends in the literal behind the number, 0 without one
    note  what was assumed
    """

    name: str
    sure: int
    end: int = 0
    note: str = ""
    is_per_device: bool = False

    @property
    def is_rate(self) -> bool:
        """A rate or a time."""
        return self.name.endswith("_per_second")


def words_of(shape: Shape) -> list[Words]:
    """Return what stands around each number; the unit of the one before is none of its words."""
    found: list[Words] = []
    for slot in range(len(shape.kinds)):
        text = shape.literals[slot].lower()[found[-1].end if found else 0 :]
        key = re.sub(r"[\s\"'=:(\[{<>|,]+$", "", text).strip()
        words = Words(key, "", 0, bool(_OTHER.search(text)))
        unit = _unit_behind(shape, slot)
        if _is_clear(shape, slot) or (unit and _owns(shape, slot, words, unit)):
            words = replace(words, unit=unit, end=len(unit))
        found.append(words)
    return found


def _unit_behind(shape: Shape, slot: int) -> str:
    """Return the unit that stands behind a number, whether it is its own or the next one's name."""
    literal = shape.literals[slot + 1].lower()
    found = next((match for pattern in _UNITS_BEHIND if (match := pattern.match(literal))), None)
    return found[0] if found else ""


def _is_clear(shape: Shape, slot: int) -> bool:
    """Tell whether the unit behind a number, if there is one, can be no other number's name."""
    unit = _unit_behind(shape, slot)
    rest = shape.literals[slot + 1][len(unit) :]
    is_glued = any(not raw[:1].isspace() for raw in shape.spellings(slot + 1))
    leads = _LEADS.match(rest) or (not rest and _leads_to_a_number(shape, slot + 1))
    return bool(unit) and (is_glued or not leads)


def _owns(shape: Shape, slot: int, words: Words, unit: str) -> bool:
    """Tell whether a unit between two numbers is that of the first or the name of the second."""
    rest = shape.literals[slot + 1][len(unit) :]
    has_unit = bool(words.named_unit) or any(pattern.search(words.key) for pattern in _UNITS_BEHIND[:3])
    if _ASSIGNS.match(rest) or has_unit or words.is_other or shape.literals[slot] == "/":
        return False
    is_rate = any(pattern.match(unit) for pattern in (_STEPS_PER_SECOND, _ITEMS_PER_SECOND))
    if _RATE_KEY.search(words.key) if is_rate else is_time(words.key):
        return True
    if shape.are_counts(slot) and shape.grows(slot):  # more likely the step
        return False
    has_next = slot + 1 < len(shape.kinds) and _is_clear(shape, slot + 1)
    return bool(has_next or _LETTER.search(rest) or not _LETTER.search(words.key))


def is_time(key: str) -> bool:
    """Tell whether words speak of a time."""
    return bool(_TIME_KEY.search(key))


def reading(shape: Shape, words: Words, slot: int) -> Reading | None:
    """Return whether a number is a step time or a rate; None if it is neither, or cannot be told."""
    if words.is_other or not shape.numbers(slot):
        return None
    key, unit, end = words.key, words.unit, words.end
    per_device = _PER_DEVICE.match(shape.literals[slot + 1][end:])
    if end and per_device:
        end += per_device.end()
    is_per_device = bool(per_device or _PER_DEVICE_WORD.search(key))
    text, at, sure = (unit, end, 4) if unit else (key, 0, 3)
    if found := _rate(text, key, at, sure - is_per_device):
        return replace(found, is_per_device=is_per_device and found.is_rate)
    short = key.rpartition(" ")[2]
    if short in _SHORT_RATES and not unit:
        note = "" if short != "throughput" else "the throughput has no unit: samples per second are assumed"
        return Reading(f"{_SHORT_RATES[short]}_per_second", 2, 0, note, is_per_device)
    return _plain_time(shape, slot, words, end)


def _leads_to_a_number(shape: Shape, place: int) -> bool:
    """Tell whether a unit stands before its number: between two, and nothing stands behind the last."""
    is_between = place < len(shape.kinds) and all(raw[:1].isspace() for raw in shape.spellings(place))
    return is_between and not re.search(r"[A-Za-z]", shape.literals[-1])


def _rate(text: str, key: str, end: int, sure: int) -> Reading | None:
    """Return what a text with a "per" in it says: items or steps per second, time per step."""
    if _OF_MANY.search(key):
        return None
    if found := _ITEMS_PER_SECOND.search(text):
        item = found["item"]
        return Reading(f"{_ITEMS.get(item) or _ITEMS[item.removesuffix('s')]}_per_second", sure, end)
    if found := _TIME_PER_STEP.search(text):
        return None if _A_PART.search(key) else Reading(f"step_time_{_unit(found['unit'])}", sure + 1, end)
    return Reading("steps_per_second", sure - 2, end) if _STEPS_PER_SECOND.search(text) else None


def _plain_time(shape: Shape, slot: int, words: Words, end: int) -> Reading | None:
    """Return a number with a word or a unit of time that is the time of a step, not of a part."""
    key, unit, inside = words.key, words.unit, words.named_unit
    is_of_a_step = bool(_STEP_WORD.search(key))
    is_named = is_time(key) or bool(inside and is_of_a_step and not _RATE_OR_TIME.search(key))
    is_elapsed = shape.never_falls(slot) and not _PER_STEP.search(key)
    if _A_PART.search(key) or _OF_MANY.search(key) or is_elapsed:
        return None
    if not is_named and (not unit or (_LETTER.search(key) and not is_of_a_step)):
        return None
    known = _unit(unit or inside)
    note = "" if known else "no unit stands at the time: seconds are assumed"
    sure = 1 + is_named + bool(known) + (is_of_a_step and is_named)
    return Reading(f"step_time_{known or 's'}", sure, end, note)


def _unit(text: str) -> str:
    return _UNITS.get(text) or _UNITS.get(text.removesuffix("s"), "")
