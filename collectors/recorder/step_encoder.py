"""Encode the events of the recorder as lines of a steps file.

For each event the training thread only appends three integers, (kind, begin, end), to a list: the cheapest
atomic operation in Python. The rest is done here, in another thread: events become lines, phases are summed
per step, and breaks are subtracted.

The kind of an event is the index of a phase column (0 and up), STEP, a count (SAMPLES, TOKENS or SPAN, whose
event is (kind, count, time)), SYNC (the recorder waited for all devices), or BREAK - i for the break name
with index i.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from collectors.format_v1 import steps_file

STEP = -1
SAMPLES = -2
TOKENS = -3
SPAN = -4
SYNC = -5
BREAK = -10

_COUNT_COLUMNS = {SPAN: "span", TOKENS: "tokens", SAMPLES: "samples"}


class _Break(NamedTuple):
    """A break; `name` is its index in the list of names."""

    name: int
    begin: int
    end: int


class _Count(NamedTuple):
    """A number of samples, tokens or steps, noted at a time."""

    kind: int
    amount: int
    when: int


class StepEncoder:
    """Encodes the events of one rank; `columns` and `break_names` belong to the recorder and may grow."""

    def __init__(self, columns: list[str], break_names: list[str]) -> None:
        self._columns = columns
        self._break_names = break_names
        self._count_kinds: tuple[int, ...] = (SAMPLES,)  # in the order of their columns
        self._header: tuple[int, tuple[int, ...]] = (-1, ())  # columns and counts of the last header
        self._no_counts = ""  # the empty cells of the counts
        self._blank: list[Any] = []  # the cells of the phases in a step that enters none
        self._count_at: list[int] = []  # column -> index of its phase's count in these; -1: not counted
        self.step = 0  # the last step that was encoded
        self._phases: list[tuple[int, int, int]] = []  # column, begin, end; no NamedTuple, for speed
        self._breaks: list[_Break] = []
        self._syncs: list[tuple[int, int]] = []
        self._counts: list[_Count] = []

    def encode(self, events: Sequence[int]) -> str:
        """Return the lines that these events complete; `events` is flat, three integers per event."""
        lines: list[str] = []
        stream = iter(events)
        for kind, begin, end in zip(stream, stream, stream):  # noqa: B905 - Python 3.9 has no strict
            if kind >= 0:
                self._phases.append((kind, begin, end))
            elif kind == STEP:
                self._add_step(lines, begin, end)
            elif kind == SYNC:
                self._syncs.append((begin, end))
            elif kind > BREAK:
                self._counts.append(_Count(kind, begin, end))
                if kind not in self._count_kinds:
                    self._count_kinds = tuple(sorted((*self._count_kinds, kind)))
            else:
                self._breaks.append(_Break(BREAK - kind, begin, end))
        return "".join(lines)

    def remaining_lines(self) -> str:
        """Return the lines of the breaks and waits after the last step."""
        lines = [self._break_line(pause, self.step) for pause in self._breaks]
        return "".join(lines + [steps_file.sync_line(self.step, *sync) for sync in self._syncs])

    def _add_step(self, lines: list[str], begin: int, end: int) -> None:
        if (len(self._columns), self._count_kinds) != self._header:
            lines.append(self._new_header(len(self._columns)))
        if self._breaks or self._counts or self._syncs:
            self._add_eventful_step(lines, begin, end)
        else:
            self.step += 1
            cells = self._phase_cells(begin)
            lines.append(f"{self.step}{self._no_counts},{begin},{end - begin}{cells}\n")
        self._phases.clear()

    def _add_eventful_step(self, lines: list[str], begin: int, end: int) -> None:
        breaks_inside = [pause for pause in self._breaks if pause.begin >= begin]
        lines.extend(self._break_line(pause, self.step) for pause in self._breaks if pause.begin < begin)
        lines.extend(steps_file.sync_line(self.step, *sync) for sync in self._syncs if sync[1] <= begin)
        count_cells = [self._count_cell(kind, begin) for kind in self._count_kinds]
        span = self._count_cell(SPAN, begin)
        self.step += int(span or 1)
        duration = _duration_without(breaks_inside, begin, end)
        # The phases of an entry of several steps were not recorded.
        phase_cells = "," * len(self._blank) if span else self._phase_cells(begin, breaks_inside)
        lines.append(",".join([str(self.step), *count_cells, str(begin), str(duration)]) + phase_cells + "\n")
        lines.extend(self._break_line(pause, self.step) for pause in breaks_inside)
        lines.extend(steps_file.sync_line(self.step, *sync) for sync in self._syncs if sync[1] > begin)
        self._breaks.clear()
        self._counts.clear()
        self._syncs.clear()

    def _new_header(self, width: int) -> str:
        columns = self._columns[:width]
        counts = [_COUNT_COLUMNS[kind] for kind in self._count_kinds]
        counted = [column for column in columns if not steps_file.is_event_column(column)]
        phases = list(dict.fromkeys(map(steps_file.phase_of_column, counted)))
        self._header = (width, self._count_kinds)
        self._no_counts = "," * len(counts)
        self._blank = [""] * width + [0] * len(phases)
        self._count_at = [
            width + phases.index(steps_file.phase_of_column(column)) if column in counted else -1
            for column in columns
        ]
        return steps_file.header_line(counts, columns, phases)

    def _phase_cells(self, step_begin: int, breaks: Sequence[_Break] = ()) -> str:
        """Return the cells of a step: the time of each column in ns, then how often it entered each phase."""
        if not self._blank:
            return ""
        cells = self._blank[:]
        unknown: list[int] = []
        for column, begin, end in self._phases:
            count_at = self._count_at[column]
            if begin >= step_begin:
                # The times of an event column contain no breaks.
                is_whole = not breaks or count_at < 0
                duration = end - begin if is_whole else _duration_without(breaks, begin, end)
                total = cells[column]
                cells[column] = duration if total == "" else total + duration
            elif end <= step_begin:  # its step was discarded
                continue
            else:  # it was open at the step's border, so its time in this step is unknown
                unknown.append(column)
            if count_at >= 0:
                cells[count_at] += 1
        for column in unknown:
            cells[column] = ""
        return "," + ",".join(map(str, cells))

    def _count_cell(self, kind: int, step_begin: int) -> str:
        amounts = [item.amount for item in self._counts if item.kind == kind and item.when >= step_begin]
        return str(sum(amounts)) if amounts else ""

    def _break_line(self, pause: _Break, after_step: int) -> str:
        return steps_file.break_line(self._break_names[pause.name], after_step, pause.begin, pause.end)


def _duration_without(breaks: Sequence[_Break], begin: int, end: int) -> int:
    """Return the length of [begin, end) outside of the breaks; breaks do not overlap."""
    inside = sum(max(0, min(end, pause.end) - max(begin, pause.begin)) for pause in breaks)
    return end - begin - inside
