"""Read the logs of MMEngine and MMCV 1 (MMDetection, MMSegmentation, MMPretrain, ...).

`Epoch(train) [100][ 100/4309] ... time: 0.9225 data_time: 0.0064` and `Iter [48/180]\\tlr: ..., time: 3.743,
data_time: 1.643`: a file becomes one Run. MMCV 1 prints the mean since the previous line. MMEngine prints the
mean of its last `window_size` iterations (10 unless configured), which may be more or fewer than those since
the previous line; if the interval is longer and the head of the log is missing, timestamps decide.

In JSON, lines of training have `iter`, those of validation do not; if MMEngine's does not grow, another run
begins. If MMCV 1 counts `iter` from the beginning of each epoch, no line gives the length of an epoch: it is
taken to be the last iteration printed in any epoch.

Format: https://github.com/open-mmlab/mmengine, runner/log_processor.py and visualization/vis_backend.py;
https://github.com/open-mmlab/mmcv, v1.x, runner/hooks/logger/text.py.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.model import FactorValue, FloatArray, IntArray
from reportgen.formats.base import Claim, Format, Results
from reportgen.formats.mmengine import repeats
from reportgen.formats.parsing.json_values import number, objects, whole
from reportgen.formats.parsing.run_builder import RunBuilder, epoch_breaks, in_epochs, last_digit, once, spans
from reportgen.formats.parsing.several_runs import StepPlaces, built_runs
from reportgen.formats.parsing.text_log import (
    COUNT,
    NUMBER,
    Records,
    TextLog,
    TextSign,
    read_with_warnings,
    seconds,
)
from reportgen.sources.logfiles import LogFiles

_NAME = "mmengine"
_LINE = lazy_pattern(
    rb"(?:Epoch|Iter)(?P<train>\(train\))? {1,3}(?:\[ {0,9}(?P<epoch>[0-9]{1,6})\])?"
    rb"\[ {0,9}(?P<at>%(c)s)/ {0,9}(?P<of>%(c)s)\][\t ]{1,3}[^\n]{0,400}?[ \t]time: (?P<time>%(n)s),? {1,2}"
    rb"data_time: (?P<data>%(n)s)(?=[,\s])(?:,? {1,2}memory: (?P<memory>%(c)s))?"
    % {b"c": COUNT, b"n": NUMBER}
)
_LOGGER = lazy_pattern(rb" - (?:mm[a-z]{2,20}) - INFO - [^\n]{0,80}")
_DATE = lazy_pattern(
    rb"(?:(?P<year>[0-9]{4})-(?P<date>[0-9]{2}-[0-9]{2})|(?P<month>[0-9]{2})/(?P<day>[0-9]{2})) "
    rb"(?P<time>[0-9]{2}:[0-9]{2}:[0-9]{2}(?:,[0-9]{3})?) - "
)
_DATED = rb"\g<year>-\g<date> \g<time>"
_YEARLESS = rb"2024-\g<month>-\g<day> \g<time>"  # a leap year, in which every date exists
_WINDOW = lazy_pattern(rb"window_size=(?P<size>" + COUNT + rb")")
_GPU = lazy_pattern(rb"(?m)^ {0,8}GPU [0-9]{1,3}(?:,[0-9]{1,3}){0,127}: (?P<name>[^\n\r]{1,80})")
_GPU_IDS = lazy_pattern(rb"gpu_ids = (?:range\((?:0, )?(?P<end>[0-9]{1,4})\)|\[(?P<list>[0-9, ]{1,400})\])")
_SEVERAL_GPUS = lazy_pattern(rb"(?m)^ {0,8}GPU 0,[0-9]")
_DISTRIBUTED = lazy_pattern(rb"Distributed training: (?P<answer>True|False)")
_GPU_NUMBER = lazy_pattern(rb"GPU number: (?P<number>" + COUNT + rb")")
_BATCH_1 = lazy_pattern(rb"samples_per_gpu=(?P<size>" + COUNT + rb")")
_BATCH_2 = lazy_pattern(
    rb"train_dataloader = dict\((?:[^\n]{0,200}\n){0,8}?[^\n]{0,200}?\bbatch_size=(?P<size>" + COUNT + rb")"
)
_MODEL = lazy_pattern(rb"work_dir = '[^'\n]{0,200}?(?P<name>[\w.-]{1,120})/?'")
_DEFAULT_WINDOW = 10
_MAX_ITERATION = 10**15

# A line of JSON and its number.
Entry = tuple[int, Mapping[str, Any]]
# Searches for a pattern whose first line contains a literal.
_Search = Callable[[re.Pattern[bytes], bytes], re.Match[bytes] | None]
_LEAP_YEAR_SECONDS = 366 * 86400.0
_MAX_DATE_BYTES = 120


def claims(files: LogFiles) -> Claim | None:
    """Claim a file with a line of training, a logger or scalars; in a folder, files that repeat others."""
    if files.is_folder:
        return repeats.claim_repeated(files, _LINE)
    signs = TextSign((b"data_time: ",), _LINE, 0.95), TextSign((b" - INFO - ",), _LOGGER, 0.85)
    printed = next(filter(None, (sign.claim(files) for sign in signs)), None)
    return printed or repeats.claim_json_lines(files)


def read(files: LogFiles) -> Results:
    """Yield the run of a printed log, or those in a file of scalars; files that repeat others give none."""
    if files.is_folder:
        return
    log = TextLog(files)
    if log.content.lstrip()[:1] != b"{":
        yield from read_with_warnings(log, _of_printed)
    elif repeats.MMCV_TRAINING in log.content:
        runs = _mmcv_runs(log)
        for position, part in enumerate(runs, 1):
            yield _of_mmcv_json(log, part).run(position if len(runs) > 1 else None)
    else:
        runs = _runs(log)
        for position, entries in enumerate(runs, 1):
            yield _of_scalars(log, entries).run(position if len(runs) > 1 else None)


FORMAT = Format(
    _NAME,
    "Training logs of MMEngine and MMCV 1: console output and JSON lines.",
    claims,
    read,
    marks=(b"data_time: ", b" - INFO - ", repeats.MARK),
    views="both",
)


def _start(
    log: TextLog, framework: str, line: IntArray, at: IntArray, of: IntArray, epoch: IntArray, last: int
) -> tuple[RunBuilder, IntArray]:
    """Return the run of the first line of each step, and the positions of these lines.

    at  step of the epoch, from 1; of  length of the epoch; epoch  0 throughout if steps continue
    """
    step = in_epochs(epoch, at, of)
    first = once(step)
    breaks = epoch_breaks((step - at)[first][1:][np.diff(epoch[first]) != 0].tolist())
    factors: dict[str, FactorValue] = {"framework": framework, "item": "image"}
    return RunBuilder(log, _NAME, step[first], line[first], last, factors=factors, breaks=breaks), first


def _of_printed(log: TextLog) -> Results:
    records = log.records(_LINE, b"data_time: ")
    places = StepPlaces(records.begin, records.end, _epochs(records), records.integers("at"))
    yield from built_runs(
        log,
        places,
        lambda: _printed(log, records),
        lambda part: _printed(part, part.records(_LINE, b"data_time: ")),
    )


def _epochs(records: Records) -> IntArray:
    """Return the epoch of each line, 0 where steps continue."""
    return np.nan_to_num(records.floats("epoch")).astype(np.int64)


def _printed(log: TextLog, records: Records) -> RunBuilder:
    at, epoch = records.integers("at"), _epochs(records)
    is_new, last = b"(train)" in log.content, int(records.end.max(initial=0))
    framework = "MMEngine" if is_new else "MMCV"
    run, first = _start(log, framework, records.line, at, records.integers("of"), epoch, last)
    records, covered = records.take(first), spans(at[first], epoch[first])
    _describe(run, log.search, is_new=is_new)
    stamp, time = _stamps(log, records), records.floats("time")
    span = _averaged_steps(run, covered, time, stamp) if is_new else covered
    _add(run, span, time, records.floats("data"), records.floats("memory"))
    started = run.set_start_before(records)
    run.add_stamps(stamp, run.work(covered), started)
    return run


def _runs(log: TextLog) -> list[list[Entry]]:
    """Return the lines of each run in a file of scalars."""
    runs: list[list[Entry]] = []
    for line, entry in objects(log.content, log.malformed):
        step = whole(entry.get("iter"))
        if step and np.isfinite(_number(entry, "time")):
            if not runs or step <= runs[-1][-1][1]["iter"]:
                runs.append([])
            runs[-1].append((line, entry))
    return runs or [[]]


def _of_scalars(log: TextLog, entries: Sequence[Entry]) -> RunBuilder:
    line, at = _whole(entries, "iter")
    run, _ = _start(log, "MMEngine", line, at, at, np.zeros_like(at), len(log.content))
    configuration = log.files.read_sibling(repeats.CONFIGURATION) or b""
    _add_settings(run, _BATCH_2.search(configuration), _MODEL.search(configuration))
    window = _WINDOW.search(configuration)
    span = np.minimum(int(window["size"]) or 1 if window else _DEFAULT_WINDOW, run.step)
    _add(run, span, *_figures(entries))
    return run


def _mmcv_runs(log: TextLog) -> list[list[Entry]]:
    """Return the lines of each run: a run begins with its environment."""
    runs: list[list[Entry]] = [[]]
    for line, entry in objects(log.content, log.malformed):
        if isinstance(entry.get("env_info"), str) and any(each.get("mode") for _, each in runs[-1]):
            runs.append([])
        runs[-1].append((line, entry))
    return runs


def _of_mmcv_json(log: TextLog, lines_of_run: Sequence[Entry]) -> RunBuilder:
    head, name = b"", ""
    entries: list[Entry] = []
    for line, entry in lines_of_run:
        if isinstance(entry.get("env_info"), str):
            head = f"{entry['env_info']}\n{entry.get('config') or ''}".encode("utf-8", "replace")
            name = str(entry.get("exp_name") or "").removesuffix(".py")
        # A line of validation may have the same mode, but no time.
        elif entry.get("mode") == "train" and np.isfinite(number(entry.get("time"))):
            entries += [(line, entry)] if 0 < (whole(entry.get("iter")) or 0) < _MAX_ITERATION else []
    lines, at, epoch = _whole(entries, "iter", "epoch")
    # Iterations that continue over the epochs have no borders.
    epoch = epoch if bool((np.diff(at)[np.diff(epoch) > 0] <= 0).any()) else np.zeros_like(epoch)
    of = np.full_like(at, at.max(initial=0))
    run, first = _start(log, "MMCV", lines, at, of, epoch, len(log.content))
    run.factors["model"] = name
    _describe(run, lambda pattern, _: pattern.search(head), is_new=False)
    _add(run, spans(at[first], epoch[first]), *_figures([entries[i] for i in first.tolist()]))
    return run


def _whole(entries: Sequence[Entry], *names: str) -> tuple[IntArray, ...]:
    """Return the numbers of the lines, and whole numbers in them, 0 for a number that is missing."""
    columns = ([whole(entry.get(name)) or 0 for _, entry in entries] for name in names)
    return tuple(np.array(column, np.int64) for column in ([line for line, _ in entries], *columns))


def _figures(entries: Sequence[Entry]) -> Iterator[FloatArray]:
    for name in ("time", "data_time", "memory"):
        yield np.array([_number(entry, name) for _, entry in entries], np.float64)


def _number(entry: Mapping[str, Any], name: str) -> float:
    return number(entry.get(name, entry.get(f"train/{name}")))


def _add(run: RunBuilder, span: IntArray, time: FloatArray, data: FloatArray, memory: FloatArray) -> None:
    """Add means over the last `span` steps, in s, and the memory in MiB."""
    work, half = run.work(span), last_digit(time) / 2
    run.add("step_time", time * span, "host", span=span, samples=work, rounding=half)
    half = last_digit(data) / 2
    run.add("step_time", data * span, "host", phase="data_loading", span=span, rounding=half)
    run.add("memory_used", memory * 2**20, "printed", span=span)


def _averaged_steps(run: RunBuilder, covered: IntArray, time: FloatArray, stamp: FloatArray) -> IntArray:
    """Return the number of steps that MMEngine's means cover: its window, across the borders of epochs.

    Lines closer than the window overlap, and then the dates do not give its length.
    """
    if configured := run.log.search(_WINDOW, b"window_size="):
        return np.minimum(int(configured["size"]) or 1, run.step)
    apart = np.diff(stamp)
    if len(apart) and np.isfinite(apart).all() and covered.min() > _DEFAULT_WINDOW:
        by_time, by_mean = float(apart.sum()), float((time * covered)[1:].sum())
        if by_time > 0 and abs(by_mean / by_time - 1) < 0.05:
            return covered
    return np.minimum(_DEFAULT_WINDOW, run.step)


def _stamps(log: TextLog, records: Records) -> FloatArray:
    """Return the dates of the lines; if they have no year, the time continues over the end of one."""
    dates = []
    for begin in records.begin.tolist():
        line = max(log.content.rfind(b"\n", 0, begin), log.content.rfind(b"\r", 0, begin)) + 1
        dates.append(_DATE.search(log.content, max(line, begin - _MAX_DATE_BYTES), begin))
    stamp = seconds([date.expand(_DATED if date["year"] else _YEARLESS) if date else b"" for date in dates])
    if any(date and not date["year"] for date in dates):
        is_next_year = np.diff(stamp, prepend=stamp[:1]) < -_LEAP_YEAR_SECONDS / 2
        stamp = stamp + np.cumsum(is_next_year) * _LEAP_YEAR_SECONDS
    return stamp


def _describe(run: RunBuilder, search: _Search, *, is_new: bool) -> None:
    if gpus := search(_GPU, b"GPU "):
        run.factors["device"] = gpus["name"].decode("utf-8", "replace").strip()
    if devices := _devices(search):
        run.factors["devices"] = devices
    batch = search(_BATCH_2, b"train_dataloader = ") if is_new else search(_BATCH_1, b"samples_per_gpu=")
    _add_settings(run, batch, search(_MODEL, b"work_dir = "))
    if devices and batch:
        run.samples_per_step = float(int(batch["size"]) * devices)


def _add_settings(run: RunBuilder, batch: re.Match[bytes] | None, model: re.Match[bytes] | None) -> None:
    if batch:
        run.factors["batch_size"] = int(batch["size"])
    if model:
        run.factors["model"] = model["name"].decode("ascii", "replace")


def _devices(search: _Search) -> int | None:
    """Return the number of GPUs: as the launcher counted them, else those given to the run; None if unknown.

    The GPUs in the environment are all those of the machine, used or not, and are not counted. Under MPI each
    process is given one GPU, so one is all of them only if the run is not distributed or there is no other.
    """
    if number := search(_GPU_NUMBER, b"GPU number: "):
        return int(number["number"]) or None
    ids = search(_GPU_IDS, b"gpu_ids = ")
    if not ids:
        return None
    given = int(ids["end"] or len(re.findall(rb"[^, ]+", ids["list"])))
    if given != 1:
        return given or None
    distributed = search(_DISTRIBUTED, b"Distributed training: ")
    is_one = distributed["answer"] == b"False" if distributed else not search(_SEVERAL_GPUS, b"GPU 0,")
    return 1 if is_one else None
