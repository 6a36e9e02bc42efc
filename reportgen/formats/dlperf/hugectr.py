"""Read HugeCTR's training logs: `Iter: 100 Time(100 iters): 0.315066s Loss: ...`, all versions of the prefix.

A line's time is that of all its iterations. It contains an evaluation between two lines, whose own time is
printed: that is subtracted and kept as a break.

Format: NVIDIA-Merlin/HugeCTR HugeCTR/src/pybind/model.cpp (2.2 to 23.x).
"""

import numpy as np

from reportgen.core.model import Break, FactorValue, FloatArray
from reportgen.formats.dlperf.memory_file import add_memory, with_memory
from reportgen.formats.parsing import timestamps
from reportgen.formats.parsing.line_format import LineFormat, LineRun, StepLine, head
from reportgen.formats.parsing.line_patterns import regex
from reportgen.formats.parsing.text_log import TextLog

_EVALUATION = regex(r"Eval Time for [0-9]{1,9} iters: {time}s")
_FINISH = regex(r"Finish {steps:int} iterations with batchsize: {batch:int} in {time}s")
_DEVICE = regex(
    r"(?:^|\[R(?:AN)?K(?P<rank>[0-9]{1,4})\](?:\[[a-z]{1,20}\])?: )"
    r"Device (?P<device>[0-9]{1,4}): (?P<name>[^\r\n]{0,98}[^\s])[ \t]*+\r?$"
)
_CLOCK = regex(r"\[([0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,6})?)\]")
_STAMP_ERROR = 1.0  # s, of stamps without a fraction


def _build(run: LineRun) -> None:
    run.factors = _devices(run.log) | run.factors
    finish, batch = run.log.records(_FINISH, b"Finish "), run.count("global_batch_size")
    if len(finish):
        time, steps = finish.text("time", -1), int(finish.integers("steps")[-1])
        run.add_aggregate("time_to_train", float(time), f"{time}s", "total", steps, int(finish.line[-1]))
        batch = int(finish.integers("batch")[-1]) or batch
    run.set_batch(batch)
    if len(run.records):
        run.add(
            "step_time", _without_evaluations(run), run.kind.clock, span=run.kind.span(run.step, run.records)
        )
        add_memory(run)


def _devices(log: TextLog) -> dict[str, FactorValue]:
    """Return the number of devices that the log lists, and their name if all have the same."""
    if b"Device " not in log.content:
        return {}
    listed = [(match["rank"], match["device"], match["name"]) for match in _DEVICE.finditer(log.content)]
    names = {name for _, _, name in listed}
    factors: dict[str, FactorValue] = {}
    # Several processes or models that print no rank list the same numbers.
    if listed and len({(rank, device) for rank, device, _ in listed}) == len(listed):
        factors["devices"] = len(listed)
    return factors | ({"device": names.pop().decode("utf-8", "replace")} if len(names) == 1 else {})


def _without_evaluations(run: LineRun) -> FloatArray:
    """Return the times of the records less the evaluations in them, which become breaks of the run.

    A time contains them unless the clock of the lines says that so much more time passed between them.
    """
    records, time = run.records, run.records.floats("time")
    evaluations = run.log.records(_EVALUATION, b"Eval Time for ")
    if not len(evaluations):
        return time
    follows = np.searchsorted(records.begin, evaluations.begin)
    inside = (follows > 0) & (follows < len(records))
    weights = evaluations.floats("time")[inside]
    spent: FloatArray = np.bincount(follows[inside], weights, minlength=len(time)).astype(np.float64)
    run.breaks = tuple(
        Break(int(run.step[at - 1]), "evaluation", float(spent[at])) for at in np.flatnonzero(spent > 0)
    )
    is_inside = (spent > 0) & (spent < time)
    if texts := timestamps.before(run.log.content, records.begin, _CLOCK):
        passed = np.diff(timestamps.of_day(texts), prepend=np.nan)
        is_inside &= np.abs(passed - time - spent) + _STAMP_ERROR >= np.abs(passed - time)
    return np.where(is_inside, time - spent, time)


FORMAT = LineFormat(
    "hugectr",
    "Training logs of HugeCTR.",
    lines=(
        StepLine(
            b"Iter: ",
            r"Iter: {step:int} Time\((?P<span>[0-9]{1,9}) iters?\): {time}s Loss: ?{:loss}",
            mark=b" iters): ",
            damage="no iteration record",
        ),
    ),
    factors={"framework": "HugeCTR", "item": "sample"},
    printed={
        "num_nodes": "nodes",
        "node_num": "nodes",
        "gpu_num_per_node": "devices_per_node",
        "batch_size": "global_batch_size",
        "batchsize": "global_batch_size",
    },
    build=_build,
    refine=with_memory,
    heads=(head(b"[HUGECTR]", r"^\[HUGECTR\]\[[0-9:]{8}\]\[INFO\]\[RANK[0-9]{1,6}\]: Global seed is "),),
).format()
