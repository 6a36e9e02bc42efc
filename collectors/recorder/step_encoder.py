"""Encode the events of the recorder as lines of a steps file.

For each event the training thread only appends three integers, (kind, begin, end), to a list: the cheapest
atomic operation in Python. The rest is done here, in another thread: events become lines, phases are summed
per step, and breaks are subtracted. Consecutive steps with the same events as an earlier one, each phase and
count once, need one format operation; most steps are such.

The kind of an event is the index of a phase column (0 and up), STEP, a count (SAMPLES, TOKENS or SPAN, whose
event is (kind, count, time)), SYNC (the recorder waited for all devices), or BREAK - i for the break name
with index i.
"""

from collections.abc import Sequence
from itertools import chain
from operator import lt, sub
from typing import Any, NamedTuple

from collectors.format_v1 import steps_file

STEP = -1
SAMPLES = -2
TOKENS = -3
SPAN = -4
SYNC = -5
BREAK = -10

_BLOCK_STEPS = 10
_MAX_SHAPES = 64

_SHAPED_COUNTS = (SAMPLES, TOKENS)  # a step with a span has no phases
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


class _Shape(NamedTuple):
    """How a step of certain events becomes a line, STEP last.

    counts, phases  the numbers of its events, in the order of their columns
    """

    kinds: list[int]
    template: str
    counts: Sequence[int]
    phases: Sequence[int]

    def is_whole(self, begins: Sequence[int], ends: Sequence[int], start: int) -> bool:
        """Return True if no phase began, and no count was noted, before the step that begins at `start`."""
        border = begins[start + len(self.kinds) - 1]
        for index in self.phases:
            if begins[start + index] < border:
                return False
        return not self.counts or all(ends[start + index] >= border for index in self.counts)

    def line(self, step: int, begins: Sequence[int], durations: Sequence[int], start: int) -> str:
        """Return the line of the step whose events begin at `start`."""
        at = start + len(self.kinds) - 1
        amounts = [begins[start + index] for index in self.counts]
        times = [durations[start + index] for index in self.phases]
        return self.template % (step, *amounts, begins[at], durations[at], *times)


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
        self._shapes: dict[tuple[int, ...], _Shape] = {}  # of steps so far, by the kinds of their events
        self.nested_phases: dict[str, None] = {}  # that were entered inside themselves

    def encode(self, events: Sequence[int]) -> str:
        """Return the lines that these events complete; `events` is flat, three integers per event."""
        lines: list[str] = []
        kinds, begins, ends = events[::3], events[1::3], events[2::3]
        durations = list(map(sub, ends, begins))
        start = 0
        left = kinds.count(STEP)
        while left:
            at = kinds.index(STEP, start)
            own_kinds = tuple(kinds[start : at + 1])
            is_alone = not (self._phases or self._breaks or self._counts or self._syncs)
            shape = self._shapes.get(own_kinds) if is_alone else None
            if shape and shape.is_whole(begins, ends, start):
                count = _block_of_steps(shape, kinds, begins, ends, start)
                if count > 1:
                    lines.append(self._block_of_lines(shape, begins, durations, start, count))
                else:
                    self.step += 1
                    lines.append(shape.line(self.step, begins, durations, start))
                start += count * len(own_kinds)
                left -= count
                continue
            for number in range(start, at):
                self._add_event(kinds[number], begins[number], ends[number])
            self._add_step(lines, begins[at], ends[at])
            if is_alone:
                self._learn_shape(own_kinds)
            start = at + 1
            left -= 1
        for number in range(start, len(kinds)):
            self._add_event(kinds[number], begins[number], ends[number])
        return "".join(lines)

    def _block_of_lines(
        self, shape: _Shape, begins: Sequence[int], durations: Sequence[int], start: int, count: int
    ) -> str:
        """Return the lines of so many steps of a shape, with one format operation."""
        width = len(shape.kinds)
        end = start + count * width
        columns: list[Sequence[int]] = [range(self.step + 1, self.step + count + 1)]
        columns += [begins[start + index : end : width] for index in (*shape.counts, width - 1)]
        columns += [durations[start + index : end : width] for index in (width - 1, *shape.phases)]
        self.step += count
        return shape.template * count % tuple(chain.from_iterable(zip(*columns)))  # noqa: B905

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

    def _learn_shape(self, kinds: tuple[int, ...]) -> None:
        """Make these events of a whole step a shape, if they are phases and counts, each of them once."""
        events = kinds[:-1]
        if len(set(events)) < len(events) or any(kind < 0 and kind not in _SHAPED_COUNTS for kind in events):
            return
        width = self._header[0]
        cells = ["%d" if column in events else "" for column in range(width)]
        entered = ["0"] * (len(self._blank) - width)
        for column in events:
            if column >= 0 and self._count_at[column] >= 0:
                entered[self._count_at[column] - width] = "1"
        amounts = ["%d" if kind in events else "" for kind in self._count_kinds]
        template = ",".join(["%d", *amounts, "%d", "%d", *cells, *entered]) + "\n"
        counts = [events.index(kind) for kind in self._count_kinds if kind in events]
        phases = [events.index(column) for column in range(width) if column in events]
        if len(self._shapes) == _MAX_SHAPES:
            self._shapes.clear()
        self._shapes[kinds] = _Shape(list(kinds), template, counts, phases)

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
        self._shapes.clear()
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


def _block_of_steps(
    shape: _Shape, kinds: Sequence[int], begins: Sequence[int], ends: Sequence[int], start: int
) -> int:
    """Return how many whole steps of a shape are encoded here at once: all that are left, a block, or 1."""
    width = len(shape.kinds)
    left = (len(kinds) - start) // width
    for count in (left, _BLOCK_STEPS) if kinds[start + width : start + 2 * width] == shape.kinds else ():
        end = start + count * width
        if count > left or kinds[start:end] != shape.kinds * count:
            continue
        borders = begins[start + width - 1 : end : width]
        times = [begins[start + index : end : width] for index in shape.phases]
        times += [ends[start + index : end : width] for index in shape.counts]
        if not any(any(map(lt, column, borders)) for column in times):
            return count
    return 1


def _duration_without(breaks: Sequence[_Break], begin: int, end: int) -> int:
    """Return the length of [begin, end) outside of the breaks; breaks do not overlap."""
    inside = sum(max(0, min(end, pause.end) - max(begin, pause.begin)) for pause in breaks)
    return end - begin - inside
