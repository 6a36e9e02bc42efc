"""Read the DLLogger lines of Tacotron 2 and WaveGlow: `DLL ... - (0, 4) train_items_per_sec : 31702.50
items/s`.

A file becomes one Run. Steps are the lines with (epoch, iteration); `(0,)` sums up an epoch and `()` the
run, and both repeat the last figure, so they are no steps. The older form of these programs is NVLOG,
see nvlog.

Format: https://github.com/NVIDIA/DeepLearningExamples, PyTorch/SpeechSynthesis/Tacotron2.
"""

import re
from collections.abc import Iterator

from reportgen.core.model import Finding, Run
from reportgen.formats.base import Claim, Format
from reportgen.formats.nvidia_dle import dllrecords, spectrogram
from reportgen.formats.nvidia_dle.dledraft import Draft
from reportgen.formats.nvidia_dle.dlelog import Log, claim
from reportgen.formats.parsing.step_series import count_on
from reportgen.sources.logfiles import LogFiles

_NAME = "tacotron"
_SETTINGS = re.compile(
    rb"DLLL? " + dllrecords.STAMP + rb" - (?:PARAMETER model_name : (?:Tacotron2|WaveGlow)"
    rb"|\([0-9]+, [0-9]+\) (?:glob_iter/iters_per_epoch|train_items_per_sec))"
)
_WORLD = re.compile(rb" - PARAMETER world_size : ([0-9]{1,6})"), b" - PARAMETER world_size : "
_BATCH = re.compile(rb" - PARAMETER batch_size : ([0-9]{1,9})"), b" - PARAMETER batch_size : "
_MODEL = re.compile(rb" - PARAMETER model_name : ([\w-]{1,40})"), b" - PARAMETER model_name : "
_FINAL = re.compile(rb" - \((?:[0-9]+,(?: [0-9]+)?)?\) train_items_per_sec : (" + dllrecords.NUMBER + rb")")
_HALF = b" - PARAMETER amp : True"
_END = b" - () run_time : "


def claims(files: LogFiles) -> Claim | None:
    """Claim a file with the settings or a step of one of the two programs."""
    return claim(files, 0.9, _SETTINGS, b"model_name", b"glob_iter", b"train_items_per_sec")


def read(files: LogFiles) -> Iterator[Run | Finding]:
    """Yield the run of the file."""
    log = Log(files)
    draft = Draft(log, _NAME)
    draft.factors["item"] = "item"
    model, world, batch = (log.first(*one) for one in (_MODEL, _WORLD, _BATCH))
    if model:
        draft.factors["model"] = model[1].decode()
    draft.devices = int(world[1]) if world else None
    draft.batch_size = int(batch[1]) if batch else None
    # `amp : False` stands in logs of half precision too.
    draft.set_precision(True if log.content.find(_HALF) >= 0 else None)
    draft.settle()
    draft.has_result = log.content.rfind(_END) >= 0
    final = log.last(_FINAL, b") train_items_per_sec : ")
    steps = dllrecords.text_steps(log, b"train_items_per_sec")
    step, breaks = count_on(steps.epoch, steps.iteration)
    spectrogram.add(
        draft, step, steps.t, steps.rate, steps.line, breaks, (final[1], final.start()) if final else None
    )
    yield draft.run()


FORMAT = Format(
    _NAME,
    "Logs of NVIDIA's Tacotron 2 and WaveGlow.",
    claims,
    read,
    marks=(b"model_name", b"glob_iter", b"train_items_per_sec"),
)
