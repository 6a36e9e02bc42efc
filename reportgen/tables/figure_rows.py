"""Restrict tables to what a figure shows, and name rows and columns as its axes do."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import takewhile

from msgspec import structs

from reportgen.compare.comparison import Comparison
from reportgen.compare.conditions import SIZES
from reportgen.compare.pair import devices_ratio
from reportgen.core.devices import shown_value
from reportgen.core.errors import RequestError, did_you_mean
from reportgen.core.factors import matches, value_text
from reportgen.core.metrics import metric_of
from reportgen.core.model import Factors, FactorValue
from reportgen.document.model import QUANTITY_TITLES, Header, Label
from reportgen.protocol.conditions import WORK
from reportgen.tables.pivot import LACKING
from reportgen.tables.results import Cell, Table
from reportgen.tables.spec import FigureSpec

# A longer title of an axis does not fit beside it.
_MAX_TITLE = 48


def restricted(spec: FigureSpec, tables: Sequence[Table]) -> list[Table]:
    """Return the tables with the rows and columns that `where` fits.

    Raises RequestError if `where` names a factor that no table has, or fits nothing.
    """
    if not spec.where:
        return list(tables)
    check_factors(spec, tables)
    kept = [
        shown
        for table in tables
        if matches(dict(table.facet), _of(spec, [name for name, _ in table.facet]))
        and (shown := _restricted(spec, table)).rows
        and shown.columns
    ]
    if not kept:
        raise RequestError(
            f"{spec.place}.where",
            f'fits no row and column of table "{spec.table}"',
            "name values that it shows",
        )
    return kept


def check_factors(spec: FigureSpec, tables: Sequence[Table]) -> None:
    """Raise RequestError if `where` names a factor other than a row, column or facet of the tables."""
    known = {
        name
        for table in tables
        for name in (*(factor for factor, _ in table.facet), *table.row_factors, *table.column_factors)
    }
    for name in spec.where:
        if name not in known:
            fact = f'table "{spec.table}" has no row, column or facet "{name}"'
            raise RequestError(f"{spec.place}.where.{name}", fact, did_you_mean(name, known))


def _of(spec: FigureSpec, names: Sequence[str]) -> Mapping[str, tuple[FactorValue, ...]]:
    return {name: values for name, values in spec.where.items() if name in names}


def _restricted(spec: FigureSpec, table: Table) -> Table:
    rows = [
        i
        for i, row in enumerate(table.rows)
        if not row.is_mean
        and matches(dict(zip(table.row_factors, row.key, strict=True)), _of(spec, table.row_factors))
    ]
    columns = [
        j
        for j, column in enumerate(table.columns)
        if matches(dict(zip(table.column_factors, column.key, strict=False)), _of(spec, table.column_factors))
    ]
    shown = replace(
        table,
        rows=tuple(table.rows[i] for i in rows),
        columns=tuple(table.columns[j] for j in columns),
        cells=tuple(tuple(table.cells[i][j] for j in columns) for i in rows),
    )
    return _without_fixed(spec, shown)


def _without_fixed(spec: FigureSpec, table: Table) -> Table:
    """Return the table without the factors that `where` fixes, which distinguish nothing any more."""
    fixed = {name for name, values in spec.where.items() if len(values) == 1 and name != spec.x}
    rows = [i for i, name in enumerate(table.row_factors) if name not in fixed] or [0]
    levels = range(len(table.column_factors))
    columns = [i for i in levels if table.column_factors[i] not in fixed] or list(levels)
    return replace(
        table,
        row_factors=tuple(table.row_factors[i] for i in rows),
        row_titles=tuple(table.row_titles[i] for i in rows),
        column_factors=tuple(table.column_factors[i] for i in columns),
        rows=tuple(_only(row, rows) for row in table.rows),
        columns=tuple(_only(column, columns) for column in table.columns),
    )


def _only(header: Header, places: Sequence[int]) -> Header:
    """Return a heading with some of its levels."""
    return structs.replace(
        header, key=tuple(header.key[i] for i in places), labels=tuple(header.labels[i] for i in places)
    )


def with_efficiency(spec: FigureSpec, table: Table) -> Table:
    """Return a table of speed-ups over fewer devices with the scaling efficiency in their place.

    Raises RequestError for speed-ups that are about something else, or of times of unknown work.
    """
    places = [j for j, column in enumerate(table.columns) if column.quantity == "speedup"]
    for cell in (row[j] for row in table.cells for j in places):
        if cell.case and cell.comparison:
            _check_scaling(spec, cell.comparison)
    columns = [
        structs.replace(column, quantity="efficiency") if j in places else column
        for j, column in enumerate(table.columns)
    ]
    cells = [
        tuple(_efficiency(cell) if j in places else cell for j, cell in enumerate(row)) for row in table.cells
    ]
    return replace(table, columns=tuple(columns), cells=tuple(cells))


def _check_scaling(spec: FigureSpec, comparison: Comparison) -> None:
    others = [name for name in comparison.differing_factors if name not in SIZES]
    if others:
        raise RequestError(
            f"{spec.place}.show",
            f'the speed-ups of "{spec.table}" compare {", ".join(others)}, not device counts',
            'use show = "speedup"',
        )
    own, base = (side.conditions.get(WORK) for side in (comparison.own, comparison.base))
    if not metric_of(comparison.own.metric).scales_with_devices and (own is None or own != base):
        raise RequestError(
            f"{spec.place}.show",
            f"{comparison.own.metric} has no scaling efficiency: a step may hold more work on more devices",
            "draw a table of throughput",
        )


def _efficiency(cell: Cell) -> Cell:
    if cell.value is None or cell.case is None or cell.comparison is None:
        return cell
    more = devices_ratio(cell.case.factors, cell.comparison.baseline.factors)
    low, high = (None if end is None else end / more for end in (cell.low, cell.high))
    return replace(cell, value=cell.value / more, low=low, high=high)


def shown_title(spec: FigureSpec, table: Table, columns: Sequence[int]) -> str:
    """Return the title of the axis of values; of a speed-up with what it compares, where that is the same."""
    if spec.show == "value":
        return table.metric_title
    title = QUANTITY_TITLES[spec.show]
    if spec.show != "speedup":
        return title
    compared = [
        each
        for line in table.cells
        for i in columns
        if (each := line[i].comparison) and each.baseline is not line[i].case
    ]
    sides = [
        {_side(table, each, factors) for each, factors in pairs}
        for pairs in (
            [(each, each.own.factors) for each in compared],
            [(each, each.base.factors) for each in compared],
        )
    ]
    case, baseline = (side.pop() if len(side) == 1 else "" for side in sides)
    over = f"{title} over {baseline}" if baseline else title
    both = f"{title} of {case} over {baseline}" if case and baseline else over
    return next((text for text in (both, over) if len(text) <= _MAX_TITLE), title)


def _side(table: Table, comparison: Comparison, factors: Factors) -> str:
    """Return one side of a comparison by the heads in which both differ; "" if it lacks one of them."""
    names = [
        name for name in (*table.row_factors, *table.column_factors) if name in comparison.differing_factors
    ]
    heads = [_head(table, name, factors[name]) for name in names if name in factors]
    return ", ".join(heads) if len(heads) == len(names) else ""


def _head(table: Table, name: str, value: FactorValue) -> str:
    """Return a value as the headings of the table write it; a number needs the name of its factor."""
    labels = {
        (factor, repr(key)): label.text
        for factors, headers in ((table.row_factors, table.rows), (table.column_factors, table.columns))
        for header in headers
        for factor, key, label in zip(factors, header.key, header.labels, strict=False)
    }
    text = labels.get((name, repr(value)), shown_value(name, value_text(value)))
    return text if isinstance(value, str) else f"{name.replace('_', ' ')} {text}"


def row_name(row: Header) -> str:
    """Return the name of a row, as the table's headings write it."""
    words = [label.text for label in row.labels if label.text]
    return " · ".join(words if set(words) != {LACKING} else words[:1])


