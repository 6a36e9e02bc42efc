"""The definition of a custom format: the table `[format]` of a labels.toml, checked and compiled.

A table as TOML gives it goes in; a `Definition` comes out, or a RequestError that names the key.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from reportgen.core.errors import RequestError, did_you_mean
from reportgen.formats.custom.linear_pattern import fault, group_names, matches
from reportgen.formats.parsing.line_format import STEP_RATES, TIME_UNITS, Quantity, quantities

KEYS = ("name", "pattern", "files", "samples_per_step", "every", "rate")

_TIME = re.compile(r"(step_time|data_loading_time)(?:_(.*))?")
_OTHER_RATE = re.compile(r".+_per_(?:s|sec|secs|seconds|ms|min|minute|h|hour)")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,59}")
_MEASURES = "name one step_time_<unit>, <items>_per_second or timestamp, as in (?P<step_time_ms>[0-9.]+)"


@dataclass(frozen=True, slots=True)
class Definition:
    """A checked `[format]`.

    files             a glob that the end of a log's path must match, "" for every path
    samples_per_step  work per step over all devices, None when unknown
    every             steps that a record covers, None where the step numbers show it
    is_per_device     whether the printed rate is that of one device
    devices           their number, if the labels have it
    groups            named groups of the pattern, and the quantities that some of them measure
    """

    name: str
    pattern: str
    files: str = ""
    samples_per_step: float | None = None
    every: int | None = None
    is_per_device: bool = False
    devices: int | None = None
    groups: tuple[str, ...] = ()
    quantities: tuple[Quantity, ...] = ()

    @property
    def time(self) -> str:
        """The group with step times, "" where the pattern has none."""
        return next((name for name in self.groups if name.startswith("step_time_")), "")

    @property
    def item(self) -> str:
        """What the rate counts, "" where the pattern has no rate of samples."""
        return next((rate.item for rate in self.quantities if rate.item and rate.item not in STEP_RATES), "")

    def matches(self, text: bytes) -> Iterator[re.Match[bytes]]:
        """Yield the first match in each line of a `searchable` text, with the rest of the line."""
        return matches(self.pattern, text)


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
    return Definition(
        name,
        pattern,
        files=_files(place, table),
        samples_per_step=_positive(place, table, "samples_per_step", whole=False),
        every=_whole(_positive(place, table, "every", whole=True)),
        is_per_device=rate_of == "per-device",
        devices=_whole(_positive(place, table, "devices", whole=True)),
        groups=groups,
        quantities=quantities(groups),
    )


def _groups(place: str, pattern: str) -> tuple[str, ...]:
    """Return the named groups of a pattern that is right, and measures something."""
    reason = fault(pattern)
    if reason:
        raise RequestError(place, reason, "the syntax is RE2's, without look-around and back-references")
    groups = group_names(pattern)
    times = [(match[0], match[1], match[2]) for name in groups if (match := _TIME.fullmatch(name))]
    for name, quantity, unit in times:
        if unit not in TIME_UNITS:
            fact = f'unknown unit "{unit}" in group "{name}"' if unit else f'group "{name}" has no unit'
            units = ", ".join(f"{quantity}_{known}" for known in TIME_UNITS)
            raise RequestError(place, fact, f"call it one of {units}")
    for name in groups:
        if _OTHER_RATE.fullmatch(name):
            raise RequestError(place, f'unknown unit of the rate "{name}"', "rates end in _per_second")
    _require_one(place, "step times", [name for name, quantity, _ in times if quantity == "step_time"])
    _require_one(place, "rates", [name for name in groups if "_per_second" in name and quantities([name])])
    if not (quantities(groups) or "timestamp" in groups):
        raise RequestError(place, "has no group for a time or a rate", _MEASURES)
    return groups


def _require_one(place: str, what: str, names: list[str]) -> None:
    if len(names) > 1:
        raise RequestError(place, f'two groups with {what}, "{names[0]}" and "{names[1]}"', "keep one")


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
        raise RequestError(f"{place}.files", f'"{value}" leads out of the folder', "name logs below it")
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
