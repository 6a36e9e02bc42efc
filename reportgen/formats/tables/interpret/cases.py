"""Make figures of columns, and factors of the words in which the names of columns of one metric differ."""

import re
from collections.abc import Sequence
from dataclasses import replace
from statistics import median

from reportgen.core import units
from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.metrics import METRICS
from reportgen.formats.tables.case_kinds import count_word, kind_of, numbered, parts_of
from reportgen.formats.tables.column_words import (
    QUALITY_WORDS,
    ColumnMeaning,
    factor_name,
    meaning_of,
    slug,
    words_of,
)
from reportgen.formats.tables.extremes import extreme
from reportgen.formats.tables.interpret.captions import stated_metric
from reportgen.formats.tables.interpret.chosen import SHARES, is_setting, may_be_result, unit_per_item
from reportgen.formats.tables.interpret.draft import MAX_FIGURES, NEAR, VALUE_COLUMN, Draft
from reportgen.formats.tables.interpret.questions import (
    NOT_STATED,
    SETTING_OR_RESULT,
    OpenQuestion,
    may_be_load,
    of_cells,
    of_doubt,
    of_unit,
)
from reportgen.formats.tables.interpret.reading import FigureGuess
from reportgen.formats.tables.interpret.roles import add_factor, corner_names, factor_of
from reportgen.formats.tables.levels import BASELINES
from reportgen.formats.tables.likely_units import likely_unit
from reportgen.formats.tables.stated_units import without_unit

# The name of the second column with one name.
_REPEATED = lazy_pattern(r"\.[0-9]+$")
# How the question about a share ends whose numbers are rather not in %.
_FRACTIONS = "; most of its numbers are at most 1"
_LARGE_SHARES = "; most of its numbers are above 100"
_OPEN_METRIC = "its metric and unit are not stated"
#: The question that is asked once for all names of statistics alone.
ONE_METRIC = OpenQuestion(f"a statistic of one metric? {_OPEN_METRIC}", is_shared=True)
_PERCENT = 100
# Fewer columns with numbers of one size may be of several metrics.
_MIN_CASES = 3
# Words of times that alone name no metric, but distinguish several times.
_PARTS_OF_RUNS = {"train", "training", "run", "end"}


def add_cases(draft: Draft, figures: list[tuple[str, ColumnMeaning]], unknown: list[str]) -> None:
    """Add the figures; columns that differ in one word are cases of one metric."""
    named = [pair for pair in _of_one_time(figures) if not _ask(draft, *pair)]
    for column, _ in named[MAX_FIGURES:]:
        draft.result.open[column] = of_cells(f"one of more than {MAX_FIGURES} figures")
        draft.result.doubts.append("too many figures")
    named = named[:MAX_FIGURES]
    groups: dict[tuple[object, ...], list[tuple[str, ColumnMeaning]]] = {}
    for column, meaning in named:
        key = (meaning.metric or meaning.base, meaning.base, meaning.item, meaning.statistic, meaning.phase)
        groups.setdefault(key, []).append((column, meaning))
    kinds = [(case_factor([name], [x.label]), x.label) for name, x in named if x.label]
    values: dict[str, set[str]] = {}
    for (kind, own), _ in kinds:
        values.setdefault(kind, set()).add(own[0].lower())
    for _, meaning in named:
        draft.labels.setdefault(_quantity(meaning), set()).add(meaning.label)
    draft.figure_factors = {kind for kind, known in values.items() if kind and len(known) > 1}
    for group in groups.values():
        _group(draft, group)
    _unknown(draft, unknown)


def _of_one_time(figures: list[tuple[str, ColumnMeaning]]) -> list[tuple[str, ColumnMeaning]]:
    """Return figures with one metric for bare statistics of times: "p99" in ms and "Maximum" in s."""
    bare = [x for _, x in figures if x.statistic and x.doubt == "names no metric" and not x.extra]
    if {x.metric for x in bare} != {"latency", "run_time"}:
        return figures
    return [(column, replace(x, metric="latency") if x in bare else x) for column, x in figures]


def _ask(draft: Draft, column: str, meaning: ColumnMeaning) -> bool:
    """Leave a column open whose metric or unit is not known; True if it is."""
    if column in draft.answers and meaning.unit:
        return False
    if meaning.unit and meaning.metric and (not meaning.doubt or meaning.doubt == "names no metric"):
        return False
    is_time = not meaning.metric and meaning.base == "s" and bool(meaning.extra)
    if is_time and meaning.doubt != SETTING_OR_RESULT:
        return False
    draft.result.open[column] = question(draft, column, meaning)
    return True


