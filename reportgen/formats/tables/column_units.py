"""Read a unit as people write it in headers: `ms`, `images/sec`, `tok/s/GPU`, `ms per step`, `GiB`."""

import re
from dataclasses import dataclass, replace

from reportgen.core import units
from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.formats.tables.multiples import is_number, split_multiple
from reportgen.formats.tables.own_units import QUANTITIES, own_unit_of

_TIMES = {
    "ns": "ns nsec nsecs nanos nanosec nanosecs nanosecond nanoseconds нс",
    "us": "us usec usecs µs μs µsec μsec micros microsec microsecs microsecond microseconds мкс 微秒",
    "ms": "ms msec msecs millis millisec millisecs millisecond milliseconds millisekunden millisecondes"
    " milisegundos millisecondi мс 毫秒 ミリ秒 밀리초",
    "s": "s sec secs second seconds sek sekunde sekunden seconde secondes segundo segundos secondo secondi"
    " сек с 秒 초",
    "min": "min mins minute minutes",
    "h": "h hr hrs hour hours",
    "day": "day days",
}
_ITEMS = {
    "images": "im ims img imgs image images pic pics picture pictures bild bilder imágenes immagini imagens",
    "samples": "sample samples example examples smp",
    "sequences": "seq seqs sequence sequences",
    "sentences": "sent sentence sentences",
    "tokens": "tok toks token tokens tk",
    "words": "word words",
    "frames": "frame frames",
    "requests": "req reqs request requests",
    "queries": "query queries",
    "videos": "video videos clips",
    "utterances": "utt utts utterance utterances",
    "documents": "doc docs document documents",
    "rows": "row rows",
    "lines": "line lines",
    "pairs": "pair pairs",
    "steps": "step steps it its iter iters iteration iterations batch batches",
    "operations": "op ops operation operations",
    "items": "item items",
    "graphs": "graph graphs",
    "records": "record records",
}
_SHORT = {
    "fps": "frames/s",
    "qps": "queries/s",
    "rps": "requests/s",
    "iops": "operations/s",
    "w": "W", "watt": "W", "watts": "W", "mw": "mW", "kw": "kW",
    "mj": "mJ", "j": "J", "joule": "J", "joules": "J", "kj": "kJ", "kwh": "kWh", "wh": "Wh", "mwh": "mWh",
    "mhz": "MHz", "ghz": "GHz", "hz": "Hz",
    "%": "%", "pct": "%", "percent": "%", "percentage": "%",
    "°c": "degC", "c": "degC", "degc": "degC", "celsius": "degC",
}  # fmt: skip
# What a clock shows: `2:06:50`, or `2:06`, which is read as minutes and seconds.
_CLOCK = lazy_pattern(
    r"(?:h{1,2}:(?:m{1,2}|min):(?:s{1,2}|sec)|(?:m{1,2}|min):(?:s{1,2}|sec))(?:\.[a-z]{1,3})?"
)
_HOUR_CLOCK = lazy_pattern(r"(?:h{1,2}|std):(?:m{1,2}|min)")
_IN_TEXT = lazy_pattern(r"[a-z]{1,3}(?::[a-z]{1,3}){1,2}")
# "KBytes Per Sec"
_PER_IN_CAPITALS = lazy_pattern(r"(?<= )(?:P[eE][rR]|S[eE][cC](?:[oO][nN][dD])?)(?= |$)")
# Words that are a unit in some programs and another unit in others.
_AMBIGUOUS = {
    "tps",
    "ips",
    "gbps",
    "mbps",
    "kbps",
    "tbps",
    "kflops",
    "mflops",
    "gflops",
    "gflop",
    "gbs",
    "mbs",
    "x",
    "wps",
    "t/s",
}
_BYTES = lazy_pattern(r"(?:[kKMGT]i?)?(?:B|[bB]ytes?|[oO]ctets?)|[kmgt]i?b")
_LONG_PREFIX = lazy_pattern(
    r"(?i)\b(?P<prefix>kilo|mega|giga|tera|kibi|mebi|gibi|tebi)(?P<of>byte|octet|bit)s?\b"
)
_BYTE_RATE = lazy_pattern(
    r"(?P<size>(?:[kKMGT]i?)?(?:B|[bB]ytes)|[kmgt]i?b|[kmgtKMGT]?[bB]its?|[KMGT]b)"
    r"(?: ?/ ?| per |(?P<blank> )|(?P<glued>p))"
    r"(?:s|sec|second)"
)
# "GFLOPs" alone may be the work of a model; "TFLOPs" are a speed.
_FLOPS = lazy_pattern(
    r"(?:(?P<prefix>[tp])flops?s?|(?P<rated>[kmgtp]?)flops?(?: ?/ ?s(?:ec)?| per s(?:ec(?:ond)?)?| s))"
)
# "% of total", "in %", "percent of peak"
_SHARE = lazy_pattern(r"(?:in )?(?:%|percent|pct|prozent)(?: (?:of|der|du|von) .{1,30})?")
# "kIOPS", "Mops", "krps"
_KILO = lazy_pattern(r"(?P<prefix>[km])(?P<rate>i?ops|[rqf]ps)")
_RATE_OF = {"ops": "operations/s", "rps": "requests/s", "qps": "queries/s", "fps": "frames/s"}
_PREFIXES = {"": 1.0, "k": 1e3, "m": 1e6}
# "MJ" is a million J, "mJ" a thousandth: the letter decides.
_MILLI_OR_MEGA = frozenset(("mj", "mw", "mwh"))
# "tokens/s/W", "img/s per watt", "req/s/core"
_RATE_PER = lazy_pattern(
    r"(?P<rate>.+(?:/| per ).+?)(?: ?/ ?| per )"
    r"(?P<per>w|kw|watt|user|core|thread|node|socket|client|worker|server|host|instance|stream|mhz|\$|usd|euro?)s?",
    re.IGNORECASE,
)
_DEVICE = lazy_pattern(r"(?: ?/ ?| per )(?:gpu|device|chip|card|accelerator|rank|npu|tpu)s?$")


