"""Convert text that Windows programs write to UTF-8, and count lines.

Notepad and others put a byte order mark before UTF-8; PowerShell's `>` and `Tee-Object` write UTF-16.
"""

_UTF8_MARK = b"\xef\xbb\xbf"
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


def decode_to_utf8(content: bytes) -> bytes:
    """Return a text as UTF-8 without byte order mark; content without a mark is returned unchanged.

    Truncated or damaged UTF-16 becomes replacement characters; line numbers do not change.
    """
    if content.startswith(_UTF16_MARKS):
        return content.decode("utf-16", "replace").encode()
    return content.removeprefix(_UTF8_MARK)


def line_at(content: bytes, offset: int) -> int:
    """Return the line, from 1, of an offset; lines end with line feeds, as `sed -n Np` counts them."""
    return content.count(b"\n", 0, offset) + 1
