"""Read MXNet's logs: Speedometer lines (NGC, gluon-cv, InsightFace), gluon-nlp BERT, Partial FC.

A file becomes one Run. With several ranks or metrics a line stands there several times and counts once. Where
lines begin with date and time, times are kept beside the printed rates.

Format: parsing.speedometer, dmlc/gluon-nlp scripts/bert, deepinsight/insightface recognition.
"""

from collections.abc import Iterator

import numpy as np

from reportgen.core.model import FactorValue, Finding, IntArray, Run
from reportgen.formats.base import Claim, Format
from reportgen.formats.dlperf.line_template import line_pattern
from reportgen.formats.parsing import speedometer
from reportgen.formats.parsing.run_builder import RunBuilder, once, spans
from reportgen.formats.parsing.text_log import Records, TextLog, claim
from reportgen.sources.logfiles import LogFiles

_NAME = "mxnet"
_BERT = line_pattern("[step {step:int}]{..}throughput={}K tks/s{..}latency={latency_ms} ms/batch")
_PARTIAL = line_pattern("Iter:{step:int}  Rank:{} it/sec  Total:{rate} it/sec")
_MARKS = ((speedometer.PROBE, speedometer.LINE), (b"K tks/s", _BERT), (b"Total:", _PARTIAL))


def claims(files: LogFiles) -> Claim | None:
    """Claim a file with a record of one of the three kinds."""
    found = (claim(files, literal, pattern, 0.9) for literal, pattern in _MARKS)
    return next((one for one in found if one), None)


def read(files: LogFiles) -> Iterator[Run | Finding]:
    """Yield the run of the file."""
    log = TextLog(files)
    run, found = speedometer.step_run(log, _NAME)
    if len(found):
        run.factors["framework"] = "MXNet"
        speedometer.add_series(run, found)
        yield run.run()
    elif len(records := log.records(_BERT, b"K tks/s")):
        yield _bert(log, records)
    else:
        yield _partial_fc(log, log.records(_PARTIAL, b"Total:"))


FORMAT = Format(
    _NAME,
    "Training logs of MXNet: Speedometer, gluon-cv, gluon-nlp, InsightFace, Partial FC.",
    claims,
    read,
    marks=tuple(literal for literal, _ in _MARKS),
)


def _run(
    log: TextLog, records: Records, step: IntArray, **factors: FactorValue
) -> tuple[RunBuilder, Records]:
    """Return the run and the records that are the first of their step, with times where lines have dates."""
    keep = once(step)
    end = int(records.end[-1]) if len(records) else 0
    records = records.take(keep)
    run = RunBuilder(
        log, _NAME, step[keep], records.line, last=end, factors={"framework": "MXNet", **factors}
    )
    return run, records


def _bert(log: TextLog, records: Records) -> Run:
    run, kept = _run(log, records, records.integers("step"), item="sequence")
    span = spans(run.step)
    speedometer.add_times(run, kept)
    run.add("step_time", kept.floats("latency_ms") * span / 1e3, "printed", span=span)
    return run.run()


def _partial_fc(log: TextLog, records: Records) -> Run:
    step = records.integers("step") if len(records) else np.zeros(0, dtype=np.int64)
    run, kept = _run(log, records, step, item="image", model="partial_fc")
    speedometer.add_times(run, kept)
    # It says it/sec and counts samples: batch size x devices over the time of an iteration.
    run.add("throughput", kept.floats("rate"), "printed", span=spans(run.step))
    return run.run()
