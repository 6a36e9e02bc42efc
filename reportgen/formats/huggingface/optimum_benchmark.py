"""Read optimum-benchmark's results: a report with its configuration beside it, or both in one file.

A folder, or a single file, becomes one Run: a latency and a rate per target (forward, prefill, decode, ...).
A training run has its steps. The rate printed for training is too high by the number of steps and ignores the
other processes, so it is not read: throughput follows from the steps and the configured batch.

Format: https://github.com/huggingface/optimum-benchmark, benchmark/report.py and trackers/latency.py.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from reportgen.core.model import Clock, FactorValue, Finding, Series
from reportgen.core.rules import Rule
from reportgen.formats.base import Claim, Format, Results
from reportgen.formats.parsing import json_values
from reportgen.formats.parsing.json_values import inside, items, number, scalars, table, whole
from reportgen.formats.parsing.log_warnings import named_nans
from reportgen.formats.parsing.run_builder import ResultRun, make_series
from reportgen.formats.parsing.text_log import JsonSign
from reportgen.sources.logfiles import LogFiles

_NAME = "optimum_benchmark"
_REPORT = (b'"latency"', b'"throughput"', b'"efficiency"')
_CONFIG = (b'"_target_"', b"optimum_benchmark.")
# Both parts in one document; the report may begin after the head of the file.
_BOTH = (b'"config"', b"optimum_benchmark.")
_KINDS = {"both": _BOTH, "config": _CONFIG, "report": _REPORT}
_LATENCY_UNITS = {"s": 1.0, "ms": 1e-3}
# Part of a target -> keys, metric, statistic, unit -> factor to base units.
_MEMORY_UNITS = {"MB": 1e6, "GB": 1e9, "KB": 1e3, "B": 1.0}
_OTHERS = {
    "memory": (("max_allocated", "max_process_vram"), "memory_used", "maximum", _MEMORY_UNITS),
    "energy": (("total",), "energy", "total", {"kWh": 3.6e6, "Wh": 3600.0, "J": 1.0}),
}
_PRECISIONS = {
    prefix + dtype: precision
    for dtype, precision in (("float16", "fp16"), ("bfloat16", "bf16"), ("float32", "fp32"))
    for prefix in ("", "torch.")
}


def claims(files: LogFiles) -> Claim | None:
    """Claim a folder that has a report and its configuration, or a file that is one of the two or both."""
    if not files.is_folder:
        return JsonSign(_BOTH, 0.95).claim(files) or JsonSign(_REPORT, 0.8).claim(files)
    kinds: dict[str, Claim] = {}
    for name in (name for name in files.children()[0] if name.endswith(".json")):
        head = files.head(name)
        possible = [kind for kind, literals in _KINDS.items() if all(each in head for each in literals)]
        view = files.file(name) if possible else files
        for kind in possible:
            if kind not in kinds and (claim := JsonSign(_KINDS[kind], 0.97).claim(view)):
                kinds[kind] = claim
                break
    if not {"config", "report"} <= set(kinds):
        return None
    return replace(kinds["report"], files=tuple(sorted(claim.files[0] for claim in kinds.values())))


def read(files: LogFiles) -> Results:
    """Yield the run."""
    report: Mapping[str, Any] = {}
    config: Mapping[str, Any] = {}
    path, content = "", b""
    for name in files:
        document = json_values.load(text := files.bytes(name))
        if not isinstance(document, dict):
            message, source = "not a JSON document; it may be truncated", files.source(name, 1)
            yield Finding("warning", Rule.READ_MALFORMED_LINE, files.id(name), message, source)
        elif "_target_" in table(document.get("backend")):
            config = document
        elif isinstance(document.get("report"), dict) and not report:
            report, config = document["report"], config or table(document.get("config"))
            path, content = name, text
        elif "config" not in document:
            report, path, content = document, name, text
    if report:
        run = ResultRun(_NAME, files.id("" if files.is_folder else path), files.source(path))
        _fill(run, report, config, content)
        nans = named_nans((name, 0) for name in json_values.nan_paths(report))
        run.findings += [nan.finding(run.id, run.source) for nan in nans]
        yield run.run()


FORMAT = Format(
    _NAME,
    "Reports and configurations of optimum-benchmark.",
    claims,
    read,
    marks=(_BOTH[0], _REPORT[0]),
    views="both",
)


def _fill(run: ResultRun, report: Mapping[str, Any], config: Mapping[str, Any], content: bytes) -> None:
    is_training = "train" in report or "overall" in report
    gpus = ", ".join(dict.fromkeys(_gpus(config)))
    run.factors, run.environment = _factors(config), _known(table(config.get("environment")))
    run.environment |= {"gpu": gpus} if gpus else {}
    for target, result in report.items():
        lines = json_values.lines_of(content, f'"{target}"'.encode("utf-8", "replace"))
        _add_target(run, target, table(result), lines[0] if lines else 0, has_rate=not is_training)
    if is_training:
        samples = _training_batch(config)
        run.samples_per_step = None if samples is None else float(samples * _processes(config))
        run.series = _steps(run, report, config)


def _add_target(run: ResultRun, target: str, result: Mapping[str, Any], line: int, *, has_rate: bool) -> None:
    latency = table(result.get("latency"))
    scale = _LATENCY_UNITS.get(str(latency.get("unit")), 0.0)
    n = whole(latency.get("count")) or 0
    for key, statistic in (("mean", "mean"), ("p50", "median")) if scale else ():
        value = number(latency.get(key))
        text = f"{value} {latency['unit']}"
        run.add_aggregate("latency", value * scale, text, statistic, n, phase=target, line=line)
    rate, unit = number(inside(result, "throughput", "value")), str(inside(result, "throughput", "unit"))
    if has_rate and unit.endswith("/s"):
        metric = "token_throughput" if unit.startswith("token") else "throughput"
        run.add_aggregate(metric, rate, f"{rate} {unit}"[:80], "mean", n, phase=target, line=line)
    for kind, (keys, metric, statistic, units) in _OTHERS.items():
        part = table(result.get(kind))
        values = [value for key in keys if np.isfinite(value := number(part.get(key)))]
        if values and (factor := units.get(str(part.get("unit")))):
            text = f"{values[0]} {part['unit']}"
            run.add_aggregate(metric, values[0] * factor, text, statistic, phase=target, line=line)


def _steps(run: ResultRun, report: Mapping[str, Any], config: Mapping[str, Any]) -> list[Series]:
    """Return the training steps of each process: the values of all processes follow one another."""
    values = {target: items(inside(report, target, "latency", "values")) for target in report}
    times = values.get("overall") or [*values.get("warmup", ()), *values.get("train", ())]
    if not times or len(times) % _processes(config):
        return []
    samples = _training_batch(config) or np.nan
    clock: Clock = "cuda_event" if _is_on_gpu(config) else "host"
    by_rank = np.array([number(time) for time in times], np.float64).reshape(_processes(config), -1)
    step = np.arange(1, by_rank.shape[1] + 1)
    return [
        make_series("step_time", clock, step, time, run.source, rank=rank, samples=samples)
        for rank, time in enumerate(by_rank)
    ]


# The configuration


def _processes(config: Mapping[str, Any]) -> int:
    """Return the processes that torchrun started, 1 for the other launchers."""
    return min(whole(inside(config, "launcher", "nproc_per_node")) or 1, 2**16)


def _is_on_gpu(config: Mapping[str, Any]) -> bool:
    return bool(inside(config, "backend", "device") == "cuda")


def _training_batch(config: Mapping[str, Any]) -> int | None:
    """Return the samples of one process and training step, None if nothing was trained."""
    arguments = table(inside(config, "scenario", "training_arguments"))
    batch = whole(arguments.get("per_device_train_batch_size"))
    return batch * (whole(arguments.get("gradient_accumulation_steps")) or 1) if batch else None


def _gpus(config: Mapping[str, Any]) -> list[str]:
    """Return the names of the machine's GPUs, used or not."""
    return [name for name in items(inside(config, "environment", "gpu")) if isinstance(name, str)]


