"""Read the logs of InsightFace's arcface_torch: `Training: <time>-Speed 3262.77 samples/sec   Loss ...`.

The speed is that of all GPUs since the line before. A verification between two lines is a break; its own
lines name the step after which it was done.

Format: deepinsight/insightface, recognition/arcface_torch (utils_callbacks.py, utils_logging.py).
"""

from collections.abc import Mapping

from reportgen.core.model import Break, FactorValue
from reportgen.formats.parsing.line_format import LineFormat, LineRun, Setting, StepLine, head
from reportgen.formats.parsing.line_patterns import regex

_VERIFIED = regex(r"^Training: {:stamp}-\[\w{1,40}\]\[([0-9]{1,12})\]Accuracy")


def _setting(name: str, group: str, values: Mapping[bytes, FactorValue] | None = None) -> Setting:
    line = rf"^Training: {{:stamp}}-: {name} {{1,30}}{group}[ \t]*\r?$"
    return Setting(f"-: {name} ".encode(), line, values)


def _build(run: LineRun) -> None:
    batch, whole = run.count("batch_size"), run.factors.pop("global_batch_size", 0)
    if batch and isinstance(whole, int) and whole and whole % batch == 0:
        run.factors["devices"] = whole // batch
        run.set_batch(whole)
    steps = sorted({int(match[1]) for match in _VERIFIED.finditer(run.log.content)})
    run.breaks = tuple(Break(step, "evaluation") for step in steps)
    run.measure()


FORMAT = LineFormat(
    "insightface",
    "Training logs of InsightFace's arcface_torch.",
    lines=(
        StepLine(
            b" samples/sec   Loss ",
            r"Training: {timestamp:stamp}-Speed {images_per_second} samples/sec   Loss [^\r\n]{1,80}?"
            r"Epoch: [0-9]{1,6}   Global Step: {step:int} ",
            damage="not a whole line of training",
        ),
    ),
    factors={"framework": "PyTorch", "item": "image"},
    settings=(
        _setting("batch_size", "{batch_size:positive}"),
        _setting("total_batch_size", "{global_batch_size:positive}"),
        _setting("network", r"(?P<model>[\w.-]{1,40})"),
        _setting("fp16", r"(?P<precision>[\w.-]{1,40})", {b"True": "amp", b"False": "fp32"}),
    ),
    build=_build,
    heads=(head(b"Training: ", r"^Training: {:stamp}-: (?:batch_size|network|embedding_size) {1,40}\S"),),
).format()
