"""Understand tables that name the metric or the statistic of a number in a column."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from reportgen.core import units
from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.formats.tables.case_kinds import kind_of
from reportgen.formats.tables.column_units import ColumnUnit, unit_of
from reportgen.formats.tables.column_words import (
    ColumnMeaning,
    meaning_of,
    slug,
    with_plain_statistic,
    without_statistic,
)
from reportgen.formats.tables.extremes import extreme
from reportgen.formats.tables.interpret.cases import add_cases, case_factor, question
from reportgen.formats.tables.interpret.cells import number_of, text_of
from reportgen.formats.tables.interpret.draft import (
    AROUND,
    METRIC_COLUMN,
    UNIT_COLUMN,
    VALUE_COLUMN,
    Columns,
    Draft,
)
from reportgen.formats.tables.interpret.questions import OpenQuestion
from reportgen.formats.tables.interpret.reading import FigureGuess
from reportgen.formats.tables.interpret.roles import DERIVED
from reportgen.formats.tables.stated_units import stated_meaning

# Units that count things, such as the messages that are lost.
_COUNTED = {
    **dict.fromkeys(("msg", "msgs", "messages"), "messages"),
    **dict.fromkeys(("req", "reqs", "requests"), "requests"),
    **dict.fromkeys(("op", "ops", "operations"), "operations"),
    **{name: name for name in ("errors", "events", "packets", "queries", "records", "rows")},
}
# A unit that is kept as it is stated, and never scaled.
_KEPT = lazy_pattern(r"[^\W\d_][\w/%µ^.-]{0,19}")


def read_named_metrics(draft: Draft, answers: Mapping[str, str]) -> list[str] | None:
    """Understand a table with one number a row and a column that names its metric; None for others.

    Returns the columns beside these, which have no role yet.

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
    unit_column = _unit_column(draft)
    is_mixed = not name_column and _has_several_bases(draft, unit_column)
    statistics = [name for name in draft.columns if _is_statistic(draft, name)]
    if is_mixed and (values or statistics or _cases_beside(draft, unit_column)):
        name_column = unit_column
    quantities = _names_of_quantities(draft, values[0]) if not name_column and len(values) == 1 else ""
    name_column = name_column or quantities
    cases = [] if values or not name_column else _cases_beside(draft, name_column)
    statistics = [] if cases else statistics
    values = [*values[:1], *statistics] or cases
    if not name_column or not values or not draft.is_text(name_column):
        return None
    draft.result.doubts.append("the metric is named in a column")
    draft.named_in = name_column, values[0]
    draft.answers = {text: answers[text] for text in map(str, draft.known(name_column)) if text in answers}
    columns = _named_in(draft)
    figures = _figures(draft, columns)
    # Units are not words in which the names of columns differ.
    for group in [[each] for each in figures] if name_column == unit_column else [figures]:
        add_cases(draft, group, [])
    _repeat_for(draft, cases)
    _add_statistics(draft, values[0], statistics)
    _state_units_of_rows(draft, columns)
    own = {name_column, *values, unit_column} - {quantities}
    return [column for column in draft.columns if column not in own]


def _names_of_quantities(draft: Draft, value: str) -> str:
    """Return the only column of texts beside values with units of several kinds, "" without one.

    "Sequential read" 3512 MB/s, "Read latency" 82 µs: each row is a metric of its own.
    """
    own = {units.to_base(1.0, number[1])[1] for number in draft.numbers(value) if number}
    texts = [name for name in draft.columns if name != value]
    return texts[0] if len(own) > 1 and "" not in own and len(texts) == 1 and draft.is_text(texts[0]) else ""


@dataclass(frozen=True, slots=True)
class _NamedIn:
    """The columns with the name of the metric of each row, and with its unit, "" without one."""

    name: str
    unit: str

    def stated(self, draft: Draft, text: str) -> list[str]:
        """Return the units of the rows of a metric, [""] if none has one."""
        names = draft.cells[self.name]
        at = [i for i, cell in enumerate(names) if str(cell).strip() == text]
        if self.unit:
            return list(dict.fromkeys(text_of(draft.cells[self.unit][i]) for i in at))
        own = (number_of(draft.cells[draft.named_in[1]][i]) for i in at)
        return list(dict.fromkeys(number[1] for number in own if number)) or [""]

    def meaning(self, draft: Draft, text: str, unit: str) -> ColumnMeaning:
        """Return the meaning of the rows of a metric that state a unit.

        The answer of the user explains a unit that is missing, unknown or unclear, if a metric has only one.
        """
        known = unit_of(unit)
        unclear = [each for each in self.stated(draft, text) if not _is_clear(each)]
        if unit in unclear and len(unclear) == 1 and (answer := draft.answers.get(text)):
            return stated_meaning(text, answer)
        if unit.lower() in _COUNTED:
            return stated_meaning(text, _COUNTED[unit.lower()])
        if self.name != self.unit and not known and _is_kept(unit):
            return stated_meaning(text, unit)
        if self.name == self.unit and known and not meaning_of("", unit).metric:
            return stated_meaning("", unit)
        meaning = meaning_of("" if self.name == self.unit else text, unit if known else "")
        is_unknown = (
            self.name != self.unit
            and meaning.kind in ("figure", "other", "factor")
            and not self.is_read(meaning)
        )
        return _own_metric(text, known, meaning) if known and not known.doubt and is_unknown else meaning

    def is_read(self, meaning: ColumnMeaning) -> bool:
        """Return whether a meaning is a figure, beyond doubt."""
        is_doubtful = meaning.doubt and meaning.doubt != "names no metric"
        return meaning.kind == "figure" and not is_doubtful and bool(meaning.metric)


