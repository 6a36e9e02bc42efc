"""Read NVLOG, the older form of NVIDIA's logger: `:::NVLOGv0.x <model> <unix time> (<file:line>) <key>:
<value>`.

A file becomes one Run. NCF has no steps, only the rate of each epoch; Tacotron 2 and WaveGlow print the
rate of every step. Some runs write every line twice, once more behind `DEBUG:nv_dl_logger:`; of two
lines with the same time and text one counts.

Format: the `dllogger` that NVIDIA's DeepLearningExamples shipped until 2020.
"""

import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from reportgen.core.model import Finding, Run
from reportgen.formats.base import Claim, Format
from reportgen.formats.nvidia_dle import spectrogram
from reportgen.formats.nvidia_dle.dledraft import Draft
from reportgen.formats.nvidia_dle.dlelog import Log, claim
from reportgen.formats.parsing.step_series import count_on, number, numbers
from reportgen.sources.logfiles import LogFiles

_NAME = "nvlog"
_HEAD = re.compile(
    rb":::NVLOGv0\.[0-9.]{1,8}+ ([\w.-]{1,40}+) ([0-9]{9,11}+\.[0-9]{1,9}+) \([^\r\n()]{1,300}+\) "
)
_LONGEST = 400
_ANY = re.compile(_HEAD.pattern + rb"[\w/]+")
_EVENT = re.compile(
    rb"\) (train_(?:epoch_start|iter_items/sec|epoch_avg_items/sec|throughput)"
    rb"|best_train_throughput|run_final)(?:: ([0-9.eE+-]{1,40}))?"
)


def claims(files: LogFiles) -> Claim | None:
    """Claim a file with a line of NVLOG."""
    return claim(files, 0.9, _ANY, b":::NVLOGv0")


def read(files: LogFiles) -> Iterator[Run | Finding]:
    """Yield the run of the file."""
    log = Log(files)
    draft = Draft(log, _NAME)
    arguments = _objects(log)
    events = _events(log)
    draft.has_result = any(key in (b"run_final", b"best_train_throughput") for _, key, _, _ in events)
    _describe(draft, arguments, any(b"items/sec" in key for _, key, _, _ in events))
    draft.settle()
    if any(b"items/sec" in key for _, key, _, _ in events):
        _measure_items(draft, events)
    else:
        _measure_epochs(draft, events)
    yield draft.run()


FORMAT = Format(_NAME, "NVLOG logs, the predecessor of DLLogger.", claims, read, marks=(b":::NVLOGv0",))

Event = tuple[float, bytes, bytes, int]


def _events(log: Log) -> list[Event]:
    """Return (time, key, value, position) of the lines that matter, without those written twice."""
    found: dict[tuple[bytes, bytes, bytes], int] = {}
    content = log.content
    for event in _EVENT.finditer(content):
        if head := _head(content, event.start() + 2):
            found.setdefault((head[2], event[1], event[2] or b""), head.start())
    return [(float(time), key, value, position) for (time, key, value), position in found.items()]


def _head(content: bytes, end: int) -> re.Match[bytes] | None:
    """Return what every line begins with, in front of a position."""
    begin = content.rfind(b":::NVLOGv0.", max(end - _LONGEST, 0), end)
    return _HEAD.fullmatch(content, begin, end) if begin >= 0 else None


def _objects(log: Log) -> dict[str, dict[str, Any]]:
    """Return the settings and what is said of the GPUs."""
    return {name: _object(log, b") %b: {" % name.encode()) for name in ("args", "gpu_info")}


def _object(log: Log, literal: bytes) -> dict[str, Any]:
    """Return the first object behind a literal that is one, else nothing."""
    found = (one for one, position in log.objects(literal) if _head(log.content, position + 2))
    return next(found, {})


def _describe(draft: Draft, objects: dict[str, dict[str, Any]], has_items: bool) -> None:
    arguments, gpu = objects["args"], objects["gpu_info"]
    first = _ANY.search(draft.log.content)
    model = arguments.get("model_name") or (first[1].decode() if first else "")
    draft.factors["model"] = {"ncf": "NCF"}.get(str(model), str(model))
    draft.factors["item"] = "item" if has_items else "sample"
    # gpu_info counts the GPUs of the machine, not those of the run.
    names = gpu.get("name")
    if isinstance(names, list) and names and len({str(name) for name in names}) == 1:
        draft.factors["device"] = str(names[0])
    if isinstance(gpu.get("driver_version"), str):
        draft.environment["driver"] = gpu["driver_version"]
    half, level = arguments.get("amp_run"), arguments.get("opt_level")
    draft.set_precision(half if isinstance(half, bool) else level != "O0" if level else None)
    draft.devices = _count(arguments.get("world_size"))
    batch = _count(arguments.get("batch_size"))
    if has_items or model != "ncf":
        draft.batch_size = batch
    else:
        draft.global_batch = batch


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value < 10**15 else None


def _measure_items(draft: Draft, events: list[Event]) -> None:
    """Add the steps of Tacotron 2 and WaveGlow; epochs are counted by their begins."""
    epoch, rows, final = 0, [], None
    for time, key, value, position in events:
        if key == b"train_epoch_start":
            epoch += 1
        elif key == b"train_iter_items/sec":
            rows.append((epoch, time, value, position))
        elif key == b"train_epoch_avg_items/sec":
            final = (value, position)
    epochs = np.array([row[0] for row in rows], dtype=np.int64)
    step, breaks = count_on(epochs, np.arange(1, len(rows) + 1))
    spectrogram.add(
        draft,
        step,
        np.array([row[1] for row in rows], dtype=np.float64),
        numbers([row[2] for row in rows]),
        draft.log.lines([row[3] for row in rows]),
        breaks,
        final,
    )


def _measure_epochs(draft: Draft, events: list[Event]) -> None:
    """Add the final rate of NCF, which names the best of its epochs, else that of the last epoch."""
    finals = [(key, value, position) for _, key, value, position in events if value and b"throughput" in key]
    best = [one for one in finals if one[0] == b"best_train_throughput"]
    for key, value, position in (best or finals)[-1:]:
        statistic = "best" if best else "last epoch"
        draft.aggregate(number(value), key + b": " + value, statistic, position)
