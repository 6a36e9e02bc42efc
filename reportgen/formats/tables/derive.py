"""Functions that make a column of others, for `[[derived]]` of a definition."""

import html
import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from reportgen.core import units
from reportgen.core.factors import parse_scalar
from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.formats.parsing import json_values
from reportgen.formats.parsing.csv_cells import number as number_of_text
from reportgen.formats.parsing.csv_cells import quantity
from reportgen.formats.tables.column_units import unit_of
from reportgen.formats.tables.multiples import shortened
from reportgen.formats.tables.own_units import own_unit_of

# A comma that does not separate thousands makes it no number.
_LEADING = lazy_pattern(
    r"(?:[0-9]{1,3}(?:,[0-9]{3}){1,9}|[0-9]{1,30})(?:\.[0-9]{0,30})?(?:[eE][-+]?[0-9]{1,3})?(?![0-9]|[.,][0-9])"
)
# Blanks, also narrow ones, apostrophes and underscores between thousands: 1 234.5, 1'234, 1_234.
GROUPING = " '_\u2019\u00a0\u2007\u2009\u202f"
_NUMBER = rf"[+-]?[0-9][0-9.,{GROUPING}]*(?:[eE][+-]?[0-9]+)?"
# "12.3 ± 0.4 ms", "12.3 ms ± 40 µs": the value with its unit, and its spread.
_ALONE = lazy_pattern(r"[+-]?[0-9]+(?:\.[0-9]+)?")  # most cells, which need no other pattern
_WITH_SPREAD = lazy_pattern(rf"({_NUMBER})\s*([^0-9±+]{{0,12}}?)\s*(?:±|\+/-|\+-)\s*({_NUMBER})\s*([^0-9]*)")
_GROUPED = lazy_pattern(
    rf"([+-]?[0-9]{{1,3}}(?:[{GROUPING}][0-9]{{3}})+(?:\.[0-9]+)?)(?![0-9.,])(\s*[^0-9]*)"
)

# "1234 (1.9x)", "12.5 (0.3)", "81.2 (+0.4 %)": the value; the ratio, the spread or the change are left out.
_WITH_REMARK = lazy_pattern(
    rf"({_NUMBER}\s*[^0-9()]{{0,12}}?)\s*\((?:±|\+/-)?\s*{_NUMBER}\s*[x×%]?\)(\s*[^\W\d_]{{1,6}}(?:/[a-z]{{1,8}})?)?"
)
# "100 % (Baseline)", "12.5 ms (fastest)": what a number is among others, and no part of it.
_WITH_RANK = lazy_pattern(
    rf"({_NUMBER}\s*[^0-9()]{{0,12}}?)\s*\((?i:base ?line|reference|ref\.?|best|worst|fastest|slowest)\)"
)
# "9.34 tok/s mean", "29.84 s total"; "15 W max" is rather the name of a mode.
_WITH_STATISTIC = lazy_pattern(
    rf"({_NUMBER}\s*[^0-9()\s]{{1,16}})\s+(?P<statistic>(?i:mean|avg|average|median|total))"
)
# Emoji, arrows and medals beside numbers: "🥇 12.3", "14.5 ↑", "12.3&nbsp;ms".
_SYMBOLS = lazy_pattern(
    r"[\u2190-\u21ff\u2300-\u23ff\u25a0-\u27bf\u2b00-\u2bff\ufe0f\u200d\U0001f000-\U0001faff]+"
)
_WITH_UNIT = lazy_pattern(
    r"([+-]?(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.[0-9]+)?) ?((?:[^\W\d_]|[$€£]).{1,20})"
)
# "12.3 [11.9, 12.8]", "9.9 s (9.4\u201310.4)": a value with its interval
_WITH_INTERVAL = lazy_pattern(
    rf"({_NUMBER}[^0-9\[\]()]{{0,12}}?)\s*[\[(]{_NUMBER}(?:[,;]| ?[-\u2013] ?| to )\s*{_NUMBER}[\])]"
)
_MARKS = "*†‡§¶¹²³⁴⁵⁶⁷⁸⁹ᵃᵇᶜ"
# "6.1 [^w]"; "74.6† %", where a raised digit could be a power.
_FOOTNOTE = lazy_pattern(r"(?<=\S)\s*(?:\[\^[^\[\]\s]{1,20}\]|<sup>[^<>]{1,20}</sup>)")
# "$0.42", "0,42 €"
_CURRENCY = lazy_pattern(r"(?:([$€£]) ?([0-9][0-9.,]*)|([0-9][0-9.,]*) ?([$€£¢]))")
# "$0.42/h" is "0.42 $/h".
_CURRENCY_FIRST = lazy_pattern(r"^([$€£]) ?([0-9][0-9.,]*)(?=/| per )")
_INNER_MARK = lazy_pattern(r"(?<=[0-9])[*†‡§¶]+(?=\s*[^\W\d_]|\s*%)")