def question(draft: Draft, column: str, meaning: ColumnMeaning) -> OpenQuestion:
    """Return the question about a column that stays open."""
    if meaning.kind != "figure":
        return OpenQuestion("names no known metric")
    key = draft.named_by_key(column)
    asked = of_doubt(column, meaning, draft.columns)
    if key != column:
        asked = replace(asked, text=f'{asked.text}; it is "{key}"', name=key)
    return _of_share(draft, column, asked)


def _of_share(draft: Draft, column: str, asked: OpenQuestion) -> OpenQuestion:
    """Return the question about a column; of a share it says where its numbers are rather not in %."""
    size = _size_of_share(draft, column)
    return replace(asked, text=f"{asked.text}{size}", unit="1") if size else asked


def _size_of_share(draft: Draft, column: str) -> str:
    is_share = column in draft.cells and bool((SHARES | QUALITY_WORDS) & set(words_of(column)))
    is_share = is_share and not may_be_load(column)
    values = draft.values(column) if is_share else []
    if not values or min(values) < 0:
        return ""
    return _FRACTIONS if median(values) <= 1 else _LARGE_SHARES if median(values) > _PERCENT else ""


def _group(draft: Draft, group: list[tuple[str, ColumnMeaning]]) -> None:
    """Add columns of one metric, statistic and unit: one column, or one for each case."""
    labels = [meaning.label for _, meaning in group]
    kind, values = case_factor([column for column, _ in group], labels)
    if not kind and all(labels) and (parts := parts_of(labels)):
        for (column, meaning), factors in zip(group, parts, strict=True):
            _figure(draft, column, _with_metric(meaning), factors)
        _note_parts(draft, labels, parts[0])
        return
    if len(group) == 1:
        _single(draft, *group[0], kind, values[0])
        return
    are_distinct = all(labels) and len(set(labels)) == len(labels)
    is_one = draft.has_ratios or bool(BASELINES & set(map(str.lower, labels)))
    if kind or (are_distinct and (is_one or all(meaning.metric for _, meaning in group))):
        factor = kind if kind and kind not in draft.result.factors else "variant"
        for (column, meaning), value in zip(group, values, strict=True):
            _figure(draft, column, _with_metric(meaning), ((factor, value),))
        role = "repeats" if factor == "repeat" else f'values of the factor "{factor}"'
        draft.result.notes.append(f"{', '.join(labels)}: read as {role}")
        draft.note_nameless(factor, () if kind else labels)
        if not kind:
            draft.result.doubts.append("columns of one metric differ in words")
        return
    if own := _named_times(group):
        for column, meaning in own:
            _single(draft, column, meaning, "", "")
        return
    names = ", ".join(column for column, _ in group)
    if own_names := _own_names(group):
        for (column, meaning), name in zip(group, own_names, strict=True):
            _figure(draft, column, replace(_with_metric(meaning), metric=_free(name, meaning)), ())
        draft.result.notes.append(f"{names} have the same metric: they are called by their names")
        draft.result.doubts.append(f"{names} have the same metric")
        return
    for column, _ in group:
        draft.result.open[column] = OpenQuestion(f"several columns have the same metric: {names}")
    draft.result.doubts.append(f"{names} have the same metric")


def _own_names(group: Sequence[tuple[str, ColumnMeaning]]) -> list[str]:
    """Return the metrics that columns of one metric are by their own words; [] if two have the same words."""
    if any(_REPEATED.search(column) for column, _ in group):
        return []
    plain = [slug(without_unit(column, meaning.unit)) for column, meaning in group]
    whole = [slug(column) for column, _ in group]
    return next((names for names in (plain, whole) if all(names) and len(set(names)) == len(group)), [])


def _free(name: str, meaning: ColumnMeaning) -> str:
    """Return the name of a metric, unless another one with another unit has it."""
    return name if name not in METRICS or METRICS[name].unit == meaning.base else f"{name}_{meaning.metric}"


def _note_parts(draft: Draft, names: Sequence[str], factors: Sequence[tuple[str, str]]) -> None:
    shown = '" and "'.join(name for name, _ in factors)
    role = f"the factor{'s' if len(factors) > 1 else ''}"
    draft.result.notes.append(f'{", ".join(names)}: read as values of {role} "{shown}"')


