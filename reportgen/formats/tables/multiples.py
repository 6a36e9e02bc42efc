"""Read multiples: "in thousands", "k", "x10^9" beside a unit, "M tokens/s" before one, "1.2k" in a cell.

Each place that meets a multiple asks here, so that none knows fewer than another.
"""

import math
import re

from reportgen.core.lazy_pattern import lazy_pattern

# exponent of ten, letters, words
_NAMES = (
    (3, "kK", r"thousands?|kilo|thou|milliers?|tausend|tsd\.?|miles(?= de )|migliaia|тыс\.?"),
    (6, "M", r"millions?|mega|mio\.?|mln\.?|millionen|millones|milioni|млн\.?"),
    (9, "GB", r"billions?|giga|mrd\.?|milliarden|milliards?|miliardi|млрд\.?"),
    (12, "T", r"trillions?|tera|billionen"),
)
#: Letters of multiples before a unit.
PREFIXES = {1e3: "k", 1e6: "M", 1e9: "G"}
_RAISED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
_POWER = (
    r"[x×*·] ?10\^?(?P<times>3|6|9|12)|(?:[x×*·] ?)?(?:10(?:\^|\*\*)\{?(?P<power>[-−]?[0-9]{1,2})\}?"
    r"|10(?P<raised>⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,2})|1[eE]\+?(?P<e>-?[0-9]{1,2})|1(?P<zeros>(?:[,' ]?000){1,4})s?)"
)
_WORD = "|".join(f"(?P<{letters}>[{letters}]|(?i:{words}))" for _, letters, words in _NAMES)
_WHOLE = lazy_pattern(rf"(?:(?i:in) )?(?:{_POWER}|{_WORD})")
_BEFORE = lazy_pattern(
    rf"(?:(?i:in) )?(?:{_POWER}|{_WORD})(?: ?[x×*·] ?|[ -])(?:(?:of|de|di) |d['\u2019])?(?P<rest>\D.{{0,80}})"
)
# "throughput_millions_per_s", "requests in thousands"; "100 x 1000" is a shape.
_AT_END = lazy_pattern(
    r"(?P<before>.*?[^\W\d_].*?)[\s_]+(?:in[\s_]+)?"
    r"(?P<multiple>thousands|millions|billions|trillions"
    r"|(?<![0-9][\s_])[x×] ?10(?:\^|\*\*)?[0-9⁰¹²³⁴⁵⁶⁷⁸⁹]*)"
    r"(?P<per>[\s_]+per[\s_]+s(?:ec(?:ond)?)?)?",
    re.IGNORECASE,
)
# "rps 10^3"; behind a time or a size a power is rather a case.
_POWER_AT_END = lazy_pattern(
    r"(?P<before>.*(?:/ ?s(?:ec)?|[\s_]per[\s_]s(?:ec(?:ond)?)?|(?<![^\W_])[fqrt]ps|i?ops))[\s_]+"
    r"(?P<multiple>10(?:\^|\*\*)[0-9]{1,2}|10[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,2}|1e\+?[0-9]{1,2})",
    re.IGNORECASE,
)
_IN_BRACKETS = lazy_pattern(r"[(\[]([^()\[\]]*)[)\]]")
_PER_SECOND = lazy_pattern(r" ?(?:/ ?| per )s(?:ec(?:ond)?)?$")
# The multiple before a unit in a sentence, without groups: "million ", "10^6 "
BEFORE_UNIT = re.sub(r"\?P<\w+>", "?:", rf"(?:{_POWER}|{_WORD}) (?:of )?")
# Unusual multiples: "x100", "in 10s", "100s"; "100" is a case, "10s" a duration.
_UNUSUAL = lazy_pattern(r"[x×*·] ?10+|(?i:in )10+s?|100+s")
_PLAIN_NUMBER = lazy_pattern(r"1(?:[,' ]?000){1,4}s?")
_PLAIN_POWER = lazy_pattern(r"10(?:\^|\*\*|⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]).*|1[eE].+")
_MINUTE = 1 / 60
_SHORTENED = lazy_pattern(r"(?P<number>[0-9]+(?:\.[0-9]+)?) ?(?P<letter>[kKMGBT])(?:/s)?")


def multiple_of(text: str) -> float:
    """Return what a whole text multiplies numbers by: 1000 for "in thousands"; 1 for other texts."""
    match = _WHOLE.fullmatch(text.strip())
    return _factor(match) if match else 1.0


def split_multiple(text: str) -> tuple[float, str]:
    """Return the multiple that a text begins with, and the rest: (1e6, "rows/s") for "million rows/s".

    Returns (1, text) for other texts.
    """
    match = _BEFORE.fullmatch(text)
    return (_factor(match), match["rest"]) if match else (1.0, text)


def multiple_in(name: str) -> tuple[str, str]:
    """Return the multiple that a name of a column states apart from its unit, "" without one, and the rest.

    ("k", "rps") for `rps (k)`, ("M", "rate (tokens/s)") for `rate (tokens/s, M)`; `size (B)` is in bytes, and
    `rate (tokens/s, B)` rather the rate of B.
    """
    for match in _IN_BRACKETS.finditer(name):
        parts = [part.strip() for part in match[1].split(",")]
        multiples = [part for part in parts if _is_multiple(_PER_SECOND.sub("", part))]
        if len(multiples) == 1 and multiples[0] not in ("B", "T"):
            rest = ", ".join(part for part in parts if part not in multiples)
            return _PER_SECOND.sub("", multiples[0]), name.replace(
                match[0], f"({rest})" if rest else " "
            ).strip()
    match_at_end = _AT_END.fullmatch(name) or _POWER_AT_END.fullmatch(name)
    if match_at_end and _is_multiple(match_at_end["multiple"]):
        return match_at_end["multiple"], match_at_end["before"]
    return "", name


def _is_multiple(text: str) -> bool:
    return multiple_of(text) != 1 or bool(_UNUSUAL.fullmatch(text))


def is_number(multiple: str) -> bool:
    """Return whether a text is a number such as 1000, which may be a case and no multiple: `req/s (1000)`."""
    return bool(_PLAIN_NUMBER.fullmatch(multiple.strip()))


def may_be_case(multiple: str) -> bool:
    """Return whether a multiple apart from a unit may be a case: 1000, 1e6 or x100, but not x1000."""
    is_unusual = multiple_of(multiple) == 1
    return is_unusual or is_number(multiple) or bool(_PLAIN_POWER.fullmatch(multiple.strip()))


def without_multiple(scale: float) -> float:
    """Return a scale without its thousands, millions, ...: 1 for krequests/s, 1/60 for krequests/min."""
    powers = [10.0**exponent for exponent, _, _ in _NAMES]
    periods = (1.0, _MINUTE)
    return next((each for each in periods if any(math.isclose(scale, each * x) for x in powers)), scale)


def shortened(text: str) -> tuple[float, float] | None:
    """Return (number, multiple) of a number with a letter: 1.2k, 1.2 M/s of a rate; None for other texts."""
    match = _SHORTENED.fullmatch(text)
    return (float(match["number"]), multiple_of(match["letter"])) if match else None


def _factor(match: re.Match[str]) -> float:
    if zeros := match["zeros"]:
        return 10.0 ** zeros.count("0")
    written = match["times"] or match["power"] or match["raised"] or match["e"]
    if written:
        return 10.0 ** int(written.translate(_RAISED).replace("−", "-"))
    return 10.0 ** next(exponent for exponent, letters, _ in _NAMES if match[letters])
