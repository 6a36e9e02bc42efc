"""Call AMD's management library through its package `amdsmi`. No setting of a device is changed."""

import contextlib
import importlib
import importlib.util
import io
from typing import Any

from collectors.machine.nvml import UnavailableError

_SAME_VERSION = "install the package amdsmi of the version of ROCm, and amd-smi-lib"


def start_amdsmi() -> Any:
    """Return the module amdsmi after amdsmi_init; raises UnavailableError. Not for the training process.

    Without its library, the package prints a line, and importing it raises KeyError; with a library of
    another version, AttributeError.
    """
    if importlib.util.find_spec("amdsmi") is None:
        raise UnavailableError("the package amdsmi is not installed", _SAME_VERSION)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            smi: Any = importlib.import_module("amdsmi")
    except (ImportError, KeyError, OSError, AttributeError):
        reason = "the package amdsmi has no libamd_smi.so of its version"
        raise UnavailableError(reason, _SAME_VERSION) from None
    try:
        smi.amdsmi_init()
    except smi.AmdSmiException as error:
        reason = " ".join(str(error).split())
        raise UnavailableError(
            f"amdsmi does not start: {reason}", "load amdgpu; join the group render"
        ) from None
    return smi


def handles_by_pci(smi: Any) -> dict[str, Any]:
    """Return PCI address -> handle of each GPU; {} if they cannot be listed."""
    try:
        return {smi.amdsmi_get_gpu_device_bdf(each): each for each in smi.amdsmi_get_processor_handles()}
    except smi.AmdSmiException:
        return {}
