"""Read the CSV of `nvidia-smi --query-gpu=... --format=csv`, with header or columns named in labels.toml.

A file becomes one Run of telemetry alone, with a Telemetry per device. Time runs from the first sample: the
log has local time without a zone, and nothing in it tells on which clock a training run beside it ran. Values
that the driver does not have ("[N/A]") are absent.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from csv import Error as CsvError
from datetime import datetime

import numpy as np

from reportgen.core.model import FactorValue, Finding, FloatArray, Run, Telemetry
from reportgen.core.rules import Rule
from reportgen.formats.base import Claim, Format
from reportgen.formats.nvidia_smi.fields import FACTS, IDENTITIES, MARKS, REASONS, Field, field
from reportgen.formats.parsing.csv_cells import rows
from reportgen.formats.parsing.damage import Malformed
from reportgen.formats.parsing.text_log import is_binary
from reportgen.sources.logfiles import LogFiles

_NAME = "nvsmi"
_SHORT = 12
_PROBED_LINES = 5
# Rows of one sample are printed within this time of each other, s.
_SAME_SAMPLE = 0.02
_EPOCH = datetime(1970, 1, 1)  # the log has no time zone, and only differences are used


def claims(files: LogFiles) -> Claim | None:
    """Claim a file whose first line is a header of nvidia-smi, or that fits the columns labels.toml names."""
    if files.is_folder:
        return None
    head = files.head(files.path)
    if is_binary(head) or not head.strip():
        return None
    try:
        lines = _complete(rows(head.decode("utf-8", "replace")), _PROBED_LINES)
    except CsvError:
        return None
    if not lines:
        return None
    line, first = lines[0]
    fields = _header(first)
    if fields and any(one.is_telling for one in fields):
        share = sum(one.is_known for one in fields) / len(fields)
        return Claim(0.95 * share, files.source(files.path, line), ", ".join(first)[:80], (files.path,))
    named = _settings(files)
    if not named or not all(_fits(named, cells) for _, cells in lines):
        return None
    reason = "rows that fit the columns in labels.toml"
    return Claim(0.7, files.source(files.path, line), reason, (files.path,))


def read(files: LogFiles) -> Iterator[Run | Finding]:
    """Yield the run of the file's telemetry."""
    yield _Monitor(files).run()


FORMAT = Format(_NAME, "CSV output of `nvidia-smi --query-gpu`.", claims, read, marks=MARKS)


class _Monitor:
    """One file: its samples, column by column."""

    def __init__(self, files: LogFiles) -> None:
        self.files, self.id = files, files.id(files.path)
        self.malformed = Malformed(self.id, files.source(files.path).path)
        self.fields: list[Field] = []
        self.cells: list[list[str]] = []
        self.lines: list[int] = []
        self._read_rows()

    def run(self) -> Run:
        """Return the run; a file without a sample gives one without telemetry, and a finding."""
        values = self._values()
        t = self._times()
        rows_of: dict[str, list[int]] = defaultdict(list)
        for row, device in enumerate(self._devices(t)):
            rows_of[device].append(row)
        t = t - t.min(initial=np.inf, where=np.isfinite(t))
        source = self.files.source(self.files.path)
        telemetry = [
            Telemetry(device, t[mine], {metric: column[mine] for metric, column in values.items()}, source)
            for device, mine in rows_of.items()
        ]
        findings = self.malformed.findings()
        if not telemetry:
            none = Finding("warning", Rule.READ_INCOMPLETE_RUN, self.id, "no sample was recorded", source)
            findings = (*findings, none)
        return Run(
            self.id,
            _NAME,
            source,
            self._factors(),
            self._environment(),
            telemetry=tuple(telemetry),
            findings=findings,
        )

    def _read_rows(self) -> None:
        """Take the rows that have as many cells as the header, which recurs where logs were appended."""
        content = self.files.bytes(self.files.path)
        end, kept = content.rfind(b"\n") + 1, dict[str, str]()
        if end < len(content):
            self.malformed.add(content.count(b"\n") + 1, "a last line without an end, left out")
        try:
            for line, cells in rows(content[:end].decode("utf-8", "replace")):
                header = _header(cells)
                if header and any(one.is_telling for one in header):
                    if self.fields and header != self.fields:
                        self.malformed.add(line, "a header that differs from the first")
                    self.fields = self.fields or header
                    continue
                self.fields = self.fields or _settings(self.files)
                if len(cells) == len(self.fields):
                    # Values repeat, times do not: a text is kept once.
                    self.cells.append(
                        [cell if len(cell) > _SHORT else kept.setdefault(cell, cell) for cell in cells]
                    )
                    self.lines.append(line)
                else:
                    self.malformed.add(line, f"not the {len(self.fields)} cells of the header")
        except CsvError as error:
            self.malformed.add(1, f"not CSV: {error}")

    def _values(self) -> dict[str, FloatArray]:
        """Return metric -> values, and leave out the rows with a damaged cell."""
        found: dict[str, list[list[float]]] = defaultdict(list)
        usable = [True] * len(self.cells)
        for number, one in enumerate(self.fields):
            if not one.metric:
                continue
            known: dict[str, float | None] = {}
            column = []
            for row, cells in enumerate(self.cells):
                text = cells[number]
                if text not in known:
                    known[text] = one.value(text)
                value = known[text]
                if value is None:
                    self.malformed.add(self.lines[row], f"{one.name}: not a value")
                    usable[row] = False
                column.append(np.nan if value is None else value)
            found[one.metric].append(column)
        keep = np.array(usable, dtype=bool)
        self.cells = [cells for cells, is_usable in zip(self.cells, usable, strict=True) if is_usable]
        return {metric: _together(metric, columns)[keep] for metric, columns in found.items()}

    def _times(self) -> FloatArray:
        """Return the time of each row in s, NaN where there is none."""
        column = self._column("timestamp")
        return np.array([_seconds(text) for text in column]) if column else np.full(len(self.cells), np.nan)

    def _column(self, name: str) -> list[str]:
        numbers = [number for number, one in enumerate(self.fields) if one.name == name]
        return [cells[numbers[0]] for cells in self.cells] if numbers else []

    def _devices(self, t: FloatArray) -> list[str]:
        """Return the device of each row."""
        for name in IDENTITIES:
            if column := self._column(name):
                return column
        positions = _positions(t, self._column("count"))
        names = self._column("name") or ["gpu"] * len(self.cells)
        return [f"{name}#{position}" for name, position in zip(names, positions, strict=True)]

    def _factors(self) -> dict[str, FactorValue]:
        names = {name for name in self._column("name") if name and not name.startswith("[")}
        return {"device": names.pop()} if len(names) == 1 else {}

    def _environment(self) -> dict[str, FactorValue]:
        facts: dict[str, FactorValue] = {}
        for name, fact in FACTS.items():
            values = dict.fromkeys(text for text in self._column(name) if text and not text.startswith("["))
            if values:
                facts[fact] = " | ".join(values)
        return facts


