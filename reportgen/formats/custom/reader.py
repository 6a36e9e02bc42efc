"""Read logs of a form of one's own, as the table `[format]` of a labels.toml describes it.

A file becomes one Run. The pattern's named groups say what stands where: steps, epochs, ranks, step times,
rates, timestamps; every other group is a factor if it has one value in the whole log. A format that somebody
wrote down for these very logs goes before those that are known here.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase

import numpy as np

from reportgen.core.model import FactorValue, Finding, FloatArray, IntArray, Run
from reportgen.formats.base import Claim, Format
from reportgen.formats.custom.definition import (
    STEP_RATES,
    Definition,
    definition,
    factor,
    searchable,
    whole_line,
)
from reportgen.formats.parsing import timestamps
from reportgen.formats.parsing.run_builder import RunBuilder, epoch_breaks, in_epochs, once, spans
from reportgen.formats.parsing.text_log import Records, TextLog, floats, is_binary, plain, seconds
from reportgen.sources.logfiles import HEAD, LogFiles

NAME = "custom"
PLACE = "labels.toml: format"
# A file with its expected reading beside it shows what the format is and is no run of a campaign.
SAMPLE, EXPECTED = ".sample.log", ".expected.json"

_NUMBER = re.compile(rb"[-+]?[0-9][0-9,]{0,40}(?:\.[0-9]{0,40})?(?:[eE][-+]?[0-9]{1,3})?")
_COUNT = re.compile(rb"[0-9]{1,15}|[0-9]{1,3}(?:,[0-9]{3}){1,4}")
_DATE = re.compile(
    rb"([0-9]{4})[-/]([0-9]{2})[-/]([0-9]{2})[T ]([0-9]{2}:[0-9]{2}:[0-9]{2})(?:[.,]([0-9]{1,6})[0-9]*)?"
    rb" ?(?:Z|UTC|[-+][0-9]{2}:?[0-9]{2})?"
)
_OF_DAY = re.compile(rb"[0-2][0-9]:[0-5][0-9]:[0-5][0-9](?:[.,][0-9]{1,9})?")
# What a batch counts; a rate of anything finer (tokens) has other samples.
_BATCHED = ("", "sample", "image", "sequence", "example", *STEP_RATES)
_SHOWN = 100
# A group called rank with more values than these is something else.
_MOST_RANKS = 4096
Cells = Sequence[bytes | None]


def claims(files: LogFiles) -> Claim | None:
    """Claim a file with a line that matches, in its head or its end; anywhere if `files` names it."""
    table = files.settings.get(NAME)
    if table is None or files.is_folder or _is_fixture(files):
        return None
    own = definition(PLACE, table)
    if own.files and not _is_named(own.files, files.source(files.path).path):
        return None
    head = files.head(files.path)
    if is_binary(head):
        return None
    found = _first(own, head[: head.rfind(b"\n") + 1] if len(head) == HEAD else head)
    if not found and own.files and len(head) == HEAD:
        found = _first(own, files.bytes(files.path))
    if not found:
        return None
    line, text = found
    return Claim(1.0, files.source(files.path, line), text, (files.path,))


def read(files: LogFiles) -> Iterator[Run | Finding]:
    """Yield the run of the file; nothing where no labels.toml defines a format."""
    table = files.settings.get(NAME)
    if table is None:
        return
    own = definition(PLACE, table)
    log = TextLog(files)
    found, step, epoch = records(own, log)
    ranks = by_rank(own, found, step)
    factors = _factors(own, found.take(np.sort(np.concatenate([*ranks.values()]))))
    samples = _samples_per_step(own, factors)
    parts = {}
    for rank, at in ranks.items():
        part = RunBuilder(log, own.name, step[at], found.line[at], int(found.end[at].max(initial=0)))
        part.factors.update(factors)
        # The work of ranks adds up.
        part.samples_per_step = None if samples is None else samples / len(ranks)
        part.breaks = epoch_breaks(part.step[:-1][np.diff(epoch[at]) != 0].tolist())
        _measure(part, own, found.take(at), _covered(own, part.step, epoch[at]))
        parts[rank] = part
    run = _joined(parts)
    run.samples_per_step = samples
    yield run.run()


FORMAT = Format(NAME, "Text logs of any form that a `[format]` table in labels.toml describes.", claims, read)


def matched(own: Definition, log: TextLog) -> Records:
    """Return the lines of a log that the pattern matches, as columns."""
    matches = list(own.matches(searchable(log.content)))
    cells = list(zip(*(match.groups() for match in matches), strict=True))
    index = whole_line(own.pattern).groupindex
    columns = {name: tuple(cells[index[name.encode()] - 1]) if matches else () for name in own.groups}
    begin = np.array([match.start() for match in matches], dtype=np.int64)
    end = np.array([match.end() for match in matches], dtype=np.int64)
    return Records(begin, end, log.lines(begin), columns)


def records(own: Definition, log: TextLog) -> tuple[Records, IntArray, IntArray]:
    """Return the records that have a step, the step counted from 1 over the whole log, and the epoch."""
    found = matched(own, log)
    if "step" in own.groups:
        is_count = np.array([_is(_COUNT, cell) for cell in found.columns["step"]], dtype=bool)
        _note(log, found.line[~is_count], "step is not a whole number")
        found = found.take(np.flatnonzero(is_count))
        step = _counts(found.columns["step"])
        step += bool(len(step)) and not step.min()
    else:
        step = np.arange(1, len(found) + 1, dtype=np.int64) * (own.every or 1)
    epochs = found.columns.get("epoch", ())
    if not epochs or not all(_is(_COUNT, cell) for cell in epochs):
        return found, step, np.zeros(len(step), dtype=np.int64)
    epoch = _counts(epochs)
    if (np.diff(step)[np.diff(epoch) > 0] < 0).any():
        step = in_epochs(epoch, step, np.full(len(step), _epoch_length(found, step)))
    return found, step, epoch


def by_rank(own: Definition, found: Records, step: IntArray) -> dict[int, IntArray]:
    """Return the positions of the records that count, the first of each step, by rank; 0 where none is."""
    cells = found.columns.get("rank", ()) if "step" in own.groups else ()
    is_known = bool(cells) and all(_is(_COUNT, cell) for cell in cells)
    rank = _counts(cells) if is_known else np.zeros(len(found), dtype=np.int64)
    order = np.argsort(rank, kind="stable")
    numbers, first = np.unique(rank[order], return_index=True)
    if not 1 < len(numbers) <= _MOST_RANKS:
        return {0: once(step)}
    parts = np.split(order, first[1:])
    return {number: part[once(step[part])] for number, part in zip(numbers.tolist(), parts, strict=True)}


def _joined(parts: Mapping[int, RunBuilder]) -> RunBuilder:
    """Return the run of the lowest rank with the times of the others; a printed rate is that of all ranks."""
    lowest, *others = parts
    run = parts[lowest]
    run.series = [replace(one, rank=lowest) for one in run.series]
    for rank in others:
        times = [one for one in parts[rank].series if one.metric == "step_time"]
        run.series += [replace(one, rank=rank) for one in times]
        run.stepless |= parts[rank].stepless
        run.last = max(run.last, parts[rank].last)
    return run


def _epoch_length(found: Records, step: IntArray) -> int:
    """Return the steps of an epoch: as printed, else the highest number seen."""
    printed = {cell for cell in found.columns.get("steps_per_epoch", ()) if _is(_COUNT, cell)}
    told = int(_counts(list(printed))[0]) if len(printed) == 1 else 0
    return max(told, int(step.max()))


def _covered(own: Definition, step: IntArray, epoch: IntArray) -> IntArray:
    """Return how many steps each record stands for."""
    if own.every:
        return np.minimum(step, own.every)
    return spans(step) if len(step) else step


def _measure(run: RunBuilder, own: Definition, found: Records, covered: IntArray) -> None:
    work = run.work(covered)
    if own.time:
        time = numbers(run.log, found, own.time) * own.scale
        run.add("step_time", time * covered, "printed", span=covered, samples=work)
    if own.rate:
        rate = numbers(run.log, found, own.rate)
        if own.item in STEP_RATES:
            _add_step_rate(run, own, rate, covered)
        else:
            _add_rate(run, own, rate, covered)
    if "timestamp" in own.groups:
        run.add_stamps(_seconds(run.log, found), work)


def _add_step_rate(run: RunBuilder, own: Definition, rate: FloatArray, covered: IntArray) -> None:
    """Add steps per second as step times; beside printed times they say nothing new."""
    if not own.time:
        time = np.divide(covered, rate, out=np.full(len(rate), np.nan), where=rate > 0)
        run.add("step_time", time, "printed", span=covered, samples=run.work(covered))


def _add_rate(run: RunBuilder, own: Definition, rate: FloatArray, covered: IntArray) -> None:
    said = run.factors.get("devices", own.devices)
    devices = (said if isinstance(said, int) else None) if own.is_per_device else 1
    metric = "throughput" if devices else "throughput_per_device"
    run.add(metric, rate * (devices or 1), "printed", span=covered, samples=run.work(covered))


def _factors(own: Definition, found: Records) -> dict[str, FactorValue]:
    """Return the groups that have one value in the whole log, and what the rate counts."""
    item: dict[str, FactorValue] = {} if not own.item or own.item in STEP_RATES else {"item": own.item}
    values = {name: {cell for cell in found.columns[name] if cell} for name in own.others}
    return item | {name: factor(seen.pop()) for name, seen in values.items() if len(seen) == 1}


def _samples_per_step(own: Definition, factors: dict[str, FactorValue]) -> float | None:
    if own.samples_per_step is not None or own.item not in _BATCHED:
        return own.samples_per_step
    whole, each = factors.get("global_batch_size"), factors.get("batch_size")
    devices = factors.get("devices", own.devices)
    if isinstance(whole, int) and whole > 0:
        return float(whole)
    if isinstance(each, int) and isinstance(devices, int) and each > 0 and devices > 0:
        return float(each * devices)
    return None


def _seconds(log: TextLog, found: Records) -> FloatArray:
    """Return timestamps as seconds: since 1970, since the start, of the day, or dates with a time."""
    cells = [(cell or b"").strip() for cell in found.columns["timestamp"]]
    if all(_is(_NUMBER, cell) for cell in cells):
        return floats(cells)
    if all(_is(_OF_DAY, cell) for cell in cells):
        return timestamps.of_day(cells)
    dates = [_DATE.fullmatch(cell) for cell in cells]
    _note(log, found.line[np.array([not date for date in dates], dtype=bool)], "timestamp is no time")
    return seconds([b"%s-%s-%s %s.%s" % date.groups(b"0") if date else b"" for date in dates])


def numbers(log: TextLog, found: Records, name: str) -> FloatArray:
    """Return a column of numbers, NaN where there is none; what is none is noted."""
    cells = found.columns[name]
    good = [_is(_NUMBER, cell) for cell in cells]
    wrong = [cell is not None and not fine for cell, fine in zip(cells, good, strict=True)]
    _note(log, found.line[np.array(wrong, dtype=bool)], f"{name} is not a number")
    return floats([cell if fine else None for cell, fine in zip(cells, good, strict=True)])


def _counts(cells: Cells) -> IntArray:
    return np.array([(cell or b"0").replace(b",", b"") for cell in cells], dtype="S16").astype(np.int64)


def _is(pattern: re.Pattern[bytes], cell: bytes | None) -> bool:
    return cell is not None and pattern.fullmatch(cell) is not None


def _note(log: TextLog, lines: IntArray, fact: str) -> None:
    if len(lines):
        log.malformed.add(int(lines[0]), fact, len(lines))


def _first(own: Definition, content: bytes) -> tuple[int, str] | None:
    """Return line and text of the first match."""
    text = plain(content)
    found = next(own.matches(searchable(text)), None)
    if found is None:
        return None
    shown = found[0].strip().decode("utf-8", "replace")[:_SHOWN]
    return text.count(b"\n", 0, found.start()) + 1, shown


def _is_named(glob: str, path: str) -> bool:
    """Tell whether a glob matches the end of a path, as many components as it has itself."""
    wanted, parts = glob.split("/"), path.split("/")
    ends = parts[-len(wanted) :]
    return len(ends) == len(wanted) and all(map(fnmatchcase, ends, wanted))


def _is_fixture(files: LogFiles) -> bool:
    """Tell whether the file is a sample beside its expected reading; asked for by itself it is read."""
    stem = files.path.removesuffix(SAMPLE)
    return stem != files.path and files.read_sibling(stem.rpartition("/")[2] + EXPECTED) is not None
