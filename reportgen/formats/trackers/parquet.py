"""Refuse tables of results in Parquet, and say how to convert them; other Parquet files are data sets.

A column that names a speed shows a table of results: the names of all columns are in the footer.

Format: https://github.com/apache/parquet-format.
"""

import re

from reportgen.formats.base import Claim, Format, Results
from reportgen.sources.logfiles import HEAD, LogFiles, unreadable

_MAGIC = b"PAR1"
_FIGURE = re.compile(
    rb"[\w./ ]{0,60}(?:throughput|latency|step_time|_per_s|bandwidth|t?flops)[\w./ ]{0,60}", re.IGNORECASE
)


def claims(files: LogFiles) -> Claim | None:
    """Claim a Parquet file with a column that names a speed."""
    path = files.path
    if not files.head(path).startswith(_MAGIC):
        return None
    footer = files.end(path, HEAD) if files.size(path) > HEAD else files.head(path)
    column = _FIGURE.search(footer) if footer.endswith(_MAGIC) else None
    return Claim.of_file(files, 1.0, column[0].decode("ascii", "replace")) if column else None


def read(files: LogFiles) -> Results:
    """Yield the finding that says how to convert the file."""
    reason = "it is a Parquet table; convert it to CSV, with pandas: read_parquet(FILE).to_csv(...)"
    yield unreadable(files.source(files.path), reason)


FORMAT = Format(
    "parquet", "Tables of results in Parquet: recognised, and refused.", claims, read, marks=(_MAGIC,)
)
