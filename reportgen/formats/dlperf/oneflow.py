"""Read OneFlow's benchmark logs: CNN, BERT, InsightFace, Wide & Deep (two forms) and GPT tables.

A file becomes one Run. The settings that the scripts print first give batch size and devices; each kind of
line below is one record. CNN and BERT lines end with the time in seconds since 1970, so times are kept beside
the printed rates. The GPT table prints rate and latency of every interval, and memory samples before it.

Format: Oneflow-Inc/OneFlow-Benchmark, oneflow_face, models (wide_and_deep), as DLPerf ran them.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from reportgen.core.model import Break, FactorValue, Finding, FloatArray, IntArray, Run
from reportgen.formats.base import Claim, Format
from reportgen.formats.dlperf.memory_file import memory, with_memory
from reportgen.formats.dlperf.printed_settings import is_set, number, settings
from reportgen.formats.parsing.line_pattern import line_pattern
from reportgen.formats.parsing.run_builder import RunBuilder, once, spans
from reportgen.formats.parsing.step_numbers import over_epochs, shortened
from reportgen.formats.parsing.text_log import Records, TextLog, claim
from reportgen.sources.logfiles import LogFiles

_NAME = "oneflow"
_MIB = 2.0**20
_MEMORY = re.compile(rb"^[0-9]{1,3} %, (?P<memory>[0-9]{1,9}) MiB\r?$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class _Kind:
    """One kind of record: what gives it away, and what becomes of it.

    anchor  a literal in every record, where `literal` is not one
    sign    a part of every record that is found faster, where other logs have the literal too
    """

    literal: bytes
    pattern: re.Pattern[bytes]
    fill: Callable[[RunBuilder, Records], None]
    factors: Mapping[str, FactorValue]
    zero_based: bool = False
    anchor: bytes = b""
    sign: re.Pattern[bytes] = re.compile(b"")


def claims(files: LogFiles) -> Claim | None:
    """Claim a file with a record of any of the kinds."""
    if files.is_folder:
        return None
    head = files.head(files.path)
    kinds = (kind for kind in _KINDS if kind.literal in head and kind.sign.search(head))
    found = (claim(files, kind.literal, kind.pattern, 0.9) for kind in kinds)
    return with_memory(next((one for one in found if one), None))


def read(files: LogFiles) -> Iterator[Run | Finding]:
    """Yield the run of the file."""
    log = TextLog(files)
    kinds = (
        one
        for one in _KINDS
        if one.literal in log.content and log.search(one.pattern, one.anchor or one.literal)
    )
    kind = next(kinds, _KINDS[0])
    records = log.records(kind.pattern, kind.anchor or kind.literal)
    header = settings(log.content)
    run = RunBuilder(log, _NAME, np.zeros(0, dtype=np.int64), records.line, factors=_factors(header, kind))
    if len(records):
        run.last = int(records.end[-1])
        step, run.breaks = _numbered(records, kind)
        keep = once(step)
        run.step, run.line, records = step[keep], records.line[keep], records.take(keep)
        kind.fill(run, records)
        run.aggregates += memory(files)
    run.samples_per_step = _samples_per_step(header)
    _add_memory(run)
    last = int(run.step[-1]) if len(run.step) else 0
    planned = number(header, "train_iters")
    if "total" in records.columns and len(records):
        planned = int(records.integers("total").max())
    yield shortened(run.run(), last, planned)


def _numbered(records: Records, kind: _Kind) -> tuple[IntArray, tuple[Break, ...]]:
    step = records.integers("step") + kind.zero_based
    if "epoch" in records.columns:
        return over_epochs(records.integers("epoch"), step)
    return step, ()


def _rates(run: RunBuilder, records: Records) -> None:
    run.add("throughput", records.floats("rate"), "printed", span=spans(run.step))


def _rates_and_times(run: RunBuilder, records: Records) -> None:
    run.add_stamps(records.floats("stamp"))
    _rates(run, records)


def _times(run: RunBuilder, records: Records) -> None:
    run.add_stamps(records.floats("stamp"))


def _latencies(run: RunBuilder, records: Records) -> None:
    span = spans(run.step)
    run.add_stamps(records.seconds("stamp"))
    run.add("step_time", records.floats("latency_ms") * span / 1e3, "printed", span=span)


def _table(run: RunBuilder, records: Records) -> None:
    span = spans(run.step)
    samples = records.floats("samples")
    before = samples[0] * (1 - span[0] / max(int(run.step[0]), 1))
    work: FloatArray = np.diff(samples, prepend=before)
    run.add("step_time", records.floats("latency") * span, "printed", span=span, samples=work)
    run.add("throughput", records.floats("rate"), "printed", span=span, samples=work)


_KINDS = (
    _Kind(
        b"train: epoch ",
        line_pattern("train: epoch {epoch:int}, iter {step:int}, loss: {..}samples/s: {rate} {stamp:epoch}"),
        _rates_and_times,
        {"item": "image"},
    ),
    _Kind(
        b"train: epoch ",
        line_pattern("train: epoch {epoch:int}, iter {step:int}, loss: {..}samples/s: {rate}"),
        _rates,
        {"item": "image"},
    ),
    _Kind(
        b", total_loss: ",
        line_pattern("step: {step:int}, total_loss: {..}throughput: {rate} {stamp:epoch}"),
        _rates_and_times,
        {"item": "sequence"},
        zero_based=True,
    ),
    _Kind(
        b"train: iter ",
        line_pattern("train: iter {step:int}, loss{..}throughput: {rate}"),
        _rates,
        {"item": "image"},
    ),
    _Kind(
        b", latency(ms): ",
        line_pattern(
            "[rank:{:int}] iter: {step:int}/{total:int}, loss: {..}latency(ms): {latency_ms} | {stamp:stamp}"
        ),
        _latencies,
        {"model": "wide_and_deep", "item": "sample"},
    ),
    _Kind(
        b" loss ",
        line_pattern("{step:int} time {stamp:epoch} loss ", whole_line=True),
        _times,
        {"model": "wide_and_deep", "item": "sample"},
        sign=re.compile(rb" time [0-9]{9,11}\.[0-9]{1,9} loss "),
    ),
    _Kind(
        b"| micro_batches ",
        line_pattern(
            "| {step:int}  | {:int}  | {samples:int}  | {rate}  | {latency}  | {}  |", whole_line=True
        ),
        _table,
        {"model": "gpt", "item": "sequence"},
        anchor=b" | ",
    ),
)

FORMAT = Format(
    _NAME,
    "Training logs of OneFlow: CNN, BERT, InsightFace, Wide & Deep, GPT.",
    claims,
    read,
    marks=tuple(kind.literal for kind in _KINDS),
)

_COUNTS = {
    "seq_length": "seq_len",
    "num_layers": "layers",
    "hidden_size": "hidden_size",
    "tensor_model_parallel_size": "tensor_parallel",
    "pipeline_model_parallel_size": "pipeline_parallel",
    "data_parallel_size": "data_parallel",
    "micro_batch_size": "micro_batch_size",
    "deep_vocab_size": "vocabulary_size",
    "hidden_units_num": "hidden_layers",
    "deep_embedding_vec_size": "embedding_size",
}


def _factors(header: Mapping[str, str], kind: _Kind) -> dict[str, FactorValue]:
    """Return what the settings tell; a batch size is per device where it can be."""
    found: dict[str, FactorValue] = {"framework": "OneFlow", **kind.factors}
    if "model" in header:
        found["model"] = header["model"]
    nodes, devices = number(header, "num_nodes"), _devices(header)
    found |= {name: value for name, value in (("nodes", nodes), ("devices", devices)) if value}
    found |= {new: value for old, new in _COUNTS.items() if (value := number(header, old))}
    per_device, whole = number(header, "batch_size_per_device", "batch_size_per_proc"), _global_batch(header)
    is_split = "tensor_parallel" in found or "pipeline_parallel" in found
    if not per_device and whole and devices and whole % devices == 0 and not is_split:
        per_device = whole // devices
    if per_device:
        found["batch_size"] = per_device
    elif whole:
        found["global_batch_size"] = whole
    half = is_set(header, "use_fp16", "fp16")
    if half is not None:
        # OneFlow's fp16 is automatic mixed precision.
        found["precision"] = "amp" if half else "fp32"
    return found


def _devices(header: Mapping[str, str]) -> int | None:
    nodes, per_node = number(header, "num_nodes"), number(header, "gpu_num_per_node", "num_gpus_per_node")
    whole, per_process = number(header, "batch_size"), number(header, "batch_size_per_proc")
    if whole and per_process and not per_node:
        return whole // per_process or None
    return nodes * per_node if nodes and per_node else None


def _global_batch(header: Mapping[str, str]) -> int | None:
    """Return samples of a step over all devices; Wide & Deep calls that `batch_size`."""
    return number(header, "global_batch_size", "batch_size")


def _samples_per_step(header: Mapping[str, str]) -> float | None:
    per_device, devices = number(header, "batch_size_per_device"), _devices(header)
    if per_device:
        return float(per_device * devices) if devices else None
    whole = _global_batch(header)
    return float(whole) if whole else None


def _add_memory(run: RunBuilder) -> None:
    """Keep the fullest device of the samples that nvidia-smi took beside the table."""
    if b" MiB" not in run.log.content:
        return
    samples = run.log.records(_MEMORY, b" MiB")
    if len(samples):
        at = int(samples.integers("memory").argmax())
        run.add_aggregate(
            "memory_used",
            float(samples.integers("memory")[at]) * _MIB,
            samples.text("memory", at) + " MiB",
            "maximum",
            len(samples),
            int(samples.line[at]),
        )
