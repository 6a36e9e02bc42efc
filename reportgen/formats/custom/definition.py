"""The definition of a custom format: the table `[format]` of a labels.toml, checked, and its pattern.

The pattern sees one line at a time (`formats.parsing.user_patterns`). Lines end at line feeds and at carriage
returns, as progress bars write them.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cached_property, lru_cache
from operator import itemgetter
from typing import Annotated, Any, Literal

from msgspec import Meta

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.schema import InvalidTable, TomlTable, convert
from reportgen.formats.parsing.line_format import STEP_RATES, TIME_UNITS, Quantity, quantities
from reportgen.formats.parsing.user_patterns import pattern_fault, whole_line

_TIME = lazy_pattern(r"(step_time|data_loading_time)(?:_(.*))?")
_STAMP = lazy_pattern(rf"timestamp(?:_(?:{'|'.join(TIME_UNITS)}))?")
_OTHER_RATE = lazy_pattern(r".+_per_(?:s|sec|secs|seconds|ms|min|minute|h|hour)")
_NAME = lazy_pattern(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,59}")
_MEASURES = "name one step_time_<unit>, <items>_per_second or timestamp, as in (?P<step_time_ms>[0-9.]+)"
_NOT_ASCII = bytes(range(128)) + b"?" * 128


class Definition(TomlTable, dict=True):
    """The table `[format]`.

    files             a glob that the end of a log's path must match, "" for every path
    samples_per_step  work per step over all devices, None if unknown
    every             steps that a record covers, None if the step numbers show it
    rate              of all devices or of each
    devices           their number, if the labels have it
    """

    name: str
    pattern: str
    files: str = ""
    samples_per_step: Annotated[float, Meta(gt=0, le=10**15)] | None = None
    every: Annotated[int, Meta(gt=0, le=10**9)] | None = None
    rate: Literal["global", "per-device"] = "global"
    devices: Annotated[int, Meta(gt=0)] | None = None

    def __post_init__(self) -> None:
        """Check the name, the glob and the pattern. Raises InvalidTable."""
        if not _NAME.fullmatch(self.name):
            raise InvalidTable(
                f'"{self.name}" cannot be a name', "write letters, digits, _, - and .", ("name",)
            )
        if ".." in self.files.split("/"):
            raise InvalidTable(f'"{self.files}" leads out of the folder', "name logs below it", ("files",))
        if wrong := _pattern_fault(self.pattern):
            raise InvalidTable(*wrong, ("pattern",))

    @cached_property
    def groups(self) -> Mapping[str, int]:
        """The named groups of the pattern and their numbers, from left to right."""
        return _groups(self.pattern)

    @cached_property
    def quantities(self) -> tuple[Quantity, ...]:
        """The quantities that the groups measure."""
        return quantities(self.groups)

    @property
    def time(self) -> str:
        """The group with step times, "" if the pattern has none."""
        return next((name for name in self.groups if name.startswith("step_time_")), "")

    @property
    def stamp(self) -> str:
        """The group with timestamps, "" if the pattern has none."""
        return next((name for name in self.groups if _STAMP.fullmatch(name)), "")

    @property
    def stamps_per_second(self) -> float:
        """How many of the timestamps' unit make a second."""
        return TIME_UNITS[self.stamp.partition("_")[2] or "s"]

    @property
    def item(self) -> str:
        """The item that the rate counts, "" if the pattern has no rate of samples."""
        return next((rate.item for rate in self.quantities if rate.item and rate.item not in STEP_RATES), "")

    def matches(self, text: bytes) -> Iterator[re.Match[bytes]]:
        """Yield the first match in each line of a `searchable` text, with the rest of the line."""
        return (
            match for match in whole_line(self.pattern.encode()).finditer(text) if match.end() > match.start()
        )


def format_definition(place: str, table: Mapping[str, Any]) -> Definition:
    """Return the definition in a table; RequestError says what is wrong at `place`.key."""
    return convert(table, Definition, place)


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


@lru_cache(maxsize=64)
def _pattern_fault(pattern: str) -> tuple[str, str] | None:
    """Return what is wrong with a pattern and its named groups, and the remedy."""
    if wrong := pattern_fault(pattern):
        return wrong
    groups = _groups(pattern)
    times = [(match[0], match[1], match[2]) for name in groups if (match := _TIME.fullmatch(name))]
    for name, quantity, unit in times:
        if unit not in TIME_UNITS:
            fact = f'unknown unit "{unit}" in group "{name}"' if unit else f'group "{name}" has no unit'
            return fact, f"call it one of {', '.join(f'{quantity}_{known}' for known in TIME_UNITS)}"
    for name in groups:
        if _OTHER_RATE.fullmatch(name):
            return f'unknown unit of the rate "{name}"', "rates end in _per_second"
    stamps = [name for name in groups if _STAMP.fullmatch(name)]
    step_times = [name for name, quantity, _ in times if quantity == "step_time"]
    rates = [name for name in groups if "_per_second" in name and quantities([name])]
    for what, names in (("step times", step_times), ("rates", rates), ("timestamps", stamps)):
        if len(names) > 1:
            return f'two groups with {what}, "{names[0]}" and "{names[1]}"', "keep one"
    if not (quantities(groups) or stamps):
        return "has no group for a time or a rate", _MEASURES
    return None


def _groups(pattern: str) -> dict[str, int]:
    groups = sorted(whole_line(pattern.encode()).groupindex.items(), key=itemgetter(1))
    return {name.decode(): number for name, number in groups}
