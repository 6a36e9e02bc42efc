"""Text as programs on Windows write it, as UTF-8.

Notepad and many others put a byte order mark before UTF-8; PowerShell's `>` and `Tee-Object` write UTF-16.
"""

_MARK = b"\xef\xbb\xbf"
_WIDE = (b"\xff\xfe", b"\xfe\xff")


def utf8(content: bytes) -> bytes:
    """Return a text without its byte order mark, in UTF-8 where the mark is that of UTF-16.

    What is cut or damaged becomes a replacement character; lines keep their numbers. All else stays as it is.
    """
    if content.startswith(_WIDE):
        return content.decode("utf-16", "replace").encode()
    return content.removeprefix(_MARK)
