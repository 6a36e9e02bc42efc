"""Read the lines of MXNet's Speedometer, wherever they stand: alone or inside a log of MLPerf.

`Epoch[0] Batch [20-40]	Speed: 395.00 samples/sec`: both counts begin at 0, and a line is printed behind its
batch; with several ranks or metrics a line stands there several times and counts once.

Format: apache/mxnet python/mxnet/callback.py.
"""

import re

import numpy as np

from reportgen.formats.parsing import timestamps
from reportgen.formats.parsing.run_builder import RunBuilder, once, spans
from reportgen.formats.parsing.step_numbers import over_epochs
from reportgen.formats.parsing.text_log import COUNT, NUMBER, STAMP, Records, TextLog, seconds

PROBE = b"] Batch"
LINE = re.compile(
    rb"(?:Epoch|Iter)\[(?P<epoch>" + COUNT + rb")\] Batch ?\[(?:(?P<first>" + COUNT + rb")-)?"
    rb"(?P<last>" + COUNT + rb")\]\s{1,20}Speed: (?P<rate>" + NUMBER + rb") samples/sec"
)
_STAMP = re.compile(rb"(" + STAMP + rb")")


def step_run(log: TextLog, format: str) -> tuple[RunBuilder, Records]:
    """Return a run of the steps of all epochs, without series yet, and the records of its steps."""
    every = log.records(LINE, PROBE)
    # The line of batch n stands behind n + 1 batches.
    step, breaks = over_epochs(every.integers("epoch"), every.integers("last") + 1)
    keep = once(step)
    found = every.take(keep)
    last = int(every.end[-1]) if len(every) else 0
    return RunBuilder(log, format, step[keep], found.line, last=last, breaks=breaks), found


def add_series(run: RunBuilder, found: Records) -> None:
    """Add the rates that were printed, over all devices, and the times where lines have dates."""
    span = spans(run.step)
    if all(first is not None for first in found.columns["first"]):
        span = np.maximum(found.integers("last") - found.integers("first"), 1)
    add_times(run, found)
    run.add("throughput", found.floats("rate"), "printed", span=span)


def add_times(run: RunBuilder, found: Records) -> None:
    """Add the times between the dates that lines begin with, if all do."""
    texts = timestamps.before(run.log.content, found.begin, _STAMP)
    if texts:
        run.add_stamps(seconds(texts))
