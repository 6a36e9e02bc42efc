"""Read HugeCTR's training logs: `Iter: 100 Time(100 iters): 0.315066s Loss: ...`, all versions of the prefix.

A file becomes one Run. A line's time is that of all its iterations. An evaluation between two lines is part
of the later one's time; its own time is printed, so it is taken off and kept as a break.

Format: NVIDIA-Merlin/HugeCTR HugeCTR/src/pybind/model.cpp (2.2 to 23.x).
"""

import re
from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from reportgen.core.model import Break, FactorValue, Finding, FloatArray, Run
from reportgen.formats.base import Claim, Format
from reportgen.formats.dlperf.memory_file import memory, with_memory
from reportgen.formats.dlperf.printed_settings import number, settings
from reportgen.formats.parsing import timestamps
from reportgen.formats.parsing.run_builder import RunBuilder, once
from reportgen.formats.parsing.text_log import COUNT, NUMBER, Records, TextLog, claim
from reportgen.sources.logfiles import LogFiles

BoolArray = NDArray[np.bool_]

_NAME = "hugectr"
_ITER = re.compile(
    rb"Iter: (?P<step>"
    + COUNT
    + rb") Time\((?P<span>[0-9]{1,9}) iters?\): (?P<time>"
    + NUMBER
    + rb")s Loss: ?(?P<loss>"
    + NUMBER
    + rb"|-?nan|-?inf)"
)
_EVALUATION = re.compile(rb"Eval Time for [0-9]{1,9} iters: (?P<time>" + NUMBER + rb")s")
_FINISH = re.compile(
    rb"Finish (?P<steps>"
    + COUNT
    + rb") iterations with batchsize: (?P<batch>"
    + COUNT
    + rb") in (?P<time>"
    + NUMBER
    + rb")s"
)
_DEVICE = re.compile(
    rb"(?:^|\[R(?:AN)?K(?P<rank>[0-9]{1,4})\](?:\[[a-z]{1,20}\])?: )"
    rb"Device (?P<device>[0-9]{1,4}): (?P<name>[^\r\n]{0,98}[^\s])[ \t]*+\r?$",
    re.MULTILINE,
)
_CLOCK = re.compile(rb"\[([0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,6})?)\]")
_ROUNDING = 1.0  # s, of stamps without a fraction


def claims(files: LogFiles) -> Claim | None:
    """Claim a file with an iteration line."""
    return with_memory(claim(files, b" iters): ", _ITER, 0.95))


def read(files: LogFiles) -> Iterator[Run | Finding]:
    """Yield the run of the file."""
    log = TextLog(files)
    records = log.records(_ITER, b"Iter: ", "no iteration record")
    if len(records):
        records = records.take(once(records.integers("step")))
    step = records.integers("step") if len(records) else np.zeros(0, dtype=np.int64)
    header = settings(log.content)
    run = RunBuilder(log, _NAME, step, records.line, factors=_devices(log) | _factors(header))
    run.samples_per_step = _global_batch(run, header)
    if len(records):
        run.last = int(records.end[-1])
        time = _without_evaluations(run, records)
        run.add("step_time", time, "printed", span=np.maximum(records.integers("span"), 1))
        run.aggregates += memory(files)
    yield run.run()


FORMAT = Format(_NAME, "Training logs of HugeCTR.", claims, read, marks=(b" iters): ",))


def _devices(log: TextLog) -> dict[str, FactorValue]:
    """Return the devices that the log lists, each of its rank; their name where it is one."""
    if b"Device " not in log.content:
        return {}
    listed = [(one["rank"], one["device"], one["name"]) for one in _DEVICE.finditer(log.content)]
    names = {name for _, _, name in listed}
    found: dict[str, FactorValue] = {}
    # Without ranks several processes, or several models, list the same numbers.
    if listed and len({(rank, device) for rank, device, _ in listed}) == len(listed):
        found["devices"] = len(listed)
    return found | ({"device": names.pop().decode("utf-8", "replace")} if len(names) == 1 else {})


def _factors(header: Mapping[str, str]) -> dict[str, FactorValue]:
    found: dict[str, FactorValue] = {"framework": "HugeCTR", "item": "sample"}
    nodes, per_node = number(header, "num_nodes", "node_num"), number(header, "gpu_num_per_node")
    if nodes:
        found["nodes"] = nodes
    if nodes and per_node:
        found["devices"] = nodes * per_node
    return found


def _global_batch(run: RunBuilder, header: Mapping[str, str]) -> float | None:
    """Return samples of a step over all devices, note them as a factor and the total that the end prints."""
    finish = run.log.records(_FINISH, b"Finish ") if b"Finish " in run.log.content else None
    batch = number(header, "batch_size", "batchsize")
    if finish is not None and len(finish):
        batch = int(finish.integers("batch")[-1]) or batch
        run.add_aggregate(
            "time_to_train",
            float(finish.floats("time")[-1]),
            finish.text("time", -1) + "s",
            "total",
            int(finish.integers("steps")[-1]),
            int(finish.line[-1]),
        )
    if not batch:
        return None
    devices = run.factors.get("devices")
    if isinstance(devices, int) and batch % devices == 0:
        run.factors["batch_size"] = batch // devices
    else:
        run.factors["global_batch_size"] = batch
    return float(batch)


def _without_evaluations(run: RunBuilder, records: Records) -> FloatArray:
    """Return the times of the records less the evaluations in them, which become breaks of the run."""
    time = records.floats("time")
    evaluations = run.log.records(_EVALUATION, b"Eval Time for ")
    if not len(evaluations):
        return time
    follows = np.searchsorted(records.begin, evaluations.begin)
    inside = (follows > 0) & (follows < len(records))
    weights = evaluations.floats("time")[inside]
    spent: FloatArray = np.bincount(follows[inside], weights, minlength=len(time)).astype(np.float64)
    included = (spent > 0) & (spent < time) & _is_included(run.log.content, records, time, spent)
    run.breaks = tuple(
        Break(int(run.step[at - 1]), "evaluation", float(spent[at])) for at in np.flatnonzero(spent > 0)
    )
    return np.where(included, time - spent, time)


def _is_included(content: bytes, records: Records, time: FloatArray, spent: FloatArray) -> BoolArray:
    """Return whether the printed time contains the evaluations before it.

    It does unless the clock of the lines says that so much more time passed between them.
    """
    texts = timestamps.before(content, records.begin, _CLOCK)
    if texts is None:
        return np.ones(len(time), dtype=bool)
    passed = np.diff(timestamps.of_day(texts), prepend=np.nan)
    is_outside = np.abs(passed - time - spent) + _ROUNDING < np.abs(passed - time)
    return ~is_outside
