"""Encode the events of the recorder as lines of a steps file.

For each event the training thread only appends three integers, (kind, begin, end), to a list: the cheapest
atomic operation in Python. The rest is done here, in another thread: events become lines, phases are summed
per step, and breaks are subtracted. A step with the same events as the one before it, each phase once, needs
one format operation; most steps are such.

The kind of an event is the index of a phase column (0 and up), STEP, a count (SAMPLES, TOKENS or SPAN, whose
event is (kind, count, time)), SYNC (the recorder waited for all devices), or BREAK - i for the break name
with index i.
"""

from collections.abc import Sequence
from operator import itemgetter, sub
from typing import Any, Callable, NamedTuple

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
        self._shape: list[int] = []  # the kinds of the events of a usual step, STEP last; empty: none yet
        self._template = ""  # of its line
        self._ordered: Callable[[list[int]], tuple[int, ...]] = tuple  # its times in the order of the columns
        self.nested_phases: dict[str, None] = {}  # that were entered inside themselves

    def encode(self, events: Sequence[int]) -> str:
        """Return the lines that these events complete; `events` is flat, three integers per event."""
        lines: list[str] = []
        kinds, begins, ends = events[::3], events[1::3], events[2::3]
        durations = list(map(sub, ends, begins))
        start = 0
        for _ in range(kinds.count(STEP)):
            at = kinds.index(STEP, start)
            is_alone = not (self._phases or self._breaks or self._counts or self._syncs)
            # No phase was open where the step began.
            if (
                is_alone
                and kinds[start : at + 1] == self._shape
                and min(begins[start : at + 1]) == begins[at]
            ):
                self.step += 1
                times = self._ordered(durations[start:at])
                lines.append(self._template % (self.step, begins[at], durations[at], *times))
            else:
                for number in range(start, at):
                    self._add_event(kinds[number], begins[number], ends[number])
                self._add_step(lines, begins[at], ends[at])
                if is_alone:
                    self._learn_shape(list(kinds[start : at + 1]))
            start = at + 1
        for number in range(start, len(kinds)):
            self._add_event(kinds[number], begins[number], ends[number])
        return "".join(lines)

    def _add_event(self, kind: int, begin: int, end: int) -> None:
        """Note an event of a step that has not ended."""
        if kind >= 0:
            self._phases.append((kind, begin, end))
        elif kind == SYNC:
            self._syncs.append((begin, end))
        elif kind > BREAK:
            self._counts.append(_Count(kind, begin, end))
            if kind not in self._count_kinds:
                self._count_kinds = tuple(sorted((*self._count_kinds, kind)))
        else:
            self._breaks.append(_Break(BREAK - kind, begin, end))

    def _learn_shape(self, kinds: list[int]) -> None:
        """Make these events of a whole step the usual ones, if they are phases, each of them once."""
        phases = kinds[:-1]
        width = self._header[0]
        if kinds == self._shape or len(set(phases)) < len(phases) or min(phases, default=0) < 0:
            return
        cells = ["%d" if column in phases else "" for column in range(width)]
        counts = ["0"] * (len(self._blank) - width)
        for column in phases:
            if self._count_at[column] >= 0:
                counts[self._count_at[column] - width] = "1"
        self._shape = kinds
        self._template = ",".join([f"%d{self._no_counts}", "%d", "%d", *cells, *counts]) + "\n"
        order = sorted(range(len(phases)), key=phases.__getitem__)
        self._ordered = itemgetter(*order) if order != list(range(len(phases))) else tuple

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
        self._shape = []
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
        is_repeated = False
        for column, begin, end in self._phases:
            count_at = self._count_at[column]
            if begin >= step_begin:
                # The times of an event column contain no breaks.
                is_whole = not breaks or count_at < 0
                duration = end - begin if is_whole else _duration_without(breaks, begin, end)
                total = cells[column]
                if total == "":
                    cells[column] = duration
                else:
                    cells[column] = total + duration
                    is_repeated = True
            elif end <= step_begin:  # its step was discarded
                continue
            else:  # it was open at the step's border, so its time in this step is unknown
                unknown.append(column)
            if count_at >= 0:
                cells[count_at] += 1
        if is_repeated:
            unknown += self._nested_columns()
        for column in unknown:
            cells[column] = ""
        return "," + ",".join(map(str, cells))

    def _nested_columns(self) -> list[int]:
        """Return the columns of phases that were entered inside themselves, whose start is lost.

        The inner one has overwritten the start, so both have the same.
        """
        begins = [(column, begin) for column, begin, end in self._phases if end > begin]
        columns = [column for column, begin in begins if begins.count((column, begin)) > 1]
        for column in columns:
            self.nested_phases[steps_file.phase_of_column(self._columns[column])] = None
        return columns

    def _count_cell(self, kind: int, step_begin: int) -> str:
        amounts = [item.amount for item in self._counts if item.kind == kind and item.when >= step_begin]
        return str(sum(amounts)) if amounts else ""

    def _break_line(self, pause: _Break, after_step: int) -> str:
        return steps_file.break_line(self._break_names[pause.name], after_step, pause.begin, pause.end)


def _duration_without(breaks: Sequence[_Break], begin: int, end: int) -> int:
    """Return the length of [begin, end) outside of the breaks; breaks do not overlap."""
    inside = sum(max(0, min(end, pause.end) - max(begin, pause.begin)) for pause in breaks)
    return end - begin - inside
