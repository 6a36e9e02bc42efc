"""The telemetry fields of NVML: for each call its columns and a function that reads them.

A reader takes the module `pynvml` and the handle of a device. It returns the values of its columns in their
units, None where the driver has no value. It does not catch NVMLError; `nvml_source` interprets the errors.

No call blocks: nvmlDeviceGetPcieThroughput, which measures for 20 ms, is replaced by the byte counters of
PCIe. Field ids are numbers here because the driver may know more of them than the installed pynvml.
https://docs.nvidia.com/deploy/nvml-api/group__nvmlFieldValueEnums.html
"""

from collections.abc import Sequence
from typing import Any, Callable, NamedTuple, Optional

from collectors.machine.nvml import available

Values = Sequence[Optional[int]]

_MEMORY_TEMPERATURE = 82
_POWER_INSTANT = 186
_ALL_LINKS = 2**32 - 1  # scope: the sum over all links

#: How field values are stored, by their type in NVML; a floating-point number has no column.
_VALUE_MEMBERS = {1: "uiVal", 2: "ulVal", 3: "ullVal", 4: "sllVal", 5: "siVal", 6: "usVal"}


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
    # Version 2 excludes the memory that the driver reserves, as nvidia-smi does. pynvml has it since 11.5.
    version = getattr(nvml, "nvmlMemory_v2", None)
    if version is None:
        memory = nvml.nvmlDeviceGetMemoryInfo(handle)
        return [available(memory.used), available(memory.total)]
    try:
        memory = nvml.nvmlDeviceGetMemoryInfo(handle, version)
    except nvml.NVMLError as error:
        if error.value not in (nvml.NVML_ERROR_FUNCTION_NOT_FOUND, nvml.NVML_ERROR_NOT_SUPPORTED):
            raise
        memory = nvml.nvmlDeviceGetMemoryInfo(handle)
    return [available(memory.used), available(memory.total)]


def _power(nvml: Any, handle: Any) -> Values:
    # nvmlDeviceGetPowerUsage is an average over 1 s on Ampere and later; the field is instantaneous.
    (power,) = _field_values(nvml, handle, [(_POWER_INSTANT, 0)])
    return [available(nvml.nvmlDeviceGetPowerUsage(handle)) if power is None else power]


class _FieldId(NamedTuple):
    """A field of nvmlDeviceGetFieldValues, its column, and the factor to the unit of the column."""

    column: str
    number: int
    scope: int = 0
    factor: int = 1


def _of_field_ids(*fields: _FieldId) -> Field:
    """Return the field that reads several field ids in one call of the driver."""

    def read(nvml: Any, handle: Any) -> Values:
        values = _field_values(nvml, handle, [(field.number, field.scope) for field in fields])
        pairs = zip(fields, values)  # noqa: B905 - Python 3.9 has no strict
        return [None if value is None else value * field.factor for field, value in pairs]

    return Field(tuple(field.column for field in fields), read)


def _field_values(nvml: Any, handle: Any, fields: list[tuple[int, int]]) -> Values:
    """Return the values of field ids and scopes; None where the driver has none."""
    try:
        results = nvml.nvmlDeviceGetFieldValues(handle, fields)
    except nvml.NVMLError as error:
        if error.value in (nvml.NVML_ERROR_GPU_IS_LOST, nvml.NVML_ERROR_RESET_REQUIRED):
            raise
        return [None] * len(fields)
    return [_field_value(result) if result.nvmlReturn == nvml.NVML_SUCCESS else None for result in results]


def _field_value(result: Any) -> Optional[int]:
    member = _VALUE_MEMBERS.get(result.valueType)
    return available(getattr(result.value, member)) if member else None