# "12.5 Mo", "3 Gio/s": octets in French. "Mio" are millions in German, "to" is a word.
_OCTETS = lazy_pattern(r"(?<=[0-9])( ?(?:[kKMG]|[KGT]i))o(/s)?$")
# "~12.5 ms": a number that is rounded, or that was read off.
_ABOUT = lazy_pattern(r"(?i)(?:[~\u2248\u223c]|ca\.|approx\.)\s*(?=[0-9])")
_SHORT_SIZE = lazy_pattern(r"([0-9]+(?:\.[0-9]+)?) ?([kKMGT]|[KMGT]i)")
_CLOCK = lazy_pattern(
    r"(?:([0-9]{1,3}) days?, )?(?:([0-9]{1,4}):)?([0-9]{1,3}):([0-5][0-9](?:\.[0-9]{1,9})?)"
)
_ONE_COLON = lazy_pattern("[0-9]+:[0-9]+")
_MINUTES = lazy_pattern(r"([0-9]{1,4}(?:\.[0-9]{1,9})?) ?m")
_PARTS_OF_TIME = lazy_pattern(
    r"(?:([0-9]{1,4}) ?h(?:rs?|ours?)?)?[ ,:]*(?:([0-9]{1,4}) ?m(?:ins?|inutes?)?)?[ ,:]*"
    r"(?:([0-9]{1,4}(?:\.[0-9]{1,9})?) ?s(?:ecs?|econds?)?)?"
)

# Texts that state that there is no number.
MISSING = frozenset(
    ("", "-", "--", "---", "n/a", "na", "nan", "none", "null", "tbd", "?", ".", "\u2013", "\u2014")
)


# The column of any row that is the path of its log.
PATH = "#path"
# Names of collectives that mean nothing else, and words that do only as names of programs.
_COLLECTIVES = (
    r"all[_-]?reduce|all[_-]?gather|reduce[_-]?scatter|all[_-]?to[_-]?allv?|send[_-]?recv|hypercube"
)
_COLLECTIVE = lazy_pattern(
    rf"(?<![A-Za-z0-9])(?:({_COLLECTIVES})(?:_perf)?|(broadcast|reduce|gather|scatter)_perf)(?![A-Za-z0-9])"
)
# As nccl-tests calls its programs: letters -> name.
_NAMES_OF_COLLECTIVES = {
    name.replace("_", ""): name for name in ("all_reduce", "all_gather", "reduce_scatter")
}


def is_missing(cell: object) -> bool:
    """Return whether a cell states that there is no value."""
    return cell is None or (isinstance(cell, str) and cell.strip().lower() in MISSING)


def is_nan(cell: object) -> bool:
    """Return whether a cell is NaN, as a number or as a text: a program measured it and has no number."""
    return cell != cell if isinstance(cell, float) else str(cell).strip().lower() in ("nan", "-nan")


