"""Write the steps of logs, or their measured values, as one Parquet file for DuckDB, Polars and pandas.

A table of `steps` has a row for each entry of each series, with its file and line. A table of `runs` has the
rows of `reportgen runs --format csv`, with types. Values are in base units; what a log does not say is null.

Steps are not collected: each batch of logs becomes rows where its result arrives, and rows are written in
groups, so memory does not grow with the logs. Values of runs are as many as `reportgen runs` lists.
"""

import math
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from reportgen.core.errors import RequestError
from reportgen.core.metrics import metric_of
from reportgen.core.model import Finding, FloatArray, Run, Series
from reportgen.load import iterate_logs
from reportgen.load.worker import RunMapper, Shared
from reportgen.protocol import Protocol
from reportgen.report.listing import list_runs
from reportgen.report.run_entry import MeasurementEntry, RunEntry

RowKind = Literal["steps", "runs"]
Progress = Callable[[int, int], None]

# Rows in memory before they are written, and in each group of the file.
_GROUP = 250_000


@dataclass(frozen=True, slots=True)
class Exported:
    """A written file: the number of rows, and of the runs that they are of.

    problems  findings, other than notes, about files that gave no run
    """

    rows: int
    runs: int
    problems: int


def export_steps(file: Path, logs: Path, *, root: Path, progress: Progress | None = None) -> Exported:
    """Write a row for each entry of each series below a file or folder of logs.

    Raises RequestError without pyarrow, without steps, for a file among the logs, and for one that cannot be
    written.
    """
    arrow = _arrow()
    runs = problems = 0

    def tables() -> Iterator[Any]:
        nonlocal runs, problems
        mapper = RunMapper(_run_steps, _unmarked, _unnamed, _unshared)
        for result in iterate_logs([logs], mapper, root=root, progress=progress):
            made = [steps for parsed in result.parsed for _, steps in parsed.runs if steps.series]
            runs += len(made)
            problems += _problems(result.findings)
            if made:
                yield _steps_table(arrow, made)

    rows = _write(arrow, file, logs, tables(), "no log has steps")
    return Exported(rows, runs, problems)


def export_runs(
    file: Path, logs: Path, protocol: Protocol, *, root: Path, progress: Progress | None = None
) -> Exported:
    """Write a row for each measured value of each run below a file or folder of logs.

    A run without values has a row. Raises RequestError as `export_steps`.
    """
    pa = _arrow()
    listing = list_runs([logs], protocol, root=root, progress=progress)
    runs = listing.runs
    schema = _runs_schema(pa, runs)
    values = list(_values(runs))
    groups = (values[start : start + _GROUP] for start in range(0, len(values), _GROUP))
    tables = (_runs_table(pa, schema, group) for group in groups)
    rows = _write(pa, file, logs, tables, "no runs")
    return Exported(rows, len(runs), _problems(listing.file_findings))


def _problems(findings: Iterable[Finding]) -> int:
    return sum(finding.severity != "note" for finding in findings)


def _arrow() -> Any:
    """Return pyarrow with its Parquet; it is not a requirement, and has no types."""
    try:
        import pyarrow.parquet
    except ImportError:
        remedy = "install it: pip install reportgen-bench[parquet]"
        raise RequestError("export", "Parquet needs pyarrow", remedy) from None
    return pyarrow


def _write(pa: Any, file: Path, logs: Path, tables: Iterable[Any], without: str) -> int:
    """Write tables of one schema to a file, whole or not at all, and return the number of rows."""
    if file.resolve().is_relative_to(logs.resolve()):
        raise RequestError(str(file), "is below the logs that it is made of", "write it elsewhere")
    part = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        with part.open("wb") as sink:
            rows = _write_groups(pa, sink, tables)
        if not rows:
            raise RequestError(str(logs), without, "see what is found there with `reportgen runs`")
        part.replace(file)
    except OSError as error:
        raise RequestError(
            str(file), f"cannot be written: {error.strerror or error}", "check the folder"
        ) from error
    finally:
        part.unlink(missing_ok=True)
    return rows


def _write_groups(pa: Any, sink: Any, tables: Iterable[Any]) -> int:
    """Write rows in groups of about the same size; return how many there were."""
    writer, waiting, rows = None, [], 0
    for table in tables:
        waiting.append(table)
        rows += len(table)
        if sum(map(len, waiting)) >= _GROUP:
            writer = _write_group(pa, sink, writer, waiting)
            waiting = []
    if waiting:
        writer = _write_group(pa, sink, writer, waiting)
    if writer:
        writer.close()
    return rows


def _write_group(pa: Any, sink: Any, writer: Any, tables: Sequence[Any]) -> Any:
    writer = writer or pa.parquet.ParquetWriter(sink, tables[0].schema, compression="zstd")
    writer.write_table(pa.concat_tables(tables), row_group_size=_GROUP)
    return writer


# Steps


@dataclass(frozen=True, slots=True)
class _RunSteps:
    """The part of a run that is exported: its steps, and whether they are a result."""

    id: str
    status: str
    profiler: str
    series: tuple[Series, ...]


def _run_steps(run: Run) -> _RunSteps:
    series = tuple(series for series in run.series if len(series.step))
    return _RunSteps(run.id, run.status, run.profiler, series)


