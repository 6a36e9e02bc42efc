"""Understand tables with a column for each figure: what each column is, by its name and its cells."""

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import pairwise

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.formats.parsing import json_values
from reportgen.formats.parsing.timestamps import wall_time
from reportgen.formats.tables.column_units import shows_hours_alone
from reportgen.formats.tables.column_words import ColumnMeaning, factor_name, meaning_of, slug, words_of
from reportgen.formats.tables.definition import SAMPLE, statistic_name
from reportgen.formats.tables.derive import (
    is_about,
    is_clock,
    spelled,
    spread_of,
    statistic_after,
    without_unit,
)
from reportgen.formats.tables.interpret.alike import find_cases
from reportgen.formats.tables.interpret.cases import ONE_METRIC, add_cases
from reportgen.formats.tables.interpret.cells import is_fault, number_in, number_of
from reportgen.formats.tables.interpret.chosen import are_steps, is_setting
from reportgen.formats.tables.interpret.contradictions import ask_about_units
from reportgen.formats.tables.interpret.described import read_described
from reportgen.formats.tables.interpret.draft import AROUND, STATISTIC_COLUMN, Columns, Draft
from reportgen.formats.tables.interpret.figure_units import (
    with_computed_units,
    with_sibling_units,
    with_stated_units,
    without_doubles,
)
from reportgen.formats.tables.interpret.long import by_statistic, statistic_of
from reportgen.formats.tables.interpret.meaning import column_meaning
from reportgen.formats.tables.interpret.questions import OpenQuestion, of_cells, of_unit
from reportgen.formats.tables.interpret.roles import (
    add_factor,
    add_member_names,
    add_role,
    add_titles,
    factor_of,
)
from reportgen.formats.tables.interpret.status import add_faults
from reportgen.formats.tables.interpret.texts import (
    is_packed,
    minutes_or_hours,
    question_about,
    question_about_counts,
    question_about_magnitudes,
    question_about_multiples,
    question_about_ratios,
    several_numbers,
)
from reportgen.formats.tables.interpret.windows import without_windows
from reportgen.formats.tables.likely_units import likely_unit
from reportgen.formats.tables.multiples import shortened, without_multiple
from reportgen.formats.tables.records import GROUP, TITLE
from reportgen.formats.tables.stated_units import named_unit, stated_meaning

_DURATIONS = frozenset(
    (
        *(
            "duration",
            "elapsed",
            "epoch",
            "runtime",
            "total",
            "wall",
            "walltime",
            "train",
            "training",
            "took",
        ),
        *("laufzeit", "per", "run", "job", "wallclock"),
    )
)

# "p99", "Maximum"; "10%" is rather a level.
_MAY_BE_STATISTIC = lazy_pattern(r"[^\W\d][^%]{1,20}")
# "10-12 ms", "2.5\u20133.5 s"
_RANGE = lazy_pattern(r"[~≈]?\s*[0-9][0-9.,]*\s*(?:[a-zA-Zµ%]{1,8}\s*)?(?:[-\u2013\u2014]|\bto\b)\s*[0-9]")
# "p99_per_run"
_OF_EACH_RUN = lazy_pattern(r"(?i)[_ .]per[_ ](?:run|rep(?:eat)?|trial|seed)s?(?![a-z])")
# A longer text beside all rows is a remark.
_LONGEST_CASE = 100
# A larger size is one of bytes that was measured.
_LARGEST_CHOSEN = 10**6


def read_wide(draft: Draft) -> None:
    """Understand a table with a column for each figure."""
    figures: Columns = []
    unknown: list[str] = []
    find_cases(draft)
    draft.statistic = next((name for name in draft.columns if _names_statistics(draft, name)), "")
    for column in draft.columns:
        if column == draft.statistic:
            continue
        sort_column(draft, column, figures, unknown)
    read_described(draft, figures, unknown)
    figures = with_stated_units(draft, figures, unknown)
    figures = with_sibling_units(draft, figures, unknown)
    figures = with_computed_units(draft, figures)
    add_cases(draft, without_windows(draft, without_doubles(draft, figures)), unknown)
    if draft.statistic:
        draft.result.figures = by_statistic(draft, draft.statistic, draft.result.figures)


