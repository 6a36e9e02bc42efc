"""Distinguish sizes that are results, such as the size of a compressed file, from sizes that are chosen.

A size is a result if it differs in each row and other columns distinguish the rows, or if it has fractions
and is beside results: settings are before them. An approximate one is measured. Another one with a fraction
that recurs may be either.
"""

from collections.abc import Sequence

from reportgen.formats.tables.column_words import ColumnMeaning, meaning_of
from reportgen.formats.tables.derive import is_about
from reportgen.formats.tables.interpret.draft import AROUND, Draft
from reportgen.formats.tables.interpret.questions import SETTING_OR_RESULT, of_unit
from reportgen.formats.tables.records import TITLE

# Of these sizes the name says that they are measured.
_MEASURED = {
    *("archive", "artifact", "binary", "bundle", "compressed", "disk", "executable", "output", "stored"),
    "written",
}
# Of these sizes the name says that they are chosen.
_CHOSEN = {"block", "buffer", "cache", "cap", "chunk", "input", "limit", "message", "msg", "page", "params"}


def size_meaning(draft: Draft, column: str, meaning: ColumnMeaning) -> ColumnMeaning | None:
    """Return a size as a figure, with a doubt if its rows have one key alone; None for a setting."""
    is_rounded = any(is_about(str(cell)) for cell in draft.known(column))
    is_size = meaning.kind == "factor" and meaning.base == "B"
    if not is_size or not meaning.extra or draft.is_text(column):
        return None
    if not is_rounded and not _CHOSEN.isdisjoint(meaning.extra):
        return _asked(draft, column, meaning)
    keys = [name for name in draft.columns if name != column and _names_case(draft, name)]
    is_repeated = draft.is_repetitive(column)
    is_chosen = draft.is_constant(column) or (is_repeated and draft.is_whole(column))
    is_measured, is_result = (
        is_rounded or bool(_MEASURED & set(meaning.extra)),
        _is_beside_results(draft, column),
    )
    if (is_chosen and not is_measured) or not (is_result or is_rounded or _are_distinct(draft, keys)):
        _note(draft, column)
        return None
    is_alone = is_repeated or any(_are_distinct(draft, [key]) for key in keys)
    is_clear = is_result or is_measured or not is_alone
    unit = draft.unit_of_cells(column)
    doubt = "" if is_clear else of_unit(unit).text if unit else SETTING_OR_RESULT
    is_own = not (is_result or is_measured)
    metric = "_".join(meaning.extra)
    return ColumnMeaning("figure", metric, meaning.unit, doubt=doubt, likely=unit, is_own=is_own)


def _asked(draft: Draft, column: str, meaning: ColumnMeaning) -> ColumnMeaning | None:
    """Return a size whose name says that it is chosen as an open one if it differs after results."""
    is_chosen = draft.is_repetitive(column) or draft.is_constant(column)
    if is_chosen or not _has_results_before(draft, column):
        return None
    unit = draft.unit_of_cells(column) or meaning.unit
    metric, doubt = "_".join(meaning.extra), of_unit(unit).text
    return ColumnMeaning("figure", metric, meaning.unit, doubt=doubt, likely=unit, is_own=True)


def _note(draft: Draft, column: str) -> None:
    """Note a size that is read as a setting although it is after a time or a rate."""
    before = (meaning_of(name) for name in draft.columns[: draft.columns.index(column)])
    if any(each.kind == "figure" and each.unit for each in before):
        draft.result.doubts.append(f'"{column}" may be a setting or a result')
        draft.result.notes.append(f'"{column}" is read as a factor; if it is a result, state its unit')


def _is_beside_results(draft: Draft, column: str) -> bool:
    """Return whether sizes with fractions are in a column after one of times or rates."""
    return _has_results_before(draft, column) and not draft.is_whole(column)


def _has_results_before(draft: Draft, column: str) -> bool:
    """Return whether a column before this one has times or rates: by its name, or the units of its cells."""
    before = draft.columns[: draft.columns.index(column)]
    meanings = (meaning_of(name, draft.unit_of_cells(name) if name in draft.cells else "") for name in before)
    return any(each.kind == "figure" and each.metric and each.unit for each in meanings)


def _names_case(draft: Draft, name: str) -> bool:
    """Return whether a column says which case a row is."""
    if name == TITLE:
        return True
    meaning = meaning_of(name)
    is_named = meaning.kind in ("factor", "repeat") and not meaning.unit
    return not name.startswith(AROUND) and (is_named or (meaning.kind == "other" and draft.is_text(name)))


def _are_distinct(draft: Draft, keys: Sequence[str]) -> bool:
    """Return whether no two rows agree in all of these columns."""
    rows = {tuple(str(draft.cells[key][at]) for key in keys) for at in range(len(draft.records))}
    return len(rows) == len(draft.records)
