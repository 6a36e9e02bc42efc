"""Read the log lines of nanoGPT: `iter 10: loss 3.2202, time 893.76ms, mfu 16.68%`.

A file becomes one Run. The time is that of the single iteration that is printed, so lines every 10 iterations
are a sample of the steps and no intervals. Iterations count from 0 and become steps from 1.
The time of one that begins with an evaluation contains it, and is left out.

Format: https://github.com/karpathy/nanoGPT, train.py.
"""

import re
from collections.abc import Iterator

import numpy as np

from reportgen.core.model import Finding, Run
from reportgen.formats.base import Claim, Format
from reportgen.formats.parsing.run_builder import RunBuilder, once
from reportgen.formats.parsing.text_log import COUNT, NUMBER, TextLog, claim
from reportgen.sources.logfiles import LogFiles

_NAME = "nanogpt"
_ITERATION = re.compile(
    rb"iter (?P<iteration>"
    + COUNT
    + rb"): loss (?P<loss>"
    + NUMBER
    + rb"|-?nan|-?inf), time (?P<ms>"
    + NUMBER
    + rb")ms"
)
_EVALUATION = re.compile(rb"step (?P<iteration>" + COUNT + rb"): train loss ")
_TOKENS = re.compile(rb"tokens per iteration will be: (?P<tokens>[0-9,]{1,20})")
_WORLD = re.compile(rb"\bWORLD_SIZE[=: ]{1,3}(?P<world>" + COUNT + rb")")


def claims(files: LogFiles) -> Claim | None:
    """Claim a file with a line of an iteration."""
    return claim(files, b": loss ", _ITERATION, 0.95)


def read(files: LogFiles) -> Iterator[Run | Finding]:
    """Yield the run of the file."""
    log = TextLog(files)
    every = log.records(_ITERATION, b": loss ")
    found = every.take(once(every.integers("iteration")))
    run = RunBuilder(
        log, _NAME, found.integers("iteration") + 1, found.line, int(every.end[-1]) if len(every) else 0
    )
    run.factors.update(framework="nanoGPT", item="token")
    if (tokens := log.search(_TOKENS, b"tokens per iteration will be: ")) and tokens["tokens"].strip(b","):
        run.samples_per_step = float(tokens["tokens"].replace(b",", b""))
    if world := log.search(_WORLD, b"WORLD_SIZE"):
        run.factors["devices"] = int(world["world"])
    evaluated = log.records(_EVALUATION, b": train loss ").integers("iteration") + 1
    # The clock is read before the loss is fetched from the device, which is what would wait for it.
    run.add("step_time", np.where(np.isin(run.step, evaluated), np.nan, found.floats("ms") / 1e3), "host")
    yield run.run()


FORMAT = Format(_NAME, "Training logs of nanoGPT.", claims, read, marks=(b": loss ",))