def read_beside(draft: Draft, columns: Sequence[str]) -> None:
    """Give the columns beside the names and the values of metrics their roles: results are figures, too.

    Numbers that recur, as settings do, are asked about if their name is one of a result.
    """
    figures: Columns = []
    for column in columns:
        meaning = meaning_of(column)
        is_measured = meaning.kind == "figure" and bool(meaning.unit) and not column.startswith(AROUND)
        if not is_measured or draft.is_text(column) or not draft.known(column):
            add_role(draft, column, meaning)
        elif draft.is_constant(column) or len(set(draft.values(column))) < len(draft.values(column)):
            draft.result.open[column] = of_unit(meaning.unit)
            draft.result.doubts.append(f'"{column}" may be a setting or a result')
        else:
            sort_column(draft, column, figures, [])
    add_cases(draft, figures, [])
    beside = set(columns)
    for column in dict.fromkeys(x.column for x in draft.result.figures if x.column in beside):
        add_faults(draft, column)


def _names_statistics(draft: Draft, column: str) -> bool:
    """Return whether the texts of a column are statistics of the figures beside them."""
    if slug(column) in STATISTIC_COLUMN:
        return draft.is_text(column)
    if column not in (draft.columns[0], "*") or column.startswith(AROUND):
        return False
    is_corner = draft.table.rows.transposed and column == draft.columns[0]
    texts = {cell if isinstance(cell, str) else "" for cell in draft.known(column)}
    if not all(map(_MAY_BE_STATISTIC.fullmatch, texts)):
        return False
    statistics = [text for text in texts if statistic_of(text)]
    spreads = [text for text in texts if meaning_of(text).kind == "spread"]
    return len(statistics) > (not is_corner) and len(statistics) + len(spreads) == len(texts)


def sort_column(draft: Draft, column: str, figures: Columns, unknown: list[str]) -> None:
    """Give a column its role, or add it to the figures or to the numbers whose names say nothing."""
    known = draft.known(column)
    if not known:
        draft.result.left_out[column] = "empty"
        return
    if re.search(r"\{\w+\}", column) or not _is_writable(column):
        draft.result.left_out[column] = "a definition cannot have its name"
        draft.result.doubts.append(f"{column!r} cannot be written")
        return
    if any(isinstance(cell, list) for cell in known):
        _lists(draft, column, figures)
        return
    if column.rpartition("/")[2] == "*" or (draft.table.rows.transposed and column == draft.columns[0]):
        add_member_names(draft, column)
        return
    meaning = column_meaning(draft, column)
    if column in draft.unit_columns:
        draft.result.left_out[column] = "the unit of other columns"
        return
    is_spelled = draft.is_text(column) or shows_hours_alone(draft.clock_of(column))
    if meaning.kind in ("figure", "spread", "derived") and is_spelled:
        text_meaning = _of_texts(draft, column, meaning)
        if text_meaning is None:
            return
        meaning = text_meaning
    if column.startswith(AROUND):
        _about(draft, column, meaning)
    elif _is_load(draft, column, meaning):
        add_factor(draft, "request_rate", column)
        draft.result.doubts.append(f'"{column}" may be a result')
        draft.result.notes.append(f'"{column}" grows in steps before the results: it is read as the load')
    elif meaning.kind == "figure" and not _is_chosen(draft, column, meaning):
        _add_figure(draft, column, meaning, figures)
    elif meaning.kind in ("figure", "other") and not draft.is_text(column) and not draft.are_truths(column):
        unknown.append(column)
    else:
        _add_text(draft, column, meaning)


def _add_figure(draft: Draft, column: str, meaning: ColumnMeaning, figures: Columns) -> None:
    """Add a column of numbers, unless its unit is stated twice."""
    if twice := ask_about_units(draft, column) or question_about_multiples(draft, column, meaning):
        draft.result.open[column] = twice
        draft.result.doubts.append(f'the unit of "{column}" is stated twice')
        return
    figures.append((column, meaning))
    _take_statistic(draft, column, figures)
    _note_remarks(draft, column)


def _take_statistic(draft: Draft, column: str, figures: Columns) -> None:
    """Take the statistic of the last figure from its cells, "9.34 tok/s mean"; ask if they state several.

    A mean, or a total, may be beside numbers without a word.
    """
    meaning = figures[-1][1]
    words = {statistic_after(str(cell)): str(cell) for cell in draft.known(column) if number_of(cell)}
    statistics = {statistic_name(word) for word in words.keys() - {"", "total"}}
    is_mixed = len(words) > 1 and bool(statistics - {"mean"} or (statistics and "total" in words))
    if is_mixed or len(statistics | {meaning.statistic} - {""}) > 1:
        figures.pop()
        text = "its cells state different statistics: write each in a column of its own"
        draft.result.open[column] = of_cells(text)
        draft.result.doubts.append(f'"{column}" has several statistics')
    elif words.keys() - {""}:
        taken = statistics if len(words) == 1 else ()
        figures[-1] = column, replace(meaning, statistic="".join(taken) or meaning.statistic)
        text = next(text for word, text in words.items() if word)
        what = "its statistic" if taken else "not read"
        draft.result.notes.append(f'"{text[:40]}" in column "{column}": the word behind the unit is {what}')


