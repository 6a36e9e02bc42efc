"""One log of NVIDIA's DeepLearningExamples as bytes: where lines are, how it ended, what lies around it.

The programs differ, their surroundings do not: progress bars that redraw with a carriage return, several
ranks on one stream, tracebacks of torch.distributed behind a good result. Lines end at a newline or at a
carriage return alone. Readers collect into a Draft, which becomes the Run.
"""

import json
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from reportgen.formats.fragments import dlefolder
from reportgen.formats.fragments.textlog import UNWRITTEN, is_binary, plain
from reportgen.logfiles import Claim, LogFiles
from reportgen.model import (
    STEP,
    Aggregate,
    FactorValue,
    Finding,
    FloatArray,
    IntArray,
    Run,
    Series,
    Source,
    Status,
)

Pattern = re.Pattern[bytes]
_SHOWN = 160
_FAR = 4 * 2**20
_ARGUMENTS = 2**14
_DIGITS = re.compile(rb"[0-9]{1,9}")
_APEX_LITERAL = b"Selected optimization level O"
_APEX = re.compile(_APEX_LITERAL + rb"([0-3])")  # O0 is single precision
# The more telling kind first: an allocation that failed is also a RuntimeError with a traceback.
_ERRORS: tuple[tuple[Status, bytes], ...] = (
    ("out_of_memory", b"CUDA out of memory"),
    ("out_of_memory", b"OutOfMemoryError"),
    ("cancelled", b"KeyboardInterrupt"),
    ("cancelled", b"slurmstepd: error"),
    ("failed", b"Traceback (most recent call last)"),
    ("failed", b"CUDA error"),
    ("failed", b"Segmentation fault"),
)
# One of these is in each of the markers above, or stands in the traceback below it.
_SIGNS = (b"Traceback (", b"rror", b"Segmentation fault")


class Log:
    """The content of a log and the places in it."""

    def __init__(self, files: LogFiles) -> None:
        self.files, self.path = files, files.path
        self.id, self.place = files.id(self.path), files.source(self.path)
        content = files.bytes(self.path)
        self.is_unwritten = content.endswith(b"\0")
        self.content = plain(content)

    @cached_property
    def _ends(self) -> IntArray:
        """The positions of the bytes that end lines."""
        found = np.frombuffer(self.content, dtype=np.uint8)
        is_end = (found == 10) | (found == 13) if self._has_returns else found == 10
        ends: IntArray = is_end.nonzero()[0]
        return ends

    @cached_property
    def _has_returns(self) -> bool:
        return b"\r" in self.content

    def lines(self, positions: Sequence[int] | IntArray) -> IntArray:
        """Return the line numbers, from 1, of positions in the content."""
        found: IntArray = self._ends.searchsorted(np.array(positions, dtype=np.int64)) + 1
        return found

    def _line(self, position: int) -> int:
        if self._has_returns:
            return int(self.lines([position])[0])
        return self.content.count(b"\n", 0, position) + 1

    def source(self, position: int) -> Source:
        """Return the place of a position, the whole file for a negative one."""
        return Source(self.place.path, self._line(position)) if position >= 0 else self.place

    def text(self, position: int) -> str:
        """Return the line around a position, for people."""
        begin = max(position - _SHOWN, 0)
        before, after = self.content[begin:position], self.content[position : position + _SHOWN]
        start = max(before.rfind(b"\n"), before.rfind(b"\r")) + 1
        text = before[start:] + after.partition(b"\n")[0].partition(b"\r")[0]
        return text.decode("utf-8", "replace").strip()

    def each(self, pattern: Pattern, literal: bytes, before: int = 0) -> Iterator[re.Match[bytes]]:
        """Yield the matches of a pattern in which the literal has so many bytes before it.

        Does what `finditer` does, and takes a fifth of the time where matches are rare.
        """
        at = self.content.find(literal, before)
        while at >= 0:
            found = pattern.match(self.content, at - before)
            if found:
                yield found
            at = self.content.find(literal, found.end() + before if found else at + 1)

    def objects(self, literal: bytes) -> Iterator[tuple[dict[str, Any], int]]:
        """Yield the JSON objects that the "{" in a literal begins, with the literal's position.

        Each ends in its line and before the next of the literals: several may be glued to one another.
        """
        begins = [found.start() for found in re.finditer(re.escape(literal), self.content)]
        for begin, end in pairwise([*begins, len(self.content)]):
            line = self.content[begin + literal.index(b"{") : end].partition(b"\n")[0].partition(b"\r")[0]
            try:
                value = json.loads(line[: line.rfind(b"}") + 1])
            except (ValueError, RecursionError):
                continue
            if isinstance(value, dict):
                yield value, begin

    def first(self, pattern: Pattern, literal: bytes) -> re.Match[bytes] | None:
        """Return the first match of a pattern that begins with the literal."""
        return next(self.each(pattern, literal), None)

    @cached_property
    def _arguments(self) -> bytes:
        """What argparse made of the command line, `Namespace(...)`, where it is printed first."""
        begin = self.content.find(b"Namespace(")
        return self.content[begin : begin + _ARGUMENTS].partition(b"\n")[0] if begin >= 0 else b""

    def argument(self, name: bytes) -> int | None:
        """Return a whole number from the command line, None where it is not there."""
        for begin in (b"(", b" "):
            _, found, value = self._arguments.partition(begin + name + b"=")
            if found and (digits := _DIGITS.match(value)):
                return int(digits[0])
        return None

    def last(self, pattern: Pattern, literal: bytes) -> re.Match[bytes] | None:
        """Return the last match of a pattern that contains the literal, looking at the last few of them."""
        at = len(self.content)
        for _ in range(8):
            at = self.content.rfind(literal, 0, at)
            if at < 0:
                return None
            start = max(self.content.rfind(end, 0, at) for end in (b"\n", b"\r")) + 1
            matches = list(pattern.finditer(self.content, start, at + 500))
            if matches:
                return matches[-1]
        return None


