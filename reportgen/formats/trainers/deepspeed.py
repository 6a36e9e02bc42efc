"""Read what DeepSpeed itself prints: its throughput timer, its step lines and its pipeline engine's.

A file becomes one Run. Best is the pipeline engine's line (mean since the one before), then the timestamps
of the lines that are printed every few steps. `CurrSamplesPerSec` is kept as a printed rate beside them,
since it times the last forward pass before a step only: with several micro-batches to a step it is too high
by up to their number. Logs in which Megatron prints its own lines are read by that reader.

Format: https://github.com/deepspeedai/DeepSpeed, deepspeed/utils/timer.py and runtime/engine.py.
"""

import re
from collections.abc import Iterator

from reportgen.core.model import Finding, Run
from reportgen.formats.base import Claim, Format
from reportgen.formats.parsing.run_builder import RunBuilder, once, per_device, spans
from reportgen.formats.parsing.text_log import COUNT, NUMBER, Records, TextLog, claim
from reportgen.sources.logfiles import LogFiles

_NAME = "deepspeed"
_TIMER = re.compile(
    rb"epoch="
    + COUNT
    + rb"/micro_step=(?P<micro>"
    + COUNT
    + rb")/global_step=(?P<step>"
    + COUNT
    + rb"), RunningAvgSamplesPerSec=(?P<mean>"
    + NUMBER
    + rb"), CurrSamplesPerSec=(?P<rate>"
    + NUMBER
    + rb")"
)
_STEP = re.compile(rb"step=(?P<step>" + COUNT + rb"), skipped=" + COUNT + rb", lr=\[")
_PIPELINE = re.compile(
    rb"steps: (?P<step>"
    + COUNT
    + rb") loss: [^\n]{1,200}? iter time \(s\): (?P<time>"
    + NUMBER
    + rb") samples/sec: (?P<rate>"
    + NUMBER
    + rb")"
)
# Until 2022; what it counts are forward passes.
_OLD = re.compile(
    COUNT + rb"/(?P<step>" + COUNT + rb"), (?:RunningAvg)?SamplesPerSec=(?P<mean>" + NUMBER + rb")"
)
_NODES = re.compile(rb"nnodes=(?P<nodes>" + COUNT + rb"), num_local_procs")
_WORLD = re.compile(rb"dist_world_size=(?P<world>" + COUNT + rb")")
_FORMS = ((b"SamplesPerSec=", _TIMER), (b", skipped=", _STEP), (b" iter time (s): ", _PIPELINE),
          (b"SamplesPerSec=", _OLD))  # fmt: skip
_CONFIG = re.compile(rb"\[config\.py:[0-9]{1,6}:print\] {1,9}train_batch_size {0,9}\.{2,80} [0-9]{1,15}")


def claims(files: LogFiles) -> Claim | None:
    """Claim a file with one of DeepSpeed's lines, less sure than the trainer that called it may be."""
    found = (claim(files, literal, pattern, 0.7) for literal, pattern in _FORMS)
    return next((one for one in found if one), None) or claim(files, b"[config.py:", _CONFIG, 0.6)


def read(files: LogFiles) -> Iterator[Run | Finding]:
    """Yield the run of the file."""
    log = TextLog(files)
    forms = {pattern: _once(log.records(pattern, literal)) for literal, pattern in _FORMS}
    # The form that has most to say gives the steps; the others only matter where it is missing.
    pattern = next((one for one in (_PIPELINE, _TIMER, _STEP, _OLD) if len(forms[one])), _TIMER)
    found = forms[pattern]
    last = max(int(one.end[-1]) if len(one) else 0 for one in forms.values())
    run = RunBuilder(log, _NAME, found.integers("step"), found.line, last)
    run.factors.update(framework="DeepSpeed", item="sample")
    _describe(run, log)
    if pattern is _PIPELINE:
        _pipeline(run, found)
    elif pattern is _OLD:
        run.step = run.step[:0]
    else:
        if pattern is _TIMER:
            run.add("throughput", found.floats("rate"), "printed")
        _stamps(run, found, forms[_STEP])
    if len(means := forms[_OLD]):
        text, count = means.text("mean", -1), int(means.integers("step")[-1])
        run.add_aggregate("throughput", float(text), f"{text} samples/s", "mean", count, int(means.line[-1]))
    yield run.run()


FORMAT = Format(
    _NAME,
    "What DeepSpeed prints: throughput timer, step lines, pipeline lines.",
    claims,
    read,
    marks=(*(literal for literal, _ in _FORMS), b"[config.py:"),
)


def _once(found: Records) -> Records:
    return found.take(once(found.integers("step")))


def _pipeline(run: RunBuilder, found: Records) -> None:
    covered = spans(run.step)
    time, rate = found.floats("time"), found.floats("rate")
    run.add("step_time", time * covered, "host_synchronized", span=covered, samples=time * rate * covered)
    run.add("throughput", rate, "printed", span=covered)


def _stamps(run: RunBuilder, timer: Records, step: Records) -> None:
    """Add step times from the lines of steps, which have a date in every version, else from the timer's."""
    better = step if len(step) > 1 else timer
    run.step, run.line = better.integers("step"), better.line
    run.add_stamps(run.log.stamps(better.begin), run.work(spans(run.step)))


def _describe(run: RunBuilder, log: TextLog) -> None:
    world = log.search(_WORLD, b"dist_world_size=")
    devices = int(world["world"]) if world else _dumped(log, b"world_size")
    batch = _dumped(log, b"train_batch_size")
    run.factors.update(per_device(None if batch is None else float(batch), devices))
    run.samples_per_step = None if batch is None else float(batch)
    micro = _dumped(log, b"train_micro_batch_size_per_gpu")
    if micro:
        run.factors["micro_batch_size"] = micro
    stage = _dumped(log, b"zero_optimization_stage")
    if stage is not None:
        run.factors["zero_stage"] = stage
    precision = _dumped_text(log, b"fp16_enabled"), _dumped_text(log, b"bfloat16_enabled")
    if b"True" in precision:
        run.factors["precision"] = "fp16" if precision[0] == b"True" else "bf16"
    if nodes := log.search(_NODES, b"nnodes="):
        run.factors["nodes"] = int(nodes["nodes"])


def _dumped_text(log: TextLog, name: bytes) -> bytes | None:
    """Return a value of the configuration dump; short names are padded with dots, long ones are not."""
    value = rb"\[config\.py:[0-9]{1,6}:print\] {1,9}" + name + rb" {1,9}(?:\.{1,80} )?([^\s]{1,40})"
    found = log.search(re.compile(value), name)
    return found[1] if found else None


def _dumped(log: TextLog, name: bytes) -> int | None:
    text = _dumped_text(log, name)
    return int(text) if text and re.fullmatch(COUNT, text) else None
