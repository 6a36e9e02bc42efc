"""What optimum-benchmark's configuration says of a run: factors, environment, processes, batch."""

from collections.abc import Mapping
from typing import Any

from reportgen.core.model import FactorValue
from reportgen.formats.parsing.json_values import items, scalar, table, whole

_PRECISIONS = {"float16": "fp16", "bfloat16": "bf16", "float32": "fp32", "torch.float16": "fp16",
               "torch.bfloat16": "bf16", "torch.float32": "fp32"}  # fmt: skip


def described(config: Mapping[str, Any]) -> tuple[dict[str, FactorValue], dict[str, FactorValue]]:
    """Return (factors, environment)."""
    backend, scenario = table(config.get("backend")), table(config.get("scenario"))
    machine = table(config.get("environment"))
    shapes = table(scenario.get("input_shapes")) or table(scenario.get("dataset_shapes"))
    generated = table(scenario.get("generate_kwargs"))
    wanted = {
        "framework": backend.get("name"), "model": backend.get("model"), "task": backend.get("task"),
        "benchmark": scenario.get("name"), "batch_size": training_batch(config) or shapes.get("batch_size"),
        "seq_len": shapes.get("sequence_length"),
        "new_tokens": scenario.get("new_tokens") or generated.get("max_new_tokens"),
        "precision": _precision(backend), "quantization": _quantization(backend),
        "compiled": backend.get("torch_compile"), "attention": backend.get("attn_implementation"),
        "device": _device(backend, machine),
        "devices": processes(config) if is_on_gpu(config) else None,
    }  # fmt: skip
    factors = {
        name: known for name, value in wanted.items() if (known := scalar(_stripped(value))) is not None
    }
    factors["item"] = "sample"
    environment = {
        name: known for name, value in machine.items() if (known := scalar(_stripped(value))) is not None
    }
    gpus = [name for name in items(machine.get("gpu")) if isinstance(name, str)]
    if gpus:
        # What the machine has; whether it was used is for the factor `device` to say.
        environment["gpu"] = ", ".join(dict.fromkeys(gpus))
    return factors, environment


def processes(config: Mapping[str, Any]) -> int:
    """Return how many processes torchrun started, 1 for the other launchers."""
    return min(whole(table(config.get("launcher")).get("nproc_per_node")) or 1, 2**16)


def is_on_gpu(config: Mapping[str, Any]) -> bool:
    """Whether the model ran on a GPU."""
    return table(config.get("backend")).get("device") == "cuda"


def training_batch(config: Mapping[str, Any]) -> int | None:
    """Return the samples of one process and training step, None if it was no training."""
    scenario = table(config.get("scenario"))
    arguments = table(scenario.get("training_arguments"))
    batch = whole(arguments.get("per_device_train_batch_size"))
    return batch * (whole(arguments.get("gradient_accumulation_steps")) or 1) if batch else None


def _stripped(value: object) -> object:
    return value.strip() if isinstance(value, str) else value


def _precision(backend: Mapping[str, Any]) -> str | None:
    dtype = backend.get("torch_dtype") or backend.get("dtype")
    if backend.get("autocast_enabled") is True:
        return "amp"
    return _PRECISIONS.get(dtype) if isinstance(dtype, str) else None


def _quantization(backend: Mapping[str, Any]) -> str | None:
    """Return the scheme of quantisation and what it is told apart by, such as `gptq 4 bits`."""
    settings = table(backend.get("quantization_config"))
    bits = whole(settings.get("bits")) or next(
        (n for n in (4, 8) if settings.get(f"load_in_{n}bit") is True), None
    )
    said = (
        backend.get("quantization_scheme") or settings.get("quant_method"),
        settings.get("quant_type"),
        f"{bits} bits" if bits else None,
    )
    return " ".join(part for part in said if isinstance(part, str) and part) or None


def _device(backend: Mapping[str, Any], machine: Mapping[str, Any]) -> object:
    gpus = [name for name in items(machine.get("gpu")) if isinstance(name, str)]
    ids = str(backend.get("device_ids")).split(",")
    if len(set(gpus)) > 1 and all(one.isdecimal() and int(one[:4]) < len(gpus) for one in ids):
        # The machine has others too, if only one for its screen.
        gpus = [gpus[int(one[:4])] for one in ids]
    if backend.get("device") == "cuda" and len(set(gpus)) == 1:
        return gpus[0]
    return (
        machine.get("cpu") if backend.get("device") == "cpu" and machine.get("cpu") else backend.get("device")
    )
