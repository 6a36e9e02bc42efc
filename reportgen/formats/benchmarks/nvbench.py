"""Read nvbench's JSON: each state of each benchmark on each device becomes one Run of kernel times.

`cold` times single launches with the cache flushed, `batch` many launches in a row: different quantities, and
so different phases. Kernel times are latencies, not training steps. All values are written as texts.

The samples of a state, one a launch and so a step, are beside the JSON as little-endian float32. The JSON
names their file by its path on the machine that wrote it; only the last two parts are used,
`<name>.json-bin/<number>.bin`, below the folder of the JSON, so that no path leads elsewhere. Only the first
MAX_SAMPLES of a file are read: a short kernel has hundreds of thousands, and a JSON may have hundreds.

Format: https://github.com/NVIDIA/nvbench, nvbench/json_printer.cu (JSON version 1).
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from reportgen.core.factors import parse_scalar
from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.rules import Rule
from reportgen.formats.base import Claim, Results
from reportgen.formats.parsing import json_values
from reportgen.formats.parsing.json_values import inside, scalars, table, tables, whole
from reportgen.formats.parsing.run_builder import ResultRun, make_series
from reportgen.formats.parsing.text_log import JsonSign, TextLog, format_of
from reportgen.sources.logfiles import LogFiles

_NAME = "nvbench"
_TIME = lazy_pattern(r"nv/(cold|batch|cpu_only)/time/(gpu|cpu)/(mean|median|min|max)")
_STATISTICS = {"min": "minimum", "max": "maximum"}
_ITEM_RATE = "nv/cold/bw/item_rate"  # elements of the input per second
# Tag -> metric, phase, unit.
_OTHERS = {
    "nv/cold/bw/global/bytes_per_second": ("bandwidth", "cold_gpu", "B/s"),
    _ITEM_RATE: ("throughput", "cold_gpu", "items/s"),
    "nv/cold/sm_clock_rate/mean": ("sm_clock", "cold_gpu", "Hz"),
}
_SAMPLES_TAG = "nv/json/bin:nv/cold/sample_times"
MAX_SAMPLES = 1000
_SAMPLE_BYTES = 4
_SAMPLE_FILE = lazy_pattern(r"[\w .,+=@%()~-]{1,200}-bin/[0-9]{1,9}\.bin")
_VALUE = lazy_pattern(rb'"value"\s{0,9}:\s{0,9}"([^"\n]{1,400})"')


def _with_samples(files: LogFiles, claim: Claim | None) -> Claim | None:
    """Return a claim on a JSON document as one on the sample files that it names, too."""
    if not claim:
        return None
    paths = (_sample_path(text.decode("utf-8", "replace")) for text in _VALUE.findall(files.head(files.path)))
    return replace(claim, beside=tuple(dict.fromkeys(path for path in paths if path)))


def read(log: TextLog) -> Results:
    """Yield a run for each state."""
    document = json_values.load(log.content)
    if not isinstance(document, dict):
        log.malformed.add(1, "not a JSON document; it may be truncated")
    parts = table(document)
    devices = {whole(device.get("id")): device for device in tables(parts.get("devices"))}
    benchmarks = tables(parts.get("benchmarks"))
    states = [(benchmark, state) for benchmark in benchmarks for state in tables(benchmark.get("states"))]
    lines = json_values.lines_of(log.content, b'"is_skipped"', len(states))
    seen: set[str] = set()
    for number, (line, (benchmark, state)) in enumerate(zip(lines, states, strict=True), 1):
        run = ResultRun.of_file(_NAME, log.files, line, number, framework="nvbench")
        run.environment = scalars({"nvbench": inside(parts, "meta", "version", "nvbench", "string")})
        device = state.get("device")
        names = {"benchmark": benchmark.get("name"), "device": devices.get(whole(device), {}).get("name")}
        run.factors |= scalars({**names, "device_id": device})
        summaries = {
            str(summary.get("tag")): {
                str(datum.get("name")): str(datum.get("value")) for datum in tables(summary.get("data"))
            }
            for summary in tables(state.get("summaries"))
        }
        _fill(run, state, {tag: summary.get("value", "") for tag, summary in summaries.items()})
        summary = summaries.get(_SAMPLES_TAG)
        if summary is not None and (fault := _add_samples(run, log.files, summary, seen)):
            log.malformed.add(line, fault)
        yield run.run()
    yield from log.malformed.findings()


FORMAT = format_of(
    _NAME,
    "JSON results of nvbench, with the sample files beside them.",
    (JsonSign((b'"nvbench"', b'"meta"'), 1.0),),
    read,
    _with_samples,
)


def _fill(run: ResultRun, state: Mapping[str, Any], values: Mapping[str, str]) -> None:
    """Add what a state chose and measured; `values` are the values of its summaries by tag."""
    for axis in tables(state.get("axis_values")):
        if isinstance(axis.get("name"), str) and isinstance(axis.get("value"), str):
            run.factors[axis["name"]] = parse_scalar(axis["value"])
    if state.get("is_skipped") is True:
        run.status = "cancelled"
        reason = str(state.get("skip_reason") or "no reason given")[:200]
        run.note(Rule.READ_FAILED_RUN, f"skipped: {reason}")
    if _ITEM_RATE in values:
        run.factors.setdefault("item", "element")
    for tag, text in values.items():
        if time := _TIME.fullmatch(tag):
            metric, phase, unit = "latency", f"{time[1]}_{time[2]}", "s"
            kind, statistic = time[1], _STATISTICS.get(time[3], time[3])
        elif tag in _OTHERS:
            (metric, phase, unit), kind, statistic = _OTHERS[tag], "cold", "mean"
        else:
            continue
        n = values.get(f"nv/{kind}/sample_size", "0")
        count = int(n) if n.isascii() and n.isdigit() and len(n) < 16 else 0
        rounded = f"{text[:40]} {unit}"
        run.add_aggregate(metric, json_values.number(text), rounded, statistic, count, phase=phase)


def _add_samples(run: ResultRun, files: LogFiles, summary: Mapping[str, str], seen: set[str]) -> str:
    """Add the samples of a state by the `filename` and `size` of its summary; return what is wrong with them.

    seen  sample files of earlier states
    """
    path = _sample_path(summary.get("filename", ""))
    sibling = files.read_sibling_head(path, MAX_SAMPLES * _SAMPLE_BYTES) if path else None
    if sibling is None:
        return "the sample file of a state is not beside the JSON or could not be read with it"
    if path in seen:
        return "the sample file of a state belongs to another state"
    content, size = sibling
    if size % _SAMPLE_BYTES or summary.get("size") != str(size // _SAMPLE_BYTES):
        return "the size of a state's sample file is not four bytes per sample"
    seen.add(path)
    value = np.frombuffer(content, "<f4", len(content) // _SAMPLE_BYTES).astype(np.float64)
    step, source = np.arange(1, len(value) + 1), files.source(path)
    run.series = [make_series("latency", "cuda_event", step, value, source, phase="cold_gpu")]
    return ""


def _sample_path(path: str) -> str:
    """Return the last two parts of a path if they name a sample file, else ""."""
    name = "/".join(re.split(r"[/\\]+", path[-400:])[-2:])
    return name if _SAMPLE_FILE.fullmatch(name) else ""