@dataclass(slots=True)
class Draft:
    """A run being put together.

    devices, batch_size, global_batch  counts as the log itself has them, None where it has not
    has_result  whether the program printed the figure that it ends with
    counts_batch  whether one sample of a batch is what throughput counts (not for tokens or frames)
    """

    log: Log
    format: str
    factors: dict[str, FactorValue] = field(default_factory=dict)
    environment: dict[str, FactorValue] = field(default_factory=dict)
    series: list[Series] = field(default_factory=list)
    aggregates: list[Aggregate] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    devices: int | None = None
    batch_size: int | None = None
    global_batch: int | None = None
    has_result: bool = False
    counts_batch: bool = True

    def settle(self) -> None:
        """Bring batch and devices together, from the log first and from what lies around it where it must.

        The batch is what the launcher was asked for (benchmark.para); a log repeats it or has less.
        """
        around = dlefolder.surroundings(self.log.files)
        self.environment = {**around.environment, **self.environment}
        device = around.environment.get("gpu")
        if isinstance(device, str) and dlefolder.ALSO not in device:
            # Systems are compared by their GPUs: runs on others are no repeats of one case.
            self.factors.setdefault("device", device)
        if around.global_batch and around.devices:
            self.devices, self.global_batch, self.batch_size = around.devices, around.global_batch, None
        self.devices = self.devices or around.devices or None
        if self.global_batch is None and self.batch_size and self.devices:
            self.global_batch = self.batch_size * self.devices
        if self.batch_size is None and self.global_batch and self.devices:
            whole, rest = divmod(self.global_batch, self.devices)
            self.batch_size = None if rest else whole

    def set_precision(self, is_half: bool | None) -> None:
        """Set the precision by what a program says of itself, and by the level of apex where it says nothing.

        None of these programs computes in half precision alone: each has its weights in single precision.
        """
        if is_half is None and (level := self.log.first(_APEX, _APEX_LITERAL)):
            is_half = level[1] != b"0"
        if is_half is not None:
            self.factors["precision"] = "amp" if is_half else "fp32"

    @property
    def samples_per_step(self) -> float | None:
        """The work of a step over all devices, None where it is unknown or of another kind."""
        return float(self.global_batch) if self.global_batch and self.counts_batch else None

    def aggregate(
        self, value: float, original: bytes | str, statistic: str, position: int, n: int = 0
    ) -> None:
        """Add a throughput that the program had reduced itself; nonsense is left out."""
        if 0 <= value < math.inf:
            text = original.decode("utf-8", "replace") if isinstance(original, bytes) else original
            self.aggregates.append(
                Aggregate(
                    "throughput", STEP, value, text.strip()[:_SHOWN], statistic, n, self.log.source(position)
                )
            )

    def run(self) -> Run:
        """Return the run with its status."""
        status = self._status()
        if self.log.is_unwritten:
            self.note("read.malformed-line", UNWRITTEN, len(self.log.content))
        known = {"batch_size": self.batch_size, "devices": self.devices}
        if self.batch_size is None:
            known["global_batch_size"] = self.global_batch
        factors = {**self.factors, **{name: value for name, value in known.items() if value}}
        return Run(
            self.log.id,
            self.format,
            self.log.place,
            factors,
            self.environment,
            status=status,
            samples_per_step=self.samples_per_step,
            series=tuple(self.series),
            aggregates=tuple(self.aggregates),
            findings=tuple(self.findings),
        )

    def note(self, rule: str, message: str, position: int) -> None:
        """Add a warning."""
        self.findings.append(Finding("warning", rule, self.log.id, message, self.log.source(position)))

    def _status(self) -> Status:
        """Return how the run ended, and leave the finding that explains it."""
        kind, position = _error(self.log.content)
        cause = f": {self.log.text(position)}" if kind else ""
        if self.has_result:
            if kind:
                self.note(
                    "read.incomplete-run",
                    "an error stands in the log, its final figure does too" + cause,
                    position,
                )
            return "complete"
        if any(len(one.step) for one in self.series) or self.aggregates:
            self.note("read.incomplete-run", "no final figure" + (cause or ", the log may be cut"), position)
            return "partial"
        self.note("read.failed-run", "nothing was measured" + cause, position)
        return kind or "failed"


