"""Read the numbers of a cell as people write them: separators, units, ratios, marks, and their precision."""

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.units import Unit, find

_DIGITS = (
    r"(?:\d{1,3}(?:[\u00a0\u2009\u202f '\u2019_]\d{3})+(?!\d)(?:[.,]\d+)?"
    r"|\d{1,3}(?:,\d{3})+(?!\d)(?:\.\d+)?"
    r"|\d{1,3}(?:\.\d{3}){2,}(?:,\d+)?|\d{1,3}(?:\.\d{3})+,\d+|\d+[.,]\d+|\d+|\.\d+)"
)
NUMBER = lazy_pattern(rf"(?P<sign>[-+\u2212]?)(?P<digits>{_DIGITS})(?P<exponent>[eE][-+]?\d{{1,3}})?")
# What may come before and after the number of a cell that is a number.
_BEFORE = lazy_pattern(r"[\s~\u2248<>\u2264\u2265=≈]*")
_UNIT = lazy_pattern(
    r"\s*(?P<unit>%|[x\u00d7]|[A-Za-zµμ°][A-Za-zµμ°]*(?:\s?/\s?[A-Za-z]+|\s(?:per|a)\s[A-Za-z]+)?)(?![A-Za-z0-9])"
)
_SPREAD = lazy_pattern(r"\s*(?:±|\+/-|\+-)\s*[\d.,]+\s*%?")
_MARKS = lazy_pattern(
    r"[\s*†‡§¶¹²³⁰-⁹✓✔✗🏆⭐▲▼△▽↑↓]*(?:\[[a-z\d]{1,2}\]|\((?:\*+|[a-z])\)|\^[a-z\d])?[\s*†‡§]*"
)
_NEXT = lazy_pattern(r"\s*(?:[/|;,]\s+|\s/\s|\(|→|->)\s*")
# Numbers that can be read in one way only.
_WITH_COMMA = lazy_pattern(
    r"(?<![\w.,])(?:\d+,(?:\d{1,2}|\d{4,})(?!\d)|0,\d|\d{1,3}(?:\.\d{3})+(?:,\d|\.\d{3}))"
)
_WITH_POINT = lazy_pattern(
    r"(?<![\w.,])(?:\d+\.(?:\d{1,2}|\d{4,})(?![\d.])|0\.\d|\d{1,3}(?:,\d{3})+(?:\.\d|,\d{3}))"
)
_MISSING = lazy_pattern(
    r"(?:[-–—]+|n\.?/?a\.?|none|nan|(?:cuda )?oom|out of memory|null|tbd|todo|\?+|missing|\.+"
    r"|fail(?:ed|ure|s)?|error|crash(?:ed)?|cancell?ed|time[ -]?out|timed out|partial|unsupported"
    r"|not (?:run|measured|available|supported|done|tested)|unavailable|skipped|planned|pending|running)?",
    re.IGNORECASE,
)
_MULTIPLES = {"k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "B": 1e9}
_TIMES = ("x", "X", "×", "times")
# Units that people write and `units` does not list.
_SPELLINGS = {
    "secs": "s",
    "sec": "s",
    "msec": "ms",
    "usec": "us",
    "min": "min",
    "hrs": "h",
    "hr": "h",
    "mins": "min",
    "millisecond": "ms",
    "microseconds": "us",
    "Mb": "MB",
    "Gb": "GB",
    "mb": "MB",
    "gb": "GB",
    "watts": "W",
    "watt": "W",
}
# Rates that are not per second, and the seconds of their time.
_OTHER_RATE = lazy_pattern(r"([A-Za-z][A-Za-z _-]*?) ?(?:/|\bper\b) ?(ms|min|minute|h|hour)")
_SECONDS = {"ms": 1e-3, "min": 60.0, "minute": 60.0, "h": 3600.0, "hour": 3600.0}
# A unit behind "in" or in parentheses, with what it is per: "in ms per step", "(images/s)".
_CAPTION_UNIT = lazy_pattern(
    r"(?:(?<=\bin )|(?<=[^\S\n][(\[]))([A-Za-zµμ]{1,14}(?: ?/ ?[A-Za-z]{1,10}|[ ]per [a-z]{1,10})?)"
    r"(?=[\s.,;:)\]]|$)"
)
_MAX_NUMBERS = 4
# An integer that ends in zeros may be rounded; fewer digits than this are not.
_MIN_ROUNDED_DIGITS = 2


@dataclass(frozen=True, slots=True)
class Number:
    """A number as written.

    value   with its multiple (12.4k is 12400)
    half    half a unit of the last digit
    coarse  the same where final zeros of an integer may be rounding
    digits  significant digits
    unit    as written behind it, "" if none; "x" for a ratio
    text    as written, with its unit
    start   offset in the cell's text
    """

    value: float
    half: float
    coarse: float
    digits: int
    unit: str
    text: str
    start: int = 0


def has_decimal_comma(texts: Iterable[str]) -> bool:
    """Return whether numbers are written with a decimal comma, so that 25.350 is 25,350."""
    commas = points = 0
    for text in texts:
        commas += bool(_WITH_COMMA.search(text))
        points += bool(_WITH_POINT.search(text))
    return commas > points


def parse_number(text: str, *, comma: bool = False) -> Number | None:
    """Return the number that a text consists of, None if it is something else."""
    return next(iter(parse_numbers(text, comma=comma)), None)


def parse_numbers(text: str, *, comma: bool = False) -> list[Number]:
    """Return the numbers that a cell consists of: one, or several as in `12.3 (1.5x)`; [] for other text.

    comma  whether the decimal mark is a comma where a number could be read in two ways
    """
    numbers: list[Number] = []
    position = _BEFORE.match(text).end()  # type: ignore[union-attr]
    while len(numbers) < _MAX_NUMBERS:
        read = _number_at(text, position, comma)
        if read is None:
            return numbers if numbers and position >= len(text) else []
        number, position = read
        numbers.append(number)
        if spread := _SPREAD.match(text, position):
            position = spread.end()
        position = _end_of_marks(text, position)
        if position >= len(text):
            return numbers
        if not (following := _NEXT.match(text, position)):
            return []
        position = following.end()
    return numbers


def _end_of_marks(text: str, position: int) -> int:
    match = _MARKS.match(text, position)
    end = match.end() if match else position
    while end < len(text) and text[end] in ") ":
        end += 1
    return end


def _number_at(text: str, position: int, comma: bool) -> tuple[Number, int] | None:
    match = NUMBER.match(text, position)
    if not match:
        return None
    number = _value(match, comma)
    if number is None:
        return None
    value, half, coarse, digits = number
    end, unit = match.end(), ""
    if after := _UNIT.match(text, end):
        unit, scale = _unit(after["unit"])
        if not unit and scale == 1:
            return None
        value, half, coarse = value * scale, half * scale, coarse * scale
        end = after.end()
    elif end < len(text) and (text[end].isalnum() or text[end] in "_-:"):
        return None
    return Number(value, half, coarse, digits, unit, text[position:end].strip(), position), end


def _unit(text: str) -> tuple[str, float]:
    """Return the unit that a text behind a number means, and the multiple in it; ("", 1) for no unit."""
    if text in _MULTIPLES:
        return "", _MULTIPLES[text]
    if text in _TIMES:
        return "x", 1.0
    return (text, 1.0) if find_unit(text) else ("", 1.0)


def find_unit(text: str) -> Unit | None:
    """Return the unit of a spelling: `img/sec`, `images per second`, `msec`."""
    text = text.strip()
    text = re.sub(r"\s*(?:/|\bper\b)\s*(?:s|secs?|seconds?)\b", "/s", text)
    if (rate := _OTHER_RATE.fullmatch(text)) and (each := find(f"{rate[1]}/s")) and each.base == "samples/s":
        return Unit(text, each.base, each.factor / _SECONDS[rate[2]])
    known = find(_SPELLINGS.get(text, text)) if text else None
    return known or (find(_SPELLINGS.get(text.lower(), text.lower())) if len(text) > 1 else None)


def _value(match: re.Match[str], comma: bool) -> tuple[float, float, float, int] | None:
    written, exponent = match["digits"], int((match["exponent"] or "e0")[1:])
    whole, fraction = _parts(written, comma)
    if len(whole) + len(fraction) > 40 or abs(exponent) > 30:
        return None
    sign = -1.0 if match["sign"] in ("-", "−") else 1.0
    value = sign * float(f"{whole or 0}.{fraction or 0}e{exponent}")
    half = 0.5 * 10.0 ** (exponent - len(fraction))
    digits = (whole + fraction).lstrip("0")
    coarse = half
    if not fraction and not match["exponent"]:
        zeros = len(digits) - max(len(digits.rstrip("0")), _MIN_ROUNDED_DIGITS)
        coarse = half * 10.0 ** max(0, zeros)
    return (value, half, coarse, len(digits)) if math.isfinite(value) else None


def _parts(written: str, comma: bool) -> tuple[str, str]:
    """Return the digits before and after the decimal mark."""
    if comma and re.fullmatch(r"\d{1,3}\.\d{3}|\d+,\d+", written):
        whole, _, fraction = written.replace(".", "").partition(",")
        return whole, fraction
    if re.fullmatch(r"\d{1,3}(?:\.\d{3})+,\d+|\d{1,3}(?:\.\d{3}){2,}", written):
        whole, _, fraction = written.replace(".", "").partition(",")
        return whole, fraction
    if re.fullmatch(r"\d+,\d+", written) and not (re.fullmatch(r"[1-9]\d{0,2},\d{3}", written)):
        whole, _, fraction = written.partition(",")
        return whole, fraction
    if match := re.fullmatch(r"(\d{1,3}(?:[^\d.,]\d{3})+),(\d+)", written):
        return re.sub(r"\D", "", match[1]), match[2]
    whole, _, fraction = written.partition(".")
    return re.sub(r"\D", "", whole), fraction


def is_missing(text: str) -> bool:
    """Return True for the texts that say that there is no number."""
    return bool(_MISSING.fullmatch(text.strip()))


def unit_of_heading(text: str) -> str:
    """Return the unit in a heading (`Forward (ms)`, `Throughput [img/s]`, `forward_s`), "" without one."""
    for candidate in _unit_candidates(text):
        if find_unit(candidate) or candidate in ("%", *_TIMES):
            return candidate
    return ""


def units_of_caption(text: str) -> list[str]:
    """Return the units that a caption says its numbers are in: "Throughput in images/s (median)"."""
    units = [match[1] for match in _CAPTION_UNIT.finditer(text)]
    known = [unit if find_unit(unit) else unit.split()[0] for unit in units]
    return [unit for unit in dict.fromkeys(known) if find_unit(unit)]


def _unit_candidates(text: str) -> Iterator[str]:
    yield from (match[1].strip() for match in re.finditer(r"[(\[]([^()\[\]]{1,30})[)\]]", text))
    yield from (match[1].strip() for match in re.finditer(r"(?:,| in)\s+([^,()\[\]]{1,30})$", text.strip()))
    times = "seconds?|secs?|s|ms|minutes?|min|hours?|h"
    if match := re.search(rf"([A-Za-z]+ ?/ ?(?:{times})|[A-Za-z]+ per (?:{times}))\b", text):
        yield match[1]
    if match := re.search(rf"(?:^|_)([A-Za-z]+)_(?:per|p)_({times})$", text.strip()):
        yield f"{match[1]}/{match[2]}"
    if match := re.search(
        r"_(ns|us|ms|s|sec|MiB|GiB|MB|GB|mib|gib|mb|gb|W|pct|percent|img/s)$", text.strip()
    ):
        yield "%" if match[1] in ("pct", "percent") else match[1]
    if match := re.search(
        r"(?<![A-Za-z0-9])(?<!\d )(ms|seconds|secs|sec|milliseconds|MiB|GiB|GB|MB|%)(?![A-Za-z])", text
    ):
        yield match[1]
    if text.strip() in ("s", "ms", "us", "h", "W"):
        yield text.strip()
