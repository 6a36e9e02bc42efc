"""Read NVLOG, the predecessor of DLLogger: `:::NVLOGv0.x <model> <unix time> (<file:line>) <key>: <value>`.

A file becomes one Run. NCF prints no steps, only the rate of each epoch; Tacotron 2 and WaveGlow print the
rate of every step. Some runs write every line again after `DEBUG:nv_dl_logger:`; of lines with the same time
and text one counts.

Format: the `dllogger` that NVIDIA's DeepLearningExamples shipped until 2020.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from reportgen.core.model import Finding, Run
from reportgen.formats.base import Claim, Format
from reportgen.formats.nvidia_dle.dllogger_records import objects
from reportgen.formats.nvidia_dle.examples import add_throughput, claim, set_batch, set_precision
from reportgen.formats.nvidia_dle.tacotron import add_items
from reportgen.formats.parsing.run_builder import RunBuilder
from reportgen.formats.parsing.step_numbers import count_on
from reportgen.formats.parsing.text_log import NUMBER, TextLog
from reportgen.sources.logfiles import LogFiles

_NAME = "nvlog"
_MARK = b":::NVLOGv0"
_HEAD = re.compile(
    rb":::NVLOGv0\.[0-9.]{1,8}+ ([\w.-]{1,40}+) ([0-9]{9,11}+\.[0-9]{1,9}+) \([^\r\n()]{1,300}+\) "
)
_MAX_HEAD_CHARS = 400
_ANY = re.compile(_HEAD.pattern + rb"[\w/]+")
_EVENT = re.compile(
    rb"\) (train_(?:epoch_start|iter_items/sec|epoch_avg_items/sec|throughput)"
    rb"|best_train_throughput|run_final)(?:: (" + NUMBER + rb"))?"
)


@dataclass(frozen=True, slots=True)
class Event:
    """A line that the reader uses, at an offset; `time` is in s, `value` empty if it has none."""

    time: float
    key: bytes
    value: bytes
    begin: int


def claims(files: LogFiles) -> Claim | None:
    """Claim a file with a line of NVLOG."""
    return claim(files, _MARK, _ANY, 0.9)


def read(files: LogFiles) -> Iterator[Run | Finding]:
    """Yield the run of the file."""
    log = TextLog(files)
    events = _events(log.content)
    is_complete = any(event.key in (b"run_final", b"best_train_throughput") for event in events)
    run = RunBuilder(log, _NAME, has_result=is_complete)
    run.last = max((event.begin for event in events), default=0)
    has_items = any(b"items/sec" in event.key for event in events)
    global_batch = _describe(run, has_items)
    if has_items:
        _add_steps(run, global_batch, events)
    else:
        run.samples_per_step = global_batch
        _add_epochs(run, events)
    yield run.run()


FORMAT = Format(_NAME, "NVLOG logs, the predecessor of DLLogger.", claims, read, marks=(_MARK,))


def _events(content: bytes) -> list[Event]:
    """Return the lines that matter, in log order, without those written twice."""
    events: dict[tuple[bytes, bytes, bytes], Event] = {}
    for line in _EVENT.finditer(content):
        if head := _head(content, line.start() + 2):
            time, key, value = head[2], line[1], line[2] or b""
            events.setdefault((time, key, value), Event(float(time), key, value, head.start()))
    return list(events.values())


def _head(content: bytes, end: int) -> re.Match[bytes] | None:
    """Return the head of the line whose key begins at an offset."""
    begin = content.rfind(b":::NVLOGv0.", max(end - _MAX_HEAD_CHARS, 0), end)
    return _HEAD.fullmatch(content, begin, end) if begin >= 0 else None


def _object(content: bytes, name: bytes) -> Mapping[str, Any]:
    """Return the first JSON object with this key, an empty one if there is none."""
    values = (value for value, at in objects(content, b") " + name + b": {") if _head(content, at + 2))
    return next(values, {})


def _describe(run: RunBuilder, has_items: bool) -> float | None:
    """Set the factors and return the global batch."""
    arguments, gpu = _object(run.log.content, b"args"), _object(run.log.content, b"gpu_info")
    first = _ANY.search(run.log.content)
    model = str(arguments.get("model_name") or (first[1].decode() if first else ""))
    run.factors |= {"model": {"ncf": "NCF"}.get(model, model), "item": "item" if has_items else "sample"}
    # gpu_info counts the GPUs of the machine, not those of the run.
    names = gpu.get("name")
    if isinstance(names, list) and names and len({str(name) for name in names}) == 1:
        run.factors["device"] = str(names[0])
    if isinstance(gpu.get("driver_version"), str):
        run.environment["driver"] = gpu["driver_version"]
    half, level = arguments.get("amp_run"), arguments.get("opt_level")
    set_precision(run, half if isinstance(half, bool) else level != "O0" if level else None)
    devices, batch = _count(arguments.get("world_size")), _count(arguments.get("batch_size"))
    if has_items or model != "ncf":
        return set_batch(run, devices, batch_size=batch)
    return set_batch(run, devices, global_batch=batch)


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value < 10**15 else None


def _add_steps(run: RunBuilder, global_batch: float | None, events: list[Event]) -> None:
    """Add the steps of Tacotron 2 and WaveGlow; `train_epoch_start` begins an epoch."""
    epoch, epochs, steps, final = 0, [], [], None
    for event in events:
        if event.key == b"train_epoch_start":
            epoch += 1
        elif event.key == b"train_iter_items/sec" and event.value:
            epochs.append(epoch)
            steps.append(event)
        elif event.key == b"train_epoch_avg_items/sec" and event.value:
            final = (event.value, event.begin)
    run.step, run.breaks = count_on(np.array(epochs, dtype=np.int64), np.arange(1, len(steps) + 1))
    run.line = run.log.lines([step.begin for step in steps])
    t = np.array([step.time for step in steps], dtype=np.float64)
    add_items(run, global_batch, t, np.array([float(step.value) for step in steps]), final)


def _add_epochs(run: RunBuilder, events: list[Event]) -> None:
    """Add the final rate of NCF: that of the best epoch if printed, else that of the last."""
    rates = [event for event in events if event.value and b"throughput" in event.key]
    best = [event for event in rates if event.key == b"best_train_throughput"]
    for event in (best or rates)[-1:]:
        text = event.key + b": " + event.value
        add_throughput(run, float(event.value), text, "best" if best else "last epoch", event.begin)
