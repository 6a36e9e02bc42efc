"""Find the units that texts beside a table state, and the columns they hold for.

"All times in ms", "Latency (ms) and throughput (seq/s)", "units: us, GB/s", "latency=us". A statement that
names a column of the table holds for this column alone.
"""

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass

from reportgen.core import units
from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.metrics import METRICS
from reportgen.formats.tables.column_units import unit_of
from reportgen.formats.tables.column_words import ColumnMeaning, meaning_of, words_of
from reportgen.formats.tables.multiples import BEFORE_UNIT
from reportgen.formats.tables.titles import is_limit

# A part of a sentence; a comma in parentheses does not end one.
_CLAUSE = lazy_pattern(
    r"(?<=[.!?;])\s+|[;,]\s+(?![^()\[\]]*[)\]])|\s+[\u2013\u2014-]+\s+|\s+(?:and|und|et|y)\s+"
)
_UNIT = rf"(?:{BEFORE_UNIT})?[^\W\d_][\w%µμ]*(?: ?/ ?[a-zA-Z]+| per [a-z]+)*|%"
# "times in ms", "numbers are wall-clock seconds"
IN_UNIT = (
    r"in|em|en|as|units?:?|(?:is|are|sind|sont|son|sono)(?: the)?"
    r"(?: (?:wall[- ]?clock|elapsed|total|average|mean|median|minimum|best))*(?!\s+(?:in|em|en|as)\b)"
)
_IN_UNIT = lazy_pattern(rf"(?i)(?P<subject>.*?)\b(?:{IN_UNIT})\s+(?P<unit>{_UNIT})")
_IN_BRACKETS = lazy_pattern(
    r"(?P<subject>[^()\[\]]*)[(\[](?:(?:in|em|en) )?(?P<unit>[^()\[\],;]+)[^()\[\]]*[)\]]"
)
_IS_UNIT = lazy_pattern(rf"(?P<subject>[\w ./-]+?)\s*[=:]\s*(?P<unit>{_UNIT})[.)]?")
# "units: latency=us"
_LIST = lazy_pattern(r"(?i)^units?:\s*(?=.*[=:])")
# What may follow the unit: "Memory (GiB) is listed below" is about another table.
_ENDS = lazy_pattern(
    r"(?i)\s*(?:$|[^\w\s]|(?:across|at|by|for|from|higher|in|lower|of|on|over|per|unless|using|vs|when|while|with)\b)"
)
# Shorter names of columns are words of sentences, too.
_SHORTEST = 3
# Subjects that are all columns of the base.
_ALL = frozenset({
    "all", "times", "timings", "latencies", "durations", "bandwidths", "throughputs", "rates", "sizes",
    "numbers", "values", "results", "figures", "units", "unit", "measurements", "zeiten", "temps",
    "tiempos", "tempos", "tempi",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Statement:
    """A unit that a text states. subject  the words before it"""

    unit: str
    base: str
    subject: frozenset[str]


def statements(texts: Sequence[str]) -> list[Statement]:
    """Return the units that texts state, the nearest text first."""
    return [statement for text in texts for statement in _in_text(text)]


def _in_text(text: str) -> Iterator[Statement]:
    subject = ""
    for clause in _CLAUSE.split(text):
        clause = _LIST.sub("", clause.strip(" .:*_`"))
        if is_limit(clause):
            continue
        whole = _IS_UNIT.fullmatch(clause)
        inside = (*_IN_BRACKETS.finditer(clause), *_IN_UNIT.finditer(clause))
        matches = [whole] if whole else [each for each in inside if _ENDS.match(clause, each.end())]
        if not matches and (stated := _statement(clause, subject)):
            yield stated  # "Throughput, TFLOP/s", "units: ms, GB/s"
        for match in matches:
            if stated := _statement(match["unit"], match["subject"]):
                yield stated
        subject = clause


def _statement(text: str, subject: str) -> Statement | None:
    unit = unit_of(text)
    if unit is None or unit.doubt or not unit.unit:
        return None
    return Statement(text.strip(), units.to_base(1.0, unit.unit)[1], frozenset(words_of(subject)))


def unit_for(column: str, meaning: ColumnMeaning, stated: Sequence[Statement], named: Set[str]) -> str:
    """Return the unit that texts state for a column without one, "" if there is none or several.

    named  words of the names of all columns
    """
    own = set(words_of(column))
    fitting = [each for each in stated if _fits(column, meaning, each, {each.base for each in stated})]
    if not fitting and meaning.kind == "other" and not any(each.subject & _ALL for each in stated):
        fitting = [each for each in stated if _names(each, column)]
    special = [each for each in fitting if not each.subject & _ALL and each.subject & named]
    about = [each for each in special if each.subject & own] or [
        each for each in fitting if each not in special
    ]
    texts = {unit_of(each.unit): each.unit for each in about}
    return texts.popitem()[1] if len(texts) == 1 else ""


def _names(statement: Statement, column: str) -> bool:
    """Return whether the words before a unit are the name of a column, and hardly more."""
    own = frozenset(words_of(column))
    is_name = bool(own) and own <= statement.subject and all(len(word) >= _SHORTEST for word in own)
    return is_name and len(statement.subject) <= len(own) + 2


def _is_own(statement: Statement) -> bool:
    """Return whether a unit keeps its own name, such as ns/day."""
    known = unit_of(statement.unit)
    return known is not None and not units.find(known.unit)


def _fits(column: str, meaning: ColumnMeaning, statement: Statement, bases: Set[str]) -> bool:
    """Return whether a unit is one of the metric of a column, or of the time that its name says.

    A name that is a statistic has the unit of all. bases  of all units that texts state
    """
    if meaning.kind == "figure":
        is_usual = meaning.metric in METRICS and METRICS[meaning.metric].unit == statement.base
        return is_usual or (_is_own(statement) and bool(statement.subject & set(words_of(column))))
    timed = meaning_of(column, statement.unit)
    is_statistic = bool(meaning.statistic) and not meaning.extra and len(bases) == 1
    is_timed = is_statistic or (timed.kind == "figure" and not timed.doubt)
    return meaning.kind == "other" and statement.base == "s" and is_timed
