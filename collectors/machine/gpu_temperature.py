"""Read how warm the GPUs are that a run would use: the highest temperature, in degrees C.

By NVML, otherwise nvidia-smi, otherwise the kernel's files of GPUs of AMD and Intel.
"""

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Optional

from collectors.machine.gpu_info import list_smi_devices, list_smi_temperatures
from collectors.machine.nvml import UnavailableError, enumerate_devices, start_nvml, stop_nvml
from collectors.machine.sysfs_gpus import SYSFS, read_text, visible_sysfs_gpus
from collectors.machine.visible_devices import visible_uuids

#: Sensors of the chip: AMD's `edge`; Intel's package, else the only one.
_SENSORS = {"AMD": ("temp1_input",), "Intel": ("temp2_input", "temp1_input")}


def hottest_gpu(environ: Mapping[str, str], sysfs: Path = SYSFS) -> Optional[int]:
    """Return the highest temperature of the GPUs that are visible in an environment; None if unknown."""
    temperatures = _nvml_temperatures(environ) or _smi_temperatures(environ)
    return max(temperatures or _sysfs_temperatures(environ, sysfs), default=None)


def _nvml_temperatures(environ: Mapping[str, str]) -> list[int]:
    try:
        nvml = start_nvml()
    except UnavailableError:
        return []
    temperatures = []
    try:
        handles, devices = enumerate_devices(nvml)
        visible = set(visible_uuids(devices, environ))
        for device in devices:  # a MIG instance has the temperature of its device
            if visible & {device.uuid, *device.instances}:
                with suppress(nvml.NVMLError):
                    handle = handles[device.uuid]
                    temperatures.append(int(nvml.nvmlDeviceGetTemperature(handle, nvml.NVML_TEMPERATURE_GPU)))
    except UnavailableError:
        return []
    finally:
        stop_nvml(nvml)
    return temperatures


def _smi_temperatures(environ: Mapping[str, str]) -> list[int]:
    temperatures = list_smi_temperatures()
    visible = visible_uuids(list_smi_devices(), environ) if temperatures else []
    return [temperatures[uuid] for uuid in visible if uuid in temperatures]


def _sysfs_temperatures(environ: Mapping[str, str], sysfs: Path) -> list[int]:
    temperatures = []
    for gpu in visible_sysfs_gpus(environ, sysfs):
        texts = [read_text(gpu.hwmon / name) for name in _SENSORS[gpu.vendor]]
        temperatures += [int(text) // 1000 for text in texts if text.isdecimal()][:1]
    return temperatures
