"""Find the metric and unit that texts beside a table state: its caption, its key in JSON, its file name."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.formats.tables.column_units import unit_of
from reportgen.formats.tables.column_words import (
    ERROR_WORDS,
    FAULTS,
    QUALITY_WORDS,
    ColumnMeaning,
    meaning_of,
    words_of,
)
from reportgen.formats.tables.interpret.described import without_statistic_of_runs
from reportgen.formats.tables.interpret.draft import Draft
from reportgen.formats.tables.interpret.statements import IN_UNIT, statements
from reportgen.formats.tables.multiples import BEFORE_UNIT

# "throughput in images/s", "times are in seconds", "units: ms"
_IN_UNIT = lazy_pattern(
    rf"(?i)\b(?:{IN_UNIT})\s+(?P<unit>(?:{BEFORE_UNIT})?[\w/%µ]+(?: per [a-z]+| ?/ ?[a-z]+)*)"
    r"|[(\[](?:(?:in|em|en) )?(?P<inner>[^()\[\]]+)[)\]]"
)
# What may follow the unit: "Memory (GiB) is listed below" is about another table.
_ENDS = lazy_pattern(
    r"(?i)\s*(?:$|[^\w\s]|(?:across|at|by|for|from|in|of|on|over|per|using|vs|when|while|with)\b)"
)
# "Results (in ms)"
_OF_ALL = lazy_pattern(
    r"(?i)(?:all |benchmark |the )*(?:results?|numbers|values|figures|measurements|timings|ergebnisse"
    r"|résultats|resultados|risultati)[ ,:]*[(\[]"
)
# "thousand tokens per second by batch size"
_BY = lazy_pattern(r"(?i)\s+(?:across|at|by|for|on)\s")
# "all times are in"
_IN = lazy_pattern(
    r"(?i)^(?:(?:all|the) )*(?:(?:times?|timings|values|results|numbers|measurements) )?(?:are )?"
    r"(?:in|en|em) "
)
# "Solved within the time in seconds": what the numbers are is before it
_CONDITION = lazy_pattern(r"(?i)\w\s+(?:against|by|versus|vs\.?|within)\s[^.,;:()]*$")
_END_OF_SENTENCE = lazy_pattern(r"[.!?]\s+")
_OF_TABLE = lazy_pattern(r"(?i)(?:the|this) table ")
_OTHER_RESULTS = (QUALITY_WORDS | FAULTS | ERROR_WORDS) - {"ap", "map", "precision"}
_PARTS = lazy_pattern(r"[:;,\u2013-]\s")


def stated_metric(draft: Draft) -> tuple[ColumnMeaning, str] | None:
    """Return the metric with its unit that one text around a table states, and the text; None without one.

    The first column, if it has texts, may name what the others measure.
    """
    names = [name for name in draft.columns[:1] if draft.is_text(name) or re.search(r"[:\\/|]", name)]
    for text in (*draft.table.titles, *names, PurePosixPath(draft.table.name).stem):
        if len({each.unit for each in statements([text])}) > 1 or _is_of_other(text):
            continue  # which column has which unit is not clear
        parts = (text, *_PARTS.split(text)) if not text.startswith("units:") else ()
        parts = (*parts, *(_BY.split(part)[0] for part in parts[1:]))
        meanings = list(dict.fromkeys(filter(None, map(_metric, parts))))
        plain = without_statistic_of_runs(text)
        meanings = meanings or [
            each for each in (_in_sentence(text), _metric(plain), _in_sentence(plain)) if each
        ]
        if meanings:
            return meanings[0], text
    if draft.table.is_json:
        return None
    titles, texts = draft.table.titles, draft.table.texts
    return _of_statement(_nearest(titles)) or _of_unit_alone(texts) or _of_statement(_nearest(texts))


def _is_of_other(text: str) -> bool:
    """Return whether a text says what the numbers are, and a unit of something else.

    "Accuracy by training time in hours", "Each had a wall time (in hours). Perplexity by data set"
    """
    last = _END_OF_SENTENCE.split(text)[-1]
    before = [text[: match.start()] for match in _IN_UNIT.finditer(text)]
    parts = [*before, *([] if _IN_UNIT.search(last) else [last])]
    return any(_CONDITION.search(part) for part in before) or any(
        not _OTHER_RESULTS.isdisjoint(words_of(part)) for part in parts
    )


def _nearest(texts: Sequence[str]) -> list[str]:
    """Return the sentence that ends nearest to a table, and those that say that they are about it."""
    last = [_END_OF_SENTENCE.split(text)[-1] for text in texts[:1]]
    sentences = (sentence for text in texts for sentence in _END_OF_SENTENCE.split(text))
    return [*last, *filter(_OF_TABLE.match, sentences)]


def _of_statement(texts: Sequence[str]) -> tuple[ColumnMeaning, str] | None:
    """Return the metric of the only unit that texts state, as a word before it names it.

    "Tempos após 5 execuções (em segundos)", "inference and training rate in samples per second"
    """
    stated = {
        each.unit: (each, text) for text in texts if not _is_of_other(text) for each in statements([text])
    }
    if len(stated) != 1:
        return None
    statement, text = stated.popitem()[1]
    named = (_metric(f"{word} ({statement.unit})") for word in sorted(statement.subject))
    known = {each for each in named if each and not each.extra and not each.doubt}
    return (known.pop(), text) if len(known) == 1 else None


def _of_unit_alone(texts: Iterable[str]) -> tuple[ColumnMeaning, str] | None:
    """Return the metric of the only unit that is a part of a text by itself: "best of 20, GB/s", "in s"."""
    stated: dict[ColumnMeaning, str] = {}
    for text in texts if len({each.unit for each in statements(list(texts))}) < 2 else ():
        for part in _PARTS.split(text):
            unit = _IN.sub("", part.strip(" .`*")).strip("()[] ")
            if len(unit) > 1 and unit_of(unit) and (meaning := _metric(unit)):
                stated.setdefault(meaning, text)
    return next(iter(stated.items())) if len(stated) == 1 else None


def _metric(text: str) -> ColumnMeaning | None:
    is_title = all(_ENDS.match(text, match.end()) for match in _IN_UNIT.finditer(text))
    meaning = meaning_of(text) if text and is_title else None
    is_known = meaning and meaning.kind == "figure" and meaning.metric and not meaning.is_own
    is_unit = len(text) > 1 and unit_of(text.strip("()[] ")) is not None
    is_unit = is_unit or bool(_OF_ALL.match(text))
    is_whole = meaning and is_known and meaning.unit and (not meaning.doubt or is_unit)
    return meaning if is_whole else None


def _in_sentence(text: str) -> ColumnMeaning | None:
    """Return the metric of a sentence such as "Training throughput in images/s on 8 GPUs"; None of two."""
    stated = {
        meaning.metric: meaning for match in _IN_UNIT.finditer(text) if (meaning := _before(text, match))
    }
    return next(iter(stated.values())) if len(stated) == 1 else None


def _before(text: str, match: re.Match[str]) -> ColumnMeaning | None:
    """Return the metric that the last words before a unit name; None if they name none."""
    unit = match["unit"] or match["inner"]
    known = unit_of(unit)
    if known is None or known.doubt or not _ENDS.match(text, match.end()):
        return None
    words = re.findall(r"[^\W\d_]+", text[: match.start()])[-4:]
    meanings = (_metric(f"{' '.join(words[start:])} ({unit})") for start in range(len(words)))
    return next((replace(each, label="") for each in meanings if each and not each.extra), None)
