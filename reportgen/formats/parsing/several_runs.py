"""Find the runs in a log that several processes wrote one after the other: `>>`, a loop over batch sizes.

A run begins where the step numbers begin again and the log prints again what it printed before its first
step. The numbers alone show nothing: ranks print the same steps, epochs count from the start, and a process
that resumes repeats its last steps. So lines are compared without their digits, and lines that are also
printed between steps (evaluations, the heads of epochs) do not count.

A run that fails before its first step begins in the same way, before its error: its settings are not those of
the next run, and its error is not that of the last one.

Where the numbers begin again and no such line says why, the log remains one run, with a finding.
"""

import re
import string
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.model import Finding, IntArray
from reportgen.core.rules import Rule
from reportgen.formats.base import Results
from reportgen.formats.parsing.exit_status import ERRORS, error
from reportgen.formats.parsing.run_builder import RunBuilder
from reportgen.formats.parsing.text_log import TextLog

# Numbers, and lists of them, which are longer on more devices.
_NUMBERS = lazy_pattern(rb"[0-9]+(?:[., ]{1,3}[0-9]+)*+")
_EPOCH = lazy_pattern(rb"\bepoch\W{0,4}0", re.IGNORECASE)
_NO_LETTERS = bytes(byte for byte in range(256) if byte not in string.ascii_letters.encode())
_MAX_LINE_BYTES, _MAX_KEY_BYTES = 300, 120
# Bytes of the text before the first step that are compared: its beginning and its end.
_MAX_HEAD_BYTES = 2**17
_MAX_GAP_BYTES = 2**20
# Kinds of lines that are looked for in the text before the first step, before its lines are compared.
_MAX_LOOKED_FOR = 8
# Steps of a first pass, and restarts, that are examined where no line says that a run began.
_MIN_STEPS = 5
_MAX_EXAMINED = 64
_MAX_FAILED_RUNS = 256
_TRACEBACK = b"Traceback (most recent call last)"


@dataclass(frozen=True, slots=True, eq=False)
class StepPlaces:
    """The records of steps in the order of a log: their offsets, and the number of each in its epoch."""

    begin: IntArray
    end: IntArray
    epoch: IntArray
    position: IntArray


def result_places(log: TextLog, pattern: re.Pattern[bytes], *literals: bytes) -> StepPlaces:
    """Return the places of results: a log without steps has one result of each run, or one of each rank.

    literals  each match has one of them in its first line: lines before the first literal are not searched
    """
    content = log.content
    starts = [
        at for literal in literals if content.rfind(literal) >= 0 and (at := content.find(literal)) >= 0
    ]
    start = content.rfind(b"\n", 0, min(starts)) + 1 if starts else len(content) if literals else 0
    begin = np.array([match.start() for match in pattern.finditer(content, start)], dtype=np.int64)
    nothing = np.zeros_like(begin)
    return StepPlaces(begin, begin, nothing, nothing)


@dataclass(frozen=True, slots=True)
class RunBorders:
    """Where the runs of a log begin, and where the steps begin again without a run that begins (or -1)."""

    begins: tuple[int, ...]
    repeated_at: int = -1


def run_borders(log: TextLog, places: StepPlaces) -> RunBorders:
    """Return where the runs of a log begin: at 0, and at the first line that repeats one before the steps."""
    if not len(places.begin):
        return RunBorders((0,))
    search = _Search(log, places)
    for record in search.candidates:
        search.examine(record)
    search.examine_end()
    return RunBorders(tuple(search.begins), search.repeated_at)


def run_logs(log: TextLog, borders: RunBorders) -> Iterator[TextLog]:
    """Yield the log of each run; several are numbered from 1."""
    if len(borders.begins) == 1:
        yield log
        return
    for number, part in enumerate(log.parts(borders.begins), 1):
        yield part.numbered(number)


