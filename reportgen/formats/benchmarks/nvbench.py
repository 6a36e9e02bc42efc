"""Read nvbench's JSON: each state of each benchmark on each device becomes one Run of kernel times.

`cold` is one launch at a time with the cache flushed, `batch` many in a row: other quantities, and so
phases of their own. Times of kernels are latencies, not steps of training; the single samples of a state,
where they lie beside the JSON, are the steps of its run. All values stand there as texts.

Format: https://github.com/NVIDIA/nvbench, nvbench/json_printer.cu (JSON version 1).
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from reportgen.core.model import Aggregate, FactorValue, Finding, Run, Source, Status
from reportgen.core.rules import Rule
from reportgen.formats.base import Claim, Format
from reportgen.formats.benchmarks.nvbench_samples import TAG, Samples, named_in
from reportgen.formats.parsing import json_values
from reportgen.formats.parsing.csv_cells import typed
from reportgen.formats.parsing.damage import Malformed
from reportgen.sources.logfiles import LogFiles

_NAME = "nvbench"
_KEYS = (b'"nvbench"', b'"meta"')
_TIME = re.compile(r"nv/(cold|batch|cpu_only)/time/(gpu|cpu)/(mean|median|min|max)")
_STATISTICS = {"min": "minimum", "max": "maximum"}
_OTHERS = {
    "nv/cold/bw/global/bytes_per_second": ("bandwidth", "cold_gpu", "B/s"),
    "nv/cold/bw/item_rate": ("throughput", "cold_gpu", "items/s"),
    "nv/cold/sm_clock_rate/mean": ("sm_clock", "cold_gpu", "Hz"),
}


def claims(files: LogFiles) -> Claim | None:
    """Claim a JSON document whose `meta` gives the version of nvbench."""
    found = json_values.claim(files, _KEYS, 1.0, b"{")
    return found and replace(found, beside=named_in(files.head(files.path)))


def read(files: LogFiles) -> Iterator[Run | Finding]:
    """Yield a run for each state."""
    content = files.bytes(files.path)
    found = json_values.load(content)
    if not isinstance(found, dict):
        place = files.source(files.path, 1)
        yield Finding(
            "warning",
            Rule.READ_MALFORMED_LINE,
            files.id(files.path),
            "not a JSON document: was it cut?",
            place,
        )
        return
    devices = {
        json_values.whole(one.get("id")): one
        for one in map(json_values.table, json_values.items(found.get("devices")))
    }
    states = [
        (benchmark, state)
        for benchmark in map(json_values.table, json_values.items(found.get("benchmarks")))
        for state in map(json_values.table, json_values.items(benchmark.get("states")))
    ]
    samples = Samples(files, Malformed(files.id(files.path), files.source(files.path).path))
    at = [match.start() for match in re.finditer(rb'"is_skipped"\s*:', content)]
    environment = _environment(json_values.table(found.get("meta")))
    line, before = 1, 0
    for number, (benchmark, state) in enumerate(states, 1):
        if len(at) == len(states):
            line, before = line + content.count(b"\n", before, at[number - 1]), at[number - 1]
        device = devices.get(json_values.whole(state.get("device")), {})
        run = _run(files, number, files.source(files.path, line), benchmark, state, device, environment)
        summary = _summaries(state).get(TAG)
        yield run if summary is None else replace(run, series=samples.of(summary, line))
    yield from samples.malformed.findings()


FORMAT = Format(
    _NAME, "JSON results of nvbench, with the sample files beside them.", claims, read, marks=_KEYS[:1]
)


def _run(
    files: LogFiles,
    number: int,
    source: Source,
    benchmark: Mapping[str, Any],
    state: Mapping[str, Any],
    device: Mapping[str, Any],
    environment: Mapping[str, FactorValue],
) -> Run:
    factors: dict[str, FactorValue] = {"framework": "nvbench"}
    for name, value in (
        ("benchmark", benchmark.get("name")),
        ("device", device.get("name")),
        ("device_id", state.get("device")),
    ):
        if (known := json_values.scalar(value)) is not None:
            factors[name] = known
    for axis in map(json_values.table, json_values.items(state.get("axis_values"))):
        if isinstance(axis.get("name"), str) and isinstance(axis.get("value"), str):
            factors[axis["name"]] = typed(axis["value"])
    id = files.id(files.path, number)
    status: Status = "complete"
    findings: tuple[Finding, ...] = ()
    if state.get("is_skipped") is True:
        status = "cancelled"
        message = f"skipped: {str(state.get('skip_reason') or 'no reason given')[:200]}"
        findings = (Finding("warning", Rule.READ_FAILED_RUN, id, message, source),)
    aggregates = tuple(_aggregates(state, source))
    return Run(
        id, _NAME, source, factors, environment, status=status, aggregates=aggregates, findings=findings
    )


def _aggregates(state: Mapping[str, Any], source: Source) -> Iterator[Aggregate]:
    summaries = {tag: found.get("value", "") for tag, found in _summaries(state).items()}
    for tag, text in summaries.items():
        time, other = _TIME.fullmatch(tag), _OTHERS.get(tag)
        if time:
            n = summaries.get(f"nv/{time[1]}/sample_size", "0")
            metric, phase, unit, statistic = (
                "latency",
                f"{time[1]}_{time[2]}",
                "s",
                _STATISTICS.get(time[3], time[3]),
            )
        elif other:
            (metric, phase, unit), n, statistic = other, summaries.get("nv/cold/sample_size", "0"), "mean"
        else:
            continue
        value = json_values.number(text)
        if abs(value) < float("inf"):
            count = int(n) if n.isascii() and n.isdigit() and len(n) < 16 else 0
            yield Aggregate(
                metric,
                phase=phase,
                value=value,
                original=f"{text[:40]} {unit}",
                statistic=statistic,
                n=count,
                source=source,
            )


def _summaries(state: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """Return the summaries of a state by their tags, their values as the texts that they are."""
    return {
        str(one.get("tag")): {
            str(value.get("name")): str(value.get("value"))
            for value in map(json_values.table, json_values.items(one.get("data")))
        }
        for one in map(json_values.table, json_values.items(state.get("summaries")))
    }


def _environment(meta: Mapping[str, Any]) -> dict[str, FactorValue]:
    nvbench = json_values.table(json_values.table(meta.get("version")).get("nvbench"))
    version = json_values.scalar(nvbench.get("string"))
    return {} if version is None else {"nvbench": version}
