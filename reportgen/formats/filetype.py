"""Say what a file is that holds no text: nothing, something packed, another encoding, something else.

The first bytes go in. Readers of binary formats recognise their own; this is for what nobody claims.
"""

from reportgen.formats.parsing.text_log import is_binary

_PACKED = {
    b"\x1f\x8b": "gzip", b"PK\x03\x04": "zip", b"\x28\xb5\x2f\xfd": "zstd", b"BZh": "bzip2",
    b"\xfd7zXZ": "xz",
}  # fmt: skip
_BLANK = b" \t\r\n\0"  # blocks that were never written are NUL


def no_text(head: bytes) -> tuple[str, str] | None:
    """Return what is wrong with a file as a log, and the remedy; None for text."""
    if not head.strip(_BLANK):
        return "is empty", "name a log with some steps in it"
    if name := packing(head):
        return f"is packed with {name}", "unpack it first"
    if _is_wide(head[::2], head[1::2]):
        return "is UTF-16", "convert it first: iconv -f UTF-16LE -t UTF-8"
    if _is_wide(head[1::2], head[::2]):
        return "is UTF-16", "convert it first: iconv -f UTF-16BE -t UTF-8"
    if is_binary(head):
        return "is binary", "convert it to text first"
    return None


def packing(head: bytes) -> str | None:
    """Return what a file was packed with, None for one that was not."""
    return next((name for magic, name in _PACKED.items() if head.startswith(magic)), None)


def _is_wide(letters: bytes, zeros: bytes) -> bool:
    """Tell whether the halves are those of Latin letters in UTF-16 without a mark in front."""
    return zeros.count(0) > 0.9 * len(zeros) and letters.isascii() and min(letters) >= ord("\t")
