"""Turn the recorder's stream of events into lines of a steps file.

The training thread only notes three integers per event, (kind, begin, end), because that is the
cheapest thing Python can do that is also atomic. Everything that costs time happens here, in
another thread: events become rows, phases are summed into their step, breaks are taken out.

Kinds: a column's number (0 and up), STEP, SAMPLES, TOKENS and SPAN (count, when), BREAK - i for break name i.
"""

from collections.abc import Sequence

from collectors.format_v1 import run_folder

STEP = -1
SAMPLES = -2
TOKENS = -3
SPAN = -4
BREAK = -10

_COUNT_COLUMNS = {SPAN: "span", TOKENS: "tokens", SAMPLES: "samples"}

Interval = tuple[int, int, int]  # kind or number of a name, begin, end


class Rows:
    """The lines for one rank. `columns` and `break_names` are the recorder's own lists and may grow."""

    def __init__(self, columns: list[str], break_names: list[str]) -> None:
        self._columns = columns
        self._break_names = break_names
        self._counts: tuple[int, ...] = (SAMPLES,)  # what is counted, in the order of the columns
        self._header: tuple[int, tuple[int, ...]] = (-1, ())  # what the last header was made of
        self._step = 0
        self._phases: list[Interval] = []
        self._breaks: list[Interval] = []
        self._samples: list[Interval] = []

    def lines(self, events: Sequence[int]) -> str:
        """Return the lines that become final with these events (flat, three integers each)."""
        out: list[str] = []
        stream = iter(events)
        for kind, begin, end in zip(stream, stream, stream):  # noqa: B905 - Python 3.9 has no strict
            if kind >= 0:
                self._phases.append((kind, begin, end))
            elif kind == STEP:
                self._add_step(out, begin, end)
            elif kind > BREAK:
                self._samples.append((kind, begin, end))
                if kind not in self._counts:
                    self._counts = tuple(sorted((*self._counts, kind)))
            else:
                self._breaks.append((BREAK - kind, begin, end))
        return "".join(out)

    def rest(self) -> str:
        """Return the lines of breaks after the last step."""
        return "".join(self._break_line(one, self._step) for one in self._breaks)

    def _add_step(self, out: list[str], begin: int, end: int) -> None:
        width = len(self._columns)
        if (width, self._counts) != self._header:
            names = [_COUNT_COLUMNS[kind] for kind in self._counts]
            out.append(run_folder.header_line(names, self._columns[:width]))
            self._header = (width, self._counts)
        inside = [one for one in self._breaks if one[1] >= begin]
        out.extend(self._break_line(one, self._step) for one in self._breaks if one[1] < begin)
        counts = [self._count(kind, begin) for kind in self._counts]
        self._step += int(self._count(SPAN, begin) or 1)
        cells = [""] * width
        for kind, total in self._phase_totals(begin, inside).items():
            cells[kind] = str(total)
        duration = _without(inside, begin, end)
        out.append(",".join([str(self._step), *counts, str(begin), str(duration), *cells]) + "\n")
        out.extend(self._break_line(one, self._step) for one in inside)
        self._phases.clear()
        self._breaks.clear()
        self._samples.clear()

    def _phase_totals(self, step_begin: int, breaks: list[Interval]) -> dict[int, int]:
        totals: dict[int, int] = {}
        for kind, begin, end in self._phases:
            if begin >= step_begin:  # else it was open at the border, or belongs to a step that was given up
                is_whole = not breaks or run_folder.is_event_column(self._columns[kind])  # no breaks in it
                length = end - begin if is_whole else _without(breaks, begin, end)
                totals[kind] = totals.get(kind, 0) + length
        return totals

    def _count(self, kind: int, step_begin: int) -> str:
        counts = [count for one, count, when in self._samples if one == kind and when >= step_begin]
        return str(sum(counts)) if counts else ""

    def _break_line(self, one: Interval, after_step: int) -> str:
        return run_folder.break_line(self._break_names[one[0]], after_step, one[1], one[2])


def _without(breaks: Sequence[Interval], begin: int, end: int) -> int:
    """Return the length of [begin, end) outside of the breaks, which do not overlap."""
    lost = sum(max(0, min(end, until) - max(begin, since)) for _, since, until in breaks)
    return end - begin - lost
