"""Read the columns whose units the user states, when all columns have roles.

An answer changes no other column, but for cases of the same metric, of which only one is asked about.
"""

from collections.abc import Mapping

from reportgen.formats.tables.column_words import ColumnMeaning, slug
from reportgen.formats.tables.interpret.cases import add_cases
from reportgen.formats.tables.interpret.columns import sort_column
from reportgen.formats.tables.interpret.draft import UNIT_COLUMN, Columns, Draft
from reportgen.formats.tables.interpret.long import by_statistic, stating_column
from reportgen.formats.tables.interpret.reading import TableReading, columns_of
from reportgen.formats.tables.interpret.roles import add_factor, factor_of
from reportgen.formats.tables.interpret.spreads import is_error, is_spread
from reportgen.formats.tables.interpret.status import add_faults
from reportgen.formats.tables.interpret.whole import name_items
from reportgen.formats.tables.stated_units import IGNORE, SETTING


def read_answers(draft: Draft, answers: Mapping[str, str]) -> None:
    """Make a figure, or a factor, of each column of the table that has an answer.

    answers  column -> unit, SETTING for a factor, IGNORE for a column that is left out
    """
    if not answers or not draft.cells:
        return
    draft.result.refused |= _refused(draft, answers)
    own = {column: unit for column, unit in answers.items() if column in draft.cells}
    own = {
        column: unit for column, unit in _with_cases(draft, own).items() if column not in draft.result.refused
    }
    if not own:
        return
    figures: Columns = []
    unknown: list[str] = []
    draft.answers = own
    for column, answer in own.items():
        _forget(draft.result, column)
        if answer == SETTING:
            add_factor(draft, factor_of(draft, column, ColumnMeaning("other")), column)
        elif answer == IGNORE:
            draft.result.left_out[column] = "as stated"
        else:
            sort_column(draft, column, figures, unknown)
    add_cases(draft, figures, unknown)
    answered = [figure for figure in draft.result.figures if figure.column in own]
    if draft.statistic and answered and own.get(draft.statistic) != SETTING:
        others = [figure for figure in draft.result.figures if figure.column not in own]
        draft.result.figures = [*others, *by_statistic(draft, draft.statistic, answered)]
    for column in dict.fromkeys(figure.column for figure in draft.result.figures if figure.column in own):
        add_faults(draft, column)
    name_items(draft)


def _with_cases(draft: Draft, answers: Mapping[str, str]) -> dict[str, str]:
    """Return answers with those that hold for other columns: all cases of one metric have its unit."""
    asked = {column: question for column, question in draft.result.open.items() if question.is_shared}
    shared = {asked[column]: unit for column, unit in answers.items() if column in asked}
    return {**{column: shared[each] for column, each in asked.items() if each in shared}, **answers}


def _refused(draft: Draft, answers: Mapping[str, str]) -> dict[str, str]:
    """Return the columns that cannot have one unit, and why."""
    name_column, _ = draft.named_in
    spreads = [
        x
        for x in answers
        if x in draft.cells and answers[x] != IGNORE and is_spread(x, draft.columns) and not is_error(x)
    ]
    if name_column:
        values = {figure.column for figure in draft.result.figures if figure.where} & answers.keys()
        stated = {name: column for name in answers if (column := stating_column(draft, name))}
        return {
            **{column: f'"{name_column}" says what each number of "{column}" is' for column in values},
            **{name: f'"{column}" states the units of "{name}"' for name, column in stated.items()},
        }
    rows = {column: draft.row_units[column].column for column in answers if column in draft.row_units}
    rows |= {name: column for name in answers if (column := _mixed_units(draft, name))}
    of_spreads = {name: f'"{name}" is the spread of another column, which is not read' for name in spreads}
    return of_spreads | {column: f'"{row}" states the units of "{column}"' for column, row in rows.items()}


def _mixed_units(draft: Draft, column: str) -> str:
    """Return the column in which rows state different units of a column, "" without one."""
    names = {*UNIT_COLUMN, f"{slug(column)}_unit", f"{slug(column)}_units"} if column in draft.cells else ()
    stating = (name for name in draft.columns if slug(name) in names and name != column)
    return next((name for name in stating if len(set(map(str, draft.cells[name]))) > 1), "")


def _forget(result: TableReading, column: str) -> None:
    """Take back the role of a column, and the notes about it."""
    result.figures = [figure for figure in result.figures if figure.column != column]
    names = {name for name, factor in result.factors.items() if column in columns_of(factor)}
    result.factors = {name: of for name, of in result.factors.items() if name not in names}
    result.constants = {
        name: of for name, of in result.constants.items() if name.removesuffix("_unit") not in names
    }
    result.checks = [check for check in result.checks if check["column"] != column]
    result.notes = [note for note in result.notes if f'"{column}"' not in note]
    result.open.pop(column, None)
    result.left_out.pop(column, None)
    result.repeat, result.started, result.series = (
        "" if name == column else name for name in (result.repeat, result.started, result.series)
    )
