"""Read the iteration lines of Megatron-LM and its relatives: `iteration 43/ 100 | consumed samples: ... |`.

A file becomes one Run. The time per iteration is the mean since the line before, between barriers, without
evaluation and checkpoints, so lines are intervals of host-synchronised step time; the work of each is its own
global batch, which may ramp up. Versions from 2026 on print the first iteration in addition and count it
again in the line after: that line is put right here.

DeepSpeed's timer writes into the logs of Megatron-DeepSpeed too; its rates are wrong there and
not read. Format: https://github.com/NVIDIA/Megatron-LM, megatron/training/training.py (training_log).
"""

import re
from collections.abc import Iterator

import numpy as np

from reportgen.core.model import Finding, FloatArray, IntArray, Run
from reportgen.formats.base import Claim, Format
from reportgen.formats.parsing.run_builder import RunBuilder, common_work, once, per_device, spans
from reportgen.formats.parsing.text_log import COUNT, NUMBER, Records, TextLog, claim, floats
from reportgen.formats.parsing.timestamps import before
from reportgen.sources.logfiles import LogFiles

_NAME = "megatron"
# Fields come in any order after the time; forks print "current/mean" where there was one number.
_ITERATION = re.compile(
    rb"iteration {1,9}(?P<step>" + COUNT + rb")/ {0,9}(?P<total>" + COUNT + rb") \|"
    rb"(?:[^\n]{0,300}?consumed tokens: {1,15}(?P<tokens>" + COUNT + rb"))?"
    rb"[^\n]{0,300}?elapsed time per iteration \(ms\): {0,9}(?P<ms>" + NUMBER + rb")(?=[ /])"
    rb"(?=(?:[^\n]{0,400}?global batch size: {1,9}(?P<batch>" + COUNT + rb"))?)"
    rb"(?=(?:[^\n]{0,900}?samples per second: {0,9}(?P<rate>" + NUMBER + rb"))?)"
)
_ANCHOR = b"elapsed time per iteration (ms):"
_START = re.compile(
    rb"using world size: (?P<world>" + COUNT + rb")(?:, data-parallel[- ]size: (?P<data>" + COUNT + rb")"
    rb"| and model-parallel size: (?P<split>" + COUNT + rb"))"
)
# GPT-NeoX puts its rate first and prints no batch.
_NEOX = re.compile(rb"samples/sec: (" + NUMBER + rb") \| {0,9}$")
_NODES = re.compile(rb"nnodes=(?P<nodes>" + COUNT + rb"), num_local_procs")
_MICROSECONDS = re.compile(rb"[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}\]")
_DTYPES = {b"torch.float16": "fp16", b"torch.half": "fp16", b"torch.bfloat16": "bf16",
           b"torch.float32": "fp32", b"torch.float": "fp32"}  # fmt: skip
_DUMPED = {"seq_len": b"seq_length", "layers": b"num_layers", "hidden_size": b"hidden_size",
           "micro_batch_size": b"micro_batch_size", "tensor_parallel": b"tensor_model_parallel_size",
           "pipeline_parallel": b"pipeline_model_parallel_size"}  # fmt: skip


def claims(files: LogFiles) -> Claim | None:
    """Claim a file with an iteration line, or with the line in which Megatron tells its parallel sizes."""
    return claim(files, _ANCHOR, _ITERATION, 0.95) or claim(files, b"using world size: ", _START, 0.9)


def read(files: LogFiles) -> Iterator[Run | Finding]:
    """Yield the run of the file."""
    log = TextLog(files)
    every = log.records(_ITERATION, _ANCHOR, "not a whole iteration line of Megatron")
    found = every.take(once(every.integers("step")))
    run = RunBuilder(log, _NAME, found.integers("step"), found.line, int(every.end[-1]) if len(every) else 0)
    is_deepspeed = b"consumed tokens:" in log.content or log.option(b"deepspeed") == b"True"
    run.factors.update(framework="Megatron-DeepSpeed" if is_deepspeed else "Megatron-LM", item="sequence")
    rate, batch = found.floats("rate"), found.floats("batch")
    if len(found) and (first := before(log.content, found.begin, _NEOX)):
        run.factors["framework"] = "GPT-NeoX"
        rate = floats(first)
        batch = np.full(len(found), common_work(rate, found.floats("ms") / 1e3, 5e-5, 5e-4), dtype=np.float64)
    elif (whole := _work_of_2020(log)) and not np.isfinite(batch).any():
        batch = np.full(len(found), float(whole))
    _describe(run, log, batch)
    _measure(run, found, rate, batch)
    yield run.run()


FORMAT = Format(
    _NAME,
    "Training logs of Megatron-LM, Megatron-DeepSpeed and GPT-NeoX.",
    claims,
    read,
    marks=(_ANCHOR, b"using world size: "),
)


def _work_of_2020(log: TextLog) -> int | None:
    """Return the global batch of versions that print that of each model instance alone, None of others."""
    start, each = log.search(_START, b"using world size: "), log.option(b"batch_size")
    if not start or not start["split"] or not each or not re.fullmatch(COUNT, each):
        return None
    return int(each) * (int(start["world"]) // max(int(start["split"]), 1)) or None


def _measure(run: RunBuilder, found: Records, rate: FloatArray, batch: FloatArray) -> None:
    covered = spans(run.step)
    time = found.floats("ms") / 1e3 * covered
    if len(found) > 1 and _counts_the_first_twice(run.log, found, covered):
        both = float(found.floats("ms")[1]) / 1e3 * (int(run.step[1]) - int(run.step[0]) + 1)
        time[1] = both - time[0] if both > time[0] else np.nan
    run.add("step_time", time, "host_synchronized", span=covered, samples=batch * covered)
    run.add("throughput", rate, "printed", span=covered, samples=batch * covered)
    run.add_stamps(run.log.stamps(found.begin, 40), batch * covered)


def _counts_the_first_twice(log: TextLog, found: Records, covered: IntArray) -> bool:
    """Tell whether the second line's mean reaches back over the first line's iteration.

    It does where the first iteration was printed in addition to every k-th. With an interval of one that
    cannot be seen; there the microseconds in the dates tell versions that do so.
    """
    step = found.integers("step")
    usual = int(covered[-1])
    if usual > 1:
        return int(step[0]) % usual == 1 and int(step[1]) % usual == 0
    begin = int(found.begin[0])
    return int(step[0]) == 1 and bool(_MICROSECONDS.search(log.content, max(begin - 30, 0), begin))


def _describe(run: RunBuilder, log: TextLog, batch: FloatArray) -> None:
    start = log.search(_START, b"using world size: ")
    world = log.option(b"world_size") or (start["world"] if start else None)
    devices = int(world) if world and re.fullmatch(COUNT, world) else None
    sizes = np.unique(batch[np.isfinite(batch)])
    constant = float(sizes[0]) if len(sizes) == 1 else None
    # A device has a batch of its own only where the model is not split over several.
    is_split = start is not None and start["data"] != start["world"] and start["split"] != b"1"
    run.factors.update(per_device(constant, None if is_split else devices))
    if devices:
        run.factors["devices"] = devices
    run.samples_per_step = constant
    for factor, name in _DUMPED.items():
        value = log.option(name)
        if value and re.fullmatch(COUNT, value):
            run.factors[factor] = int(value)
    dtype = log.option(b"params_dtype")
    if dtype in _DTYPES:
        run.factors["precision"] = _DTYPES[dtype]
    if nodes := log.search(_NODES, b"nnodes="):
        run.factors["nodes"] = int(nodes["nodes"])
