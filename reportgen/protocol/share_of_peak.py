"""A rate as the share of a device's peak arithmetic or memory bandwidth, by the facts of `core.book`.

A share needs the device, and for arithmetic the dtype and the number of devices. Where a log omits one of
them, where its words fit several GPUs, or where FP32 may have been TF32, there is none.

A log states the arithmetic as operations per second, or as samples per second of a model whose operations
the book has (model FLOPs utilisation). Programs in `_MEMORY_RATES` measure the memory of the device. A bus
bandwidth has no share: with reductions in the switch it exceeds the wires, and data sheets add directions.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from msgspec import structs

from reportgen.core.book import Gpu, ImageModel, Transformer, find_gpu, find_model, gpu_source, why_no_gpu
from reportgen.core.book.gpus import Dtype
from reportgen.core.model import STEP, Finding, Measurement, Run
from reportgen.core.rules import Rule
from reportgen.core.units import text
from reportgen.protocol.device_names import names_of_devices

SHARE_OF_PEAK, SHARE_OF_BANDWIDTH = "share_of_peak", "share_of_bandwidth"
SHARES = (SHARE_OF_PEAK, SHARE_OF_BANDWIDTH)

Pairs = Collection[tuple[str, str]]

# Formats whose `bandwidth` is of the device's memory, each with the factors that say so.
_MEMORY_RATES: Mapping[str, Mapping[str, str]] = {
    "babelstream": {},
    "babelstream_csv": {},
    "cuda_bandwidth_test": {"from": "device", "to": "device"},
    "nvbench": {},
}

_DTYPES: Mapping[str, tuple[Dtype, ...]] = {
    "fp64": ("fp64",), "float64": ("fp64",), "double": ("fp64",),
    "fp32": ("fp32",), "float32": ("fp32",), "single": ("fp32",),
    "tf32": ("tf32",),
    "fp16": ("fp16",), "float16": ("fp16",), "half": ("fp16",), "fp16-amp": ("fp16",),
    "bf16": ("bf16",), "bfloat16": ("bf16",), "bf16-amp": ("bf16",),
    "amp": ("fp16", "bf16"),
    "fp8": ("fp8",),
    "int8": ("int8",),
}  # fmt: skip

# What the environment says of TF32 in matrix products and convolutions.
_TF32_SETTINGS = ("torch.matmul_allow_tf32", "torch.cudnn_allow_tf32")

# Factors that say what is timed, and their words. The backward pass has two products for each of the forward.
_PASS_FACTORS = ("mode", "pass", "benchmark", "task")
_PASSES = {"train": 3, "training": 3, "inference": 1, "smooth inference": 1, "infer": 1, "forward": 1}


@dataclass(frozen=True, slots=True)
class Basis:
    """How a share is computed: the value of a metric over a divisor in its unit; `formula` in words."""

    metric: str
    divisor: float
    formula: str


@dataclass(frozen=True, slots=True)
class Peak:
    """The peak of one device in FLOP/s, and whose it is."""

    value: float
    text: str


def share_pairs(run: Run, available: Pairs) -> set[tuple[str, str]]:
    """Return the shares that a run has, each with its phase, by the metrics and phases that it has."""
    phases = {(share, phase) for _, phase in available for share in SHARES}
    return {(share, phase) for share, phase in phases if share_basis(run, share, phase, available)}


def share_basis(run: Run, share: str, phase: str, available: Pairs) -> Basis | None:
    """Return how a share of a run is computed, None if the log does not say what that needs."""
    if share == SHARE_OF_BANDWIDTH:
        return _of_bandwidth(run) if ("bandwidth", phase) in available else None
    has_rate = any((metric, phase) in available for metric in ("flops_per_device", "flops"))
    if not has_rate and phase != STEP:
        return None
    peak = peak_of_run(run)
    if peak is None:
        return None
    if ("flops_per_device", phase) in available:
        return Basis("flops_per_device", peak.value, f"operations of a device per second / {peak.text}")
    devices = _devices(run)
    if devices is None:
        return None
    of = f"{devices} x {peak.text}" if devices > 1 else peak.text
    if ("flops", phase) in available:
        return Basis("flops", devices * peak.value, f"operations per second / {of}")
    work = _work_of_item(run) if ("throughput", phase) in available else None
    if work is None:
        return None
    per_item, words = work
    return Basis("throughput", devices * peak.value / per_item, f"{words} / {of}")


def why_no_share(run: Run, share: str) -> str:
    """Return what a run without that share lacks."""
    names = _names_of_gpu(run)
    if len(names) != 1:
        return f"the log names {len(names)} devices"
    if gpu_of_run(run) is None:
        return why_no_gpu(next(iter(names)))
    if share == SHARE_OF_BANDWIDTH:
        return f"a bandwidth in the format {run.format} is not known to be of the device's memory"
    if peak_of_run(run) is None:
        return "precision, or the settings of TF32, leave open which arithmetic ran"
    if _devices(run) is None:
        return "the number of devices is not stated"
    return "it has no FLOP/s, and model, item, image_size or seq_len, and mode give no operations"


def as_share(measurement: Measurement, basis: Basis) -> Measurement:
    """Return the measurement of a rate as a share; above 100 % it is invalid."""
    value = measurement.value / basis.divisor
    above = (_above(measurement.run, value, basis),) if value > 1 else ()
    over_all = None if measurement.over_all is None else measurement.over_all / basis.divisor
    return structs.replace(
        measurement,
        value=value,
        unit="ratio",
        formula=basis.formula,
        over_all=over_all,
        findings=(*above, *measurement.findings),
    )


def _above(run: Run, value: float, basis: Basis) -> Finding:
    message = f"{text(100 * value)} % of what the device can do: {basis.formula}"
    return Finding("invalid", Rule.RATE_ABOVE_PEAK, run.id, message, run.source)


def gpu_of_run(run: Run) -> Gpu | None:
    """Return the GPU of a run: by the name that the driver wrote, else by its factor `device`."""
    names = _names_of_gpu(run)
    return find_gpu(next(iter(names))) if len(names) == 1 else None


def _names_of_gpu(run: Run) -> frozenset[str]:
    labelled = frozenset([str(run.factors["device"])] if "device" in run.factors else [])
    return names_of_devices(run) or labelled


def _of_bandwidth(run: Run) -> Basis | None:
    wanted, gpu = _MEMORY_RATES.get(run.format), gpu_of_run(run)
    if wanted is None or gpu is None or gpu.bandwidth is None:
        return None
    if any(run.factors.get(name) != value for name, value in wanted.items()):
        return None
    formula = f"bandwidth / {text(gpu.bandwidth)} GB/s of {gpu.name} ({gpu_source(gpu).name})"
    return Basis("bandwidth", gpu.bandwidth * 1e9, formula)


def peak_of_run(run: Run) -> Peak | None:
    """Return the peak of the arithmetic that a run used; None where the log leaves open which that is."""
    gpu, precision = gpu_of_run(run), run.factors.get("precision", run.factors.get("dtype", ""))
    if gpu is None or run.factors.get("tensor_cores") is True:  # FP32 on tensor cores: as TF32 or as FP16
        return None
    dtypes = [dtype for dtype in _DTYPES.get(str(precision).lower(), ()) if dtype in gpu.peaks]
    peaks = {gpu.peaks[dtype] for dtype in dtypes}
    if len(peaks) != 1 or (dtypes == ["fp32"] and _may_be_tf32(run, gpu)):
        return None
    (peak,) = peaks
    words = f"{text(peak)} TFLOP/s of {gpu.name} in {' or '.join(dtypes)} ({gpu_source(gpu).name})"
    return Peak(peak * 1e12, words)


def _may_be_tf32(run: Run, gpu: Gpu) -> bool:
    """Return whether FP32 may have run as TF32, which a log must exclude where that is faster."""
    is_excluded = all(str(run.environment.get(name)).lower() == "false" for name in _TF32_SETTINGS)
    # The tensor cores of Volta and Turing have no TF32; a later GPU has one even where its sheet omits it.
    has_tf32 = (
        "tf32" in gpu.peaks or "fp8" in gpu.peaks or "bf16" in gpu.peaks or gpu.name.startswith("RTX A")
    )
    return has_tf32 and not is_excluded


def _devices(run: Run) -> int | None:
    """Return the number of devices of a run, None if the log does not say it or contradicts itself."""
    stated = run.factors.get("devices", run.ranks)
    if isinstance(stated, bool) or not isinstance(stated, int) or stated < 1:
        return None
    return stated if run.ranks is None or run.ranks <= stated else None


def _work_of_item(run: Run) -> tuple[float, str] | None:
    """Return the model's operations for one of the items that a rate counts, and the rate in words."""
    model, passes = find_model(str(run.factors.get("model", ""))), _passes(run)
    if model is None or passes is None:
        return None
    item, length = run.factors.get("item"), run.factors.get("seq_len", run.factors.get("sequence_length"))
    if isinstance(model, ImageModel):
        is_known = item == "image" and run.factors.get("image_size") == model.image_size
        forward = model.forward() if is_known else None
    else:
        forward = _forward_of_text(model, item, length)
    if forward is None:
        return None
    work = passes * forward
    return work, f"{item}s per second x {text(work / 1e9)} GFLOP of {model.name} ({_pass_words(passes)})"


def _forward_of_text(model: Transformer, item: object, length: object) -> float | None:
    """Return the operations for a token, or for a sequence with its padding; None without a length."""
    if isinstance(length, bool) or not isinstance(length, int) or length < 1:
        return None
    tokens = {"token": 1, "sequence": length}.get(str(item))
    return tokens * model.forward(length) if tokens else None


def _passes(run: Run) -> int | None:
    """Return 3 for training and 1 for a forward pass alone; None where neither log nor labels say it."""
    words = [str(run.factors[name]).lower() for name in _PASS_FACTORS if name in run.factors]
    stated = {_PASSES[word] for word in words if word in _PASSES}
    phases = [*(each.phase for each in run.series), *(each.phase for each in run.aggregates)]
    if not stated and any(phase == "backward" for phase in phases):
        return 3
    return stated.pop() if len(stated) == 1 else None


def _pass_words(passes: int) -> str:
    return "forward and backward" if passes > 1 else "forward"
