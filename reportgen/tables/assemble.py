"""Make the tables of one definition entry: select, pivot, fill, head.

In: a TableSpec, runs, what is known about expected speed. Out: finished `results.Table`s, one a facet.
This is the only way a number gets into a report.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256

from reportgen.core.errors import RequestError
from reportgen.core.factors import factor_key
from reportgen.core.metrics import metric_of
from reportgen.core.model import Case, FactorValue, Finding, Run
from reportgen.core.results import QUANTITY_TITLES, Cell, Header, Label, Quantity, Table, UnitMode
from reportgen.core.rules import Rule
from reportgen.core.stats import geometric_mean
from reportgen.core.units import Unit
from reportgen.protocol import MeasuredRuns
from reportgen.tables.captions import caption, metric_title
from reportgen.tables.cells import Filler
from reportgen.tables.compare import Comparer, comparer
from reportgen.tables.expected import SpeedFacts
from reportgen.tables.footnotes import Draft, number_notes
from reportgen.tables.headings import Qualifiers, label_of_factor, label_of_value, qualifier, qualifiers
from reportgen.tables.pivot import LACKING, AxisKey, CaseGrid, Key, pivot
from reportgen.tables.select import FactorsOf, select
from reportgen.tables.spec import TableSpec
from reportgen.tables.unit_choice import unit_for, unit_mode

MEAN = "geometric mean"


def build_tables(
    spec: TableSpec, runs: Sequence[Run], knowledge: SpeedFacts, measured: MeasuredRuns | None = None
) -> list[Table]:
    """Return the tables of one entry, facets in order.

    measured  the store of a build, so that tables share the measurements of runs
    raises    RequestError for names, values, units or baselines that do not exist
    """
    _check_direction(spec)
    selection = select(spec, runs, knowledge.system_of, measured or MeasuredRuns())
    against = comparer(spec, selection.pool, knowledge)
    grids = pivot(spec, selection.cases)
    ids = _ids(spec, [grid.facet for grid in grids])
    return [
        _table(spec, grid, against, name, selection.factors_of) for grid, name in zip(grids, ids, strict=True)
    ]


def _table(
    spec: TableSpec, grid: CaseGrid, against: Comparer | None, name: str, factors_of: FactorsOf
) -> Table:
    mode = unit_mode(spec, grid.slots)
    units = _Units(spec, grid, mode)
    filler = Filler(spec, grid, units.of_cell, against)
    marks = qualifiers(spec, grid)
    lines = _lines(spec, filler, marks)
    drafts = [line for _, line in lines]
    rows = [_row(spec, key, marks.rows.get(key, ()), units) for key, _ in lines]
    columns = _columns(spec, grid, marks, units)
    if spec.compare and spec.compare.mean:
        rows.append(_mean_header(spec))
        drafts.append(_mean_row(spec, filler, columns, drafts, rows))
    noted = number_notes(filler.notebook, drafts)
    rows = [replace(row, notes=notes) for row, notes in zip(rows, noted.rows, strict=True)]
    facet = tuple(zip(spec.facets, grid.facet, strict=True))
    told = ", ".join(_facet_text(spec, factor, value) for factor, value in facet)
    return Table(
        id=name,
        title=f"{spec.title}: {told}" if told else spec.title,
        metric=" ".join(spec.metrics),
        metric_title=metric_title(spec),
        row_factors=spec.rows,
        row_titles=tuple(label_of_factor(spec.labels, name) for name in spec.rows),
        column_factors=spec.columns,
        rows=tuple(rows),
        columns=tuple(columns),
        cells=noted.cells,
        notes=noted.notes,
        unit_mode=mode,
        unit=units.whole if "value" in spec.show else None,
        digits=spec.digits,
        decimals=spec.decimals,
        caption=(
            *caption(spec, grid, units.whole, against, factors_of),
            *(note.text for note in noted.general),
        ),
        facet=facet,
        facet_text=told,
        findings=tuple(filler.findings),
    )


def _columns(spec: TableSpec, grid: CaseGrid, marks: Qualifiers, units: "_Units") -> list[Header]:
    return [
        _column(spec, key, marks.columns.get(key, ()), quantity, units)
        for key in grid.columns
        for quantity in spec.show
    ]


def _check_direction(spec: TableSpec) -> None:
    """Refuse to say what is best of what nobody knows the better direction of."""
    for name in spec.metrics:
        if spec.best_first and metric_of(name).better is None:
            raise RequestError(
                f"{spec.place}.best_first",
                f"nobody can say whether more or less {name} is better",
                "leave it out",
            )


def _lines(spec: TableSpec, filler: Filler, marks: Qualifiers) -> list[tuple[AxisKey, list[Draft]]]:
    """Return the rows with their cells, in the order of the grid or the best first."""
    lines = [(row, _line(filler, marks, row)) for row in filler.grid.rows]
    return sorted(lines, key=lambda line: _rank(line[1])) if spec.best_first else lines


def _rank(line: Sequence[Draft]) -> tuple[bool, float]:
    """Return a sorting key by the case of the first cell with a number; rows without one are last."""
    for cell, _ in line:
        if cell.kind == "number" and cell.case and cell.case.summary:
            median = cell.case.summary.median
            return False, -median if metric_of(cell.case.metric).better == "higher" else median
    return True, 0.0


def _line(filler: Filler, marks: Qualifiers, row: AxisKey) -> list[Draft]:
    """Return the cells of one row; a qualifier stands beside the first quantity of its cell."""
    line: list[Draft] = []
    for column in filler.grid.columns:
        (first, notes), *others = filler.drafts(row, column)
        small = marks.cells.get((row, column), ())
        line += [(replace(first, qualifiers=small), notes), *others]
    return line


class _Units:
    """The unit of each cell of a grid, by the table's mode."""

    def __init__(self, spec: TableSpec, grid: CaseGrid, mode: UnitMode) -> None:
        self._spec, self._grid, self._mode = spec, grid, mode
        every = [case for slot in grid.slots.values() for case in slot]
        self.whole = unit_for(spec, every) if mode == "table" else None
        self._rows = {row: self._over(row=row) for row in grid.rows} if mode == "row" else {}
        self._columns = {c: self._over(column=c) for c in grid.columns} if mode == "column" else {}

    def _over(self, row: AxisKey | None = None, column: AxisKey | None = None) -> Unit | None:
        cases = [
            case
            for (r, c), slot in self._grid.slots.items()
            for case in slot
            if (row is None or r == row) and (column is None or c == column)
        ]
        return unit_for(self._spec, cases)

    def of_row(self, row: AxisKey) -> Unit | None:
        return self._rows.get(row)

    def of_column(self, column: AxisKey) -> Unit | None:
        return self._columns.get(column)

    def of_cell(self, row: AxisKey, column: AxisKey, case: Case) -> Unit | None:
        if self._mode == "cell":
            return unit_for(self._spec, [case])
        return self.whole or self._rows.get(row) or self._columns.get(column)


