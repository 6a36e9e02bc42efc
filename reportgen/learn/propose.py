"""Propose a format: choose the lines of steps, check their pattern on the whole log, describe the result.

The chosen lines are the most frequent ones, weighted by how clearly their words name the numbers: a log has
many lines with a time and a growing number, and few that print `step` and `ms`.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec
import numpy as np

from reportgen.core.errors import RequestError
from reportgen.core.model import Run, Series
from reportgen.formats.custom import reader as custom
from reportgen.formats.custom.definition import Definition, format_definition, searchable
from reportgen.formats.detection import detect
from reportgen.formats.filetype import no_text
from reportgen.formats.parsing.text_log import Records, TextLog
from reportgen.formats.registry import FORMATS
from reportgen.labels.labels_toml import LEARNED
from reportgen.labels.path_tokens import add_path_settings
from reportgen.learn.columns import ColumnRoles, column_roles
from reportgen.learn.regex import anchor, pattern
from reportgen.learn.templates import MAX_TEXT_CHARS, LineTemplate, find_templates
from reportgen.load.normalize import normalize_run
from reportgen.protocol import DEFAULT
from reportgen.report.listing import RunListing
from reportgen.report.run_entry import entry_of_run
from reportgen.sources.logfiles import LogFiles

MIN_LINES = 3
_MAX_SHOWN_RECORDS = 3
_MAX_SHOWN_NEAR_MISSES = 5
_MAX_SHOWN_CHARS = 100
_PRINTED = "or write [table] by hand, see docs/how-to/read-a-table.md"
_MIN_SLOWDOWN = 1.01


@dataclass(frozen=True, slots=True)
class Proposal:
    """A format proposed from a log.

    toml             text of a labels.toml
    lines, matched   numbers of lines in the log; carriage returns end lines too
    records          headings, then the first and last lines that match: line number and groups
    near_misses      line number and text of the first lines with the same words that do not match
    near_miss_count  number of such lines
    notes            assumptions
    listing          what `runs` prints about the log
    sample           the smallest excerpt; expected  what `runs --format json` prints about it
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

    def document(self) -> dict[str, object]:
        """Return the proposal as JSON has it; `runs` is what `runs --format json` prints."""
        heads, *rows = self.records
        return {
            "name": self.name,
            "lines": self.lines,
            "matched": self.matched,
            "records": [dict(zip(heads, row, strict=True)) for row in rows],
            "near_misses": [{"line": line, "text": text} for line, text in self.near_misses],
            "near_miss_count": self.near_miss_count,
            "runs": msgspec.Raw(self.listing.to_json().encode()),
            "notes": self.notes,
            "toml": self.toml,
        }

    def written(self) -> dict[str, bytes]:
        """Return what `--write` writes, by path."""
        return {
            "labels.toml": self.toml.encode(),
            self.name + custom.SAMPLE: self.sample,
            self.name + custom.EXPECTED: self.expected,
        }


def propose_format(files: LogFiles, name: str = "") -> Proposal:
    """Return the format that fits a log (a view of one file). Raises RequestError if there is none.

    name  of the format, "" for that of the file
    """
    place = files.source(files.path).path
    _check(place, files.head(files.path))
    log = TextLog(files)
    text = searchable(log.content)
    template, roles = _choose(place, text[: 4 * MAX_TEXT_CHARS].decode("utf-8", "ignore"))
    format, table, notes = _fit(files, log, template, roles, text, name or _name(files.path))
    records = custom.matched(format, log)
    near_misses = _near_misses(text, records, anchor(template, roles))
    sample = _excerpt(files, text, records)
    header = f"{LEARNED}{_printable(files.path)}`; see docs/reference/formats/custom.md.\n"
    excerpt = LogFiles.of({format.name + custom.SAMPLE: sample})
    known = detect(files.with_settings({}))
    if known:
        notes.append(f"{known.format.name} already reads this file; a custom format takes precedence")
    notes += _repeated_steps(format, log)
    return Proposal(
        format.name,
        header + _toml(table),
        text.count(b"\n") + (not text.endswith(b"\n")),
        len(records),
        _table(format, records),
        _first_lines(log, text, near_misses),
        len(near_misses),
        tuple(notes),
        _listing(files, table),
        sample,
        _listing(excerpt.file(format.name + custom.SAMPLE), table).to_json().encode() + b"\n",
    )


