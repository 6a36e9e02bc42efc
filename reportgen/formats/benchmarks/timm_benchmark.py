"""Read what timm's benchmark.py leaves: JSON at the end of its output, after `--result`, or a CSV file.

Each result becomes one Run of aggregates, or two if inference and training were both measured: their batch
sizes may differ, since the script reduces a batch until it fits. The rate covers the whole loop, the step
time is the mean over its steps alone (40 after 10 of warm-up, by default).

Format: https://github.com/huggingface/pytorch-image-models, benchmark.py.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from reportgen.core.model import STEP, Finding, Run
from reportgen.core.rules import Rule
from reportgen.formats.base import Claim, Format
from reportgen.formats.parsing import json_values
from reportgen.formats.parsing.csv_cells import typed_records
from reportgen.formats.parsing.damage import Malformed
from reportgen.formats.parsing.run_builder import ResultRun
from reportgen.formats.parsing.text_log import TextLog, claim
from reportgen.sources.logfiles import LogFiles

_NAME = "timm_benchmark"
# Prefix of the keys -> name of the test.
_TESTS = {"infer": "inference", "train": "train"}
_RATE = "samples_per_sec"
_FIGURES = (
    (_RATE, "throughput", STEP, 1.0, "samples/s"),
    ("step_time", "step_time", STEP, 1e-3, "ms"),
    ("fwd_time", "step_time", "forward", 1e-3, "ms"),
    ("bwd_time", "step_time", "backward", 1e-3, "ms"),
    ("opt_time", "step_time", "optimizer", 1e-3, "ms"),
)
_KEYS = tuple((f'"{prefix}_{_RATE}"'.encode(), f'"{prefix}_step_time"'.encode()) for prefix in _TESTS)
_DELIMITED = re.compile(rb'^--result\n(?=\s{0,20}[\[{]\s{0,20}\{?\s{0,20}"model": ")', re.MULTILINE)
_CSV_HEAD = re.compile(
    rb"\Amodel,(?:\w{1,40},){0,40}(?:infer|train)_samples_per_sec,(?:infer|train)_step_time"
)

# The line that a result begins in, and its keys.
Result = tuple[int, Mapping[str, Any]]


def claims(files: LogFiles) -> Claim | None:
    """Claim JSON with a rate and its step time, text with JSON after the delimiter, CSV with both."""
    for keys in _KEYS:
        if claimed := json_values.claim(files, keys, 0.95):
            return claimed
    return claim(files, b"--result", _DELIMITED, 0.95) or claim(files, b"_samples_per_sec,", _CSV_HEAD, 0.95)


def read(files: LogFiles) -> Iterator[Run | Finding]:
    """Yield a run for each result of inference or training, and for each that failed."""
    log = TextLog(files)
    number = 0
    for line, result in _results(log.content, log.malformed):
        prefixes = _prefixes(result)
        if not prefixes:
            log.malformed.add(line, "not the result of a test")
        for prefix in prefixes:
            number += 1
            run = ResultRun.of_file(_NAME, files, line, number, framework="timm", item="image")
            _fill(run, result, prefix)
            yield run.run()
    yield from log.malformed.findings()


FORMAT = Format(
    _NAME,
    "Results of timm's benchmark.py: JSON, console output or CSV.",
    claims,
    read,
    marks=(*(rate for rate, _ in _KEYS), b"--result\n", b"--result\r\n", b"_samples_per_sec,"),
)


def _results(content: bytes, malformed: Malformed) -> Iterator[Result]:
    """Yield each result in a file of either kind."""
    starts = [match.end() for match in _DELIMITED.finditer(content)]
    if content.lstrip()[:1] in (b"[", b"{"):
        starts = [0]
    line, before = 1, 0
    for start, end in zip(starts, [*starts[1:], len(content)], strict=False):
        line, before = line + content.count(b"\n", before, start), start
        yield from _of_json(content[start:end], line, malformed)
    if not starts:
        yield from typed_records(content, malformed)


def _of_json(text: bytes, line: int, malformed: Malformed) -> Iterator[Result]:
    """Yield the results of the document at the beginning of a text, each with the line of its model."""
    document = json_values.load_leading(text)
    results = [x for x in (document if isinstance(document, list) else [document]) if isinstance(x, dict)]
    if not results:
        malformed.add(line, "not a JSON document; it may be truncated")
    before = 0
    for result in results:
        at = max(text.find(b'"model"', before), before)
        line, before = line + text.count(b"\n", before, at), at + 1
        yield line, result


def _prefixes(result: Mapping[str, Any]) -> list[str]:
    """Return the prefixes of the tests in a result; "" for a failure that may belong to either test."""
    rates = {prefix: json_values.number(result.get(f"{prefix}_{_RATE}")) for prefix in _TESTS}
    measured = [prefix for prefix, rate in rates.items() if np.isfinite(rate)]
    if "error" not in result:
        return measured
    # The error has no prefix: it belongs to the test without results.
    return [*measured, *(prefix for prefix in _TESTS if prefix not in measured)] if measured else [""]


def _fill(run: ResultRun, result: Mapping[str, Any], prefix: str) -> None:
    batch = json_values.whole(result.get(f"{prefix}_batch_size")) or None
    values = {
        "model": json_values.scalar(result.get("model")),
        "test": _TESTS.get(prefix),
        "batch_size": batch,
        "image_size": json_values.whole(result.get(f"{prefix}_img_size")),
    }
    run.factors |= {name: value for name, value in values.items() if value is not None}
    run.samples_per_step = float(batch) if batch else None
    for name, metric, phase, factor, unit in _FIGURES:
        text = result.get(f"{prefix}_{name}")
        run.add_aggregate(metric, json_values.number(text) * factor, f"{str(text)[:40]} {unit}", phase=phase)
    if not run.aggregates:
        error = str(result["error"])
        run.status = "out_of_memory" if "out of memory" in error.lower() else "failed"
        run.note(Rule.READ_FAILED_RUN, f"{run.status.replace('_', ' ')}: {error[:200]}")
