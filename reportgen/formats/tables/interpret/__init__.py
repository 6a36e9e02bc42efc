"""Say what each column of a table of unknown origin is, and write the definition that reads it.

A figure needs a metric and a unit: from the name of its column, a second header row, or its cells. A column
of text is a factor, one of numbers with a usual name of a setting, too. What stays open is left out and said.
"""

from collections.abc import Mapping

from reportgen.formats.tables.find_tables import FoundTable
from reportgen.formats.tables.interpret.answers import read_answers
from reportgen.formats.tables.interpret.aside import (
    take_conditions,
    take_ratios,
    take_totals,
    take_unit_columns,
    take_units_row,
)
from reportgen.formats.tables.interpret.columns import read_beside, read_wide
from reportgen.formats.tables.interpret.contradictions import ask_about_order
from reportgen.formats.tables.interpret.decimal_commas import with_decimal_points
from reportgen.formats.tables.interpret.described import state_statistic
from reportgen.formats.tables.interpret.draft import Draft
from reportgen.formats.tables.interpret.examples import choose_examples
from reportgen.formats.tables.interpret.long import read_named_metrics
from reportgen.formats.tables.interpret.merged_cells import with_groups, without_gaps
from reportgen.formats.tables.interpret.orientation import upright
from reportgen.formats.tables.interpret.reading import TableReading, numbers
from reportgen.formats.tables.interpret.status import add_faults
from reportgen.formats.tables.interpret.titled import by_titles
from reportgen.formats.tables.interpret.whole import (
    check_rows,
    keep_factors_apart,
    keep_rows_apart,
    name_items,
    name_units,
)

__all__ = ["TableReading", "interpret", "numbers"]


def interpret(table: FoundTable, answers: Mapping[str, str] | None = None) -> TableReading:
    """Return what the columns of a table are. answers  column -> unit, as the user states it."""
    return by_titles(_interpret(table, answers), lambda part: _interpret(part, answers))


def _interpret(table: FoundTable, answers: Mapping[str, str] | None) -> TableReading:
    table = without_gaps(with_groups(upright(with_decimal_points(table))))
    draft = Draft(table)
    _note_form(draft)
    take_units_row(draft)
    take_ratios(draft)
    draft.collect()
    take_conditions(draft)
    take_unit_columns(draft)
    take_totals(draft)
    beside = read_named_metrics(draft, answers or {})
    if beside is None:
        read_wide(draft)
        for column in dict.fromkeys(figure.column for figure in draft.result.figures):
            add_faults(draft, column)
    else:
        read_beside(draft, beside)
    ask_about_order(draft)
    name_items(draft)
    name_units(draft)
    keep_rows_apart(draft)
    read_answers(draft, answers or {})
    keep_factors_apart(draft)
    state_statistic(draft)
    check_rows(draft)
    choose_examples(draft)
    return draft.result


def _note_form(draft: Draft) -> None:
    """Note what is changed before the table is read."""
    rows = draft.table.rows
    if rows.transposed:
        draft.result.doubts.append("its columns are the rows")
        draft.result.notes.append(f'each column is a row: "{draft.columns[0]}" names the figures')
    if rows.groups:
        draft.result.doubts.append("some rows name groups")
        draft.result.notes.append("a row that has only a first cell names the group of the rows below it")
    if rows.fill:
        draft.result.doubts.append("empty cells repeat the cell above")
        draft.result.notes.append(f"empty cells repeat the cell above: {', '.join(rows.fill)}")
