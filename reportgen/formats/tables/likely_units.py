"""Guess the unit that a column likely has, as an example of an answer: no number is read with it."""

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.formats.tables.column_units import unit_of
from reportgen.formats.tables.column_words import (
    TIME_WORDS,
    counts_faults,
    path_of,
    with_plain_statistic,
    words_of,
)

# "Mbps", "GFLOPS": units with several meanings, in the spelling that is accepted.
_IN_FULL = (
    (lazy_pattern(r"(?i)([kmgt])b(?:it)?s?(?:ps|/s(?:ec)?)"), "bit/s"),
    (lazy_pattern(r"(?i)([kmgt])bs"), "B/s"),
    (lazy_pattern(r"(?i)([kmgtp])flops?s?"), "FLOP/s"),
)
# What a rate counts: word of its name -> unit.
_COUNTED = {
    "token": "tokens/s", "tok": "tokens/s", "image": "images/s", "img": "images/s", "frame": "frames/s",
    "request": "requests/s", "req": "requests/s", "query": "queries/s", "message": "messages/s",
    "msg": "messages/s", "row": "rows/s", "doc": "documents/s", "document": "documents/s",
    "sample": "samples/s",
    "word": "words/s", "step": "steps/s", "iter": "steps/s", "packet": "packets/s", "event": "events/s",
    "record": "records/s", "key": "keys/s", "file": "files/s", "byte": "B/s", "page": "pages/s",
}  # fmt: skip
_LIKELY: tuple[tuple[str, str], ...] = (
    (r"lat|latenc\w*|ttft|tpot|itl|tbt|rtt", "ms"),
    (r"throughput\w*|tput", ""),
    (r"rtf|factor|x|speedup|score|count|ratio|mae|mse|rmse|psnr|snr", "1"),
    (r"(?:hit|miss|error|success|failure|fail|loss|drop|acceptance).*", "%"),
    (r"acc.*|util.*|share|percent.*|pct|recall|precision|cpu|sparsity", "%"),
    (r"m?ap(?:50|75)?|m?iou|f1|[wc]er|auc|[mh]fu", "%"),
    (r"energy|joules?|energie|énergie|energía", "J"),
    (r"power|watts?|tdp|leistung|puissance|potencia", "W"),
    (r"cost|price|usd|eur|costs|kosten|preis|coût|prix|precio|\$", "$"),
    (r"temp|temperature", "degC"),
    (r"co2|co2e|co2eq|emissions?|carbon", "g"),
    (r"clock|freq|frequency", "MHz"),
    (r"tps", "tokens/s"),
    (r"\w*bps|bw|\w*bw|bandwidth|bandbreite", "GB/s"),
    (r"maxrss|max_?rss|rss", "kB"),
    (r"\w*size|mem\w*|ram|vram|heap|bytes?|disk|footprint|storage|speicher|mémoire|größe|taille", "MB"),
    (r"ops|[km]ops", "operations/s"),
    (r"speed|throughput\w*|rates?|thr(?:pt|u?put)|tput|durchsatz|débit|rendimiento|velocidad|vitesse", ""),
    (r"real|user|sys", "s"),
    (r"t|elapsed|duration|durée|dauer|runtime|laufzeit|wall\w*", "s"),
    (r"\w*times?|zeit|temps|tiempo|tempo|lat\w*|delay|ttft|tpot|itl|tbt|rtt|ping|jitter|response", "ms"),
)
# Names of times if they have no other words: "total_sent" is a count, "max depth" no time.
_ALONE: tuple[tuple[str, str], ...] = (
    (r"build|compile|train|training|total", "s"),
    (r"p[0-9]{2,3}|mean|avg|average|median|min|max|best|worst", "ms"),
)
_NAMES = tuple((lazy_pattern(names), unit) for names, unit in _LIKELY)
_NAMES_ALONE = tuple((lazy_pattern(names), unit) for names, unit in _ALONE)
# What is lost, in percent; another loss is what is trained.
_LOST = frozenset(
    ("acc", "accuracy", "data", "frame", "frames", "packet", "packets", "pkt", "quality", "rate")
)
_LONG = frozenset(("build", "compile", "total", "train", "training"))
_RATE_WORDS = frozenset(("goodput", "per", "rate", "speed", "throughput", "tput"))
# Counts and lengths: "num_ops", "response_length".
_PLAIN = frozenset(("count", "distance", "len", "length", "num", "number"))
# "throughput.16", "mean 10", "p99_per_run"
_CASE_AT_END = lazy_pattern(r"(?i)[. _][0-9]+$|[. _]per[ _]runs?$")
_RATE_AT_END = lazy_pattern(r"(?i)[ /_]s(?:ec)?$")


def likely_unit(column: str) -> str:
    """Return a unit that a column of this name may have, as an example of an answer."""
    plain = with_plain_statistic(_CASE_AT_END.sub("", column))
    words = [*words_of(plain), *(["$"] if "$" in column else [])]
    counted = next((unit for word in words if (unit := _COUNTED.get(word.removesuffix("s")))), "operations/s")
    is_rate = not _RATE_WORDS.isdisjoint(words)
    if not is_rate and (not _PLAIN.isdisjoint(words) or counts_faults(column) or _counts_items(column)):
        return "1"
    if "loss" in words and _LOST.isdisjoint(words):
        return "1"
    if set(words) & _LONG and not TIME_WORDS.isdisjoint(words):
        return "s"  # of a whole run
    for name, unit in _NAMES:
        if any(map(name.fullmatch, words)):
            return unit or counted
    alone = [unit for name, unit in _NAMES_ALONE if words and any(map(name.fullmatch, words[-1:]))]
    if alone and all(any(name.fullmatch(word) for name, _ in _NAMES_ALONE) for word in words):
        return alone[0]
    return counted if _RATE_AT_END.search(column) else "1"


def _counts_items(column: str) -> bool:
    """Return whether the last part of a name counts items: "avg_output_tokens", "accuracy.total_samples"."""
    words = words_of(path_of(column)[0])
    is_plural = any(word.endswith("s") and word.removesuffix("s") in _COUNTED for word in words[-1:])
    return is_plural and _RATE_WORDS.isdisjoint(words) and not _RATE_AT_END.search(column)


def in_full(text: str) -> str:
    """Return a unit with several meanings in a spelling with one, "" for others: Mbit/s for "Mbps"."""
    if text.strip().lower() in ("t/s", "tps"):
        return "tokens/s"
    for pattern, unit in _IN_FULL:
        if match := pattern.fullmatch(text.strip()):
            prefix = match[1].upper() if match[1] in "mMgGtTpP" else "k"
            return f"{prefix}{unit}" if unit_of(f"{prefix}{unit}") else ""
    return ""
