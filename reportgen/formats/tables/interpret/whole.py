"""Look at the whole table: what its rates count, whether its rows differ, whether its commas are clear."""

from collections.abc import Mapping, Set
from dataclasses import replace
from typing import Any

from reportgen.core import units
from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.formats.tables.column_words import ColumnMeaning, counts_faults, meaning_of
from reportgen.formats.tables.interpret.alike import are_alike
from reportgen.formats.tables.interpret.chosen import are_measured_shares, are_steps, is_called_result
from reportgen.formats.tables.interpret.draft import MAX_REPEATS, Draft
from reportgen.formats.tables.interpret.identities import apart_by, keep_identities, most_alike
from reportgen.formats.tables.interpret.questions import of_cells, of_unit
from reportgen.formats.tables.interpret.reading import FigureGuess, columns_of
from reportgen.formats.tables.interpret.roles import DERIVED, add_factor, factor_of

# What shows that a point is a decimal mark, and a comma that may be one.
_POINT = lazy_pattern(r"[0-9],[0-9]{3}(?:,[0-9]{3}|\.[0-9])|[0-9]\.[0-9]")
_THOUSAND_COMMA = lazy_pattern(r"[0-9],[0-9]{3}(?![0-9])")
# A number below a thousand without decimals, beside others with a comma.
_SHORT = lazy_pattern(r"[0-9]{1,3}")
_THREE_DIGITS = lazy_pattern(r"[0-9]{1,3}\.[0-9]{3}")
# How the question begins that no unit answers.
_NAMELESS_ROWS = "what distinguishes its rows? they differ too much for repeats: add a column with names"
# No repeat is so many times another one.
_LARGEST_OF_REPEATS = 1000
_SPEEDS = ("s", "samples/s", "B/s", "FLOP/s")


def name_units(draft: Draft) -> None:
    """State the units that a row of units has for columns of factors: `size_unit` beside `size`."""
    for name, column in draft.result.factors.items():
        unit = draft.units.get(column, "") if isinstance(column, str) else ""
        if unit and f"{name}_unit" not in draft.result.factors:
            draft.result.constants[f"{name}_unit"] = unit


def name_items(draft: Draft) -> None:
    """State what rates count; of rates of several items, the rate of samples keeps the plain name."""
    plain = [x for x in draft.result.figures if x.metric in ("throughput", "throughput_per_device")]
    known = draft.result.constants.get("item")
    items = list(dict.fromkeys(figure.item for figure in plain))
    if len(items) > 1:
        order = [item for item in items if item not in ("token", "step")] or [x for x in items if x != "step"]
        keep = known if known in items else order[0]
        names = {"token": "token_throughput", "step": "step_rate"}
        for at, figure in enumerate(draft.result.figures):
            if figure in plain and figure.item != keep:
                metric = names.get(figure.item, f"{figure.item}_rate")
                draft.result.figures[at] = replace(figure, metric=metric)
        # A row of a table that names its metrics in a column may have a rate of another item.
        items = [keep] if not draft.named_in[0] else []
    if items and items[0] not in ("sample", ""):
        draft.result.constants["item"] = items[0]


def keep_factors_apart(draft: Draft) -> None:
    """Rename the factors of figures that have the name of a column, which would lose its values."""
    result = draft.result
    of_figures = {name for figure in result.figures for name, _ in figure.factors}
    renamed = {name: _free(name, {*result.factors, *of_figures}) for name in of_figures & {*result.factors}}
    result.figures = [
        replace(figure, factors=tuple((renamed.get(name, name), value) for name, value in figure.factors))
        for figure in result.figures
    ]
    result.notes += [
        f'the {name} that names of figures state is "{own}": a column is "{name}"'
        for name, own in sorted(renamed.items())
    ]
    result.constants = {
        _free(name, {*result.factors, *result.constants}) if name in result.factors else name: value
        for name, value in result.constants.items()
    }


def _free(name: str, taken: Set[str]) -> str:
    """Return the name of a factor that the names of figures state."""
    return next(own for number in ("", *range(2, 99)) if (own := f"figure_{name}{number}") not in taken)


