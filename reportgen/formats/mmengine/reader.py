"""Read the logs of MMEngine and MMCV 1 (MMDetection, MMSegmentation, MMPretrain, ...).

`Epoch(train) [100][ 100/4309] ... time: 0.9225 data_time: 0.0064` and `Iter [48/180]\\tlr: ..., time:
3.743, data_time: 1.643`: a file becomes one Run. MMCV 1 prints the mean since the line before. MMEngine
prints the mean of its last `window_size` iterations (10 unless the configuration says otherwise), more or
fewer than those since the line before; where the interval is longer and the head missing, timestamps decide.

Format: https://github.com/open-mmlab/mmengine, runner/log_processor.py; mmcv 1.x runner/hooks/logger/text.py.
"""

import re
from collections.abc import Callable, Iterator

import numpy as np

from reportgen.core.model import Finding, FloatArray, IntArray, Run
from reportgen.formats.base import Claim, Format
from reportgen.formats.mmengine import mmcv_json
from reportgen.formats.mmengine.scalars import CONFIGURATION, MARK, Scalars, claim_scalars, claim_told, runs
from reportgen.formats.parsing.run_builder import RunBuilder, epoch_breaks, in_epochs, once, spans
from reportgen.formats.parsing.text_log import COUNT, NUMBER, Records, TextLog, claim, seconds
from reportgen.sources.logfiles import LogFiles

