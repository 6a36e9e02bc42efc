"""Units: converted to base units on input (`to_base`), chosen for people on output (`choose`, `text`).

Inside the program every value is in a base unit (s, B, W, J, Hz, degC, ratio, samples/s, FLOP/s). A rate
of items per second (images/s, tokens/s) is `samples/s`. The factor `item` of the run names the item, and
`rate_unit` uses it when the rate is shown.
"""

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, Decimal
from difflib import get_close_matches

from reportgen.core.lazy_pattern import lazy_pattern


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit to show values in: shown = value in the base unit / factor.

    name    of the unit, as people read it
    base    base unit
    factor  size of the unit in the base unit
    """

    name: str
    base: str
    factor: float


_SCALES: dict[str, dict[str, float]] = {
    "s": {
        "ps": 1e-12,
        "ns": 1e-9,
        "us": 1e-6,
        "µs": 1e-6,
        "μs": 1e-6,
        "ms": 1e-3,
        "s": 1.0,
        "sec": 1.0,
        "seconds": 1.0,
        "second": 1.0,
        "milliseconds": 1e-3,
        "min": 60.0,
        "minutes": 60.0,
        "h": 3600.0,
        "hours": 3600.0,
        **dict.fromkeys(("nanoseconds", "nanosecond"), 1e-9),
        **dict.fromkeys(("microseconds", "microsecond"), 1e-6),
        **dict.fromkeys(("millisecond", "msec"), 1e-3),
        **dict.fromkeys(("mins", "minute"), 60.0),
        **dict.fromkeys(("hour", "hrs", "hr"), 3600.0),
        "secs": 1.0,
        "day": 86400.0,
    },
    "B": {
        "B": 1.0,
        "bytes": 1.0,
        "kB": 1e3,
        "KB": 1e3,
        "MB": 1e6,
        "GB": 1e9,
        "TB": 1e12,
        "KiB": 2.0**10,
        "MiB": 2.0**20,
        "GiB": 2.0**30,
        "TiB": 2.0**40,
        "kilobytes": 1e3,
        "megabytes": 1e6,
        "gigabytes": 1e9,
    },
    "W": {"mW": 1e-3, "W": 1.0, "kW": 1e3},
    "J": {"mJ": 1e-3, "J": 1.0, "kJ": 1e3, "MJ": 1e6, "mWh": 3.6, "Wh": 3600.0, "kWh": 3.6e6},
    "Hz": {"Hz": 1.0, "kHz": 1e3, "MHz": 1e6, "GHz": 1e9},
    "degC": {"degC": 1.0, "C": 1.0, "°C": 1.0},
    "ratio": {"ratio": 1.0, "%": 1e-2, "percent": 1e-2},
    "FLOP/s": {
        "FLOP/s": 1.0,
        "GFLOP/s": 1e9,
        "TFLOP/s": 1e12,
        "PFLOP/s": 1e15,
        "GFLOPS": 1e9,
        "TFLOPS": 1e12,
        "PFLOPS": 1e15,
    },
    "samples/s": {
        "samples/s": 1.0,
        **dict.fromkeys(("t/s", "fps", "qps", "rps", "tps", "iops", "FPS", "QPS", "RPS", "TPS", "IOPS"), 1.0),
    },
    "B/s": {
        "B/s": 1.0,
        "bytes/s": 1.0,
        "kB/s": 1e3,
        "KB/s": 1e3,
        "MB/s": 1e6,
        "GB/s": 1e9,
        "TB/s": 1e12,
        "KiB/s": 2.0**10,
        "MiB/s": 2.0**20,
        "GiB/s": 2.0**30,
        "TiB/s": 2.0**40,
        "bit/s": 0.125,
        "bits/s": 0.125,
        "kbit/s": 125.0,
        "Mbit/s": 1.25e5,
        "Gbit/s": 1.25e8,
        "Tbit/s": 1.25e11,
        "kb/s": 125.0,
        "Mb/s": 1.25e5,
        "Gb/s": 1.25e8,
        "Tb/s": 1.25e11,
    },
    "1": {"1": 1.0, "": 1.0},
    "count": {"count": 1.0},
}

_UNITS = {name: Unit(name, base, factor) for base, names in _SCALES.items() for name, factor in names.items()}

# The units from which `choose` picks. Quantities that are not listed are shown in their base unit.
_LADDERS = {
    "s": ("ns", "us", "ms", "s"),
    "B": ("B", "KiB", "MiB", "GiB", "TiB"),
    "W": ("mW", "W", "kW"),
    "J": ("mJ", "J", "kJ", "MJ"),
    "Hz": ("Hz", "kHz", "MHz", "GHz"),
    "FLOP/s": ("FLOP/s", "GFLOP/s", "TFLOP/s", "PFLOP/s"),
    "B/s": ("B/s", "kB/s", "MB/s", "GB/s", "TB/s"),
    "ratio": ("%",),
}

# Digits for the largest and the smallest float.
_ANY_FLOAT = Context(prec=700)

# A plural noun per second: images/s, tokens/s, seq/s, img/s. Known units above are looked up first.
_RATE = lazy_pattern(r"([A-Za-z][A-Za-z _-]+)/s(?:ec(?:ond)?)?")
# "512k IOPS"
_PREFIXED_NAME = lazy_pattern(r"([kKMG]) ?((?:[FQRT]|IO)PS|[fqrt]ps|iops)")
# Thousands and millions of the usual items. With other words, a prefix could be the first letter: "k hops/s".
_PREFIXED = lazy_pattern(
    r"([kKMGB]) (?=[A-Za-z]{2})[A-Za-z _-]+"
    r"|([kKMG])(?:images?|imgs?|samples?|examples?|tokens?|toks?|words?|sequences?|seqs?|sentences?|frames?"
    r"|steps?|iterations?|its?|items?|requests?|reqs?|queries|messages?|msgs?|rows?|records?|events?"
    r"|operations?|ops?|elem(?:ent)?s?|cells?|nodes?|edges?|points?|pixels?|keys?|pairs?|lookups?|entr(?:y|ies)"
    r"|updates?|lines?|calls?|objects?|documents?|docs?|packets?|particles?|atoms?)"
)
_PREFIXES = {"k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "B": 1e9}
# Bits, bytes, lengths and operations in a spelling that is not listed above: not items.
_NO_ITEM = lazy_pattern(r"(?:[kmgtpe] ?)?i?(?:b|bits?|bytes?|flops?)|[kcmun]?m|met(?:er|re)s?", re.IGNORECASE)


def find(name: str) -> Unit | None:
    """Return the unit of that name, a rate of any item included, or None if it is unknown."""
    name = name.strip()
    known = _UNITS.get(name)
    if not known and (short := _PREFIXED_NAME.fullmatch(name)):
        return Unit(name, "samples/s", _PREFIXES[short[1]])
    rate = _RATE.fullmatch(name)
    if known or not rate or _NO_ITEM.fullmatch(rate[1]) or rate[1] in _UNITS:
        return known
    prefixed = _PREFIXED.fullmatch(rate[1])
    return Unit(name, "samples/s", _PREFIXES[rate[1][0]] if prefixed else 1.0)


def misspelt(name: str) -> str:
    """Return the known unit that an unknown one likely is a misspelling for, "" without one.

    What is not per second is a unit of its own: bits/byte. A rate is not a time: lps is not ps.
    """
    if "/" in name and not re.search(r"(?i)/ ?s(?:ec(?:ond)?s?)?$", name):
        return ""
    close = get_close_matches(name, [known for known in _UNITS if len(known) > 1], n=1, cutoff=0.8)
    is_rate = re.fullmatch(r"(?i)[a-z]{1,6}p[sm]", name) is not None
    return close[0] if close and not (is_rate and close[0] == "ps") else ""


def known_units() -> list[str]:
    """Return the names that `find` knows, without rates of items."""
    return sorted(name for name in _UNITS if name)


def to_base(value: float, unit: str) -> tuple[float, str]:
    """Return (value, unit) in the base unit; an unknown unit passes through unchanged."""
    known = find(unit)
    return (value * known.factor, known.base) if known else (value, unit)


def counted_by(unit: str) -> str:
    """Return the rate of items that a unit counts: `tokens/s` for `ktokens/s`, "" unless it names an item."""
    known = find(unit)
    if (
        known is None
        or known.base != "samples/s"
        or "/" not in known.name
        or known.name in _SCALES["samples/s"]
    ):
        return ""
    name = known.name.partition("/")[0]
    return f"{name[1:].strip() if _PREFIXED.fullmatch(name) else name}/s"


def rate_unit(item: str) -> str:
    """Return the name of a rate of items: `images/s` for `image`."""
    if not item:
        return "samples/s"
    return f"{item if item.endswith('s') else item + 's'}/s"


def choose(values: Iterable[float], base: str) -> Unit:
    """Choose the unit in which the median magnitude of the values (base unit) reads best.

    It is the largest listed unit of `base` in which that magnitude is at least 1, so that most cells have
    digits before the point. Zeros and values that are not finite are ignored.
    """
    ladder = _LADDERS.get(base)
    if not ladder:
        return _UNITS.get(base) or Unit(base, base, 1.0)
    sizes = sorted(abs(v) for v in values if math.isfinite(v) and v != 0)
    typical = sizes[len(sizes) // 2] if sizes else _UNITS[ladder[-1]].factor
    fitting = [name for name in ladder if _UNITS[name].factor <= typical * (1 + 1e-12)]
    return _UNITS[fitting[-1] if fitting else ladder[0]]


def text(value: float, *, digits: int = 4, decimals: int | None = None) -> str:
    """Return a number for people: significant digits, separated thousands, no exponent.

    digits    significant digits; digits before the point are never zeroed (12,411.97 at 4 is 12,412)
    decimals  a fixed number of digits after the point instead

    A half is rounded away from zero, as in the script of a page, and decided by the 12 digits of report.json
    and CSV: so every output rounds 5.8355 to 5.836, whatever a unit or a sum did to its last bit.
    """
    if not math.isfinite(value):
        return "-"
    exact = Decimal(f"{value:.12g}") if abs(value) < 1e11 else Decimal(repr(float(value)))
    if decimals is None:
        decimals = _decimals(exact, digits)
    shown = f"{_round(exact, decimals):,f}"
    return shown.removeprefix("-") if not shown.strip("-0.,") else shown


def _decimals(value: Decimal, digits: int) -> int:
    if not value:
        return 0
    # 9.9996 with 4 digits rounds to 10.00, so the exponent is taken after rounding.
    exponent = _round(value, digits - 1 - value.adjusted()).adjusted()
    return max(0, digits - 1 - exponent)


def _round(value: Decimal, decimals: int) -> Decimal:
    return value.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP, _ANY_FLOAT)


def machine(value: float) -> str:
    """Return a number for programs: 12 significant digits, shortest form, the same on every machine."""
    if not math.isfinite(value):
        return ""
    shown = f"{value:.12g}"
    return "0" if shown == "-0" else shown
