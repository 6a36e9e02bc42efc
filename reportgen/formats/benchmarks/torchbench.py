"""Read what TorchBench's run.py prints: `GPU Time per batch:   12.345 milliseconds` and its like.

Each model that is run becomes a Run of aggregates, medians of ten iterations after a warm-up; the batch size
is printed only by newer versions, and where it is missing no throughput follows.

Format: https://github.com/pytorch/benchmark, run.py (run_one_step).
"""

import re
from collections.abc import Iterator

import numpy as np

from reportgen.core.model import STEP, Finding, Run
from reportgen.formats.base import Claim, Format
from reportgen.formats.parsing.run_builder import RunBuilder
from reportgen.formats.parsing.text_log import COUNT, NUMBER, TextLog, claim
from reportgen.sources.logfiles import LogFiles

_NAME = "torchbench"
_TIME = re.compile(
    rb"(?P<what>CPU Total Wall|CPU Wall|GPU|CPU) Time(?P<batch> per batch)?: {1,30}(?P<ms>"
    + NUMBER
    + rb") milliseconds"
)
_HEADING = re.compile(
    rb"Running (?P<test>train|eval) method from (?P<model>[\w.-]{1,80}) on (?P<device>[\w:]{1,20}) in "
    rb"(?P<mode>\w{1,20}(?: \w{1,40})?) mode(?: with input batch size (?P<batch>" + COUNT + rb"))?"
    rb"(?: and precision (?P<precision>[\w]{1,20}))?"
)
_MEMORY = re.compile(rb"GPU [0-9]{1,3} Peak Memory: {1,40}(?P<size>" + NUMBER + rb") GB")


def claims(files: LogFiles) -> Claim | None:
    """Claim a text with a time per batch."""
    return claim(files, b" milliseconds", _TIME, 0.85)


def read(files: LogFiles) -> Iterator[Run | Finding]:
    """Yield the run of each model, or the one of a file that names none."""
    log = TextLog(files)
    begins = _begins(log)
    for number, part in enumerate(log.parts(begins), 1):
        yield _run(part).run(number if len(begins) > 1 else None)


FORMAT = Format(_NAME, "Console output of TorchBench's run.py.", claims, read, marks=(b" milliseconds",))


def _begins(log: TextLog) -> list[int]:
    """Return where models begin; a heading that is repeated before there is a time is of another rank."""
    headings, times = log.records(_HEADING, b"Running "), log.records(_TIME, b" milliseconds")
    begins, shown = [0], b""
    behind = np.searchsorted(times.begin, headings.begin).tolist()
    done = 0
    for begin, end, before in zip(headings.begin.tolist(), headings.end.tolist(), behind, strict=True):
        heading = log.content[begin:end]
        if shown and (heading != shown or before > done):
            begins.append(begin)
        shown, done = heading, before
    return begins


def _run(log: TextLog) -> RunBuilder:
    found, memory = log.records(_TIME, b" milliseconds"), log.records(_MEMORY, b" Peak Memory:")
    run = RunBuilder(log, _NAME, np.array([], dtype=np.int64), np.array([], dtype=np.int64))
    run.factors["framework"] = "TorchBench"
    run.factors["item"] = "sample"
    if heading := log.search(_HEADING, b"Running "):
        for name in ("model", "test", "device", "mode", "precision"):
            if heading[name]:
                run.factors[name] = heading[name].decode("ascii", "replace")
        if heading["batch"]:
            run.factors["batch_size"] = int(heading["batch"])
            run.samples_per_step = float(heading["batch"])
    # With several batches in a run both are printed, and only one is the time of a step.
    kinds = found.columns["batch"]
    for i in [i for i in range(len(found)) if kinds[i] or not any(kinds)]:
        what = found.text("what", i)
        phase = STEP if what.endswith("Wall") else what.partition(" ")[0].lower()
        text = found.text("ms", i)
        run.add_aggregate(
            "step_time", float(text) / 1e3, f"{text} ms", "median", 10, int(found.line[i]), phase=phase
        )
    if len(memory):
        peaks = memory.floats("size")
        largest = int(np.argmax(peaks))
        run.add_aggregate(
            "memory_used",
            float(peaks[largest]) * 2**30,
            f"{memory.text('size', largest)} GB",
            "maximum",
            0,
            int(memory.line[largest]),
        )
    run.last = int(found.end[-1]) if len(found) else 0
    return run
