"""Read the logs of MMEngine and MMCV 1 (MMDetection, MMSegmentation, MMPretrain, ...).

`Epoch(train) [100][ 100/4309] ... time: 0.9225 data_time: 0.0064` and `Iter [48/180]\\tlr: ..., time: 3.743,
data_time: 1.643`: a file becomes one Run. MMCV 1 prints the mean since the previous line. MMEngine prints the
mean of its last `window_size` iterations (10 unless configured), which may be more or fewer than those since
the previous line; if the interval is longer and the head of the log is missing, timestamps decide.

Format: https://github.com/open-mmlab/mmengine, runner/log_processor.py; mmcv 1.x runner/hooks/logger/text.py.
"""

import re
from collections.abc import Callable, Iterator

import numpy as np

from reportgen.core.model import Finding, FloatArray, IntArray, Run
from reportgen.formats.base import Claim, Format
from reportgen.formats.mmengine.json_lines import (
    CONFIGURATION,
    MARK,
    MMCV_TRAINING,
    TrainingLines,
    claim_json_lines,
    claim_repeated,
    mmcv_run,
    mmengine_runs,
)
from reportgen.formats.parsing.run_builder import RunBuilder, epoch_breaks, in_epochs, once, spans
from reportgen.formats.parsing.text_log import COUNT, NUMBER, Records, TextLog, claim, seconds
from reportgen.sources.logfiles import LogFiles

_NAME = "mmengine"
_LINE = re.compile(
    rb"(?:Epoch|Iter)(?P<train>\(train\))? {1,3}(?:\[ {0,9}(?P<epoch>[0-9]{1,6})\])?"
    rb"\[ {0,9}(?P<at>%(c)s)/ {0,9}(?P<of>%(c)s)\][\t ]{1,3}[^\n]{0,400}?[ \t]time: (?P<time>%(n)s),? {1,2}"
    rb"data_time: (?P<data>%(n)s)(?=[,\s])(?:,? {1,2}memory: (?P<memory>%(c)s))?"
    % {b"c": COUNT, b"n": NUMBER}
)
_LOGGER = re.compile(rb" - (?:mm[a-z]{2,20}) - INFO - [^\n]{0,80}")
_DATE = re.compile(
    rb"(?:(?P<year>[0-9]{4})-(?P<date>[0-9]{2}-[0-9]{2})|(?P<month>[0-9]{2})/(?P<day>[0-9]{2})) "
    rb"(?P<time>[0-9]{2}:[0-9]{2}:[0-9]{2}(?:,[0-9]{3})?) - "
)
_WINDOW = re.compile(rb"window_size=(?P<size>" + COUNT + rb")")
_GPU = re.compile(
    rb"^ {0,8}GPU (?P<ids>[0-9]{1,3}(?:,[0-9]{1,3}){0,127}): (?P<name>[^\n\r]{1,80})", re.MULTILINE
)
_GPU_IDS = re.compile(rb"gpu_ids = (?:range\((?:0, )?(?P<end>[0-9]{1,4})\)|\[(?P<list>[0-9, ]{1,400})\])")
_GPU_NUMBER = re.compile(rb"GPU number: (?P<number>" + COUNT + rb")")
_BATCH_1 = re.compile(rb"samples_per_gpu=(?P<size>" + COUNT + rb")")
_BATCH_2 = re.compile(
    rb"train_dataloader = dict\((?:[^\n]{0,200}\n){0,8}?[^\n]{0,200}?\bbatch_size=(?P<size>" + COUNT + rb")"
)
_MODEL = re.compile(rb"work_dir = '[^'\n]{0,200}?(?P<name>[\w.-]{1,120})/?'")
_DEFAULT_WINDOW = 10
# Searches for a pattern whose first line contains a literal.
_Search = Callable[[re.Pattern[bytes], bytes], re.Match[bytes] | None]
_YEAR_SECONDS = 365 * 86400.0
_MAX_DATE_BYTES = 120


def claims(files: LogFiles) -> Claim | None:
    """Claim a file with a line of training, a logger or scalars; in a folder, files that repeat others."""
    if files.is_folder:
        return claim_repeated(files, _LINE)
    printed = claim(files, b"data_time: ", _LINE, 0.95) or claim(files, b" - INFO - ", _LOGGER, 0.85)
    return printed or claim_json_lines(files)


def read(files: LogFiles) -> Iterator[Run | Finding]:
    """Yield the run of a printed log, or those of a file of scalars; nothing for files that repeat others."""
    if files.is_folder:
        return
    log = TextLog(files)
    if log.content.lstrip()[:1] != b"{":
        yield _printed(log).run()
    elif MMCV_TRAINING in log.content:
        yield _of_mmcv_json(log).run()
    else:
        runs = list(mmengine_runs(log))
        for number, lines in enumerate(runs, 1):
            yield _of_scalars(log, lines).run(number if len(runs) > 1 else None)


FORMAT = Format(
    _NAME,
    "Training logs of MMEngine and MMCV 1: console output and JSON lines.",
    claims,
    read,
    marks=(b"data_time: ", b" - INFO - ", MARK),
    folders=True,
)


def _printed(log: TextLog) -> RunBuilder:
    records = log.records(_LINE, b"data_time: ")
    epoch = np.nan_to_num(records.floats("epoch")).astype(np.int64)
    step = in_epochs(epoch, records.integers("at"), records.integers("of"))
    first, last = once(step), int(records.end[-1]) if len(records) else 0
    records, epoch = records.take(first), epoch[first]
    is_new = b"(train)" in log.content
    run = _start(log, "MMEngine" if is_new else "MMCV", step[first], records.line, last)
    _describe(run, log.search, is_new=is_new)
    at = records.integers("at")
    covered = spans(at, epoch)
    _add_breaks(run, at, epoch)
    stamp, time = _stamps(log, records), records.floats("time")
    span = _averaged_steps(run, covered, time, stamp) if is_new else covered
    _add(run, time, records.floats("data"), records.floats("memory"), span)
    run.add_stamps(stamp, run.work(covered))
    return run


