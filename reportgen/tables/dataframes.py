"""Runs, steps, cases and tables as pandas DataFrames, for notebooks. Values are in base units, NaN if absent.

A factor whose name is that of another column gets `_factor` appended.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from reportgen.core.case_findings import is_invalid
from reportgen.core.model import Case, FactorValue, Run
from reportgen.document.model import QUANTITY_TITLES, Header
from reportgen.tables.missing import reason_of_case, reason_of_cell
from reportgen.tables.results import Table

_RUN_COLUMNS = ("id", "format", "status", "repeat", "samples_per_step", "path")
_CASE_COLUMNS = (
    "metric", "phase", "value", "unit", "low", "high", "n", "reason", "evidence", "status", "source",
)  # fmt: skip
_STEP_COLUMNS = ("metric", "phase", "rank", "clock", "step", "span", "begin", "value", "samples", "line")


def runs_frame(runs: Sequence[Run], *, environment: bool = False) -> pd.DataFrame:
    """Return one row per run: what it is, its factors, and with `environment` what it ran on."""
    rows = [
        {
            **_prefixed(run.factors, _RUN_COLUMNS),
            **(
                {f"environment.{name}": value for name, value in run.environment.items()}
                if environment
                else {}
            ),
            "id": run.id,
            "format": run.format,
            "status": run.status,
            "repeat": run.repeat,
            "samples_per_step": run.samples_per_step,
            "path": run.source.path,
        }
        for run in runs
    ]
    return _frame(rows, first=_RUN_COLUMNS[:4], last=_RUN_COLUMNS[4:])


def steps_frame(run: Run) -> pd.DataFrame:
    """Return one row per entry of the run's series, in the order of the log."""
    frames = [
        pd.DataFrame(
            {
                "metric": series.metric,
                "phase": series.phase,
                "rank": series.rank,
                "clock": series.clock,
                "step": series.step,
                "span": series.span,
                "begin": series.begin,
                "value": series.value,
                "samples": series.samples,
                "line": series.line,
            }
        )
        for series in run.series
    ]
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=list(_STEP_COLUMNS))


def cases_frame(cases: Sequence[Case]) -> pd.DataFrame:
    """Return one row per case: its factors, the median of its repeats and where it was read."""
    return _frame([_case_row(case) for case in cases], last=_CASE_COLUMNS)


def table_frame(table: Table) -> pd.DataFrame:
    """Return the numbers of a table, rows and columns as they are shown, without those that are invalid.

    The columns have a level `quantity` if the table shows several, such as value and speed-up.
    """
    return _shaped(
        table,
        [
            [cell.value if cell.kind == "number" and not cell.invalid else None for cell in row]
            for row in table.cells
        ],
    )


def reasons_frame(table: Table) -> pd.DataFrame:
    """Return a text beside each number of `table_frame`: why it is missing, "" where it is there."""
    texts = [[reason_of_cell(table, cell) for cell in row] for row in table.cells]
    return _shaped(table, texts, dtype=object)


def _shaped(
    table: Table, values: Sequence[Sequence[float | str | None]], dtype: type = float
) -> pd.DataFrame:
    quantities = {column.quantity for column in table.columns}
    split = list(dict.fromkeys(name for column in table.columns for name, _ in column.split))
    names = [*table.column_factors, *split]
    if len(quantities) > 1 or not names:
        names.append("quantity")
    keys = [_column_key(column, split, len(names)) for column in table.columns]
    return pd.DataFrame(
        values,
        index=_index([row.key for row in table.rows], table.row_factors),
        columns=_index(keys, names),
        dtype=dtype,
    )


def _case_row(case: Case) -> dict[str, Any]:
    # A program computes with what is in the frame.
    summary = None if is_invalid(case) else case.summary
    runs = [*(measurement.run for measurement in case.measurements), *case.unmeasured]
    sources = dict.fromkeys(str(source) for each in case.measurements for source in each.sources)
    return {
        **_prefixed(case.factors, _CASE_COLUMNS),
        "metric": case.metric,
        "phase": case.phase,
        "value": summary.median if summary else None,
        "unit": case.unit,
        "low": summary.low if summary else None,
        "high": summary.high if summary else None,
        "n": case.summary.n if case.summary else 0,
        "reason": reason_of_case(case),
        "evidence": " ".join(sorted({measurement.evidence for measurement in case.measurements})),
        "status": " ".join(dict.fromkeys(run.status for run in runs)),
        "source": _first_of(list(sources or dict.fromkeys(str(run.source) for run in runs))),
    }


def _first_of(sources: Sequence[str]) -> str:
    """Return the first source and the number of the others: a case of many repeats has hundreds."""
    more = f" and {len(sources) - 1} more" if len(sources) > 1 else ""
    return f"{sources[0]}{more}" if sources else ""


def _prefixed(factors: Mapping[str, FactorValue], taken: Iterable[str]) -> dict[str, FactorValue]:
    return {f"{name}_factor" if name in taken else name: value for name, value in factors.items()}


def _frame(
    rows: Sequence[Mapping[str, Any]], *, first: Sequence[str] = (), last: Sequence[str]
) -> pd.DataFrame:
    """Return a frame with factors, in order of appearance, between the first and the last columns."""
    names = dict.fromkeys(name for row in rows for name in row)
    factors = [name for name in names if name not in (*first, *last)]
    return pd.DataFrame(list(rows), columns=[*first, *factors, *last])


def _column_key(column: Header, split: Sequence[str], levels: int) -> tuple[FactorValue, ...]:
    values = dict(column.split)
    key = (*column.key, *(values.get(name, "") for name in split))
    return key if len(key) == levels else (*key, QUANTITY_TITLES[column.quantity])


def _index(keys: Sequence[tuple[FactorValue, ...]], names: Sequence[str]) -> pd.Index:
    if len(names) == 1:
        return pd.Index([key[0] for key in keys], name=names[0])
    return pd.MultiIndex.from_tuples(list(keys), names=list(names)) if names else pd.RangeIndex(len(keys))
