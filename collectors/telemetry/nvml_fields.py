"""What is read of a device through NVML, and how: one function for each call, each with its columns.

A reader gets the module `pynvml` and a device's handle and returns the values of its columns in their units,
None for what the driver calls not available. It lets NVMLError through; `nvml` decides what an error means.
"""

from collections.abc import Sequence
from typing import Any, Callable, NamedTuple, Optional

Values = Sequence[Optional[int]]

_NOT_AVAILABLE = (2**32 - 1, 2**64 - 1)  # NVML_VALUE_NOT_AVAILABLE of 32 and 64 bits


class Field(NamedTuple):
    """Columns that one call fills."""

    columns: tuple[str, ...]
    read: Callable[[Any, Any], Values]


def _one(column: str, name: str, *arguments: str) -> Field:
    """Return the field of a function that returns one number; `arguments` name constants of pynvml."""

    def read(nvml: Any, handle: Any) -> Values:
        given = [getattr(nvml, argument) for argument in arguments]
        return [known(getattr(nvml, name)(handle, *given))]

    return Field((column,), read)


def known(value: int) -> Optional[int]:
    """Return a value of NVML, None for its "not available"."""
    return None if value in _NOT_AVAILABLE else int(value)


def _utilization(nvml: Any, handle: Any) -> Values:
    rates = nvml.nvmlDeviceGetUtilizationRates(handle)
    return [known(rates.gpu), known(rates.memory)]


def _memory(nvml: Any, handle: Any) -> Values:
    # Version 2 leaves out what the driver reserves for itself, as nvidia-smi does.
    version = getattr(nvml, "nvmlMemory_v2", None)
    try:
        memory = nvml.nvmlDeviceGetMemoryInfo(handle, version)
    except nvml.NVMLError as error:
        if error.value not in (nvml.NVML_ERROR_FUNCTION_NOT_FOUND, nvml.NVML_ERROR_NOT_SUPPORTED):
            raise
        memory = nvml.nvmlDeviceGetMemoryInfo(handle)
    return [known(memory.used), known(memory.total)]


def _power(nvml: Any, handle: Any) -> Values:
    # nvmlDeviceGetPowerUsage is an average over 1 s on Ampere and later; the field is instantaneous.
    power = _field_value(nvml, handle, nvml.NVML_FI_DEV_POWER_INSTANT)
    return [known(nvml.nvmlDeviceGetPowerUsage(handle)) if power is None else power]


def _memory_temperature(nvml: Any, handle: Any) -> Values:
    return [_field_value(nvml, handle, nvml.NVML_FI_DEV_MEMORY_TEMP)]


def _field_value(nvml: Any, handle: Any, field: int) -> Optional[int]:
    try:
        (found,) = nvml.nvmlDeviceGetFieldValues(handle, [field])
    except nvml.NVMLError as error:
        if error.value in (nvml.NVML_ERROR_GPU_IS_LOST, nvml.NVML_ERROR_RESET_REQUIRED):
            raise
        return None
    return known(found.value.uiVal) if found.nvmlReturn == nvml.NVML_SUCCESS else None


def _event_reasons(nvml: Any, handle: Any) -> Values:
    # Drivers before 535 know only the old name.
    try:
        return [nvml.nvmlDeviceGetCurrentClocksEventReasons(handle)]
    except (nvml.NVMLError_FunctionNotFound, AttributeError):
        return [nvml.nvmlDeviceGetCurrentClocksThrottleReasons(handle)]


def _ecc(kind: str) -> Callable[[Any, Any], Values]:
    def read(nvml: Any, handle: Any) -> Values:
        error_type = getattr(nvml, f"NVML_MEMORY_ERROR_TYPE_{kind}")
        return [known(nvml.nvmlDeviceGetTotalEccErrors(handle, error_type, nvml.NVML_VOLATILE_ECC))]

    return read


def _retired_pages(nvml: Any, handle: Any) -> Values:
    causes = (
        nvml.NVML_PAGE_RETIREMENT_CAUSE_MULTIPLE_SINGLE_BIT_ECC_ERRORS,
        nvml.NVML_PAGE_RETIREMENT_CAUSE_DOUBLE_BIT_ECC_ERROR,
    )
    return [sum(len(nvml.nvmlDeviceGetRetiredPages(handle, cause)) for cause in causes)]


#: Read in every cycle.
FAST: list[Field] = [
    Field(("utilization_gpu_percent", "utilization_memory_percent"), _utilization),
    Field(("memory_used_bytes", "memory_total_bytes"), _memory),
    Field(("power_mw",), _power),
    _one("temperature_celsius", "nvmlDeviceGetTemperature", "NVML_TEMPERATURE_GPU"),
    _one("clock_sm_mhz", "nvmlDeviceGetClockInfo", "NVML_CLOCK_SM"),
    _one("clock_memory_mhz", "nvmlDeviceGetClockInfo", "NVML_CLOCK_MEM"),
    _one("energy_mj", "nvmlDeviceGetTotalEnergyConsumption"),
    Field(("clocks_event_reasons_mask",), _event_reasons),
]

#: Read about once a second: what hardly changes, and the traffic, whose call waits 20 ms for its answer.
SLOW: list[Field] = [
    _one("power_limit_enforced_mw", "nvmlDeviceGetEnforcedPowerLimit"),
    _one("power_limit_default_mw", "nvmlDeviceGetPowerManagementDefaultLimit"),
    Field(("temperature_memory_celsius",), _memory_temperature),
    _one("clock_sm_max_mhz", "nvmlDeviceGetMaxClockInfo", "NVML_CLOCK_SM"),
    _one("clock_memory_max_mhz", "nvmlDeviceGetMaxClockInfo", "NVML_CLOCK_MEM"),
    _one("pcie_generation_count", "nvmlDeviceGetCurrPcieLinkGeneration"),
    _one("pcie_width_count", "nvmlDeviceGetCurrPcieLinkWidth"),
    _one("pcie_tx_kib_per_s", "nvmlDeviceGetPcieThroughput", "NVML_PCIE_UTIL_TX_BYTES"),
    _one("pcie_rx_kib_per_s", "nvmlDeviceGetPcieThroughput", "NVML_PCIE_UTIL_RX_BYTES"),
    Field(("ecc_corrected_count",), _ecc("CORRECTED")),
    Field(("ecc_uncorrected_count",), _ecc("UNCORRECTED")),
    Field(("retired_pages_count",), _retired_pages),
]

#: Read every few milliseconds for a moment, to find their update periods.
PROBED: list[Field] = [FAST[0], FAST[2], FAST[6]]
