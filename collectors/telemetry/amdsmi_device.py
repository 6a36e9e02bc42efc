"""Read what the kernel's files of a GPU of AMD lack, or show wrongly, through the package `amdsmi`.

Units, by the documentation of amdsmi: power in W, activity in %, clocks in MHz, the counter of energy in
steps of `counter_resolution` microjoules. "N/A" is a value that the GPU does not have.
https://rocm.docs.amd.com/projects/amdsmi/en/latest/reference/amdsmi-py-api.html
"""

from collections.abc import Mapping
from typing import Any, Callable, NamedTuple

from collectors.telemetry.known_faults import RisingCounter, without_faults

_ENERGY = "energy_uj"


class AmdSmiField(NamedTuple):
    """A call of amdsmi; `read` takes the module and a handle, and returns column -> value or "N/A"."""

    name: str
    read: Callable[[Any, Any], Mapping[str, object]]


def _power(smi: Any, handle: Any) -> Mapping[str, object]:
    info = smi.amdsmi_get_power_info(handle)  # MI300 has the current power, MI200 the average
    watts = [info.get(f"{kind}_socket_power") for kind in ("current", "average")]
    return {"power_mw": next((each * 1000 for each in watts if isinstance(each, int)), None)}


def _energy(smi: Any, handle: Any) -> Mapping[str, object]:
    count = smi.amdsmi_get_energy_count(handle)
    steps = count.get("energy_accumulator", count.get("power"))  # its name before ROCm 6
    return {_ENERGY: round(steps * count["counter_resolution"]) if isinstance(steps, int) else None}


def _activity(smi: Any, handle: Any) -> Mapping[str, object]:
    activity = smi.amdsmi_get_gpu_activity(handle)
    return {
        "utilization_gpu_percent": activity["gfx_activity"],
        "utilization_memory_percent": activity["umc_activity"],
    }


def _clock(smi: Any, handle: Any) -> Mapping[str, object]:
    return {"clock_sm_mhz": smi.amdsmi_get_clock_info(handle, smi.AmdSmiClkType.GFX)["clk"]}


def _errors(smi: Any, handle: Any) -> Mapping[str, object]:
    count = smi.amdsmi_get_gpu_total_ecc_count(handle)
    return {
        "ecc_corrected_count": count["correctable_count"],
        "ecc_uncorrected_count": count["uncorrectable_count"],
    }


_FAST = (
    AmdSmiField("power", _power),
    AmdSmiField("energy", _energy),
    AmdSmiField("activity", _activity),
    AmdSmiField("clock", _clock),
)
_SLOW = (AmdSmiField("errors", _errors),)


class AmdSmiDevice:
    """A GPU as amdsmi shows it. A call that fails once is not made again."""

    def __init__(self, smi: Any, handle: Any) -> None:
        self._smi = smi
        self._handle = handle
        self._failed: set[str] = set()
        self._counter = RisingCounter()

    def read(self, *, is_slow: bool) -> dict[str, int]:
        """Return column -> value of what was measured."""
        values: dict[str, int] = {}
        for field in (*_FAST, *(_SLOW if is_slow else ())):
            if field.name not in self._failed:
                known = self._call(field).items()
                values.update((column, value) for column, value in known if isinstance(value, int))
        if _ENERGY in values:
            total = self._counter.add(values.pop(_ENERGY))
            if total >= 0:
                values["energy_mj"] = total // 1000
        return without_faults("amdsmi", values)[0]

    def _call(self, field: AmdSmiField) -> Mapping[str, object]:
        try:
            return field.read(self._smi, self._handle)
        except (
            self._smi.AmdSmiException,
            AttributeError,
            KeyError,
        ):  # an older amdsmi lacks the call or member
            self._failed.add(field.name)
            return {}
