"""Classify files that are not plain text: empty, compressed, UTF-16, binary.

Only the first bytes are needed. Formats recognise their own binary files; this is for unclaimed files.
"""

from reportgen.formats.parsing.text_log import is_binary

_COMPRESSIONS = {
    b"\x1f\x8b": "gzip", b"PK\x03\x04": "zip", b"\x28\xb5\x2f\xfd": "zstd", b"BZh": "bzip2",
    b"\xfd7zXZ": "xz",
}  # fmt: skip
_BLANK = b" \t\r\n\0"  # blocks that were never written are NUL


def no_text(head: bytes) -> tuple[str, str] | None:
    """Return why a file cannot be a log, and the remedy; None for text."""
    if not head.strip(_BLANK):
        return "is empty", "name a log with some steps in it"
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
