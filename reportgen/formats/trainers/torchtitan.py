"""Read the log lines of torchtitan: `step: 210  loss: ...  memory: ...  tps: 5,593  ...`.

A file becomes one Run. Step times come from the timestamps (ms); `tps` is the rate of one device and is kept
as that, and becomes a rate over all devices only where the log says how many there are. Lines of several
ranks repeat the same steps and count once.

Format: https://github.com/pytorch/torchtitan, torchtitan/components/metrics.py. `tps` was called `wps` before
2024-11.
"""

import re
from collections.abc import Iterator

import numpy as np

from reportgen.core.model import Break, Finding, FloatArray, Run
from reportgen.formats.base import Claim, Format
from reportgen.formats.parsing.run_builder import RunBuilder, once, per_device, spans
from reportgen.formats.parsing.text_log import COUNT, NUMBER, STAMP, Records, TextLog, claim
from reportgen.sources.logfiles import LogFiles

_NAME = "torchtitan"
_COMMAS = rb"[0-9]{1,3}(?:,?[0-9]{3}){0,6}(?:\.[0-9]{1,9})?"
_STEP = re.compile(
    rb"step: (?<!validate step: ) {0,8}(?P<step>"
    + COUNT
    + rb")  loss: {1,9}(?P<loss>"
    + NUMBER
    + rb"|-?nan|-?inf)(?:  [a-z_]{1,30}: {1,9}"
    + NUMBER
    + rb"){0,8}"
    rb"  memory: {1,9}(?P<memory>"
    + NUMBER
    + rb")GiB\([^)\n]{1,12}\)  (?:tps|wps): {1,9}(?P<rate>"
    + _COMMAS
    + rb")(?=\s)"
)
_VALIDATION = re.compile(rb"validate step: {1,9}(?P<step>" + COUNT + rb")")
_ANCHOR = b"GiB("
# The mesh line is the surest; a launcher's own settings may not be those in use.
_BATCH = re.compile(
    rb"local batch size (?P<local>" + COUNT + rb"), global batch size (?P<all>" + COUNT + rb")"
)
_SEQUENCE = re.compile(rb"sequence length (?P<length>" + COUNT + rb")")
_TOKENS = re.compile(rb"(?P<tokens>" + COUNT + rb") tokens per train step")
_MESH = re.compile(
    rb"Building (?:[0-9]-D device mesh with \[[^\]\n]{0,200}\], \[(?P<sizes>[0-9, ]{1,80})\]"
    rb"|device mesh with parallelism: (?P<degrees>[a-z_]{1,20}=[0-9]{1,9}(?:, [a-z_]{1,20}=[0-9]{1,9}){0,9}))"
)
_DEGREE = re.compile(rb"\b(?:pp|dp_replicate|dp_shard|cp|tp)=([0-9]{1,9})")
_WORLD = re.compile(rb"\bWORLD_SIZE[=: ]{1,3}(?P<world>" + COUNT + rb")")
_GPU = re.compile(rb"[A-Z]{2,6} capacity: (?P<name>[^\n]{1,60}?)(?: \([0-9]{1,3}\))? with [0-9]")
_MODEL = re.compile(rb"Model (?P<name>[\w.-]{1,40} [\w.-]{1,40}) size: [0-9]")
_BUILT = re.compile(rb"Building (?P<name>(?!device mesh)[\w.-]{1,40} [\w.-]{1,40}) with ")
_STARTED = re.compile(rb"Training starts at step (?P<step>" + COUNT + rb")")


def claims(files: LogFiles) -> Claim | None:
    """Claim a file with a step line, or with a line of torchtitan's logger."""
    return claim(files, _ANCHOR, _STEP, 0.95) or claim(files, b"[titan]", _LOGGER, 0.8)


_LOGGER = re.compile(rb"\[titan\] " + STAMP + rb" - [\w.]{1,40} - [A-Z]{4,8} - [^\n]{0,100}")