def _add_text(draft: Draft, column: str, meaning: ColumnMeaning) -> None:
    """Ask about texts that may be times, counts or ratios; others, and settings, have a role."""
    is_open = meaning.kind == "other"
    about_texts = (question_about, question_about_counts, question_about_magnitudes, question_about_ratios)
    questions = about_texts if is_open else ()
    question = next((asked for about in questions if (asked := about(draft, column))), None)
    question = (
        of_unit(draft.unit_of_cells(column)) if _has_unit_of_results(draft, column, meaning) else question
    )
    if question:
        draft.result.open[column] = question
        draft.result.doubts.append(f'"{column}" may be a result')
    else:
        add_role(draft, column, meaning)


def _lists(draft: Draft, column: str, figures: Columns) -> None:
    """Take the lists of a column as values of a figure, unless they are the rows themselves."""
    items = (item for cell in draft.known(column) for item in json_values.items(cell))
    if not (column.startswith(AROUND) and any(isinstance(item, dict) for item in items)):
        _samples(draft, column, figures)


def _samples(draft: Draft, column: str, figures: Columns) -> None:
    """Take the lists of a column as values of a figure that was measured several times."""
    meaning = _of_lists(draft, column)
    items = [item for cell in draft.known(column) for item in json_values.items(cell)]
    is_clear = meaning.kind == "figure" and meaning.metric and meaning.unit and not meaning.statistic
    are_numbers = bool(items) and all(map(json_values.is_number, items)) and not column.startswith(AROUND)
    if is_clear and are_numbers and (others := _lists_beside(draft, column)):
        text = f'are its numbers samples, or one for each of "{others[0]}"?'
        draft.result.open[column] = of_cells(text)
        draft.result.doubts.append("a list may belong to another")
    elif is_clear and are_numbers:
        figures.append((column, replace(meaning, statistic=SAMPLE)))
        draft.result.doubts.append("a list has the values of a figure")
    elif are_numbers and _OF_EACH_RUN.search(column) and meaning_of(column).statistic:
        draft.result.open[column] = ONE_METRIC
        draft.result.doubts.append("a list has statistics of one run each")
    else:
        draft.result.left_out[column] = "lists"


def _of_lists(draft: Draft, column: str) -> ColumnMeaning:
    """Return the meaning of a column of lists; a list of the p99 of each run is of the metric latency_p99."""
    each = _OF_EACH_RUN.sub("", column)
    if each == column:
        return column_meaning(draft, column) if column in draft.answers else meaning_of(column)
    answer = draft.answers.get(column, "")
    meaning = stated_meaning(each, answer) if answer else meaning_of(each)
    own = f"{meaning.metric}_{slug(meaning.statistic)}" if meaning.metric and meaning.statistic else ""
    return replace(meaning, metric=own or meaning.metric, statistic="", doubt="")


def _lists_beside(draft: Draft, column: str) -> list[str]:
    """Return the columns with lists as long as the lists of a column, if their names are not figures."""
    lengths = {len(cell) for cell in draft.known(column) if isinstance(cell, list)}
    return [
        name
        for name in draft.columns
        if name != column
        and meaning_of(name.rpartition(".")[2]).kind != "figure"
        and any(
            isinstance(cell, list) and len(cell) in lengths and len(cell) > 1 for cell in draft.known(name)
        )
    ]


def _is_load(draft: Draft, column: str, meaning: ColumnMeaning) -> bool:
    """Return whether a rate of requests is the load that was offered: whole, growing, before all results."""
    is_turned = draft.table.is_json or draft.table.rows.transposed
    if meaning.metric != "request_throughput" or meaning.statistic or is_turned or draft.answers:
        return False
    own = [name for name in draft.columns if not draft.is_text(name)]
    is_first = own[:1] == [column] and len(own) > 1
    values = draft.values(column)
    grows = len(values) > 1 and all(a < b for a, b in pairwise(values))
    return is_first and grows and are_steps(values)