def _check(place: str, head: bytes) -> None:
    if wrong := no_text(head):
        raise RequestError(place, *wrong)


def _choose(place: str, text: str) -> tuple[LineTemplate, ColumnRoles]:
    """Return the template of the lines of steps, and the roles of its numbers."""
    templates = find_templates(text)
    if not templates:
        raise RequestError(place, "holds no numbers", "name a log that prints steps and times")
    often = [template for template in templates if template.count >= MIN_LINES]
    if not often:
        remedy = f"name a longer log, {_PRINTED}"
        raise RequestError(place, f"no line with numbers occurs {MIN_LINES} times", remedy)
    candidates = [(template, roles) for template in often if (roles := column_roles(template))]
    if not candidates:
        most = often[0]
        raise RequestError(
            place,
            "no repeated line has an increasing step and a time, rate or timestamp; most frequent line: "
            f'"{_printable(most.example[:_MAX_SHOWN_CHARS])}" ({most.count} times)',
            "write [format] by hand, see docs/reference/formats/custom.md",
        )
    return max(candidates, key=lambda pair: pair[0].count * pair[1].score)


def _fit(
    files: LogFiles, log: TextLog, template: LineTemplate, roles: ColumnRoles, text: bytes, name: str
) -> tuple[Definition, dict[str, Any], list[str]]:
    """Return definition, table and notes; a time that covers several steps is left out."""
    notes = list(roles.notes)
    table = _format_table(name, template, roles, text)
    time = roles.time_slot()
    has_stamp = any(name.startswith("timestamp") for name in roles.names.values())
    if time is not None and has_stamp and _covers_interval(files, table):
        names = {slot: group for slot, group in roles.names.items() if slot != time}
        table = _format_table(name, template, replace(roles, names=names), text)
        notes = ["the printed time covers all steps since the previous line; timestamps are more precise"]
    return format_definition("labels.toml: format", table), table, notes


def _format_table(name: str, template: LineTemplate, roles: ColumnRoles, text: bytes) -> dict[str, Any]:
    """Return the table; the pattern starts with `^` only if it would match other lines without it."""
    tables = [
        {"name": name, "pattern": pattern(template, roles, whole_line=whole_line)}
        for whole_line in (False, True)
    ]
    counts = [sum(1 for _ in format_definition("", table).matches(text[:MAX_TEXT_CHARS])) for table in tables]
    chosen: dict[str, Any] = tables[counts[0] != counts[1]]
    return chosen | ({"rate": "per-device"} if roles.is_per_device else {})


def _name(path: str) -> str:
    stem = path.rpartition("/")[2].split(".")[0]
    name = re.sub(r"[^A-Za-z0-9_-]+", "-", stem).strip("-_")[:40] or "log"
    return f"{name}-log" if name in [known.name for known in FORMATS] else name


def _covers_interval(files: LogFiles, table: dict[str, Any]) -> bool:
    run = read_with(files, table)
    if run is None:
        return False
    printed, taken = (_series(run, clock) for clock in ("printed", "timestamp"))
    if printed is None or taken is None:
        return False
    span = np.median(taken.span)
    # The reader took the time as that of one step and multiplied it.
    each = np.nanmedian(printed.value / printed.span)
    return bool(span > 1 and np.isclose(each, np.median(taken.value), rtol=0.3))


def _series(run: Run, clock: str) -> Series | None:
    return next((each for each in run.series if each.metric == "step_time" and each.clock == clock), None)


def read_with(files: LogFiles, table: dict[str, Any]) -> Run | None:
    """Return the run that a definition reads from a log (a view of one file), None if it reads none."""
    view = files.with_settings({"": {custom.NAME: table}})
    return next((item for item in custom.read(view) if isinstance(item, Run)), None)