def read(files: LogFiles) -> Iterator[Run | Finding]:
    """Yield the run of the file."""
    log = TextLog(files)
    every = log.records(_STEP, _ANCHOR)
    found = every.take(once(every.integers("step")))
    run = RunBuilder(log, _NAME, found.integers("step"), found.line, int(every.end[-1]) if len(every) else 0)
    run.factors["framework"] = "torchtitan"
    run.factors["item"] = "token"
    _describe(run, log)
    _measure(run, found)
    yield run.run()


FORMAT = Format(_NAME, "Training logs of torchtitan.", claims, read, marks=(_ANCHOR, b"[titan]"))


def _measure(run: RunBuilder, found: Records) -> None:
    covered = spans(run.step)
    stamp = _stamps(run, found)
    rate = found.floats("rate")
    devices = run.factors.get("devices")
    run.add("throughput_per_device", rate, "printed", span=covered)
    if isinstance(devices, int):
        run.add("throughput", rate * devices, "printed", span=covered)
    run.add("memory_used", found.floats("memory") * 2**30, "printed", span=covered)
    run.add_stamps(stamp, run.work(covered))


def _stamps(run: RunBuilder, found: Records) -> FloatArray:
    """Return the dates of the steps; declare validations and restarts, which are no step time."""
    validated = run.log.records(_VALIDATION, b"validate step:")
    validated = validated.take(once(validated.integers("step")))
    stamps = run.log.stamps(np.concatenate((found.begin, validated.begin)))
    stamp, after = stamps[: len(found)], stamps[len(found) :]
    at = {step: float(time) for step, time in zip(run.step.tolist(), stamp.tolist(), strict=True)}
    evaluations = tuple(
        Break(step, "evaluation", time - at[step])
        for step, time in zip(validated.integers("step").tolist(), after.tolist(), strict=True)
        if step in at
    )
    run.breaks = (*evaluations, *_restarts(run, found))
    return stamp


def _restarts(run: RunBuilder, found: Records) -> tuple[Break, ...]:
    """Return a break behind the last step before each line of a process that goes on from a checkpoint."""
    started = run.log.records(_STARTED, b"Training starts at step ")
    before = np.searchsorted(found.begin, started.begin[started.integers("step") > 1])
    return tuple(Break(int(run.step[:count].max()), "restart") for count in np.unique(before[before > 0]))


def _describe(run: RunBuilder, log: TextLog) -> None:
    devices = _devices(log)
    batch = log.search(_BATCH, b"global batch size ")
    length = log.search(_SEQUENCE, b"sequence length ")
    tokens = log.search(_TOKENS, b" tokens per train step")
    run.factors.update(per_device(float(batch["all"]) if batch else None, devices))
    if batch:
        run.factors["micro_batch_size"] = int(batch["local"])
    if length:
        run.factors["seq_len"] = int(length["length"])
    if tokens:
        run.samples_per_step = float(tokens["tokens"])
    elif batch and length:
        run.samples_per_step = float(int(batch["all"]) * int(length["length"]))
    model = log.search(_MODEL, b" total parameters") or log.search(_BUILT, b"Building ")
    for name, found in (("device", log.search(_GPU, b" capacity: ")), ("model", model)):
        if found:
            run.factors[name] = found["name"].decode("utf-8", "replace")


def _devices(log: TextLog) -> int | None:
    """Return the number of devices: the product of the mesh, else the world size.

    Experts are spread over devices that the other degrees count already.
    """
    if mesh := log.search(_MESH, b"device mesh with "):
        texts = mesh["sizes"].split(b",") if mesh["sizes"] else _DEGREE.findall(mesh["degrees"])
        sizes = [int(size) for size in texts if size.strip()]
        product = float(np.prod(np.array(sizes, dtype=np.float64))) if sizes else 0.0
        return int(product) if 1 <= product < 2**31 else None
    world = log.search(_WORLD, b"WORLD_SIZE")
    return int(world["world"]) or None if world else None