def _has_unit_of_results(draft: Draft, column: str, meaning: ColumnMeaning) -> bool:
    """Return whether a column that is not called a result has the unit of a result beside it in its cells."""
    if meaning.kind in ("figure", "other", "spread", "derived", "started") or column in draft.answers:
        return False
    unit, values = draft.unit_of_cells(column), draft.values(column)
    if not unit or draft.is_text(column) or are_steps(values) or 2 * len(set(values)) <= len(values):
        return False
    others = [name for name in draft.columns if name != column and draft.unit_of_cells(name) == unit]
    return any(meaning_of(name, unit).kind in ("figure", "other") for name in others)


def _is_chosen(draft: Draft, column: str, meaning: ColumnMeaning) -> bool:
    """Return whether sizes or clocks, which may be settings or results, are rather chosen than measured."""
    if not meaning.is_own or meaning.base not in ("B", "Hz") or column in draft.answers:
        return False
    if meaning.doubt:
        return False  # it is asked for
    draft.result.doubts.append(f'"{column}" may be a setting or a result')
    return is_setting(draft, column)


def _note_remarks(draft: Draft, column: str) -> None:
    """Note texts beside numbers that are left out, and numbers that are stated as approximate."""
    if about := next((str(cell) for cell in draft.known(column) if is_about(str(cell))), ""):
        draft.result.notes.append(
            f'"{about[:40]}" in column "{column}" is read as a number; it is approximate'
        )
        draft.result.doubts.append(f'"{column}" has approximate numbers')
    spread = next((str(cell) for cell in draft.known(column) if spread_of(cell, "1")), "")
    if spread and number_of(spread):
        draft.result.notes.append(
            f'"{spread[:40]}" in column "{column}": the number behind ± is kept as its spread'
        )
    beside = next((str(cell) for cell in draft.known(column) if str(cell).strip().endswith(")")), "")
    if beside and number_of(beside):
        draft.result.notes.append(f'"{beside[:40]}" in column "{column}": what is in parentheses is not read')
        draft.result.doubts.append(f'"{column}" has numbers in parentheses')


def _of_texts(draft: Draft, column: str, meaning: ColumnMeaning) -> ColumnMeaning | None:
    """Return what a column with the name of a figure is whose cells are texts; None if it stays open."""
    known = draft.known(column)
    digits = [str(cell) for cell in known if re.match(r"[-+±~<>≈=$€]*\s*[0-9]", str(cell))]
    if meaning.kind == "derived":
        digits += [str(cell) for cell in known if re.match(r"\s*[x×*]\s*[0-9]", str(cell))]
    are_numbers = len(digits) * 2 > len(known)
    if meaning.kind == "figure" and are_numbers:
        own = meaning if _have_its_unit(known, meaning.unit) else _spelled(draft, column, meaning)
        if own is None and column in draft.answers and any(number_in(cell, meaning.unit) for cell in known):
            return meaning
        if own is None:
            _open_text(draft, column, next((text for text in digits if not number_of(text)), digits[0]))
        return own
    if meaning.kind == "figure" and is_packed(map(str, known)):
        draft.result.open[column] = several_numbers(known)
        draft.result.doubts.append(f'the cells of "{column}" are not numbers')
        return None
    if not are_numbers and (meaning.kind != "figure" or not all(map(is_fault, known))):
        return ColumnMeaning("factor", factor=factor_name(column))
    return meaning


def _have_its_unit(cells: Sequence[object], unit: str) -> bool:
    """Return whether cells are numbers with a unit of their column alone: "45 allocs" below allocs/op."""
    texts = [str(cell).strip() for cell in cells]
    own = [text for text in texts if without_unit(text, unit) != text]
    return bool(own) and all(text in own or is_fault(text) for text in texts)


def _spelled(draft: Draft, column: str, meaning: ColumnMeaning) -> ColumnMeaning | None:
    """Return the meaning of a column of numbers such as `181k` or `2:06:50`; None for other texts."""
    unit = meaning.unit or ("s" if _is_duration(column) else "")
    unit = unit or ("B" if meaning.metric.startswith("memory") else "")
    texts = [str(cell).strip() for cell in draft.known(column)]
    own = {text for text in texts if not is_fault(text)}
    read = {text: known for text in texts if text in own and (known := spelled(text, unit))}
    is_stated = bool(draft.clock_of(column)) or column in draft.answers
    if len(read) * 2 <= len(own) or (all(map(is_clock, read)) and not is_stated):
        return None
    whole = _of_clock(draft, column, meaning if meaning.unit else meaning_of(column, unit), read)
    if whole:
        draft.result.doubts.append(f'"{column}" is not written as plain numbers')
        text, (number, of) = next(iter(read.items()))
        number *= without_multiple(whole.scale) if shortened(text) else whole.scale
        unit = f" {of}" if of != "1" else ""
        draft.result.notes.append(f'"{text}" in column "{column}" is read as {number:,g}{unit}')
    return whole


