"""Determine how a job ended from the text after its last record: complete, failed, out of memory, cancelled.

Only text after the last record counts: an exception that was caught before it says nothing about the steps
that followed. Markers of success are not searched for: scripts print them after a crash too.
"""

import re
from dataclasses import dataclass
from typing import Any

import re2

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.model import Finding, Source, Status
from reportgen.core.rules import Rule
from reportgen.formats.parsing.text_log import TextLog

_TRACEBACK = b"Traceback (most recent call last)"
_EXIT_CODE = b"exits with return code = "  # DeepSpeed prints it for every process
_SUCCESS = lazy_pattern(_EXIT_CODE + rb"0\b")
# How jobs end, the most specific status first: a failed allocation also leaves a traceback, and the ranks of
# a cancelled job also fail. Within a status the first marker in the text is quoted.
MARKERS: tuple[tuple[Status, tuple[bytes, ...]], ...] = (
    ("out_of_memory", (
        b"OutOfMemoryError", b"CUDA out of memory", b"HIP out of memory", b"CUDA error: out of memory",
        b"CUDA_ERROR_OUT_OF_MEMORY", b"cudaErrorMemoryAllocation", b"failed: out of memory",
        b"Out of memory error on GPU", b"RESOURCE_EXHAUSTED", b"ResourceExhaustedError",
        b"OOM-killer", b"oom_kill event", b"oom-kill event",  # of the host: the kernel, Slurm
    )),
    ("cancelled", (
        b"CANCELLED AT", b"DUE TO TIME LIMIT", b"KeyboardInterrupt",
        b"Signals.SIGTERM death signal", b"got signal: 15",  # torchrun
        b" Terminated    ", b"\nTerminated\n",  # shells
    )),
    ("failed", (
        _TRACEBACK, b"ChildFailedError", b"CUDA error", b"NCCL error", b"Segmentation fault", b"Bus error",
        b"core dumped", b"terminate called after throwing", b"malloc(): ", b"double free or corruption",
        b"srun: error:", b"slurmstepd: error:", b" Killed    ", b"\nKilled\n", _EXIT_CODE,
    )),
)  # fmt: skip
_STATUS_OF = {marker: status for status, markers in MARKERS for marker in markers}
_WORST = MARKERS[0][0]
# `formats.registry` searches for them along with the marks of formats.
ERRORS = frozenset(_STATUS_OF)


def _any_marker() -> Any:
    """Return a pattern of all markers: one automaton is ten times as fast as a search for each of them."""
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1  # accept any bytes, UTF-8 or not
    return re2.compile(b"|".join(map(re2.escape, _STATUS_OF)), options)


_ANY_MARKER = _any_marker()
# Errors occur at the end of a log; ranks and launchers add less than this after them.
_MAX_TAIL_BYTES = 2**20

# Several ranks write into one log, with or without a prefix.
_RANK = rb"(?:\[?[Rr]ank ?[0-9]{1,6}\]?:? ?|[0-9]{1,6}: )?"
_EXCEPTION = lazy_pattern(
    rb"^" + _RANK + rb"[A-Za-z_][\w.]{0,120}(?:Error|Exception|Interrupt|Exit)\b", re.MULTILINE
)
_MAX_TRACEBACK_BYTES = 2**16
# What follows the name of an error as a part of its message: torch's hints, torchrun's table, W&B's summary.
_AFTER_ERROR = lazy_pattern(
    rb"\s|[=-]+$|CUDA kernel errors might|For debugging consider|Compile with `TORCH_USE_CUDA_DSA`|wandb: "
    rb"|[\w./-]{1,200} FAILED$|Failures:|Root Cause |To enable traceback|srun: |slurmstepd: |\^C"
)
_MAX_LINES_AFTER = 100

_MAX_CHARS_BEFORE, _MAX_CHARS_AFTER = 60, 160
_LINE_END = lazy_pattern(rb"[\r\n]")


@dataclass(frozen=True, slots=True)
class Ending:
    """The status of a run and the findings that explain it."""

    status: Status
    findings: tuple[Finding, ...] = ()


