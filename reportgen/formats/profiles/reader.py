"""Read tables of profilers: CSV of `nsys stats`, CSV of `ncu`, a printed table of torch's profiler.

A profile is never a run. A file yields a note that names the kernel, call or operator that takes longest;
`load` adds it to the run beside the file. The share is of the times in the table, not of the wall time.

Formats: https://docs.nvidia.com/nsight-systems/UserGuide, statistical analysis;
https://docs.nvidia.com/nsight-compute/NsightComputeCli, `--csv`; torch/autograd/profiler_util.py.
"""

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from csv import Error as CsvError
from dataclasses import dataclass, replace

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.model import Finding
from reportgen.core.plain_text import one_line
from reportgen.core.rules import Rule
from reportgen.formats.base import Results
from reportgen.formats.parsing.csv_cells import number, rows
from reportgen.formats.parsing.text_log import TextLog, TextSign, format_of

_NAME = "profile"
# Programs that print a table themselves are logs of their own.
_CONFIDENCE = 0.3
_NSYS = lazy_pattern(rb"^(?=[^\n]*\bTime ?\(%\))(?=[^\n]*\bTotal Time ?\()[^\n]*,[^\n]*$", re.MULTILINE)
_NCU = lazy_pattern(rb'^"?ID"?,"?Process ID"?,[^\n]*\bKernel Name\b', re.MULTILINE)
_TORCH = lazy_pattern(rb"^-{3,}(?: {2}-{3,})+ *\n *Name +Self CPU\b", re.MULTILINE)

# The column of nsys that counts -> what its rows are. Ranges of NVTX count like kernels; their names differ.
_COUNTED: Mapping[str, str] = {"Instances": "kernel", "NumCalls": "API call", "Count": "memory operation"}
_NAMES: Mapping[str, str] = {"Name": "", "Operation": "", "Range": "range"}
_SHARE = "Time(%)"
# The metric of ncu, in its sections and by its own name, and units of time in ns.
_DURATIONS = ("Duration", "gpu__time_duration.sum")
_NANOSECONDS: Mapping[str, float] = {
    "ns": 1.0, "nsecond": 1.0, "us": 1e3, "usecond": 1e3, "ms": 1e6, "msecond": 1e6, "s": 1e9, "second": 1e9,
}  # fmt: skip
_MAX_NANOSECONDS = 1e18
_DASHES = lazy_pattern(r"-{3,}")
_SELF = lazy_pattern(r"Self (\w+) %")
_MAX_NAME_CHARS = 60


@dataclass(frozen=True, slots=True)
class _Profile:
    """The rows of a table: what one is, and name -> share in %, NaN if the table has no times."""

    kind: str
    shares: Mapping[str, float]

    def text(self) -> str:
        """Return how many rows there are and which takes longest."""
        count = len(self.shares)
        said = f"{count:,} {self.kind}{'s' if count > 1 else ''}"
        known = {name: share for name, share in self.shares.items() if math.isfinite(share)}
        if not known:
            return said
        longest = max(known, key=lambda name: known[name])
        name = one_line(longest)
        short = name if len(name) <= _MAX_NAME_CHARS else f"{name[: _MAX_NAME_CHARS - 3]}..."
        return f"{said}, longest: {short} {known[longest]:.3g} %"


def read(log: TextLog) -> Results:
    """Yield the note that says what a profile contains; nothing if it has no rows."""
    text = log.content.decode("utf-8", "replace")
    try:
        profile = _read_nsys(text) or _read_ncu(text) or _read_torch(log.content)
    except CsvError:
        profile = None
    if profile and profile.shares:
        name, source = log.files.path.rpartition("/")[2], log.source
        message = f"{profile.kind} profile: {name}, {profile.text()}"
        detail = "a profile is evidence of a run, not a benchmark result"
        yield Finding("note", Rule.READ_PROFILE, source.path, message, source, detail)
        yield from log.malformed.findings()


