"""Describe torch: versions, threads, and the settings that select its kernels.

torch is described only if the training script has already imported it; importing it here would change the
measurement. Releases of torch differ, and reading a setting may fail, so each fact is read separately.
"""

import importlib
import sys
import warnings
from typing import Any, Callable, NamedTuple, Optional


def use_torch() -> None:
    """Import torch and start CUDA, so that both can be described. Do not call it in a training process."""
    torch: Any = importlib.import_module("torch")
    if torch.cuda.is_available():
        torch.cuda.init()


def describe_torch() -> dict[str, Any]:
    """Return the group `torch` of the environment; {} if torch is not imported."""
    torch: Any = sys.modules.get("torch")
    group: dict[str, Any] = {}
    for name, read in ({} if torch is None else _readers(torch)).items():
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # the user cannot act on a renamed setting
                group[name] = read()
        except (AttributeError, RuntimeError, TypeError):  # a half-imported torch lacks everything
            continue
    return group


def _readers(torch: Any) -> dict[str, Callable[[], Any]]:
    return {
        "version": lambda: str(torch.__version__),
        "git": lambda: torch.version.git_version,
        "cuda": lambda: torch.version.cuda,
        "hip": lambda: torch.version.hip,
        "cudnn": lambda: _cudnn_version(torch.backends.cudnn.version()),
        "nccl": lambda: ".".join(map(str, torch.cuda.nccl.version())) if torch.version.cuda else None,
        "num_threads": lambda: torch.get_num_threads(),
        "num_interop_threads": lambda: torch.get_num_interop_threads(),
        "default_dtype": lambda: str(torch.get_default_dtype()),
        "float32_matmul_precision": lambda: _matmul_precision(torch),
        "matmul_allow_tf32": lambda: _allows_tf32(torch.backends.cuda.matmul),
        "matmul_allow_fp16_reduction": lambda: (
            torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction
        ),
        "matmul_allow_bf16_reduction": lambda: (
            torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction
        ),
        "cudnn_enabled": lambda: torch.backends.cudnn.enabled,
        "cudnn_benchmark": lambda: torch.backends.cudnn.benchmark,
        "cudnn_deterministic": lambda: torch.backends.cudnn.deterministic,
        "cudnn_allow_tf32": lambda: _allows_tf32(torch.backends.cudnn, "conv"),
        "cudnn_rnn_allow_tf32": lambda: _allows_tf32(torch.backends.cudnn, "rnn"),
        "deterministic_algorithms": lambda: torch.are_deterministic_algorithms_enabled(),
        "flash_attention": lambda: torch.backends.cuda.flash_sdp_enabled(),
        "mkldnn": lambda: torch.backends.mkldnn.is_available(),
        "cpu_capability": lambda: torch.backends.cpu.get_cpu_capability(),
        "device": lambda: torch.cuda.get_device_name() if torch.cuda.is_initialized() else None,
        "distributed_backend": lambda: _distributed_backend(torch),
    }


def _allows_tf32(backend: Any, operator: str = "") -> bool:
    """Return True if FP32 operations of a backend may use TF32.

    torch 2.9 replaced `allow_tf32` by `fp32_precision`, one per operator; the old name raises after the new
    one was set. The new one includes what is inherited from torch.backends.fp32_precision.
    """
    settings = getattr(backend, operator, backend) if operator else backend
    if hasattr(settings, "fp32_precision"):
        return bool(settings.fp32_precision == "tf32")
    return bool(backend.allow_tf32)


def _matmul_precision(torch: Any) -> str:
    """Return "highest", "high" or "medium"; torch cannot say it itself once fp32_precision has been set."""
    try:
        return str(torch.get_float32_matmul_precision())
    except RuntimeError:
        return "high" if _allows_tf32(torch.backends.cuda.matmul) else "highest"


def _cudnn_version(version: Optional[int]) -> Optional[str]:
    """Return "8.9.7" for 8907 and "9.10.2" for 91002; the major number has another factor since cuDNN 9."""
    if version is None:
        return None
    factor = 10_000 if version >= 90_000 else 1000
    return f"{version // factor}.{version % factor // 100}.{version % 100}"


def _distributed_backend(torch: Any) -> Optional[str]:
    is_initialized = torch.distributed.is_available() and torch.distributed.is_initialized()
    return str(torch.distributed.get_backend()) if is_initialized else None


def initialized_devices() -> list[int]:
    """Return the CUDA devices on which this process can have work: those with a context.

    Waiting for another one would give it a context, and take its memory.
    """
    torch: Any = sys.modules["torch"]
    if not knows_contexts():
        return [int(torch.cuda.current_device())]
    has_context = torch._C._cuda_hasPrimaryContext
    return [index for index in range(torch.cuda.device_count()) if has_context(index)]


def knows_contexts() -> bool:
    """Return True if torch says which devices have a context; without it, only the current one is known."""
    return hasattr(getattr(sys.modules.get("torch"), "_C", None), "_cuda_hasPrimaryContext")


def working_device() -> Optional[int]:
    """Return the CUDA device that holds tensors of this process; None if CUDA is not in use.

    This is the current device, unless that one has never held any and exactly one other has: a script may
    use `cuda:1` without `torch.cuda.set_device`.
    """
    torch: Any = sys.modules.get("torch")
    try:
        if not torch.cuda.is_initialized():
            return None
        current = int(torch.cuda.current_device())
    except (AttributeError, RuntimeError):  # not imported, or an error of the device
        return None
    try:
        used = [index for index in initialized_devices() if torch.cuda.max_memory_allocated(index)]
    except (AttributeError, RuntimeError):
        return current
    return used[0] if len(used) == 1 else current


class TorchDevice(NamedTuple):
    """The CUDA device of this process."""

    uuid: str  # as the driver prints it: GPU-...
    pci: str  # 00000000:41:00.0; "" if torch does not say it


def torch_device() -> Optional[TorchDevice]:
    """Return the device that torch uses here; None if CUDA is not in use or this torch does not name it."""
    torch: Any = sys.modules.get("torch")
    try:
        index = working_device()
        if index is None:
            return None
        device = torch.cuda.get_device_properties(index)
        uuid = str(device.uuid)
    except (AttributeError, RuntimeError):
        return None
    try:
        pci = f"{device.pci_domain_id:08X}:{device.pci_bus_id:02X}:{device.pci_device_id:02X}.0"
    except AttributeError:
        pci = ""
    return TorchDevice(uuid if uuid.startswith(("GPU-", "MIG-")) else f"GPU-{uuid}", pci)


class PeakMemory(NamedTuple):
    """The highest use of torch's CUDA allocator since the process started, or since the script reset it."""

    allocated_bytes: int  # tensors
    reserved_bytes: int  # with what the allocator keeps for later


def peak_memory() -> Optional[PeakMemory]:
    """Return the peak of torch's allocator on the device that works; None if CUDA is not in use."""
    torch: Any = sys.modules.get("torch")
    try:
        device = working_device()
        if device is None:
            return None
        allocated, reserved = torch.cuda.max_memory_allocated(device), torch.cuda.max_memory_reserved(device)
        return PeakMemory(int(allocated), int(reserved))
    except (AttributeError, RuntimeError):  # not imported, or an error of the device
        return None