def _listing(files: LogFiles, table: dict[str, Any]) -> RunListing:
    run = read_with(files, table)
    return RunListing((entry_of_run(normalize_run(add_path_settings(run)), DEFAULT),) if run else ())


def _table(format: Definition, records: Records) -> tuple[tuple[str, ...], ...]:
    """Return headings, the first and the last records, and a row of dots in place of the others."""
    last = len(records)
    positions = list(range(min(_MAX_SHOWN_RECORDS, last)))
    rest = [at for at in range(max(last - _MAX_SHOWN_RECORDS, 0), last) if at not in positions]
    rows = [_row(format, records, at) for at in positions]
    if rest and rest[0] != len(positions):
        rows.append(("...",) * (len(format.groups) + 1))
    rows += [_row(format, records, at) for at in rest]
    return (("line", *format.groups), *rows)


def _row(format: Definition, records: Records, at: int) -> tuple[str, ...]:
    return (str(int(records.line[at])), *(records.text(name, at) for name in format.groups))


def _repeated_steps(format: Definition, log: TextLog) -> list[str]:
    """Return a note if steps have several lines, of ranks whose slowest may not be the first."""
    records, step, _ = custom.numbered(format, custom.matched(format, log))
    if custom.ranks(records).any():
        return []
    order = np.argsort(step, kind="stable")
    steps, first, count = np.unique(step[order], return_index=True, return_counts=True)
    if not len(steps) or count.max() == 1:
        return []
    at = int(np.argmax(count > 1))
    note = f"step {steps[at]} has {count[at]} lines; the first line of a step is used"
    if not format.time:
        return [note]
    times = records.floats(format.time)[order]
    taken, slowest = times[first], np.fmax.reduceat(times, first)
    slower = np.max(slowest[taken > 0] / taken[taken > 0], initial=0.0)
    return [note + (f", another has up to {slower:.3g} x its time" if slower >= _MIN_SLOWDOWN else "")]


def _near_misses(text: bytes, records: Records, words: str) -> list[int]:
    """Return the offsets of lines that contain the words of the pattern without matching it."""
    if not words:
        return []
    starts = np.concatenate(([0], np.flatnonzero(np.frombuffer(text, dtype=np.uint8) == 0x0A) + 1))
    at = np.array([match.start() for match in re.finditer(re.escape(words.encode()), text)], dtype=np.int64)
    with_words = np.unique(np.searchsorted(starts, at, side="right") - 1)
    matched = np.searchsorted(starts, records.begin, side="right") - 1
    offsets: list[int] = starts[np.setdiff1d(with_words, matched)].tolist()
    return offsets


def _first_lines(log: TextLog, text: bytes, offsets: Sequence[int]) -> tuple[tuple[int, str], ...]:
    """Return line number and text of the first lines that start at these offsets."""
    lines = []
    for begin in offsets[:_MAX_SHOWN_NEAR_MISSES]:
        end = text.find(b"\n", begin)
        content = text[begin : len(text) if end < 0 else end].decode("utf-8", "replace").strip()
        lines.append((int(log.lines([begin])[0]), _printable(content[:_MAX_SHOWN_CHARS])))
    return tuple(lines)


def _excerpt(files: LogFiles, text: bytes, records: Records) -> bytes:
    """Return the lines of the first steps unchanged, including colours and line ends."""
    steps = records.columns["step"]
    first = [at for at, step in enumerate(steps[: 64 * _MAX_SHOWN_RECORDS]) if step not in steps[:at]][
        :_MAX_SHOWN_RECORDS
    ]
    numbers = [text.count(b"\n", 0, int(records.begin[at])) for at in first]
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
    """Return a TOML string, a literal one if possible so that backslashes stay single."""
    return json.dumps(text, ensure_ascii=False) if "'" in text else f"'{text}'"


def _printable(text: str) -> str:
    return "".join(letter if letter.isprintable() else "?" for letter in text)
