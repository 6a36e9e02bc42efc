"""A protocol as named data: how much warm-up, how many steps, how many repeats, which limits.

The default is DLPerf's: ignore 20 steps, measure 100, repeat 7 times, take the median
(https://github.com/Oneflow-Inc/DLPerf). Everything that decides which number comes out of a run is
a field here, so that a result can name what it was made by; other rules than the default exist to
reproduce what others published.
"""

import dataclasses
import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from reportgen.core.errors import RequestError, did_you_mean

Estimator = Literal["total", "mean_of_rates"]
Reduce = Literal["median", "olympic"]

_NOTATION = re.compile(r"(\d{1,9})\+(\d{1,9})(?:x(\d{1,6}))?")


@dataclass(frozen=True, slots=True)
class Protocol:
    """How runs become numbers. Ratios are fractions of 1.

    warmup      steps ignored at the begin of a run; measure  steps that follow; repeats  runs of a case
    estimator   total: work over time of the window; mean_of_rates: mean of the rates of its entries
    gap_factor  an entry longer than this times the window's median is no step and left out
    gap_share   share of the entries up to which (one at least) such entries are gaps; more are measured
    confidence  of the interval of the median
    spread      (max - min) / median of the repeats above which `protocol.spread` is raised
    drift       p below which a trend over the repeats is `protocol.drift-across-repeats`, if the median
                trend moves the value by more than drift_size over the repeats
    straggler   share of the step time by which a rank is behind the others to be named
    reduce      of the repeats; median, or olympic: the mean without the `drop` best and the `drop` worst,
                a run without a number being among the worst, and more of those than `drop` giving none
    strict      a run with damaged records in its log counts as one without a number
    version     raised by whoever changes a named protocol's meaning
    """

    name: str = "20+100x7"
    warmup: int = 20
    measure: int = 100
    repeats: int = 7
    estimator: Estimator = "total"
    gap_factor: float = 10.0
    gap_share: float = 0.1
    confidence: float = 0.95
    spread: float = 0.05
    drift: float = 0.05
    drift_size: float = 0.01
    straggler: float = 0.05
    reduce: Reduce = "median"
    drop: int = 1
    strict: bool = False
    version: int = 1

    @classmethod
    def from_table(cls, name: str, table: Mapping[str, object], place: str = "") -> "Protocol":
        """Return the protocol of a table of definitions: the fields above, or `steps = "20+100x7"`.

        place   where the table stands, for the message; by default `protocols.<name>`
        raises  RequestError for a key that is not known or a value that makes no sense
        """
        place = place or f"protocols.{name}"
        fields = {field.name: field.default for field in dataclasses.fields(cls) if field.name != "name"}
        values: dict[str, object] = {}
        for key, value in table.items():
            if key == "steps":
                values = {**_notation(str(value), f"{place}.steps"), **values}
            elif key in fields:
                values[key] = _checked(key, value, fields[key], place)
            else:
                raise RequestError(f"{place}.{key}", "no such key", did_you_mean(key, [*fields, "steps"]))
        return cls(name, **values)  # type: ignore[arg-type]

    @property
    def is_named(self) -> bool:
        """Whether the name is one of its own, which does not say what it stands for."""
        return not _NOTATION.fullmatch(self.name)

    def particulars(self) -> str:
        """Return the fields unlike the default's as a definition writes them, "" for none.

        Steps, repeats, what is done with these, and the version are left out: they are told anyway.
        """
        told = ("name", "warmup", "measure", "repeats", "reduce", "version")
        values = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        return ", ".join(
            f"{field.name} = {json.dumps(values[field.name])}"
            for field in dataclasses.fields(self)
            if field.name not in told and values[field.name] != field.default
        )


DEFAULT = Protocol()


def parse_protocol(text: str, place: str = "protocol") -> Protocol:
    """Return the protocol that `warmup+measure` or `warmup+measurexrepeats` stands for.

    text    as "20+100x7"; without repeats, those of the default
    raises  RequestError where the text is something else or measures nothing
    """
    return Protocol(text.strip(), **_notation(text, place))  # type: ignore[arg-type]


def _notation(text: str, place: str) -> dict[str, int]:
    match = _NOTATION.fullmatch(text.strip())
    if not match:
        raise RequestError(place, f'"{text}" is no protocol', 'write steps and repeats as in "20+100x7"')
    parts = zip(("warmup", "measure", "repeats"), match.groups(), strict=True)
    return {key: int(_in_range(key, int(part), place)) for key, part in parts if part}


# Fields that are one of some words: what such a word is called, and the words.
_WORDS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "estimator": ("estimator", get_args(Estimator)),
    "reduce": ("reduction of repeats", get_args(Reduce)),
}


def _checked(key: str, value: object, default: object, place: str) -> int | float | str:
    place = f"{place}.{key}"
    if key in _WORDS:
        what, words = _WORDS[key]
        if value not in words:
            raise RequestError(place, f'"{value}" is no {what}', did_you_mean(str(value), words))
        return str(value)
    if isinstance(default, bool):
        if not isinstance(value, bool):
            raise RequestError(place, f"{value!r} is neither true nor false")
        return value
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    if isinstance(default, int) and not is_whole:
        raise RequestError(place, f"{value!r} is no whole number")
    if not is_whole and not isinstance(value, float):
        raise RequestError(place, f"{value!r} is no number")
    assert isinstance(value, int | float)
    return _in_range(key, value, place)


# The range that makes sense: lowest, highest, and whether the lowest itself is meant.
_RANGES = {
    "warmup": (0, math.inf, True),
    "measure": (1, math.inf, True),
    "repeats": (1, math.inf, True),
    "drop": (0, math.inf, True),
    "gap_factor": (1, math.inf, False),
    "gap_share": (0, 1, True),
    "confidence": (0, 1, False),
    "spread": (0, math.inf, True),
    "drift": (0, 1, True),
    "drift_size": (0, math.inf, True),
    "straggler": (0, math.inf, True),
    "version": (1, math.inf, True),
}


def _in_range(key: str, value: int | float, place: str) -> int | float:
    low, high, closed = _RANGES[key]
    # 1.0 is no confidence: no finite interval has it.
    if not (low <= value if closed else low < value) or not value < high:
        bound = (f"at least {low}" if closed else f"above {low}") + (" and below 1" if high == 1 else "")
        raise RequestError(place, f"{value} is out of range", f"it is {bound}")
    return value
