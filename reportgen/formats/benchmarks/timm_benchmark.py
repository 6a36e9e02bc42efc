"""Read what timm's benchmark.py leaves: JSON at the end of its output, after `--result`, or a CSV file.

Each result becomes one Run of aggregates, or two if inference and training were both measured: their batch
sizes may differ, since the script reduces a batch until it fits. The rate covers the whole loop, the step
time is the mean over its steps alone (40 after 10 of warm-up, by default).

Format: https://github.com/huggingface/pytorch-image-models, benchmark.py.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import chain, repeat
from typing import Any

import numpy as np

from reportgen.core.model import STEP
from reportgen.core.rules import Rule
from reportgen.formats.base import Results
from reportgen.formats.parsing import json_values
from reportgen.formats.parsing.csv_cells import typed_records
from reportgen.formats.parsing.run_builder import ResultRun
from reportgen.formats.parsing.text_log import JsonSign, TextLog, TextSign, format_of

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
_CSV_HEAD = re.compile(rb"\Amodel,(?:\w{1,40},){0,40}(infer|train)_samples_per_sec,(infer|train)_step_time")

# The line that a result begins in, and its keys.
Result = tuple[int, Mapping[str, Any]]


def read(log: TextLog) -> Results:
    """Yield a run for each result of inference or training, and for each that failed."""
    number = 0
    for line, result in _results(log):
        prefixes = _prefixes(result)
        if not prefixes:
            log.malformed.add(line, "not the result of a test")
        for prefix in prefixes:
            number += 1
            run = ResultRun.of_file(_NAME, log.files, line, number, framework="timm", item="image")
            _fill(run, result, prefix)
            yield run.run()
    yield from log.malformed.findings()


FORMAT = format_of(
    _NAME,
    "Results of timm's benchmark.py: JSON, console output or CSV.",
    (
        *(JsonSign(keys, 0.95, (b"{", b"[")) for keys in _KEYS),
        TextSign((b"--result\n", b"--result\r\n"), _DELIMITED, 0.95),
        TextSign((b"_samples_per_sec,",), _CSV_HEAD, 0.95),
    ),
    read,
)


def _results(log: TextLog) -> Iterator[Result]:
    """Yield each result in a file of any kind; in a JSON document, with the line of its model."""
    is_json = log.content.lstrip()[:1] in (b"[", b"{")
    starts = [0] if is_json else [match.end() for match in _DELIMITED.finditer(log.content)]
    if not starts:
        yield from typed_records(log.content, log.malformed)
    for part in log.parts(starts):
        document = json_values.load_leading(part.content)
        results = [x for x in (document if isinstance(document, list) else [document]) if isinstance(x, dict)]
        models = [0, *(match.start() for match in re.finditer(b'"model"', part.content))]
        first, *lines = part.lines(models).tolist()
        if not results:
            log.malformed.add(first, "not a JSON document; it may be truncated")
        yield from zip(chain(lines, repeat(lines[-1] if lines else first)), results, strict=False)


def _prefixes(result: Mapping[str, Any]) -> list[str]:
    """Return the prefixes of the tests in a result; "" for a failure that may belong to either test."""
    rates = ((prefix, json_values.number(result.get(f"{prefix}_{_RATE}"))) for prefix in _TESTS)
    measured = [prefix for prefix, rate in rates if np.isfinite(rate)]
    if "error" not in result:
        return measured
    # The error has no prefix: it belongs to the test without results.
    return [*measured, *(prefix for prefix in _TESTS if prefix not in measured)] if measured else [""]


def _fill(run: ResultRun, result: Mapping[str, Any], prefix: str) -> None:
    batch = json_values.whole(result.get(f"{prefix}_batch_size")) or None
    run.factors |= json_values.scalars({
        "model": result.get("model"), "test": _TESTS.get(prefix), "batch_size": batch,
        "image_size": json_values.whole(result.get(f"{prefix}_img_size")),
    })  # fmt: skip
    run.samples_per_step = float(batch) if batch else None
    for name, metric, phase, factor, unit in _FIGURES:
        text = result.get(f"{prefix}_{name}")
        run.add_aggregate(metric, json_values.number(text) * factor, f"{str(text)[:40]} {unit}", phase=phase)
    if not run.aggregates:
        error = str(result["error"])
        run.status = "out_of_memory" if "out of memory" in error.lower() else "failed"
        run.note(Rule.READ_FAILED_RUN, f"{run.status.replace('_', ' ')}: {error[:200]}")