def _header(cells: Sequence[str]) -> list[Field] | None:
    """Return the fields that the cells name, None where one of them is no name."""
    fields = [field(cell) for cell in cells]
    return None if None in fields else [one for one in fields if one]


def _settings(files: LogFiles) -> list[Field]:
    """Return the columns that labels.toml gives to a file without header."""
    columns = files.settings.get(_NAME, {}).get("columns", [])
    texts = [text for text in columns if isinstance(text, str)] if isinstance(columns, list) else []
    return [field(text) or Field(text) for text in texts]


def _fits(fields: Sequence[Field], cells: Sequence[str]) -> bool:
    return len(fields) == len(cells) and all(
        not one.metric or one.value(cell) is not None for one, cell in zip(fields, cells, strict=True)
    )


def _complete(lines: Iterator[tuple[int, list[str]]], count: int) -> list[tuple[int, list[str]]]:
    """Return the first rows, less the last one where the head of the file may have cut it."""
    found = [row for _, row in zip(range(count + 1), lines, strict=False)]
    return found[:count] if len(found) > 1 else found


def _together(metric: str, columns: Sequence[Sequence[float]]) -> FloatArray:
    """Return one column: the bits of all throttle reasons, else the first value that is there."""
    arrays = [np.array(column, dtype=np.float64) for column in columns]
    if metric == REASONS:
        masks = [np.nan_to_num(one).astype(np.uint64) for one in arrays]
        together: FloatArray = np.bitwise_or.reduce(masks).astype(np.float64)
        return np.where(np.all([np.isnan(one) for one in arrays], axis=0), np.nan, together)
    first = arrays[0]
    for other in arrays[1:]:
        first = np.where(np.isnan(first), other, first)
    return first


def _seconds(text: str) -> float:
    try:
        return (datetime.fromisoformat(text.replace("/", "-")).replace(tzinfo=None) - _EPOCH).total_seconds()
    except ValueError:
        return np.nan


def _positions(t: FloatArray, counts: Sequence[str]) -> list[int]:
    """Return the position of each row within its sample, all 0 where it cannot be told."""
    number = len(t)
    if counts and len(set(counts)) == 1 and counts[0].isdecimal() and 0 < int(counts[0][:4]) <= 1024:
        return [row % int(counts[0][:4]) for row in range(number)]
    if number < 2 or not np.isfinite(t).all():
        return [0] * number
    begins = np.flatnonzero(np.concatenate(([True], np.diff(t) > _SAME_SAMPLE)))
    sizes = np.diff(np.concatenate((begins, [number])))
    # Samples of the same size each, the last one perhaps cut, are those of several devices.
    if len(sizes) < 2 or len(set(sizes[:-1].tolist())) > 1 or sizes[-1] > sizes[0]:
        return [0] * number
    return [row % int(sizes[0]) for row in range(number)]
