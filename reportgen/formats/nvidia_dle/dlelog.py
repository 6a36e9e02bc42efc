"""One log of NVIDIA's DeepLearningExamples as bytes: where lines are, where a literal or a pattern stands.

Progress bars redraw with a carriage return, and several ranks write on one stream, so lines end at a newline
or at a carriage return alone, and records may stand anywhere in them.
"""

import json
import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from reportgen.core.model import IntArray, Source
from reportgen.formats.base import Claim
from reportgen.formats.nvidia_dle import folder_names
from reportgen.formats.parsing.text_log import is_binary, plain
from reportgen.sources.logfiles import LogFiles

Pattern = re.Pattern[bytes]
SHOWN = 160
_FAR = 4 * 2**20
_ARGUMENTS = 2**14
_DIGITS = re.compile(rb"[0-9]{1,9}")


class Log:
    """The content of a log and the places in it."""

    def __init__(self, files: LogFiles) -> None:
        self.files, self.path = files, files.path
        self.id, self.place = files.id(self.path), files.source(self.path)
        content = files.bytes(self.path)
        self.is_unwritten = content.endswith(b"\0")
        self.content = plain(content)

    @cached_property
    def _ends(self) -> IntArray:
        """The positions of the bytes that end lines."""
        found = np.frombuffer(self.content, dtype=np.uint8)
        is_end = (found == 10) | (found == 13) if self._has_returns else found == 10
        ends: IntArray = is_end.nonzero()[0]
        return ends

    @cached_property
    def _has_returns(self) -> bool:
        return b"\r" in self.content

    def lines(self, positions: Sequence[int] | IntArray) -> IntArray:
        """Return the line numbers, from 1, of positions in the content."""
        found: IntArray = self._ends.searchsorted(np.array(positions, dtype=np.int64)) + 1
        return found

    def _line(self, position: int) -> int:
        if self._has_returns:
            return int(self.lines([position])[0])
        return self.content.count(b"\n", 0, position) + 1

    def source(self, position: int) -> Source:
        """Return the place of a position, the whole file for a negative one."""
        return Source(self.place.path, self._line(position)) if position >= 0 else self.place

    def each(self, pattern: Pattern, literal: bytes, before: int = 0) -> Iterator[re.Match[bytes]]:
        """Yield the matches of a pattern in which the literal has so many bytes before it.

        Does what `finditer` does, and takes a fifth of the time where matches are rare.
        """
        at = self.content.find(literal, before)
        while at >= 0:
            found = pattern.match(self.content, at - before)
            if found:
                yield found
            at = self.content.find(literal, found.end() + before if found else at + 1)

    def objects(self, literal: bytes) -> Iterator[tuple[dict[str, Any], int]]:
        """Yield the JSON objects that the "{" in a literal begins, with the literal's position.

        Each ends in its line and before the next of the literals: several may be glued to one another.
        """
        begins = [found.start() for found in re.finditer(re.escape(literal), self.content)]
        for begin, end in pairwise([*begins, len(self.content)]):
            line = self.content[begin + literal.index(b"{") : end].partition(b"\n")[0].partition(b"\r")[0]
            try:
                value = json.loads(line[: line.rfind(b"}") + 1])
            except (ValueError, RecursionError):
                continue
            if isinstance(value, dict):
                yield value, begin

    def first(self, pattern: Pattern, literal: bytes) -> re.Match[bytes] | None:
        """Return the first match of a pattern that begins with the literal."""
        return next(self.each(pattern, literal), None)

    @cached_property
    def _arguments(self) -> bytes:
        """What argparse made of the command line, `Namespace(...)`, where it is printed first."""
        begin = self.content.find(b"Namespace(")
        return self.content[begin : begin + _ARGUMENTS].partition(b"\n")[0] if begin >= 0 else b""

    def argument(self, name: bytes) -> int | None:
        """Return a whole number from the command line, None where it is not there."""
        for begin in (b"(", b" "):
            _, found, value = self._arguments.partition(begin + name + b"=")
            if found and (digits := _DIGITS.match(value)):
                return int(digits[0])
        return None

    def last(self, pattern: Pattern, literal: bytes) -> re.Match[bytes] | None:
        """Return the last match of a pattern that contains the literal, looking at the last few of them."""
        at = len(self.content)
        for _ in range(8):
            at = self.content.rfind(literal, 0, at)
            if at < 0:
                return None
            start = max(self.content.rfind(end, 0, at) for end in (b"\n", b"\r")) + 1
            matches = list(pattern.finditer(self.content, start, at + 500))
            if matches:
                return matches[-1]
        return None


def claim(
    files: LogFiles, confidence: float, pattern: Pattern, *literals: bytes, hint: bytes = b""
) -> Claim | None:
    """Return the claim of a file whose head matches the pattern; cheap where none of the literals is in it.

    hint  where this stands in the head of a longer file, more of it is looked at
    """
    if files.is_folder:
        return None
    head = files.head(files.path)
    if hint and hint in head and files.size(files.path) > len(head):
        head = files.head(files.path, _FAR)
    if not any(one in head for one in literals) or is_binary(head):
        return None
    found = pattern.search(head)
    if not found:
        return None
    before = head[: found.start()]
    line = before.count(b"\n") + before.count(b"\r") - before.count(b"\r\n") + 1
    reason = found[0].decode("utf-8", "replace").strip()[:80]
    return Claim(confidence, files.source(files.path, line), reason, (files.path,), folder_names.BESIDE)
