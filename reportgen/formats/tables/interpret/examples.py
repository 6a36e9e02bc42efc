"""Choose the examples of answers to open questions: they fit the numbers, and the words near the table.

A likely unit by name alone is right less often: a rate of tokens is not one of operations, a time of 0.05 is
rather in s than in ms, and a whole number above 100 is not a percentage.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from statistics import median

from reportgen.core import units
from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.formats.tables.column_units import unit_of
from reportgen.formats.tables.column_words import (
    LATENCY_WORDS,
    TIME_WORDS,
    counts_faults,
    meaning_of,
    words_of,
)
from reportgen.formats.tables.interpret.cells import number_of
from reportgen.formats.tables.interpret.draft import Draft
from reportgen.formats.tables.interpret.questions import OpenQuestion
from reportgen.formats.tables.interpret.statements import statements

# What a rate may count, by words near a table.
_ITEMS = {
    "token": "tokens/s", "tokens": "tokens/s", "images": "images/s", "samples": "samples/s",
    "requests": "requests/s", "queries": "queries/s", "frames": "frames/s", "messages": "messages/s",
}  # fmt: skip
_RATE = lazy_pattern(r"[A-Za-z]+ ?(?:/ ?|per )s(?:ec(?:ond)?)?(?![A-Za-z])")
_TOKEN_TIMES = frozenset(("itl", "tbt", "tpot", "ttft"))
_PERCENT = 100
# Times of computations below are rather in s, times of requests above rather in ns.
_FEW_MS = 10
_MANY_MS = 1e5
# Whole sizes above are rather in bytes.
_MANY_MB = 1e5


def choose_examples(draft: Draft) -> None:
    """Give each open question an answer that fits the numbers and the words near them, if it has none."""
    chosen: dict[OpenQuestion, OpenQuestion] = {}
    for column, question in draft.result.open.items():
        if question not in chosen or not question.is_shared:
            chosen[question] = _with_example(draft, column, question)
        draft.result.open[column] = chosen[question]


def _with_example(draft: Draft, column: str, question: OpenQuestion) -> OpenQuestion:
    is_chosen = question.takes_setting and column in draft.cells and _is_chosen(draft, column)
    if question.unit or not question.takes_unit:
        return question
    likely = question.likely(column)
    unit = _stated_near(draft, question, likely) or _by_numbers(
        draft, column, likely, _numbers(draft, column)
    )
    return replace(question, unit=unit, is_rather_setting=is_chosen)


def _numbers(draft: Draft, name: str) -> list[float]:
    """Return the numbers of a column, or of a metric that a column names."""
    if name in draft.cells:
        return draft.values(name)
    names, values = (draft.cells.get(column, ()) for column in draft.named_in)
    own = (number_of(value) for each, value in zip(names, values, strict=True) if str(each).strip() == name)
    return [number[0] for number in own if number]


def _is_chosen(draft: Draft, column: str) -> bool:
    """Return whether whole numbers recur in rows, as settings do, and count nothing that went wrong."""
    before = draft.columns[: draft.columns.index(column)]
    if any(figure.column in before for figure in draft.result.figures):
        return False  # settings are before results
    is_same = draft.is_repetitive(column) or draft.is_constant(column)
    is_plain = draft.is_whole(column) and not counts_faults(column)
    return is_same and is_plain and any(draft.values(column)) and not meaning_of(column).unit


def _stated_near(draft: Draft, question: OpenQuestion, likely: str) -> str:
    """Return the only unit in the texts near a table if it fits, "" without one.

    Names of cases and of statistics say nothing, so that any unit fits them.
    """
    texts = (*draft.table.titles, *draft.table.texts, PurePosixPath(draft.table.name).stem.replace("_", " "))
    stated = {each.unit for each in statements(texts)}
    stated |= {match[0] for text in texts for match in _RATE.finditer(text)}
    known = {each.unit for text in stated if (each := unit_of(text)) and each.unit and each.scale == 1}
    if len(known) != 1:
        return ""
    only = known.pop()
    is_alike = units.to_base(1.0, only)[1] == units.to_base(1.0, likely)[1]
    return only if is_alike or question.is_shared else ""


def _by_numbers(draft: Draft, column: str, likely: str, values: Sequence[float]) -> str:
    """Return the likely unit of a name, or another one that its numbers fit better."""
    if not values or meaning_of(column).unit:
        return likely
    middle, are_whole = median(values), all(map(float.is_integer, values))
    if likely == "operations/s":
        is_count = are_whole and words_of(column)[-1:] == ["ops"]
        return "1" if is_count else _item_near(draft) or likely
    if likely == "%":
        is_count = are_whole and words_of(column)[-1].endswith("s") and "%" not in column
        is_share = min(values) >= 0 and 1 < max(values) <= _PERCENT and not is_count
        return likely if is_share else "1"
    if likely == "ms" and (middle >= _MANY_MS or 0 < middle < _FEW_MS):
        if middle >= _MANY_MS:
            is_case = draft.result.open[column].is_of_cases
            return (_item_near(draft) or "operations/s") if is_case else "ns" if are_whole else likely
        words = {*words_of(column), *words_of(PurePosixPath(draft.table.name).stem.replace("_", " "))}
        is_request = meaning_of(column).statistic or not (LATENCY_WORDS | _TOKEN_TIMES).isdisjoint(words)
        return likely if is_request and TIME_WORDS.isdisjoint(words) else "s"
    return "B" if likely == "MB" and are_whole and middle >= _MANY_MB else likely


def _item_near(draft: Draft) -> str:
    """Return the rate of the only item that a name of a column, a title or the name of the file has."""
    texts = (*draft.columns, *draft.table.titles, PurePosixPath(draft.table.name).stem)
    rates = {_ITEMS[word] for text in texts for word in words_of(text.replace("_", " ")) if word in _ITEMS}
    return rates.pop() if len(rates) == 1 else ""
