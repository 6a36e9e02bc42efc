"""Read optimum-benchmark's results: a report with its configuration beside it, or both in one file.

A folder, or a file alone, becomes one Run: a latency and a rate per target (forward, prefill, decode, ...).
A training run has its steps. The rate that it prints for training is too high by the number of steps and
ignores the other processes, and is never read: throughput follows from the steps and the configured batch.

Format: https://github.com/huggingface/optimum-benchmark, benchmark/report.py and trackers/latency.py.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from reportgen.core.model import Aggregate, Clock, Finding, Run, Series, Source
from reportgen.core.rules import Rule
from reportgen.formats.base import Claim, Format
from reportgen.formats.huggingface.optimum_config import described, is_on_gpu, processes, training_batch
from reportgen.formats.parsing import json_values
from reportgen.sources.logfiles import LogFiles

_NAME = "optimum_benchmark"
_REPORT = (b'"latency"', b'"throughput"', b'"efficiency"')
_CONFIG = (b'"_target_"', b"optimum_benchmark.")
# Both parts in one document; the report may begin behind what a claim looks at.
_BOTH = (b'"config"', b"optimum_benchmark.")
_TO_BASE = {"latency": {"s": 1.0, "ms": 1e-3}, "memory": {"MB": 1e6, "GB": 1e9, "KB": 1e3, "B": 1.0},
            "energy": {"kWh": 3.6e6, "Wh": 3600.0, "J": 1.0}}  # fmt: skip


def claims(files: LogFiles) -> Claim | None:
    """Claim a folder that has a report and its configuration, or a file that is one of the two or both."""
    if not files.is_folder:
        return json_values.claim(files, _BOTH, 0.95, b"{") or json_values.claim(files, _REPORT, 0.8, b"{")
    kinds: dict[str, Claim] = {}
    for name in files.children()[0]:
        if not name.endswith(".json"):
            continue
        file = files.file(name)
        for kind, literals in (("both", _BOTH), ("config", _CONFIG), ("report", _REPORT)):
            if kind not in kinds and (found := json_values.claim(file, literals, 0.97, b"{")):
                kinds[kind] = found
                break
    if not {"config", "report"} <= set(kinds):
        return None
    report = kinds["report"]
    names = tuple(sorted(one.files[0] for one in kinds.values()))
    return Claim(0.97, report.source, report.reason, names)


def read(files: LogFiles) -> Iterator[Run | Finding]:
    """Yield the run."""
    report: Mapping[str, Any] = {}
    config: Mapping[str, Any] = {}
    place, content = "", b""
    for path in files:
        found = json_values.load(text := files.bytes(path))
        if not isinstance(found, dict):
            yield Finding(
                "warning",
                Rule.READ_MALFORMED_LINE,
                files.id(path),
                "not a JSON document: was it cut?",
                files.source(path, 1),
            )
        elif "_target_" in json_values.table(found.get("backend")):
            config = found
        elif isinstance(found.get("report"), dict) and not report:
            report, config = found["report"], config or json_values.table(found.get("config"))
            place, content = path, text
        elif "config" not in found:
            report, place, content = found, path, text
    if report:
        yield _run(files, place, content, report, config)


FORMAT = Format(
    _NAME,
    "Reports and configurations of optimum-benchmark.",
    claims,
    read,
    marks=(_BOTH[0], _REPORT[0]),
    folders=True,
)


def _run(
    files: LogFiles, place: str, content: bytes, report: Mapping[str, Any], config: Mapping[str, Any]
) -> Run:
    factors, environment = described(config)
    id = files.id() if files.is_folder else files.id(place)
    is_training = "train" in report or "overall" in report
    aggregates = []
    for target, found in report.items():
        line = json_values.line_of(content, f'"{target}"'.encode("utf-8", "replace"))
        source = files.source(place, line)
        aggregates += list(_aggregates(target, json_values.table(found), source, is_training=is_training))
    series: tuple[Series, ...] = ()
    samples = training_batch(config) if is_training else None
    if is_training:
        series = _steps(report, config, files.source(place), samples)
    whole = None if samples is None else float(samples * processes(config))
    return Run(
        id,
        _NAME,
        files.source(place),
        factors,
        environment,
        samples_per_step=whole,
        series=series,
        aggregates=tuple(aggregates),
    )


def _aggregates(
    target: str, found: Mapping[str, Any], source: Source, *, is_training: bool
) -> Iterator[Aggregate]:
    latency = json_values.table(found.get("latency"))
    scale = _TO_BASE["latency"].get(str(latency.get("unit")))
    n = json_values.whole(latency.get("count")) or 0
    for key, statistic in (("mean", "mean"), ("p50", "median")):
        value = json_values.number(latency.get(key))
        if scale and np.isfinite(value):
            yield Aggregate(
                "latency",
                phase=target,
                value=value * scale,
                original=f"{value} {latency['unit']}",
                statistic=statistic,
                n=n,
                source=source,
            )
    throughput = json_values.table(found.get("throughput"))
    rate = json_values.number(throughput.get("value"))
    unit = str(throughput.get("unit"))
    if not is_training and np.isfinite(rate) and unit.endswith("/s"):
        metric = "token_throughput" if unit.startswith("token") else "throughput"
        yield Aggregate(
            metric,
            phase=target,
            value=rate,
            original=f"{rate} {unit}"[:80],
            statistic="mean",
            n=n,
            source=source,
        )
    for kind, keys, metric, statistic in (
        ("memory", ("max_allocated", "max_process_vram"), "memory_used", "maximum"),
        ("energy", ("total",), "energy", "total"),
    ):
        part = json_values.table(found.get(kind))
        factor = _TO_BASE[kind].get(str(part.get("unit")))
        value = next(
            (value for key in keys if np.isfinite(value := json_values.number(part.get(key)))), np.nan
        )
        if factor and np.isfinite(value):
            yield Aggregate(
                metric,
                phase=target,
                value=value * factor,
                original=f"{value} {part['unit']}",
                statistic=statistic,
                source=source,
            )


def _steps(
    report: Mapping[str, Any], config: Mapping[str, Any], source: Source, samples: int | None
) -> tuple[Series, ...]:
    """Return the steps of training per process: the values of all processes stand one after the other."""
    values = _values(report, "overall") or [*_values(report, "warmup"), *_values(report, "train")]
    count = processes(config)
    if not values or len(values) % count:
        return ()
    clock: Clock = "cuda_event" if is_on_gpu(config) else "host"
    each = np.array(values, dtype=np.float64).reshape(count, -1)
    n = each.shape[1]
    step, ones, unknown = np.arange(1, n + 1), np.ones(n, dtype=np.int64), np.full(n, np.nan)
    work = unknown if samples is None else np.full(n, float(samples))
    line = np.zeros(n, dtype=np.int64)
    return tuple(
        Series(
            "step_time",
            rank=rank,
            clock=clock,
            step=step,
            span=ones,
            begin=unknown,
            value=times,
            samples=work,
            line=line,
            source=source,
        )
        for rank, times in enumerate(each)
    )


def _values(report: Mapping[str, Any], target: str) -> list[float]:
    latency = json_values.table(json_values.table(report.get(target)).get("latency"))
    return [json_values.number(value) for value in json_values.items(latency.get("values"))]