def _named_times(group: Sequence[tuple[str, ColumnMeaning]]) -> list[tuple[str, ColumnMeaning]]:
    """Return times that are metrics of their own by the words of their names; [] if two have the same words.

    One may have no words of its own: the time of all, such as `total_s` beside `train_s`.
    """
    if not all(meaning.base == "s" for _, meaning in group):
        return []
    own = []
    for column, meaning in group:
        words = [word for word in words_of(column) if word in _PARTS_OF_RUNS] if not meaning.label else []
        label = " ".join(words) if meaning.doubt else ""
        own.append((column, replace(meaning, label=label) if label else meaning))
    labels = [slug(meaning.label) for _, meaning in own]
    are_words = all(_has_word(meaning.label) or (meaning.metric and not meaning.label) for _, meaning in own)
    return own if are_words and len(set(labels)) == len(labels) else []


def _single(draft: Draft, column: str, meaning: ColumnMeaning, kind: str, value: str) -> None:
    """Add the only column of its metric and statistic; the words beside them are not a factor of it.

    A usual value, as in `train_samples_per_sec`, is that of all figures, unless others differ in it.
    """
    label = meaning.label
    is_free = bool(kind) and kind not in draft.result.factors
    if not label:
        _figure(draft, column, meaning, ())
    elif column in draft.answers and (shared := _factor_of_siblings(draft, _with_metric(meaning))):
        _figure(draft, column, replace(_with_metric(meaning), doubt=""), ((shared, label),))
    elif is_free and (kind in draft.figure_factors or value.isdigit() or column in draft.answers):
        _figure(draft, column, _with_metric(meaning), ((kind, value),))
    elif is_free and value.lower() not in ("cpu", "gpu"):
        draft.result.constants[kind] = value
        _figure(draft, column, _with_metric(meaning), ())
    elif meaning.base == "s" and _has_word(label) and (not meaning.metric or meaning.doubt):
        words = [word for word in words_of(label) if word != "time"]
        own = replace(meaning, metric=f"{'_'.join(words)}_time", doubt="")
        draft.result.notes.append(
            f'"{column}" becomes the metric {own.metric}; neither direction of it is better'
        )
        if meaning.doubt:
            draft.result.doubts.append(f'"{column}" {meaning.doubt}')
        _figure(draft, column, own, ())
    elif column in draft.cases:
        _figure(draft, column, meaning, (("variant", label),))
    elif len(draft.labels.get(_quantity(meaning), ())) > 1 or label.lower() == "peak":
        draft.result.doubts.append(f'"{label}" in "{column}" is not clear')
        draft.result.notes.append(f'"{column}" is the {meaning.metric} of the variant "{label}"')
        _figure(draft, column, _with_metric(meaning), (("variant", label),))
    else:
        draft.result.doubts.append(f'"{label}" in "{column}" is not clear')
        metric = _with_metric(meaning).metric
        draft.result.notes.append(
            f'"{column}" is read as {metric}; the word "{label}" in its name is left out'
        )
        _figure(draft, column, _with_metric(meaning), ())


def _quantity(meaning: ColumnMeaning) -> tuple[str, ...]:
    """Return what columns share that differ in their statistic, or in other words, alone."""
    return meaning.metric or meaning.base, meaning.base, meaning.item, meaning.phase


def _factor_of_siblings(draft: Draft, meaning: ColumnMeaning) -> str:
    """Return the factor in whose values the other figures of a metric differ, "" without one."""
    own = (meaning.metric, meaning.phase, meaning.statistic, meaning.base)
    factors = {
        figure.factors[0][0] if len(figure.factors) == 1 else ""
        for figure in draft.result.figures
        if own == (figure.metric, figure.phase, figure.statistic, units.to_base(1.0, figure.unit)[1])
    }
    return factors.pop() if len(factors) == 1 else ""


def _figure(draft: Draft, column: str, meaning: ColumnMeaning, factors: tuple[tuple[str, str], ...]) -> None:
    if meaning.doubt:
        draft.result.doubts.append(f'"{column}" {meaning.doubt}')
        draft.result.notes.append(f'"{column}" names no metric: {meaning.metric} is assumed from its unit')
    if meaning.may_be_binary and column not in draft.answers:
        draft.result.doubts.append(f'"{column}" may be of 1024')
        other = f"{meaning.unit[0].upper()}iB"
        draft.result.notes.append(
            f'"{column}" is in {meaning.unit}, of 1000, as it says; if it means {other}, state it'
        )
    name_column, value = draft.named_in
    if name_column and column not in draft.cells:  # other columns may be beside it
        _add(draft, _guess(value, meaning, factors, where=((name_column, column),)))
        return
    row = draft.row_units.get(column)
    is_bare = not meaning_of(column, draft.units.get(column, "")).unit
    guess = _guess(column, meaning, factors)
    if row and is_bare:
        plain = replace(guess, unit=row.unit, scale=1.0) if guess.scale != 1 else guess
        guess = replace(plain, unit_column=row.column)
    _add(draft, guess)


