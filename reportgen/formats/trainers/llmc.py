"""Read the step lines of llm.c: `step    2/18865 | loss 9.6 (+nanz)| norm 5.1 (+nanz)| ... | 3024.65 ms |`.

A file becomes one Run of single steps, timed by CUDA events. The printed rate is of the step in the first two
lines and a running mean from then on: it tells the tokens of a step where the head of the log is missing, and
is not read otherwise. Steps count from 1.

Format: https://github.com/karpathy/llm.c, train_gpt2.cu.
"""

import re
from collections.abc import Iterator

import numpy as np

from reportgen.core.model import Finding, Run
from reportgen.formats.base import Claim, Format
from reportgen.formats.parsing.run_builder import RunBuilder, common_work, once
from reportgen.formats.parsing.text_log import COUNT, NUMBER, TextLog, claim
from reportgen.sources.logfiles import LogFiles

_NAME = "llmc"
_STEP = re.compile(
    rb"step {1,6}(?P<step>"
    + COUNT
    + rb")/"
    + COUNT
    + rb" \| (?:train )?loss [^|\n]{1,40}\| ?norm [^|\n]{1,40}\| ?lr [^|\n]{1,20}\| (?P<ms>"
    + NUMBER
    + rb") ms \|(?: [^|\n]{1,40} \|)? {1,4}(?P<rate>[0-9]{1,12}) tok/s\b"
)
_ANCHOR = b" tok/s"
_BATCH = re.compile(
    rb"batch_size B=(?P<rows>" + COUNT + rb") \* seq_len T=(?P<length>" + COUNT + rb") \* num_processes="
    rb"(?P<world>" + COUNT + rb") and total_batch_size=(?P<tokens>" + COUNT + rb")\b"
)  # fmt: skip
_ROW = re.compile(
    rb"^\| (?P<name>device|precision|weight init method) {1,30}\| (?P<value>[^|\n]{1,80}?) {1,80}\|",
    re.MULTILINE,
)
_MEAN = re.compile(rb"total average iteration time: (?P<ms>" + NUMBER + rb") ms")
_FACTORS = {b"device": "device", b"precision": "precision", b"weight init method": "model"}
# Printed with two digits, and rates without any.
_ROUNDING = 0.5e-5
# Whose rates are their own.
_EXACT = 2


def claims(files: LogFiles) -> Claim | None:
    """Claim a file with a line of a step."""
    return claim(files, _ANCHOR, _STEP, 0.95)


def read(files: LogFiles) -> Iterator[Run | Finding]:
    """Yield the run of the file."""
    log = TextLog(files)
    every = log.records(_STEP, _ANCHOR)
    found = every.take(once(every.integers("step")))
    run = RunBuilder(log, _NAME, found.integers("step"), found.line, int(every.end[-1]) if len(every) else 0)
    run.factors.update(framework="llm.c", item="token")
    time = found.floats("ms") / 1e3
    _describe(run, log)
    exact = run.step <= _EXACT
    if run.samples_per_step is None and exact.any():
        run.samples_per_step = common_work(found.floats("rate")[exact], time[exact], _ROUNDING, 0.5)
    run.add("step_time", time, "cuda_event", samples=run.work(np.ones_like(run.step)))
    mean = log.records(_MEAN, b"total average iteration time: ")
    if len(mean) and len(run.step):
        value, n = float(mean.floats("ms")[-1]) / 1e3, max(int(run.step[-1]) - 1, 0)
        run.add_aggregate("step_time", value, f"{mean.text('ms', -1)} ms", "mean", n, int(mean.line[-1]))
    yield run.run()


FORMAT = Format(_NAME, "Training logs of llm.c.", claims, read, marks=(_ANCHOR,))


def _describe(run: RunBuilder, log: TextLog) -> None:
    """Add what the head of a log tells."""
    for row in _ROW.finditer(log.content):
        value = row["value"].decode("utf-8", "replace").strip()
        run.factors[_FACTORS[row["name"]]] = value.lower() if row["name"] == b"precision" else value
    if batch := log.search(_BATCH, b"batch_size B="):
        told = {"micro_batch_size": "rows", "seq_len": "length", "devices": "world"}
        run.factors.update({name: int(batch[group]) for name, group in told.items() if int(batch[group])})
        run.samples_per_step = float(batch["tokens"]) or None