def _of_clock(
    draft: Draft, column: str, meaning: ColumnMeaning, read: Collection[str]
) -> ColumnMeaning | None:
    """Return the meaning of times; None if some are hours and minutes and others have another form.

    A spreadsheet may show hours and minutes with seconds, 15:52:00.
    """
    if not shows_hours_alone(draft.clock_of(column)):
        return meaning
    forms = {*map(is_clock, read), *(False for number in draft.numbers(column) if number)}
    if forms == {True}:
        return meaning
    is_full = forms == {False} and not any(draft.numbers(column))
    return replace(meaning, scale=1.0) if is_full else None


def _open_text(draft: Draft, column: str, text: str) -> None:
    draft.result.open[column] = _about_cells(draft, column, text)
    draft.result.doubts.append(f'the cells of "{column}" are not numbers')


def _about_cells(draft: Draft, column: str, text: str) -> OpenQuestion:
    """Return the question about a column with a cell that is not a number as its name says."""
    clock = draft.clock_of(column)
    if is_clock(text) and not clock:
        return minutes_or_hours(text)
    if clock:
        return of_cells(f"its cells are not all of the form {clock}")
    if _RANGE.match(text):
        return of_cells(f'its cells are ranges, such as "{text[:40]}"', "write the two ends in two columns")
    asked = f'its cells are not plain numbers: "{text[:40]}"'
    if not any(draft.values(column)):
        return of_cells(asked)
    return OpenQuestion(f"{asked}; an answer reads the others", named_unit(column) or likely_unit(column))


def _about(draft: Draft, column: str, meaning: ColumnMeaning) -> None:
    """Add a fact about all rows of JSON: a setting that is the same in all of them."""
    if column in (TITLE, GROUP) and not draft.table.is_json:
        add_titles(draft, column)
        return
    own = slug(column.rpartition(".")[2].lstrip("./"))
    if _is_member(draft, column) and "value" in draft.columns and not draft.is_text(column):
        draft.result.left_out[column] = "a row of its own"
    elif _is_member(draft, column):
        text = str(draft.known(column)[0])[:40]
        draft.result.left_out[column] = "a member without numbers"
        draft.result.notes.append(f'"{column.lstrip("./")}": "{text}" is not read')
        draft.result.doubts.append("members without numbers")
    elif any(isinstance(x, str) and len(x) > _LONGEST_CASE for x in draft.known(column)):
        draft.result.left_out[column] = "a text"
    elif meaning.kind in ("factor", "other") and not any(isinstance(x, list) for x in draft.known(column)):
        if meaning.kind == "other" and not draft.is_text(column) and not _is_fact(draft, column, meaning):
            draft.result.left_out[column] = "a number without a known meaning"
        else:
            add_factor(
                draft, factor_of(draft, column, replace(meaning, factor=meaning.factor or own)), column
            )
    elif meaning.kind == "started" and all(wall_time(str(x).encode()) for x in draft.known(column)):
        draft.result.started = draft.result.started or column
    elif meaning.kind == "figure":
        draft.result.left_out[column] = "a figure of all rows"


def _is_fact(draft: Draft, column: str, meaning: ColumnMeaning) -> bool:
    """Return whether numbers beside all rows are chosen: whole, and not the time or size of something."""
    is_large = any(value > _LARGEST_CHOSEN for value in draft.values(column)) and "size" in meaning.extra
    return draft.is_whole(column) and not is_large and "time" not in meaning.extra


def _is_member(draft: Draft, column: str) -> bool:
    """Return whether a text is in the place of a row: `../8` where `*` has the members 1 and 8."""
    levels, _, name = column.rpartition("/")
    members = draft.cells.get(f"{levels.removesuffix('..')}*", [])
    return column.startswith("../") and name in map(str, members)


def _is_writable(text: str) -> bool:
    """Return whether TOML can have a text: JSON may hold halves of characters."""
    return not any(0xD800 <= ord(letter) <= 0xDFFF for letter in text)


def _is_duration(column: str) -> bool:
    """Return whether a name says how long something took, and not when it was."""
    return bool(set(words_of(column)) & _DURATIONS)
