"""Understand tables with a column for each figure: what each column is, by its name and its cells."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from reportgen.core import units
from reportgen.core.metrics import METRICS
from reportgen.formats.parsing import json_values
from reportgen.formats.parsing.timestamps import wall_time
from reportgen.formats.tables.case_kinds import kind_of
from reportgen.formats.tables.column_units import unit_of
from reportgen.formats.tables.column_words import ColumnMeaning, factor_name, meaning_of, slug, words_of
from reportgen.formats.tables.definition import SAMPLE
from reportgen.formats.tables.derive import spelled
from reportgen.formats.tables.interpret.arithmetic import is_ratio, scale_of, scaled
from reportgen.formats.tables.interpret.captions import stated_units
from reportgen.formats.tables.interpret.cases import add_cases
from reportgen.formats.tables.interpret.cells import ONE_COLON, is_fault, number_of
from reportgen.formats.tables.interpret.draft import AROUND, STATISTIC_COLUMN, UNIT_COLUMN, Draft
from reportgen.formats.tables.interpret.long import by_statistic, statistic_of
from reportgen.formats.tables.interpret.roles import add_factor, add_member_names, add_role, factor_of
from reportgen.formats.tables.stated_units import stated_meaning

# "1.93x", the ratio of two results; a whole number, as in "8x", may be a count.
_MULTIPLE = re.compile(r"[0-9]+\.[0-9]+ ?[x×]")
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
# Factors that only have whole numbers: "GBs" is a batch size with 512, a bandwidth with 410.5.
_COUNTS = frozenset(
    (
        *(
            "batch_size",
            "global_batch_size",
            "micro_batch_size",
            "devices",
            "nodes",
            "seq_len",
            "concurrency",
        ),
        *("tensor_parallel", "pipeline_parallel"),
    )
)

# Factors that count what a step, or a request, works on.
_COUNTED = {"batch_size", "global_batch_size"}
# Digits of a load that people choose: 1, 2, 4, 5, 10, 16, 25, 30, ...
_STEPS = {
    f"{n}".rstrip("0")
    for n in (1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 24, 25, 32, 48, 64, 75, 96, 128, 256, 512)
}
# Columns with what their names mean.
Columns = list[tuple[str, ColumnMeaning]]


def read_wide(draft: Draft) -> None:
    """Understand a table with a column for each figure."""
    figures: Columns = []
    unknown: list[str] = []
    statistic = next((name for name in draft.columns if _names_statistics(draft, name)), "")
    for column in draft.columns:
        if column == statistic:
            continue
        _sort_column(draft, column, figures, unknown)
    figures = _with_stated_units(draft, _with_unit_column(draft, figures))
    figures = _with_computed_units(draft, figures)
    add_cases(draft, _without_doubles(draft, figures), unknown)
    if statistic:
        by_statistic(draft, statistic)


def _names_statistics(draft: Draft, column: str) -> bool:
    """Return whether the texts of a column are statistics of the figures beside them."""
    if slug(column) in STATISTIC_COLUMN:
        return draft.is_text(column)
    is_corner = draft.table.rows.transposed and column == draft.columns[0]
    return is_corner and all(statistic_of(str(cell)) for cell in draft.known(column))


def _with_unit_column(
    draft: Draft, figures: list[tuple[str, ColumnMeaning]]
) -> list[tuple[str, ColumnMeaning]]:
    """Take the units of figures without one from the column that has the unit of each row."""
    own = [name for name in draft.columns if not name.startswith(AROUND)]
    column = next((name for name in own if slug(name) in UNIT_COLUMN), "")
    stated = {str(cell).strip() for cell in draft.known(column)} if column else set()
    bases = {units.to_base(1.0, unit)[1] for unit in stated}
    bare = [name for name, meaning in figures if not meaning.unit]
    if len(bases) != 1 or not all(map(units.find, stated)) or not bare:
        return figures
    draft.unit_column = column
    draft.result.factors = {name: x for name, x in draft.result.factors.items() if x != column}
    draft.result.doubts.append("the unit is in a column")
    unit = sorted(stated)[0]
    return [(name, meaning if meaning.unit else meaning_of(name, unit)) for name, meaning in figures]


def _with_stated_units(draft: Draft, figures: Columns) -> Columns:
    """Take the units of figures without one from a text around the table."""
    stated = stated_units(draft) if any(not meaning.unit for _, meaning in figures) else {}
    known: Columns = []
    for column, meaning in figures:
        bases = METRICS[meaning.metric].unit if meaning.metric in METRICS else ""
        if not meaning.unit and bases in stated:
            draft.result.notes.append(f'"{column}" is in {stated[bases]}, as the text beside the table says')
            draft.result.doubts.append("the unit is stated beside the table")
            draft.result.files = draft.table.name
            meaning = meaning_of(column, stated[bases])
        known.append((column, meaning))
    return known


def _with_computed_units(draft: Draft, figures: Columns) -> Columns:
    """Take the units of figures without one from arithmetic: a batch divided by its time is a rate."""
    counts = [name for name in draft.columns if meaning_of(name).factor in _COUNTED and draft.is_whole(name)]
    stated = [(name, meaning) for name, meaning in figures if meaning.base in ("s", "samples/s")]
    known: Columns = []
    for column, meaning in figures:
        unit = "" if meaning.unit else _computed_unit(draft, column, meaning, counts, stated)
        if unit:
            draft.result.notes.append(f'"{column}" is in {unit}: so its numbers fit the other columns')
            draft.result.doubts.append(f'the unit of "{column}" is computed')
        known.append((column, meaning_of(column, unit) if unit else meaning))
    return known


def _computed_unit(
    draft: Draft, column: str, meaning: ColumnMeaning, counts: Sequence[str], stated: Columns
) -> str:
    """Return the unit of a rate or a time that is a count divided by the numbers of another column."""
    base = "samples/s" if "throughput" in meaning.metric else "s" if _unitless_time(meaning) else ""
    for count in counts:
        for name, other in stated:
            if not base or other.base == base:
                continue
            numbers = [scaled(cell, other.unit) for cell in draft.cells[name]]
            scale = scale_of(draft.cells[column], draft.cells[count], numbers)
            if scale == scale:
                return {1.0: base, 1e3: "ms", 1e6: "us"}[scale] if base == "s" or scale == 1 else ""
    return ""


def _unitless_time(meaning: ColumnMeaning) -> bool:
    return meaning.metric in ("latency", "run_time", "step_time", "ttft", "tpot", "itl", "e2e_latency")


def _without_doubles(draft: Draft, figures: Columns) -> Columns:
    """Leave out figures that another column has in another unit: `time_us` beside `time_ms`."""
    kept: Columns = []
    for column, meaning in figures:
        twin = next((name for name, other in kept if _are_same(draft, (column, meaning), (name, other))), "")
        if twin:
            draft.result.left_out[column] = f'the numbers of "{twin}" in another unit'
        else:
            kept.append((column, meaning))
    return kept


def _are_same(draft: Draft, first: tuple[str, ColumnMeaning], second: tuple[str, ColumnMeaning]) -> bool:
    if (
        first[1].unit == second[1].unit
        or first[1].base != second[1].base
        or first[1].statistic != second[1].statistic
    ):
        return False
    pairs = [
        (scaled(a, first[1].unit), scaled(b, second[1].unit))
        for a, b in zip(draft.cells[first[0]], draft.cells[second[0]], strict=True)
    ]
    known = [(a, b) for a, b in pairs if a and b]
    return len(known) > 1 and all(abs(a.value - b.value) <= a.half + b.half for a, b in known)


def _sort_column(
    draft: Draft, column: str, figures: list[tuple[str, ColumnMeaning]], unknown: list[str]
) -> None:
    known = draft.known(column)
    if not known:
        draft.result.left_out[column] = "empty"
        return
    if re.search(r"\{\w+\}", column) or not _is_writable(column):
        draft.result.left_out[column] = "a definition cannot have its name"
        draft.result.doubts.append(f"{column!r} cannot be written")
        return
    if any(isinstance(cell, list) for cell in known):
        _samples(draft, column, figures)
        return
    if column.rpartition("/")[2] == "*" or (draft.table.rows.transposed and column == draft.columns[0]):
        add_member_names(draft, column)
        return
    meaning = _meaning(draft, column)
    if column in draft.unit_columns.values():
        return
    if meaning.kind in ("figure", "spread", "derived") and draft.is_text(column):
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
    elif meaning.kind == "figure":
        figures.append((column, meaning))
        _note_remarks(draft, column)
    elif meaning.kind == "other" and not draft.is_text(column) and not draft.are_truths(column):
        unknown.append(column)
    else:
        add_role(draft, column, meaning)


def _samples(draft: Draft, column: str, figures: Columns) -> None:
    """Take the lists of a column as values of a figure that was measured several times."""
    meaning = meaning_of(column)
    items = [item for cell in draft.known(column) for item in json_values.items(cell)]
    is_clear = meaning.kind == "figure" and meaning.metric and meaning.unit and not meaning.statistic
    if is_clear and items and all(map(json_values.is_number, items)) and not column.startswith(AROUND):
        figures.append((column, replace(meaning, statistic=SAMPLE)))
        draft.result.doubts.append("a list has the values of a figure")
    else:
        draft.result.left_out[column] = "lists"


def _is_load(draft: Draft, column: str, meaning: ColumnMeaning) -> bool:
    """Return whether a rate of requests is the load that was offered: whole, growing, before all results."""
    if meaning.metric != "request_throughput" or meaning.statistic or draft.table.is_json:
        return False
    own = [name for name in draft.columns if not draft.is_text(name)]
    is_first = own[0] == column and len(own) > 1
    values = draft.values(column)
    grows = len(values) > 1 and all(a < b for a, b in pairwise(values))
    return is_first and grows and all(f"{value:g}".rstrip("0") in _STEPS for value in values)


def _note_remarks(draft: Draft, column: str) -> None:
    """Note texts beside numbers that are left out."""
    beside = next((str(cell) for cell in draft.known(column) if str(cell).strip().endswith(")")), "")
    if beside and number_of(beside):
        draft.result.notes.append(f'"{beside[:40]}" in column "{column}": what is in parentheses is not read')
        draft.result.doubts.append(f'"{column}" has numbers in parentheses')


def _of_texts(draft: Draft, column: str, meaning: ColumnMeaning) -> ColumnMeaning | None:
    """Return what a column with the name of a figure is whose cells are texts; None if it stays open."""
    known = draft.known(column)
    digits = [str(cell) for cell in known if re.match(r"[-+±~<>≈=$€]*\s*[0-9]", str(cell))]
    are_numbers = len(digits) * 2 > len(known)
    if meaning.kind == "figure" and are_numbers:
        own = _spelled(draft, column, meaning)
        if own is None:
            _open_text(draft, column, digits[0])
        return own
    if not are_numbers and (meaning.kind != "figure" or not all(map(is_fault, known))):
        return ColumnMeaning("factor", factor=factor_name(column))
    return meaning


def _spelled(draft: Draft, column: str, meaning: ColumnMeaning) -> ColumnMeaning | None:
    """Return the meaning of a column of numbers such as `181k` or `2:06:50`; None for other texts."""
    unit = meaning.unit or ("s" if _is_duration(column) else "")
    texts = [str(cell).strip() for cell in draft.known(column)]
    own = [text for text in texts if number_of(text) is None]
    read = [spelled(text, unit) for text in own]
    if not all(read):
        return None
    is_clock = all(map(ONE_COLON.fullmatch, own))
    if is_clock and column not in draft.answers:
        return None
    draft.result.doubts.append(f'"{column}" is not written as plain numbers')
    shown = " ".join(f"{number:,g} {known}" for number, known in filter(None, read[:1]))
    draft.result.notes.append(f'"{own[0]}" in column "{column}" is read as {shown}')
    return meaning if meaning.unit else meaning_of(column, unit)


def _is_derived(draft: Draft, column: str) -> bool:
    """Return whether the numbers of a column are ratios of numbers of two others, or of one other."""
    if draft.is_text(column) or draft.is_repetitive(column) or not draft.compared:
        return False
    others = [draft.printed(name) for name in draft.compared if name != column]
    return is_ratio(draft.printed(column), others)


def _open_text(draft: Draft, column: str, text: str) -> None:
    draft.result.open[column] = (
        f'is "{text}" minutes and seconds (mm:ss) or hours and minutes (h:mm)?'
        if ONE_COLON.fullmatch(text)
        else f'its cells are not plain numbers: "{text[:40]}"'
    )
    draft.result.doubts.append(f'the cells of "{column}" are not numbers')


def _meaning(draft: Draft, column: str) -> ColumnMeaning:
    """Return the meaning of a column; its unit may be an answer, in a row of units, or in its cells."""
    if answer := draft.answers.get(column):
        return stated_meaning(column, answer)
    unit = draft.units.get(column, "")
    from_cells = "" if unit else draft.unit_of_cells(column)
    meaning = meaning_of(column, unit)
    if from_cells and not meaning.unit and meaning.kind in ("figure", "other", "derived"):
        meaning = meaning_of(column, from_cells)
        draft.result.doubts.append(f'the unit of "{column}" is in its cells')
    if not meaning.unit and (of_unit := draft.unit_columns.get(column)):
        stated = {str(record.cells[of_unit]) for record in draft.records if record.cells.get(of_unit)}
        if len(stated) == 1 and unit_of(only := stated.pop()):
            meaning = meaning_of(column.removesuffix(".value"), only)
    is_bare = meaning.kind == "other" or (meaning.kind == "figure" and not meaning.unit)
    if is_bare and all(_MULTIPLE.fullmatch(str(x).strip()) for x in draft.known(column)):
        return ColumnMeaning("derived")
    if meaning.kind == "series" and slug(column) == "elapsed" and not draft.counts_rows(column):
        return meaning_of("elapsed time", from_cells)
    if slug(column) in ("column_1", "index", "unnamed_0") and draft.is_counted(column):
        return ColumnMeaning("index")
    is_share = meaning.kind == "figure" and meaning.base == "ratio" and meaning.doubt == "names no metric"
    if (is_share or meaning.kind == "other") and not meaning.statistic and _is_derived(draft, column):
        return ColumnMeaning("derived")
    if meaning.kind == "other" and draft.is_clock(column):
        return ColumnMeaning("series")
    if meaning.factor in _COUNTS and not draft.is_text(column) and not draft.is_whole(column):
        return ColumnMeaning("other")
    is_named = bool(meaning.label) and not kind_of([meaning.label])
    if is_named and meaning.doubt == "names no metric" and draft.is_constant(column):
        return ColumnMeaning("factor", factor=factor_name(column))
    return meaning


def _about(draft: Draft, column: str, meaning: ColumnMeaning) -> None:
    """Add a fact about all rows of JSON: a setting that is the same in all of them."""
    own = slug(column.rpartition(".")[2].lstrip("./"))
    if meaning.kind in ("factor", "other") and not any(isinstance(x, list) for x in draft.known(column)):
        if meaning.kind == "other" and not draft.is_text(column) and not draft.is_whole(column):
            draft.result.left_out[column] = "a number without a known meaning"
        else:
            add_factor(
                draft, factor_of(draft, column, replace(meaning, factor=meaning.factor or own)), column
            )
    elif meaning.kind == "started" and all(wall_time(str(x).encode()) for x in draft.known(column)):
        draft.result.started = draft.result.started or column
    elif meaning.kind == "figure":
        draft.result.left_out[column] = "a figure of all rows"


def _is_writable(text: str) -> bool:
    """Return whether TOML can have a text: JSON may hold halves of characters."""
    return not any(0xD800 <= ord(letter) <= 0xDFFF for letter in text)


def _is_duration(column: str) -> bool:
    """Return whether a name says how long something took, and not when it was."""
    return bool(set(words_of(column)) & _DURATIONS)