def _unmarked(steps: _RunSteps, finding: Finding) -> _RunSteps:
    return steps


def _unnamed(steps: _RunSteps, id: str) -> _RunSteps:
    return steps


def _unshared(steps: _RunSteps, known: Shared) -> _RunSteps:
    return steps


def _steps_table(pa: Any, runs: Sequence[_RunSteps]) -> Any:
    """Return the rows of several runs: the columns of `reportgen.steps`, with run, status, unit and file."""
    every = [(run, series) for run in runs for series in run.series]
    lengths = [len(series.step) for _, series in every]

    def repeated(values: Iterable[object]) -> Any:
        """Return a text for each series, for all of its rows; null for an empty one."""
        known: dict[object, int] = {}
        codes = [known.setdefault(value, len(known)) for value in values]
        codes_of_rows = np.repeat(np.array(codes, dtype=np.int32), lengths)
        indices = pa.array(codes_of_rows, mask=codes_of_rows == known.get("", -1))
        return pa.DictionaryArray.from_arrays(indices, pa.array(list(map(_text, known)), pa.string()))

    def joined(values: Iterable[Any], type: str) -> Any:
        return pa.array(np.concatenate([np.asarray(each, dtype=type) for each in values]))

    def known(values: Iterable[FloatArray]) -> Any:
        numbers = np.concatenate(list(values))
        return pa.array(numbers, mask=np.isnan(numbers))

    lines = np.concatenate([series.line for _, series in every]).astype(np.int64)
    return pa.table(
        {
            "run": repeated(run.id for run, _ in every),
            "status": repeated(run.status for run, _ in every),
            "profiler": repeated(run.profiler for run, _ in every),
            "metric": repeated(series.metric for _, series in every),
            "phase": repeated(series.phase for _, series in every),
            "unit": repeated(metric_of(series.metric, series.unit).unit for _, series in every),
            "rank": pa.array(np.repeat(np.array([s.rank for _, s in every], dtype=np.int32), lengths)),
            "clock": repeated(series.clock for _, series in every),
            "step": joined((series.step for _, series in every), "int64"),
            "span": joined((series.span for _, series in every), "int64"),
            "begin": known(series.begin for _, series in every),
            "value": known(series.value for _, series in every),
            "samples": known(series.samples for _, series in every),
            "file": repeated(series.source.path for _, series in every),
            "line": pa.array(lines, mask=lines <= 0),
        }
    )


# Runs


def _values(runs: Iterable[RunEntry]) -> Iterator[tuple[RunEntry, MeasurementEntry | None]]:
    for run in runs:
        for value in run.measurements or (None,):
            yield run, value


def _runs_schema(pa: Any, runs: Sequence[RunEntry]) -> Any:
    """Return the columns of a run, of a value, and one for each factor."""
    texts = ("id", "path", "format", "status")
    of_value = ("metric", "phase", "value", "unit", "evidence", "invalid")
    names = sorted({name for run in runs for name in run.factors})
    return pa.schema(
        [
            *((name, pa.string()) for name in texts),
            ("repeat", pa.int64()),
            ("steps", pa.int64()),
            *((name, pa.float64() if name == "value" else pa.string()) for name in of_value),
            *((f"factor:{name}", _factor_type(pa, runs, name)) for name in names),
            ("findings", pa.list_(pa.string())),
        ]
    )


def _factor_type(pa: Any, runs: Iterable[RunEntry], name: str) -> Any:
    """Return the type that all values of a factor have; text if they have several."""
    kinds = {type(run.factors[name]) for run in runs if run.factors.get(name) is not None}
    if kinds == {bool}:
        return pa.bool_()
    if kinds == {int}:
        return pa.int64()
    return pa.float64() if kinds and kinds <= {int, float} else pa.string()


def _runs_table(pa: Any, schema: Any, group: Sequence[tuple[RunEntry, MeasurementEntry | None]]) -> Any:
    rows = [_row(run, value) for run, value in group]
    texts = {field.name for field in schema if field.type == pa.string()}
    columns = [
        pa.array(
            [_text(cell) if field.name in texts and cell is not None else cell for cell in column], field.type
        )
        for field, column in zip(schema, ([row.get(f.name) for row in rows] for f in schema), strict=True)
    ]
    return pa.Table.from_arrays(columns, schema=schema)


def _row(run: RunEntry, value: MeasurementEntry | None) -> dict[str, Any]:
    """Return the cells of a row; those that are absent are null."""
    row: dict[str, Any] = {f"factor:{name}": factor for name, factor in run.factors.items()}
    row |= {name: getattr(run, name) for name in ("id", "path", "format", "status", "repeat")}
    row |= {"steps": run.steps.count, "findings": list(dict.fromkeys(each.rule for each in run.findings))}
    if value is not None:
        row |= {name: getattr(value, name) for name in ("metric", "phase", "unit", "evidence", "invalid")}
        row["value"] = None if value.value is None or not math.isfinite(value.value) else float(value.value)
    return row


def _text(value: object) -> str:
    """Return a value as UTF-8 text; booleans as a log of JSON has them."""
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()