def plain_text(text: str) -> str:
    """Return the text of a number alone: without its spread, a remark in parentheses, marks of footnotes, "~"
    before it, and what separates thousands. A sign of minus is a hyphen.
    """
    text = text.strip()
    if _ALONE.fullmatch(text):
        return text
    if "&" in text:
        text = html.unescape(text).strip()
    if not text.isascii():
        text = _SYMBOLS.sub("", text).strip().replace("\u2212", "-")
    text = _OCTETS.sub(r"\1B\2", _INNER_MARK.sub("", _FOOTNOTE.sub("", text)))
    if about := _ABOUT.match(text):
        text = text[about.end() :]
    if text[-1:] in _MARKS:
        text = text.rstrip(_MARKS + " ")
    if text[-1:] in ("]", ")") and (match := _WITH_INTERVAL.fullmatch(text)):
        text = match[1].strip()
    if ")" in text and (match := _WITH_REMARK.fullmatch(text)):
        text = f"{match[1].strip()}{match[2] or ''}"
    if text.endswith(")") and (match := _WITH_RANK.fullmatch(text)):
        text = match[1].strip()
    if text[-1:].isalpha() and (match := _WITH_STATISTIC.fullmatch(text)):
        text = match[1]
    if match := _WITH_SPREAD.fullmatch(text):
        # "12.3 ± 3 %" does not say what the unit of the value is.
        text = f"{match[1].strip()} {match[2] or match[4].strip().removeprefix('%')}".strip()
    if match := _GROUPED.fullmatch(text):
        text = re.sub(r"[^0-9.+-]", "", match[1]) + match[2]
    return text


def money(text: str) -> tuple[float, str] | None:
    """Return (number, currency) of an amount such as `$0.42`; None for other texts."""
    match = _CURRENCY.fullmatch(text)
    value = number_of_text(match[2] or match[3]) if match else None
    return None if match is None or value is None else (value, own_unit_of(match[1] or match[4]))


def with_own_unit(text: str) -> tuple[str, str] | None:
    """Return (number, unit) of a text with a unit as headers have it, `28,500 ns/op`; None for others."""
    match = _WITH_UNIT.fullmatch(_CURRENCY_FIRST.sub(r"\2 \1", text))
    known = unit_of(match[2]) if match else None
    is_clear = known and known.unit and known.scale == 1 and not known.doubt and not known.per_device
    return (match[1], known.unit) if match and known and is_clear else None


def without_unit(text: str, unit: str) -> str:
    """Return a text without a unit that only its column has: 12.5 for "12.5 points".

    What the unit is per may be left out: 45 for "45 allocs" below allocs/op. A plain number may be a
    multiple: 1.8 for "1.8x".
    """
    above = unit.partition("/")[0]
    names = () if not unit or units.find(unit) else (unit, above, above.removesuffix("s"))
    for name in ("x", "×") if unit == "1" else names:
        rest = text.removesuffix(name).removeprefix(name).strip()
        if rest != text and not name[:1].isdigit() and numeric(rest) == numeric(rest):
            return rest
    return text


def statistic_after(text: str) -> str:
    """Return the word of a statistic behind a number and its unit, "" without one."""
    match = _WITH_STATISTIC.fullmatch(text.strip())
    return match["statistic"].lower() if match else ""


def is_about(text: str) -> bool:
    """Return whether a text states a number as approximate: "~12 ms"."""
    return bool(_ABOUT.match(text.strip()))


def is_clock(text: str) -> bool:
    """Return whether a text is a time with one colon: minutes and seconds, or hours and minutes."""
    return bool(_ONE_COLON.fullmatch(text.strip()))


def spread_of(cell: object, unit: str) -> tuple[float, str] | None:
    """Return (number, unit) of the spread of a cell such as `12.3 ± 0.4 ms`, None without one.

    unit  of the value. A spread in percent is a share of the value, unless this is a share itself
    """
    match = _WITH_SPREAD.fullmatch(cell.strip()) if isinstance(cell, str) else None
    if match is None:
        return None
    if match[4].strip() == "%" and unit and units.to_base(1.0, unit)[1] != "ratio":
        value = quantity(plain_text(f"{match[1]} {match[2]}"), unit)
        return (value[0] * numeric(match[3]) / 100, value[1]) if value else None
    return quantity(plain_text(f"{match[3]} {match[4] or match[2]}"), unit)


def duration(text: str) -> tuple[float, str] | None:
    """Return (seconds, "s") of a time in words, such as `2 min 11 s` or `1h 03m`; None for other texts."""
    parts = _PARTS_OF_TIME.fullmatch(text)
    if parts is None or sum(part is not None for part in parts.groups()) < 2:
        return None
    hours, minutes, seconds = (float(part or 0) for part in parts.groups())
    return (hours * 60 + minutes) * 60 + seconds, "s"