def _error(content: bytes) -> tuple[Status | None, int]:
    # What is not there is found out faster from the end.
    if all(content.rfind(sign) < 0 for sign in _SIGNS):
        return None, -1
    for kind, marker in _ERRORS:
        if content.rfind(marker) >= 0:
            return kind, content.find(marker)
    return None, -1


def claim(
    files: LogFiles, confidence: float, pattern: Pattern, *literals: bytes, hint: bytes = b""
) -> Claim | None:
    """Return the claim of a file whose head matches the pattern; cheap where none of the literals is in it.

    hint  where this stands in the head of a longer file, more of it is looked at
    """
    if files.is_folder:
        return None
    head = files.head(files.path)
    if hint and hint in head and files.size(files.path) > len(head):
        head = files.head(files.path, _FAR)
    if not any(one in head for one in literals) or is_binary(head):
        return None
    found = pattern.search(head)
    if not found:
        return None
    before = head[: found.start()]
    line = before.count(b"\n") + before.count(b"\r") - before.count(b"\r\n") + 1
    reason = found[0].decode("utf-8", "replace").strip()[:80]
    return Claim(confidence, files.source(files.path, line), reason, (files.path,), dlefolder.BESIDE)


def printed(
    log: Log, step: IntArray, span: IntArray, rate: FloatArray, line: IntArray, metric: str = "throughput"
) -> Series:
    """Return the series of the rates that a log prints, over all devices."""
    unknown = np.full(len(step), np.nan)
    return Series(metric, STEP, 0, "printed", step, span, unknown, rate, unknown, line, log.place)
