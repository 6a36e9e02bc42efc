"""The rates of Tacotron 2 and WaveGlow, which count mel frames and audio samples, not utterances.

A step is a batch of utterances, whose frames differ from batch to batch. So the rate of the job is
measured in utterances by the timestamps of the steps, and what the program prints is kept as another
metric, `item_rate`: one run has one meaning of `throughput`. A run with few steps has nothing but the
program's own final figure; it counts items, and the factor `item` says so.
"""

import numpy as np

from reportgen.core.model import Break, FloatArray, IntArray
from reportgen.formats.nvidia_dle.dledraft import Draft, printed
from reportgen.formats.parsing.step_series import number, timed

# With no more steps than a usual warm-up has, there is no rate to be had from the steps.
_FEW = 20


def add(
    draft: Draft,
    step: IntArray,
    t: FloatArray,
    rate: FloatArray,
    line: IntArray,
    breaks: tuple[Break, ...],
    final: tuple[bytes, int] | None,
) -> None:
    """Add the steps and the final figure of a run to its draft, which is settled already.

    rate   items/s of each step; final  the program's last own figure (items/s) and its position
    """
    by_steps = len(step) > _FEW and draft.samples_per_step is not None
    draft.counts_batch = by_steps
    draft.factors["item"] = "utterance" if by_steps else "item"
    series = timed(step, t, line, draft.samples_per_step, draft.log.place, breaks)
    if series:
        draft.series.append(series)
    if len(step):
        span = np.ones(len(step), dtype=np.int64)
        draft.series.append(printed(draft.log, step, span, rate, line, "item_rate"))
    if final and not by_steps:
        value, position = final
        draft.aggregate(number(value), value + b" items/s", "mean", position)
