"""Read SuperBench's results-summary.jsonl (a line per node) and the monitor.jsonl beside it.

Each node becomes one Run with an aggregate per key, `benchmark[:annotation]/[run/]metric[:rank]`; a monitor
becomes a Run of telemetry. Keys have no units: those that SuperBench documents are converted, the others are
kept as they are. A benchmark failed if its return code is not 0; one without keys was not run, which the file
does not say. A diagnosis_summary is recognised and has no results: it compares those of the other file with a
baseline, under the same keys.

Format: https://github.com/microsoft/superbenchmark, runner/runner.py and monitor/record.py.
"""

import re
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

import numpy as np

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.model import Run, Telemetry
from reportgen.core.rules import Rule
from reportgen.formats.base import Results
from reportgen.formats.parsing import json_values
from reportgen.formats.parsing.run_builder import ResultRun
from reportgen.formats.parsing.text_log import JsonSign, TextLog, format_of, seconds
from reportgen.sources.logfiles import LogFiles

_NAME = "superbench"
_KEY = lazy_pattern(r"(?P<place>[^\n]{1,200})/(?P<metric>[^/\n]{1,120}?)(?::(?P<rank>\d{1,6}))?")
_RETURN_CODE = "return_code"
# In JSON lines, and in JSON.
_DIAGNOSES = (b'"Defective Details"', b'"diagnosis/issue_details"')
_IS_DIAGNOSIS = "a diagnosis: deviations from a baseline, no results"
# The kinds of metrics by name: pattern, metric, factor. The rest of a name, its groups, goes into the phase.
# A throughput is that of one process, which has one device; the number of processes is in no key.
_KINDS = (
    (lazy_pattern(r"(?:step_?times?|([a-z0-9]+_(?:train|inference))_step_time)_?(.*)"), "step_time", 1e-3),
    (lazy_pattern(r"(?:([a-z0-9]+_(?:train|inference))_)?throughput_?(.*)"), "throughput_per_device", 1.0),
    (lazy_pattern(r"(?i)(ib_(?:write|read|send)_bw_[0-9].*)|(.*?)_?(busbw|algbw|bw)"), "bandwidth", 1e9),
)
# Benchmarks with units of their own. Integer rates are not FLOP/s.
_OWN_UNITS = {
    "gemm-flops": (lazy_pattern(r"(?i)((?:fp|tf|bf)(?:8|16|32|64)(?:_.*)?)"), "flops", 1e9),
    "cublaslt-gemm": (lazy_pattern(r"((?!int).*_flops)"), "flops", 1e12),
    "hipblaslt-gemm": (lazy_pattern(r"((?!int).*_flops)"), "flops", 1e12),
    "cpu-hpl": (lazy_pattern(r"(throughput)"), "flops", 1e9),
    "cpu-stream": (lazy_pattern(r"((?:copy|scale|add|triad)_throughput)"), "bandwidth", 1e6),
    "cpu-memory-bw-latency": (lazy_pattern(r"(.*_bw)"), "bandwidth", 1e6),
}
_MONITORED = {"gpu_usage": ("utilization", 0.01), "gpu_temperature": ("temperature", 1.0),
              "gpu_power_limit": ("power_limit", 1.0), "gpu_power": ("power", 1.0),
              # Documented as MB, written in bytes.
              "gpu_mem_used": ("memory_used", 1.0), "gpu_mem_total": ("memory_total", 1.0)}  # fmt: skip
_PERCENTILE = lazy_pattern(r"(?:^|_)(50|90|95|99|99\.9)$")
_MAX_NAMED_BENCHMARKS = 5


def read(log: TextLog) -> Results:
    """Yield a run for each node, or the run of the monitor; nothing for a diagnosis."""
    files = log.files
    if any(literal in files.head(files.path) for literal in _DIAGNOSES):
        return
    entries = list(json_values.objects(log.content, log.malformed))
    if entries and "cpu_usage" in entries[0][1] and "time" in entries[0][1]:
        yield _monitor(files, [sample for _, sample in entries])
    else:
        for number, (line, entry) in enumerate(entries, 1):
            run = ResultRun.of_file(_NAME, files, line, number, framework="SuperBench")
            _add_node(run, entry)
            yield run.run()
    yield from log.malformed.findings()


