"""Read the log lines of nanoGPT: `iter 10: loss 3.2202, time 893.76ms, mfu 16.68%`.

A run has one series. The time is that of the single iteration that is printed, so lines every 10 iterations
are a sample of the steps and not intervals. An iteration that starts with an evaluation includes it in its
time, which is left out.

Format: https://github.com/karpathy/nanoGPT, train.py.
"""

import numpy as np

from reportgen.formats.parsing.line_format import LineFormat, LineRun, Setting, StepLine, head
from reportgen.formats.parsing.line_patterns import line_pattern

_EVALUATION = line_pattern("step {step:int}: train loss ")


def _build(run: LineRun) -> None:
    evaluated = run.log.records(_EVALUATION, b": train loss ").integers("step") + 1
    run.measure(valid=~np.isin(run.step, evaluated))


FORMAT = LineFormat(
    "nanogpt",
    "Training logs of nanoGPT.",
    lines=(
        StepLine.like(
            "iter {step:int}: loss {:loss}, time {step_time_ms}ms",
            first=0,
            is_single=True,
            # The clock is read before the loss is fetched from the device, which would wait for it.
            clock="host",
        ),
    ),
    factors={"framework": "nanoGPT", "item": "token"},
    settings=(
        Setting.like("tokens per iteration will be: {samples_per_step:commas}"),
        Setting(b"WORLD_SIZE", r"\bWORLD_SIZE[=: ]{1,3}{devices:positive}"),
    ),
    build=_build,
    heads=(
        head(
            b"tokens per iteration will be: ",
            r"^tokens per iteration will be: {:commas}$[^\0]{0,4000}?^number of parameters: [0-9.]{1,12}M$",
        ),
    ),
).format()
