"""Quote the line of a log at some place for people: of a long line the part around it, cut between words."""

import re

_BEFORE, _BEHIND = 60, 160
_END = re.compile(rb"[\r\n]")


def quoted(content: bytes, at: int) -> str:
    """Return the line around an offset; three dots stand for what is left out of it."""
    text = _before(content, at) + _behind(content, at)
    return text.decode("utf-8", "replace").strip()


def _before(content: bytes, at: int) -> bytes:
    near = content[max(at - _BEFORE - 1, 0) : at]
    start = max(near.rfind(b"\n"), near.rfind(b"\r")) + 1
    if start or len(near) == at:
        return near[start:]
    return b"... " + near[max(near.find(b" "), 0) + 1 :]


def _behind(content: bytes, at: int) -> bytes:
    near = content[at : at + _BEHIND]
    if end := _END.search(near):
        return near[: end.start()]
    if at + _BEHIND >= len(content) or _END.match(content, at + _BEHIND):
        return near
    word = near.rfind(b" ", _BEHIND // 2)
    return near[: word if word > 0 else None] + b" ..."
