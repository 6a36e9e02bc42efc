"""The definition of a user's own format: the table `[format]` of a labels.toml, checked and compiled.

A table as TOML gives it goes in; a `Definition` comes out, or a RequestError that names the key. The pattern
is somebody's text, so google-re2 runs it: its time is linear in the log whatever the pattern. It sees one
line at a time and finds at most one record in a line, since going on behind a record in the same line would
make the whole quadratic again. Lines end at line feeds and at carriage returns, as progress bars write them.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol, cast

from reportgen.core.errors import RequestError, did_you_mean
from reportgen.core.model import FactorValue

KEYS = ("name", "pattern", "files", "samples_per_step", "every", "rate")
TIME_UNITS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "min": 60.0}
# Rates of steps rather than of what a step works on.
STEP_RATES = ("steps", "iterations")

_TIME = re.compile(r"step_time(?:_(.*))?")
_RATE = re.compile(r"([A-Za-z]+(?:_[A-Za-z]+)*)_per_second")
_OTHER_RATE = re.compile(r".+_per_(?:s|sec|secs|seconds|ms|min|minute|h|hour)")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,59}")
_GROUP = re.compile(r"\(\?P?<(\w+)>")
_ANY_BYTE = re.compile(r"(?<!\\)(?:\\\\)*\\C")
_MOST_CHARACTERS = 4000
_NOT_ASCII = bytes(range(128)) + b"?" * 128
_MEASURES = "name one step_time_<unit>, <items>_per_second or timestamp, as in (?P<step_time_ms>[0-9.]+)"


class LinearPattern(Protocol):
    """What is used of a pattern that google-re2 compiled; the package has no types."""

    groupindex: Mapping[bytes, int]

    def finditer(self, text: bytes) -> Iterator[re.Match[bytes]]:
        """Yield matches from left to right."""


@dataclass(frozen=True, slots=True)
class Definition:
    """A checked `[format]`.

    files             a glob that the end of a log's path must match, "" for every path
    samples_per_step  work per step over all devices, None when unknown
    every             steps that a record stands for, None where the step numbers are to tell
    is_per_device     whether the printed rate is that of one device
    devices           how many there are where the labels say so
    time, rate        the groups with step times and rates, "" where the pattern has none
    scale             s in one unit of the time group; item  what the rate counts, in the singular
    others            groups that become factors
    """

    name: str
    pattern: str
    files: str = ""
    samples_per_step: float | None = None
    every: int | None = None
    is_per_device: bool = False
    devices: int | None = None
    time: str = ""
    scale: float = 1.0
    rate: str = ""
    item: str = ""
    groups: tuple[str, ...] = ()

    @property
    def others(self) -> list[str]:
        """Groups that become factors where they are constant."""
        own = ("step", "epoch", "timestamp", self.time, self.rate)
        return [name for name in self.groups if name not in own]

    def matches(self, text: bytes) -> Iterator[re.Match[bytes]]:
        """Yield the first match in each line of a `searchable` text; it reaches to the end of the line."""
        return (found for found in whole_line(self.pattern).finditer(text) if found.end() > found.start())


def definition(place: str, table: Mapping[str, Any]) -> Definition:
    """Return the definition in a table; RequestError says what is wrong at `place`.key."""
    known = (*KEYS, "devices")
    for key in table:
        if key not in known:
            raise RequestError(place, f'unknown key "{key}"', did_you_mean(key, KEYS))
    name, pattern = _text(place, table, "name"), _text(place, table, "pattern")
    if not _NAME.fullmatch(name):
        raise RequestError(f"{place}.name", f'"{name}" cannot be a name', "write letters, digits, _, - and .")
    rate_of = table.get("rate", "global")
    if rate_of not in ("global", "per-device"):
        raise RequestError(f"{place}.rate", f'"{rate_of}" is neither "global" nor "per-device"')
    groups = _groups(f"{place}.pattern", pattern)
    time, scale = _time(f"{place}.pattern", groups)
    rate, item = _rate(f"{place}.pattern", groups)
    if not (time or rate or "timestamp" in groups):
        raise RequestError(f"{place}.pattern", "has no group that tells a time or a rate", _MEASURES)
    return Definition(
        name,
        pattern,
        files=_files(place, table),
        samples_per_step=_positive(place, table, "samples_per_step", whole=False),
        every=_whole(_positive(place, table, "every", whole=True)),
        is_per_device=rate_of == "per-device",
        devices=_whole(_positive(place, table, "devices", whole=True)),
        time=time,
        scale=scale,
        rate=rate,
        item=item,
        groups=groups,
    )


def searchable(content: bytes) -> bytes:
    """Return a text of the same length in which every line ends with a line feed and all is UTF-8.

    In a text that is not UTF-8 each byte beyond ASCII becomes "?".
    """
    text = content.replace(b"\r", b"\n") if b"\r" in content else content
    try:
        text.decode()
    except UnicodeDecodeError:
        return text.translate(_NOT_ASCII)
    return text


def factor(text: bytes) -> FactorValue:
    """Return what a group matched as a factor: a number where it is written as one, else text."""
    shown = text.decode("utf-8", "replace").strip()
    if re.fullmatch(r"-?[0-9]{1,15}", shown):
        return int(shown)
    if re.fullmatch(r"-?[0-9]{1,15}\.[0-9]{1,15}", shown):
        return float(shown)
    return {"true": True, "false": False}.get(shown.lower(), shown[:200])


@lru_cache(maxsize=64)
def whole_line(pattern: str) -> LinearPattern:
    """Return the pattern with the rest of the line behind it, so that no line is looked at twice."""
    return _compile("(?m)(?:" + pattern + r")[^\n]*")


def _compile(pattern: str) -> LinearPattern:
    import re2  # here, since hardly any log needs it

    options = re2.Options()
    options.log_errors = False
    options.never_nl = True
    return cast(LinearPattern, re2.compile(pattern.encode(), options))


@lru_cache(maxsize=64)
def _fault(pattern: str) -> str:
    """Return what is wrong with the syntax of a pattern, "" if nothing is."""
    import re2

    if len(pattern) > _MOST_CHARACTERS:
        return f"has more than {_MOST_CHARACTERS} characters"
    if _ANY_BYTE.search(pattern):
        return r"\C would match the end of a line"
    try:
        _compile(pattern)
        whole_line(pattern)
    except re2.error as error:
        reason = error.args[0] if error.args else b""
        return reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
    except UnicodeEncodeError:
        return "is not text"
    twice = [name for name, count in Counter(_GROUP.findall(pattern)).items() if count > 1]
    return f'the group "{twice[0]}" stands there twice' if twice else ""


def _groups(place: str, pattern: str) -> tuple[str, ...]:
    fault = _fault(pattern)
    if fault:
        raise RequestError(place, fault, "the syntax is RE2's, without look-around and back-references")
    index = whole_line(pattern).groupindex
    return tuple(name.decode() for name in sorted(index, key=lambda name: index[name]))


def _time(place: str, groups: tuple[str, ...]) -> tuple[str, float]:
    found = [(name, match[1]) for name in groups if (match := _TIME.fullmatch(name))]
    for name, unit in found:
        if unit not in TIME_UNITS:
            fact = f'unknown unit "{unit}" in group "{name}"' if unit else f'group "{name}" has no unit'
            units = ", ".join(f"step_time_{known}" for known in TIME_UNITS)
            raise RequestError(place, fact, f"call it one of {units}")
    if len(found) > 1:
        raise RequestError(
            place, f'two groups with step times, "{found[0][0]}" and "{found[1][0]}"', "keep one"
        )
    return (found[0][0], TIME_UNITS[found[0][1]]) if found else ("", 1.0)


def _rate(place: str, groups: tuple[str, ...]) -> tuple[str, str]:
    for name in groups:
        if _OTHER_RATE.fullmatch(name):
            raise RequestError(place, f'unknown unit of the rate "{name}"', "rates end in _per_second")
    found = [(name, match[1]) for name in groups if (match := _RATE.fullmatch(name))]
    if len(found) > 1:
        raise RequestError(place, f'two groups with rates, "{found[0][0]}" and "{found[1][0]}"', "keep one")
    return (found[0][0], _singular(found[0][1])) if found else ("", "")


def _singular(items: str) -> str:
    return items if items in STEP_RATES else items.removesuffix("s").replace("_", " ")


def _text(place: str, table: Mapping[str, Any], key: str) -> str:
    value = table.get(key)
    if not isinstance(value, str) or not value:
        example = "name = 'my-trainer'" if key == "name" else r"pattern = 'step (?P<step>\d+) .*'"
        raise RequestError(f"{place}.{key}", "is required, as text", f"write {example}")
    return value


def _files(place: str, table: Mapping[str, Any]) -> str:
    value = table.get("files", "")
    if not isinstance(value, str):
        raise RequestError(f"{place}.files", "is not a text", 'write files = "*.log"')
    if ".." in value.split("/"):
        raise RequestError(f"{place}.files", f'"{value}" leads out of the folder', "logs lie below it")
    return value


def _positive(place: str, table: Mapping[str, Any], key: str, *, whole: bool) -> float | None:
    value = table.get(key)
    if value is None:
        return None
    kinds = (int,) if whole else (int, float)
    if isinstance(value, bool) or not isinstance(value, kinds) or not 0 < value < 2**53:
        raise RequestError(f"{place}.{key}", f"{value!r} is not a {'whole ' if whole else ''}number above 0")
    return float(value)


def _whole(value: float | None) -> int | None:
    return None if value is None else int(value)
