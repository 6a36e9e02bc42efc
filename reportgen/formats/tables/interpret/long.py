"""Understand tables that name the metric or the statistic of a number in a column."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from reportgen.core import units
from reportgen.formats.tables.case_kinds import kind_of
from reportgen.formats.tables.column_units import unit_of
from reportgen.formats.tables.column_words import meaning_of, slug
from reportgen.formats.tables.definition import statistic_name
from reportgen.formats.tables.interpret.cases import add_cases, case_factor, question
from reportgen.formats.tables.interpret.draft import (
    AROUND,
    METRIC_COLUMN,
    UNIT_COLUMN,
    VALUE_COLUMN,
    Columns,
    Draft,
)
from reportgen.formats.tables.interpret.roles import add_role
from reportgen.formats.tables.stated_units import stated_meaning


def read_named_metrics(draft: Draft, answers: Mapping[str, str]) -> bool:
    """Understand a table with one number a row and a column that names its metric; False for others.

    answers  name of a metric -> unit
    """
    # The name and the value of an object around the rows are not theirs.
    by_slug = {slug(name): name for name in draft.columns if not name.startswith(AROUND)}
    name_column = next((by_slug[word] for word in sorted(METRIC_COLUMN) if word in by_slug), "")
    values = [
        by_slug[word] for word in sorted(VALUE_COLUMN) if word in by_slug and by_slug[word] != name_column
    ]
    if not name_column and "name" in by_slug:
        texts = {str(cell) for cell in draft.known(by_slug["name"])}
        named = all(meaning_of(text).metric for text in texts)
        name_column = by_slug["name"] if texts and named else ""
    unit_column = next((by_slug[word] for word in UNIT_COLUMN if word in by_slug), "")
    if values and not name_column and _has_several_bases(draft, unit_column):
        name_column = unit_column
    cases = [] if values or not name_column else _cases_beside(draft, name_column)
    statistics = [name for name in draft.columns if _is_statistic(draft, name)] if not cases else []
    values = [*values[:1], *statistics] or cases
    if not name_column or not values or not draft.is_text(name_column):
        return False
    draft.result.doubts.append("the metric is named in a column")
    draft.named_in = name_column, values[0]
    draft.answers = {text: answers[text] for text in map(str, draft.known(name_column)) if text in answers}
    columns = _NamedIn(name_column, unit_column)
    figures = _figures(draft, columns)
    # Units are not words in which the names of columns differ.
    for group in [[each] for each in figures] if name_column == unit_column else [figures]:
        add_cases(draft, group, [])
    _repeat_for(draft, cases)
    _add_statistics(draft, values[0], statistics)
    _state_units_of_rows(draft, columns)
    for column in draft.columns:
        if column not in (name_column, *values, unit_column):
            add_role(draft, column, meaning_of(column))
    return True


@dataclass(frozen=True, slots=True)
class _NamedIn:
    """The columns with the name of the metric of each row, and with its unit, "" without one."""

    name: str
    unit: str

    def stated(self, draft: Draft, text: str) -> list[str]:
        """Return the units of the rows of a metric."""
        names = draft.cells[self.name]
        at = [i for i, cell in enumerate(names) if str(cell).strip() == text] if self.unit else []
        return list(dict.fromkeys(str(draft.cells[self.unit][i]).strip() for i in at))


def _figures(draft: Draft, named: _NamedIn) -> Columns:
    """Return what the metrics are that a column names; units that it does not state stay open."""
    figures: Columns = []
    for text in dict.fromkeys(str(cell).strip() for cell in draft.known(named.name)):
        stated = named.stated(draft, text)
        unit = stated[0] if len(_bases(stated)) == 1 else ""
        name = "" if named.name == named.unit else text
        meaning = meaning_of(name, unit if unit_of(unit) else "")
        if answer := draft.answers.get(text):
            meaning = stated_meaning(text, answer)
        is_doubtful = meaning.doubt and (name or meaning.doubt != "names no metric")
        if meaning.kind != "figure" or is_doubtful or not meaning.metric:
            draft.result.open[text] = question(draft, text, meaning)
        else:
            figures.append((text, meaning))
    return figures


def _bases(stated: Sequence[str]) -> set[str]:
    """Return the bases of several units; of one unit, itself."""
    return set(stated) if len(stated) == 1 else {units.to_base(1.0, unit)[1] for unit in stated}


def _is_statistic(draft: Draft, column: str) -> bool:
    """Return whether a column has numbers and the name of a statistic alone: p99, min."""
    meaning = meaning_of(column)
    is_bare = meaning.kind == "other" and bool(meaning.statistic) and not meaning.extra
    return (
        is_bare and not column.startswith(AROUND) and bool(draft.known(column)) and not draft.is_text(column)
    )


def _add_statistics(draft: Draft, value: str, statistics: Sequence[str]) -> None:
    """Give the columns of other statistics the figures of the column with the values."""
    of_value = [figure for figure in draft.result.figures if figure.column == value and not figure.statistic]
    others = [figure for figure in draft.result.figures if figure not in of_value]
    names = {column: meaning_of(column).statistic for column in dict.fromkeys((value, *statistics))}
    every = [
        replace(figure, column=column, statistic=statistic)
        for figure in of_value
        for column, statistic in names.items()
    ]
    draft.result.figures = [*others, *every]


def _state_units_of_rows(draft: Draft, named: _NamedIn) -> None:
    """Read each row of a metric in its own unit, if rows differ in it."""
    for at, figure in enumerate(draft.result.figures):
        text = dict(figure.where).get(named.name, "")
        if text and named.name != named.unit and len(named.stated(draft, text)) > 1:
            draft.result.figures[at] = replace(figure, unit_column=named.unit)


def _cases_beside(draft: Draft, name_column: str) -> list[str]:
    """Return the columns of numbers beside the names of metrics, if none has a meaning of its own."""
    others = [name for name in draft.columns if name != name_column and not draft.is_text(name)]
    cases = [name for name in others if draft.known(name) and meaning_of(name).kind == "other"]
    is_plain = not any(meaning_of(name).statistic for name in cases)
    return cases if (is_plain and kind_of(cases)) or len(cases) == len(others) > 1 else []


def _repeat_for(draft: Draft, cases: list[str]) -> None:
    """Give each column of cases the figures that the first of them has."""
    if not cases:
        return
    kind, values = case_factor(cases, cases)
    factor = kind if kind and not any(kind in dict(x.factors) for x in draft.result.figures) else "case"
    draft.result.figures = [
        replace(figure, column=column, factors=(*figure.factors, (factor, value)))
        for column, value in zip(cases, values, strict=True)
        for figure in draft.result.figures
    ]
    draft.result.notes.append(f'{", ".join(cases)}: read as values of the factor "{factor}"')


def _has_several_bases(draft: Draft, column: str) -> bool:
    """Return whether a column has units of several kinds, which then name the metric of each row."""
    known_units = [unit_of(str(cell)) for cell in draft.known(column)] if column else []
    known = [unit.unit for unit in known_units if unit and not unit.doubt]
    return len(known) == len(known_units) and len({units.to_base(1.0, unit)[1] for unit in known}) > 1


def by_statistic(draft: Draft, column: str) -> None:
    """Make a figure for each statistic that a column names."""
    texts = list(dict.fromkeys(str(cell).strip() for cell in draft.known(column)))
    names = {text: statistic_of(text) for text in texts}
    figures, draft.result.figures = draft.result.figures, []
    for figure in figures:
        for text, name in names.items():
            if name:
                draft.result.figures.append(replace(figure, statistic=name, where=((column, text),)))
    for text, name in names.items():
        if not name:
            draft.result.left_out[f"{column} = {text}"] = "not a statistic of values"
    draft.result.doubts.append("the statistic is named in a column")


def statistic_of(text: str) -> str:
    """Return the statistic that a text is, "" if it is not one of values."""
    meaning = meaning_of(f"latency {text} (ms)")
    if meaning.kind != "figure" or meaning.extra or not meaning.statistic:
        return ""
    return statistic_name(meaning.statistic)