FORMAT = format_of(
    _NAME,
    "Results and monitor samples of SuperBench.",
    (
        *(JsonSign((mark,), 0.9, (b"{", b"["), _IS_DIAGNOSIS) for mark in _DIAGNOSES),
        JsonSign((b"/return_code", b'"node"'), 0.9),
        JsonSign((b'"gpu_usage:0"', b'"cpu_usage"', b'"time"'), 0.9),
    ),
    read,
)


def _add_node(run: ResultRun, entry: Mapping[str, Any]) -> None:
    run.factors |= json_values.scalars({"node": entry.get("node")})
    codes: dict[str, set[float]] = defaultdict(set)
    for key, value in entry.items():
        match, measured = _KEY.fullmatch(key), json_values.number(value)
        if not match or not np.isfinite(measured):
            continue
        if match["metric"] == _RETURN_CODE:
            codes[match["place"]].add(measured)
        else:
            _add_figure(run, match, measured)
    failed = sorted(place for place, values in codes.items() if values != {0.0})
    if failed:
        run.status = "failed" if len(failed) == len(codes) else "partial"
        rule = Rule.READ_FAILED_RUN if run.status == "failed" else Rule.READ_INCOMPLETE_RUN
        names = ", ".join(failed[:_MAX_NAMED_BENCHMARKS]) + ", ..." * (len(failed) > _MAX_NAMED_BENCHMARKS)
        run.note(rule, f"{len(failed)} of {len(codes)} benchmarks returned a code other than 0: {names}")


def _add_figure(run: ResultRun, match: re.Match[str], value: float) -> None:
    name, place, text = match["metric"], match["place"], f"{value:g}"
    rank = f":{match['rank']}" if match["rank"] else ""
    own = _OWN_UNITS.get(re.split("[:/]", place, maxsplit=1)[0])
    for pattern, metric, factor in (own, *_KINDS) if own else _KINDS:
        if kind := pattern.fullmatch(name):
            rest = "_".join(part for part in kind.groups() if part)
            phase = f"{place}/{rest}{rank}" if rest else f"{place}{rank}"
            run.add_aggregate(metric, value * factor, text, _statistic(rest), phase=phase)
            return
    metric, factor = _MONITORED.get(name, (name, 1.0)) if place == "monitor" else (name, 1.0)
    run.add_aggregate(metric, value * factor, text, phase=place + rank)


def _statistic(rest: str) -> str:
    """Return the percentile that a name ends in (nearest rank), else the mean."""
    percentile = _PERCENTILE.search(rest)
    if not percentile or percentile[1] == "50":
        return "median" if percentile else "mean"
    return f"percentile {percentile[1]}"


def _monitor(files: LogFiles, samples: list[dict[str, Any]]) -> Run:
    run = ResultRun.of_file(_NAME, files, framework="SuperBench")
    t = seconds([_date(sample.get("time")) for sample in samples])
    keys = {key for sample in samples for key in sample if re.fullmatch(r"gpu_\w{1,60}:\d{1,4}", key)}
    for device in sorted({int(key.partition(":")[2]) for key in keys}):
        columns = {
            metric: np.array([json_values.number(sample.get(f"{name}:{device}")) for sample in samples])
            * factor
            for name, (metric, factor) in _MONITORED.items()
        }
        known = {metric: values for metric, values in columns.items() if np.isfinite(values).any()}
        run.telemetry += (Telemetry(str(device), t, known, run.source),)
    return run.run()


def _date(text: object) -> bytes:
    is_date = isinstance(text, str) and re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", text, re.ASCII)
    return str(text).encode() if is_date else b""
