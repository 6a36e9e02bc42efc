"""Keep the columns that say which case a row is, where rows without them would be taken for repeats.

A path, an id or a command is usually neither a setting nor a result. Where nothing else distinguishes rows,
it is the name of the case. Ids that a program makes up, and the numbers of rows, name nothing.
"""

from collections import Counter
from collections.abc import Collection
from statistics import median

from reportgen.formats.tables.column_words import ColumnMeaning, factor_name, meaning_of, slug
from reportgen.formats.tables.interpret.draft import Draft
from reportgen.formats.tables.interpret.reading import columns_of
from reportgen.formats.tables.interpret.roles import NEITHER, NO_TIME, ROW_NUMBER, add_factor, is_made_up
from reportgen.formats.tables.interpret.texts import are_parts, question_about, several_numbers

_CANDIDATES = (NEITHER, NO_TIME, ROW_NUMBER)
# Texts that name the case of a row, and not the place or the person of the run.
_CASES = frozenset(("cmd", "command", "file", "filename", "link", "path", "source", "url"))
# A longer text is not a name.
_LONGEST_NAME = 100
_PRIVATE = frozenset(("email", "username"))
# Numbers of repeats and of requests, also where nothing else differs.
_OF_REPEATS = "call_id message_id pid req_id request_id row_id run_id sample_id trace_id trial_id uuid"
_OF_ROWS = ("", "#", "column_1", "index", "unnamed_0")
_REPEATS = {*_OF_REPEATS.split(), *_OF_ROWS}


def most_alike(draft: Draft, without: Collection[str] = (), beside: str = "") -> int:
    """Return how many rows agree in all factors.

    without  columns of factors that do not count; beside  another column that counts
    """
    told_by = [*_told_by(draft), *([beside] if beside else [])]
    return _most_alike(draft, [column for column in told_by if column not in without])


def _told_by(draft: Draft) -> list[str]:
    """Return the columns that distinguish rows: factors, the repeat, statistics, and the names of figures."""
    result = draft.result
    columns = [column for factor in result.factors.values() for column in columns_of(factor)]
    columns += [name for name in (result.repeat, draft.statistic) if name]
    return [*columns, *dict.fromkeys(name for figure in result.figures for name, _ in figure.where)]


def _most_alike(draft: Draft, columns: Collection[str]) -> int:
    keys = Counter(tuple(str(record.cells.get(name)) for name in columns) for record in draft.records)
    return max(keys.values(), default=0)


def keep_identities(draft: Draft) -> None:
    """Make the columns factors that name the cases of rows, in their order, until all rows differ.

    A number whose name says no setting may be a result, so a name of a case counts before it.
    """
    guessed = _guessed(draft)
    _keep_times(draft)
    for column in [name for name, why in draft.result.left_out.items() if why in _CANDIDATES]:
        without = guessed if slug(column) in _CASES or draft.result.left_out[column] == ROW_NUMBER else ()
        if most_alike(draft, without) > 1 and _names_cases(draft, column):
            _keep(draft, column, without)
    _take_texts(draft, guessed)


def _keep_times(draft: Draft) -> None:
    """Make texts with colons factors where rows are alike without them, such as lengths of recordings."""
    own = [name for name in draft.result.open if name in draft.cells and meaning_of(name).kind == "other"]
    times = [name for name in own if draft.is_text(name) and question_about(draft, name)]
    for column in times if draft.result.figures else ():
        asked = draft.result.open.pop(column)
        draft.result.left_out[column] = asked.text
        if most_alike(draft) > 1:
            _keep(draft, column, ())
        if draft.result.left_out.pop(column, ""):
            draft.result.open[column] = asked


def _take_texts(draft: Draft, guessed: Collection[str]) -> None:
    """Leave out the factors that are long texts, and ask about parts, if rows differ without them."""
    for name, of in list(draft.result.factors.items()):
        column = next(iter(columns_of(of)))
        known = list(map(str, draft.known(column)))
        if most_alike(draft, {*guessed, column}) > most_alike(draft, guessed) or len(set(known)) < 2:
            continue
        if _is_prose(draft, column):
            draft.result.left_out[column] = "a long text"
        elif are_parts(known):
            draft.result.open[column] = several_numbers(known)
        else:
            continue
        del draft.result.factors[name]


def _is_prose(draft: Draft, column: str) -> bool:
    """Return whether a column has texts as a program writes them, such as the answers of a model."""
    return draft.is_text(column) and median(map(len, map(str, draft.known(column)))) > _LONGEST_NAME


def _guessed(draft: Draft) -> set[str]:
    """Return the columns of numbers that are factors although their names say no setting."""
    columns = (column for factor in draft.result.factors.values() for column in columns_of(factor))
    return {name for name in columns if not draft.is_text(name) and not _is_setting(meaning_of(name))}


def _is_setting(meaning: ColumnMeaning) -> bool:
    """Return whether a name says that its numbers were chosen; a size may be one of the input."""
    return meaning.kind == "factor" and not (meaning.base == "B" and meaning.extra)


def _keep(draft: Draft, column: str, without: Collection[str]) -> None:
    """Make a column a factor if fewer rows agree with it."""
    why, before = draft.result.left_out.pop(column), most_alike(draft, without)
    known = {*draft.result.factors}
    add_factor(draft, factor_name(column), column)
    if most_alike(draft, without) < before:
        draft.result.doubts += [] if slug(column) in _CASES else [f'"{column}" may name the cases']
        draft.result.notes.append(f'"{column}" is read as a factor: without it rows are taken for repeats')
        return
    for name in draft.result.factors.keys() - known:
        del draft.result.factors[name]
    draft.result.left_out[column] = why


def _names_cases(draft: Draft, column: str) -> bool:
    """Return whether the cells of a column name cases: they recur, or do not number the rows."""
    known = list(map(str, draft.known(column)))
    if slug(column) in _PRIVATE:
        return False
    if draft.is_text(column):
        return len(set(known)) < len(known) or not is_made_up(known)
    if not draft.is_whole(column):
        return False
    if len(set(known)) < len(known):
        return slug(column) not in _REPEATS
    return slug(column) not in _REPEATS and most_alike(draft) == len(draft.records)


def apart_by(draft: Draft) -> str:
    """Return a column that is not read and differs between rows that agree in all factors, "" without one."""
    left_out = [name for name, why in draft.result.left_out.items() if why in _CANDIDATES]
    asked = [name for name in draft.result.open if name in draft.cells and _may_distinguish(draft, name)]
    columns = (name for name in (*left_out, *asked) if most_alike(draft, beside=name) < most_alike(draft))
    return next(columns, "")


def _may_distinguish(draft: Draft, column: str) -> bool:
    """Return whether a column that is open is one of texts, or before the first figure, as settings are."""
    figures = [draft.columns.index(x.column) for x in draft.result.figures if x.column in draft.columns]
    return draft.is_text(column) or draft.columns.index(column) < min(figures, default=0)
