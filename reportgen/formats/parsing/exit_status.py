"""How a job ended, from what its log says after the last step: crash, out of memory, cancelled.

Only text after the last step counts: an exception that was caught before training says nothing about the
steps that followed. A marker of success is not looked for, since it proves nothing.
"""

import re
from dataclasses import dataclass

from reportgen.core.model import Finding, Status
from reportgen.core.rules import Rule
from reportgen.formats.parsing.excerpt import quoted
from reportgen.formats.parsing.text_log import TextLog
from reportgen.formats.parsing.tracebacks import TRACEBACK, raised

# What is surest comes first: running out of memory also leaves a traceback, and a cancelled job kills ranks.
_MARKERS: tuple[tuple[Status, tuple[bytes, ...]], ...] = (
    (
        "out_of_memory",
        (
            b"OutOfMemoryError",
            b"CUDA out of memory",
            b"CUDA error: out of memory",
            b"OOM-killer",
            b"oom_kill event",
            b"RESOURCE_EXHAUSTED",
            b"ResourceExhaustedError",
            b"failed: out of memory",
            b"cudaErrorMemoryAllocation",
            b"Out of memory error on GPU",
        ),
    ),
    ("cancelled", (b"CANCELLED AT", b"DUE TO TIME LIMIT", b"KeyboardInterrupt")),
    (
        "failed",
        (
            TRACEBACK,
            b"ChildFailedError",
            b"Segmentation fault",
            b"srun: error:",
            b"core dumped",
            b"NCCL error",
            b"exits with return code = ",
        ),
    ),
)
# Errors stand at the end of a log; what ranks and launchers add to them is less than this.
_END = 2**20
_SUCCESS = re.compile(rb"exits with return code = 0\b")


@dataclass(frozen=True, slots=True)
class Ending:
    """What a run's status is, and the findings that explain it."""

    status: Status
    findings: tuple[Finding, ...] = ()


def ending(log: TextLog, after: int, last_step: int) -> Ending:
    """Return how a job ended.

    after      offset behind the last step record, 0 where there is none
    last_step  number of the last step, 0 where there is none: then nothing usable was measured
    """
    after = max(after, len(log.content) - _END)
    for status, markers in _MARKERS:
        places = [at for marker in markers if (at := log.content.find(marker, after)) >= 0]
        places = [at for at in places if not _SUCCESS.match(log.content, at)]
        if not places:
            continue
        at = raised(log.content, min(places))
        shown = quoted(log.content, at)
        if last_step:
            message = f"{status.replace('_', ' ')} after step {last_step}: {shown}"
            finding = Finding("warning", Rule.READ_INCOMPLETE_RUN, log.id, message, log.place(at))
            return Ending("partial", (finding,))
        message = f"{status.replace('_', ' ')}: {shown}"
        return Ending(status, (Finding("warning", Rule.READ_FAILED_RUN, log.id, message, log.place(at)),))
    if not last_step:
        none = Finding("warning", Rule.READ_INCOMPLETE_RUN, log.id, "no step was recorded", log.source)
        return Ending("partial", (none,))
    return Ending("complete")
