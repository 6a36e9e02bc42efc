"""Read the logs of NVIDIA's SSD in benchmark mode: `Done benchmarking. Total images: ...  Median
images/sec: 61.966`.

A file becomes one Run without steps: every rank prints its own summary of them. Which figure is the
job's changed: in logs without units behind the DLL values (and without DLL lines) a rank's figures are
its own and `Training performance` is their total; where the unit is printed the figures are the job's
already, and `Training performance` is as many times too big as there are ranks. Both are medians over
steps.

Format: https://github.com/NVIDIA/DeepLearningExamples, PyTorch/Detection/SSD.
"""

import re
from collections.abc import Iterator

from reportgen.core.model import Finding, Run
from reportgen.formats.base import Claim, Format
from reportgen.formats.nvidia_dle.dledraft import Draft
from reportgen.formats.nvidia_dle.dlelog import Log, claim
from reportgen.formats.parsing.step_series import number
from reportgen.sources.logfiles import LogFiles

_NAME = "ssd"
_HEAD = re.compile(
    rb"Done benchmarking\. Total images: [0-9]+\ttotal time: |DLL [0-9 :.-]{26} - PARAMETER dataset path : |"
    rb"Training performance = [0-9.]+ FPS"
)
_RANK = re.compile(
    rb"Done benchmarking\. Total images: ([0-9]+)\ttotal time: [0-9.]+\tAverage images/sec: [0-9.]+"
    rb"\tMedian images/sec: ([0-9.]{1,20})"
)
_JOB = re.compile(rb"Training performance = ([0-9.]{1,20}) FPS")
_BATCH = re.compile(rb"(?:(?<=PARAMETER )|(?<=  ))batch size : ([0-9]{1,9})")
_HALF = re.compile(rb"precision : (amp|fp16|fp32)\b")
_UNIT = b" images/s med_img/sec : "
_LITERALS = (b"Done benchmarking. Total images: ", b"PARAMETER dataset path : ", b"Training performance = ")
_HINT = b"https://download.pytorch.org/models/resnet50"


def claims(files: LogFiles) -> Claim | None:
    """Claim a file with the summary of a rank, or with SSD's settings as DLLogger prints them."""
    return claim(files, 0.9, _HEAD, *_LITERALS, hint=_HINT)


def read(files: LogFiles) -> Iterator[Run | Finding]:
    """Yield the run of the file."""
    log = Log(files)
    draft = Draft(log, _NAME)
    draft.factors |= {"model": "SSD", "item": "image"}
    batch = log.first(_BATCH, b"batch size : ")
    draft.batch_size = int(batch[1]) if batch else None
    half = log.first(_HALF, b"precision : ")
    draft.set_precision(half[1] != b"fp32" if half else None)
    draft.settle()
    total = log.last(_JOB, b"Training performance = ")
    ranks = log.last(_RANK, b"Done benchmarking. Total images: ")
    final, value = (ranks, 2) if ranks and (not total or log.content.rfind(_UNIT) >= 0) else (total, 1)
    draft.has_result = final is not None
    if final:
        draft.aggregate(number(final[value]), final[0], "median", final.start())
    yield draft.run()


FORMAT = Format(_NAME, "Logs of NVIDIA's SSD in benchmark mode.", claims, read, marks=(*_LITERALS, _HINT))