def _row(spec: TableSpec, key: AxisKey, small: tuple[str, ...], units: _Units) -> Header:
    labels = tuple(label_of_value(spec.labels, n, v) for n, v in zip(spec.rows, key.values, strict=True))
    return Header(key.values, labels, small, unit=units.of_row(key))


def _column(
    spec: TableSpec, key: AxisKey, small: tuple[str, ...], quantity: Quantity, units: _Units
) -> Header:
    labels = tuple(label_of_value(spec.labels, n, v) for n, v in zip(spec.columns, key.values, strict=True))
    more = tuple(
        text
        for name, value in key.split
        if (text := qualifier(spec.labels, name, value)) not in small
        and value is not LACKING
        and not _is_own(spec, name, value)
    )
    title = "" if len(spec.show) == 1 and spec.columns else _quantity_title(spec, quantity)
    unit = units.of_column(key) if quantity == "value" else None
    return Header(key.values, labels, small + more, quantity, title, unit, key.split)


def _is_own(spec: TableSpec, name: str, value: FactorValue) -> bool:
    own = spec.qualify[name]
    return own is not None and factor_key(value) == factor_key(own)


def _quantity_title(spec: TableSpec, quantity: Quantity) -> str:
    if quantity == "value":
        return " / ".join(metric_of(name).title.lower() for name in spec.metrics)
    return QUANTITY_TITLES[quantity]


def _mean_header(spec: TableSpec) -> Header:
    key: tuple[FactorValue, ...] = (MEAN, *([LACKING] * (len(spec.rows) - 1)))
    labels = tuple(Label(str(v) if v != LACKING else "") for v in key[: len(spec.rows)])
    return Header(key[: len(spec.rows)], labels, is_mean=True)


def _mean_row(
    spec: TableSpec,
    filler: Filler,
    columns: Sequence[Header],
    drafts: Sequence[Sequence[Draft]],
    rows: Sequence[Header],
) -> list[Draft]:
    """Return the geometric means of the paired ratios of each column; unmatched rows are named."""
    means: list[Draft] = []
    for position, column in enumerate(columns):
        line = [draft[position][0] for draft in drafts]
        values = [c.value for c in line if _is_pair(c) and c.value is not None and c.value > 0]
        if column.quantity in ("value", "repeats") or not values:
            means.append((Cell("absent", text=""), ()))
            continue
        note = filler.notebook.add(f"geometric mean over the {len(values)} rows that have both")
        means.append((Cell("number", geometric_mean(values)), (note,)))
        unmatched = [
            " ".join(label.text for label in rows[i].labels)
            for i, cell in enumerate(line)
            if cell.kind != "number" and _has_number(drafts[i])
        ]
        if unmatched:
            message = f"{len(unmatched)} rows are not in the geometric mean, they have no pair: "
            filler.findings.append(
                Finding("note", Rule.TABLE_SETS_DIFFER, spec.id, message + "; ".join(unmatched))
            )
    return means


def _is_pair(cell: Cell) -> bool:
    """Return whether a cell compares a case with another: the baseline's own ratio is no pair."""
    compared = cell.comparison is not None and cell.comparison.baseline is not cell.case
    return cell.kind == "number" and compared


def _has_number(line: Sequence[Draft]) -> bool:
    return any(cell.kind == "number" and not math.isnan(cell.value or 0.0) for cell, _ in line)


def _ids(spec: TableSpec, facets: Sequence[Key]) -> list[str]:
    """Return an id for each facet that can be a path; values that look alike there get a digest."""
    if not spec.facets:
        return [spec.id]
    slugs = ["-".join(re.sub(r"[^A-Za-z0-9._]+", "-", str(v)).strip("-") for v in facet) for facet in facets]
    return [
        f"{spec.id}/{slug}"
        if slugs.count(slug) == 1 and slug.strip("-.")
        else f"{spec.id}/{slug}-{_digest(facet)}"
        for slug, facet in zip(slugs, facets, strict=True)
    ]


def _digest(facet: Key) -> str:
    return sha256(repr(facet).encode("utf-8", "backslashreplace")).hexdigest()[:8]


def _facet_text(spec: TableSpec, name: str, value: FactorValue) -> str:
    """Return a facet in words; a bare number or yes needs its factor's name to mean anything."""
    shown = label_of_value(spec.labels, name, value).text
    return shown if isinstance(value, str) else f"{label_of_factor(spec.labels, name).text} {shown}"
