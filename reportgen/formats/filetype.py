"""Classify files that are not logs: code, documents, and everything that is not plain text.

Only the first bytes are needed. Formats recognise their own binary files; `no_text` is for unclaimed files.
"""

import re
from typing import Literal

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.formats.parsing.text_log import is_binary

_COMPRESSIONS = {
    b"\x1f\x8b": "gzip", b"PK\x03\x04": "zip", b"\x28\xb5\x2f\xfd": "zstd", b"BZh": "bzip2",
    b"\xfd7zXZ": "xz",
}  # fmt: skip
_BLANK = b" \t\r\n\0"  # blocks that were never written are NUL

_CODE = frozenset((
    "py", "pyi", "ipynb", "sh", "bash", "zsh", "slurm", "sbatch", "c", "cc", "cpp", "cxx", "cu", "cuh", "h",
    "hpp", "m", "jl", "r", "rs", "go", "java", "scala", "js", "ts", "rb", "pl", "lua", "cmake", "patch",
    "diff", "tex",
))  # fmt: skip
_SHELL = frozenset(("sh", "bash", "zsh", "slurm", "sbatch"))
_DOCUMENT = frozenset(("md", "markdown", "rst", "html", "htm", "adoc", "org"))
Role = Literal["code", "document"]

# A line that only a program has. A log may be saved as `train.py`; it has none of these. It may have indented
# lines of code, in a traceback, and variables of the environment.
_STATEMENT = lazy_pattern(
    rb"^(?:#!|#include|//|/\*|import [\w.]+|from [\w.]+ import|def \w|class \w|function[ \t]|fn \w"
    rb"|use \w+::|using (?:namespace|[\w.]+[,;\n])|package \w|module \w|const \w|let \w|var \w|public "
    rb"|private |static |export \w|set -[a-z]|if \[|for \w+ in\b|while |diff --git|@@ |: ['<]"
    rb"|[ \t]*\"cells\":|\\(?:documentclass|begin|section)|[a-zA-Z_]\w*\(\) ?\{)",
    re.MULTILINE,
)
# A line that only a script of a shell has, besides.
_COMMAND = lazy_pattern(
    rb"^[ \t]*(?:(?:echo|cd|mkdir|rm|cp|mv|source|chmod|local|exit) |(?:then|do|done|fi|esac)\b *;?$)"
    rb"| \\$|\$[({]|\"\$\w|\| *(?:tee|grep|awk|sed|head|tail|sort)\b",
    re.MULTILINE,
)
_MARKUP = lazy_pattern(
    rb"^ {0,3}(?:#{2,6} |```|~~~|\.\. \w)|\]\(|::$|<(?:html|body|p|pre|table)\b", re.MULTILINE
)
# A title has no other line with # beside it: some programs begin several lines in a row with it.
_TITLE = lazy_pattern(rb"(?:\A|^(?!#).*\n) {0,3}# [^\n]*(?:\n(?!#)|\Z)", re.MULTILINE)


def role(name: str, head: bytes) -> Role | None:
    """Return whether a file is a program or a document, by its name and its first bytes; None for others.

    Programs and documents quote logs, in docstrings and examples, and are none.
    """
    _, point, extension = name.lower().rpartition(".")
    if point and extension in _CODE and _STATEMENT.search(head):
        return "code"
    if point and extension in _SHELL and _COMMAND.search(head):
        return "code"
    is_marked = point and extension in _DOCUMENT and (_MARKUP.search(head) or _TITLE.search(head))
    return "document" if is_marked else None


def no_text(head: bytes) -> tuple[str, str] | None:
    """Return why a file cannot be a log, and the remedy; None for text."""
    if not head.strip(_BLANK):
        return "is empty", "name a log with some steps in it"
    if b"opendocument.spreadsheet" in head[:100]:
        return "is an OpenDocument spreadsheet", "save its sheets as CSV or .xlsx"
    if name := compression(head):
        return f"is compressed with {name}", "decompress it first"
    if _is_utf16(head[::2], head[1::2]):
        return "is UTF-16", "convert it first: iconv -f UTF-16LE -t UTF-8"
    if _is_utf16(head[1::2], head[::2]):
        return "is UTF-16", "convert it first: iconv -f UTF-16BE -t UTF-8"
    if is_binary(head):
        return "is binary", "convert it to text first"
    return None


def compression(head: bytes) -> str | None:
    """Return the program that a file was compressed with, None if it was not."""
    return next((name for magic, name in _COMPRESSIONS.items() if head.startswith(magic)), None)


def _is_utf16(letters: bytes, zeros: bytes) -> bool:
    """Return whether every other byte is NUL and the rest are Latin letters, without a byte order mark."""
    return zeros.count(0) > 0.9 * len(zeros) and letters.isascii() and min(letters) >= ord("\t")
