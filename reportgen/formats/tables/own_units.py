"""Read units that no base unit fits and that keep their own name: ns/day, orders/min, tokens/W, B/op, dB.

Their numbers are never scaled. What is per a time or a cost may be anything; what is per an item is an
amount, because `layers per stage` and `images per class` are settings.
"""

from reportgen.core.lazy_pattern import lazy_pattern


def _names(table: dict[str, str]) -> dict[str, str]:
    return {word: name for name, words in table.items() for word in words.split()}


_PERIODS = _names(
    {
        "s": "s sec second sekunde seconde", "min": "min minute mn", "h": "h hr hour heure stunde",
        "day": "day jour tag", "week": "week", "month": "month", "year": "year yr",
    }
)  # fmt: skip
_COSTS = _names(
    {
        "W": "w watt", "kW": "kw", "J": "j joule", "kJ": "kj", "Wh": "wh", "kWh": "kwh",
        "$": "$ dollar", "USD": "usd", "EUR": "eur euro €",
    }
)  # fmt: skip
_TIMES = {"s": "s", "sec": "s", "ms": "ms", "us": "us", "µs": "us", "min": "min", "h": "h"}
_CENTS = ("ct", "cts", "cent", "cents", "¢")
_CURRENCIES = {
    **dict.fromkeys(_CENTS, "ct"),
    "$": "$",
    "us$": "$",
    "usd": "USD",
    "€": "EUR",
    "eur": "EUR",
    "£": "GBP",
    "gbp": "GBP",
}
_ITEMS = _names(
    {
        "op": "op operation", "token": "token tok", "B": "byte", "request": "request req", "query": "query",
        "image": "image img", "sample": "sample", "row": "row", "record": "record", "cycle": "cycle",
        "call": "call", "frame": "frame", "inference": "inference", "key": "key", "message": "message msg",
        "document": "doc document", "page": "page", "packet": "packet pkt", "step": "step", "item": "item",
    }
)  # fmt: skip
_AMOUNTS = _names(
    {
        "B": "b byte bytes", "kB": "kb", "MB": "mb", "bits": "bit bits", "allocs": "alloc allocs allocations",
        "GB": "gb", "KiB": "kib", "MiB": "mib", "GiB": "gib", "cycles": "cycle cycles cyc",
        "instructions": "instruction instructions insn insns", "FLOP": "flop flops", "$": "$ dollars usd",
        "€": "€", "£": "£",
    }
)  # fmt: skip
# A unit per anything, "mJ/inference" or "Wh/prompt". m and M differ.
_ENERGY = lazy_pattern(r"(?P<prefix>[nuµmkKM]?)(?P<unit>[jJ]|[wW]h|joules?)")
_QUOTIENT = lazy_pattern(
    r"(?P<above>1|[^\W\d_]{1,20}|[$€£])(?: ?/ ?| (?:per|pro|par|por) )(?P<below>[^\W\d_]{1,10}|[$€])"
)
# "$/1M tokens", "Wh per 1000 prompts", "s/1k docs"
_PER_MANY = lazy_pattern(
    r"(?P<above>[$€£]|[A-Za-zµ]{1,6}) ?(?:/|per) ?"
    r"(?P<below>(?:1 ?[kKM]|1,?000(?:,000)?|100|million|thousand|[kKM])(?: ?[a-z]{2,12}))"
)
# "receivedKBytes per sec" has words before its unit.
_BYTES = lazy_pattern(r"(?i)(?<=..)(?:byte|bit)s?$")
# Quantities: "cost per hour" does not state its unit.
_QUANTITIES = """
    bandwidth cost data dauer delay duration durée elapsed energy frequency latency latenz laufzeit load
    memory power price rate runtime speed temperature temps throughput tiempo tempo time wall walltime work
    zeit
"""
QUANTITIES = frozenset(_QUANTITIES.split())
# Names that are rates: updates of a lattice, traversed edges, packets, cells, operations in a second.
_RATE = lazy_pattern(
    r"[kKMGTPE](?:[FR]?LUP/?[Ss]|TEPS|CUPS|UPS|[Pp][Pp][Ss]|OPS|IPS|RPS|QPS|TPS|H/s)"
    r"|(?i:[kmg](?:f?lups|teps|cups|pps))"
)
# Levels: ratios on a scale of logarithms.
_LEVELS = {"dB", "dBA", "dBFS", "dBc", "dBm"}
_RATES = {
    word.lower(): word
    for word in ("NOPM", "TPM", "tpmC", "QphH", "QphDS", "SYPD", "SDPD", "MIPS", "pps", "LUPS", "TEPS")
}


def own_unit_of(text: str) -> str:
    """Return the unit that a whole text is, "" if it is not one of these. text  with single blanks"""
    if _RATE.fullmatch(text) or text in _LEVELS:
        return text
    if text.lower() in _CURRENCIES:
        return _CURRENCIES[text.lower()]
    if text.lower() in _RATES:
        return _RATES[text.lower()]
    if many := _PER_MANY.fullmatch(text):
        unit = _CURRENCIES.get(many["above"].lower()) or _energy(many["above"]) or _TIMES.get(many["above"])
        return f"{unit}/{many['below']}" if unit else ""
    quotient = _QUOTIENT.fullmatch(text)
    if quotient is None or _BYTES.search(quotient["above"]):
        return ""
    above, below = quotient["above"], quotient["below"].lower()
    energy = _energy(above)
    amount = energy or _AMOUNTS.get(above.lower(), "")
    item = (
        _ITEMS.get(below)
        or _ITEMS.get(below.removesuffix("s"))
        or (below if energy and len(below) > 1 else "")
    )
    per = _PERIODS.get(below) or _COSTS.get(below) or (amount and item)
    is_named = (len(above) > 1 or above == "1" or bool(amount)) and above.lower() not in QUANTITIES
    return f"{amount or above}/{per}" if per and is_named else ""


def is_own_rate(unit: str) -> bool:
    """Return whether a unit that keeps its own name is a rate: mpps, tpmC, orders/s."""
    return bool(_RATE.fullmatch(unit)) or unit in _RATES.values() or unit.endswith("/s")


def _energy(text: str) -> str:
    """Return the unit of energy that a text is, "" for others."""
    match = _ENERGY.fullmatch(text)
    if match is None:
        return ""
    prefix = {"µ": "u", "K": "k"}.get(match["prefix"], match["prefix"])
    return f"{prefix}{'Wh' if match['unit'].endswith('h') else 'J'}"
