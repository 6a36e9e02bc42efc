"""Read logs of NVIDIA's SSD in benchmark mode: `Done benchmarking. ...  Median images/sec: 61.966`.

A file becomes one Run without steps: every rank prints a summary of its steps. Logs differ in which number
is that of the job. If the DLL values have no units (or there are no DLL lines), a rank prints its own rate
and `Training performance` is the sum. If the DLL values have units, a rank prints the rate of the job, and
`Training performance` is too large by the number of ranks. Both are medians over steps.

Format: https://github.com/NVIDIA/DeepLearningExamples, PyTorch/Detection/SSD.
"""

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.formats.nvidia_dle.examples import BESIDE, add_final, example, set_batch, set_precision
from reportgen.formats.parsing.run_builder import RunBuilder
from reportgen.formats.parsing.several_runs import StepPlaces, result_places
from reportgen.formats.parsing.text_log import NUMBER, TextLog, TextSign

_HEAD = lazy_pattern(
    rb"Done benchmarking\. Total images: [0-9]+\ttotal time: |DLL [0-9 :.-]{26} - PARAMETER dataset path : |"
    rb"Training performance = [0-9.]+ FPS"
)
_RANK = lazy_pattern(
    rb"Done benchmarking\. Total images: [0-9]+\ttotal time: [0-9.]+\tAverage images/sec: [0-9.]+"
    rb"\tMedian images/sec: (" + NUMBER + rb")"
)
_JOB = lazy_pattern(rb"Training performance = (" + NUMBER + rb") FPS")
_UNIT = b" images/s med_img/sec : "
# A progress bar of this download can fill the first megabytes.
_DOWNLOAD = b"https://download.pytorch.org/models/resnet50"
_MAX_HEAD_BYTES = 4 * 2**20


def _build(run: RunBuilder) -> None:
    log = run.log
    job = log.last(_JOB, b"Training performance = ")
    rank = log.last(_RANK, b"Done benchmarking. Total images: ")
    set_precision(run, log.word(b"precision : "))
    batch_size = log.count(b"PARAMETER batch size : ", b"  batch size : ")
    run.samples_per_step = set_batch(run, None, batch_size=batch_size)
    add_final(run, rank if rank and (not job or log.content.rfind(_UNIT) >= 0) else job, "median")


def _places(log: TextLog) -> StepPlaces:
    return result_places(log, _JOB)


FORMAT = example(
    "ssd",
    "Logs of NVIDIA's SSD in benchmark mode.",
    (b"Done benchmarking. Total images: ", b"PARAMETER dataset path : ", b"Training performance = "),
    _HEAD,
    _build,
    _places,
    TextSign((_DOWNLOAD,), _HEAD, 0.9, BESIDE, _MAX_HEAD_BYTES),
    model="SSD",
    item="image",
)
