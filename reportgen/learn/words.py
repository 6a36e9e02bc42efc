"""Read the words and units around the numbers of a line: which number is a step time, which a rate.

A word belongs to the number that follows it (`time: 12.5`), a unit to the number before it (`12.5 ms`). What
remains unclear stays unnamed: a wrong name is worse than none.
"""

import re
from dataclasses import dataclass, replace

from reportgen.learn.shapes import Shape

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
_UNIT_INSIDE = re.compile(r"[(_\[ ](milliseconds?|msecs?|ms|us|µs|ns|minutes?|min|seconds?|secs?|s)[)\]]?$")
_STEP_WORD = re.compile(r"(?<![a-z])(?:step|iter|iteration|it|batch|train)")
_PER_STEP = re.compile(r"(?:/|per)[ _]?(?:step|it|batch)")
# Times that are those of a part of a step, of something else, or of all of it so far.
_A_PART = re.compile(
    r"(?<![a-z])(?:data|load|fwd|forward|bwd|backward|optim|opt|eval|val|valid|comm|wait|h2d|lr|loss|mem|epoch)"
)
_OF_MANY = re.compile(r"(?<![a-z])(?:eta|remain|total|left|avg|average|mean)")


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


def keys_of(shape: Shape) -> list[str]:
    """Return the words that belong to each number, without the unit of the number before them."""
    keys = []
    for slot in range(len(shape.kinds)):
        start = unit_end(shape, slot - 1) if slot else 0
        words = shape.literals[slot].lower()[start:]
        keys.append(re.sub(r"[\s\"'=:(\[{<>|,]+$", "", words).strip())
    return keys


def unit_end(shape: Shape, slot: int) -> int:
    """Return where the unit of a number ends in the literal behind it, 0 if none of its own is there."""
    literal = shape.literals[slot + 1].lower()
    found = next((match for pattern in _UNITS_BEHIND if (match := pattern.match(literal))), None)
    if not found:
        return 0
    rest = literal[found.end() :]
    is_key = bool(re.match(r"[\"']?\s*[:=]", rest)) or (not rest and _leads_to_a_number(shape, slot + 1))
    return 0 if is_key else found.end()


def is_time(key: str) -> bool:
    """Tell whether words speak of a time."""
    return bool(_TIME_KEY.search(key))


def reading(shape: Shape, key: str, slot: int) -> Reading | None:
    """Return whether a number is a step time or a rate; None if it is neither, or cannot be told."""
    if not shape.numbers(slot):
        return None
    end = unit_end(shape, slot)
    unit, behind = shape.literals[slot + 1].lower()[:end], shape.literals[slot + 1][end:]
    per_device = _PER_DEVICE.match(behind)
    if end and per_device:
        end += per_device.end()
    is_per_device = bool(per_device or _PER_DEVICE_WORD.search(key))
    for text, at, sure in ((unit, end, 4), (key, 0, 3)):
        found = _rate(text, key, at, sure - is_per_device)
        if found:
            return replace(found, is_per_device=is_per_device and found.is_rate)
    short = key.rpartition(" ")[2]
    if short in _SHORT_RATES and not unit:
        note = "" if short != "throughput" else "the throughput has no unit: samples per second are assumed"
        return Reading(f"{_SHORT_RATES[short]}_per_second", 2, 0, note, is_per_device)
    return _plain_time(shape, slot, key, unit, end)


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


def _plain_time(shape: Shape, slot: int, key: str, unit: str, end: int) -> Reading | None:
    """Return a number with a word or a unit of time that is the time of a step, not of a part."""
    is_named, is_of_a_step = is_time(key), bool(_STEP_WORD.search(key))
    is_elapsed = shape.never_falls(slot) and not _PER_STEP.search(key)
    if _A_PART.search(key) or _OF_MANY.search(key) or is_elapsed:
        return None
    if not is_named and (not unit or (re.search(r"[a-z]", key) and not is_of_a_step)):
        return None
    inside = _UNIT_INSIDE.search(key)
    known = _unit(unit or (inside[1] if inside else ""))
    note = "" if known else "no unit stands at the time: seconds are assumed"
    sure = 1 + is_named + bool(known) + (is_of_a_step and is_named)
    return Reading(f"step_time_{known or 's'}", sure, end, note)


def _unit(text: str) -> str:
    return _UNITS.get(text) or _UNITS.get(text.removesuffix("s"), "")
