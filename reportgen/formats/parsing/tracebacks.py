"""Find what was raised in Python's tracebacks: their first line says only that something was."""

import re

TRACEBACK = b"Traceback (most recent call last)"
# Several ranks write into one log, each before its lines or not.
_RANK = rb"(?:\[?[Rr]ank ?[0-9]{1,6}\]?:? ?|[0-9]{1,6}: )?"
_RAISED = re.compile(
    rb"^" + _RANK + rb"[A-Za-z_][\w.]{0,120}(?:Error|Exception|Interrupt|Exit)\b", re.MULTILINE
)
_FAR = 2**16


def raised(content: bytes, at: int) -> int:
    """Return where the exception of a traceback is named, the offset itself if it is nowhere."""
    found = _RAISED.search(content, at, at + _FAR) if content.startswith(TRACEBACK, at) else None
    return found.start() if found else at
