"""One run of NVIDIA's DeepLearningExamples being put together: what its reader found, and how it ended.

The programs differ, their surroundings do not: tracebacks of torch.distributed stand behind a good result,
apex says how it computes, and folders tell what logs do not.
"""

import math
import re
from dataclasses import dataclass, field

import numpy as np

from reportgen.core.model import Aggregate, FactorValue, Finding, FloatArray, IntArray, Run, Series, Status
from reportgen.core.rules import Rule
from reportgen.formats.nvidia_dle import folder_names
from reportgen.formats.nvidia_dle.dlelog import SHOWN, Log
from reportgen.formats.parsing.excerpt import quoted
from reportgen.formats.parsing.text_log import UNWRITTEN
from reportgen.formats.parsing.tracebacks import TRACEBACK, raised

_APEX_LITERAL = b"Selected optimization level O"
_APEX = re.compile(_APEX_LITERAL + rb"([0-3])")  # O0 is single precision
# The more telling kind first: an allocation that failed is also a RuntimeError with a traceback.
_ERRORS: tuple[tuple[Status, bytes], ...] = (
    ("out_of_memory", b"CUDA out of memory"),
    ("out_of_memory", b"OutOfMemoryError"),
    ("cancelled", b"KeyboardInterrupt"),
    ("cancelled", b"slurmstepd: error"),
    ("failed", TRACEBACK),
    ("failed", b"CUDA error"),
    ("failed", b"Segmentation fault"),
)
# One of these is in each of the markers above, or stands in the traceback below it.
_SIGNS = (b"Traceback (", b"rror", b"Segmentation fault")


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
        around = folder_names.surroundings(self.log.files)
        self.environment = {**around.environment, **self.environment}
        device = around.environment.get("gpu")
        if isinstance(device, str) and folder_names.ALSO not in device:
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
                    "throughput",
                    value=value,
                    original=text.strip()[:SHOWN],
                    statistic=statistic,
                    n=n,
                    source=self.log.source(position),
                )
            )

    def run(self) -> Run:
        """Return the run with its status."""
        status = self._status()
        if self.log.is_unwritten:
            self.note(Rule.READ_MALFORMED_LINE, UNWRITTEN, len(self.log.content))
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

    def note(self, rule: Rule, message: str, position: int) -> None:
        """Add a warning."""
        self.findings.append(Finding("warning", rule, self.log.id, message, self.log.source(position)))

    def _status(self) -> Status:
        """Return how the run ended, and leave the finding that explains it."""
        kind, position = _error(self.log.content)
        cause = f": {quoted(self.log.content, position)}" if kind else ""
        if self.has_result:
            if kind:
                self.note(
                    Rule.READ_INCOMPLETE_RUN,
                    "an error stands in the log, its final figure does too" + cause,
                    position,
                )
            return "complete"
        if any(len(one.step) for one in self.series) or self.aggregates:
            self.note(
                Rule.READ_INCOMPLETE_RUN, "no final figure" + (cause or ", the log may be cut"), position
            )
            return "partial"
        self.note(Rule.READ_FAILED_RUN, "nothing was measured" + cause, position)
        return kind or "failed"


def _error(content: bytes) -> tuple[Status | None, int]:
    # What is not there is found out faster from the end.
    if all(content.rfind(sign) < 0 for sign in _SIGNS):
        return None, -1
    for kind, marker in _ERRORS:
        if content.rfind(marker) >= 0:
            return kind, raised(content, content.find(marker))
    return None, -1


def printed(
    log: Log, step: IntArray, span: IntArray, rate: FloatArray, line: IntArray, metric: str = "throughput"
) -> Series:
    """Return the series of the rates that a log prints, over all devices."""
    unknown = np.full(len(step), np.nan)
    return Series(
        metric,
        clock="printed",
        step=step,
        span=span,
        begin=unknown,
        value=rate,
        samples=unknown,
        line=line,
        source=log.place,
    )
