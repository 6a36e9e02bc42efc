"""Understand tables that name the metric of a number in a column, and those with a row for each metric."""

from dataclasses import replace

from reportgen.formats.tables.column_units import unit_of
from reportgen.formats.tables.column_words import ColumnMeaning, meaning_of, slug
from reportgen.formats.tables.definition import statistic_name
from reportgen.formats.tables.interpret.cases import add_cases, case_factor, question
from reportgen.formats.tables.interpret.draft import AROUND, MAX_FIGURES, METRIC_COLUMN, UNIT_COLUMN, Draft
from reportgen.formats.tables.interpret.roles import add_role

_MAX_NAME = 80
_VALUE_COLUMN = {"value", "result", "measurement", "measured", "score", "metric_value", "val"}
# First columns whose texts are cases, also if they are words of metrics.
_FACTOR_COLUMNS = {"benchmark", "model", "operation", "op", "test", "kernel", "case", "workload"}


def read_named_metrics(draft: Draft) -> bool:
    """Understand a table with one number a row and a column that names its metric; False for others."""
    # The name and the value of an object around the rows are not theirs.
    by_slug = {slug(name): name for name in draft.columns if not name.startswith(AROUND)}
    name_column = next((by_slug[word] for word in sorted(METRIC_COLUMN) if word in by_slug), "")
    values = [
        by_slug[word] for word in sorted(_VALUE_COLUMN) if word in by_slug and by_slug[word] != name_column
    ]
    if not name_column and "name" in by_slug:
        texts = {str(cell) for cell in draft.known(by_slug["name"])}
        named = all(meaning_of(text).metric for text in texts)
        name_column = by_slug["name"] if texts and named else ""
    cases = [] if values else _transposed(draft, name_column)
    if not name_column and cases:
        name_column = draft.columns[0]
    values = values[:1] or cases
    if not name_column or not values or not draft.is_text(name_column):
        return False
    value, unit_column = values[0], next((by_slug[word] for word in UNIT_COLUMN if word in by_slug), "")
    draft.result.doubts.append("the metric is named in a column")
    draft.named_in = name_column, value
    figures: list[tuple[str, ColumnMeaning]] = []
    for text in dict.fromkeys(str(cell).strip() for cell in draft.known(name_column)):
        at = [i for i, cell in enumerate(draft.cells[name_column]) if str(cell).strip() == text]
        stated = {str(draft.cells[unit_column][i]).strip() for i in at} if unit_column else set()
        answer = draft.answers.get(text) or (next(iter(stated)) if len(stated) == 1 else "")
        meaning = meaning_of(text, answer if unit_of(answer) else "")
        if meaning.kind != "figure" or meaning.doubt or not meaning.metric:
            draft.result.open[text] = question(draft, text, meaning)
        else:
            figures.append((text, meaning))
    add_cases(draft, figures, [])
    _repeat_for(draft, cases)
    for column in draft.columns:
        if column not in (name_column, *values, unit_column):
            add_role(draft, column, meaning_of(column))
    return True


def _transposed(draft: Draft, name_column: str) -> list[str]:
    """Return the columns of cases of a table whose rows are metrics, [] for other tables."""
    if not draft.columns:
        return []
    names, *others = draft.columns
    known = draft.known(names)
    texts = [cell for cell in known if isinstance(cell, str) and len(cell) <= _MAX_NAME]
    is_words = len(texts) == len(known) and draft.is_text(names)
    if (name_column or names) != names or not is_words or len(texts) > MAX_FIGURES:
        return []
    measured = [text for text in texts if (each := meaning_of(text)).kind == "figure" and each.metric]
    cases = [name for name in others if draft.known(name) and not draft.is_text(name)]
    are_figures = any(meaning_of(name).kind in ("figure", "spread", "derived") for name in cases)
    is_known = len(set(texts)) == len(texts) and 2 * len(measured) > len(texts)
    return cases if is_known and not are_figures and slug(names) not in _FACTOR_COLUMNS else []


def _repeat_for(draft: Draft, cases: list[str]) -> None:
    """Give each column of a transposed table the figures that its first column has."""
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


def by_statistic(draft: Draft, column: str) -> None:
    """Make a figure for each statistic that a column names."""
    texts = list(dict.fromkeys(str(cell).strip() for cell in draft.known(column)))
    names = {text: _statistic(draft, text) for text in texts}
    figures, draft.result.figures = draft.result.figures, []
    for figure in figures:
        for text, name in names.items():
            if name:
                draft.result.figures.append(replace(figure, statistic=name, where=((column, text),)))
    for text, name in names.items():
        if not name:
            draft.result.left_out[f"{column} = {text}"] = "not a statistic of values"
    draft.result.doubts.append("the statistic is named in a column")


def _statistic(draft: Draft, text: str) -> str:
    meaning = meaning_of(f"latency {text} (ms)")
    if meaning.kind != "figure" or meaning.extra or not meaning.statistic:
        return ""
    return statistic_name(meaning.statistic)
