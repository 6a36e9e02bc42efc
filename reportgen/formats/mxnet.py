"""Read MXNet's logs: Speedometer lines (NGC, gluon-cv, InsightFace), gluon-nlp BERT, Partial FC.

A file becomes one Run. `Batch [n]` and `Batch [m-n]` count from 0, and a line is printed behind batch n; with
several ranks or metrics a line stands there several times and counts once. Where lines begin with date and
time, times are kept beside the printed rates.

Format: apache/mxnet python/mxnet/callback.py (Speedometer), dmlc/gluon-nlp scripts/bert,
deepinsight/insightface recognition.
"""

import re
from collections.abc import Iterator

import numpy as np

from reportgen.formats.fragments import stamps
from reportgen.formats.fragments.linepattern import line_pattern
from reportgen.formats.fragments.stepnumbers import over_epochs
from reportgen.formats.fragments.steprun import StepRun, once, spans
from reportgen.formats.fragments.textlog import COUNT, NUMBER, STAMP, Records, TextLog, claim, seconds
from reportgen.logfiles import Claim, Format, LogFiles
from reportgen.model import FactorValue, Finding, IntArray, Run

_NAME = "mxnet"
_SPEED = re.compile(
    rb"(?:Epoch|Iter)\[(?P<epoch>" + COUNT + rb")\] Batch ?\[(?:(?P<first>" + COUNT + rb")-)?"
    rb"(?P<last>" + COUNT + rb")\]\s{1,20}Speed: (?P<rate>" + NUMBER + rb") samples/sec"
)
_BERT = line_pattern("[step {step:int}]{..}throughput={}K tks/s{..}latency={latency_ms} ms/batch")
_PARTIAL = line_pattern("Iter:{step:int}  Rank:{} it/sec  Total:{rate} it/sec")
_STAMP = re.compile(rb"(" + STAMP + rb")")
_MARKS = ((b"] Batch", _SPEED), (b"K tks/s", _BERT), (b"Total:", _PARTIAL))


def claims(files: LogFiles) -> Claim | None:
    """Claim a file with a record of one of the three kinds."""
    found = (claim(files, literal, pattern, 0.9) for literal, pattern in _MARKS)
    return next((one for one in found if one), None)


def read(files: LogFiles) -> Iterator[Run | Finding]:
    """Yield the run of the file."""
    log = TextLog(files)
    if len(records := log.records(_SPEED, b"] Batch")):
        yield _speedometer(log, records)
    elif len(records := log.records(_BERT, b"K tks/s")):
        yield _bert(log, records)
    else:
        yield _partial_fc(log, log.records(_PARTIAL, b"Total:"))


FORMAT = Format(_NAME, claims, read, marks=tuple(literal for literal, _ in _MARKS))


def _run(log: TextLog, records: Records, step: IntArray, **factors: FactorValue) -> tuple[StepRun, Records]:
    """Return the run and the records that are the first of their step, with times where lines have dates."""
    keep = once(step)
    end = int(records.end[-1]) if len(records) else 0
    records = records.take(keep)
    run = StepRun(log, _NAME, step[keep], records.line, last=end, factors={"framework": "MXNet", **factors})
    return run, records


def _add_times(run: StepRun, records: Records) -> None:
    texts = stamps.before(run.log.content, records.begin, _STAMP)
    if texts:
        run.add_stamps(seconds(texts))


def _speedometer(log: TextLog, records: Records) -> Run:
    # Both counts begin at 0: the line of batch n stands behind n + 1 batches.
    step, breaks = over_epochs(records.integers("epoch"), records.integers("last") + 1)
    run, kept = _run(log, records, step)
    run.breaks = breaks
    span = spans(run.step)
    if all(first is not None for first in kept.columns["first"]):
        span = np.maximum(kept.integers("last") - kept.integers("first"), 1)
    _add_times(run, kept)
    run.add("throughput", kept.floats("rate"), "printed", span=span)
    return run.run()


def _bert(log: TextLog, records: Records) -> Run:
    run, kept = _run(log, records, records.integers("step"), item="sequence")
    span = spans(run.step)
    _add_times(run, kept)
    run.add("step_time", kept.floats("latency_ms") * span / 1e3, "printed", span=span)
    return run.run()


def _partial_fc(log: TextLog, records: Records) -> Run:
    step = records.integers("step") if len(records) else np.zeros(0, dtype=np.int64)
    run, kept = _run(log, records, step, item="image", model="partial_fc")
    _add_times(run, kept)
    # It says it/sec and counts samples: batch size x devices over the time of an iteration.
    run.add("throughput", kept.floats("rate"), "printed", span=spans(run.step))
    return run.run()
