"""Say what a column is whose unit its user states: a figure, whatever its name says.

A unit that the program does not know (`ns/day`, `points`) is a unit of its own, and its numbers are never
scaled. The metric is then named by the words of the column.
"""

import re
from dataclasses import replace

from reportgen.core import units
from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.metrics import METRICS
from reportgen.formats.tables.case_kinds import kind_of
from reportgen.formats.tables.column_units import TWO_MULTIPLES, ColumnUnit, are_alike, unit_of
from reportgen.formats.tables.column_words import (
    ERROR_WORDS,
    ColumnMeaning,
    meaning_of,
    slug,
    with_plain_statistic,
    without_statistic,
    words_of,
)
from reportgen.formats.tables.extremes import extreme
from reportgen.formats.tables.multiples import may_be_case, multiple_in, multiple_of

# The answer that numbers were chosen and not measured.
SETTING = "setting"
# The answer that a column is not to be read.
IGNORE = "ignore"
_COUNTS = ("count", "number", "none", "unitless", "dimensionless", "x", "ratio")
_RATES = {"ops": "operations/s"}
# Octets in French and Romanian; only an answer has them: a column may be named "To".
_OCTETS = lazy_pattern(r"(?<![^\W_])([kKMGT]i?)o(?![^\W_])")
_SPEEDS = ("s", "samples/s", "B/s", "FLOP/s")
_IN_BRACKETS = lazy_pattern(r"[(\[]([^()\[\]]{1,20})[)\]]")
_LOOKS_LIKE_UNIT = lazy_pattern(r"[^\W\d_]{1,8}(?:/[^\W\d_]{1,8})?")


def is_short_answer(unit: str) -> bool:
    """Return whether an answer is a word that stands for a count or a ratio, or for a rate."""
    return unit.lower() in (*_COUNTS, *_RATES)


def stated_meaning(name: str, unit: str, *, is_case: bool = False) -> ColumnMeaning:
    """Return the meaning of a column by its name and the unit that its user states for it.

    is_case  whether other columns are cases of the same metric: then the name is what differs

    Numbers of "throughput (k)" are thousands, unless the unit says so, too. If the name states two multiples,
    the unit says all.
    """
    multiple, plain = multiple_in(name)
    if multiple_of(multiple) != 1:
        meaning = stated_meaning(plain, unit, is_case=is_case)
        factor = ColumnUnit(meaning.unit, meaning.scale).factor
        is_said = factor == multiple_of(multiple) or may_be_case(multiple)
        is_said = is_said or meaning_of(name).doubt.endswith(TWO_MULTIPLES)
        return meaning if is_said else replace(meaning, scale=meaning.scale * multiple_of(multiple))
    unit = _OCTETS.sub(r"\1B", unit.strip())
    unit = "1" if unit.lower() in _COUNTS else _RATES.get(unit.lower(), unit)
    known = unit_of(unit)
    named = unit_of(name)
    is_rate = known and named and named.unit.endswith("/s") and are_alike(named.unit, known.unit)
    plain = "" if is_rate else without_unit(name, unit) or name
    meaning = meaning_of(plain, unit) if known else ColumnMeaning("other")
    if meaning.kind == "figure" and is_case and meaning.base in _SPEEDS:
        return _of_case(name, meaning)
    if meaning.kind == "figure" and (meaning.metric or meaning.base == "s"):
        return meaning
    own = known or ColumnUnit(unit)
    statistic, spread, text = without_statistic(with_plain_statistic(without_unit(name, unit)))
    if spread and not ERROR_WORDS.isdisjoint(words_of(name)):
        text = f"{text} error"  # the error of a latency is not a latency
    label = text.strip() if kind_of([text]) else ""
    of_unit = slug("count" if unit == "1" else unit.replace("/", " per ")) or "value"
    metric = of_unit if label else slug(text) or of_unit
    if metric in METRICS and METRICS[metric].unit != units.to_base(1.0, own.unit)[1]:
        metric = f"{metric}_in_{of_unit}"
    statistic = extreme(statistic, metric, own.unit)
    return ColumnMeaning("figure", metric, own.unit, own.scale, statistic, label=label)


def _of_case(name: str, meaning: ColumnMeaning) -> ColumnMeaning:
    """Return a figure whose name is its case, of the metric that its unit alone has."""
    plain = meaning_of("", meaning.unit)
    time = "latency" if meaning.unit in ("ns", "us", "ms") else "run_time"
    return replace(
        plain,
        metric=time if plain.base == "s" else plain.metric,
        label=name.strip(),
        doubt="",
        scale=meaning.scale,
    )


def named_unit(name: str) -> str:
    """Return what is in brackets in the name of a column and looks like a unit, "" without one."""
    inside = [text.strip() for text in _IN_BRACKETS.findall(name)]
    return next((text for text in reversed(inside) if _LOOKS_LIKE_UNIT.fullmatch(text)), "")


def without_unit(name: str, unit: str) -> str:
    """Return a name without brackets that hold a unit, and without the stated unit at its end."""
    text = _IN_BRACKETS.sub(lambda match: " " if named_unit(match[0]) else match[0], name)
    return re.sub(rf"[\s_-]+{re.escape(unit)}$", "", text)
