"""Read the reports of Lightning's profilers: what each action took on average and how often it was called.

SimpleProfiler has three layouts: name, mean, total (2020); the same with calls and share of the total (to
2022); and either within bars on both sides, without calls and share if it is not extended. What is copied
from a terminal has spaces for the tabs before the bars. All print five significant digits, measured by the
host without synchronising. AdvancedProfiler prints one cProfile table per action, of which the first line has
the total.

Actions contain one another (run_training_batch contains optimizer_step contains backward): they are never
summed.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from reportgen.formats.parsing.text_log import NUMBER

TITLE = b"Profiler Report"
SIMPLE = b"Mean duration (s)"
ADVANCED = b"Profile stats for: "
_ROW = re.compile(
    rb"^(?:\|[ ]++)?+(?P<name>[^|\t\r\n]{1,700}+)\t?\|[ ]++(?P<mean>%(n)s|-)[ ]*+"
    rb"(?:\t?\|[ ]*+(?P<calls>[0-9]{1,15}|_)[ ]*+)?\t?\|[ ]++(?P<total>%(n)s)[ ]*+"
    rb"(?:\t?\|(?:[ ]++(?:%(n)s)[ ]*+(?:%%[ ]*+)?\t?\|)?)?[ ]*+\r?$" % {b"n": NUMBER},
    re.MULTILINE,
)
_STATS = re.compile(
    rb"^Profile stats for: (?P<name>[^\r\n]{1,700}+)\r?\n"
    rb"[ ]*+[0-9]{1,15}+ function calls (?:\([0-9]{1,15}+ primitive calls\) )?in (?P<total>%s) seconds"
    % NUMBER,
    re.MULTILINE,
)
_RANK = re.compile(rb" rank: [0-9]{1,9}[ ]*$")
_STAGE = re.compile(rb"([A-Z]+) $")
# Five digits of mean and total give an exact count up to here.
_EXACT_CALLS = 20_000


@dataclass(frozen=True, slots=True)
class Action:
    """One row: mean in s, None where only a total is printed; calls, 0 where they cannot be told."""

    name: str
    mean: float | None
    calls: int
    total: float
    text: str
    line: int

    @property
    def short_name(self) -> str:
        """The name without the class that it was called in: `[Strategy]DDPStrategy.backward` is backward."""
        return self.name.rpartition("]")[2].rpartition(".")[2]


def is_report(content: bytes) -> bool:
    """Return whether a text holds a report of either profiler."""
    return TITLE in content and (SIMPLE in content or ADVANCED in content)


def parse(content: bytes) -> tuple[Action, ...]:
    """Return the actions of the training report, of the only report where none is of training."""
    begin, end = _report(content)
    rows = list(_ROW.finditer(content, begin, end))
    of = _simple if rows else _advanced
    rows = rows or list(_STATS.finditer(content, begin, end))
    lines = _lines(content, [found.start("name") for found in rows])
    return tuple(of(found, line) for found, line in zip(rows, lines, strict=True))


def _report(content: bytes) -> tuple[int, int]:
    """Return where the report of training begins and ends; a log may hold one of testing too."""
    starts = [found.start() for found in re.finditer(TITLE, content)]
    if not starts:
        return 0, 0
    stages = [_STAGE.search(content[max(start - 20, 0) : start]) for start in starts]
    chosen = next((i for i, stage in enumerate(stages) if not stage or stage[1] == b"FIT"), 0)
    return starts[chosen], starts[chosen + 1] if chosen + 1 < len(starts) else len(content)


def _simple(found: re.Match[bytes], line: int) -> Action:
    mean = None if found["mean"] == b"-" else float(found["mean"])
    total = float(found["total"])
    calls = int(found["calls"]) if found["calls"] and found["calls"] != b"_" else _calls(mean, total)
    return Action(_name(found), mean, calls, total, found["mean"].decode(), line)


def _calls(mean: float | None, total: float) -> int:
    """Return how often an action was called, from the mean and total of a layout that does not say."""
    if not mean or not 0 <= total / mean < _EXACT_CALLS:
        return 0
    return round(total / mean)


def _advanced(found: re.Match[bytes], line: int) -> Action:
    return Action(_name(found), None, 0, float(found["total"]), found["total"].decode(), line)


def _name(found: re.Match[bytes]) -> str:
    return _RANK.sub(b"", found["name"]).decode("utf-8", "replace").strip()


def _lines(content: bytes, offsets: Sequence[int]) -> Iterator[int]:
    """Yield the lines of ascending offsets; each part of the content is counted once."""
    line = 1
    for before, at in pairwise([0, *offsets]):
        line += content.count(b"\n", before, at)
        yield line


def total_of(actions: Sequence[Action]) -> Action | None:
    """Return the row of the whole run, which newer layouts have."""
    return next((one for one in actions if one.name == "Total" and one.mean is None), None)