def keep_rows_apart(draft: Draft) -> None:
    """Make columns that are open, or may be chosen, factors if rows would else be taken for repeats."""
    result = draft.result
    keep_identities(draft)
    if _names_rows(draft):
        return
    for column in dict.fromkeys(figure.column for figure in result.figures):
        if most_alike(draft) > 1 and len(result.figures) > 1 and _is_crossed(draft, column):
            _make_factor(draft, column)
    shares = [x.column for x in result.figures if x.unit == "%" and meaning_of(x.column).is_own]
    ratios = [name for name, why in result.left_out.items() if why == DERIVED and name in draft.cells]
    times = [x.column for x in result.figures if not x.statistic and draft.is_repetitive(x.column)]
    chosen = (*shares, *ratios, *(times if len(result.figures) > len(times) else ()))
    whole = [x for x in chosen if draft.values(x) and all(map(float.is_integer, draft.values(x)))]
    for column in (*_chosen_open(draft), *whole):
        if most_alike(draft) > 1 and column in draft.cells and not draft.is_text(column):
            _keep_apart(draft, column)
    for figure in [x for x in result.figures if _may_be_load(draft, x)]:
        _forget(draft, figure.column)
        result.open[figure.column] = of_unit(figure.unit)
        result.doubts.append(f'"{figure.column}" may be a setting or a result')


def _chosen_open(draft: Draft) -> list[str]:
    """Return the open columns of numbers that may be chosen: whole, recurring, or before the figures.

    Two series with numbers of one size are rather results of two cases; whole ones only where no figure is.
    """
    names = [name for name in draft.result.open if name in draft.cells and draft.values(name)]
    series = [name for name in names if not draft.is_repetitive(name)]
    measured = [draft.columns.index(x.column) for x in draft.result.figures if x.column in draft.columns]
    first = min(measured, default=len(draft.columns))

    def is_chosen(name: str) -> bool:
        is_series = any(are_alike(draft, name, other) for other in series if other != name)
        if draft.is_whole(name):
            return not is_series or bool(measured)
        return not is_series and draft.columns.index(name) < first

    return [name for name in names if draft.is_repetitive(name) or is_chosen(name)]


def _is_crossed(draft: Draft, column: str) -> bool:
    """Return whether the rows that agree in all factors have the same whole numbers in each group of them.

    No two measurements give the same numbers; an input that was 1 and 2 hours long in each case does.
    """
    groups: dict[tuple[str, ...], list[str]] = {}
    for record in draft.records:
        groups.setdefault(_key(draft, record.cells), []).append(str(record.cells.get(column)))
    values = [set(each) for each in groups.values()]
    are_apart = all(len(each) == len(set(each)) > 1 for each in groups.values())
    return draft.is_whole(column) and are_apart and len(values) > 1 and all(x == values[0] for x in values)


def _note_gaps(draft: Draft) -> None:
    """Note the empty cells of a first column that follow others and are not filled."""
    if draft.table.is_json or not draft.columns:
        return
    rows, first = draft.table.rows, draft.columns[0]
    factors = [column for factor in draft.result.factors.values() for column in columns_of(factor)]
    cells = [str(cell or "").strip() for cell in draft.cells.get(first, ())]
    if first in factors and first not in rows.fill and cells[0] and "" in cells:
        how = f'fill = ["{first}"] in [table.rows]'
        draft.result.notes.append(f'"{first}" has empty cells: if they repeat the cell above, write {how}')


def _may_be_load(draft: Draft, figure: FigureGuess) -> bool:
    """Return whether rates before other results may be loads: steps that recur, without which rows agree."""
    column, others = figure.column, [x for x in draft.result.figures if x.column != figure.column]
    is_rate = units.to_base(1.0, figure.unit)[1] == "samples/s" and not figure.statistic and not figure.where
    if not is_rate or not others or column not in draft.columns:
        return False
    values, at = draft.values(column), draft.columns.index(column)
    is_before = all(at < draft.columns.index(x.column) for x in others)
    are_chosen = len(set(values)) < len(values) and are_steps(values)
    return is_before and are_chosen and most_alike(draft, beside=column) < most_alike(draft)


