"""Read OneFlow's benchmark logs: CNN, BERT, InsightFace, Wide & Deep (two forms) and GPT tables.

CNN and BERT lines end with the time in seconds since 1970, which gives step times in addition to the printed
rates. The GPT table prints rate and latency of every interval, and memory samples before it.

Format: Oneflow-Inc/OneFlow-Benchmark, oneflow_face, models (wide_and_deep), as DLPerf ran them.
"""

import numpy as np

from reportgen.core.model import FloatArray
from reportgen.formats.dlperf.memory_file import add_memory, with_memory
from reportgen.formats.parsing.line_format import LineFormat, LineRun, StepLine, half_digit, head
from reportgen.formats.parsing.line_patterns import line_pattern, regex
from reportgen.formats.parsing.run_builder import spans

_IMAGE = {"item": "image"}
_WIDE_AND_DEEP = {"model": "wide_and_deep", "item": "sample"}
_CNN = "train: epoch {epoch:int}, iter {step:int}, loss: {..}samples/s: {images_per_second}"
_BERT = "step: {step:int}, total_loss: {..}throughput: {sequences_per_second} {timestamp:epoch}"
_GRAPH = (
    "[rank:{:int}] iter: {step:int}/{planned_steps:int}, loss: {..}"
    "latency(ms): {step_time_ms} | {timestamp:stamp}"
)
_TABLE = StepLine(
    b" | ",
    line_pattern("^| {step:int}  | {:int}  | {samples:int}  | {rate}  | {step_time_s}  | {}  |"),
    mark=b"| micro_batches ",
    factors={"model": "gpt", "item": "sequence"},
)
_MEMORY = regex(r"^[0-9]{1,3} %, (?P<mib>[0-9]{1,9}) MiB\r?$")


def _build(run: LineRun) -> None:
    _set_batch(run)
    if run.kind is _TABLE and len(run.records):
        _add_table(run)
    else:
        run.measure()
    if len(run.records):
        add_memory(run)
    samples = run.log.records(_MEMORY, b" MiB")
    if len(samples):
        # nvidia-smi sampled all devices; the fullest counts.
        at = int(samples.integers("mib").argmax())
        peak, original = float(samples.integers("mib")[at]) * 2**20, samples.text("mib", at) + " MiB"
        run.add_aggregate("memory_used", peak, original, "maximum", len(samples), int(samples.line[at]))


def _set_batch(run: LineRun) -> None:
    """Set devices, batch and samples of a step; the batch is per device where it can be."""
    names = ("global_batch_size", "batch_size", "process_batch_size", "devices")
    whole, each, of_process, devices = map(run.count, names)
    run.factors.pop("process_batch_size", None)
    if whole and of_process and not devices:
        run.factors["devices"] = devices = whole // of_process
    run.samples_per_step = float(each * devices if each else whole) or None
    is_split = "tensor_parallel" in run.factors or "pipeline_parallel" in run.factors
    each = each or of_process
    if not each and devices and whole % devices == 0 and not is_split:
        each = whole // devices
    if each:
        run.factors.pop("global_batch_size", None)
        run.factors["batch_size"] = each


def _add_table(run: LineRun) -> None:
    """Add the intervals of the GPT table, whose samples are counted from the start."""
    records, span, samples = run.records, spans(run.step), run.records.floats("samples")
    before = samples[0] * (1 - span[0] / max(int(run.step[0]), 1))
    work: FloatArray = np.diff(samples, prepend=before)
    time, half = records.floats("step_time_s") * span, half_digit(records, "step_time_s")
    run.add("step_time", time, "printed", span=span, samples=work, rounding=half)
    run.add("throughput", records.floats("rate"), "printed", span=span, samples=work)


FORMAT = LineFormat(
    "oneflow",
    "Training logs of OneFlow: CNN, BERT, InsightFace, Wide & Deep, GPT.",
    lines=(
        StepLine.like(_CNN + " {timestamp:epoch}", factors=_IMAGE),
        StepLine.like(_CNN, factors=_IMAGE),
        StepLine.like(_BERT, first=0, factors={"item": "sequence"}),
        StepLine.like("train: iter {step:int}, loss{..}throughput: {images_per_second}", factors=_IMAGE),
        StepLine.like(_GRAPH, factors=_WIDE_AND_DEEP),
        # Many logs have " time ".
        StepLine(
            b" time 1", line_pattern("^{step:int} time {timestamp:epoch} loss "), factors=_WIDE_AND_DEEP
        ),
        _TABLE,
    ),
    factors={"framework": "OneFlow"},
    printed={
        "model": "model",
        "num_nodes": "nodes",
        "gpu_num_per_node": "devices_per_node",
        "num_gpus_per_node": "devices_per_node",
        "batch_size_per_device": "batch_size",
        "batch_size_per_proc": "process_batch_size",
        "global_batch_size": "global_batch_size",
        "batch_size": "global_batch_size",  # of Wide & Deep
        "train_iters": "planned_steps",
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
        # OneFlow's fp16 is automatic mixed precision.
        "use_fp16": "precision",
        "fp16": "precision",
    },
    build=_build,
    refine=with_memory,
    confidence=0.9,
    # The setting may be any program's; the error names OneFlow.
    heads=(
        head(
            b"batch_size_per_device",
            r"^[ \t]{0,8}batch_size_per_device(?: = | \.{3,80} ){:int}\r?\n[^\0]{0,8000}?\boneflow[/.]",
        ),
    ),
).format()