def _factors(config: Mapping[str, Any]) -> dict[str, FactorValue]:
    backend, scenario = table(config.get("backend")), table(config.get("scenario"))
    shapes = table(scenario.get("input_shapes")) or table(scenario.get("dataset_shapes"))
    tokens = scenario.get("new_tokens") or inside(scenario, "generate_kwargs", "max_new_tokens")
    dtype = backend.get("torch_dtype") or backend.get("dtype")
    is_mixed = backend.get("autocast_enabled") is True
    return _known({
        "framework": backend.get("name"), "model": backend.get("model"), "task": backend.get("task"),
        "benchmark": scenario.get("name"), "item": "sample",
        "batch_size": _training_batch(config) or shapes.get("batch_size"),
        "seq_len": shapes.get("sequence_length"), "new_tokens": tokens,
        "precision": "amp" if is_mixed else _PRECISIONS.get(str(dtype)),
        "quantization": _quantization(backend), "compiled": backend.get("torch_compile"),
        "attention": backend.get("attn_implementation"), "device": _device(config, backend),
        "devices": _processes(config) if _is_on_gpu(config) else None,
    })  # fmt: skip


def _device(config: Mapping[str, Any], backend: Mapping[str, Any]) -> object:
    device, gpus = backend.get("device"), _gpus(config)
    ids = str(backend.get("device_ids")).split(",")
    if len(set(gpus)) > 1 and all(id.isdecimal() and int(id[:4]) < len(gpus) for id in ids):
        # The machine has other GPUs too, if only one for its screen.
        gpus = [gpus[int(id[:4])] for id in ids]
    if device == "cuda" and len(set(gpus)) == 1:
        return gpus[0]
    return inside(config, "environment", "cpu") or device if device == "cpu" else device


def _known(values: Mapping[str, object]) -> dict[str, FactorValue]:
    return scalars(
        {name: value.strip() if isinstance(value, str) else value for name, value in values.items()}
    )


def _quantization(backend: Mapping[str, Any]) -> str | None:
    """Return the scheme with its type and bits, such as `gptq 4 bits`."""
    settings = table(backend.get("quantization_config"))
    loaded = (n for n in (4, 8) if settings.get(f"load_in_{n}bit") is True)
    bits = whole(settings.get("bits")) or next(loaded, None)
    scheme = backend.get("quantization_scheme") or settings.get("quant_method")
    parts = (scheme, settings.get("quant_type"), f"{bits} bits" if bits else None)
    return " ".join(part for part in parts if isinstance(part, str) and part) or None
