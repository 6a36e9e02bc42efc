"""Read logs of NVIDIA's SSD in benchmark mode: `Done benchmarking. ...  Median images/sec: 61.966`.

A file becomes one Run without steps: every rank prints a summary of its steps. Logs differ in which number
is that of the job. If the DLL values have no units (or there are no DLL lines), a rank prints its own rate
and `Training performance` is the sum. If the DLL values have units, a rank prints the rate of the job, and
`Training performance` is too large by the number of ranks. Both are medians over steps.

Format: https://github.com/NVIDIA/DeepLearningExamples, PyTorch/Detection/SSD.
"""

import re
from collections.abc import Iterator

from reportgen.core.model import Finding, Run
from reportgen.formats.base import Claim, Format
from reportgen.formats.nvidia_dle.examples import BESIDE, add_throughput, set_batch, set_precision
from reportgen.formats.parsing.run_builder import RunBuilder
from reportgen.formats.parsing.text_log import NUMBER, TextLog, claim
from reportgen.sources.logfiles import LogFiles

_NAME = "ssd"
_HEAD = re.compile(
    rb"Done benchmarking\. Total images: [0-9]+\ttotal time: |DLL [0-9 :.-]{26} - PARAMETER dataset path : |"
    rb"Training performance = [0-9.]+ FPS"
)
_RANK = re.compile(
    rb"Done benchmarking\. Total images: [0-9]+\ttotal time: [0-9.]+\tAverage images/sec: [0-9.]+"
    rb"\tMedian images/sec: (" + NUMBER + rb")"
)
_JOB = re.compile(rb"Training performance = (" + NUMBER + rb") FPS")
_UNIT = b" images/s med_img/sec : "
_LITERALS = (b"Done benchmarking. Total images: ", b"PARAMETER dataset path : ", b"Training performance = ")
# A progress bar of this download can fill the first megabytes.
_DOWNLOAD = b"https://download.pytorch.org/models/resnet50"
_MAX_HEAD_BYTES = 4 * 2**20


def claims(files: LogFiles) -> Claim | None:
    """Claim a file with the summary of a rank, or with the settings that DLLogger prints for SSD."""
    if claimed := claim(files, _LITERALS, _HEAD, 0.9, beside=BESIDE):
        return claimed
    is_long = not files.is_folder and _DOWNLOAD in files.head(files.path)
    return claim(files, _LITERALS, _HEAD, 0.9, size=_MAX_HEAD_BYTES, beside=BESIDE) if is_long else None


def read(files: LogFiles) -> Iterator[Run | Finding]:
    """Yield the run of the file."""
    log = TextLog(files)
    job = log.last(_JOB, b"Training performance = ")
    rank = log.last(_RANK, b"Done benchmarking. Total images: ")
    final = rank if rank and (not job or log.content.rfind(_UNIT) >= 0) else job
    run = RunBuilder(log, _NAME, factors={"model": "SSD", "item": "image"}, has_result=final is not None)
    set_precision(run, log.word(b"precision : "))
    batch_size = log.count(b"PARAMETER batch size : ", b"  batch size : ")
    run.samples_per_step = set_batch(run, None, batch_size=batch_size)
    if final:
        add_throughput(run, float(final[1]), final[0], "median", final.start())
    yield run.run()


FORMAT = Format(_NAME, "Logs of NVIDIA's SSD in benchmark mode.", claims, read, marks=(*_LITERALS, _DOWNLOAD))
