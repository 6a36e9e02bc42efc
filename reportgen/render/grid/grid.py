"""Convert a table to a grid of texts, once for all outputs.

A Table goes in, a Grid comes out: heads with spans, body rows of items, notes, sentences. Markdown and HTML
differ only in how they write an item, so both pages show the same numbers. The outputs escape the texts.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, takewhile
from typing import Literal

from msgspec import structs

from reportgen.compare.verdict import VerdictKind
from reportgen.core.model import FactorValue
from reportgen.document.model import Cell, Document, Header, Label, Note, Quantity, Table
from reportgen.document.texts import interval_text, number, unit_label
from reportgen.render.text.english import sentence

Align = Literal["left", "right"]


# Signs beside a ratio, which need no colour. Their words are in the caption.
SIGNS: Mapping[VerdictKind | None, str] = {
    "faster": "▲", "slower": "▼", "same": "=", "likely faster": "△", "likely slower": "▽", "undecided": "?",
}  # fmt: skip
# The mark of a number that means nothing.
INVALID_SIGN = "✗ invalid"
_SIGNED: tuple[Quantity, ...] = ("ratio", "speedup", "observed")


@dataclass(frozen=True, slots=True, eq=False)
class Item:
    """One text of the grid.

    text            the number or words; sign, interval, unit  what follows a number
    kind            head, text, or the kind of the cell
    notes           numbers of footnotes, from 1
    span            columns that a head covers
    is_repeated     whether this head of a row, and all before it, are those of the row above
    """

    text: str = ""
    sign: str = ""
    interval: str = ""
    unit: str = ""
    kind: str = "text"
    align: Align = "left"
    qualifiers: tuple[str, ...] = ()
    notes: tuple[int, ...] = ()
    href: str = ""
    case: str | None = None
    span: int = 1
    is_repeated: bool = False


@dataclass(frozen=True, slots=True)
class GridNote:
    """A footnote, or a sentence about the whole table.

    mark    the word that refers to it in Markdown: numbers would change with every new note
    places  the rows or cells with the note, in words; empty if no other note has the mark
    rule    of the findings that it comes from
    """

    mark: str
    text: str
    places: tuple[str, ...] = ()
    rule: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """A table as texts.

    lead    heads of the row-factor columns; levels  the heads of the data columns, top level first
    rows    (row heads, cells)
    about   sentences about the whole table; notes  footnotes, the note of number 1 first
    """

    lead: tuple[Item, ...]
    levels: tuple[tuple[Item, ...], ...]
    rows: tuple[tuple[tuple[Item, ...], tuple[Item, ...]], ...]
    about: tuple[GridNote, ...]
    notes: tuple[GridNote, ...]

    @property
    def caption(self) -> tuple[str, ...]:
        """Return the sentences about the whole table."""
        return tuple(note.text for note in self.about)


def with_heads(grid: Grid, change: Callable[[Item], Item]) -> Grid:
    """Return the grid with the heads of its rows and columns changed."""
    return replace(
        grid,
        lead=tuple(map(change, grid.lead)),
        levels=tuple(tuple(map(change, level)) for level in grid.levels),
        rows=tuple((tuple(map(change, lead)), cells) for lead, cells in grid.rows),
    )


def lay_out(document: Document, table: Table) -> Grid:
    """Return the grid of a table of the document."""
    numbers, aligns = _note_numbers(document, table), _lead_aligns(table)
    heads = [_row_heads(table, row, aligns, numbers) for row in table.rows]
    rows = tuple(
        (_marked(own, above), _cells(document, table, row, cells, numbers))
        for row, own, above, cells in zip(table.rows, heads, [(), *heads], table.cells, strict=False)
    )
    lead = [
        Item(label.text, kind="head", href=label.href, align=align)
        for label, align in zip(table.row_titles, aligns, strict=False)
    ]
    if table.unit_mode == "row":
        lead.append(Item("Unit", kind="head"))
    levels = _levels(
        table, [_column_align([cells[i] for _, cells in rows]) for i in range(len(table.columns))]
    )
    return Grid(tuple(lead), levels, rows, _about(document, table), _notes(document, table, numbers))


def _note_numbers(document: Document, table: Table) -> dict[str, int]:
    """Return the number, from 1, of each note that a row or a cell refers to.

    The most frequent note is the first; of equally frequent ones, those without a rule; then in the order of
    reading. So a finding about a new run does not number the other notes again.
    """
    lines = zip(table.rows, table.cells, strict=True)
    in_order = (notes for row, cells in lines for notes in (row.notes, *(cell.notes for cell in cells)))
    used = Counter(note for notes in in_order for note in notes)
    order = sorted(used, key=lambda note: (-used[note], bool(document.notes[note].rule)))
    return {note: number for number, note in enumerate(order, start=1)}


def _notes(document: Document, table: Table, names: Iterable[str]) -> tuple[GridNote, ...]:
    shown = {name: document.notes[name] for name in names}
    marks = Counter(note.mark for note in shown.values())
    return tuple(
        GridNote(
            note.mark, sentence(note.text), _places(table, name) if marks[note.mark] > 1 else (), note.rule
        )
        for name, note in shown.items()
    )


def _places(table: Table, note: str) -> tuple[str, ...]:
    """Return the rows or cells with a note, in words."""
    names_columns = len({column.labels for column in table.columns}) > 1
    places: dict[str, None] = {}
    for row, cells in zip(table.rows, table.cells, strict=True):
        place = row.words(table.row_titles)
        if note in row.notes:
            places.setdefault(place)
        for column, cell in zip(table.columns, cells, strict=True):
            if note in cell.notes:
                head = " ".join(label.text for label in column.labels)
                places.setdefault(f"{place} / {head}".strip(" /") if names_columns else place)
    return tuple(place for place in places if place)


def _about(document: Document, table: Table) -> tuple[GridNote, ...]:
    first = _unit_sentence(table)
    if first and table.about and _names(table.about[0].text, unit_label(table.unit)):
        first = ""
    notes = (
        Note(first, name="measure"),
        *table.about,
        Note(_interval_sentence(document, table), name="parentheses"),
        Note(_band_sentence(table), name="expected-range"),
        Note(_sign_sentence(document, table), name="signs"),
        Note(_invalid_sentence(table), name="invalid"),
        Note(_over_all_sentence(table), name="over-all"),
    )
    return tuple(GridNote(note.mark, sentence(note.text), rule=note.rule) for note in notes if note.text)


def _names(text: str, unit: str) -> bool:
    """Return whether the text contains the unit as a word: `in s` contains seconds, `speed` does not."""
    return bool(unit and re.search(rf"(?<![^\s(]){re.escape(unit)}(?![\w/])", text))


def _unit_sentence(table: Table) -> str:
    """Return the sentence with the unit of the whole table, "" if the column heads contain it."""
    unit = unit_label(table.unit)
    if table.unit_mode != "table" or not unit:
        return ""
    values = [column for column in table.columns if column.quantity == "value"]
    if values and all(column.quantity_label for column in values):
        return ""
    return f"{table.metric_title} in {unit}"


def _interval_sentence(document: Document, table: Table) -> str:
    """Return what the parentheses after the numbers contain: the interval of the median, or the range."""
    cells = _with_interval(table, "value")
    # One case at a time: those of many runs are read from a file.
    cases = (document.case(cell.case) for cell in cells)
    summaries = [case.summary for case in cases if case and case.summary]
    reached = sorted({s.coverage or 0.0 for s in summaries if s.reached and s.statistic == "median"})
    ranges = any(not s.reached or s.statistic != "median" for s in summaries)
    if not reached:
        return "In parentheses: range of the repeats" if ranges else ""
    least = "" if len(reached) == 1 else "at least "
    text = f"In parentheses: interval of the median ({least}{reached[0] * 100:.1f} % confidence)"
    return f"{text}, or the range where there are too few repeats for an interval" if ranges else text


def _band_sentence(table: Table) -> str:
    """Return what the parentheses after an expected speed contain."""
    has_band = any(True for _ in _with_interval(table, "expected", "excess"))
    return (
        "In parentheses after an expected speed: the lowest and highest that the facts give"
        if has_band
        else ""
    )


def _with_interval(table: Table, *quantities: Quantity) -> Iterator[Cell]:
    """Yield the cells below heads of these quantities that have an interval."""
    shown = [i for i, column in enumerate(table.columns) if column.quantity in quantities]
    cells = (line[i] for line in table.cells for i in shown)
    return (cell for cell in cells if cell.low is not None and cell.high is not None)


def _is_number(value: FactorValue) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _lead_aligns(table: Table) -> list[Align]:
    """Return the alignment of the heads of rows, by their level."""
    levels = max(len(table.row_titles), *(len(row.labels) for row in table.rows), 0)
    return [_lead_align(table, i) for i in range(levels)]


def _lead_align(table: Table, i: int) -> Align:
    keys = [row.key[i] for row in table.rows if i < len(row.key)]
    return "right" if keys and all(_is_number(key) for key in keys) else "left"


def _column_align(items: Sequence[Item]) -> Align:
    return "right" if any(item.kind == "number" for item in items) else "left"


def _row_heads(
    table: Table, row: Header, aligns: Sequence[Align], numbers: Mapping[str, int]
) -> tuple[Item, ...]:
    # The row of means has one head, and empty ones behind it.
    last = max((i for i, label in enumerate(row.labels) if label.text), default=len(row.labels) - 1)
    heads = [
        Item(
            label.text,
            kind="head",
            href=label.href,
            align=aligns[i],
            qualifiers=row.qualifiers if i == last else (),
            notes=tuple(sorted(numbers[note] for note in row.notes)) if i == last else (),
        )
        for i, label in enumerate(row.labels)
    ]
    if table.unit_mode == "row":
        heads.append(Item(unit_label(row.unit), kind="head"))
    return tuple(heads)


def _marked(heads: tuple[Item, ...], above: tuple[Item, ...]) -> tuple[Item, ...]:
    """Return the heads of a row, with those marked that repeat the row above; the last one never does."""
    pairs = zip(heads[:-1], above, strict=False)
    same = len(list(takewhile(lambda pair: pair[0].text == pair[1].text, pairs)))
    return (*(replace(head, is_repeated=True) for head in heads[:same]), *heads[same:])


def _cells(
    document: Document, table: Table, row: Header, cells: Sequence[Cell], numbers: Mapping[str, int]
) -> tuple[Item, ...]:
    pairs = zip(table.columns, cells, strict=True)
    return tuple(_cell(document, table, (row, column), cell, numbers) for column, cell in pairs)


def _own_unit(table: Table, row: Header, cell: Cell) -> str:
    """Return the unit that a cell shows itself, "" if a head or the caption says it."""
    is_other = table.unit_mode == "row" and cell.unit and row.unit and cell.unit.base == row.unit.base
    is_own = table.unit_mode == "cell" or (is_other and cell.unit != row.unit)
    return unit_label(cell.unit) if is_own and cell.value is not None else ""


def _cell(
    document: Document, table: Table, heads: tuple[Header, Header], cell: Cell, numbers: Mapping[str, int]
) -> Item:
    row, column = heads
    text = number(table, column.quantity, cell)
    return Item(
        text,
        INVALID_SIGN
        if cell.invalid
        else SIGNS.get(_verdict_of(document, table, column, cell), "")
        if table.has_signs
        else "",
        _interval(cell, text),
        _own_unit(table, row, cell),
        cell.kind,
        "right" if cell.kind == "number" else "left",
        (*cell.qualifiers, *_over_all(table, column, cell)),
        tuple(sorted(numbers[note] for note in cell.notes)),
        case=cell.case,
    )


def _verdict_of(document: Document, table: Table, column: Header, cell: Cell) -> VerdictKind | None:
    """Return the verdict whose sign a cell has; None for cells that show no ratio to a baseline."""
    comparison = document.comparison_of(table, cell)
    if column.quantity not in _SIGNED or cell.kind != "number" or comparison is None:
        return None
    return comparison.verdict.kind if comparison.verdict else None


def _sign_sentence(document: Document, table: Table) -> str:
    """Return what the signs mean: all of them, so that it does not change with every log."""
    pairs = ((column, cell) for line in table.cells for column, cell in zip(table.columns, line, strict=True))
    verdicts = (_verdict_of(document, table, column, cell) for column, cell in pairs)
    if not table.has_signs or not any(verdict in SIGNS for verdict in verdicts):
        return ""
    words = ", ".join(f"{sign} {kind}" for kind, sign in SIGNS.items())
    return f"Signs: {words}; no sign where there are no repeats"


def _over_all(table: Table, column: Header, cell: Cell) -> Iterator[str]:
    """Yield the number over all of the windows' time, if the cell has one."""
    if cell.over_all is not None:
        yield f"{number(table, column.quantity, structs.replace(cell, value=cell.over_all))} over all"


