"""The lines that PaddlePaddle's programs print for steps, and what their times are means of.

The programs are PaddleClas, PaddleNLP, PaddleSeg, PaddleDetection, PaddleOCR, PLSC, and those of
PaddlePaddle/models before them. A time is that of the printed step, the mean since the line before, or, in
PaddleClas, the mean since the fifth step of the epoch: two such means give the time of the steps between
them.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.core.model import FloatArray, IntArray
from reportgen.formats.parsing.line_format import Setting, StepLine, since_line_before
from reportgen.formats.parsing.line_patterns import regex
from reportgen.formats.parsing.text_log import Records


@dataclass(frozen=True, slots=True, eq=False)
class RunningMean(StepLine):
    """A line with the mean of the epoch so far.

    reset  printed number of the step with which the mean begins again, without the slow ones before it
    """

    reset: int = 5

    def undone(self, mean: FloatArray, records: Records) -> tuple[FloatArray, IntArray]:
        """Return the time of all steps since the line before, and their number.

        Before the reset, the mean still contains the epoch before: only the first epoch has one there.
        """
        printed, epoch = records.integers("step"), records.integers("epoch")
        is_reset: NDArray[np.bool_] = printed >= self.reset
        done = np.where(is_reset, printed - self.reset + 1, self.position(records))
        time, span = since_line_before(mean, done, 2 * epoch + is_reset)
        return np.where(is_reset | (epoch == epoch[0]), time, np.nan), span


_PASS = "[Pass {epoch:int}, train batch {step:int}]{..}"
_EPOCH = "epoch:{epoch:int}  {..20}train step:{step:int}{..}"
_COMMA = "epoch:{epoch:int}  , train step:{step:int}{..20},{..}"
_COSTS = "batch_cost: {step_time_s} s, reader_cost: {data_loading_time_s} s, ips: {ips} {unit:word}/s"
_SEGMENTATION = (
    "[TRAIN] epoch: {:int}, iter: {step:int}/{:int},{..}"
    "batch_cost: {step_time_s}, reader_cost: {data_loading_time_s}"
)
# `total` and `tobal` are PaddleNLP's static graph.
_GLOBAL = r"(?:global|total|tobal) step:? {step:int}(?:, epoch: {:int}, batch: {:int}| / {:int}),{..}"
_SPEED = r"speed: {steps_per_second} step"

# The time of the printed step alone.
_SINGLE = (
    _PASS + "elapse {step_time_s} sec",
    _EPOCH + "elapse: {step_time_s} reader : {data_loading_time_s}",
)
_IMAGES_FROM_0 = (
    _PASS + "batch_cost {step_time_s} sec, reader_cost {data_loading_time_s} sec, ips {ips} {unit:word}/s",
    "ppdet.engine{..20} INFO: Epoch: [{epoch:int}] [{..8}{step:int}/{:int}] learning_rate: {} {..900}"
    "batch_cost: {step_time_s} data_cost: {data_loading_time_s} ips: {ips} {unit:word}/s",
    "root INFO: epoch: [{:int}/{:int}], iter: {step:int},{..900}reader_cost: {data_loading_time_s} s, "
    "batch_cost: {step_time_s} s, samples: {:int}, ips: {ips}",
    "Pass:{epoch:int} batch:{step:int} {..}qps:{images_per_second}",
)
_IMAGES_FROM_1 = (
    _SEGMENTATION + ", ips: {ips} {unit:word}/s",
    _SEGMENTATION.replace(": ", "="),
    "ppocr INFO: epoch: [{:int}/{:int}], global_step: {step:int},{..900}"
    "avg_reader_cost: {data_loading_time_s} s, avg_batch_cost: {step_time_s} s, avg_samples: {samples}, "
    "ips: {ips} {unit:word}/s",
)
_SEQUENCES = (
    (
        b" sec, avg_batch_cost: ",
        _GLOBAL + r"avg_reader_cost: {data_loading_time_s} sec, avg_batch_cost: {step_time_s} sec, "
        r"avg_samples: {samples}, ips: {ips} {unit:word}/s",
    ),
    (b" step/s, ips: ", _GLOBAL + _SPEED + "/s, ips: {ips} {unit:word}/s"),
    (b"speed: ", _GLOBAL + _SPEED),
    (
        b" steps/s",
        r"epoch: {:int}, progress: {:int}/{:int}, step: {step:int},{..}speed: {steps_per_second} steps/s",
    ),
)
# The tokens are those of all steps since the line before.
_STEP_INDEX = r"step_idx: {step:int}, epoch: {:int}, batch: {:int},{..}"
_WORDS = (
    _STEP_INDEX + r"batch_cost: {step_time_s} sec,(?: reader_cost: {data_loading_time_s} sec,)?{..80}"
    r"tokens: (?P<tokens>[0-9]{1,15}), ips: {ips} {unit:word}/s",
    _STEP_INDEX + r"speed: {steps_per_second} step/s{..80}(?:ips|words speed): {ips} {unit:word}/s",
    _STEP_INDEX + r"speed: {steps_per_second} step/s",
)
LINES = (
    *(StepLine.like(form, first=0, is_single=True) for form in _SINGLE),
    RunningMean.like(_COMMA + _COSTS, first=0, reset=10),
    RunningMean.like(_EPOCH + _COSTS, first=None),
    RunningMean.like(_EPOCH + "elapse: {step_time_s}s{..20}ips: {ips} {unit:word}/s", first=None),
    RunningMean.like(
        "[Train][Epoch {epoch:int}/{:int}][Iter: {step:int}/{:int}]{..}"
        "batch_cost: {step_time_s}s, reader_cost: {data_loading_time_s}, ips: {ips} {unit:word}/s",
        first=0,
    ),
    *(StepLine.like(form, first=0) for form in _IMAGES_FROM_0),
    *(StepLine.like(form) for form in _IMAGES_FROM_1),
    *(StepLine(literal, form, factors={"item": "sequence"}) for literal, form in _SEQUENCES),
    *(StepLine(b"step_idx: ", form, first=0, factors={"item": "word"}) for form in _WORDS),
)

# How many ranks a run has, as the launcher, the communicator and PaddleClas print it.
SETTINGS = (
    Setting(b"PADDLE_TRAINERS_NUM", r"PADDLE_TRAINERS_NUM[ \t=:]{1,60}{devices:positive}\b"),
    Setting.like("init nccl context nranks: {devices:positive}"),
    Setting.like("But the number of gpu is {devices:positive} in current training"),
)

# A trainer of a parameter server prints one line in an epoch.
EPOCH = regex(r"Epoch: {epoch:int}, using time:? {time} second, ips:? {ips} {unit:word}/s")
