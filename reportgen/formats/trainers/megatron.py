"""Read the iteration lines of Megatron-LM and its relatives: `iteration 43/ 100 | consumed samples: ... |`.

The time is the mean since the line before, between barriers, without evaluation and checkpoints. The work of
a line is its own global batch, which may ramp up. Versions since 2026 print the first iteration in addition
and count it again in the line after; that line is corrected here. Rates of DeepSpeed's timer are wrong here.

Format: https://github.com/NVIDIA/Megatron-LM, megatron/training/training.py (training_log).
"""

import re

import numpy as np

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.model import IntArray
from reportgen.formats.parsing.line_format import (
    LineFormat,
    LineRun,
    Setting,
    StepLine,
    constant,
    half_digit,
    option,
)
from reportgen.formats.parsing.line_patterns import regex
from reportgen.formats.parsing.run_builder import common_work, per_device, spans
from reportgen.formats.parsing.text_log import COUNT, Records, TextLog, TextSign, floats
from reportgen.formats.parsing.timestamps import before

_ANCHOR = b"elapsed time per iteration (ms):"
_WORLD = b"using world size: "
_START = regex(
    "using world size: {world:int}"
    "(?:, data-parallel[- ]size: {data:int}| and model-parallel size: {split:int})"
)
# GPT-NeoX prints its rate first and no batch.
_NEOX = regex(r"samples/sec: ({}) \| {0,9}$")
_MICROSECONDS = lazy_pattern(rb"[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}\]")
_DTYPES = {
    b"torch.float16": "fp16",
    b"torch.half": "fp16",
    b"torch.bfloat16": "bf16",
    b"torch.float32": "fp32",
    b"torch.float": "fp32",
}


def _build(run: LineRun) -> None:
    records, log = run.records, run.log
    if b"consumed tokens:" in log.content or log.option(b"deepspeed") == b"True":
        run.factors["framework"] = "Megatron-DeepSpeed"
    time, rate, batch = (records.floats(name) for name in ("step_time_ms", "rate", "batch"))
    if len(records) and (texts := before(log.content, records.begin, _NEOX)):
        run.factors["framework"] = "GPT-NeoX"
        rate = floats(texts)
        batch = np.full(len(records), common_work(rate, time / 1e3, 5e-5, 5e-4), dtype=np.float64)
    elif (whole := _work_of_2020(log)) and not np.isfinite(batch).any():
        batch = np.full(len(records), float(whole))
    run.samples_per_step = constant(batch)
    start = log.search(_START, _WORLD)
    # A device has a batch of its own only where the model is not split over several.
    is_split = start is not None and start["data"] != start["world"] and start["split"] != b"1"
    run.factors |= per_device(run.samples_per_step, 0 if is_split else run.count("devices"))
    span = spans(run.step)
    total = time / 1e3 * span
    if len(records) > 1 and _counts_the_first_twice(log, records, span):
        both = float(time[1]) / 1e3 * (int(run.step[1]) - int(run.step[0]) + 1)
        total[1] = both - total[0] if both > total[0] else np.nan
    half = half_digit(records, "step_time_ms") / 1e3 if len(records) else 0.0
    run.add("step_time", total, run.kind.clock, span=span, samples=batch * span, rounding=half)
    run.add("throughput", rate, "printed", span=span, samples=batch * span)
    first = run.set_start_before(records, 40)
    run.add_stamps(log.stamps(records.begin, 40), batch * span, first)


def _work_of_2020(log: TextLog) -> int | None:
    """Return the global batch if the version prints only the batch of each model instance, else None."""
    start, each = log.search(_START, _WORLD), log.option(b"batch_size")
    if not start or not start["split"] or not each or not re.fullmatch(COUNT, each):
        return None
    return int(each) * (int(start["world"]) // max(int(start["split"]), 1)) or None


def _counts_the_first_twice(log: TextLog, records: Records, covered: IntArray) -> bool:
    """Return whether the second line's mean reaches back over the first line's iteration.

    It does where the first iteration was printed in addition to every k-th. With an interval of one that
    cannot be seen; there the microseconds in the dates show the version.
    """
    (first, second), begin, usual = records.integers("step")[:2], int(records.begin[0]), covered[-1]
    if usual > 1:
        return bool(first % usual == 1 and second % usual == 0)
    return bool(first == 1 and _MICROSECONDS.search(log.content, max(begin - 30, 0), begin))


FORMAT = LineFormat(
    "megatron",
    "Training logs of Megatron-LM, Megatron-DeepSpeed and GPT-NeoX.",
    lines=(
        StepLine(
            _ANCHOR,
            # Fields come in any order after the time; forks print "current/mean" where there was one number.
            r"iteration {1,9}{step:int}/ {0,9}{:int} \|[^\n]{0,300}?"
            r"elapsed time per iteration \(ms\): {0,9}{step_time_ms}(?=[ /])"
            r"(?=(?:[^\n]{0,400}?global batch size: {1,9}{batch:int})?)"
            r"(?=(?:[^\n]{0,900}?samples per second: {0,9}{rate})?)",
            clock="host_synchronized",
            damage="not a whole iteration line of Megatron",
        ),
    ),
    factors={"framework": "Megatron-LM", "item": "sequence"},
    settings=(
        option("world_size", "devices"),
        Setting.like("using world size: {devices:positive}"),
        option("seq_length", "seq_len"),
        option("num_layers", "layers"),
        option("hidden_size", "hidden_size"),
        option("micro_batch_size", "micro_batch_size"),
        option("tensor_model_parallel_size", "tensor_parallel"),
        option("pipeline_model_parallel_size", "pipeline_parallel"),
        option("params_dtype", "precision", _DTYPES),
        Setting.like("nnodes={nodes:int}, num_local_procs"),
    ),
    build=_build,
    signs=(TextSign((_WORLD,), _START, 0.9),),
).format()
