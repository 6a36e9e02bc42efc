"""Summarise an exception in one line: its type, the first line of its message and the last one.

CUDA ends its messages with general advice, and torch lists what does not fit below a heading: neither the
first line nor the last one alone shows what happened.
"""

import re
import traceback

_MAX_ERROR_CHARS = 500
_MAX_LAST_CHARS = 200
_BACKTRACE = re.compile(r"frame #[0-9]+: |Exception raised from .*\(most recent call first\)")


def summarize_error(error: BaseException) -> str:
    """Return "type: first line ... last line" of an exception; lines of a C++ backtrace do not count."""
    parts = traceback.format_exception_only(type(error), error)
    text = parts[-1] if isinstance(error, SyntaxError) else "".join(parts)  # its place comes before its type
    lines = [line.strip() for line in text.splitlines()]
    lines = [line for line in lines if line and not _BACKTRACE.match(line)] or [type(error).__name__]
    if len(lines) == 1:
        return lines[0][:_MAX_ERROR_CHARS]
    last = lines[-1][:_MAX_LAST_CHARS]
    first = lines[0][: _MAX_ERROR_CHARS - len(last) - len(" ... ")]
    return f"{first} ... {last}"
