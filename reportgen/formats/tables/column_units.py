"""Read a unit as people write it in headers: `ms`, `images/sec`, `tok/s/GPU`, `ms per step`, `GiB`."""

import re
from dataclasses import dataclass, replace

from reportgen.core import units
from reportgen.formats.tables.own_units import own_unit_of

_TIMES = {
    "ns": "ns nsec nsecs nanosecond nanoseconds",
    "us": "us usec usecs µs μs microsecond microseconds",
    "ms": "ms msec msecs millis millisecond milliseconds millisekunden millisecondes milisegundos",
    "s": "s sec secs second seconds sek sekunde sekunden seconde secondes segundo segundos secondo secondi",
    "min": "min mins minute minutes",
    "h": "h hr hrs hour hours",
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
    "j": "J", "joule": "J", "joules": "J", "kj": "kJ", "kwh": "kWh", "wh": "Wh",
    "mhz": "MHz", "ghz": "GHz", "hz": "Hz",
    "%": "%", "pct": "%", "percent": "%",
    "°c": "degC", "c": "degC", "degc": "degC", "celsius": "degC",
}  # fmt: skip
# What a clock shows: `2:06:50`, or `2:06`, which is read as minutes and seconds.
_CLOCK = re.compile(
    r"(?:h{1,2}:(?:m{1,2}|min):(?:s{1,2}|sec)|(?:m{1,2}|min):(?:s{1,2}|sec))(?:\.[a-z]{1,3})?"
)
_HOUR_CLOCK = re.compile(r"(?:h{1,2}|std):(?:m{1,2}|min)")
_IN_TEXT = re.compile(r"[a-z]{1,3}(?::[a-z]{1,3}){1,2}")
# "milliers de rayons/s", "thousand tokens per second", "Mio. Zeilen/s"
_MULTIPLE = re.compile(
    r"(?:in )?(?:(?P<thousands>thousands?|thou|milliers?|tausend|tsd\.?|miles|migliaia)"
    r"|(?P<millions>millions?|mio\.?|millionen|millones|milioni)"
    r"|(?P<billions>billions?|mrd\.?|milliarden|milliards?|miliardi))"
    r" (?:(?:of|de|di) |d['\u2019])?(?P<rate>.+)",
    re.IGNORECASE,
)
_MULTIPLES = {"thousands": 1e3, "millions": 1e6, "billions": 1e9}
# Words that are a unit in some programs and another unit in others.
_AMBIGUOUS = {
    "tps",
    "ips",
    "gbps",
    "mbps",
    "kbps",
    "tbps",
    "gflops",
    "gflop",
    "gbs",
    "mbs",
    "x",
    "wps",
    "t/s",
}
_BYTES = re.compile(r"(?:[kKMGT]i?)?(?:B|[bB]ytes?)|[kmgt]i?b")
_BYTE_RATE = re.compile(
    r"(?P<size>(?:[kKMGT]i?)?(?:B|[bB]ytes)|[kmgt]i?b|[kmgtKMGT]?[bB]its?|[KMGT]b)"
    r"(?: ?/ ?| per |(?P<blank> )|(?P<glued>p))"
    r"(?:s|sec|second)"
)
# "GFLOPs" alone may be the work of a model; "TFLOPs" are a speed.
_FLOPS = re.compile(
    r"(?:(?P<prefix>[tp])flops?s?|(?P<rated>[kmgtp]?)flops?(?: ?/ ?s(?:ec)?| per s(?:ec(?:ond)?)?| s))"
)
# "% of total", "in %", "percent of peak"
_SHARE = re.compile(r"(?:in )?(?:%|percent|pct|prozent)(?: (?:of|der|du|von) .{1,30})?")
_KILO_IOPS = re.compile(r"[km]iops")
_DEVICE = re.compile(r"(?: ?/ ?| per )(?:gpu|device|chip|card|accelerator|rank|npu|tpu)s?$")


def _names(table: dict[str, str]) -> dict[str, str]:
    return {word: name for name, words in table.items() for word in words.split()}


_TIME_OF, _ITEM_OF = _names(_TIMES), _names(_ITEMS)
_TIME = "|".join(sorted(_TIME_OF, key=len, reverse=True))
_ITEM = "|".join(sorted(_ITEM_OF, key=len, reverse=True))
_TIME_PER = re.compile(rf"(?P<unit>{_TIME})(?: ?/ ?| (?:per|pro|par|por|al) )(?P<per>{_ITEM}|epoch|call)")
_RATE = re.compile(
    rf"(?P<prefix>[km] ?)?(?P<item>{_ITEM})(?: ?/ ?| (?:per|pro|par|por|al) |(?P<blank> ))"
    r"(?P<unit>s|secs?|seconds?|sekunde|seconde|segundo|secondo|min|minute)"
)
_STEP_WORDS = set(_ITEMS["steps"].split())
# A rate of items that have no other spelling: transactions/s, jobs/sec, evaluations per second.
_OTHER_RATE = re.compile(r"([A-Za-z]{3,})(?: ?/ ?| per )s(?:ec(?:ond)?)?")


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


def unit_of(text: str) -> ColumnUnit | None:
    """Return the unit that a whole text is; None if it is not one."""
    shown = re.sub(r"[\s_]+", " ", text.strip())
    lower = shown.lower()
    device = _DEVICE.search(lower)
    if device:
        shown, lower = shown[: device.start()], lower[: device.start()]
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


def _plain(shown: str, lower: str) -> ColumnUnit | None:
    if _CLOCK.fullmatch(lower) or _HOUR_CLOCK.fullmatch(lower):
        return ColumnUnit("s", 60.0 if shows_hours_alone(lower) else 1.0)
    if lower in _TIME_OF:
        return ColumnUnit(_TIME_OF[lower])
    if lower in _SHORT:
        return ColumnUnit(_SHORT[lower], metric="iops" if lower == "iops" else "")
    if _KILO_IOPS.fullmatch(lower):
        return ColumnUnit("operations/s", {"k": 1e3, "m": 1e6}[lower[0]], metric="iops")
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
    if multiple := _MULTIPLE.fullmatch(shown):
        return _multiple(multiple)
    if (other := _OTHER_RATE.fullmatch(shown)) and units.find(rate := f"{other[1]}/s"):
        return ColumnUnit(rate)
    own = own_unit_of(shown)
    return ColumnUnit(own) if own else None


def _multiple(match: re.Match[str]) -> ColumnUnit | None:
    """Return thousands or millions of a rate; None for "millions of parameters"."""
    rate = unit_of(match["rate"])
    if rate is None or not rate.unit.endswith("/s"):
        return None
    scale = next(scale for name, scale in _MULTIPLES.items() if match[name])
    return replace(rate, scale=rate.scale * scale)


def _rate(match: re.Match[str]) -> ColumnUnit:
    if match["blank"] and match["item"] in _STEP_WORDS:
        return ColumnUnit("", doubt=f'"{match[0]}" is a rate or a time')
    scale = {"k": 1e3, "m": 1e6}.get((match["prefix"] or "").strip(), 1.0)
    if match["unit"].startswith("min"):
        scale /= 60
    return ColumnUnit(f"{_ITEM_OF[match['item']]}/s", scale)


def _size(text: str) -> str:
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