def _add(draft: Draft, figure: FigureGuess) -> None:
    if _is_taken(draft, figure) and figure.column in draft.answers:
        figure = replace(figure, metric=slug(figure.column).strip("%_"))
    if _is_taken(draft, figure):
        text = f"another column has the same metric, {figure.metric}"
        draft.result.open[figure.column] = OpenQuestion(text)
        draft.result.doubts.append(f"two columns have the metric {figure.metric}")
        return
    draft.result.figures.append(figure)


def _is_taken(draft: Draft, figure: FigureGuess) -> bool:
    return any(known.kind == figure.kind and known.item == figure.item for known in draft.result.figures)


def _unknown(draft: Draft, unknown: list[str]) -> None:
    """Sort the columns of numbers whose names say nothing: settings, cases of one metric, or open."""
    unknown = _read_stated(draft, unknown)
    cases = [x for x in unknown if not is_setting(draft, x) and not meaning_of(x).statistic]
    kind = _factor_of_names(cases) if len(cases) > 1 else ""
    matrix = [] if kind or draft.result.figures else [x for x in cases if x in draft.cases]
    if matrix := matrix if _are_of_one_size(draft, matrix) else []:
        cases = matrix
    if kind or matrix:
        are_shares = all(_size_of_share(draft, column) for column in cases)
        of = f"the factor {kind}" if kind else f"one metric, as {len(cases) - 1} other columns"
        text = f"a case of {of}? {_OPEN_METRIC}{_FRACTIONS if are_shares else ''}"
        asked = OpenQuestion(text, "1" if are_shares else "", is_shared=True, is_of_cases=True)
        draft.result.open |= dict.fromkeys(cases, asked)
        unknown = [column for column in unknown if column not in cases]
    for column in unknown:
        if is_setting(draft, column) and not may_be_result(draft, column):
            add_factor(draft, factor_of(draft, column, ColumnMeaning("other")), column)
            draft.result.doubts.append(f'"{column}" may be a setting or a result')
            draft.result.notes.append(f'"{column}" is read as a factor; if it is a result, state its unit')
        else:
            draft.result.open[column] = _unstated(draft, column, unknown)
            draft.result.doubts.append(f'"{column}" may be a setting or a result')


def _are_of_one_size(draft: Draft, columns: Sequence[str]) -> bool:
    """Return whether at least _MIN_CASES columns have numbers of one form and size, and names of one unit.

    An answer holds for all cases, so "quality" beside "wall time" is not one.
    """
    middles = [median(draft.values(column)) for column in columns]
    is_near = (
        len(columns) >= _MIN_CASES
        and len(set(map(likely_unit, columns))) == 1
        and 0 < max(middles) < NEAR * min(middles)
    )
    return is_near and len(set(map(draft.is_whole, columns))) == 1


def _unstated(draft: Draft, column: str, unknown: Sequence[str]) -> OpenQuestion:
    """Return the question about a column of numbers whose name says no metric.

    unknown  all of them; of several cases, each has the same statistic
    """
    meaning = meaning_of(column)
    if meaning.statistic:
        alike = [name for name in unknown if _is_case_of_statistic(name, meaning)]
        is_one = not meaning.extra or (column in alike and len(alike) > 1)
        return ONE_METRIC if is_one else OpenQuestion(f"a statistic? {_OPEN_METRIC}")
    if unit := draft.unit_of_cells(column):
        return of_unit(unit)
    asked = OpenQuestion(f"{SETTING_OR_RESULT} {NOT_STATED}", unit_per_item(column), takes_setting=True)
    return _of_share(draft, column, asked)


def _is_case_of_statistic(name: str, meaning: ColumnMeaning) -> bool:
    """Return whether a name is a case of a metric, "mean A" beside "mean B", and no quantity: "mean time"."""
    own = meaning_of(name)
    return own.statistic == meaning.statistic and bool(own.extra) and likely_unit(" ".join(own.extra)) == "1"


