"""Read text logs in bulk: records found by one compiled pattern, as columns with their line numbers.

A `TextLog` is a file's bytes without terminal colours; `records` gives the matches of a pattern as columns
that become NumPy arrays at once. Lines are counted by line feeds, as editors count them: what a progress bar
overwrites with carriage returns is one line. Patterns have named groups, begin with a literal where they can
and admit well-formed numbers only, so that nothing after them has to ask again.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from reportgen.core.model import FloatArray, IntArray, Source
from reportgen.formats.base import Claim
from reportgen.formats.parsing.damage import Malformed
from reportgen.formats.parsing.timestamps import moments
from reportgen.sources.logfiles import LogFiles

# A number in a pattern of bytes: never empty, never "1.2.3", the exponent bounded.
NUMBER = rb"-?[0-9]{1,40}(?:\.[0-9]{0,40})?(?:[eE][-+]?[0-9]{1,4})?"
COUNT = rb"[0-9]{1,15}"
# Date and time; the fraction follows a comma (logging) or a point.
STAMP = rb"[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2}:[0-9]{2}(?:[.,][0-9]{1,6})?"

_ESCAPE = b"\x1b"
_COLOUR = re.compile(rb"\x1b\[[0-9;?]{0,20}[A-Za-z]")
_LAST_STAMP = re.compile(rb".*(" + STAMP + rb")")
_DUMPED = re.compile(rb"[\w-]{1,60} \.{2,80} ([^\s]{1,80})")
_SHOWN = 100
# A machine that goes down leaves blocks that were not written yet.
UNWRITTEN = "ends in NUL bytes: the log was not written out"
# A setting may be written over several lines.
_FOLLOWING = 2000


@dataclass(frozen=True, slots=True, eq=False)
class Records:
    """Matches of a pattern: `begin` and `end` are offsets in the content, `line` counts from 1."""

    begin: IntArray
    end: IntArray
    line: IntArray
    columns: Mapping[str, tuple[bytes | None, ...]]

    def __len__(self) -> int:
        return len(self.begin)

    def floats(self, name: str) -> FloatArray:
        """Return a column as numbers, thousands commas allowed, NaN where the group took no part."""
        return floats(self.columns[name])

    def integers(self, name: str) -> IntArray:
        """Return a column as whole numbers; every record must have one."""
        return np.array(self.columns[name], dtype="S16").astype(np.int64)

    def seconds(self, name: str) -> FloatArray:
        """Return a column of dates as seconds since the first of them; a column of seconds as it is."""
        cells = [text or b"" for text in self.columns[name]]
        return seconds(cells) if not cells or b":" in cells[0] else self.floats(name)

    def take(self, keep: IntArray) -> "Records":
        """Return the records at these positions."""
        at = keep.tolist()
        columns = {name: tuple(cells[i] for i in at) for name, cells in self.columns.items()}
        return Records(self.begin[keep], self.end[keep], self.line[keep], columns)

    def text(self, name: str, position: int = 0) -> str:
        """Return one cell as text."""
        return (self.columns[name][position] or b"").decode("utf-8", "replace")


class TextLog:
    """One text file: its content without colours, and where things stand in it."""

    def __init__(self, files: LogFiles) -> None:
        self.files, self.path = files, files.path
        self.id, self.source = files.id(files.path), files.source(files.path)
        content = files.bytes(files.path)
        self.content = plain(content)
        self.malformed = Malformed(self.id, self.source.path)
        self._passed = 0
        if content.endswith(b"\0"):
            self.malformed.add(self.content.count(b"\n") + 1, UNWRITTEN)

    def parts(self, begins: Sequence[int]) -> Iterator["TextLog"]:
        """Yield what lies between each of these ascending offsets and the next; lines keep their numbers."""
        places = pairwise([*begins, len(self.content)])
        for line, (begin, end) in zip(self.lines(begins).tolist(), places, strict=True):
            part = copy(self)
            part.content, part._passed = self.content[begin:end], line - 1
            yield part

    def lines(self, offsets: Sequence[int] | IntArray) -> IntArray:
        """Return the lines, from 1, in which offsets of the content lie."""
        at = np.asarray(offsets, dtype=np.int64)
        order = np.argsort(at, kind="stable")
        ascending = at[order].tolist()
        # Counting between neighbours is one pass up to the last of them, and no memory.
        passed = [self.content.count(b"\n", *pair) for pair in pairwise([0, *ascending])]
        numbers = np.empty(len(at), dtype=np.int64)
        numbers[order] = np.cumsum(np.array(passed, dtype=np.int64)) + 1 + self._passed
        return numbers

    def place(self, offset: int) -> Source:
        """Return the place of one offset."""
        return Source(self.source.path, self.content.count(b"\n", 0, offset) + 1 + self._passed)

    def records(self, pattern: re.Pattern[bytes], anchor: bytes = b"", fact: str = "") -> Records:
        """Return all matches of a pattern.

        anchor  a literal that stands in every record once; where it stands in none, the line is noted
                as malformed with `fact`
        """
        found = list(pattern.finditer(self.content, *self._region(anchor)))
        begin = np.array([match.start() for match in found], dtype=np.int64)
        end = np.array([match.end() for match in found], dtype=np.int64)
        groups = list(zip(*(match.groups() for match in found), strict=True))
        names = sorted(pattern.groupindex, key=lambda name: pattern.groupindex[name])
        columns = {name: groups[pattern.groupindex[name] - 1] if groups else () for name in names}
        records = Records(begin, end, self.lines(begin), columns)
        if fact and self.content.count(anchor) > len(found):
            self._note_others(records, anchor, fact)
        return records

    def _region(self, anchor: bytes) -> tuple[int, int]:
        """Return the begin of the first and the end of the last line with a literal in them."""
        first, last = self.content.find(anchor), self.content.rfind(anchor)
        if first < 0:
            return 0, 0
        end = self.content.find(b"\n", last + len(anchor))
        # The line's end belongs to it: a pattern may ask for what follows a number.
        return max(self.content.rfind(b"\n", 0, first), 0), len(self.content) if end < 0 else end + 1

    def _note_others(self, records: Records, anchor: bytes, fact: str) -> None:
        at = np.array([match.start() for match in re.finditer(re.escape(anchor), self.content)])
        inside = np.searchsorted(records.begin, at, side="right") - 1
        lost = (inside < 0) | (at >= records.end[np.maximum(inside, 0)]) if len(records) else at >= 0
        lines = self.lines(at[lost])
        if len(lines):
            self.malformed.add(int(lines[0]), fact, len(lines))

    def stamps(self, offsets: IntArray, width: int = 90) -> FloatArray:
        """Return the date that stands last before each offset in its line, as `seconds` does."""
        texts = []
        for begin in offsets.tolist():
            before = self.content[max(begin - width, 0) : begin]
            found = _LAST_STAMP.search(before, before.rfind(b"\n") + 1)
            texts.append(found[1] if found else b"")
        return seconds(texts)

    def option(self, name: bytes) -> bytes | None:
        """Return the value of an argument dump (`  name ........ value`), None where it has none."""
        at = self.content.find(b"  " + name + b" ..")
        found = _DUMPED.match(self.content, at + 2) if at >= 0 else None
        return found[1] if found else None

    def search(self, pattern: re.Pattern[bytes], literal: bytes) -> re.Match[bytes] | None:
        """Return the first match of a pattern that has a literal in its first line."""
        begin, end = self._region(literal)
        return pattern.search(self.content, begin, end + _FOLLOWING) if end else None


def plain(content: bytes) -> bytes:
    """Return a text without terminal colours, CR before LF, and NUL at its end; lines keep their numbers."""
    if content.endswith(b"\0"):
        content = content.rstrip(b"\0")
    # Most logs have no CR at all, and what is not there is found out faster from the end.
    if b"\r" in content and content.rfind(b"\r\n") >= 0:
        content = content.replace(b"\r\n", b"\n")
    return _COLOUR.sub(b"", content) if _ESCAPE in content else content


def is_binary(head: bytes) -> bool:
    """Return whether a file that begins like this is no text: it has NUL bytes, and not at its end alone."""
    return b"\0" in head and b"\0" in head.rstrip(b"\0")


def claim(files: LogFiles, literal: bytes, pattern: re.Pattern[bytes], confidence: float) -> Claim | None:
    """Claim a text file whose first 64 KiB hold a match; the literal is looked for first, being cheap."""
    if files.is_folder:
        return None
    head = files.head(files.path)
    if literal not in head or is_binary(head):
        return None
    head = plain(head)
    found = pattern.search(head)
    if not found:
        return None
    reason = found[0].strip().partition(b"\n")[0].decode("utf-8", "replace")[:_SHOWN]
    line = head.count(b"\n", 0, found.start() + found[0].find(found[0].strip())) + 1
    return Claim(confidence, files.source(files.path, line), reason, (files.path,))


def floats(texts: Sequence[bytes | None]) -> FloatArray:
    """Return numbers in decimal notation as floats, NaN for None; commas between thousands are allowed."""
    if not texts:
        return np.empty(0)
    joined = b"\n".join(text if text is not None else b"nan" for text in texts)
    return np.array(joined.replace(b",", b"").split(b"\n")).astype(np.float64)


def seconds(texts: Sequence[bytes]) -> FloatArray:
    """Return dates (STAMP) as seconds since the first of them; NaN where there is none, or no such date."""
    if not texts:
        return np.empty(0)
    stamps = b"\n".join(texts).replace(b",", b".").split(b"\n")
    found = moments(stamps)
    exist = ~np.isnat(found)
    if not exist.any():
        return np.full(len(found), np.nan)
    # Whole microseconds are subtracted before they become floats, which could not hold them.
    since = (found - found[exist][0]).astype(np.int64) / 1e6
    return np.where(exist, since, np.nan)