_TABLES = format_of(
    _NAME,
    "Tables of nsys stats, ncu and torch's profiler.",
    (
        TextSign((b"Time (%)", b"Time(%)"), _NSYS, _CONFIDENCE),
        TextSign((b"Process ID",), _NCU, _CONFIDENCE),
        TextSign((b"Self CPU",), _TORCH, _CONFIDENCE),
    ),
    read,
)
FORMAT = replace(_TABLES, evidence="profile")


def _tables(text: str, first: str) -> Iterator[list[str]]:
    """Yield the rows of a CSV text from the first that has a cell."""
    at = text.find(first)
    start = text.rfind("\n", 0, max(at, 0)) + 1
    yield from (cells for _, cells in rows(text[start:])) if at >= 0 else ()


def _read_nsys(text: str) -> _Profile | None:
    """Return the first table of `nsys stats`; its columns have no fixed order."""
    table = _tables(text, "Time (%)" if "Time (%)" in text else _SHARE)
    header = [cell.replace(" ", "") for cell in next(table, [])]
    name = next((name for name in _NAMES if name in header), "")
    counted = next((column for column in _COUNTED if column in header), "")
    if _SHARE not in header or not name or not counted:
        return None
    shares: dict[str, float] = defaultdict(float)
    for cells in table:
        share = _percent(cells[header.index(_SHARE)]) if len(cells) == len(header) else None
        if share is None:
            break  # the next table
        shares[cells[header.index(name)]] += share
    return _Profile(_NAMES[name] or _COUNTED[counted], shares)


def _read_ncu(text: str) -> _Profile | None:
    """Return the kernels of `ncu --csv`: a row for each metric, or a column for each below a row of units."""
    table = _tables(text, "Process ID")
    header = next(table, [])
    if "Kernel Name" not in header:
        return None
    times: dict[str, float] = defaultdict(float)
    for cells in table:
        row = dict(zip(header, cells, strict=False))
        if len(cells) == len(header) and row.get("ID", "").isdecimal():
            times[row["Kernel Name"]] += _nanoseconds(row)
    total = math.fsum(times.values())
    shares = {name: 100 * time / total if total > 0 else math.nan for name, time in times.items()}
    return _Profile("kernel", shares)


def _nanoseconds(row: Mapping[str, str]) -> float:
    """Return the time in a row, 0 if it has another metric; the unit of a column is the same in all rows."""
    if "Metric Name" not in row:
        text, unit = next((row[name] for name in _DURATIONS if name in row), ""), 1.0
    elif row["Metric Name"] in _DURATIONS:
        text, unit = row.get("Metric Value", ""), _NANOSECONDS.get(row.get("Metric Unit", ""), math.nan)
    else:
        return 0.0
    time = (number(text) or 0.0) * unit
    return time if 0 <= time < _MAX_NANOSECONDS else math.nan


def _percent(text: str) -> float | None:
    """Return a number from 0 to 100, None for any other text."""
    share = number(text.rstrip("%").strip())
    return share if share is not None and 0 <= share <= 100 else None


def _read_torch(content: bytes) -> _Profile | None:
    """Return the operators of a table that torch's profiler printed; dashes give the width of its columns."""
    match = _TORCH.search(content)
    lines = iter(content[match.start() :].decode("utf-8", "replace").split("\n") if match else ())
    spans = [dashes.span() for dashes in _DASHES.finditer(next(lines, ""))]
    header = _cut(next(lines, ""), spans)
    own = [name for name in header if _SELF.fullmatch(name)]
    if not own or header[0] != "Name":
        return None
    # The device's own time, where the table has it; that of the host includes waiting for the device.
    column = header.index(next((name for name in own if name != "Self CPU %"), own[0]))
    shares: dict[str, float] = defaultdict(float)
    next(lines, "")
    for line in lines:
        cells = _cut(line, spans)
        share = _percent(cells[column]) if len(cells) == len(header) else None
        if share is None:
            break
        shares[cells[0]] += share
    return _Profile("operator", shares)


def _cut(line: str, spans: Sequence[tuple[int, int]]) -> list[str]:
    return [line[begin:end].strip() for begin, end in spans]
