"""Parse text logs in bulk: match one compiled pattern and return the records as columns with line numbers.

A `TextLog` holds the content of a file without terminal colours and NUL bytes. `records` returns the matches
of a pattern as columns, which become NumPy arrays in one call. A line ends with a line feed, as for
`sed -n Np`: a progress bar redrawn with carriage returns is one line. Patterns have named groups, start with
a literal if possible and match well-formed numbers only, so callers need no second check.
"""

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from copy import copy
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Self, TypeVar, cast

import numpy as np
from msgspec import structs

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.model import FloatArray, IntArray, Source
from reportgen.formats.base import Claim, Format, Results
from reportgen.formats.parsing.damage import Malformed
from reportgen.formats.parsing.log_warnings import WARNINGS, find_nans, find_warnings, with_warnings
from reportgen.formats.parsing.timestamps import WallTime, moments, wall_time
from reportgen.sources.logfiles import HEAD, LogFiles
from reportgen.sources.text import line_at

# A number in a bytes pattern: never empty, never "1.2.3", exponent bounded.
NUMBER = rb"-?[0-9]{1,40}(?:\.[0-9]{0,40})?(?:[eE][-+]?[0-9]{1,4})?"
COUNT = rb"[0-9]{1,15}"
# Date and time; a comma (Python's logging) or a point precedes the fraction.
STAMP = rb"[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2}:[0-9]{2}(?:[.,][0-9]{1,6})?"

_ESCAPE = b"\x1b"
_NULS = lazy_pattern(rb"\0+")
# Control characters that no terminal needs, besides NUL.
_CONTROL = bytes([*range(0x01, 0x07), *range(0x0E, 0x1B), *range(0x1C, 0x20), 0x7F])
_NUL_OR_DOT = b"\0" + b"." * 255
# Text has at least this many bytes for each of them, the first left out.
_MIN_TEXT_BYTES = 32
_COLOUR = lazy_pattern(rb"\x1b\[[0-9;?]{0,20}[A-Za-z]")
_LAST_STAMP = lazy_pattern(rb".*(" + STAMP + rb")")
_DUMPED = lazy_pattern(rb"[\w-]{1,60} \.{2,80} ([^\s]{1,80})")
_WORD = lazy_pattern(rb"[A-Za-z0-9_.-]{1,80}")
_LINE_FEED = 10
_NOTHING = np.zeros(0, dtype=np.int64)
_MAX_REASON_CHARS = 100
# Characters after the line of a literal that a match may take: a setting can span several lines.
_MAX_SETTING_CHARS = 2000
# Places that `last` tries: the literal may also occur outside a match.
_MAX_TRIES = 8

T = TypeVar("T")
# Changes the claim on a file, or makes one.
Refine = Callable[[LogFiles, Claim | None], Claim | None]


@dataclass(frozen=True, slots=True, eq=False)
class Records:
    """Matches of a pattern; `begin` and `end` are offsets in the content, `line` counts from 1."""

    begin: IntArray
    end: IntArray
    line: IntArray
    columns: Mapping[str, tuple[bytes | None, ...]]

    def __len__(self) -> int:
        return len(self.begin)

    def floats(self, name: str) -> FloatArray:
        """Return a column as numbers; thousands commas are allowed, an unmatched group is NaN."""
        return floats(self.columns[name])

    def integers(self, name: str) -> IntArray:
        """Return a column as integers; every record must have one."""
        texts = cast(tuple[bytes, ...], self.columns[name])
        return np.fromiter(map(int, texts), np.int64, len(texts))

    def seconds(self, name: str) -> FloatArray:
        """Return a column of dates as seconds since the first valid one, a column of seconds as it is."""
        cells = [text or b"" for text in self.columns[name]]
        return seconds(cells) if not cells or b":" in cells[0] else self.floats(name)

    def take(self, keep: IntArray) -> Self:
        """Return the records at these positions."""
        at = keep.tolist()
        columns = {name: tuple(cells[i] for i in at) for name, cells in self.columns.items()}
        begin, end, line = self.begin[keep], self.end[keep], self.line[keep]
        return replace(self, begin=begin, end=end, line=line, columns=columns)

    def text(self, name: str, position: int = 0) -> str:
        """Return one cell as text."""
        return (self.columns[name][position] or b"").decode("utf-8", "replace")