def spelled(text: str, unit: str) -> tuple[float, str] | None:
    """Return (number, unit) of a form that some units have: `181k` of a rate or a count, `4.2G` of a
    size, `2:06:50` of a time.

    A time with one colon is minutes and seconds in a column of seconds, or with a fraction.
    Elsewhere it may be hours and minutes. None for other texts.
    """
    base = units.to_base(1.0, unit)[1]
    text = plain_text(text)
    is_counted = base in ("samples/s", "1", "count") or not units.find(unit)
    if text.endswith("/s"):
        is_counted = base == "samples/s"
    if is_counted and unit and (many := shortened(text)):
        return many[0] * many[1], unit
    if base == "B" and (size := _SHORT_SIZE.fullmatch(text)):
        prefix = f"{size[2].upper()}i" if unit.endswith("iB") and len(size[2]) == 1 else size[2]
        return float(size[1]), f"{prefix.replace('K', 'k') if len(prefix) == 1 else prefix}B"
    if base != "s":
        return None
    clock = _CLOCK.fullmatch(text)
    if clock and (clock[2] or "." in clock[4] or unit == "s"):
        days, hours, minutes, seconds = (float(part or 0) for part in clock.groups())
        return ((days * 24 + hours) * 60 + minutes) * 60 + seconds, "s"
    short = _MINUTES.fullmatch(text)  # beside "12m 30s"
    return (float(short[1]) * 60, "s") if short and unit in ("s", "min", "h") else duration(text)


def numeric(cell: object) -> float:
    """Return a cell as a number, NaN if it is not one; thousands commas are allowed."""
    if isinstance(cell, str):
        text = plain_text(cell)
        value = number_of_text(text)
        return json_values.number(text) if value is None else value
    return json_values.number(cell)


def _product(cells: Sequence[object]) -> float | None:
    return _finite(math.prod(map(numeric, cells)))


def _sum(cells: Sequence[object]) -> float | None:
    return _finite(sum(map(numeric, cells)))


def _difference(cells: Sequence[object]) -> float | None:
    """Return the first number without the second."""
    above, below = map(numeric, cells[:2])
    return _finite(above - below)


def _ratio(cells: Sequence[object]) -> float | None:
    above, below = map(numeric, cells[:2])
    return _finite(above / below) if below and math.isfinite(below) else None


def _first(cells: Sequence[object]) -> object:
    return next((cell for cell in cells if cell not in (None, "")), None)


def _unless(cells: Sequence[object]) -> object:
    """Return the first cell if the others are missing."""
    return cells[0] if all(cell in (None, "") for cell in cells[1:]) else None


def _if_single(cells: Sequence[object]) -> object:
    """Return the first cell if the second, a count, is 1."""
    return cells[0] if numeric(cells[1]) == 1 else None


def _equal(cells: Sequence[object]) -> bool | None:
    """Return whether two cells have the same text."""
    return None if None in cells else str(cells[0]) == str(cells[1])


def _joined(cells: Sequence[object]) -> str | None:
    return None if None in cells else " ".join(map(str, cells))


def _number_in_parentheses(cells: Sequence[object]) -> float | None:
    """Return the number after the first parenthesis: 16942 for "6783 (16942 Gflop/s)"."""
    match = re.search(r"\(([0-9]{1,15}(?:\.[0-9]{1,15})?)", str(cells[0]))
    return float(match[1]) if match else None


def _with_point(cells: Sequence[object]) -> str | None:
    """Return a number with a decimal point, of a program that prints no other mark."""
    return None if cells[0] is None else str(cells[0]).replace(",", ".")


def _unit_of_operation(cells: Sequence[object]) -> str | None:
    """Return the unit of time of "us/op"."""
    unit, slash, _ = str(cells[0]).partition("/op")
    return unit if slash else None


def _first_item(cells: Sequence[object]) -> object:
    return next(iter(json_values.items(cells[0])), None)


def _different_hosts(cells: Sequence[object]) -> int | None:
    """Return how many different `hostname` the objects of a list have; their names are private."""
    names = [each.get("hostname") for each in json_values.tables(cells[0])]
    return len(set(map(str, names))) if names and all(names) else None


