"""Read the step lines of NeMo: progress printer, progress bar, DeltaTimingCallback, and those of Automodel.

`Training epoch 0, iteration 121/149 | ... | train_step_timing in s: 0.03163`: a file becomes one Run, and
each line an interval since the one before. The time is the host's, taken around the batch, without waiting
for the device and without the wait for data; DeltaTimingCallback's is from step to step. A progress bar
without a time gives elapsed time in whole seconds. Inside an MLPerf log the same figures are read by that
reader. NeMo Automodel prints the rate of every step and no time, behind dates.

Format: https://github.com/NVIDIA/NeMo, nemo/lightning/pytorch/callbacks and nemo/utils/exp_manager.py;
https://github.com/NVIDIA-NeMo/Automodel, recipes/llm/train_ft.py.
"""

import re
from collections.abc import Iterator

import numpy as np

from reportgen.core.model import Finding, FloatArray, Run
from reportgen.formats.base import Claim, Format
from reportgen.formats.parsing.run_builder import RunBuilder, once, spans
from reportgen.formats.parsing.text_log import COUNT, NUMBER, Records, TextLog, claim
from reportgen.formats.parsing.timestamps import elapsed
from reportgen.sources.logfiles import LogFiles

_NAME = "nemo"
_PRINTED = re.compile(
    rb"Training epoch (?P<epoch>"
    + COUNT
    + rb"), iteration (?P<iteration>"
    + COUNT
    + rb")/"
    + COUNT
    + rb" \|(?P<fields>[^\n\r]{1,3000})"
)
# Nothing is read twice: what stands before the bar, in it and behind it ends where another bar could begin.
_BAR = re.compile(
    rb"Epoch (?P<epoch>"
    + COUNT
    + rb"): (?:: )?+[^|:\n\r]{0,40}+\|[^|:\n\r]{0,200}+\| (?P<iteration>"
    + COUNT
    + rb")/"
    + COUNT
    + rb" \[(?P<elapsed>[0-9:]{4,12}+)<[^],\[\n\r]{1,20}+, [^],\[\n\r]{1,20}+"
    rb"(?=[^][\n\r]*?global_step=)"
    rb"(?P<fields>, [^][\n\r]{0,4000}+)\]"
)
_DELTA = re.compile(
    rb"Step (?P<iteration>" + COUNT + rb"): train_step_timing in s=(?P<time>" + NUMBER + rb")"
)
_AUTOMODEL = re.compile(
    rb"\bstep (?P<iteration>"
    + COUNT
    + rb") \| epoch "
    + COUNT
    + rb" \| [^\n]{0,500}?\| mem (?P<memory>"
    + NUMBER
    + rb") GiB "
    rb"\| tps (?P<rate>" + NUMBER + rb")\(" + NUMBER + rb"/gpu\)"
)
_FORMS = ((b"Training epoch ", _PRINTED), (b"global_step=", _BAR), (b": train_step_timing in s=", _DELTA),
          (b"/gpu)", _AUTOMODEL))  # fmt: skip
_LENGTH = re.compile(rb"\bseq_length[=: ]{1,3}(?P<length>" + COUNT + rb")")


def claims(files: LogFiles) -> Claim | None:
    """Claim a file with a line of one of the four forms."""
    found = (claim(files, literal, pattern, 0.9) for literal, pattern in _FORMS)
    return next((one for one in found if one), None)


def read(files: LogFiles) -> Iterator[Run | Finding]:
    """Yield the run of the file."""
    log = TextLog(files)
    forms = [log.records(pattern, literal) for literal, pattern in _FORMS]
    every = next((one for one in forms if len(one)), forms[0])
    if "rate" in every.columns:
        yield _automodel(log, every)
        return
    fields = every.columns.get("fields")
    step = every.integers("iteration") if fields is None else _field(fields, b"global_step")
    # Counted from 0; without the global step (older bars) the iteration of the epoch is all there is.
    step = np.where((step >= 0) & (step < 2**53), step, every.integers("iteration")).astype(np.int64) + 1
    first = once(step)
    found = every.take(first)
    run = RunBuilder(log, _NAME, step[first], found.line, int(every.end[-1]) if len(every) else 0)
    run.factors.update(framework="NeMo", item="sequence")
    _measure(run, found)
    if length := log.search(_LENGTH, b"seq_length"):
        run.factors["seq_len"] = int(length["length"])
    yield run.run()


FORMAT = Format(
    _NAME,
    "Training logs of NeMo and NeMo Automodel.",
    claims,
    read,
    marks=tuple(literal for literal, _ in _FORMS),
)


def _automodel(log: TextLog, every: Records) -> Run:
    """Return a run of single steps that print their rate of tokens over all devices, none left out.

    Versions count from 0 or from 1. The rate of one device is over those that share data, not all of them.
    """
    step = every.integers("iteration")
    step = step + int(step.min() == 0)
    found = every.take(first := once(step))
    run = RunBuilder(log, _NAME, step[first], found.line, int(every.end[-1]))
    run.factors.update(framework="NeMo Automodel", item="token")
    run.add("throughput", found.floats("rate"), "printed")
    run.add("memory_used", found.floats("memory") * 2**30, "printed")
    run.add_stamps(log.stamps(found.begin))
    return run.run()


def _measure(run: RunBuilder, found: Records) -> None:
    covered = spans(run.step)
    if "fields" not in found.columns:
        run.add("step_time", found.floats("time") * covered, "host", span=covered)
        return
    fields = found.columns["fields"]
    batch = _field(fields, b"global_batch_size")
    sizes = np.unique(batch[np.isfinite(batch)])
    if len(sizes) == 1:
        run.factors["global_batch_size"] = int(sizes[0])
        run.samples_per_step = float(sizes[0])
    time = _field(fields, b"train_step_timing in s")
    run.add("step_time", time * covered, "host", span=covered, samples=batch * covered)
    rate = _field(fields, b"tokens_per_sec_per_gpu")
    run.add("throughput_per_device", rate, "printed", span=covered)
    run.add("memory_used", _field(fields, b"max_memory_allocated"), "printed", span=covered)
    if "elapsed" in found.columns:
        run.add_stamps(elapsed(found.columns["elapsed"]), batch * covered)


def _field(fields: tuple[bytes | None, ...], name: bytes) -> FloatArray:
    """Return a named field of the lines, NaN where a line does not have it; `name: value` or `name=value`."""
    pattern = re.compile(rb"\b" + re.escape(name) + rb"(?:=|: )(" + NUMBER + rb")(?=[\s,|\]]|$)")
    texts = [found[1] if (found := pattern.search(text or b"")) else b"nan" for text in fields]
    return np.array(texts or [b""]).astype(np.float64) if texts else np.empty(0)
