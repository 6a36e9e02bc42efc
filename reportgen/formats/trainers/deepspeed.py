"""Read what DeepSpeed itself prints: its throughput timer, its step lines and its pipeline engine's.

The pipeline engine's line is the best source, then the timestamps of step lines. `CurrSamplesPerSec` times
only the last forward pass before a step: with several micro-batches per step it is too high by up to their
number. A step of RLHF (DeepSpeed-Chat, step 3) generates answers and trains an actor and a critic: the lines
of either engine are parts of it, and its own lines say how long it takes.

Format: https://github.com/deepspeedai/DeepSpeed, deepspeed/utils/timer.py, runtime/engine.py and
runtime/hybrid_engine.py; https://github.com/deepspeedai/DeepSpeedExamples, applications/DeepSpeed-Chat.
"""

from collections.abc import Mapping

import numpy as np

from reportgen.core.model import FactorValue
from reportgen.formats.parsing.line_format import LineFormat, LineRun, Setting, StepLine, constant
from reportgen.formats.parsing.line_patterns import regex
from reportgen.formats.parsing.run_builder import common_work, once
from reportgen.formats.parsing.text_log import Records, TextSign

# A record begins in one line and ends in a later one: there is no literal to search for.
# Half of the last digit of the times and rates, which have two decimals.
_HALF = 0.005

_RLHF = StepLine(
    b"",
    r"Epoch: {epoch:int} \| Step: {step:int} \| [^\n]{1,300}\n"
    r"[^\n]{0,80}?End-to-End => Latency: {time}s, TFLOPs: {}, Samples/sec: {rate}, Time/seq {}s, "
    r"Batch Size: {batch:int}[^\n]{0,80}"
    r"(?:\n[^\n]{0,80}?Generation => Latency: {generation}s[^\n]{0,200}"
    r"(?:\n[^\n]{0,80}?Training {1,3}=> Latency: {training}s)?)?",
    mark=b"End-to-End => Latency: ",
    first=0,
    is_single=True,
)
_HYBRID = StepLine(
    b"",
    r"\|E2E latency={time}s [^\n]{0,60}?\|Generate time={generation}s [^\n]{0,20}?"
    r"\|Training time={training}s [^\n]{0,60}?\|CurSamplesPerSec={rate} [^\n]{0,60}\n[^\n]{0,80}?"
    r"[Ee]poch: {epoch:int} ?\| ?[Ss]tep: {step:int} ?\|",
    mark=b"|E2E latency=",
    first=0,
    is_single=True,
)
_PIPELINE = StepLine(
    b" iter time (s): ",
    r"steps: {step:int} loss: [^\n]{1,200}? iter time \(s\): {step_time_s} "
    r"samples/sec: {samples_per_second}",
    clock="host_synchronized",
)
_TIMER = StepLine(
    b"SamplesPerSec=",
    "epoch={:int}/micro_step={:int}/global_step={step:int}, RunningAvgSamplesPerSec={}, "
    "CurrSamplesPerSec={samples_per_second}",
    is_single=True,
)
_STEP = StepLine(b", skipped=", r"step={step:int}, skipped={:int}, lr=\[")
# Until 2022; what it counts are forward passes.
_OLD = StepLine(b"SamplesPerSec=", "{:int}/{step:int}, (?:RunningAvg)?SamplesPerSec={mean}")
_CONFIG = regex(r"\[config\.py:[0-9]{1,6}:print\] {1,9}train_batch_size {0,9}\.{2,80} [0-9]{1,15}")


def _dumped(name: str, factor: str, values: Mapping[bytes, FactorValue] | None = None) -> Setting:
    """Return a setting of the configuration dump; short names are padded with dots, long ones are not."""
    value = r"\S{1,40}" if values else r"[0-9]{1,15}(?!\S)"
    form = rf"\[config\.py:[0-9]{{1,6}}:print\] {{1,9}}{name} {{1,9}}(?:\.{{1,80}} )?(?P<{factor}>{value})"
    return Setting(name.encode(), form, values)


def _add_rlhf(run: LineRun) -> None:
    """Add the steps of RLHF and their phases; the engines have batches of their own."""
    records = run.records
    time, rate = records.floats("time"), records.floats("rate")
    is_batch_printed = "batch" in records.columns
    batch = constant(records.floats("batch")) if is_batch_printed else common_work(rate, time, _HALF, _HALF)
    run.set_batch(batch)
    span = np.ones_like(run.step)
    run.add("step_time", time, "printed", samples=run.work(span), rounding=_HALF)
    for phase in ("generation", "training"):
        run.add("step_time", records.floats(phase), "printed", phase=phase, rounding=_HALF)
    run.add("throughput", rate, "printed", samples=run.work(span), rounding=_HALF)


def _has_several_engines(records: Records) -> bool:
    """Return whether most steps have several lines of the timer, which only the first rank prints."""
    return 2 * len(_once(records)) <= 1.1 * len(records)


def _build(run: LineRun) -> None:
    run.set_batch(run.count("global_batch_size"))
    others = {other: run.log.records(other.pattern, other.literal) for other in (_TIMER, _STEP, _OLD)}
    run.last = max(run.last, *(int(other.end[-1]) for other in others.values() if len(other)), 0)
    if run.kind in (_RLHF, _HYBRID):
        _add_rlhf(run)
    elif run.kind is _PIPELINE:
        span = _PIPELINE.span(run.step, run.records)
        time, rate = run.records.floats("step_time_s"), run.records.floats("samples_per_second")
        run.add("step_time", time * span, _PIPELINE.clock, span=span, samples=time * rate * span)
        run.add("throughput", rate, "printed", span=span)
    elif run.kind is _OLD:
        run.step = run.step[:0]
    elif len(run.records):
        if run.kind is _TIMER and _has_several_engines(others[_TIMER]):
            # Each engine times its own part of a step.
            run.set_batch(None)
        elif run.kind is _TIMER:
            run.measure()
        # The lines of steps have a date in every version.
        steps = _once(others[_STEP])
        records = steps if len(steps) > 1 else run.records
        run.step, run.line = records.integers("step"), records.line
        first = run.set_start_before(records)
        run.add_stamps(run.log.stamps(records.begin), run.work(_STEP.span(run.step, records)), first)
    means = _once(others[_OLD])
    if len(means):
        text, n = means.text("mean", -1), int(means.integers("step")[-1])
        run.add_aggregate("throughput", float(text), f"{text} samples/s", "mean", n, int(means.line[-1]))


def _once(records: Records) -> Records:
    return records.take(once(records.integers("step")))


FORMAT = LineFormat(
    "deepspeed",
    "What DeepSpeed prints: throughput timer, step lines, pipeline lines, steps of RLHF.",
    lines=(_RLHF, _HYBRID, _PIPELINE, _TIMER, _STEP, _OLD),
    factors={"framework": "DeepSpeed", "item": "sample"},
    settings=(
        Setting.like("dist_world_size={devices:int}"),
        _dumped("world_size", "devices"),
        _dumped("train_batch_size", "global_batch_size"),
        _dumped("train_micro_batch_size_per_gpu", "micro_batch_size"),
        _dumped("zero_optimization_stage", "zero_stage"),
        _dumped("fp16_enabled", "precision", {b"True": "fp16"}),
        _dumped("bfloat16_enabled", "precision", {b"True": "bf16"}),
        Setting.like("nnodes={nodes:int}, num_local_procs"),
    ),
    build=_build,
    # The trainer that called it may be surer.
    confidence=0.7,
    signs=(TextSign((b"[config.py:",), _CONFIG, 0.6),),
).format()
