"""The proposal itself: choose the line that tells of steps, check its pattern over the whole log, show it.

The line chosen is the one that repeats most, weighted by how plainly its words say what its numbers are: a
log has many lines with a time and a growing number, and few that say `step` and `ms`.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from reportgen.core.errors import RequestError
from reportgen.core.model import Run, Series
from reportgen.formats.custom import reader as custom
from reportgen.formats.custom.definition import Definition, definition
from reportgen.formats.custom.linear_pattern import searchable
from reportgen.formats.detection import detect
from reportgen.formats.filetype import no_text
from reportgen.formats.parsing.text_log import Records, TextLog
from reportgen.formats.registry import FORMATS
from reportgen.learn.columns import Roles, roles
from reportgen.learn.regex import anchor, pattern
from reportgen.learn.templates import MOST_TEXT, Shape, shapes
from reportgen.protocol import DEFAULT
from reportgen.report.listing import RunListing, run_entry
from reportgen.sources.logfiles import LogFiles

FEWEST_LINES = 3
_SHOWN_RECORDS = 3
_SHOWN_NEAR = 5
_SHOWN = 100
_SLOWER = 1.01


@dataclass(frozen=True, slots=True)
class Proposal:
    """A format proposed from a log.

    toml     the text of a labels.toml
    lines, matched  of the log, carriage returns ending lines too
    records  headings, then the first and last lines that match: line number and groups
    near_misses  line number and text of the first lines with the same words that do not match
    near_miss_count  number of such lines
    notes    what was assumed
    listing  what `runs` would print about the log
    sample, expected  the smallest excerpt, and what `runs --format json` prints about it
    """

    name: str
    toml: str
    lines: int
    matched: int
    records: tuple[tuple[str, ...], ...]
    near_misses: tuple[tuple[int, str], ...]
    near_miss_count: int
    notes: tuple[str, ...]
    listing: RunListing
    sample: bytes
    expected: bytes

    def files(self) -> dict[str, bytes]:
        """Return what `--write` writes, by path."""
        return {
            "labels.toml": self.toml.encode(),
            self.name + custom.SAMPLE: self.sample,
            self.name + custom.EXPECTED: self.expected,
        }


def propose_format(files: LogFiles) -> Proposal:
    """Return the format that fits a log (a view of one file); RequestError where none can be found."""
    place = files.source(files.path).path
    _check(place, files.head(files.path))
    log = TextLog(files)
    text = searchable(log.content)
    shape, named = _choose(place, text[: 4 * MOST_TEXT].decode("utf-8", "ignore"))
    own, table, notes = _fit(files, log, shape, named, text)
    found = custom.matched(own, log)
    count, near = _near(log, text, found, anchor(shape, named))
    sample = _excerpt(files, text, found)
    header = f"# Proposed by `reportgen learn {_plain(files.path)}`; see docs/reference/formats/custom.md.\n"
    excerpt = LogFiles.of({own.name + custom.SAMPLE: sample})
    known = detect(files.with_settings({}))
    if known:
        notes.append(f"{known.format.name} reads this file already; a format of one's own would go before it")
    notes += _printed_again(own, log)
    return Proposal(
        own.name,
        header + _toml(table),
        text.count(b"\n") + (not text.endswith(b"\n")),
        len(found),
        _table(own, found),
        near,
        count,
        tuple(notes),
        _listing(files, table),
        sample,
        _listing(excerpt.file(own.name + custom.SAMPLE), table).to_json().encode() + b"\n",
    )


def _check(place: str, head: bytes) -> None:
    if wrong := no_text(head):
        raise RequestError(place, *wrong)


def _choose(place: str, text: str) -> tuple[Shape, Roles]:
    """Return the shape of the lines of steps and what its numbers mean."""
    found = shapes(text)
    if not found:
        raise RequestError(place, "holds no numbers", "name a log that prints steps and times")
    often = [shape for shape in found if shape.count >= FEWEST_LINES]
    if not often:
        raise RequestError(
            place, f"no line with numbers stands there {FEWEST_LINES} times", "name a longer log"
        )
    candidates = [(shape, named) for shape in often if (named := roles(shape))]
    if not candidates:
        most = often[0]
        raise RequestError(
            place,
            "no line that repeats has a growing step and a time, a rate or a date; most often stands "
            f'"{_plain(most.example[:_SHOWN])}" ({most.count} times)',
            "write [format] by hand, see docs/reference/formats/custom.md",
        )
    return max(candidates, key=lambda pair: pair[0].count * pair[1].sure)


def _fit(
    files: LogFiles, log: TextLog, shape: Shape, named: Roles, text: bytes
) -> tuple[Definition, dict[str, Any], list[str]]:
    """Return definition, table and notes; a time that turns out to be that of many steps is left out."""
    notes = list(named.notes)
    table = _own_table(files.path, shape, named, text)
    time = named.time_slot()
    if time is not None and "timestamp" in named.names.values() and _is_of_the_interval(files, table):
        names = {slot: name for slot, name in named.names.items() if slot != time}
        table = _own_table(files.path, shape, replace(named, names=names), text)
        notes = ["the printed time is that of all steps since the line before; timestamps tell it better"]
    return definition("labels.toml: format", table), table, notes


def _own_table(path: str, shape: Shape, named: Roles, text: bytes) -> dict[str, Any]:
    """Return the table; the pattern begins with the line only if it would match other lines otherwise."""
    name = _name(path)
    tables = [
        {"name": name, "pattern": pattern(shape, named, whole_line=whole_line)}
        for whole_line in (False, True)
    ]
    counts = [sum(1 for _ in definition("", one).matches(text[:MOST_TEXT])) for one in tables]
    chosen: dict[str, Any] = tables[counts[0] != counts[1]]
    return chosen | ({"rate": "per-device"} if named.is_per_device else {})


def _name(path: str) -> str:
    stem = path.rpartition("/")[2].split(".")[0]
    name = re.sub(r"[^A-Za-z0-9_-]+", "-", stem).strip("-_")[:40] or "log"
    return f"{name}-log" if name in [known.name for known in FORMATS] else name


def _is_of_the_interval(files: LogFiles, table: dict[str, Any]) -> bool:
    run = _run(files, table)
    if run is None:
        return False
    printed, taken = (_series(run, clock) for clock in ("printed", "timestamp"))
    if printed is None or taken is None:
        return False
    span = np.median(taken.span)
    # The reader holds the time for that of one step and has multiplied it.
    each = np.nanmedian(printed.value / printed.span)
    return bool(span > 1 and np.isclose(each, np.median(taken.value), rtol=0.3))


def _series(run: Run, clock: str) -> Series | None:
    return next((one for one in run.series if one.metric == "step_time" and one.clock == clock), None)


def _run(files: LogFiles, table: dict[str, Any]) -> Run | None:
    view = files.with_settings({"": {custom.NAME: table}})
    return next((one for one in custom.read(view) if isinstance(one, Run)), None)


def _listing(files: LogFiles, table: dict[str, Any]) -> RunListing:
    run = _run(files, table)
    return RunListing((run_entry(run, DEFAULT),) if run else ())


def _table(own: Definition, found: Records) -> tuple[tuple[str, ...], ...]:
    """Return headings, the first and the last records; a row of dots where some are left out."""
    last = len(found)
    positions = list(range(min(_SHOWN_RECORDS, last)))
    rest = [at for at in range(max(last - _SHOWN_RECORDS, 0), last) if at not in positions]
    rows = [_row(own, found, at) for at in positions]
    if rest and rest[0] != len(positions):
        rows.append(("...",) * (len(own.groups) + 1))
    rows += [_row(own, found, at) for at in rest]
    return (("line", *own.groups), *rows)


def _row(own: Definition, found: Records, at: int) -> tuple[str, ...]:
    return (str(int(found.line[at])), *(found.text(name, at) for name in own.groups))


def _printed_again(own: Definition, log: TextLog) -> list[str]:
    """Return a note if steps have several lines: of ranks, of which the slowest may not be the first."""
    records, step, _ = custom.numbered(own, log)
    if custom.ranks(records).any():
        return []
    order = np.argsort(step, kind="stable")
    steps, first, count = np.unique(step[order], return_index=True, return_counts=True)
    if not len(steps) or count.max() == 1:
        return []
    at = int(np.argmax(count > 1))
    note = f"step {steps[at]} has {count[at]} lines; of lines of one step the first is taken"
    if not own.time:
        return [note]
    times = records.floats(own.time)[order]
    taken, slowest = times[first], np.fmax.reduceat(times, first)
    slower = np.max(slowest[taken > 0] / taken[taken > 0], initial=0.0)
    return [note + (f", and another says up to {slower:.3g} x its time" if slower >= _SLOWER else "")]


def _near(log: TextLog, text: bytes, found: Records, words: str) -> tuple[int, tuple[tuple[int, str], ...]]:
    """Return how many lines have the words of the pattern without matching it, and the first of them."""
    if not words:
        return 0, ()
    starts = np.concatenate(([0], np.flatnonzero(np.frombuffer(text, dtype=np.uint8) == 0x0A) + 1))
    at = np.array([match.start() for match in re.finditer(re.escape(words.encode()), text)], dtype=np.int64)
    with_words = np.unique(np.searchsorted(starts, at, side="right") - 1)
    matched = np.searchsorted(starts, found.begin, side="right") - 1
    others = np.setdiff1d(with_words, matched)
    shown = []
    for line in others[:_SHOWN_NEAR].tolist():
        begin = int(starts[line])
        end = text.find(b"\n", begin)
        content = text[begin : len(text) if end < 0 else end].decode("utf-8", "replace").strip()
        shown.append((int(log.lines([begin])[0]), _plain(content[:_SHOWN])))
    return len(others), tuple(shown)


def _excerpt(files: LogFiles, text: bytes, found: Records) -> bytes:
    """Return the lines of the first steps as they stand in the file, colours and line ends included."""
    steps = found.columns["step"]
    first = [at for at, step in enumerate(steps[: 64 * _SHOWN_RECORDS]) if step not in steps[:at]][
        :_SHOWN_RECORDS
    ]
    numbers = [text.count(b"\n", 0, int(found.begin[at])) for at in first]
    raw = files.bytes(files.path)
    ends = np.flatnonzero(np.isin(np.frombuffer(raw, dtype=np.uint8), (0x0A, 0x0D))).tolist()
    lines = [_line(raw, ends, number) for number in numbers]
    return b"".join(line if line[-1:] in b"\r\n" else line + b"\n" for line in lines)


def _line(raw: bytes, ends: Sequence[int], number: int) -> bytes:
    begin = ends[number - 1] + 1 if number else 0
    end = ends[number] + 1 if number < len(ends) else len(raw)
    return raw[begin : end + (raw[end - 1 : end + 1] == b"\r\n")]


def _toml(table: dict[str, Any]) -> str:
    return "[format]\n" + "".join(f"{key} = {_quoted(value)}\n" for key, value in table.items())


def _quoted(text: str) -> str:
    """Return a TOML string, literal where it can be so that backslashes stay single."""
    return json.dumps(text, ensure_ascii=False) if "'" in text else f"'{text}'"


def _plain(text: str) -> str:
    return "".join(letter if letter.isprintable() else "?" for letter in text)
