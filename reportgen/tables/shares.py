"""Make the series of an ecdf: the share of steps, of repeats, or of rows up to each value."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from reportgen.core.errors import RequestError
from reportgen.core.model import STEP, FloatArray, Measurement
from reportgen.core.units import Unit, choose
from reportgen.document.model import Header
from reportgen.protocol.available import series_of
from reportgen.protocol.steps import measurable_entries
from reportgen.tables.figure_rows import column_words, row_name, shown_title
from reportgen.tables.results import Cell, Figure, FigureSeries, Table
from reportgen.tables.spec import FigureSpec

# As many points of a long series as can be distinguished; the first and the last one are always among them.
_MAX_POINTS = 200


def share_figure(spec: FigureSpec, table: Table, columns: Sequence[int], unit: Unit | None) -> Figure:
    """Return the figure of a table; a series has all repeats of a case, or all rows of a column.

    unit  of the shown value; None for step times
    """
    series = tuple((_of_rows if spec.of == "rows" else _of_cases)(spec, table, columns))
    if not series and spec.of == "steps":
        fact = f'no run of "{spec.table}" has steps to show'
        raise RequestError(f"{spec.place}.table", fact, 'use of = "repeats"')
    x_unit = unit or choose((float(x) for each in series for x in each.x), "s")
    return Figure(
        "",
        "",
        spec.kind,
        shown_title(spec, table, columns) if unit else "Step time",
        f"share of {spec.of}",
        Unit("%", "ratio", 0.01),
        (),
        series,
        x_unit=x_unit,
    )


def _of_rows(spec: FigureSpec, table: Table, columns: Sequence[int]) -> Iterator[FigureSeries]:
    """Yield the numbers of each column with their cases, in order; a baseline's own ratio says nothing."""
    for position in columns:
        cells = [
            (cell.value, cell)
            for row, line in zip(table.rows, table.cells, strict=True)
            if (cell := line[position]).value is not None and cell.kind == "number" and not row.is_mean
        ]
        cells.sort(key=lambda pair: pair[0])
        kept = [(value, cell) for value, cell in cells if math.isfinite(value) and not _is_baseline(cell)]
        if kept:
            x = tuple(value for value, _ in kept)
            y = tuple(place / len(kept) for place in range(1, len(kept) + 1))
            yield FigureSeries(
                column_words(table, position), x, y, cases=tuple(cell.case for _, cell in kept)
            )


def _is_baseline(cell: Cell) -> bool:
    return cell.comparison is not None and cell.comparison.baseline is cell.case


def _of_cases(spec: FigureSpec, table: Table, columns: Sequence[int]) -> Iterator[FigureSeries]:
    for row, cells in zip(table.rows, table.cells, strict=True):
        for position in columns:
            values, weights = _values(spec, row, cells[position])
            if len(values):
                names = [
                    row_name(row) if len(table.rows) > 1 else "",
                    column_words(table, position) if len(columns) > 1 else "",
                ]
                name = " ".join(name for name in names if name) or row_name(row)
                shown = _of(name, values, weights)
                yield replace(shown, cases=(cells[position].case,) * len(shown.x))


def _values(spec: FigureSpec, row: Header, cell: Cell) -> tuple[FloatArray, FloatArray]:
    """Return the values behind a cell and how many steps or repeats each of them is."""
    has_values = cell.case is not None and cell.kind != "status" and not row.is_mean
    measurements = cell.case.measurements if cell.case and has_values else ()
    if spec.of == "repeats":
        return np.array([each.value for each in measurements]), np.ones(len(measurements))
    parts = [_steps(each) for each in measurements]
    values, weights = ([part[i] for part in parts] or [np.array([])] for i in (0, 1))
    return np.concatenate(values), np.concatenate(weights)


def _steps(measurement: Measurement) -> tuple[FloatArray, FloatArray]:
    """Return the times of the measured steps of all ranks, and how many steps have each.

    Measured are those behind the value of the run: neither the warm-up nor gaps.
    """
    values, weights = [np.array([])], [np.array([])]
    for series in series_of(measurement.run, "step_time", STEP):
        entries = measurable_entries(series)
        window = measurement.window
        inside = np.ones(len(entries), dtype=bool)
        if window:
            inside = (entries.first >= window.first) & (entries.last <= window.last)
            inside &= ~np.isin(entries.last, window.gaps)
        values.append((entries.value / entries.span)[inside])
        weights.append(entries.span[inside].astype(float))
    return np.concatenate(values), np.concatenate(weights)


def _of(name: str, values: FloatArray, weights: FloatArray) -> FigureSeries:
    order = np.argsort(values, kind="stable")
    x, share = values[order], np.cumsum(weights[order]) / weights.sum()
    if len(x) > _MAX_POINTS:
        kept = np.unique(np.linspace(0, len(x) - 1, _MAX_POINTS).round().astype(int))
        x, share = x[kept], share[kept]
    return FigureSeries(name, tuple(map(float, x)), tuple(map(float, share)))
