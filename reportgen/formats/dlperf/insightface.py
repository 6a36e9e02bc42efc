"""Read the logs of InsightFace's arcface_torch: `Training: <time>-Speed 3262.77 samples/sec   Loss ...`.

A file becomes one Run. The speed is that of all GPUs since the line before, and times come from the lines'
stamps. Verification stands between two lines: its own lines name the step behind which it was done, and that
is a break. The settings printed first give batch size, and by the batch of all GPUs their number.

Format: deepinsight/insightface, recognition/arcface_torch (utils_callbacks.py, utils_logging.py).
"""

import re
from collections.abc import Iterator

from reportgen.core.model import Break, Finding, Run
from reportgen.formats.base import Claim, Format
from reportgen.formats.parsing.run_builder import RunBuilder, once, per_device, spans
from reportgen.formats.parsing.text_log import COUNT, NUMBER, STAMP, TextLog, claim
from reportgen.sources.logfiles import LogFiles

_NAME = "insightface"
_MARK = b" samples/sec   Loss "
_LINE = re.compile(
    rb"Training: (?P<stamp>" + STAMP + rb")-Speed (?P<rate>" + NUMBER + rb")" + _MARK + rb"[^\r\n]{1,80}?"
    rb"Epoch: [0-9]{1,6}   Global Step: (?P<step>" + COUNT + rb") "
)
_SETTING = re.compile(
    rb"^Training: "
    + STAMP
    + rb"-: (batch_size|total_batch_size|network|fp16) {1,30}([\w.-]{1,40})[ \t]*\r?$",
    re.MULTILINE,
)
_VERIFIED = re.compile(rb"^Training: " + STAMP + rb"-\[\w{1,40}\]\[([0-9]{1,12})\]Accuracy", re.MULTILINE)


def claims(files: LogFiles) -> Claim | None:
    """Claim a file with a line of training."""
    return claim(files, _MARK, _LINE, 0.95)


def read(files: LogFiles) -> Iterator[Run | Finding]:
    """Yield the run of the file."""
    log = TextLog(files)
    records = log.records(_LINE, _MARK, "not a whole line of training")
    records = records.take(once(records.integers("step")))
    run = RunBuilder(log, _NAME, records.integers("step"), records.line)
    run.factors.update(framework="PyTorch", item="image")
    _describe(run)
    if len(records):
        run.last = int(records.end[-1])
        steps = sorted({int(found[1]) for found in _VERIFIED.finditer(log.content)})
        run.breaks = tuple(Break(step, "evaluation") for step in steps)
        run.add_stamps(records.seconds("stamp"))
        run.add("throughput", records.floats("rate"), "printed", span=spans(run.step))
    yield run.run()


FORMAT = Format(_NAME, "Training logs of InsightFace's arcface_torch.", claims, read, marks=(_MARK,))


def _describe(run: RunBuilder) -> None:
    said = {name.decode(): value.decode() for name, value in _SETTING.findall(run.log.content)}
    counts = {name: int(text) for name, text in said.items() if text.isdecimal() and len(text) < 10}
    batch, whole = counts.get("batch_size", 0), counts.get("total_batch_size", 0)
    if batch and whole and whole % batch == 0:
        run.factors |= per_device(float(whole), whole // batch)
        run.samples_per_step = float(whole)
    elif batch:
        run.factors["batch_size"] = batch
    if "network" in said:
        run.factors["model"] = said["network"]
    if said.get("fp16") in ("True", "False"):
        run.factors["precision"] = "amp" if said["fp16"] == "True" else "fp32"
