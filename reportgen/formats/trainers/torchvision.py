"""Read the MetricLogger of torchvision's references and its many copies (DeiT, MAE, SSD of MLPerf, ...).

`img/s` is that of the latest iteration, without its wait for data, and is not read.

Format: https://github.com/pytorch/vision, references/classification/utils.py (MetricLogger.log_every).
"""

import re
from dataclasses import replace

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.formats.base import Claim
from reportgen.formats.parsing.embedded_lines import EPOCH, METRIC_LOGGER
from reportgen.formats.parsing.line_format import LineFormat, LineRun, head
from reportgen.formats.parsing.line_patterns import regex
from reportgen.formats.parsing.run_builder import known
from reportgen.formats.parsing.text_log import positive
from reportgen.sources.logfiles import LogFiles

_CLOSING = regex(EPOCH + r" Total time: [0-9:, days]{7,30} \({time} s / it\)")
_ARGUMENTS = b"Namespace("
_MAX_ARGUMENT_BYTES = 20000
_ARGUMENT = lazy_pattern(rb"\b(batch_size|world_size|amp|model|distributed)=('[^']{1,80}'|[^,)\s]{1,40})")
# DINO prints a line for each, DINOv2 those of its configuration.
_LISTED = lazy_pattern(rb"^ {0,8}(arch|batch_size_per_gpu|world_size): ([\w.-]{1,80})$", re.MULTILINE)
_RENAMED = {b"arch": b"model", b"batch_size_per_gpu": b"batch_size"}


def _build(run: LineRun) -> None:
    records = run.records
    _describe(run)
    run.measure()
    closing = run.log.records(_CLOSING, b" s / it)")
    run.last = max(run.last, int(closing.end.max(initial=0)))
    epochs = records.columns.get("epoch", (None,) * len(records))
    lengths = dict(zip(epochs, records.integers("steps_per_epoch").tolist(), strict=True))
    for i, mean in enumerate(closing.floats("time").tolist()):
        original, steps = f"{closing.text('time', i)} s / it", lengths.get(closing.columns["epoch"][i], 0)
        run.add_aggregate("step_time", mean, original, "mean", steps, int(closing.line[i]))


def _describe(run: LineRun) -> None:
    printed = _arguments(run.log.content)
    if model := printed.get(b"model"):
        run.factors["model"] = model.decode("utf-8", "replace")
    if printed.get(b"amp") == b"True":
        run.factors["precision"] = "amp"
    batch, world = (
        positive(printed.get(name, b"").decode("latin-1")) for name in (b"batch_size", b"world_size")
    )
    # Without the distributed mode the option world_size is its default and means nothing.
    if printed.get(b"distributed") == b"False" or b"Not using distributed mode" in run.log.content:
        world = 1
    run.factors |= known({"batch_size": batch, "devices": world})
    run.samples_per_step = float(batch * world) if batch and world else None


def _arguments(content: bytes) -> dict[bytes, bytes]:
    at = content.find(_ARGUMENTS)
    if at >= 0:
        # MAE writes every argument in a line of its own.
        written = content[at : at + _MAX_ARGUMENT_BYTES].partition(b")\n")[0]
        return {name: value.strip(b"'\"") for name, value in _ARGUMENT.findall(written)}
    return {_RENAMED.get(name, name): value for name, value in _LISTED.findall(content[:_MAX_ARGUMENT_BYTES])}


def _refine(files: LogFiles, claim: Claim | None) -> Claim | None:
    """Return a claim that is less sure of the lines inside an MLPerf log."""
    is_mlperf = claim is not None and b":::MLLOG" in files.head(files.path)
    return replace(claim, confidence=0.6) if claim and is_mlperf else claim


FORMAT = LineFormat(
    "torchvision",
    "Training logs of torchvision's references and other users of its MetricLogger.",
    lines=METRIC_LOGGER.lines,
    factors={"framework": "torchvision", "item": "image"},
    build=_build,
    confidence=0.9,
    refine=_refine,
    heads=(
        head(
            b"Creating data loaders", r"^Creating data loaders\r?\n(?:[^\n]{0,200}\n){0,3}?Creating model\r?$"
        ),
    ),
).format()