def shown_heads(table: Table) -> list[int]:
    """Return the row factors whose values distinguish rows; all of them if none does."""
    keys = [row.key for row in table.rows if not row.is_mean]
    varying = [i for i in range(len(table.row_factors)) if len({repr(key[i]) for key in keys}) > 1]
    return varying or list(range(len(table.row_factors)))


def short_names(table: Table) -> dict[Header, str]:
    """Return a name for each row: without heads that all rows share, and without folders that they share."""
    rows = [row for row in table.rows if not row.is_mean]
    heads = shown_heads(table)
    folders = {i: _common_folder([row.labels[i].text for row in rows]) for i in heads}
    return {
        row: row_name(
            structs.replace(
                row, labels=tuple(Label(row.labels[i].text.removeprefix(folders[i])) for i in heads)
            )
        )
        for row in rows
    }


def _common_folder(texts: Sequence[str]) -> str:
    """Return the folder, file or module with which all texts begin, "" if there is none."""
    first, last = min(texts, default=""), max(texts, default="")
    common = "".join(a for a, _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, last, strict=False)))
    end = max(common.rfind("/") + 1, common.rfind("::") + 2 if "::" in common else 0)
    return common[:end] if len(set(texts)) > 1 else ""


def column_name(table: Table, position: int) -> str:
    """Return the name of a column."""
    return column_words(table, position) or table.metric_title


def column_words(table: Table, position: int) -> str:
    """Return what distinguishes a column from the others, "" for the only one."""
    column = table.columns[position]
    return " ".join([*(label.text for label in column.labels), *column.qualifiers])


def series_name(table: Table, column: str, row: Header, others: Sequence[int]) -> str:
    """Return the name of a line: of its column, and of the row factors that other lines do not share.

    A number has the name of its factor before it.
    """
    varying = [i for i in others if len({each.key[i] for each in table.rows if not each.is_mean}) > 1]
    words = [
        row.labels[i].text
        if isinstance(row.key[i], str)
        else f"{table.row_titles[i].text} {row.labels[i].text}"
        for i in varying
    ]
    return ", ".join(word for word in (column, *words) if word)