def _read_stated(draft: Draft, unknown: list[str]) -> list[str]:
    """Add figures of the metric that the texts around a table state; return the columns that are not of it.

    The names of the columns are statistics, cases, or say nothing, as "value".
    """
    stated = None if draft.result.figures else stated_metric(draft)
    cases = [column for column in unknown if not is_setting(draft, column)]
    if cases and _may_be_key(draft, cases[0]) and not _are_alike(cases):
        first, *cases = cases
        if not _differs(draft, first, cases):
            return unknown
    if stated is None or not cases:
        return unknown
    meaning, text = replace(stated[0], doubt=""), stated[1]
    statistics = [meaning_of(column) for column in cases]
    kind, values = _named_cases(draft, cases)
    parts = [] if kind or len(cases) < 2 else parts_of(cases)
    if all(each.statistic and not each.extra for each in statistics):
        for column, own in zip(cases, statistics, strict=True):
            statistic = extreme(own.statistic, meaning.metric, meaning.unit)
            _figure(draft, column, replace(meaning, statistic=statistic), ())
    elif len(cases) == 1 and slug(cases[0]) in VALUE_COLUMN:
        _figure(draft, cases[0], meaning, ())
    elif parts:
        for column, factors in zip(cases, parts, strict=True):
            _figure(draft, column, meaning, factors)
        _note_parts(draft, cases, parts[0])
    elif len(cases) > 1 and (kind or len(cases) == len(unknown) or set(cases) <= set(draft.cases)):
        for column, value in zip(cases, values, strict=True):
            _figure(draft, column, meaning, ((kind or "case", value),))
        shown = f"{meaning.metric} in {meaning.unit}"
        draft.result.notes.append(f'{", ".join(cases)}: read as values of "{kind or "case"}", of {shown}')
    else:
        return unknown
    draft.result.doubts.append("the metric is stated beside the columns")
    if text not in draft.columns and not draft.table.is_json:
        draft.result.files = draft.table.name
    return [column for column in unknown if column not in cases]


def _are_alike(names: Sequence[str]) -> bool:
    """Return whether names are values of one factor, or one word with different numbers."""
    words = {re.sub("[0-9]+", "", name).strip().lower() for name in names}
    return bool(_factor_of_names(names)) or len(words) == 1 < len(names)


def _differs(draft: Draft, column: str, cases: Sequence[str]) -> bool:
    """Return whether a column is none of these cases: they have one factor, or numbers of another form."""
    return bool(cases) and (bool(_factor_of_names(cases)) or not all(map(draft.is_whole, cases)))


def _may_be_key(draft: Draft, column: str) -> bool:
    """Return whether a first column has another whole number in each row, and no factor has them apart."""
    values = draft.values(column)
    are_distinct = draft.is_whole(column) and 1 < len(set(values)) == len(draft.records)
    return column == draft.columns[0] and len(draft.columns) > 1 and are_distinct and not draft.result.factors


def _factor_of_names(names: Sequence[str]) -> str:
    """Return the factor or the factors that names are values of, "" without a usual one."""
    counted = numbered(names)
    kind = counted[0] if counted else kind_of(names)
    return kind or next((" and ".join(name for name, _ in each) for each in parts_of(names)), "")


def _named_cases(draft: Draft, columns: list[str]) -> tuple[str, Sequence[str]]:
    """Return the factor that the names of columns are values of, "" without one, and the values.

    The corner of a table may name it, after that of the first column: "batch \\ tp".
    """
    counted = numbered(columns)
    if counted or all(map(str.isdigit, columns)):
        corner = corner_names(draft.columns[0])
        return counted or (factor_name(corner[1]) if corner else "", columns)
    return kind_of(columns), columns


def _guess(
    column: str,
    meaning: ColumnMeaning,
    factors: tuple[tuple[str, str], ...] = (),
    where: tuple[tuple[str, str], ...] = (),
    unit_column: str = "",
) -> FigureGuess:
    """Return the figure of a column by its meaning."""
    return FigureGuess(
        column,
        meaning.metric,
        meaning.unit,
        meaning.scale,
        meaning.statistic,
        meaning.phase,
        factors,
        where,
        unit_column,
    )


def case_factor(columns: Sequence[str], labels: Sequence[str]) -> tuple[str, Sequence[str]]:
    """Return the factor that the words in names of columns are values of, "" without one, and the values."""
    if not all(labels):
        return "", labels
    if counted := numbered(labels):
        return counted
    if len(labels) > 1 and all(label.isdigit() for label in labels):
        return kind_of(labels) or count_word(columns[0]), labels
    return kind_of(labels), labels


def _with_metric(meaning: ColumnMeaning) -> ColumnMeaning:
    """Return a time without a metric as a latency or a time of a run, by its unit."""
    if meaning.metric:
        return meaning
    metric = "latency" if meaning.unit in ("ns", "us", "ms") else "run_time"
    return replace(meaning, metric=metric, doubt="names no metric")


def _has_word(label: str) -> bool:
    """Return whether a label is more than a number; a repeated header has one."""
    return bool(re.search(r"[^\W\d_]", label))
