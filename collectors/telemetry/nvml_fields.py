"""The telemetry fields of NVML: for each call its columns and a function that reads them.

A reader takes the module `pynvml` and the handle of a device. It returns the values of its columns in their
units, None where the driver has no value. It does not catch NVMLError; `nvml_source` interprets the errors.
"""

from collections.abc import Sequence
from typing import Any, Callable, NamedTuple, Optional

from collectors.machine.nvml import available

Values = Sequence[Optional[int]]


class Field(NamedTuple):
    """A call of NVML and the columns that it fills."""

    columns: tuple[str, ...]
    read: Callable[[Any, Any], Values]


def _number(column: str, name: str, *constants: str) -> Field:
    """Return the field of a function that returns a number; `constants` of pynvml are its arguments."""

    def read(nvml: Any, handle: Any) -> Values:
        arguments = [getattr(nvml, constant) for constant in constants]
        return [available(getattr(nvml, name)(handle, *arguments))]

    return Field((column,), read)


def _utilization(nvml: Any, handle: Any) -> Values:
    rates = nvml.nvmlDeviceGetUtilizationRates(handle)
    return [available(rates.gpu), available(rates.memory)]


def _memory(nvml: Any, handle: Any) -> Values:
    # Version 2 excludes the memory that the driver reserves, as nvidia-smi does.
    version = getattr(nvml, "nvmlMemory_v2", None)
    try:
        memory = nvml.nvmlDeviceGetMemoryInfo(handle, version)
    except nvml.NVMLError as error:
        if error.value not in (nvml.NVML_ERROR_FUNCTION_NOT_FOUND, nvml.NVML_ERROR_NOT_SUPPORTED):
            raise
        memory = nvml.nvmlDeviceGetMemoryInfo(handle)
    return [available(memory.used), available(memory.total)]


def _power(nvml: Any, handle: Any) -> Values:
    # nvmlDeviceGetPowerUsage is an average over 1 s on Ampere and later; the field is instantaneous.
    power = _field_value(nvml, handle, nvml.NVML_FI_DEV_POWER_INSTANT)
    return [available(nvml.nvmlDeviceGetPowerUsage(handle)) if power is None else power]


def _memory_temperature(nvml: Any, handle: Any) -> Values:
    return [_field_value(nvml, handle, nvml.NVML_FI_DEV_MEMORY_TEMP)]


def _field_value(nvml: Any, handle: Any, field: int) -> Optional[int]:
    try:
        (result,) = nvml.nvmlDeviceGetFieldValues(handle, [field])
    except nvml.NVMLError as error:
        if error.value in (nvml.NVML_ERROR_GPU_IS_LOST, nvml.NVML_ERROR_RESET_REQUIRED):
            raise
        return None
    return available(result.value.uiVal) if result.nvmlReturn == nvml.NVML_SUCCESS else None


def _event_reasons(nvml: Any, handle: Any) -> Values:
    # Drivers before 535 only have the old name.
    try:
        return [nvml.nvmlDeviceGetCurrentClocksEventReasons(handle)]
    except (nvml.NVMLError_FunctionNotFound, AttributeError):
        return [nvml.nvmlDeviceGetCurrentClocksThrottleReasons(handle)]


def _ecc(kind: str) -> Callable[[Any, Any], Values]:
    def read(nvml: Any, handle: Any) -> Values:
        error_type = getattr(nvml, f"NVML_MEMORY_ERROR_TYPE_{kind}")
        return [available(nvml.nvmlDeviceGetTotalEccErrors(handle, error_type, nvml.NVML_VOLATILE_ECC))]

    return read


def _retired_pages(nvml: Any, handle: Any) -> Values:
    causes = (
        nvml.NVML_PAGE_RETIREMENT_CAUSE_MULTIPLE_SINGLE_BIT_ECC_ERRORS,
        nvml.NVML_PAGE_RETIREMENT_CAUSE_DOUBLE_BIT_ECC_ERROR,
    )
    return [sum(len(nvml.nvmlDeviceGetRetiredPages(handle, cause)) for cause in causes)]


#: Read at every interval.
FAST: list[Field] = [
    Field(("utilization_gpu_percent", "utilization_memory_percent"), _utilization),
    Field(("memory_used_bytes", "memory_total_bytes"), _memory),
    Field(("power_mw",), _power),
    _number("temperature_celsius", "nvmlDeviceGetTemperature", "NVML_TEMPERATURE_GPU"),
    _number("clock_sm_mhz", "nvmlDeviceGetClockInfo", "NVML_CLOCK_SM"),
    _number("clock_memory_mhz", "nvmlDeviceGetClockInfo", "NVML_CLOCK_MEM"),
    _number("energy_mj", "nvmlDeviceGetTotalEnergyConsumption"),
    Field(("clocks_event_reasons_mask",), _event_reasons),
]

#: Read about once a second: values that rarely change, and PCIe traffic, whose call takes 20 ms.
SLOW: list[Field] = [
    _number("power_limit_enforced_mw", "nvmlDeviceGetEnforcedPowerLimit"),
    _number("power_limit_default_mw", "nvmlDeviceGetPowerManagementDefaultLimit"),
    Field(("temperature_memory_celsius",), _memory_temperature),
    _number("clock_sm_max_mhz", "nvmlDeviceGetMaxClockInfo", "NVML_CLOCK_SM"),
    _number("clock_memory_max_mhz", "nvmlDeviceGetMaxClockInfo", "NVML_CLOCK_MEM"),
    _number("pcie_generation_count", "nvmlDeviceGetCurrPcieLinkGeneration"),
    _number("pcie_width_count", "nvmlDeviceGetCurrPcieLinkWidth"),
    _number("pcie_tx_kib_per_s", "nvmlDeviceGetPcieThroughput", "NVML_PCIE_UTIL_TX_BYTES"),
    _number("pcie_rx_kib_per_s", "nvmlDeviceGetPcieThroughput", "NVML_PCIE_UTIL_RX_BYTES"),
    Field(("ecc_corrected_count",), _ecc("CORRECTED")),
    Field(("ecc_uncorrected_count",), _ecc("UNCORRECTED")),
    Field(("retired_pages_count",), _retired_pages),
]

#: Read in quick succession for a moment, to estimate their update periods.
PROBED: list[Field] = [FAST[0], FAST[2], FAST[6]]