class TextLog:
    """A text file: its content without colours and NUL bytes, and searches in it."""

    def __init__(self, files: LogFiles) -> None:
        self.files, self.path = files, files.path
        self.id, self.source = files.id(files.path), files.source(files.path)
        content = files.bytes(files.path)
        self.content = without_controls(content)
        self._literals = files.literals(self.path) if self.content is content else None
        self.malformed = Malformed(self.id, self.source.path)
        self._lines_before = 0
        self._kept: dict[object, object] = {}
        if b"\0" in content:
            _note_nuls(content, self.malformed)

    def lacks(self, literals: Set[bytes]) -> bool:
        """Return True if the search for the marks of formats looked for these and found none in the file."""
        return self._literals is not None and self._literals.isdisjoint(literals)

    def parts(self, begins: Sequence[int]) -> Iterator["TextLog"]:
        """Yield the text from each of these ascending offsets to the next; lines keep their numbers."""
        places = pairwise([*begins, len(self.content)])
        for line, (begin, end) in zip(self.lines(begins).tolist(), places, strict=True):
            part = copy(self)
            part.content, part._lines_before = self.content[begin:end], line - 1
            part._kept = {}
            yield part

    def numbered(self, number: int) -> "TextLog":
        """Return the part of a log with this run in it: it has an id, a source and damage of its own.

        Damage of the whole file is that of the first.
        """
        part = copy(self)
        part.id = self.files.id(self.path, number)
        part.source = structs.replace(self.source, line=self._lines_before + 1)
        part.malformed = Malformed(part.id, self.source.path)
        if number == 1 and b"\0" in (content := self.files.bytes(self.path)):
            _note_nuls(content, part.malformed)
        return part

    def lines(self, offsets: Sequence[int] | IntArray) -> IntArray:
        """Return the line numbers, from 1, of offsets in the content."""
        at = np.asarray(offsets, dtype=np.int64)
        if not len(at):
            return at
        ends = self.once("line ends", lambda: _line_ends(self.content))
        numbers: IntArray = ends.searchsorted(at) + (1 + self._lines_before)
        return numbers

    def place(self, offset: int) -> Source:
        """Return the source of one offset."""
        return Source(self.source.path, self.content.count(b"\n", 0, offset) + 1 + self._lines_before)

    def once(self, key: object, parse: Callable[[], T]) -> T:
        """Return what was parsed of this log under a key: the borders of runs and the runs need the same."""
        if key not in self._kept:
            self._kept[key] = parse()
        return cast(T, self._kept[key])

    def records(self, pattern: re.Pattern[bytes], anchor: bytes = b"", fact: str = "") -> Records:
        """Return all matches of a pattern.

        anchor  a literal that every record contains once
        fact    report each anchor outside a record as a malformed line with this text
        """
        records = self.once((pattern, anchor), lambda: self._matches(pattern, anchor))
        if fact and self.content.count(anchor) > len(records):
            self._note_others(records, anchor, fact)
        return records

    def _matches(self, pattern: re.Pattern[bytes], anchor: bytes) -> Records:
        region = self._region(anchor)
        if not region[1]:
            return Records(_NOTHING, _NOTHING, _NOTHING, dict.fromkeys(pattern.groupindex, ()))
        matches = list(pattern.finditer(self.content, *region))
        begin = np.fromiter(map(re.Match.start, matches), np.int64, len(matches))
        end = np.fromiter(map(re.Match.end, matches), np.int64, len(matches))
        groups = list(zip(*map(re.Match.groups, matches), strict=True))
        names = sorted(pattern.groupindex, key=lambda name: pattern.groupindex[name])
        columns = {name: groups[pattern.groupindex[name] - 1] if groups else () for name in names}
        return Records(begin, end, self.lines(begin), columns)

    def _region(self, anchor: bytes) -> tuple[int, int]:
        """Return where the first line that contains a literal begins and where the last one ends."""
        # rfind reports an absent literal faster than find.
        last = self.content.rfind(anchor)
        if last < 0:
            return 0, 0
        first = self.content.find(anchor)
        end = self.content.find(b"\n", last + len(anchor))
        # Include the line feed: a pattern may require what follows a number.
        return max(self.content.rfind(b"\n", 0, first), 0), len(self.content) if end < 0 else end + 1

    def _note_others(self, records: Records, anchor: bytes, fact: str) -> None:
        at = np.array([match.start() for match in re.finditer(re.escape(anchor), self.content)])
        inside = np.searchsorted(records.begin, at, side="right") - 1
        lost = (inside < 0) | (at >= records.end[np.maximum(inside, 0)]) if len(records) else at >= 0
        lines = self.lines(at[lost])
        if len(lines):
            self.malformed.add(int(lines[0]), fact, len(lines))

    def stamps(self, offsets: IntArray, width: int = 90) -> FloatArray:
        """Return the last date before each offset in its line, converted by `seconds`.

        width  characters before the offset to search
        """
        texts = []
        for begin in offsets.tolist():
            before = self.content[max(begin - width, 0) : begin]
            stamp = _LAST_STAMP.search(before, before.rfind(b"\n") + 1)
            texts.append(stamp[1] if stamp else b"")
        return seconds(texts)

    def time_before(self, offset: int, width: int = 90) -> WallTime | None:
        """Return the last date before an offset in its line; `width` characters are searched."""
        before = self.content[max(offset - width, 0) : offset]
        return wall_time(before[before.rfind(b"\n") + 1 :])

    def option(self, name: bytes) -> bytes | None:
        """Return a value of an argument dump (`  name ........ value`), None if absent."""
        at = self.content.find(b"  " + name + b" ..")
        value = _DUMPED.match(self.content, at + 2) if at >= 0 else None
        return value[1] if value else None

    def word(self, *literals: bytes) -> str:
        """Return the letters, digits and `_.-` that follow the first literal that occurs, "" if none does."""
        for literal in literals:
            at = self.content.find(literal)
            if at >= 0:
                word = _WORD.match(self.content, at + len(literal))
                return word[0].decode() if word else ""
        return ""

    def count(self, *literals: bytes) -> int | None:
        """Return the positive integer that follows the first literal that occurs, None if there is none."""
        return positive(self.word(*literals))

    def search(self, pattern: re.Pattern[bytes], literal: bytes) -> re.Match[bytes] | None:
        """Return the first match of a pattern whose first line contains the literal."""
        begin, end = self._region(literal)
        return pattern.search(self.content, begin, end + _MAX_SETTING_CHARS) if end else None

    def last(self, pattern: re.Pattern[bytes], literal: bytes) -> re.Match[bytes] | None:
        """Return the last match of a pattern whose first line contains the literal."""
        at = len(self.content)
        for _ in range(_MAX_TRIES):
            at = self.content.rfind(literal, 0, at)
            if at < 0:
                return None
            begin = max(self.content.rfind(end, 0, at) for end in (b"\n", b"\r")) + 1
            for match in pattern.finditer(self.content, begin, at + _MAX_SETTING_CHARS):
                if match.end() > at:
                    return match
        return None