def ending(
    log: TextLog, after: int, last_step: int, *, is_measured: bool, has_result: bool | None = None
) -> Ending:
    """Return how a job ended.

    after        offset after the last record, 0 if there is none
    last_step    number of the last step, 0 if no step was logged
    is_measured  whether the log has any usable number
    has_result   whether the program printed its final result; None for programs that print none
    """
    begin = max(after, len(log.content) - _MAX_TAIL_BYTES)
    kind, at = (None, -1) if log.lacks(ERRORS) else error(log.content, begin)
    if kind is None:
        if (is_measured and has_result is not False) or has_result:
            return Ending("complete")
        message = "no final result, the log may be cut" if is_measured else "no step was recorded"
        return Ending("partial", (_warning(log, Rule.READ_INCOMPLETE_RUN, message, log.source),))
    is_lost = kind == _WORST and not has_result  # the run does not fit, although it measured steps
    name, text, source = kind.replace("_", " "), quoted(log.content, at), log.place(at)
    if not is_measured and not has_result:
        return Ending(kind, (_warning(log, Rule.READ_FAILED_RUN, f"{name}: {text}", source),))
    place = "the final result" if has_result else f"step {last_step}" if last_step else "the last figure"
    if is_lost:
        message = f"{name} after {place}: {text}; left out of the median"
        return Ending(kind, (_warning(log, Rule.READ_FAILED_RUN, message, source),))
    finding = _warning(log, Rule.READ_INCOMPLETE_RUN, f"{name} after {place}: {text}", source)
    return Ending("complete" if has_result else "partial", (finding,))


def _warning(log: TextLog, rule: Rule, message: str, source: Source) -> Finding:
    return Finding("warning", rule, log.id, message, source)


def error(content: bytes, after: int = 0) -> tuple[Status | None, int]:
    """Return the status that an error gives a run and the offset of its name; (None, -1) for no error.

    after  offset to search from
    """
    first: dict[Status, int] = {}
    while _WORST not in first and (match := _ANY_MARKER.search(content, after)):
        after = match.start() + 1
        if not _SUCCESS.match(content, match.start()):
            # The line feed before a marker belongs to the line before.
            first.setdefault(_STATUS_OF[match[0]], match.start() + match[0].startswith(b"\n"))
    for status, _ in MARKERS:
        if status in first:
            return status, _exception(content, first[status])
    return None, -1


def is_error_last(content: bytes) -> bool:
    """Return whether the last output is an error, and not what a program printed after one that it caught."""
    for line in reversed(content.rstrip().splitlines()[-_MAX_LINES_AFTER:]):
        own = re.sub(rb"^" + _RANK, b"", line)
        if _EXCEPTION.match(own) or error(b"\n" + line + b"\n")[0]:
            return True
        if own and not _AFTER_ERROR.match(own):
            return False
    return False


def _exception(content: bytes, at: int) -> int:
    """Return where the exception of a traceback is named; the offset itself if there is none."""
    if not content.startswith(_TRACEBACK, at):
        return at
    named = _EXCEPTION.search(content, at, at + _MAX_TRACEBACK_BYTES)
    return named.start() if named else at


def quoted(content: bytes, at: int) -> str:
    """Return the line around an offset; "..." replaces the rest of a long line, cut between words."""
    return (_before(content, at) + _after(content, at)).decode("utf-8", "replace").strip()


def _before(content: bytes, at: int) -> bytes:
    near = content[max(at - _MAX_CHARS_BEFORE - 1, 0) : at]
    start = max(near.rfind(b"\n"), near.rfind(b"\r")) + 1
    if start or len(near) == at:
        return near[start:]
    return b"... " + near[max(near.find(b" "), 0) + 1 :]


def _after(content: bytes, at: int) -> bytes:
    near = content[at : at + _MAX_CHARS_AFTER]
    if end := _LINE_END.search(near):
        return near[: end.start()]
    if at + _MAX_CHARS_AFTER >= len(content) or _LINE_END.match(content, at + _MAX_CHARS_AFTER):
        return near
    word = near.rfind(b" ", _MAX_CHARS_AFTER // 2)
    return near[: word if word > 0 else None] + b" ..."