def _own_metric(text: str, unit: ColumnUnit, meaning: ColumnMeaning) -> ColumnMeaning:
    """Return the figure of a metric without a usual name: its words name it, without a statistic."""
    statistic, _, rest = without_statistic(with_plain_statistic(text))
    own = replace(meaning, kind="figure", metric=slug(rest) or slug(text), unit=unit.unit, scale=unit.scale)
    statistic = extreme(statistic, own.metric, own.unit)
    return replace(own, statistic=statistic, label="", doubt="", is_own=True)


def stating_column(draft: Draft, text: str) -> str:
    """Return the column that states the units of a named metric, "" if it leaves one open that is unclear."""
    named = _named_in(draft)
    stated = named.stated(draft, text)
    unclear = sum(1 for unit in stated if not _is_clear(unit))
    return named.unit if stated and unclear != 1 else ""


def _unit_column(draft: Draft) -> str:
    names = (name for name in draft.columns if not name.startswith(AROUND))
    return next((name for name in names if slug(name) in UNIT_COLUMN), "")


def _named_in(draft: Draft) -> _NamedIn:
    return _NamedIn(draft.named_in[0], _unit_column(draft))


def _is_kept(unit: str) -> bool:
    """Return whether a unit that is not known is one that a definition keeps."""
    return bool(_KEPT.fullmatch(unit)) and not units.misspelt(unit)


def _is_clear(unit: str) -> bool:
    known = unit_of(unit)
    return unit.lower() in _COUNTED or (known is not None and not known.doubt)


def _figures(draft: Draft, named: _NamedIn) -> Columns:
    """Return what the metrics are that a column names; units that it does not state stay open."""
    figures: Columns = []
    for text in dict.fromkeys(str(cell).strip() for cell in draft.known(named.name)):
        meanings = {unit: named.meaning(draft, text, unit) for unit in named.stated(draft, text)}
        read = [meaning for meaning in meanings.values() if named.is_read(meaning)]
        figures += [(text, read[0])] if read else []
        for unit, meaning in meanings.items():
            if meaning.kind == "derived":
                draft.result.left_out[text] = DERIVED
            elif meaning.kind == "spread":
                draft.result.left_out[text] = "the spread of another metric"
            elif meaning not in read:
                is_known = not unit or unit_of(unit)
                asked = question(draft, text, meaning)
                asked = asked if is_known else OpenQuestion(f'its unit "{unit}" is not known')
                rows = " in some rows" if read else ""
                draft.result.open[text] = replace(asked, text=f"{asked.text}{rows}")
    return figures


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
        replace(figure, column=column).of_statistic(statistic)
        for figure in of_value
        for column, statistic in names.items()
    ]
    draft.result.figures = [*others, *every]


def _state_units_of_rows(draft: Draft, named: _NamedIn) -> None:
    """Read each row of a metric in its own unit, if rows differ in it.

    Rows in units of another quantity, or with another scale, are figures of their own.
    """
    figures, draft.result.figures = draft.result.figures, []
    for figure in figures:
        text = dict(figure.where).get(named.name, "")
        stated = named.stated(draft, text) if text and named.unit and named.name != named.unit else []
        if len(stated) < 2:
            draft.result.figures.append(figure)
        elif _are_alike(stated):
            draft.result.figures.append(replace(figure, unit_column=named.unit))
        else:
            draft.result.figures += _by_units(draft, named, figure, stated)


def _are_alike(stated: Sequence[str]) -> bool:
    """Return whether units are of one quantity, in a spelling that is converted row by row."""
    read = [unit_of(unit) for unit in stated]
    are_plain = all(unit and not unit.doubt and unit.scale == 1 for unit in read)
    kinds = {(units.to_base(1.0, unit)[1], units.counted_by(unit)) for unit in stated}
    return are_plain and all(map(units.find, stated)) and len(kinds) == 1


def _by_units(
    draft: Draft, named: _NamedIn, figure: FigureGuess, stated: Sequence[str]
) -> Iterator[FigureGuess]:
    """Yield the figure of a metric for each unit that its rows state."""
    text = dict(figure.where)[named.name]
    for unit in stated:
        meaning = named.meaning(draft, text, unit)
        if named.is_read(meaning):
            own = replace(
                figure, unit=meaning.unit, scale=meaning.scale, where=(*figure.where, (named.unit, unit))
            )
            is_same = (own.item, meaning.base) == (figure.item, units.to_base(1.0, figure.unit)[1])
            yield own if is_same else replace(own, metric=meaning.metric)


def _cases_beside(draft: Draft, name_column: str) -> list[str]:
    """Return the columns of numbers beside the names of metrics, if none has a meaning of its own."""
    others = [name for name in draft.columns if name != name_column and not draft.is_text(name)]
    numbers = [name for name in others if draft.known(name) and meaning_of(name).kind == "other"]
    cases = [name for name in numbers if not _is_statistic(draft, name)]
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


def by_statistic(draft: Draft, column: str, figures: Sequence[FigureGuess]) -> list[FigureGuess]:
    """Return the figures for each statistic that a column names."""
    texts = list(dict.fromkeys(str(cell).strip() for cell in draft.known(column)))
    names = {text: statistic_of(text) for text in texts}
    for text, name in names.items():
        if not name:
            draft.result.left_out[f"{column} = {text}"] = "not a statistic of values"
    draft.result.doubts.append("the statistic is named in a column")
    return [
        replace(figure, where=((column, text),)).of_statistic(name)
        for figure in figures
        for text, name in names.items()
        if name
    ]


def statistic_of(text: str) -> str:
    """Return the statistic that a text is, "" if it is not one of values."""
    meaning = meaning_of(f"latency {text} (ms)")
    if meaning.kind != "figure" or meaning.extra or not meaning.statistic:
        return ""
    return without_statistic(with_plain_statistic(text))[0]
