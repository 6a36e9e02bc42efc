"""Read what TorchBench's run.py prints, such as `GPU Time per batch:   12.345 milliseconds`.

Each model becomes a Run of aggregates, medians of ten iterations after a warm-up. Only newer versions print
the batch size; without it there is no throughput.

Format: https://github.com/pytorch/benchmark, run.py (run_one_step).
"""

import numpy as np

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.model import STEP
from reportgen.formats.base import Results
from reportgen.formats.parsing.run_builder import RunBuilder
from reportgen.formats.parsing.text_log import COUNT, NUMBER, TextLog, TextSign, format_of

_NAME = "torchbench"
_TIME = lazy_pattern(
    rb"(?P<what>CPU Total Wall|CPU Wall|GPU|CPU) Time(?P<batch> per batch)?: {1,30}(?P<ms>"
    + NUMBER
    + rb") milliseconds"
)
_MODEL = lazy_pattern(
    rb"Running (?P<test>train|eval) method from (?P<model>[\w.-]{1,80}) on (?P<device>[\w:]{1,20}) in "
    rb"(?P<mode>\w{1,20}(?: \w{1,40})?) mode(?: with input batch size (?P<batch_size>" + COUNT + rb"))?"
    rb"(?: and precision (?P<precision>[\w]{1,20}))?"
)
_MEMORY = lazy_pattern(rb"GPU [0-9]{1,3} Peak Memory: {1,40}(?P<size>" + NUMBER + rb") GB")


def read(log: TextLog) -> Results:
    """Yield the run of each model, or one run if the file names no model."""
    begins = _begins(log)
    for number, part in enumerate(log.parts(begins), 1):
        yield _run(part).run(number if len(begins) > 1 else None)


_SIGN = TextSign((b" milliseconds",), _TIME, 0.85)
FORMAT = format_of(_NAME, "Console output of TorchBench's run.py.", (_SIGN,), read)


def _begins(log: TextLog) -> list[int]:
    """Return where models begin; a repeated heading without a time between the two is of another rank."""
    headings, times = log.records(_MODEL, b"Running "), log.records(_TIME, b" milliseconds")
    begins, previous, times_before = [0], b"", 0
    counts = np.searchsorted(times.begin, headings.begin).tolist()
    for begin, end, count in zip(headings.begin.tolist(), headings.end.tolist(), counts, strict=True):
        heading = log.content[begin:end]
        if previous and (heading != previous or count > times_before):
            begins.append(begin)
        previous, times_before = heading, count
    return begins


def _run(log: TextLog) -> RunBuilder:
    times, memory = log.records(_TIME, b" milliseconds"), log.records(_MEMORY, b" Peak Memory:")
    run = RunBuilder(log, _NAME, last=int(times.end.max(initial=0)))
    run.factors |= {"framework": "TorchBench", "item": "sample"}
    if heading := log.search(_MODEL, b"Running "):
        run.factors |= {name: text.decode() for name, text in heading.groupdict().items() if text}
        if heading["batch_size"]:
            run.factors["batch_size"] = int(heading["batch_size"])
            run.samples_per_step = float(heading["batch_size"])
    # A run of several batches prints both its total and the time per batch, which is the step time.
    per_batch = times.columns["batch"]
    for i in [i for i in range(len(times)) if per_batch[i] or not any(per_batch)]:
        clock, text, line = times.text("what", i), times.text("ms", i), int(times.line[i])
        phase = STEP if clock.endswith("Wall") else clock.partition(" ")[0].lower()
        run.add_aggregate("step_time", float(text) / 1e3, f"{text} ms", "median", 10, line, phase=phase)
    if len(memory):
        sizes = memory.floats("size")
        i = int(np.argmax(sizes))
        peak, text = float(sizes[i]) * 2**30, f"{memory.text('size', i)} GB"
        run.add_aggregate("memory_used", peak, text, "maximum", 0, int(memory.line[i]))
    return run