def built_runs(
    log: TextLog, places: StepPlaces, whole: Callable[[], RunBuilder], part: Callable[[TextLog], RunBuilder]
) -> Results:
    """Yield the runs of a log.

    whole  builds the run of a log that has one, from the records that are parsed already
    part   builds the run of one of several
    """
    borders = run_borders(log, places)
    if len(borders.begins) == 1:
        run = whole()
        run.findings += repetition(log, borders)
        yield run.run()
        return
    for each in run_logs(log, borders):
        yield part(each).run()


def repetition(log: TextLog, borders: RunBorders) -> tuple[Finding, ...]:
    """Return the finding about steps that begin again without a run that begins."""
    if borders.repeated_at < 0:
        return ()
    message = (
        "the step numbers begin again here: the first of each step counts; if this is another run, write "
        "each to a file of its own"
    )
    return (Finding("warning", Rule.READ_SEVERAL_RUNS, log.id, message, log.place(borders.repeated_at)),)


class _Search:
    """One pass over the records of a log."""

    def __init__(self, log: TextLog, places: StepPlaces) -> None:
        self.content, self.places, self.has_errors = log.content, places, not log.lacks(ERRORS)
        self.begins, self.repeated_at = [0], -1
        self.key = _ascending_key(places.epoch, places.position)
        self.examined = 0
        self._start_run(0)

    def _start_run(self, record: int) -> None:
        self.done = record
        self._begin_after_errors(int(self.places.begin[record]))
        self.first = int(self.places.begin[record])
        self._known_head: list[bytes] | None = None
        self.steps: set[int] = {int(self.key[record])}

    @property
    def head(self) -> list[bytes]:
        """The keys of the lines before the first step of the run; most logs are never asked for them."""
        if self._known_head is None:
            self._known_head = _keys(self._head(self.begins[-1], self.first))
        return self._known_head

    def _begin_after_errors(self, end: int) -> None:
        """Begin a run after each error before the first step, at an offset, where the log begins again."""
        while self.has_errors and len(self.begins) < _MAX_FAILED_RUNS:
            start = max(self.begins[-1], end - _MAX_GAP_BYTES)
            kind, at = error(self.content[start:end])
            if kind is None:
                return
            before = self.content[self.begins[-1] : min(start + at, self.begins[-1] + _MAX_HEAD_BYTES)]
            begin = _first_again(_keys(before.partition(_TRACEBACK)[0]), self._lines(start + at, end))
            if begin < 0:
                return
            self.begins.append(begin)

    def examine_end(self) -> None:
        """Begin a run after the last step, if the log begins again and then has an error."""
        last = int(self.places.end[-1])
        if not self.has_errors or not error(self.content, last)[0]:
            return
        begin = self._begin(self._lines(last, len(self.content)))
        if begin >= 0 and error(self.content[begin:])[0]:
            self.begins.append(begin)
            self._begin_after_errors(len(self.content))

    def _head(self, begin: int, end: int) -> bytes:
        """Return the text before the first step of a run, without the beginning of its line."""
        end = self.content.rfind(b"\n", begin, end) + 1
        if end - begin <= 2 * _MAX_HEAD_BYTES:
            return self.content[begin : max(end, begin)]
        return self.content[begin : begin + _MAX_HEAD_BYTES] + self.content[end - _MAX_HEAD_BYTES : end]

    @cached_property
    def candidates(self) -> list[int]:
        """The records that go back to the first step of the log."""
        position, epoch = self.places.position, self.places.epoch
        ahead = np.append(position[1:] - position[:-1], 0)
        is_first = (epoch <= epoch[0]) & (position <= np.maximum(position[0], ahead + 1))
        highest = np.maximum.accumulate(self.key)
        is_back = np.append(False, self.key[1:] <= highest[:-1])
        candidates: list[int] = np.flatnonzero(is_first & is_back).tolist()
        return candidates

    def examine(self, record: int) -> None:
        """Begin a run at a record, or note that steps begin again."""
        self.steps.update(self.key[self.done + 1 : record].tolist())
        self.done = record
        begin = self._begin(self._gap(record))
        if begin >= 0:
            self.begins.append(begin)
            self._start_run(record)
        else:
            self._compare_steps(record)

    @cached_property
    def inner(self) -> set[bytes]:
        """The keys of the lines that are printed between steps."""
        inside = np.setdiff1d(np.arange(1, len(self.key)), self.candidates).tolist()
        return {key for record in inside for key, _ in self._gap(record)}

    def _begin(self, lines: Iterable[tuple[bytes, int]]) -> int:
        """Return the offset of the first line in a gap that begins a run, -1 if none does."""
        gap = list(lines)
        if not gap:
            return -1
        # Most gaps have no line of the head, and then those between all steps are not needed.
        keys = {key for key, _ in gap}
        if self._lacks(keys) or keys.isdisjoint(self.head):
            return -1
        return _first_again([key for key in self.head if key not in self.inner], gap)

    def _lacks(self, keys: set[bytes]) -> bool:
        """Return True if no line of the head can have one of these keys: what is before their numbers."""
        words = {key.partition(b"0")[0] for key in keys}
        head = self._head(self.begins[-1], self.first)
        return len(words) <= _MAX_LOOKED_FOR and not any(word in head for word in words)

    def _gap(self, record: int) -> Iterator[tuple[bytes, int]]:
        """Yield the keys of the whole lines between a record and the one before, and their offsets."""
        return self._lines(int(self.places.end[record - 1]), int(self.places.begin[record]))

    def _lines(self, begin: int, end: int) -> Iterator[tuple[bytes, int]]:
        """Yield the keys of the whole lines between two offsets, and the offsets of these lines."""
        at = self.content.find(b"\n", max(begin, end - _MAX_GAP_BYTES), end) + 1
        last = self.content.rfind(b"\n", at, end) if at else -1
        if last < 0:
            return
        text = self.content[at:last]
        for key, line in zip(_line_keys(text), text.split(b"\n"), strict=True):
            if key:
                yield key, at
            at += len(line) + 1

    def _compare_steps(self, record: int) -> None:
        """Note that steps begin again if most of them are passed through again: no late rank does that."""
        if self.repeated_at >= 0 or len(self.steps) < _MIN_STEPS or self.examined >= _MAX_EXAMINED:
            return
        self.examined += 1
        further = self.key[record:]
        (reached,) = (further >= max(self.steps)).nonzero()
        again = set(further[: reached[0] if len(reached) else None].tolist())
        if 2 * len(again & self.steps) >= len(self.steps):
            self.repeated_at = int(self.places.begin[record])