def _names(table: dict[str, str]) -> dict[str, str]:
    return {word: name for name, words in table.items() for word in words.split()}


_TIME_OF, _ITEM_OF = _names(_TIMES), _names(_ITEMS)
_TIME = "|".join(sorted(_TIME_OF, key=len, reverse=True))
_ITEM = "|".join(sorted(_ITEM_OF, key=len, reverse=True))
_TIME_PER = lazy_pattern(
    rf"(?P<unit>{_TIME})(?: ?/ ?| (?:per|pro|par|por|al) )(?P<per>{_ITEM}|epoch|call|r[eé]s?ponses?)"
)
_RATE = lazy_pattern(
    rf"(?P<prefix>[km] ?)?(?P<item>{_ITEM})(?: ?/ ?| (?:per|pro|par|por|al) |(?P<blank> ))"
    r"(?P<unit>s|secs?|seconds?|sekunde|seconde|segundo|secondo|min|minute"
    r"|(?:(?<=/)|(?<=/ )|(?<=per ))[mnuµμ]s)"
)
# Times of a rate that are not a second.
_PERIODS = {"min": 1 / 60, "minute": 1 / 60, "ms": 1e3, "us": 1e6, "µs": 1e6, "μs": 1e6, "ns": 1e9}
_STEP_WORDS = set(_ITEMS["steps"].split())
# "query_s" is rather the time of a query; "img_s" and "queries_s" are rates.
_SINGLE = {"operation", "query", "request", "transaction"}
# A rate of items that have no other spelling: transactions/s, jobs/sec, evaluations per second.
_OTHER_RATE = lazy_pattern(r"(?i:(?!\w*(?:byte|bit)s?\b))([A-Za-z]{3,})(?: ?/ ?| per )s(?:ec(?:ond)?)?")
_USED_ALIKE = {"frames/s": "images/s", "queries/s": "requests/s", "items/s": "", "samples/s": ""}
_PER_OF = {"w": "W", "watt": "W", "kw": "kW", "mhz": "MHz", "usd": "USD", "eur": "EUR", "euro": "EUR"}


# Base units of rates.
RATES = ("samples/s", "B/s", "FLOP/s")
# How the doubt about "MB/s (x1000)" ends.
TWO_MULTIPLES = "states two multiples"
# How the doubt about "req/s (1000)" ends.
MULTIPLE_OR_CASE = "has a number that is a multiple or a case"
# How the doubt about "steps_s" ends.
RATE_OR_TIME = "is a rate or a time"


