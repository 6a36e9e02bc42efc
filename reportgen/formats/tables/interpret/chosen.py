"""Weigh whether the numbers of a column whose name says nothing were chosen or measured.

Numbers that are whole and recur, as the levels of a grid do, are settings. They are asked about if anything
speaks against it: a word of a result, fractions that recur by chance, a column of the same name pattern that
is a result, or one number for each name of another column, as a result that each repeat prints again.
"""

import re
from collections import Counter
from collections.abc import Collection

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.formats.tables.case_kinds import kind_of
from reportgen.formats.tables.column_units import unit_of
from reportgen.formats.tables.column_words import QUALITY_WORDS, counts_faults, meaning_of, slug, words_of
from reportgen.formats.tables.interpret.draft import AROUND, Draft

# Names of numbers that are chosen: "num_rows", but not "num_errors".
_COUNT = lazy_pattern(r"(?:n|num|nr|number_of|no_of)_(?!.*(?:err|fail|timeout|oom|drop))")
SHARES = frozenset((
    "acc", "accuracy", "ap", "auc", "cer", "f1", "hit", "iou", "map", "miou", "miss", "precision", "rate",
    "ratio", "recall", "share", "util", "utilization", "wer",
))  # fmt: skip
# Words of other results.
_RESULTS = frozenset((
    "completed", "correct", "cost", "failed", "found", "loss", "obj", "objective", "passed", "result",
    "solved", "succeeded", "success",
))  # fmt: skip
# What differs between the names of columns of one pattern.
_MARK = lazy_pattern(r"[(\[{][^()\[\]{}]*[)\]}]|[0-9]+")
# Digits of numbers that people choose for a load: 1, 2, 4, 5, 10, 16, 25, 30, ...
_STEPS = {
    f"{n}".rstrip("0")
    for n in (1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 24, 25, 32, 48, 64, 75, 96, 128, 256, 512)
}


def is_setting(draft: Draft, column: str) -> bool:
    """Return whether numbers are rather chosen than measured: whole, or the same in several rows."""
    if counts_faults(column) or meaning_of(column).statistic or column.isdigit() or column in draft.cases:
        return False
    if kind_of([column]) and not draft.is_repetitive(column):
        return False
    if draft.is_repetitive(column) or draft.is_constant(column):
        return True
    return draft.is_whole(column) and (len(draft.records) < 2 or bool(_COUNT.match(slug(column))))


def may_be_result(draft: Draft, column: str) -> bool:
    """Return whether anything says that numbers that look chosen were measured."""
    if is_called_result(column) or not SHARES.isdisjoint(words_of(column)):
        return True
    if _COUNT.match(slug(column)) or len(slug(column)) == 1:
        return False
    values = draft.values(column)
    if unit_per_item(column) or _divides_others(draft, column) or are_measured_shares(draft, column):
        return True
    are_whole = all(map(float.is_integer, values))
    if not any(values) and is_after_results(draft, column):
        return True
    if not are_whole and not _are_levels(values):
        return True
    return any(not is_setting(draft, name) for name in _siblings(draft, column)) or _follows(draft, column)


def are_measured_shares(draft: Draft, column: str) -> bool:
    """Return whether numbers are up to 1 and have more decimals than people choose."""
    are_shares = all(0 <= value <= 1 for value in draft.values(column))
    return are_shares and any(round(value, 2) != value for value in draft.values(column))


def unit_per_item(column: str) -> str:
    """Return the unit that a name states per item, "" for others: B for "Bytes/entry"."""
    unit, *items = re.split(r"/| per ", column)
    known = unit_of(unit.strip())
    return known.unit if len(items) == 1 and known else ""


def _divides_others(draft: Draft, column: str) -> bool:
    """Return whether a name is the ratio of two other columns: "Foo/Bar" beside "Foo (ms)" and "Bar (ms)"."""
    parts = [part.strip().lower() for part in column.split("/")]
    others = [name.lower() for name in draft.columns if name != column]
    return len(parts) == 2 and all(part and any(name.startswith(part) for name in others) for part in parts)


def is_called_result(column: str) -> bool:
    """Return whether a name has a word of a result, beyond a share, which may be one of the input."""
    return not (QUALITY_WORDS | _RESULTS).isdisjoint(words_of(column))


def are_steps(values: Collection[float]) -> bool:
    """Return whether numbers are those that people choose for a load."""
    return all(f"{value:g}".rstrip("0") in _STEPS for value in values)


def is_after_results(draft: Draft, column: str) -> bool:
    """Return whether a column before this one is called a result."""
    before = map(meaning_of, draft.columns[: draft.columns.index(column)])
    return any(each.kind == "figure" and each.metric for each in before)


def _are_levels(values: Collection[float]) -> bool:
    """Return whether each of several numbers occurs as often as the others, and more than once."""
    counts = Counter(values)
    return len(counts) > 1 and len(set(counts.values())) == 1 and counts.total() > len(counts)


def _siblings(draft: Draft, column: str) -> list[str]:
    """Return the columns of numbers whose names differ in digits, or in what is in brackets."""
    pattern = _MARK.sub("*", column)
    own = (name for name in draft.columns if name != column and _MARK.sub("*", name) == pattern != column)
    return [name for name in own if draft.values(name) and not draft.is_text(name)]


def _follows(draft: Draft, column: str) -> bool:
    """Return whether a column has one number for each text of another column, which recurs."""
    cells = list(map(str, draft.cells[column]))
    for other in draft.columns:
        if other.startswith(AROUND) or not draft.is_text(other) or len(set(cells)) < 2:
            continue
        pairs = set(zip(map(str, draft.cells[other]), cells, strict=True))
        if len({name for name, _ in pairs}) == len(pairs) < len(cells):
            return True
    return False
