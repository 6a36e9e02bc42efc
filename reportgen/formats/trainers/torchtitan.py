"""Read the log lines of torchtitan: `step: 210  loss: ...  memory: ...  tps: 5,593  ...`.

Step times come from the timestamps (ms). `tps`, `wps` before 2024-11, is the rate of one device.

Format: https://github.com/pytorch/torchtitan, torchtitan/components/metrics.py.
"""

import math

import numpy as np

from reportgen.core.model import Break
from reportgen.formats.parsing.line_format import LineFormat, LineRun, Setting, StepLine
from reportgen.formats.parsing.line_patterns import regex
from reportgen.formats.parsing.run_builder import once
from reportgen.formats.parsing.text_log import TextSign

_VALIDATION = regex("validate step: {1,9}{step:int}")
# The mesh line is the surest; a launcher's own settings may not be those in use.
_MESH = regex(
    r"Building (?:[0-9]-D device mesh with \[[^\]\n]{0,200}\], \[(?P<sizes>[0-9, ]{1,80})\]"
    r"|device mesh with parallelism: (?P<degrees>[a-z_]{1,20}=[0-9]{1,9}(?:, [a-z_]{1,20}=[0-9]{1,9}){0,9}))"
)
_DEGREE = regex(r"\b(?:pp|dp_replicate|dp_shard|cp|tp)=([0-9]{1,9})")
_STARTED = regex("Training starts at step {step:int}")
_LOGGER = regex(r"\[titan\] {:stamp} - [\w.]{1,40} - [A-Z]{4,8} - [^\n]{0,100}")


def _build(run: LineRun) -> None:
    if mesh := run.log.search(_MESH, b"device mesh with "):
        texts = mesh["sizes"].split(b",") if mesh["sizes"] else _DEGREE.findall(mesh["degrees"])
        # Experts are spread over devices that the other degrees count already.
        devices = math.prod(int(size) for size in texts if size.strip())
        run.factors["devices"] = devices if texts and 1 <= devices < 2**31 else 0
    if not run.count("devices"):
        run.factors.pop("devices", None)
    tokens, batch = run.samples_per_step, run.count("global_batch_size")
    run.set_batch(batch)
    run.samples_per_step = tokens or float(batch * run.count("seq_len")) or None
    run.breaks = (*_evaluations(run), *_restarts(run))
    run.measure()


def _evaluations(run: LineRun) -> list[Break]:
    """Return the validations after a step, with their durations."""
    validated = run.log.records(_VALIDATION, b"validate step:")
    validated = validated.take(once(validated.integers("step")))
    if not len(validated):
        return []
    time = run.log.stamps(np.concatenate((run.records.begin, validated.begin))).tolist()
    printed = dict(zip(run.step.tolist(), time, strict=False))
    ended = zip(validated.integers("step").tolist(), time[len(run.records) :], strict=True)
    return [Break(step, "evaluation", at - printed[step]) for step, at in ended if step in printed]


def _restarts(run: LineRun) -> list[Break]:
    """Return a break after the last step before each line of a process that resumes from a checkpoint."""
    started = run.log.records(_STARTED, b"Training starts at step ")
    before = np.searchsorted(run.records.begin, started.begin[started.integers("step") > 1])
    return [Break(int(run.step[:end].max()), "restart") for end in np.unique(before[before > 0])]


FORMAT = LineFormat(
    "torchtitan",
    "Training logs of torchtitan.",
    lines=(
        StepLine(
            b"GiB(",
            r"step: (?<!validate step: ) {0,8}{step:int}  loss: {1,9}{:loss}"
            r"(?:  [a-z_]{1,30}: {1,9}{}){0,8}  memory: {1,9}{memory_used_GiB}GiB\([^)\n]{1,12}\)"
            r"  (?:tps|wps): {1,9}{tokens_per_second_per_device:commas}(?=\s)",
            is_dated=True,
        ),
    ),
    factors={"framework": "torchtitan", "item": "token"},
    settings=(
        Setting.like("local batch size {micro_batch_size:int}, global batch size {global_batch_size:int}"),
        Setting.like("sequence length {seq_len:int}"),
        Setting.like("{samples_per_step:int} tokens per train step"),
        Setting(b"WORLD_SIZE", r"\bWORLD_SIZE[=: ]{1,3}{devices:int}"),
        Setting(
            b" capacity: ", r"[A-Z]{2,6} capacity: (?P<device>[^\n]{1,60}?)(?: \([0-9]{1,3}\))? with [0-9]"
        ),
        Setting(b" total parameters", r"Model (?P<model>[\w.-]{1,40} [\w.-]{1,40}) size: [0-9]"),
        Setting(b"Building ", r"Building (?P<model>(?!device mesh)[\w.-]{1,40} [\w.-]{1,40}) with "),
    ),
    build=_build,
    signs=(TextSign((b"[titan]",), _LOGGER, 0.8),),
).format()