def _ascending_key(epoch: IntArray, position: IntArray) -> IntArray:
    """Return one number for each pair of epoch and position, in the order of the pairs."""
    if (epoch == epoch[0]).all():  # as in most logs, which need no more
        return position
    order = np.lexsort((position, epoch))
    epoch, position = epoch[order], position[order]
    key = np.zeros_like(position)
    key[order[1:]] = ((epoch[1:] != epoch[:-1]) | (position[1:] != position[:-1])).cumsum()
    return key


def _first_again(head: list[bytes], lines: Iterable[tuple[bytes, int]]) -> int:
    """Return the offset where a log begins again, -1 if too few lines of its head are repeated."""
    places: dict[bytes, int] = {}
    for key, at in lines:
        if head[:1] == [key]:
            return at
        places.setdefault(key, at)
    again = [key for key in head if key in places]
    # The line that the first run prints first; a line of the end of a run may be repeated too.
    return places[again[0]] if 2 * len(again) > len(head) else -1


def _keys(text: bytes) -> list[bytes]:
    """Return the keys of the lines of a text, each once and in order."""
    return [key for key in dict.fromkeys(_line_keys(text)) if key]


def _line_keys(text: bytes) -> list[bytes]:
    """Return what each line has in common with others of its kind, empty for the head of an epoch.

    One substitution over the text is faster than one for each line.
    """
    words = b"\n".join([line[:_MAX_LINE_BYTES].lstrip(_NO_LETTERS) for line in text.split(b"\n")])
    keys = [line[:_MAX_KEY_BYTES].strip() for line in _NUMBERS.sub(b"0", words).split(b"\n")]
    if not _EPOCH.search(b"\n".join(keys)):
        return keys
    return [b"" if _EPOCH.search(key) else key for key in keys]