def _violations(nvml: Any, handle: Any) -> Values:
    """Return the ns that each policy held the clocks down, since the driver was loaded."""
    values: list[Optional[int]] = []
    for policy in _POLICIES.values():
        try:
            status = nvml.nvmlDeviceGetViolationStatus(handle, policy)
            values.append(available(status.violationTime))
        except nvml.NVMLError as error:
            if error.value != nvml.NVML_ERROR_NOT_SUPPORTED:
                raise
            values.append(None)
    if set(values) == {None}:
        raise nvml.NVMLError(nvml.NVML_ERROR_NOT_SUPPORTED)
    return values


#: The column of each policy of nvmlDeviceGetViolationStatus (nvmlPerfPolicyType_t).
_POLICIES = {
    "violation_power_ns": 0,
    "violation_thermal_ns": 1,
    "violation_sync_boost_ns": 2,
    "violation_board_limit_ns": 3,
    "violation_reliability_ns": 5,
}


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


def _remapped_rows(nvml: Any, handle: Any) -> Values:
    """Return the rows of memory that were replaced; A100 and later do this instead of retiring pages."""
    corrected, uncorrected, is_pending, has_failed = nvml.nvmlDeviceGetRemappedRows(handle)
    return [corrected, uncorrected, int(bool(is_pending)), int(bool(has_failed))]


#: Read at every interval: few enough that eight devices with 1 ms a call fit into 100 ms.
FAST: list[Field] = [
    Field(("utilization_gpu_percent", "utilization_memory_percent"), _utilization),
    Field(("memory_used_bytes", "memory_total_bytes"), _memory),
    Field(("power_mw",), _power),
    _number("clock_sm_mhz", "nvmlDeviceGetClockInfo", "NVML_CLOCK_SM"),
    _number("energy_mj", "nvmlDeviceGetTotalEnergyConsumption"),
    Field(("clocks_event_reasons_mask",), _event_reasons),
]

#: Read about once a second: values that change slowly, and counters.
SLOW: list[Field] = [
    _number("temperature_celsius", "nvmlDeviceGetTemperature", "NVML_TEMPERATURE_GPU"),
    _number("clock_memory_mhz", "nvmlDeviceGetClockInfo", "NVML_CLOCK_MEM"),
    _number("power_limit_enforced_mw", "nvmlDeviceGetEnforcedPowerLimit"),
    _number("power_limit_default_mw", "nvmlDeviceGetPowerManagementDefaultLimit"),
    _of_field_ids(
        _FieldId("temperature_memory_celsius", _MEMORY_TEMPERATURE),
        _FieldId("pcie_tx_bytes", 197),
        _FieldId("pcie_rx_bytes", 198),
        _FieldId("nvlink_tx_bytes", 138, _ALL_LINKS, 1024),
        _FieldId("nvlink_rx_bytes", 139, _ALL_LINKS, 1024),
    ),
    Field(tuple(_POLICIES), _violations),
    _number("clock_sm_max_mhz", "nvmlDeviceGetMaxClockInfo", "NVML_CLOCK_SM"),
    _number("clock_memory_max_mhz", "nvmlDeviceGetMaxClockInfo", "NVML_CLOCK_MEM"),
    _number("pcie_generation_count", "nvmlDeviceGetCurrPcieLinkGeneration"),
    _number("pcie_width_count", "nvmlDeviceGetCurrPcieLinkWidth"),
    Field(("ecc_corrected_count",), _ecc("CORRECTED")),
    Field(("ecc_uncorrected_count",), _ecc("UNCORRECTED")),
    Field(("retired_pages_count",), _retired_pages),
    Field(
        (
            "remapped_rows_corrected_count",
            "remapped_rows_uncorrected_count",
            "remapped_rows_pending_count",
            "remapped_rows_failed_count",
        ),
        _remapped_rows,
    ),
]

_PROBED_COLUMNS = ("utilization_gpu_percent", "power_mw", "energy_mj")

#: Read in quick succession for a moment, to estimate their update periods.
PROBED: list[Field] = [field for field in FAST if field.columns[0] in _PROBED_COLUMNS]
