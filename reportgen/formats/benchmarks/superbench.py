"""Read SuperBench's results-summary.jsonl (a line per node) and the monitor.jsonl beside it.

Each node becomes one Run with an aggregate per key, `benchmark[:annotation]/[run/]metric[:rank]`; a monitor
becomes a Run of telemetry. Keys have no units: those that SuperBench documents are converted, the others
kept as they stand. A benchmark whose return code is not 0 failed; one without keys was not run, which
nothing in the file says. A diagnosis_summary is recognised and has no results of its own: it compares those
of the other file with a baseline, under the same keys.

Format: https://github.com/microsoft/superbenchmark, runner/runner.py and monitor/record.py.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from reportgen.core.model import Aggregate, FactorValue, Finding, Run, Source, Status, Telemetry
from reportgen.core.rules import Rule
from reportgen.formats.base import Claim, Format
from reportgen.formats.parsing import json_values
from reportgen.formats.parsing.damage import Malformed
from reportgen.formats.parsing.text_log import seconds
from reportgen.sources.logfiles import LogFiles

_NAME = "superbench"
_KEY = re.compile(r"(?P<place>[^\n]{1,200})/(?P<metric>[^/\n]{1,120}?)(?::(?P<rank>\d{1,6}))?")
_RETURN_CODE = "return_code"
# In JSON lines, and in JSON.
_DIAGNOSES = (b'"Defective Details"', b'"diagnosis/issue_details"')
# What a metric of SuperBench is, by its name; the rest of the name goes into the phase.
_TIMES = re.compile(r"(?:step_?times?|(?P<a>[a-z0-9]+_(?:train|inference))_step_time)_?(?P<b>.*)")
_RATES = re.compile(r"(?:(?P<a>[a-z0-9]+_(?:train|inference))_)?throughput_?(?P<b>.*)")
_BANDWIDTHS = re.compile(
    r"(?P<a>ib_(?:write|read|send)_bw_[0-9].*)|(?P<b>.*?)_?(?P<c>busbw|algbw|bw)", re.IGNORECASE
)
# benchmark -> (metrics, what they are, factor), where its units are its own. Rates of integers are no FLOP.
_OWN_UNITS = {
    "gemm-flops": (re.compile(r"(?:fp|tf|bf)(?:8|16|32|64)(?:_.*)?", re.IGNORECASE), "flops", 1e9),
    "cublaslt-gemm": (re.compile(r"(?!int).*_flops"), "flops", 1e12),
    "hipblaslt-gemm": (re.compile(r"(?!int).*_flops"), "flops", 1e12),
    "cpu-hpl": (re.compile(r"throughput"), "flops", 1e9),
    "cpu-stream": (re.compile(r"(?:copy|scale|add|triad)_throughput"), "bandwidth", 1e6),
    "cpu-memory-bw-latency": (re.compile(r".*_bw"), "bandwidth", 1e6),
}
_MONITORED = {"gpu_usage": ("utilization", 0.01), "gpu_temperature": ("temperature", 1.0),
              "gpu_power_limit": ("power_limit", 1.0), "gpu_power": ("power", 1.0),
              # Documented as MB, written in bytes.
              "gpu_mem_used": ("memory_used", 1.0), "gpu_mem_total": ("memory_total", 1.0)}  # fmt: skip


def claims(files: LogFiles) -> Claim | None:
    """Claim JSON lines with a node and return codes, or with the samples of the monitor, and a diagnosis."""
    for literal in _DIAGNOSES:
        if diagnosis := json_values.claim(files, (literal,), 0.9):
            return replace(diagnosis, reason="a diagnosis: deviations from a baseline, and no results")
    results = json_values.claim(files, (b"/return_code", b'"node"'), 0.9, b"{")
    return results or json_values.claim(files, (b'"gpu_usage:0"', b'"cpu_usage"', b'"time"'), 0.9, b"{")


def read(files: LogFiles) -> Iterator[Run | Finding]:
    """Yield a run for each node, or the run of the monitor; nothing for a diagnosis."""
    if any(literal in files.head(files.path) for literal in _DIAGNOSES):
        return
    content = files.bytes(files.path)
    malformed = Malformed(files.id(files.path), files.source(files.path).path)
    found = list(json_values.objects(content, malformed))
    if any("cpu_usage" in one and "time" in one for _, one in found[:1]):
        yield _monitor(files, found)
    else:
        for number, (line, one) in enumerate(found, 1):
            yield _node(files, number, line, one)
    yield from malformed.findings()


FORMAT = Format(
    _NAME,
    "Results and monitor samples of SuperBench.",
    claims,
    read,
    marks=(b"/return_code", b'"gpu_usage:0"', *_DIAGNOSES),
)


def _node(files: LogFiles, number: int, line: int, found: Mapping[str, Any]) -> Run:
    source, id = files.source(files.path, line), files.id(files.path, number)
    factors: dict[str, FactorValue] = {"framework": "SuperBench"}
    if (node := json_values.scalar(found.get("node"))) is not None:
        factors["node"] = node
    codes: dict[str, set[float]] = defaultdict(set)
    aggregates = []
    for key, value in found.items():
        match = _KEY.fullmatch(key)
        measured = json_values.number(value)
        if not match or not np.isfinite(measured):
            continue
        if match["metric"] == _RETURN_CODE:
            codes[match["place"]].add(measured)
        else:
            aggregates.append(_aggregate(match, measured, source))
    failed = sorted(place for place, said in codes.items() if said != {0.0})
    status: Status = "complete"
    findings = []
    if failed:
        status = "failed" if len(failed) == len(codes) else "partial"
        rule = Rule.READ_FAILED_RUN if status == "failed" else Rule.READ_INCOMPLETE_RUN
        shown = ", ".join(failed[:5]) + (", ..." if len(failed) > 5 else "")
        message = f"{len(failed)} of {len(codes)} benchmarks ended with a return code other than 0: {shown}"
        findings.append(Finding("warning", rule, id, message, source))
    return Run(
        id, _NAME, source, factors, status=status, aggregates=tuple(aggregates), findings=tuple(findings)
    )


def _aggregate(match: re.Match[str], value: float, source: Source) -> Aggregate:
    name, place = match["metric"], match["place"]
    rank = f":{match['rank']}" if match["rank"] else ""
    own = _OWN_UNITS.get(re.split("[:/]", place, maxsplit=1)[0])
    if own and own[0].fullmatch(name):
        return Aggregate(
            own[1],
            phase=f"{place}/{name}{rank}",
            value=value * own[2],
            original=f"{value:g}",
            statistic="mean",
            source=source,
        )
    for pattern, metric, factor in ((_TIMES, "step_time", 1e-3), (_RATES, "throughput", 1.0),
                                    (_BANDWIDTHS, "bandwidth", 1e9)):  # fmt: skip
        if found := pattern.fullmatch(name):
            rest = "_".join(part for part in found.groups() if part)
            phase = f"{place}/{rest}{rank}" if rest else f"{place}{rank}"
            return Aggregate(
                metric,
                phase=phase,
                value=value * factor,
                original=f"{value:g}",
                statistic=_statistic(rest),
                source=source,
            )
    if place == "monitor" and name in _MONITORED:
        metric, factor = _MONITORED[name]
        return Aggregate(
            metric,
            phase=place + rank,
            value=value * factor,
            original=f"{value:g}",
            statistic="mean",
            source=source,
        )
    return Aggregate(
        name, phase=place + rank, value=value, original=f"{value:g}", statistic="mean", source=source
    )


def _statistic(rest: str) -> str:
    """Return the percentile that a name ends in (nearest rank), else the mean."""
    percentile = re.search(r"(?:^|_)(50|90|95|99|99\.9)$", rest)
    if not percentile:
        return "mean"
    return "median" if percentile[1] == "50" else f"percentile {percentile[1]}"


def _monitor(files: LogFiles, found: list[tuple[int, dict[str, Any]]]) -> Run:
    samples = [one for _, one in found]
    t = seconds([_date(one.get("time")) for one in samples])
    devices = sorted(
        {
            int(key.partition(":")[2])
            for one in samples
            for key in one
            if re.fullmatch(r"gpu_\w{1,60}:\d{1,4}", key)
        }
    )
    source = files.source(files.path)
    telemetry = []
    for device in devices:
        columns = {
            metric: np.array([json_values.number(one.get(f"{name}:{device}")) for one in samples]) * factor
            for name, (metric, factor) in _MONITORED.items()
        }
        known = {metric: values for metric, values in columns.items() if np.isfinite(values).any()}
        telemetry.append(Telemetry(str(device), t, known, source))
    return Run(files.id(files.path), _NAME, source, {"framework": "SuperBench"}, telemetry=tuple(telemetry))


def _date(text: object) -> bytes:
    is_date = isinstance(text, str) and re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", text, re.ASCII)
    return str(text).encode() if is_date else b""
