"""Read the console of OLMo-core and OLMo: `[step=20/1000,epoch=1,eta=0:31:00]` and a line for each metric.

`throughput/device/TPS` and `BPS` (steps per second) are those of the printed step, from the end of a step to
the end of the next, so an evaluation or a checkpoint is in it. `(actual avg)` is the mean since the second
step. OLMo prints the mean of its last steps under other names.

Format: https://github.com/allenai/OLMo-core, src/olmo_core/train/callbacks/speed_monitor.py;
https://github.com/allenai/OLMo, olmo/train.py.
"""

import re

import numpy as np

from reportgen.core.model import FloatArray
from reportgen.formats.parsing.line_format import LineFormat, LineRun, StepLine, head
from reportgen.formats.parsing.line_patterns import regex

_PREFIX = b"throughput/device/"
_METRIC = r"^[^\n=]{0,120}throughput/device/(?:%s)={value:commas}(?=\s|$)"
_TOKENS = regex(_METRIC % "TPS|tokens_per_second")
_STEPS = regex(_METRIC % "BPS|batches_per_second")
_MEAN = regex(_METRIC % r"TPS \(actual avg\)")


def _build(run: LineRun) -> None:
    if not len(run.step):
        return
    steps = _of_steps(run, _STEPS)
    time = np.divide(1.0, steps, out=np.full(len(steps), np.nan), where=steps > 0)
    run.add("step_time", time, "host")
    run.add("throughput_per_device", _of_steps(run, _TOKENS), "printed")
    mean = run.log.records(_MEAN, _PREFIX)
    if len(mean):
        value, line = float(mean.floats("value")[-1]), int(mean.line[-1])
        n = max(int(run.step[-1]) - 1, 0)
        run.add_aggregate("throughput_per_device", value, mean.text("value", -1), "mean", n, line)
        run.last = max(run.last, int(mean.end[-1]))


def _of_steps(run: LineRun, pattern: re.Pattern[bytes]) -> FloatArray:
    """Return the first value of a metric below the line of each step, NaN where it has none."""
    lines = run.log.records(pattern, _PREFIX)
    values = np.full(len(run.step), np.nan)
    step = np.searchsorted(run.records.begin, lines.begin) - 1
    for at, value in zip(step[::-1].tolist(), lines.floats("value")[::-1].tolist(), strict=True):
        if at >= 0:
            values[at] = value
    return values


FORMAT = LineFormat(
    "olmo",
    "Console logs of OLMo-core and OLMo.",
    lines=(
        StepLine(
            b"[step=",
            r"\[step={step:int}/{planned_steps:int}(?:,[^]\n]{0,100})?\]",
            mark=_PREFIX,
            is_single=True,
        ),
    ),
    factors={"framework": "OLMo", "item": "token"},
    build=_build,
    heads=(head(b"olmo_core.train", r"\bolmo_core\.train[\w.]{0,80}:[0-9]{1,6}\tINFO\t"),),
).format()