def _line_ends(content: bytes) -> IntArray:
    ends: IntArray = (np.frombuffer(content, dtype=np.uint8) == _LINE_FEED).nonzero()[0]
    return ends


def without_controls(content: bytes) -> bytes:
    """Remove terminal colours, CR before LF and NUL bytes; lines keep their numbers."""
    if b"\0" in content:
        content = content.replace(b"\0", b"")
    # Most logs contain no CR, and rfind reports an absent byte faster than find.
    if b"\r" in content and content.rfind(b"\r\n") >= 0:
        content = content.replace(b"\r\n", b"\n")
    return _COLOUR.sub(b"", content) if _ESCAPE in content else content


def is_binary(head: bytes) -> bool:
    """Return whether a file with this head is not text.

    Text may contain a few NUL bytes: a number printed as a character (`device: \\0.`), and runs of them where
    a log was rotated or not written out. UTF-16 has one in every second byte, and binary files have other
    control characters too.
    """
    if b"\0" not in head:
        return False
    text = head.rstrip(b"\0")
    controls = len(text) - len(text.translate(None, _CONTROL))
    runs_of_nuls = text.startswith(b"\0") + text.translate(_NUL_OR_DOT).count(b".\0")
    return controls + runs_of_nuls > 1 + (len(text) - text.count(b"\0")) // _MIN_TEXT_BYTES


def _note_nuls(content: bytes, malformed: Malformed) -> None:
    text = content.rstrip(b"\0")
    if len(text) < len(content):
        # A machine that crashes leaves blocks of NUL bytes that it had not written yet.
        malformed.add(text.count(b"\n") + 1, "ends in NUL bytes: the log was not written out")
    if (first := text.find(b"\0")) >= 0:
        places = len(_NULS.findall(text))
        malformed.add(text.count(b"\n", 0, first) + 1, "NUL bytes, left out", places, "note")


@dataclass(frozen=True, slots=True, eq=False)
class TextSign:
    """Claims a text file that has one of the marks in its head, and a match in its first `size` bytes.

    Marks are literals, which are searched first because that is cheap.
    """

    marks: tuple[bytes, ...]
    pattern: re.Pattern[bytes]
    confidence: float
    beside: tuple[str, ...] = ()
    size: int = HEAD

    def claim(self, files: LogFiles) -> Claim | None:
        """Claim a file by the first match."""
        head = files.head(files.path)
        if not any(mark in head for mark in self.marks) or is_binary(head):
            return None
        head = without_controls(head if self.size == HEAD else files.head(files.path, self.size))
        match = self.pattern.search(head)
        if not match:
            return None
        text = match[0].strip()
        reason = text.partition(b"\n")[0].decode("utf-8", "replace")[:_MAX_REASON_CHARS]
        source = files.source(files.path, line_at(head, match.start() + match[0].find(text)))
        return Claim(self.confidence, source, reason, (files.path,), self.beside)


