"""Read the lines of torchvision's MetricLogger, wherever they stand: alone or inside a log of MLPerf.

`Epoch: [0]  [  40/4572]  eta: 0:08:33  ...  time: 0.1131  data: 0.1033  max mem: 20006`: `time` and `data`
are means of the last 20 iterations whatever the print interval, so each line is an interval of up to 20
steps; where lines are closer than that they overlap, and the protocol takes every second.

Format: https://github.com/pytorch/vision, references/classification/utils.py (MetricLogger.log_every).
"""

import re
from dataclasses import replace

import numpy as np

from reportgen.formats.parsing.run_builder import RunBuilder, epoch_breaks, in_epochs, once
from reportgen.formats.parsing.text_log import COUNT, NUMBER, Records, TextLog

PROBE = b"  data: "
# What SmoothedValue averages over by default.
_WINDOW = 20
# Copies evaluate under the same word: "Val Epoch: [0]", "Test epoch: [0/9]", "Eval: data epoch: [0]".
_NO_EVALUATION = b"".join(
    b"(?<!" + name + joint + rb"epoch: \[)"
    for name in (b"eval", b"evaluation", b"test", b"val", b"valid", b"validation")
    for joint in (b" ", b": ", b": data ")
)
# Copies write "Train: data epoch: [0]" (LAVIS) or "Epoch: [0/100]" (DINO).
EPOCH = rb"poch: \[(?i:" + _NO_EVALUATION + rb")(?P<epoch>[0-9]{1,6})(?:/[0-9]{1,6})?\]"
_REST = (
    rb" {1,9}\[ {0,9}(?P<at>" + COUNT + rb")/(?P<of>" + COUNT + rb")\] {1,9}eta: "
    # Detectors print hundreds of meters in a line; what is passed over ends where a line could begin anew.
    rb"(?:[^\n[ ]++|\[(?! {0,9}[0-9]{1,15}/)| (?! time: "
    + NUMBER
    + rb"  data: ))*+  time: (?P<time>"
    + NUMBER
    + rb")  data: (?P<data>"
    + NUMBER
    + rb")(?=\s)(?:  max mem: (?P<memory>"
    + COUNT
    + rb"))?"
)
LINE = re.compile(EPOCH + _REST)
# DINOv2 knows no epochs: all of the training is one.
WITHOUT_EPOCHS = re.compile(rb"\bTraining" + _REST)


def step_run(log: TextLog, format: str) -> tuple[RunBuilder, Records]:
    """Return a run of the steps of all training epochs, without series yet, and the records of its steps."""
    every = log.records(LINE, PROBE)
    if not len(every):
        every = log.records(WITHOUT_EPOCHS, PROBE)
        every = replace(every, columns={**every.columns, "epoch": (b"0",) * len(every)})
    step = in_epochs(every.integers("epoch"), every.integers("at") + 1, every.integers("of"))
    found = every.take(once(step))
    return RunBuilder(
        log, format, step[once(step)], found.line, int(every.end[-1]) if len(every) else 0
    ), found


def add_series(run: RunBuilder, found: Records) -> None:
    """Add step time, wait for data and memory; the work is that of `run.samples_per_step`."""
    epoch, at = found.integers("epoch"), found.integers("at")
    covered = np.minimum(at + 1, _WINDOW)
    run.breaks = epoch_breaks((run.step - at - 1)[1:][np.diff(epoch) != 0].tolist())
    samples = run.work(covered)
    run.add("step_time", found.floats("time") * covered, "host", span=covered, samples=samples)
    run.add("step_time", found.floats("data") * covered, "host", phase="data_loading", span=covered)
    run.add("memory_used", found.floats("memory") * 2**20, "printed", span=covered)
