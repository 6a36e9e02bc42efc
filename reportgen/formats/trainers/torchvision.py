"""Read the MetricLogger of torchvision's references and its many copies (DeiT, MAE, SSD of MLPerf, ...).

A file becomes one Run: `time` and `data` of the lines of training epochs, and the mean that closes an epoch.
`img/s` is of the latest iteration, without its wait for data, and is not read.

Format: https://github.com/pytorch/vision, references/classification/utils.py (MetricLogger.log_every).
"""

import re
from collections.abc import Iterator

from reportgen.core.model import Finding, Run
from reportgen.formats.base import Claim, Format
from reportgen.formats.parsing.metric_logger import EPOCH, LINE, PROBE, WITHOUT_EPOCHS, add_series, step_run
from reportgen.formats.parsing.run_builder import RunBuilder
from reportgen.formats.parsing.text_log import COUNT, NUMBER, TextLog, claim
from reportgen.sources.logfiles import LogFiles

_NAME = "torchvision"
_CLOSING = re.compile(EPOCH + rb" Total time: [0-9:, days]{7,30} \((?P<time>" + NUMBER + rb") s / it\)")
_ARGUMENTS = b"Namespace("
_LONGEST = 20000
_ARGUMENT = re.compile(rb"\b(batch_size|world_size|amp|model|distributed)=('[^']{1,80}'|[^,)\s]{1,40})")
# DINO prints a line for each, DINOv2 those of its configuration.
_LISTED = re.compile(rb"^ {0,8}(arch|batch_size_per_gpu|world_size): ([\w.-]{1,80})$", re.MULTILINE)
_RENAMED = {b"arch": b"model", b"batch_size_per_gpu": b"batch_size"}


def claims(files: LogFiles) -> Claim | None:
    """Claim a file with a line of a training epoch; less sure of one that is an MLPerf log around it."""
    is_mlperf = not files.is_folder and b":::MLLOG" in files.head(files.path)
    confidence = 0.6 if is_mlperf else 0.9
    return claim(files, PROBE, LINE, confidence) or claim(files, PROBE, WITHOUT_EPOCHS, confidence)


def read(files: LogFiles) -> Iterator[Run | Finding]:
    """Yield the run of the file."""
    log = TextLog(files)
    run, found = step_run(log, _NAME)
    run.factors.update(framework="torchvision", item="image")
    _describe(run, log)
    add_series(run, found)
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


FORMAT = Format(
    _NAME,
    "Training logs of torchvision's references and other users of its MetricLogger.",
    claims,
    read,
    marks=(b"  data: ",),
)


def _describe(run: RunBuilder, log: TextLog) -> None:
    said = _arguments(log.content)
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


def _arguments(content: bytes) -> dict[bytes, bytes]:
    at = content.find(_ARGUMENTS)
    if at >= 0:
        # MAE writes every argument in a line of its own.
        written = content[at : at + _LONGEST].partition(b")\n")[0]
        return {name: value.strip(b"'\"") for name, value in _ARGUMENT.findall(written)}
    return {_RENAMED.get(name, name): value for name, value in _LISTED.findall(content[:_LONGEST])}
