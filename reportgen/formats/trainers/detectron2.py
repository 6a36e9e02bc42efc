"""Read the metrics of detectron2: `metrics.json`, an object every 20 iterations, and lines of its console.

`time` in the file is the median of the last 20 iterations on rank 0, so it stands for single steps and not
for an interval. On the console it is the mean since the process began, without its first two iterations; two
lines give the time between them, unless rounding blurs it by more than 5 %. Loading is part of an iteration,
and hooks (evaluation, checkpoints) are not. A folder usually has both; the console is then not read.

Format: https://github.com/facebookresearch/detectron2, detectron2/utils/events.py, engine/hooks.py.
"""

import re
from dataclasses import replace

import numpy as np

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.model import Finding
from reportgen.core.rules import Rule
from reportgen.formats.base import Claim, Results
from reportgen.formats.parsing.line_format import (
    LineFormat,
    LineRun,
    Setting,
    StepLine,
    head,
    since_line_before,
)
from reportgen.formats.parsing.line_patterns import regex
from reportgen.formats.parsing.text_log import TextLog
from reportgen.sources.logfiles import HEAD, LogFiles

_METRICS, _CONFIGURATION = "metrics.json", "config.yaml"
_BATCH = lazy_pattern(rb"^ {0,8}IMS_PER_BATCH: ([1-9][0-9]{0,8})\b", re.MULTILINE)
_STARTED = regex("Starting training from iteration {step:int}")
_SPEED = regex(r"Overall training speed: {n:positive} iterations in [0-9:, days]{7,30} \({time} s / it\)")
_JSON = (
    r'^\{"data_time": {data_loading_time_s}, [^\n]{0,20000}?"iteration": {step:int},[^\n]{0,20000}? '
    r'"time": {step_time_s}(?=[,}])'
)
_CONSOLE = (
    r"iter: {step:int}  [^\n]{0,4000}? time: {mean}  [^\n]{0,200}?data_time: {} [^\n]{0,200}?"
    r"(?:max_mem: {memory_used_MiB:int}M)?(?=\s|$)"
)
_UNTIMED_STEPS = 2
_TIME_ERROR, _MAX_BLUR = 0.00005, 0.05


def _build(run: LineRun) -> None:
    configuration = run.log.files.read_sibling(_CONFIGURATION) or b""
    if batch := _BATCH.search(configuration) or _BATCH.search(run.log.content):
        run.set_batch(int(batch[1]))
    if run.kind is _OBJECT:
        run.measure()
    elif len(run.step):
        _add_between_lines(run)
    speed = run.log.records(_SPEED, b"Overall training speed: ")
    if len(speed):
        value, text = float(speed.floats("time")[-1]), f"{speed.text('time', -1)} s / it"
        n, line = int(speed.integers("n")[-1]), int(speed.line[-1])
        run.add_aggregate("step_time", value, text, "mean", n, line)
        run.last = max(run.last, int(speed.end[-1]))


def _add_between_lines(run: LineRun) -> None:
    """Add the times between lines of the console, by the means since the process began."""
    started = run.log.records(_STARTED, b"Starting training from iteration ")
    first = int(started.integers("step")[0]) if len(started) else 0
    done = np.maximum(run.step - first - _UNTIMED_STEPS, 0)
    time, span = since_line_before(run.records.floats("mean"), done, np.zeros_like(done))
    # The mean of a process that resumed before this log begins counts other iterations.
    time[0] = np.nan
    is_sharp = _TIME_ERROR * (2 * done - span) <= _MAX_BLUR * np.abs(time)
    time = np.where(is_sharp & (time > 0), time, np.nan)
    run.add(
        "step_time", time, "host", span=span, samples=run.work(span), rounding=_TIME_ERROR, rounded="mean"
    )
    run.add("memory_used", run.records.floats("memory_used_MiB") * 2**20, "printed", span=span)


def _with_siblings(files: LogFiles, claim: Claim | None) -> Claim | None:
    return replace(claim, beside=(_CONFIGURATION, _METRICS)) if claim else None


_OBJECT = StepLine(b'"iteration": ', _JSON, mark=b'"eta_seconds": ', first=0, is_single=True, clock="host")

_LINES = LineFormat(
    "detectron2",
    "Metrics and logs of detectron2.",
    lines=(_OBJECT, StepLine(b"  iter: ", _CONSOLE, mark=b"d2.utils.events]: ", first=0)),
    factors={"framework": "detectron2", "item": "image"},
    settings=(
        Setting(
            b"Rank of current process: ", r"Rank of current process: {:int}. World size: {devices:positive}"
        ),
    ),
    build=_build,
    refine=_with_siblings,
    heads=(head(b" d2.", r"^\[[0-9/]{5} [0-9:]{8} d2\.engine\.[\w.]{1,40}\]: "),),
).format()


def _read(files: LogFiles) -> Results:
    """Yield the runs of a file; a console log beside metrics.json has none of its own."""
    log = TextLog(files)
    beside = files.read_sibling_head(_METRICS, HEAD) if log.content.lstrip()[:1] != b"{" else None
    if beside and _OBJECT.mark in beside[0]:
        message = f"the steps of this run are also in {_METRICS}; read from there"
        yield Finding("note", Rule.READ_EXCERPT, log.id, message, log.source)
        return
    yield from _LINES.read(files)


FORMAT = replace(_LINES, read=_read)