def _device_model(cells: Sequence[object]) -> object:
    """Return the `device_info` that all objects of a list share."""
    models = {str(each.get("device_info") or "").strip() for each in json_values.tables(cells[0])}
    return models.pop() if len(models) == 1 else None


def _number(cells: Sequence[object]) -> float | None:
    """Return the number at the beginning of a text: 18392 for "18392 qps"."""
    match = _LEADING.match(str(cells[0]))
    return _finite(float(match[0].replace(",", ""))) if match else None


def _only(cells: Sequence[object]) -> object:
    """Return the only item of a list, its name if it is an object; a cell that is not a list as it is."""
    items = cells[0] if isinstance(cells[0], list) else [cells[0]]
    item = items[0] if len(items) == 1 else None
    return item.get("name") if isinstance(item, dict) else item


def _length(cells: Sequence[object]) -> int | None:
    return len(cells[0]) if isinstance(cells[0], list) else None


def _as_json(cells: Sequence[object]) -> str | None:
    """Return a list as text, in which the pattern of a fact finds its part."""
    return json.dumps(cells[0], default=str) if isinstance(cells[0], list) else None


def _counted_phase(cells: Sequence[object]) -> str | None:
    """Return the phase of a list that counts for the results, as JSON: the last that is not excluded."""
    phases = json_values.tables(cells[0])
    counted = [phase for phase in phases if phase and phase.get("exclude_from_results") is not True]
    return json.dumps(counted[-1], sort_keys=True, default=str) if counted else None


def _groups_of_data(cells: Sequence[object]) -> object:
    """Return the groups of devices that data is split over: 1 if they share the devices of one group."""
    size, is_shared = cells
    return 1 if is_shared is True else size


def _unit_in_parentheses(cells: Sequence[object]) -> str | None:
    """Return the last text in parentheses or brackets: "GB/s" for "bandwidth (GB/s)"."""
    inside = re.findall(r"[(\[]([^()\[\]]{1,20})[)\]]", str(cells[0]))
    return inside[-1].strip() if inside else None


def _batch_of_shapes(cells: Sequence[object]) -> int | None:
    """Return the batch of `--shapes=input:32x3x224x224,mask:32x128`, if all inputs agree on it."""
    batches = set(re.findall(r":([0-9]{1,9})(?:x[0-9]+)*(?=,|\s|$)", str(cells[0])))
    return int(batches.pop()) if len(batches) == 1 else None


def _test_of_tokens(cells: Sequence[object]) -> str:
    """Return llama-bench's name of a test: pp512+tg128 for 512 tokens of a prompt and 128 generated ones."""
    counts = zip(("pp", "tg"), (json_values.whole(parse_scalar(str(cell))) for cell in cells), strict=True)
    return "+".join(f"{name}{count}" for name, count in counts if count) or "none"


def _collective_in_path(cells: Sequence[object]) -> str | None:
    """Return the collective that a path names, as nccl-tests calls it; None unless it names exactly one."""
    words = {re.sub("[_-]", "", match[1] or match[2]) for match in _COLLECTIVE.finditer(str(cells[0]))}
    return _NAMES_OF_COLLECTIVES.get(word := words.pop(), word) if len(words) == 1 else None


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


FUNCTIONS: Mapping[str, Callable[[Sequence[object]], Any]] = {
    "product": _product,
    "sum": _sum,
    "difference": _difference,
    "ratio": _ratio,
    "first": _first,
    "unless": _unless,
    "if_single": _if_single,
    "equal": _equal,
    "joined": _joined,
    "number_in_parentheses": _number_in_parentheses,
    "with_point": _with_point,
    "unit_of_operation": _unit_of_operation,
    "first_item": _first_item,
    "different_hosts": _different_hosts,
    "device_model": _device_model,
    "number": _number,
    "only": _only,
    "length": _length,
    "as_json": _as_json,
    "counted_phase": _counted_phase,
    "groups_of_data": _groups_of_data,
    "unit_in_parentheses": _unit_in_parentheses,
    "batch_of_shapes": _batch_of_shapes,
    "test_of_tokens": _test_of_tokens,
    "collective_in_path": _collective_in_path,
}