def _over_all_sentence(table: Table) -> str:
    """Return the difference of the two numbers of a cell."""
    if all(cell.over_all is None for line in table.cells for cell in line):
        return ""
    return "Over all: with the time in gaps, which is left out and more than 5 % of the time"


def _invalid_sentence(table: Table) -> str:
    """Return the rules for which numbers of the table are invalid, and what follows."""
    rules = sorted({cell.invalid for line in table.cells for cell in line if cell.invalid})
    if not rules:
        return ""
    what = f"Invalid by {', '.join(rules)}: shown as the log has it"
    return f"{what}; no ratio, verdict, mean or best follows from such a number"


def _interval(cell: Cell, shown: str) -> str:
    if cell.value is None or cell.low is None or cell.high is None:
        return ""
    factor = cell.unit.factor if cell.unit else 1.0
    return f"({interval_text(cell.low / factor, cell.high / factor, shown)})"


def _levels(table: Table, aligns: Sequence[Align]) -> tuple[tuple[Item, ...], ...]:
    """Return the rows of heads: one per label, then one for quantities if any is named.

    Equal neighbours below the same parent are merged, except in the lowest row: each of its heads
    is the head of one column.
    """
    has_quantities = any(column.quantity_label for column in table.columns)
    paths = [
        [*column.labels, Label(column.quantity_label or _value_head(table))]
        if has_quantities
        else list(column.labels)
        for column in table.columns
    ]
    depth = max((len(path) for path in paths), default=0)
    paths = [path + [Label("")] * (depth - len(path)) for path in paths]
    upper = [_merged(paths, level, aligns) for level in range(depth - 1)]
    lowest = tuple(
        _lowest(table, column, path[-1] if path else Label(""), align)
        for column, path, align in zip(table.columns, paths, aligns, strict=True)
    )
    return (*upper, lowest) if lowest else ()


