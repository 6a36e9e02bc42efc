"""Read logs in a custom format, which the table `[format]` of a labels.toml describes.

A file becomes one Run. The named groups of the pattern are those of all line formats (parsing.line_format); a
group with any other name is a factor if it has one value in the whole log. A custom format has precedence
over the known ones, because it was written for these logs.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.model import FactorValue, FloatArray, IntArray
from reportgen.formats.base import Claim, Format, Results
from reportgen.formats.custom.definition import Definition, format_definition, searchable
from reportgen.formats.parsing import timestamps
from reportgen.formats.parsing.damage import Malformed
from reportgen.formats.parsing.line_format import STEP_RATES, Quantity, by_rank, measure, quantities
from reportgen.formats.parsing.run_builder import RunBuilder, epoch_breaks, in_epochs, spans
from reportgen.formats.parsing.several_runs import StepPlaces, built_runs
from reportgen.formats.parsing.text_log import (
    Records,
    TextLog,
    floats,
    is_binary,
    read_with_warnings,
    seconds,
    without_controls,
)
from reportgen.formats.parsing.user_patterns import ends_with
from reportgen.sources.logfiles import HEAD, LogFiles

NAME = "custom"
PLACE = "labels.toml: format"
# A sample log with its expected reading is a fixture of the format and not a run of a campaign.
SAMPLE, EXPECTED = ".sample.log", ".expected.json"

_NUMBER = lazy_pattern(rb"[-+]?[0-9][0-9,]{0,40}(?:\.[0-9]{0,40})?(?:[eE][-+]?[0-9]{1,3})?")
_COUNT = lazy_pattern(rb"[0-9]{1,15}|[0-9]{1,3}(?:,[0-9]{3}){1,4}")
_DATE = lazy_pattern(
    rb"([0-9]{4})[-/]([0-9]{2})[-/]([0-9]{2})[T ]([0-9]{2}:[0-9]{2}:[0-9]{2})(?:[.,]([0-9]{1,6})[0-9]*)?"
    rb" ?(?:Z|UTC|[-+][0-9]{2}:?[0-9]{2})?"
)
_TIME_OF_DAY = lazy_pattern(rb"[0-2][0-9]:[0-5][0-9]:[0-5][0-9](?:[.,][0-9]{1,9})?")
# What a batch counts; a rate of anything finer (tokens) has other samples.
_BATCH_ITEMS = ("", "sample", "image", "sequence", "example", *STEP_RATES)
_NOT_FACTORS = ("step", "epoch")
_MAX_REASON_CHARS = 100
# A group called rank with more values than these is something else.
_MAX_RANKS = 4096
Cells = Sequence[bytes | None]


@dataclass(frozen=True, slots=True, eq=False)
class UserRecords(Records):
    """Records of a user's pattern, whose cells may hold anything; cells that are not numbers are reported.

    per_second  how many of the unit of numeric timestamps make a second
    """

    malformed: Malformed
    per_second: float

    def floats(self, name: str) -> FloatArray:
        """Return a column as numbers, NaN where there is none."""
        cells = self.columns[name]
        is_number = [_is(_NUMBER, cell) for cell in cells]
        wrong = [cell is not None and not good for cell, good in zip(cells, is_number, strict=True)]
        self.report(wrong, f"{name} is not a number")
        return floats([cell if good else None for cell, good in zip(cells, is_number, strict=True)])

    def seconds(self, name: str) -> FloatArray:
        """Return timestamps as seconds: since 1970, since the start, of the day, or dates with a time."""
        cells = [(cell or b"").strip() for cell in self.columns[name]]
        if all(_is(_NUMBER, cell) for cell in cells):
            return floats(cells) / self.per_second
        if all(_is(_TIME_OF_DAY, cell) for cell in cells):
            return timestamps.of_day(cells)
        dates = [_DATE.fullmatch(cell) for cell in cells]
        self.report([not date for date in dates], f"{name} is not a time")
        return seconds([b"%s-%s-%s %s.%s" % date.groups(b"0") if date else b"" for date in dates])

    def report(self, wrong: Sequence[bool], fact: str) -> None:
        """Add the records that are wrong to the findings about damaged lines."""
        lines = self.line[np.array(wrong, dtype=bool)]
        if len(lines):
            self.malformed.add(int(lines[0]), fact, len(lines))


def claims(files: LogFiles) -> Claim | None:
    """Claim a file with a line that matches, in its head or its end; anywhere if `files` names it."""
    table = files.settings.get(NAME)
    if table is None or _is_fixture(files):
        return None
    own = format_definition(PLACE, table)
    if own.files and not ends_with(files.source(files.path).path, own.files):
        return None
    head = files.head(files.path)
    if is_binary(head):
        return None
    is_part = len(head) == HEAD
    text, match = _first(own, head[: head.rfind(b"\n") + 1] if is_part else head)
    if not match and own.files and is_part:
        text, match = _first(own, files.bytes(files.path))
    if not match:
        return None
    reason = match[0].strip().decode("utf-8", "replace")[:_MAX_REASON_CHARS]
    return Claim.of_file(files, 1.0, reason, text.count(b"\n", 0, match.start()) + 1)


def read(files: LogFiles) -> Results:
    """Yield the runs of the file; nothing where no labels.toml defines a format."""
    table = files.settings.get(NAME)
    if table is None:
        return
    own = format_definition(PLACE, table)
    yield from read_with_warnings(TextLog(files), lambda log: _read(own, log))


def _read(own: Definition, log: TextLog) -> Results:
    every = matched(own, log)
    return built_runs(
        log,
        _places(own, every),
        lambda: _run(own, log, every),
        lambda part: _run(own, part, matched(own, part)),
    )


def _places(own: Definition, records: UserRecords) -> StepPlaces:
    """Return where the records of a rank are, and the steps that they print; none if they print no steps."""
    if "step" not in own.groups:
        return StepPlaces(*(np.zeros(0, np.int64) for _ in range(4)))
    rank = ranks(records)
    is_counted = [_is(_COUNT, cell) for cell in records.columns["step"]]
    records = records.take(np.flatnonzero(np.array(is_counted, dtype=bool) & (rank == rank[:1])))
    epochs = records.columns.get("epoch", ())
    has_epochs = epochs and all(_is(_COUNT, cell) for cell in epochs)
    step = _counts(records.columns["step"])
    return StepPlaces(records.begin, records.end, _counts(epochs) if has_epochs else 0 * step, step)


def _run(own: Definition, log: TextLog, every: UserRecords) -> RunBuilder:
    records, step, epoch = numbered(own, every)
    rank = ranks(records)
    # The first record of each step and rank counts.
    order = np.lexsort((step, rank))
    is_first = (np.diff(step[order], prepend=-1) != 0) | (np.diff(rank[order], prepend=-1) != 0)
    keep = np.sort(order[is_first])
    records, step, epoch, rank = records.take(keep), step[keep], epoch[keep], rank[keep]
    run = RunBuilder(log, own.name, step, records.line, int(records.end.max(initial=0)))
    run.factors = _factors(own, records)
    run.samples_per_step = _samples_per_step(own, run.factors)
    _measure(run, own, records, epoch, rank)
    return run


FORMAT = Format(NAME, "Text logs of any form that a `[format]` table in labels.toml describes.", claims, read)


def _measure(run: RunBuilder, own: Definition, records: UserRecords, epoch: IntArray, rank: IntArray) -> None:
    """Add the measurements of each rank; a printed rate covers all ranks and is read from the lowest."""
    step, samples, ranks = run.step, run.samples_per_step, np.unique(rank)
    if samples is not None:
        # The work of ranks adds up.
        run.samples_per_step = samples / max(len(ranks), 1)
    measured = _measured(own, run.factors)
    # A batch that changes is that of all ranks.
    columns = {name: cells for name, cells in records.columns.items() if name != "global_batch_size"}
    records = replace(records, columns=columns)
    for at in by_rank(run, rank):
        if rank[at[0]] != ranks[0]:
            measured = tuple(quantity for quantity in measured if quantity.metric == "step_time")
        run.breaks = epoch_breaks(run.step[:-1][np.diff(epoch[at]) != 0].tolist())
        span = np.minimum(run.step, own.every) if own.every else spans(run.step)
        measure(run, records.take(at), measured, span)
    run.step, run.samples_per_step = step[rank == ranks[:1]], samples


def matched(own: Definition, log: TextLog) -> UserRecords:
    """Return the lines of a log that the pattern matches, as columns."""
    matches = list(own.matches(searchable(log.content)))
    cells = list(zip(*(match.groups() for match in matches), strict=True))
    columns = {name: tuple(cells[number - 1]) if matches else () for name, number in own.groups.items()}
    if own.stamp:
        columns["timestamp"] = columns[own.stamp]
    begin = np.array([match.start() for match in matches], dtype=np.int64)
    end = np.array([match.end() for match in matches], dtype=np.int64)
    per_second = own.stamps_per_second if own.stamp else 1.0
    return UserRecords(begin, end, log.lines(begin), columns, log.malformed, per_second)


def numbered(own: Definition, records: UserRecords) -> tuple[UserRecords, IntArray, IntArray]:
    """Return the records that have a step, the step counted from 1 over the whole log, and the epoch."""
    if "step" in own.groups:
        is_count = np.array([_is(_COUNT, cell) for cell in records.columns["step"]], dtype=bool)
        records.report((~is_count).tolist(), "step is not a whole number")
        records = records.take(np.flatnonzero(is_count))
        step = _counts(records.columns["step"])
        step += not step.all()
    else:
        step = np.arange(1, len(records) + 1, dtype=np.int64) * (own.every or 1)
    epochs = records.columns.get("epoch", ())
    if not epochs or not all(_is(_COUNT, cell) for cell in epochs):
        return records, step, np.zeros(len(step), dtype=np.int64)
    epoch = _counts(epochs)
    if (np.diff(step)[np.diff(epoch) > 0] < 0).any():
        step = in_epochs(epoch, step, np.full(len(step), _epoch_length(records, step)))
    return records, step, epoch


def ranks(records: Records) -> IntArray:
    """Return the rank of each record, 0 where the log has no ranks or only one."""
    cells = records.columns.get("rank", ()) if "step" in records.columns else ()
    if cells and all(_is(_COUNT, cell) for cell in cells):
        rank = _counts(cells)
        if 1 < len(np.unique(rank)) <= _MAX_RANKS:
            return rank
    return np.zeros(len(records), dtype=np.int64)


def _epoch_length(records: Records, step: IntArray) -> int:
    """Return the steps of an epoch: as printed, else the highest number seen."""
    printed = {cell for cell in records.columns.get("steps_per_epoch", ()) if _is(_COUNT, cell)}
    length = int(_counts(list(printed))[0]) if len(printed) == 1 else 0
    return max(length, int(step.max()))


def _measured(own: Definition, factors: dict[str, FactorValue]) -> tuple[Quantity, ...]:
    """Return the quantities; a rate of one device is one of all devices where their number is known."""
    if own.rate != "per-device":
        return own.quantities
    known = _positive(factors.get("devices", own.devices))
    metric, divisor = ("throughput", 1 / known) if known else ("throughput_per_device", 1.0)
    return tuple(
        replace(quantity, metric=metric, divisor=divisor) if "throughput" in quantity.metric else quantity
        for quantity in own.quantities
    )


def _factors(own: Definition, records: Records) -> dict[str, FactorValue]:
    """Return what the rate counts, and the groups with one value in the whole log."""
    others = [
        name for name in own.groups if name not in (*_NOT_FACTORS, own.stamp) and not quantities([name])
    ]
    values = {name: {cell for cell in records.columns[name] if cell} for name in others}
    item: dict[str, FactorValue] = {"item": own.item} if own.item else {}
    return item | {name: _factor(cells.pop()) for name, cells in values.items() if len(cells) == 1}


def _factor(text: bytes) -> FactorValue:
    """Return a number where the text is one, else the text."""
    shown = text.decode("utf-8", "replace").strip()
    if re.fullmatch(r"-?[0-9]{1,15}(?:\.[0-9]{1,15})?", shown):
        return float(shown) if "." in shown else int(shown)
    return {"true": True, "false": False}.get(shown.lower(), shown[:200])


def _samples_per_step(own: Definition, factors: dict[str, FactorValue]) -> float | None:
    if own.samples_per_step is not None or own.item not in _BATCH_ITEMS:
        return own.samples_per_step
    whole, each = _positive(factors.get("global_batch_size")), _positive(factors.get("batch_size"))
    return float(whole or each * _positive(factors.get("devices", own.devices))) or None


def _positive(value: FactorValue | None) -> int:
    """Return a whole number above 0, 0 for anything else."""
    return max(value, 0) if isinstance(value, int) else 0


def _counts(cells: Cells) -> IntArray:
    return np.array([(cell or b"0").replace(b",", b"") for cell in cells], dtype="S16").astype(np.int64)


def _is(pattern: re.Pattern[bytes], cell: bytes | None) -> bool:
    return cell is not None and pattern.fullmatch(cell) is not None


def _first(own: Definition, content: bytes) -> tuple[bytes, re.Match[bytes] | None]:
    text = without_controls(content)
    return text, next(own.matches(searchable(text)), None)


def _is_fixture(files: LogFiles) -> bool:
    """Return whether the file is a sample with its expected reading; asked for by itself it is read."""
    stem = files.path.removesuffix(SAMPLE)
    return stem != files.path and files.read_sibling(stem.rpartition("/")[2] + EXPECTED) is not None
