"""Read tables of results in Parquet as the CSV that they would be, with pyarrow (the extra `parquet`).

`as_text` gives that CSV to the readers of tables, so that Parquet has no rules of its own; the line of a
number is its row below a header. The format here is for what they do not read: a table without pyarrow, one
whose columns leave something open, one too large. A column that names a speed shows a table of results;
other Parquet files are data sets.

Format: https://github.com/apache/parquet-format.
"""

import csv
import importlib.util
import io
import json
import re
from collections.abc import Iterator
from typing import Any

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.formats.base import Claim, Format, Results
from reportgen.sources.logfiles import HEAD, WHOLE, LogFiles, unreadable

_MAGIC = b"PAR1"
_FIGURE = lazy_pattern(
    rb"[\w./ ]{0,60}(?:throughput|latency|step_time|_per_s|bandwidth|t?flops)[\w./ ]{0,60}", re.IGNORECASE
)
# A table of results is smaller than the first; a small file may hold a gigabyte of equal texts.
_MAX_CELLS = 1_000_000
_MAX_TEXT = 16 * 2**20
_ROWS_AT_ONCE = 1000
_CONFIDENCE = 0.2


def as_text(files: LogFiles) -> LogFiles:
    """Return the view of a Parquet file as CSV; any other file, and one that cannot be read, as it is."""
    if not files.head(files.path).startswith(_MAGIC):
        return files
    text = _text(files)
    return files.with_content(text) if isinstance(text, bytes) else files


def _text(files: LogFiles) -> bytes | str:
    """Return a Parquet file as CSV, or why it cannot be read with the remedy."""
    if not importlib.util.find_spec("pyarrow"):
        return "Parquet needs pyarrow: install reportgen-bench[parquet], or convert the file to CSV"
    if files.size(files.path) > WHOLE:
        return f"a Parquet table of more than {WHOLE // 2**20} MiB; convert its results to CSV"
    import pyarrow
    from pyarrow.parquet import ParquetFile

    try:
        table = ParquetFile(io.BytesIO(files.bytes(files.path)))
        if table.metadata.num_rows * table.metadata.num_columns > _MAX_CELLS:
            return f"a Parquet table of more than {_MAX_CELLS:,} cells; convert its results to CSV"
        return _csv(table)
    except (pyarrow.ArrowException, OSError, ValueError, OverflowError) as error:
        return f"Parquet is damaged: {str(error).partition(chr(10))[0][:100]}"


def _csv(table: Any) -> bytes | str:
    """Return the rows of a Parquet file as CSV with a header, or why not: they are too long."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table.schema_arrow.names)
    for batch in table.iter_batches(batch_size=_ROWS_AT_ONCE):
        writer.writerows(_rows(batch))
        if text.tell() > _MAX_TEXT:
            return f"a table of more than {_MAX_TEXT // 2**20} MiB of text; convert its results to CSV"
    return text.getvalue().encode()


def _rows(batch: Any) -> Iterator[tuple[str, ...]]:
    columns = [[_cell(value) for value in column.to_pylist()] for column in batch.columns]
    return zip(*columns, strict=True)


def _cell(value: object) -> str:
    """Return a value as people write it in CSV; lists and structures as JSON."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, (list, dict)):
        return json.dumps(value, default=str)
    return str(value)


def claims(files: LogFiles) -> Claim | None:
    """Claim a Parquet file with a column that names a speed."""
    path = files.path
    if not files.head(path).startswith(_MAGIC):
        return None
    footer = files.end(path, HEAD) if files.size(path) > HEAD else files.head(path)
    column = _FIGURE.search(footer) if footer.endswith(_MAGIC) else None
    return Claim.of_file(files, _CONFIDENCE, column[0].decode("ascii", "replace")) if column else None


def read(files: LogFiles) -> Results:
    """Yield the finding that says why the file is not read, and the remedy."""
    text = _text(files)
    open_columns = "its columns do not all name a metric with its unit; reportgen learn FILE proposes [table]"
    yield unreadable(files.source(files.path), text if isinstance(text, str) else open_columns)


FORMAT = Format(
    "parquet",
    "Tables of results in Parquet that are not read: without pyarrow, or with open columns.",
    claims,
    read,
    marks=(_MAGIC,),
    is_last=True,
)
