"""A protocol as named data: how much warm-up, how many steps, how many repeats, which limits.

The default is DLPerf's: ignore 20 steps, measure 100, repeat 7 times, take the median
(https://github.com/Oneflow-Inc/DLPerf). Everything that influences the number of a run is a field here, so
that a result can name its protocol. Other protocols than the default exist to reproduce published numbers.
"""

import json
from collections.abc import Mapping
from typing import Annotated, Literal

from msgspec import Meta, Struct, structs

from reportgen.core.errors import RequestError, did_you_mean
from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.schema import convert

Estimator = Literal["total", "mean_of_rates"]
Reduce = Literal["median", "olympic"]

_NOTATION = lazy_pattern(r"(\d{1,9})\+(\d{1,9})(?:x(\d{1,6}))?")


class Protocol(Struct, frozen=True, cache_hash=True):
    """How runs become numbers. Ratios are fractions of 1.

    warmup      steps ignored at the start of a run; measure  steps after them; repeats  runs of a case
    estimator   total: work over time of the window; mean_of_rates: mean of the rates of its entries
    gap_factor  an entry longer than this times the window's median is not a step and is left out
    gap_share   share of the entries up to which (one at least) such entries are gaps; more are measured
    confidence  of the interval of the median
    spread      (max - min) / median of the repeats above which `protocol.spread` is raised
    drift       p below which a trend over the repeats is `protocol.drift-across-repeats`, if the median
                trend moves the value by more than drift_size over the repeats
    straggler   share of the step time by which a rank is behind the others to be named
    reduce      of the repeats; median, or olympic: the mean without the `drop` best and the `drop` worst,
                a run without a number being among the worst, and more of those than `drop` giving none
    strict      a run with damaged records in its log counts as one without a number
    version     to be raised when the meaning of a named protocol changes
    """

    name: str = "20+100x7"
    warmup: Annotated[int, Meta(ge=0)] = 20
    measure: Annotated[int, Meta(ge=1)] = 100
    repeats: Annotated[int, Meta(ge=1)] = 7
    estimator: Estimator = "total"
    gap_factor: Annotated[float, Meta(gt=1)] = 10.0
    gap_share: Annotated[float, Meta(ge=0, lt=1)] = 0.1
    # No finite interval has the confidence 1.
    confidence: Annotated[float, Meta(gt=0, lt=1)] = 0.95
    spread: Annotated[float, Meta(ge=0)] = 0.05
    drift: Annotated[float, Meta(ge=0, lt=1)] = 0.05
    drift_size: Annotated[float, Meta(ge=0)] = 0.01
    straggler: Annotated[float, Meta(ge=0)] = 0.05
    reduce: Reduce = "median"
    drop: Annotated[int, Meta(ge=0)] = 1
    strict: bool = False
    version: Annotated[int, Meta(ge=1)] = 1

    @classmethod
    def from_table(cls, name: str, table: Mapping[str, object], place: str = "") -> "Protocol":
        """Return the protocol of a table of definitions: the fields above, or `steps = "20+100x7"`.

        place   the table's place, for the message; by default `protocols.<name>`
        raises  RequestError for an unknown key or a value out of range
        """
        place = place or f"protocols.{name}"
        known = [field.name for field in structs.fields(cls) if field.name != "name"] + ["steps"]
        for key in table:
            if key not in known:
                raise RequestError(f"{place}.{key}", "no such key", did_you_mean(key, known))
        values = {key: value for key, value in table.items() if key != "steps"}
        if "steps" in table:
            values = {**_notation(str(table["steps"]), f"{place}.steps"), **values}
        return convert({"name": name, **values}, cls, place)

    @property
    def is_named(self) -> bool:
        """Return True if the name is not the notation itself: then the name does not say the steps."""
        return not _NOTATION.fullmatch(self.name)

    @property
    def reduction(self) -> str:
        """How repeats become one number, in words."""
        if self.reduce == "median":
            return "median"
        number = f"{self.drop} " if self.drop > 1 else ""
        return f"mean without the {number}best and the {number}worst"

    def particulars(self) -> str:
        """Return the fields that differ from the default, as a definition writes them, "" for none.

        Steps, repeats, their reduction and the version are left out: they are always printed.
        """
        printed_anyway = ("name", "warmup", "measure", "repeats", "reduce", "version")
        values = {field.name: getattr(self, field.name) for field in structs.fields(self)}
        return ", ".join(
            f"{field.name} = {_written(values[field.name])}"
            for field in structs.fields(self)
            if field.name not in printed_anyway and values[field.name] != field.default
        )


DEFAULT = Protocol()

# Protocols with a name that needs no entry in reportgen.toml. MLPerf asks for 3 runs of its largest
# benchmarks, for 5 or 10 of the others, and for 40 of 3D U-Net, of which it leaves out 8:
# https://github.com/mlcommons/training_policies/blob/master/training_rules.adoc
KNOWN: Mapping[str, Protocol] = {
    "mlperf": Protocol("mlperf", repeats=3, reduce="olympic", strict=True),
    "mlperf-unet3d": Protocol("mlperf-unet3d", repeats=40, reduce="olympic", drop=4, strict=True),
}


def _written(value: object) -> str:
    """Return a value as a definition writes it: 5 rather than 5.0."""
    return f"{value:g}" if isinstance(value, float) else json.dumps(value)


def parse_protocol(text: str, place: str = "protocol") -> Protocol:
    """Return the protocol that `warmup+measure` or `warmup+measurexrepeats` stands for.

    text    as "20+100x7"; without repeats, those of the default
    raises  RequestError if the text is something else or measures nothing
    """
    return convert({"name": text.strip(), **_notation(text, place)}, Protocol, place)


def _notation(text: str, place: str) -> dict[str, int]:
    match = _NOTATION.fullmatch(text.strip())
    if not match:
        raise RequestError(place, f'"{text}" is not a protocol', 'write steps and repeats as in "20+100x7"')
    parts = zip(("warmup", "measure", "repeats"), match.groups(), strict=True)
    return {key: int(part) for key, part in parts if part}
