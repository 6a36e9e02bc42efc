"""Read what timm's benchmark.py leaves: JSON at the end of its output, behind `--result`, or a CSV file.

Each result becomes one Run of aggregates, and two where inference and training were both measured: their
batch sizes may differ, since the script makes a batch smaller until it fits. The rate is that of the whole
loop, the step time the mean over its steps alone (40, after 10 of warm-up, unless told otherwise).

Format: https://github.com/huggingface/pytorch-image-models, benchmark.py.
"""

import csv
import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from reportgen.core.model import STEP, Aggregate, Finding, Run, Source, Status
from reportgen.core.rules import Rule
from reportgen.formats.base import Claim, Format
from reportgen.formats.parsing import json_values
from reportgen.formats.parsing.csv_cells import rows, typed
from reportgen.formats.parsing.damage import Malformed
from reportgen.formats.parsing.run_builder import known
from reportgen.formats.parsing.text_log import TextLog, claim
from reportgen.sources.logfiles import LogFiles

_NAME = "timm_benchmark"
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
_HEADING = re.compile(
    rb"\Amodel,(?:\w{1,40},){0,40}(?:infer|train)_samples_per_sec,(?:infer|train)_step_time"
)

Result = tuple[int, Mapping[str, Any]]


def claims(files: LogFiles) -> Claim | None:
    """Claim JSON with a rate and its step time, text with JSON behind the delimiter, CSV with both."""
    for keys in _KEYS:
        if found := json_values.claim(files, keys, 0.95):
            return found
    return claim(files, b"--result", _DELIMITED, 0.95) or claim(files, b"_samples_per_sec,", _HEADING, 0.95)


def read(files: LogFiles) -> Iterator[Run | Finding]:
    """Yield a run for each result of inference or training, and for each that failed."""
    log = TextLog(files)
    number = 0
    for line, found in _results(log.content, log.malformed):
        tests = _tests(found)
        if not tests:
            log.malformed.add(line, "no result of a test")
        for prefix, test in tests:
            number += 1
            yield _run(files.id(files.path, number), files.source(files.path, line), found, prefix, test)
    yield from log.malformed.findings()


FORMAT = Format(
    _NAME,
    "Results of timm's benchmark.py: JSON, console output or CSV.",
    claims,
    read,
    marks=(*(rate for rate, _ in _KEYS), b"--result\n", b"--result\r\n", b"_samples_per_sec,"),
)


def _results(content: bytes, malformed: Malformed) -> Iterator[Result]:
    """Yield (line, result) of each result in a file of either kind."""
    begins = [found.end() for found in _DELIMITED.finditer(content)]
    if content.lstrip()[:1] in (b"[", b"{"):
        begins = [0]
    line, before = 1, 0
    for begin, end in zip(begins, [*begins[1:], len(content)], strict=False):
        line, before = line + content.count(b"\n", before, begin), begin
        yield from _of_json(content[begin:end], line, malformed)
    if not begins:
        yield from _of_csv(content, malformed)


def _of_json(text: bytes, line: int, malformed: Malformed) -> Iterator[Result]:
    """Yield the results of the document that a text begins with, each with the line of its model."""
    found = json_values.leading(text)
    results = [one for one in (found if isinstance(found, list) else [found]) if isinstance(one, dict)]
    if not results:
        malformed.add(line, "not a JSON document: was it cut?")
    before = 0
    for one in results:
        at = max(text.find(b'"model"', before), before)
        line, before = line + text.count(b"\n", before, at), at + 1
        yield line, one


def _of_csv(content: bytes, malformed: Malformed) -> Iterator[Result]:
    """Yield the rows as results; a cell that is blank was not measured."""
    names: list[str] = []
    try:
        for line, cells in rows(content.decode("utf-8", "replace")):
            if not names:
                names = cells
            elif len(cells) != len(names):
                malformed.add(line, "not as many cells as the heading")
            else:
                yield line, {name: typed(cell) for name, cell in zip(names, cells, strict=True) if cell}
    except csv.Error:
        malformed.add(1, "not CSV")


def _tests(found: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return (prefix of its keys, name) of what a result is of; "" for a failure that could be of either."""
    measured = [
        (prefix, test) for prefix, test in _TESTS.items() if np.isfinite(_number(found, f"{prefix}_{_RATE}"))
    ]
    if "error" not in found:
        return measured
    # The error has no prefix: of two tests it is that of the one without results.
    return [*measured, *(one for one in _TESTS.items() if one not in measured)] if measured else [("", "")]


def _run(id: str, source: Source, found: Mapping[str, Any], prefix: str, test: str) -> Run:
    batch = json_values.whole(found.get(f"{prefix}_batch_size")) or None
    factors = known({
        "framework": "timm", "item": "image", "model": json_values.scalar(found.get("model")), "test": test,
        "batch_size": batch, "image_size": json_values.whole(found.get(f"{prefix}_img_size")),
    })  # fmt: skip
    status: Status = "complete"
    findings: tuple[Finding, ...] = ()
    aggregates = tuple(_aggregates(found, prefix, source))
    if not aggregates:
        error = str(found["error"])
        status = "out_of_memory" if "out of memory" in error.lower() else "failed"
        message = f"{status.replace('_', ' ')}: {error[:200]}"
        findings = (Finding("warning", Rule.READ_FAILED_RUN, id, message, source),)
    return Run(
        id, _NAME, source, factors, status=status, samples_per_step=float(batch) if batch else None,
        aggregates=aggregates, findings=findings,
    )  # fmt: skip


def _aggregates(found: Mapping[str, Any], prefix: str, source: Source) -> Iterator[Aggregate]:
    for name, metric, phase, factor, unit in _FIGURES:
        value = _number(found, key := f"{prefix}_{name}")
        if np.isfinite(value):
            yield Aggregate(
                metric,
                phase=phase,
                value=value * factor,
                original=f"{str(found[key])[:40]} {unit}",
                statistic="mean",
                source=source,
            )


def _number(found: Mapping[str, Any], key: str) -> float:
    return json_values.number(found.get(key))