def check_rows(draft: Draft) -> None:
    """Note commas that may be decimal marks, and rows that agree in all factors."""
    result = draft.result
    if result.figures and not result.series:
        _check_commas(draft)
    if draft.table.is_part:
        result.doubts.append("more rows than people write")
    if draft.table.rows.decimal != ".":
        result.doubts.append("the decimal mark is a comma")
    if draft.table.rows.heads > 1:
        result.doubts.append("the header has two lines")
    _check_repeats(draft)
    _note_gaps(draft)
    most = most_alike(draft)
    if most > 1 and result.figures and not result.repeat and not _names_rows(draft):
        other = apart_by(draft)
        remedy = f'; if "{other}" distinguishes them, state --unit "{other}=setting"' if other else ""
        result.notes.append(f"up to {most} rows agree in all factors: they are read as repeats{remedy}")
    if most > MAX_REPEATS or (len(draft.records) > 1 and not result.factors):
        result.doubts.append("rows do not differ in any factor")
    if not any(units.to_base(1.0, figure.unit)[1] in _SPEEDS for figure in result.figures):
        result.doubts.append("no time or rate")


def _check_repeats(draft: Draft) -> None:
    """Leave figures open whose numbers differ too much for repeats, if no column distinguishes their rows."""
    result = draft.result
    if result.factors or result.repeat or _names_rows(draft):
        return
    for figure in list(result.figures):
        values = [value for value in map(abs, draft.values(figure.column)) if value]
        if values and max(values) > _LARGEST_OF_REPEATS * min(values):
            result.figures.remove(figure)
            result.open[figure.column] = of_cells(_NAMELESS_ROWS)
            result.doubts.append("rows without names differ too much for repeats")


def _names_rows(draft: Draft) -> bool:
    return any(figure.where for figure in draft.result.figures)


def _key(draft: Draft, cells: Mapping[str, Any]) -> tuple[str, ...]:
    columns = [column for factor in draft.result.factors.values() for column in columns_of(factor)]
    if draft.result.repeat:
        columns.append(draft.result.repeat)
    return tuple(str(cells.get(column)) for column in columns)


def _keep_apart(draft: Draft, column: str) -> None:
    """Make a column of numbers a factor if rows without it would be taken for repeats."""
    result = draft.result
    meaning = meaning_of(column)
    is_result = meaning.kind == "figure" or meaning.statistic or counts_faults(column)
    if is_called_result(column) or are_measured_shares(draft, column):
        return
    if column in result.open and (is_result or result.open[column].is_of_cases):
        return
    if most_alike(draft, beside=column) < most_alike(draft):
        _make_factor(draft, column)


def _forget(draft: Draft, column: str) -> None:
    """Take back that a column is a figure, open or left out, and the notes about it."""
    result = draft.result
    result.figures = [figure for figure in result.figures if figure.column != column]
    result.open.pop(column, None)
    result.left_out.pop(column, None)
    about = (f'"{column}" ', f'in column "{column}"')
    result.notes = [note for note in result.notes if not note.startswith(about[0]) and about[1] not in note]


def _make_factor(draft: Draft, column: str) -> None:
    result = draft.result
    _forget(draft, column)
    add_factor(draft, factor_of(draft, column, ColumnMeaning("other")), column)
    result.doubts.append(f'"{column}" may be a setting or a result')
    result.notes.append(
        f'"{column}" is read as a factor, so that its rows are not taken for repeats; if it is a result,'
        " state its unit"
    )


def _check_commas(draft: Draft) -> None:
    """Leave figures open whose commas, or points between semicolons, may separate thousands or decimals."""
    rows = draft.table.rows
    if rows.decimal == "," or draft.table.is_json:
        return
    cells = {
        x.column: [str(cell) for cell in draft.known(x.column)]
        for x in draft.result.figures
        if x.column not in rows.decimal
    }
    every = [text for texts in cells.values() for text in texts]
    are_mixed = rows.separator != "," or rows.decimal != "."
    if are_mixed and not any(map(_POINT.search, every)):
        for column, texts in cells.items():
            if any(map(_THOUSAND_COMMA.search, texts)) and not any(map(_SHORT.fullmatch, texts)):
                _leave_open(draft, column, "commas")
    elif rows.separator == ";" and all(map(_THREE_DIGITS.fullmatch, every)):
        for column in cells:
            _leave_open(draft, column, "points")


def _leave_open(draft: Draft, column: str, marks: str) -> None:
    draft.result.figures = [x for x in draft.result.figures if x.column != column]
    remedy = 'write [table] by hand, with decimal = "," or "."'
    draft.result.open[column] = of_cells(f"do its {marks} separate thousands or decimals?", remedy)
    draft.result.doubts.append(f"{marks} are not clear")
