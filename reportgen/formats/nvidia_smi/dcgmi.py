"""Read what `dcgmi dmon` prints: the telemetry of GPUs, by the short names of the fields in its header.

A file becomes one Run of telemetry, with a Telemetry per GPU. `load` joins it to the run beside it. The rows
have no time, so all of them count. Fields without a metric here, and rows of other entities (parts of a GPU,
switches), are left out. "N/A" is absent.

Format: https://github.com/NVIDIA/DCGM, dcgmi/DeviceMonitor.cpp; the names are the short ones of dcgm_fields.
"""

import re
from collections.abc import Mapping

import numpy as np

from reportgen.core import units
from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.model import Telemetry
from reportgen.core.rules import Rule
from reportgen.formats.base import Claim, Format, Results
from reportgen.formats.parsing.run_builder import ResultRun
from reportgen.formats.parsing.text_log import TextLog, is_binary, without_controls
from reportgen.sources.logfiles import LogFiles

_NAME = "dcgmi"
# Field -> (metric, unit).
_FIELDS: Mapping[bytes, tuple[str, str]] = {
    b"GPUTL": ("utilization", "%"), b"MCUTL": ("memory_utilization", "%"), b"POWER": ("power", "W"),
    b"TMPTR": ("temperature", "C"), b"MMTMP": ("temperature_memory", "C"), b"SMCLK": ("sm_clock", "MHz"),
    b"MMCLK": ("memory_clock", "MHz"), b"FBTTL": ("memory_total", "MiB"), b"FBUSD": ("memory_used", "MiB"),
    b"FBFRE": ("memory_free", "MiB"),
}  # fmt: skip
_HEADER = lazy_pattern(rb"^[ \t]*#[ \t]*Entity((?:[ \t]+[A-Z][A-Z0-9]{1,7})+)[ \t]*\r?$", re.MULTILINE)
_ROW = lazy_pattern(rb"^[ \t]*GPU[ \t]+(\d{1,4})((?:[ \t]+\S+)+)[ \t]*\r?$")


def claims(files: LogFiles) -> Claim | None:
    """Claim a file with a header of dmon that has a field of `_FIELDS`."""
    head = files.head(files.path)
    if is_binary(head):
        return None
    head = without_controls(head)
    match = _HEADER.search(head)
    if not match or not any(name in _FIELDS for name in match[1].split()):
        return None
    return Claim.at(files, 0.9, match[0].decode("ascii", "replace").strip()[:80], head, match.start())


def read(files: LogFiles) -> Results:
    """Yield the run of a file; without a sample it has no telemetry, and a finding."""
    log, run = TextLog(files), ResultRun.of_file(_NAME, files)
    names: list[bytes] = []
    samples: dict[str, list[dict[str, float]]] = {}
    for line, text in enumerate(log.content.split(b"\n"), 1):
        if header := _HEADER.match(text):
            names = header[1].split()
        elif row := _ROW.match(text):
            cells = row[2].split()
            if len(cells) == len(names):
                samples.setdefault(row[1].decode(), []).append(_values(names, cells))
            else:
                log.malformed.add(line, f"not the {len(names)} cells of the header")
    run.telemetry = tuple(_telemetry(device, rows, run) for device, rows in sorted(samples.items()))
    if not samples:
        run.note(Rule.READ_INCOMPLETE_RUN, "no sample was recorded")
    elif all(len(rows) == 1 for rows in samples.values()):
        run.status = "partial"
        run.note(Rule.READ_INCOMPLETE_RUN, "a snapshot: one sample of each device")
    run.findings += log.malformed.findings()
    yield run.run()


def _values(names: list[bytes], cells: list[bytes]) -> dict[str, float]:
    """Return metric -> value in its base unit."""
    values = {}
    for name, cell in zip(names, cells, strict=True):
        if name in _FIELDS and re.fullmatch(rb"\d{1,12}(?:\.\d{1,12})?", cell):
            metric, unit = _FIELDS[name]
            values[metric] = units.to_base(float(cell), unit)[0]
    return values


def _telemetry(device: str, rows: list[dict[str, float]], run: ResultRun) -> Telemetry:
    metrics = sorted({metric for row in rows for metric in row})
    columns = {name: np.array([row.get(name, np.nan) for row in rows], np.float64) for name in metrics}
    return Telemetry(device, np.full(len(rows), np.nan), columns, run.source)


FORMAT = Format(
    _NAME,
    "Output of `dcgmi dmon`: telemetry of GPUs.",
    claims,
    read,
    marks=(b"Entity",),
    evidence="telemetry",
)