def _of_scalars(log: TextLog, lines: TrainingLines) -> RunBuilder:
    run = _start(log, "MMEngine", lines.step, lines.line, len(log.content))
    configuration = log.files.read_sibling(CONFIGURATION) or b""
    if batch := _BATCH_2.search(configuration):
        run.factors["batch_size"] = int(batch["size"])
    _add_model(run, _MODEL.search(configuration))
    window = _WINDOW.search(configuration)
    span = np.minimum(int(window["size"]) or 1 if window else _DEFAULT_WINDOW, lines.step)
    _add(run, lines.time, lines.data, lines.memory, span)
    return run


def _of_mmcv_json(log: TextLog) -> RunBuilder:
    mmcv = mmcv_run(log)
    lines = mmcv.lines
    run = _start(log, "MMCV", lines.step, lines.line, len(log.content))
    if mmcv.name:
        run.factors["model"] = mmcv.name
    _describe(run, lambda pattern, _: pattern.search(mmcv.head), is_new=False)
    _add_breaks(run, mmcv.at, mmcv.epoch)
    _add(run, lines.time, lines.data, lines.memory, spans(mmcv.at, mmcv.epoch))
    return run


def _start(log: TextLog, framework: str, step: IntArray, line: IntArray, last: int) -> RunBuilder:
    run = RunBuilder(log, _NAME, step, line, last)
    run.factors.update(framework=framework, item="image")
    return run


def _add_breaks(run: RunBuilder, at: IntArray, epoch: IntArray) -> None:
    run.breaks = epoch_breaks((run.step - at)[1:][np.diff(epoch) != 0].tolist())


def _add(run: RunBuilder, time: FloatArray, data: FloatArray, memory: FloatArray, span: IntArray) -> None:
    """Add means over the last `span` steps, in s, and the memory in MiB."""
    run.add("step_time", time * span, "host", span=span, samples=run.work(span))
    run.add("step_time", data * span, "host", phase="data_loading", span=span)
    run.add("memory_used", memory * 2**20, "printed", span=span)


def _averaged_steps(run: RunBuilder, covered: IntArray, time: FloatArray, stamp: FloatArray) -> IntArray:
    """Return the number of steps that MMEngine's means cover: its window, across the borders of epochs.

    Lines closer than the window overlap, and then the dates do not give its length.
    """
    configured = run.log.search(_WINDOW, b"window_size=")
    if configured:
        return np.minimum(int(configured["size"]) or 1, run.step)
    apart = np.diff(stamp)
    if len(apart) and np.isfinite(apart).all() and covered.min() > _DEFAULT_WINDOW:
        by_time, by_mean = float(apart.sum()), float((time * covered)[1:].sum())
        if by_time > 0 and abs(by_mean / by_time - 1) < 0.05:
            return covered
    return np.minimum(_DEFAULT_WINDOW, run.step)


def _stamps(log: TextLog, records: Records) -> FloatArray:
    """Return the dates of the lines; if they have no year, the time continues over the end of one."""
    texts, is_yearless = [], False
    for begin in records.begin.tolist():
        line = max(log.content.rfind(b"\n", 0, begin), log.content.rfind(b"\r", 0, begin)) + 1
        date = _DATE.search(log.content, max(line, begin - _MAX_DATE_BYTES), begin)
        if date and date["year"]:
            texts.append(date["year"] + b"-" + date["date"] + b" " + date["time"])
        elif date:
            is_yearless = True
            # A leap year, in which every date exists.
            texts.append(b"2024-" + date["month"] + b"-" + date["day"] + b" " + date["time"])
        else:
            texts.append(b"")
    stamp = seconds(texts)
    if is_yearless:
        stamp = stamp + np.cumsum(np.diff(stamp, prepend=stamp[:1]) < -_YEAR_SECONDS / 2) * (
            _YEAR_SECONDS + 86400.0
        )
    return stamp


def _describe(run: RunBuilder, search: _Search, *, is_new: bool) -> None:
    gpus = search(_GPU, b"GPU ")
    if gpus:
        run.factors["device"] = gpus["name"].decode("utf-8", "replace").strip()
    devices = _devices(search)
    batch = search(_BATCH_2, b"train_dataloader = ") if is_new else search(_BATCH_1, b"samples_per_gpu=")
    if devices:
        run.factors["devices"] = devices
    if batch:
        run.factors["batch_size"] = int(batch["size"])
    if devices and batch:
        run.samples_per_step = float(int(batch["size"]) * devices)
    _add_model(run, search(_MODEL, b"work_dir = "))


def _add_model(run: RunBuilder, model: re.Match[bytes] | None) -> None:
    if model:
        run.factors["model"] = model["name"].decode("ascii", "replace")


def _devices(search: _Search) -> int | None:
    """Return the number of GPUs: as the launcher counted them, else those given to the run.

    The GPUs in the environment are all those of the machine, used or not, and are not counted.
    """
    if number := search(_GPU_NUMBER, b"GPU number: "):
        return int(number["number"]) or None
    ids = search(_GPU_IDS, b"gpu_ids = ")
    if ids and ids["end"]:
        return int(ids["end"]) or None
    return len([id for id in ids["list"].split(b",") if id.strip()]) or None if ids else None