@dataclass(frozen=True, slots=True)
class ColumnUnit:
    """A unit in the spelling of `core.units`.

    scale       factor of the number before the unit applies: 1000 for `ktokens/s`
    per         what a time is of: step, token; "" if not stated
    per_device  whether a rate is of one device
    is_decimal  whether a size is of 1000, and not of 1024, beyond doubt
    metric      what the unit alone names: `iops`; "" for most
    doubt       why it may mean something else; "" if it is clear
    """

    unit: str
    scale: float = 1.0
    per: str = ""
    per_device: bool = False
    doubt: str = ""
    metric: str = ""
    is_decimal: bool = False

    @property
    def factor(self) -> float:
        """The factor from its numbers to the base unit."""
        return self.scale * units.to_base(1.0, self.unit)[0]


def unit_of(text: str) -> ColumnUnit | None:
    """Return the unit that a whole text is; None if it is not one."""
    shown = re.sub(r"[\s_]+", " ", text.strip())
    lower = shown.lower()
    device = _DEVICE.search(lower)
    if device:
        shown, lower = shown[: device.start()], lower[: device.start()]
    shown = _PER_IN_CAPITALS.sub(lambda match: match[0].lower(), _LONG_PREFIX.sub(_short_prefix, shown))
    unit = _plain(shown, lower)
    if unit is None or not device:
        return unit
    return replace(unit, per_device=True)


def clock_of(text: str) -> str:
    """Return the form of a clock that a text states, such as "h:mm" or "min:s"; "" without one."""
    forms = (match[0] for match in _IN_TEXT.finditer(text.lower()))
    return next((form for form in forms if _CLOCK.fullmatch(form) or _HOUR_CLOCK.fullmatch(form)), "")


def shows_hours_alone(clock: str) -> bool:
    """Return whether a form of a clock is hours and minutes, without seconds."""
    return bool(_HOUR_CLOCK.fullmatch(clock))


def is_unit_alone(text: str) -> bool:
    """Return whether a text alone in a cell is a unit: "B" and "C" rather name columns."""
    plain = text.strip().strip("()[]").strip()
    return unit_of(plain) is not None and (len(plain) > 1 or plain in ("s", "W", "%"))


def are_alike(unit: str, other: str) -> bool:
    """Return whether numbers in two units are of one quantity: MP/s is not images/s."""
    if not units.find(unit) or units.to_base(1.0, unit)[1] != units.to_base(1.0, other)[1]:
        return unit == other
    counted = {_counted_by(each) for each in (unit, other)} - {""}
    return len(counted) < 2


def unit_of_cell(own: str, declared: str) -> str:
    """Return the unit of a number of a cell with its own unit, "" if its column is of another quantity.

    A cell may leave out what its unit is per: "12.5 MB" below MB/s, "$0.42" below $/h, "3 J" below J/doc.
    """
    alike = next((each for each in (own, f"{own}/s") if are_alike(each, declared)), "")
    above, slash, _ = declared.partition("/")
    is_amount = bool(slash) and not units.find(declared) and _plain_name(own) == _plain_name(above)
    return alike or (declared if is_amount else "")


def _plain_name(unit: str) -> str:
    """Return a unit in the spelling that others are compared in: EUR for "€", "B" for "bytes"."""
    known = unit_of(unit)
    return known.unit if known and known.unit else unit


def _counted_by(unit: str) -> str:
    """Return the rate of items that a unit counts, in one spelling of those that people use alike."""
    known = unit_of(unit)
    counted = units.counted_by(known.unit if known and known.unit else unit)
    return _USED_ALIKE.get(counted, counted)


def _plain(shown: str, lower: str) -> ColumnUnit | None:
    if _CLOCK.fullmatch(lower) or _HOUR_CLOCK.fullmatch(lower):
        return ColumnUnit("s", 60.0 if shows_hours_alone(lower) else 1.0)
    if lower in _TIME_OF:
        return ColumnUnit(_TIME_OF[lower])
    if lower in _SHORT and not (lower in _MILLI_OR_MEGA and shown.startswith("M")):
        return ColumnUnit(_SHORT[lower], metric="iops" if lower == "iops" else "")
    if match := _KILO.fullmatch(lower):
        is_io = match["rate"] == "iops"
        unit = _RATE_OF["ops" if is_io else match["rate"]]
        return ColumnUnit(unit, _PREFIXES[match["prefix"]], metric="iops" if is_io else "")
    if match := _TIME_PER.fullmatch(lower):
        per = _ITEM_OF.get(match["per"], match["per"])
        return ColumnUnit(_TIME_OF[match["unit"]], per=per.removesuffix("s"))
    if match := _RATE.fullmatch(lower):
        return _rate(match)
    if match := _FLOPS.fullmatch(lower):
        prefix = (match["prefix"] or match["rated"] or "").upper()
        small = {"K": 1e3, "M": 1e6}.get(prefix)
        return ColumnUnit("FLOP/s", small) if small else ColumnUnit(f"{prefix}FLOP/s")
    if _BYTES.fullmatch(shown):
        return ColumnUnit(_size(shown))
    if match := _BYTE_RATE.fullmatch(shown):
        return _byte_rate(match)
    if lower in _AMBIGUOUS or (shown and _BYTE_RATE.fullmatch(lower)):
        return ColumnUnit("", doubt=f'"{shown}" has several meanings')
    return _other(shown, lower)


