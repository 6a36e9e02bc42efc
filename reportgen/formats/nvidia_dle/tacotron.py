"""Read logs of Tacotron 2 and WaveGlow: `DLL ... - (0, 4) train_items_per_sec : 31702.50 items/s`.

A file becomes one Run. Records with (epoch, iteration) are steps; `(0,)` sums up an epoch and `()` the run,
and both repeat the last number, so they are not steps. Older versions print NVLOG (see nvlog).

Both programs count mel frames or audio samples, not utterances. A step is a batch of utterances whose number
of frames differs, so throughput is measured in utterances from the timestamps of the steps, and the printed
rates are another metric, `item_rate`: throughput has one meaning in a run. A run with few steps has only the
final number of the program; it counts items, as the factor `item` says. A run that was killed has no final
number: its last rate is that of a step of the warm-up.

Format: https://github.com/NVIDIA/DeepLearningExamples, PyTorch/SpeechSynthesis/Tacotron2.
"""

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.model import FloatArray
from reportgen.formats.nvidia_dle.dllogger_records import set_steps, text_steps
from reportgen.formats.nvidia_dle.examples import add_throughput, example, set_batch, set_precision
from reportgen.formats.parsing.run_builder import RunBuilder
from reportgen.formats.parsing.several_runs import StepPlaces
from reportgen.formats.parsing.text_log import NUMBER, STAMP, TextLog

_SETTINGS = lazy_pattern(
    rb"DLLL? " + STAMP + rb" - (?:PARAMETER model_name : (?:Tacotron2|WaveGlow)"
    rb"|\([0-9]+, [0-9]+\) (?:glob_iter/iters_per_epoch|train_items_per_sec))"
)
_FINAL = lazy_pattern(rb" - \((?:[0-9]+,(?: [0-9]+)?)?\) train_items_per_sec : (" + NUMBER + rb")(?![0-9.])")
_MARKS = (b"model_name", b"glob_iter", b"train_items_per_sec")
# The steps of a usual warm-up: no more than these give no rate.
_MIN_STEPS = 20


def _build(run: RunBuilder) -> None:
    log = run.log
    run.has_result = log.content.rfind(b" - () run_time : ") >= 0
    run.factors["model"] = log.word(b" - PARAMETER model_name : ")
    # Lambda's launcher lost the option: most of its folders `_FP16` hold logs of single precision.
    set_precision(run, log.word(b" - PARAMETER amp : "))
    devices, batch_size = log.count(b" - PARAMETER world_size : "), log.count(b" - PARAMETER batch_size : ")
    global_batch = set_batch(run, devices, batch_size=batch_size)
    steps = text_steps(log, b"train_items_per_sec")
    set_steps(run, steps)
    final = log.last(_FINAL, b") train_items_per_sec : ")
    add_items(run, global_batch, steps.t, steps.rate, (final[1], final.start()) if final else None)


def _places(log: TextLog) -> StepPlaces:
    return text_steps(log, b"train_items_per_sec").places


FORMAT = example("tacotron", "Logs of NVIDIA's Tacotron 2 and WaveGlow.", _MARKS, _SETTINGS, _build, _places)


def add_items(
    run: RunBuilder,
    global_batch: float | None,
    t: FloatArray,
    rate: FloatArray,
    final: tuple[bytes, int] | None,
) -> None:
    """Add steps and final number of a run, whose records are set.

    t      timestamps (s) of the records
    rate   items/s of each step
    final  the last rate that the program printed (items/s), and its offset
    """
    has_rate = len(run.step) > _MIN_STEPS and global_batch is not None
    run.factors["item"] = "utterance" if has_rate else "item"
    if has_rate:
        run.samples_per_step = global_batch
    run.add_stamps(t, run.samples_per_step)
    run.breaks = ()
    run.add("item_rate", rate, "printed")
    if final and not has_rate and run.has_result:
        value, at = final
        add_throughput(run, float(value), value + b" items/s", "mean", at)
