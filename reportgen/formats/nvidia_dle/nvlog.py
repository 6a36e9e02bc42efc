"""Read NVLOG, the predecessor of DLLogger: `:::NVLOGv0.x <model> <unix time> (<file:line>) <key>: <value>`.

A file becomes one Run. NCF prints no steps, only the rate of each epoch; Tacotron 2 and WaveGlow print the
rate of every step. Some runs write every line again after `DEBUG:nv_dl_logger:`; of lines with the same time
and text one counts.

Format: the `dllogger` that NVIDIA's DeepLearningExamples shipped until 2020.
"""

import re

import numpy as np

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.formats.nvidia_dle.dllogger_records import objects
from reportgen.formats.nvidia_dle.examples import add_throughput, example, set_batch, set_precision
from reportgen.formats.nvidia_dle.tacotron import add_items
from reportgen.formats.parsing.run_builder import RunBuilder
from reportgen.formats.parsing.several_runs import StepPlaces, result_places
from reportgen.formats.parsing.step_numbers import count_on
from reportgen.formats.parsing.text_log import NUMBER, Records, TextLog, positive
from reportgen.formats.parsing.timestamps import utc

_MARK = b":::NVLOGv0"
_HEAD = (
    rb":::NVLOGv0\.[0-9.]{1,8}+ (?P<model>[\w.-]{1,40}+) (?P<time>[0-9]{9,11}+\.[0-9]{1,9}+) "
    rb"\([^\r\n()]{1,300}+\) "
)
# NCF trains for two epochs, of which the first is slow.
_MIN_EPOCHS = 2
_ANY = lazy_pattern(_HEAD + rb"[\w/]+")
_RESULT = lazy_pattern(rb"^" + _HEAD + rb"(?:best_train_throughput: |run_final)", re.MULTILINE)
_EVENT = lazy_pattern(
    _HEAD + rb"(?P<key>train_(?:epoch_start|iter_items/sec|epoch_avg_items/sec|throughput)"
    rb"|best_train_throughput|run_final)(?:: (?P<value>" + NUMBER + rb"))?"
)


def _build(run: RunBuilder) -> None:
    events = _events(run.log)
    keys = events.columns["key"]
    run.has_result = b"run_final" in keys or b"best_train_throughput" in keys
    run.last = int(events.end.max(initial=0))
    run.set_start(utc(float(events.floats("time")[0])) if len(events) else None)
    has_items = any(b"items/sec" in key for key in keys if key)
    global_batch = _describe(run, has_items)
    if has_items:
        _add_steps(run, global_batch, events)
    else:
        run.samples_per_step = global_batch
        _add_final(run, events)


def _places(log: TextLog) -> StepPlaces:
    return result_places(log, _RESULT, b"best_train_throughput: ", b"run_final")


FORMAT = example("nvlog", "NVLOG logs, the predecessor of DLLogger.", (_MARK,), _ANY, _build, _places)


def _events(log: TextLog) -> Records:
    """Return the lines that matter, without those written twice."""
    events = log.records(_EVENT, _MARK)
    first: dict[object, int] = {}
    for position, event in enumerate(
        zip(*(events.columns[name] for name in ("time", "key", "value")), strict=True)
    ):
        first.setdefault(event, position)
    return events.take(np.array([*first.values()], dtype=np.int64))


def _describe(run: RunBuilder, has_items: bool) -> float | None:
    """Set the factors and return the global batch."""
    content = run.log.content
    arguments, _ = next(objects(content, b") args: {"), ({}, 0))
    gpu, _ = next(objects(content, b") gpu_info: {"), ({}, 0))
    first = _ANY.search(content)
    model = str(arguments.get("model_name") or (first["model"].decode() if first else ""))
    run.factors |= {"model": {"ncf": "NCF"}.get(model, model), "item": "item" if has_items else "sample"}
    # gpu_info counts the GPUs of the machine, not those of the run.
    names = gpu.get("name")
    if isinstance(names, list) and len({str(name) for name in names}) == 1:
        run.factors["device"] = str(names[0])
    if isinstance(gpu.get("driver_version"), str):
        run.environment["driver"] = gpu["driver_version"]
    level = arguments.get("opt_level")
    set_precision(run, str(arguments.get("amp_run", level and level != "O0")))
    devices, batch = (positive(str(arguments.get(name))) for name in ("world_size", "batch_size"))
    if has_items or model != "ncf":
        return set_batch(run, devices, batch_size=batch)
    return set_batch(run, devices, global_batch=batch)


def _add_steps(run: RunBuilder, global_batch: float | None, events: Records) -> None:
    """Add the steps of Tacotron 2 and WaveGlow; `train_epoch_start` begins an epoch."""
    keys, value = np.array(events.columns["key"]), events.floats("value")
    (steps,) = ((keys == b"train_iter_items/sec") & ~np.isnan(value)).nonzero()
    epoch = (keys == b"train_epoch_start").cumsum()[steps]
    run.step, run.breaks = count_on(epoch, np.arange(1, len(steps) + 1))
    run.line = events.line[steps]
    (means,) = ((keys == b"train_epoch_avg_items/sec") & ~np.isnan(value)).nonzero()
    final = (events.columns["value"][means[-1]] or b"", int(events.begin[means[-1]])) if len(means) else None
    add_items(run, global_batch, events.floats("time")[steps], value[steps], final)


def _add_final(run: RunBuilder, events: Records) -> None:
    """Add the final rate of NCF: the rate of the best epoch if printed, else of the last.

    The first epoch contains the warm-up: of a run that was killed after it there is no rate.
    """
    columns = (events.columns["key"], events.columns["value"], events.begin.tolist())
    rates = [
        (key, value, at)
        for key, value, at in zip(*columns, strict=True)
        if key and value and b"throughput" in key
    ]
    best = [rate for rate in rates if rate[0] == b"best_train_throughput"]
    if not run.has_result and len(rates) < _MIN_EPOCHS:
        return
    for key, value, at in (best or rates)[-1:]:
        statistic = "best" if best else "last epoch"
        add_throughput(run, float(value), key + b": " + value, statistic, at, _epoch_time(events, value))


def _epoch_time(events: Records, rate: bytes) -> float | None:
    """Return how long (s) the epoch of a rate took, None if the log does not say it."""
    keys, values, time = events.columns["key"], events.columns["value"], events.floats("time").tolist()
    begin = took = None
    for key, value, now in zip(keys, values, time, strict=True):
        if key == b"train_epoch_start":
            begin = now
        elif key == b"train_throughput" and value == rate:
            took = None if begin is None else now - begin
    return took
