"""Name the model of the GPUs of a run: the factor `device`, which keeps runs on different GPUs apart.

The names are those of the driver, such as "NVIDIA H200". If CUDA is in use in this process, torch names the
device that is used. Otherwise the driver names the devices that CUDA_VISIBLE_DEVICES makes visible.
"""

import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Optional

from collectors.format_v1.case import Case, Factor
from collectors.machine.gpu_info import list_smi_devices
from collectors.machine.level_zero import level_zero_names
from collectors.machine.nvml import UnavailableError, decode_text, enumerate_devices, start_nvml, stop_nvml
from collectors.machine.sysfs_gpus import SYSFS, visible_sysfs_gpus
from collectors.machine.torch_info import working_device
from collectors.machine.visible_devices import visible_uuids

DEVICE = "device"  # the factor


def add_device(case: Case, environ: Optional[Mapping[str, str]] = None) -> dict[str, Factor]:
    """Return a case with the factor `device`, if the case has none and a GPU is visible.

    environ  of the process that is measured; None: the environment of this process
    """
    if DEVICE in case:
        return dict(case)
    model = visible_model(os.environ if environ is None else environ)
    return {**case, DEVICE: model} if model else dict(case)


def own_model(of_launcher: str = "") -> str:
    """Return the model of the GPU that this process uses; "" if it uses none or that is unknown.

    of_launcher  what the launcher detected; it names a GPU of Intel if torch does not, because Level Zero,
                 which knows the name, is not for a training process
    """
    model = torch_model()
    if model is not None:
        return model
    model = visible_model(os.environ, uses_level_zero=False)
    return of_launcher if of_launcher and "Intel" in model else model


def torch_model() -> Optional[str]:
    """Return the model that torch uses (CUDA, Intel); "" if it uses none, None if torch is not imported."""
    torch: Any = sys.modules.get("torch")
    if torch is None:
        return None
    with suppress(AttributeError, RuntimeError):  # imported only in part
        if torch.cuda.is_initialized():
            return str(torch.cuda.get_device_name(working_device()))
    with suppress(AttributeError, RuntimeError):  # before torch 2.3, or an error of the device
        if torch.xpu.is_initialized():
            return str(torch.xpu.get_device_name())
    return ""


def visible_model(environ: Mapping[str, str], sysfs: Path = SYSFS, *, uses_level_zero: bool = True) -> str:
    """Return the model of the visible GPUs; several models are joined by " + ", "" stands for no GPU."""
    try:
        models = _nvml_models(environ)
    except UnavailableError:
        devices = list_smi_devices()
        visible = visible_uuids(devices, environ)
        models = [device.model for device in devices if device.uuid in visible]
        models = models or _sysfs_models(environ, sysfs, uses_level_zero)
    return " + ".join(dict.fromkeys(models))


def _sysfs_models(environ: Mapping[str, str], sysfs: Path, uses_level_zero: bool) -> list[str]:
    """Return the models as the kernel names them; Intel's as Level Zero does, where it works, and torch."""
    gpus = visible_sysfs_gpus(environ, sysfs)
    names = level_zero_names() if uses_level_zero and any(gpu.vendor == "Intel" for gpu in gpus) else {}
    return [names.get(gpu.pci) or gpu.model for gpu in gpus]


def _nvml_models(environ: Mapping[str, str]) -> list[str]:
    nvml = start_nvml()
    try:
        handles, devices = enumerate_devices(nvml)
        split = {device.uuid for device in devices if device.instances}  # CUDA uses the MIG instances
        uuids = [uuid for uuid in visible_uuids(devices, environ) if uuid not in split]
        return [decode_text(nvml.nvmlDeviceGetName(handles[uuid])) for uuid in uuids]
    except nvml.NVMLError as error:
        raise UnavailableError(f"NVML does not name the devices: {error}") from None
    finally:
        stop_nvml(nvml)
