"""Understand tables with a column for each figure: what each column is, by its name and its cells."""

import re
from dataclasses import replace

from reportgen.core import units
from reportgen.formats.parsing.timestamps import wall_time
from reportgen.formats.tables.case_kinds import kind_of
from reportgen.formats.tables.column_units import unit_of
from reportgen.formats.tables.column_words import ColumnMeaning, factor_name, meaning_of, slug, words_of
from reportgen.formats.tables.derive import spelled
from reportgen.formats.tables.interpret.cases import add_cases
from reportgen.formats.tables.interpret.cells import ONE_COLON, is_fault, number_of
from reportgen.formats.tables.interpret.draft import AROUND, STATISTIC_COLUMN, UNIT_COLUMN, Draft
from reportgen.formats.tables.interpret.long import by_statistic
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

# Columns with what their names mean.
Columns = list[tuple[str, ColumnMeaning]]


def read_wide(draft: Draft) -> None:
    """Understand a table with a column for each figure."""
    figures: Columns = []
    unknown: list[str] = []
    statistic = next((n for n in draft.columns if slug(n) in STATISTIC_COLUMN and draft.is_text(n)), "")
    for column in draft.columns:
        if column == statistic:
            continue
        _sort_column(draft, column, figures, unknown)
    add_cases(draft, _with_unit_column(draft, figures), unknown)
    if statistic:
        by_statistic(draft, statistic)


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
        draft.result.left_out[column] = "lists"
        return
    if column.rpartition("/")[2] == "*":
        add_member_names(draft, column)
        return
    meaning = _meaning(draft, column)
    if column.endswith((".unit", ".units")) and f"{column.rpartition('.')[0]}.value" in draft.columns:
        return
    if meaning.kind in ("figure", "spread", "derived") and draft.is_text(column):
        text_meaning = _of_texts(draft, column, meaning)
        if text_meaning is None:
            return
        meaning = text_meaning
    if column.startswith(AROUND):
        _about(draft, column, meaning)
    elif meaning.kind == "figure":
        figures.append((column, meaning))
    elif meaning.kind == "other" and not draft.is_text(column) and not draft.are_truths(column):
        unknown.append(column)
    else:
        add_role(draft, column, meaning)


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
    if from_cells and not meaning.unit:
        meaning = meaning_of(column, from_cells)
        draft.result.doubts.append(f'the unit of "{column}" is in its cells')
    if column.endswith(".value") and f"{column.removesuffix('.value')}.unit" in draft.columns:
        stated = {str(x) for x in draft.known(f"{column.removesuffix('.value')}.unit")}
        if len(stated) == 1 and unit_of(only := stated.pop()):
            meaning = meaning_of(column.removesuffix(".value"), only)
    if meaning.kind == "other" and all(_MULTIPLE.fullmatch(str(x).strip()) for x in draft.known(column)):
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