def _other(shown: str, lower: str) -> ColumnUnit | None:
    """Return a share, a rate of items that have no other spelling, or a unit that keeps its own name."""
    if _SHARE.fullmatch(lower):
        return ColumnUnit("%")
    multiple, rest = split_multiple(shown)
    if multiple != 1:
        unit = unit_of(rest)
        is_clear = unit and (unit.unit.endswith("/s") or shown[:1] in "1x×*·")  # not "millions of parameters"
        if unit and is_clear and is_number(shown.removesuffix(rest)):
            return ColumnUnit("", doubt=f'"{shown}" {MULTIPLE_OR_CASE}')
        return replace(unit, scale=unit.scale * multiple) if unit and is_clear else None
    if (per := _RATE_PER.fullmatch(shown)) and (rate := unit_of(per["rate"])) and rate.unit.endswith("/s"):
        below = per["per"].lower()
        return ColumnUnit(f"{rate.unit if rate.scale == 1 else per['rate']}/{_PER_OF.get(below, below)}")
    other = _OTHER_RATE.fullmatch(shown)
    if other and other[1].lower() not in QUANTITIES and units.find(f"{other[1]}/s"):
        return ColumnUnit(f"{other[1]}/s")
    own = own_unit_of(shown)
    return ColumnUnit(own) if own else None


def times(unit: ColumnUnit, multiple: float, shown: str) -> ColumnUnit:
    """Return a multiple of a unit; in doubt if the unit is a multiple itself. shown  what states both"""
    if multiple == 1 or not unit.unit:
        return unit
    if unit.factor != 1:
        return ColumnUnit("", doubt=f'"{shown}" {TWO_MULTIPLES}')
    return replace(unit, scale=multiple)


def _rate(match: re.Match[str]) -> ColumnUnit:
    if match["blank"] and match["item"] in _STEP_WORDS | _SINGLE:
        return ColumnUnit("", doubt=f'"{match[0]}" {RATE_OR_TIME}')
    scale = _PREFIXES[(match["prefix"] or "").strip()] * _PERIODS.get(match["unit"], 1.0)
    return ColumnUnit(f"{_ITEM_OF[match['item']]}/s", scale)


def _short_prefix(match: re.Match[str]) -> str:
    """Return "MB" for "megabytes", "MiB" for "mebibytes", "Mbits" for "megabits"."""
    prefix = match["prefix"].lower()
    short = "k" if prefix == "kilo" else prefix[0].upper() + ("i" if prefix.endswith("bi") else "")
    return f"{short}bits" if match["of"].lower() == "bit" else f"{short}B"


def _size(text: str) -> str:
    text = re.sub("(?i)octets?$", "bytes", text)
    if text.lower().endswith("bytes") or text.lower() in ("b", "byte"):
        return "B" if len(text) <= 5 else f"{text[0].upper().replace('K', 'k')}B"
    prefix = text[0].upper()
    return f"{prefix}iB" if text[1:2] == "i" else f"{prefix if prefix != 'K' else 'k'}B"


def _byte_rate(match: re.Match[str]) -> ColumnUnit:
    size = match["size"]
    if bits := re.fullmatch(r"(.?)bits?", size, re.IGNORECASE):
        return ColumnUnit(f"{bits[1].upper().replace('K', 'k')}bit/s")
    if re.fullmatch(r"[KMGT]b", size):
        return ColumnUnit("", doubt=f'"{match[0]}": bits or bytes?')
    if size.islower() and (match["glued"] or size == "b"):
        return ColumnUnit("", doubt=f'"{match[0]}": bits or bytes?')
    return ColumnUnit(f"{_size(size)}/s")