@dataclass(frozen=True, slots=True, eq=False)
class JsonSign:
    """Claims a file that starts like JSON and has all marks in its head; the first is the usual reason."""

    marks: tuple[bytes, ...]
    confidence: float
    starts: tuple[bytes, ...] = (b"{",)
    reason: str = ""

    def claim(self, files: LogFiles) -> Claim | None:
        """Claim a file by its first mark."""
        head = files.head(files.path)
        if not all(mark in head for mark in self.marks) or is_binary(head):
            return None
        head, first = without_controls(head), self.marks[0]
        if not head.lstrip().startswith(self.starts):
            return None
        return Claim.at(files, self.confidence, self.reason or first.decode(), head, head.find(first))


@dataclass(frozen=True, slots=True, eq=False)
class LateSign:
    """A TextSign whose pattern is compiled when a file is asked about: most programs never start with one."""

    marks: tuple[bytes, ...]
    compiled: Callable[[], re.Pattern[bytes]]
    confidence: float

    def claim(self, files: LogFiles) -> Claim | None:
        """Claim a file as the sign with the pattern does."""
        head = files.head(files.path)
        if not any(mark in head for mark in self.marks):
            return None
        return TextSign(self.marks, self.compiled(), self.confidence).claim(files)


def format_of(
    name: str,
    summary: str,
    signs: Sequence[TextSign | JsonSign],
    read: Callable[[TextLog], Results],
    refine: Refine = lambda files, claim: claim,
    marks: Sequence[bytes] = (),
    heads: Sequence[LateSign] = (),
) -> Format:
    """Return the format of files with one of these signs, the first that fits.

    marks  of the files that `refine` claims and no sign does
    heads  signs of a log that ends before its first record
    """

    def claims(files: LogFiles) -> Claim | None:
        return refine(files, _first_claim(signs, files))

    def begun(files: LogFiles) -> Claim | None:
        return _first_claim(heads, files)

    every = dict.fromkeys((*(mark for sign in (*signs, *heads) for mark in sign.marks), *marks))
    return Format(
        name,
        summary,
        claims,
        lambda files: read_with_warnings(TextLog(files), read),
        tuple(every),
        begun=begun if heads else None,
    )


def _first_claim(signs: Sequence[TextSign | JsonSign | LateSign], files: LogFiles) -> Claim | None:
    return next(filter(None, (sign.claim(files) for sign in signs)), None)


def read_with_warnings(log: TextLog, read: Callable[[TextLog], Results]) -> Results:
    """Yield what a reader makes of a log; its runs have what the log says about their speed."""
    texts = [] if log.lacks(WARNINGS) else find_warnings(log.content)
    warnings = [(warning, log.place(warning.offset)) for warning in (*texts, *find_nans(log.content))]
    return with_warnings(read(log), warnings)


def positive(text: str) -> int | None:
    """Return a text of at most 15 digits as an integer above 0, None for any other text."""
    return int(text) if text.isdecimal() and text.isascii() and len(text) <= 15 and int(text) else None


def floats(texts: Sequence[bytes | None]) -> FloatArray:
    """Convert decimal numbers, with or without thousands commas, to floats; None becomes NaN."""
    cells = [text or b"nan" for text in texts] if None in texts else cast(Sequence[bytes], texts)
    try:
        return np.fromiter(map(float, cells), np.float64, len(cells))
    except ValueError:
        return np.fromiter((float(cell.replace(b",", b"")) for cell in cells), np.float64, len(cells))


def seconds(texts: Sequence[bytes]) -> FloatArray:
    """Convert dates (STAMP) to seconds since the first valid one; an invalid date becomes NaN."""
    if not texts:
        return np.empty(0)
    dates = moments(b"\n".join(texts).replace(b",", b".").split(b"\n"))
    is_date = ~np.isnat(dates)
    if not is_date.any():
        return np.full(len(dates), np.nan)
    # Subtract whole microseconds: a float of seconds since 1970 cannot hold them exactly.
    since = (dates - dates[is_date][0]).astype(np.int64) / 1e6
    return np.where(is_date, since, np.nan)


def mean(values: FloatArray) -> float:
    """Return the mean of the finite values, NaN if there is none or their sum overflows."""
    array = np.asarray(values, dtype=np.float64)
    finite = array[np.isfinite(array)].tolist()
    try:
        return math.fsum(finite) / len(finite) if finite else math.nan
    except OverflowError:
        return math.nan