def _value_head(table: Table) -> str:
    """Return the head of values beside other quantities: their unit, or, of several units, the metric."""
    return (unit_label(table.unit) if table.unit_mode == "table" else "") or table.metric_title.lower()


def _merged(paths: Sequence[Sequence[Label]], level: int, aligns: Sequence[Align]) -> tuple[Item, ...]:
    heads = []
    begin = 0
    for path, group in groupby(paths, key=lambda path: tuple(path[: level + 1])):
        span = len(list(group))
        heads.append(Item(path[-1].text, kind="head", href=path[-1].href, span=span, align=aligns[begin]))
        begin += span
    return tuple(heads)


def _lowest(table: Table, column: Header, label: Label, align: Align) -> Item:
    unit = _head_unit(table, column)
    if _names(label.text, unit):  # a definition may contain it already
        unit = ""
    text = f"{label.text} ({unit})" if label.text and unit else label.text or unit
    return Item(text, kind="head", href=label.href, align=align, qualifiers=column.qualifiers)


def _head_unit(table: Table, column: Header) -> str:
    """Return the unit for the head of a column.

    The unit of the whole table is added only to heads that name a quantity. Heads that are values of a factor
    (`OneFlow`) go without; the caption contains the unit.
    """
    if table.unit_mode == "table" and column.quantity == "value" and column.quantity_label:
        return unit_label(table.unit)
    return unit_label(column.unit) if table.unit_mode == "column" else ""


def head_paths(grid: Grid) -> list[tuple[Item, ...]]:
    """Return the heads of each column, top level first."""
    above: list[list[Item]] = [[] for _ in grid.levels[-1]] if grid.levels else []
    for level in grid.levels[:-1]:
        covering = [item for item in level for _ in range(item.span)]
        for heads, item in zip(above, covering, strict=True):
            heads.append(item)
    return [(*heads, lowest) for heads, lowest in zip(above, grid.levels[-1] if above else (), strict=True)]
