"""Read the MetricLogger of torchvision's references and its many copies (DeiT, MAE, SSD of MLPerf, ...).

`Epoch: [0]  [  40/4572]  eta: 0:08:33  ...  time: 0.1131  data: 0.1033  max mem: 20006`: a file becomes one
Run. `time` and `data` are means of the last 20 iterations whatever the print interval, so each line is an
interval of up to 20 steps; where lines are closer than that they overlap, and the protocol takes every
second. `img/s` is of the latest iteration, without its wait for data, and is not read.

Format: https://github.com/pytorch/vision, references/classification/utils.py (MetricLogger.log_every).
"""

import re
from collections.abc import Iterator

import numpy as np

from reportgen.formats.fragments.steprun import StepRun, epoch_breaks, in_epochs, once
from reportgen.formats.fragments.textlog import COUNT, NUMBER, Records, TextLog, claim
from reportgen.logfiles import Claim, Format, LogFiles
from reportgen.model import Finding, Run

_NAME = "torchvision"
# What SmoothedValue averages over by default.
_WINDOW = 20
_LINE = re.compile(
    rb"Epoch: \[(?P<epoch>[0-9]{1,6})\] {1,9}\[ {0,9}(?P<at>"
    + COUNT
    + rb")/(?P<of>"
    + COUNT
    + rb")\] {1,9}eta: "
    rb"[^\n]{5,2000}?  time: (?P<time>"
    + NUMBER
    + rb")  data: (?P<data>"
    + NUMBER
    + rb")(?=\s)(?:  max mem: (?P<memory>"
    + COUNT
    + rb"))?"
)
_CLOSING = re.compile(
    rb"Epoch: \[(?P<epoch>[0-9]{1,6})\] Total time: [0-9:, days]{7,30} \((?P<time>" + NUMBER + rb") s / it\)"
)
_ARGUMENTS = b"Namespace("
_LONGEST = 20000
_ARGUMENT = re.compile(rb"\b(batch_size|world_size|amp|model|distributed)=('[^']{1,80}'|[^,)\s]{1,40})")


def claims(files: LogFiles) -> Claim | None:
    """Claim a file with a line of a training epoch; less sure of one that is an MLPerf log around it."""
    is_mlperf = not files.is_folder and b":::MLLOG" in files.head(files.path)
    return claim(files, b"  data: ", _LINE, 0.6 if is_mlperf else 0.9)


def read(files: LogFiles) -> Iterator[Run | Finding]:
    """Yield the run of the file."""
    log = TextLog(files)
    every = log.records(_LINE, b"  data: ")
    step = in_epochs(every.integers("epoch"), every.integers("at") + 1, every.integers("of"))
    found = every.take(once(step))
    run = StepRun(log, _NAME, step[once(step)], found.line, int(every.end[-1]) if len(every) else 0)
    run.factors.update(framework="torchvision", item="image")
    _describe(run, log)
    _measure(run, found)
    closing = log.records(_CLOSING, b" s / it)")
    lengths = dict(zip(found.integers("epoch").tolist(), found.integers("of").tolist(), strict=True))
    for i, (epoch, mean) in enumerate(
        zip(closing.integers("epoch").tolist(), closing.floats("time").tolist(), strict=True)
    ):
        run.add_aggregate(
            "step_time",
            mean,
            f"{closing.text('time', i)} s / it",
            "mean",
            lengths.get(epoch, 0),
            int(closing.line[i]),
        )
    run.last = max(run.last, int(closing.end[-1]) if len(closing) else 0)
    yield run.run()


FORMAT = Format(_NAME, claims, read, marks=(b"  data: ",))


def _measure(run: StepRun, found: Records) -> None:
    epoch, at = found.integers("epoch"), found.integers("at")
    covered = np.minimum(at + 1, _WINDOW)
    run.breaks = epoch_breaks((run.step - at - 1)[1:][np.diff(epoch) != 0].tolist())
    samples = run.work(covered)
    run.add("step_time", found.floats("time") * covered, "host", span=covered, samples=samples)
    run.add("step_time", found.floats("data") * covered, "host", phase="data_loading", span=covered)
    run.add("memory_used", found.floats("memory") * 2**20, "printed", span=covered)


def _describe(run: StepRun, log: TextLog) -> None:
    at = log.content.find(_ARGUMENTS)
    if at < 0:
        return
    arguments = log.content[at : at + _LONGEST].partition(b"\n")[0]
    said = {name: value.strip(b"'\"") for name, value in _ARGUMENT.findall(arguments)}
    if model := said.get(b"model"):
        run.factors["model"] = model.decode("utf-8", "replace")
    if said.get(b"amp") == b"True":
        run.factors["precision"] = "amp"
    batch, world = (
        int(text) if re.fullmatch(COUNT, text := said.get(name, b"")) else 0
        for name in (b"batch_size", b"world_size")
    )
    # Without the distributed mode the option world_size is its default and means nothing.
    if said.get(b"distributed") == b"False" or b"Not using distributed mode" in log.content:
        world = 1
    run.factors.update({name: value for name, value in (("batch_size", batch), ("devices", world)) if value})
    if batch and world:
        run.samples_per_step = float(batch * world)