_NAME = "mmengine"
_LINE = re.compile(
    rb"(?:Epoch|Iter)(?P<train>\(train\))? {1,3}(?:\[ {0,9}(?P<epoch>[0-9]{1,6})\])?\[ {0,9}(?P<at>"
    + COUNT
    + rb")/ {0,9}"
    rb"(?P<of>"
    + COUNT
    + rb")\][\t ]{1,3}[^\n]{0,400}?[ \t]time: (?P<time>"
    + NUMBER
    + rb"),? {1,2}data_time: (?P<data>"
    + NUMBER
    + rb")(?=[,\s])(?:,? {1,2}memory: (?P<memory>"
    + COUNT
    + rb"))?"
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
# Looks for a pattern that has a literal in its first line.
_Search = Callable[[re.Pattern[bytes], bytes], re.Match[bytes] | None]
_YEAR = 365 * 86400.0


def claims(files: LogFiles) -> Claim | None:
    """Claim a file with a line of training, of a logger, of scalars; in a folder, scalars told elsewhere."""
    if files.is_folder:
        return claim_told(files, _LINE)
    printed = claim(files, b"data_time: ", _LINE, 0.95) or claim(files, b" - INFO - ", _LOGGER, 0.85)
    return printed or claim_scalars(files)


def read(files: LogFiles) -> Iterator[Run | Finding]:
    """Yield the run of a printed log, or those of a file of scalars; nothing of what something else tells."""
    if files.is_folder:
        return
    log = TextLog(files)
    if log.content.lstrip()[:1] == b"{" and mmcv_json.TRAINING in log.content:
        yield _of_json(log).run()
    elif log.content.lstrip()[:1] == b"{":
        found = list(runs(log))
        for number, one in enumerate(found, 1):
            yield _of_scalars(log, one).run(number if len(found) > 1 else None)
    else:
        yield _printed(log).run()


FORMAT = Format(
    _NAME,
    "Training logs of MMEngine and MMCV 1: console output and JSON lines.",
    claims,
    read,
    marks=(b"data_time: ", b" - INFO - ", MARK),
    folders=True,
)


def _printed(log: TextLog) -> RunBuilder:
    every = log.records(_LINE, b"data_time: ")
    epochs = np.nan_to_num(every.floats("epoch")).astype(np.int64)
    step = in_epochs(epochs, every.integers("at"), every.integers("of"))
    first = once(step)
    found, epochs = every.take(first), epochs[first]
    run = RunBuilder(log, _NAME, step[first], found.line, int(every.end[-1]) if len(every) else 0)
    is_new = b"(train)" in log.content
    run.factors.update(framework="MMEngine" if is_new else "MMCV", item="image")
    _describe(run, log.search, is_new=is_new)
    _measure(run, found, epochs, is_new=is_new)
    return run


def _of_scalars(log: TextLog, found: Scalars) -> RunBuilder:
    run = RunBuilder(log, _NAME, found.step, found.line, len(log.content))
    run.factors.update(framework="MMEngine", item="image")
    configuration = log.files.read_sibling(CONFIGURATION) or b""
    if batch := _BATCH_2.search(configuration):
        run.factors["batch_size"] = int(batch["size"])
    if model := _MODEL.search(configuration):
        run.factors["model"] = model["name"].decode("ascii", "replace")
    window = _WINDOW.search(configuration)
    span = np.minimum(int(window["size"]) or 1 if window else _DEFAULT_WINDOW, found.step)
    _add(run, found.column("time"), found.column("data_time"), found.column("memory"), span)
    return run


def _of_json(log: TextLog) -> RunBuilder:
    found = mmcv_json.Lines(log)
    run = RunBuilder(log, _NAME, found.step, found.line, len(log.content))
    run.factors.update(framework="MMCV", item="image")
    if found.name:
        run.factors["model"] = found.name
    _describe(run, lambda pattern, _: pattern.search(found.head), is_new=False)
    span = spans(found.at, found.epoch)
    run.breaks = epoch_breaks((found.step - found.at)[1:][np.diff(found.epoch) != 0].tolist())
    _add(run, found.column("time"), found.column("data_time"), found.column("memory"), span)
    return run


def _measure(run: RunBuilder, found: Records, epochs: IntArray, *, is_new: bool) -> None:
    at = found.integers("at")
    covered = spans(at, epochs)
    run.breaks = epoch_breaks((run.step - at)[1:][np.diff(epochs) != 0].tolist())
    stamp = _stamps(run.log, found)
    time = found.floats("time")
    span = _seen(run, covered, time, stamp) if is_new else covered
    _add(run, time, found.floats("data"), found.floats("memory"), span)
    run.add_stamps(stamp, run.work(covered))


def _add(run: RunBuilder, time: FloatArray, data: FloatArray, memory: FloatArray, span: IntArray) -> None:
    """Add means over the last `span` steps, in s, and the memory in MiB."""
    run.add("step_time", time * span, "host", span=span, samples=run.work(span))
    run.add("step_time", data * span, "host", phase="data_loading", span=span)
    run.add("memory_used", memory * 2**20, "printed", span=span)


def _seen(run: RunBuilder, covered: IntArray, time: FloatArray, stamp: FloatArray) -> IntArray:
    """Return how many steps MMEngine's means are taken over: its window, across the borders of epochs.

    Lines that are closer than the window overlap, and the dates cannot tell how long it is.
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


def _stamps(log: TextLog, found: Records) -> FloatArray:
    """Return the dates of the lines; where they have no year, the time goes on over the end of one."""
    texts, is_yearless = [], False
    for begin in found.begin.tolist():
        line = max(log.content.rfind(b"\n", 0, begin), log.content.rfind(b"\r", 0, begin)) + 1
        date = _DATE.search(log.content, max(line, begin - 120), begin)
        if date and date["year"]:
            texts.append(date["year"] + b"-" + date["date"] + b" " + date["time"])
        elif date:
            is_yearless = True
            # A leap year, so that every date exists.
            texts.append(b"2024-" + date["month"] + b"-" + date["day"] + b" " + date["time"])
        else:
            texts.append(b"")
    stamp = seconds(texts)
    if is_yearless:
        stamp = stamp + np.cumsum(np.diff(stamp, prepend=stamp[:1]) < -_YEAR / 2) * (_YEAR + 86400.0)
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
    model = search(_MODEL, b"work_dir = ")
    if model:
        run.factors["model"] = model["name"].decode("ascii", "replace")


def _devices(search: _Search) -> int | None:
    """Return how many GPUs train: as the launcher counted, else those that were given to the run.

    The GPUs that the environment lists are all of the machine, used or not, and are not counted.
    """
    if number := search(_GPU_NUMBER, b"GPU number: "):
        return int(number["number"]) or None
    ids = search(_GPU_IDS, b"gpu_ids = ")
    if ids and ids["end"]:
        return int(ids["end"]) or None
    return len([one for one in ids["list"].split(b",") if one.strip()]) or None if ids else None
