"""Read what the kernel's files of a GPU of Intel lack through Level Zero's Sysman.

These are how busy the engines are, and the memory in use. A GPU of two tiles has both twice: busy is the mean
of the tiles, memory their sum. `xe` shows the engines to root only. Energy is read from the kernel's file,
because Sysman's counter falls to almost 0 at times (intel/compute-runtime#938).
https://oneapi-src.github.io/level-zero-spec/level-zero/latest/sysman/PROG.html
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from ctypes import c_double
from typing import Any, Optional

from collectors.machine.level_zero import (
    EngineProperties,
    EngineStats,
    MemoryProperties,
    MemoryState,
    Sysman,
    SysmanError,
    TemperatureProperties,
)
from collectors.telemetry.known_faults import without_faults

#: Groups of engines in the order in which they are preferred: all; graphics and compute; compute.
_ENGINE_GROUPS = (0, 11, 1)
_DEVICE_MEMORY = 1  # ZES_MEM_LOC_DEVICE
_BUSY = "utilization_gpu_percent"
_SENSORS = {1: "temperature_celsius", 2: "temperature_memory_celsius"}  # ZES_TEMP_SENSORS_GPU, _MEMORY


class LevelZeroDevice:
    """A GPU as Sysman shows it. What fails once is not read again."""

    def __init__(self, sysman: Sysman, handle: int) -> None:
        self._sysman = sysman
        engines = self._parts(handle, "EngineGroups", "zesEngine", EngineProperties)
        self._engines = _choose_engines(engines)
        memories = self._parts(handle, "MemoryModules", "zesMemory", MemoryProperties)
        self._memories = [memory for memory, about in memories if about.location == _DEVICE_MEMORY]
        sensors = self._parts(handle, "TemperatureSensors", "zesTemperature", TemperatureProperties)
        self._sensors = [
            (sensor, _SENSORS[about.type]) for sensor, about in sensors if about.type in _SENSORS
        ]
        self._last: Optional[tuple[int, int]] = None

    def _parts(self, device: int, kind: str, prefix: str, properties: type) -> list[tuple[int, Any]]:
        """Return the parts of a kind with their properties; [] if the driver does not list them."""
        try:
            handles = self._sysman.handles(f"zesDeviceEnum{kind}", device)
            return [
                (each, self._sysman.read(f"{prefix}GetProperties", each, properties())) for each in handles
            ]
        except (SysmanError, AttributeError):
            return []

    def read(self, *, is_slow: bool) -> dict[str, int]:
        """Return column -> value of what was measured."""
        values = {**self._busy(), **self._memory(), **(self._temperatures() if is_slow else {})}
        return without_faults("level-zero", values)[0]

    def _busy(self) -> Mapping[str, int]:
        """Return the share of time in which the engines worked since the last call."""
        try:
            read = [self._sysman.read("zesEngineGetActivity", each, EngineStats()) for each in self._engines]
        except (SysmanError, AttributeError):
            self._engines = []
            return {}
        now = (sum(each.active for each in read), sum(each.timestamp for each in read))
        last, self._last = self._last, now
        if last is None or now[1] <= last[1] or now[0] < last[0]:
            return {}
        return {_BUSY: round(100 * (now[0] - last[0]) / (now[1] - last[1]))}

    def _memory(self) -> Mapping[str, int]:
        try:
            states = [self._sysman.read("zesMemoryGetState", each, MemoryState()) for each in self._memories]
        except (SysmanError, AttributeError):
            self._memories = []
            return {}
        size = sum(each.size for each in states)
        used = size - sum(each.free for each in states)
        return {"memory_used_bytes": used, "memory_total_bytes": size} if size and used >= 0 else {}

    def _temperatures(self) -> Mapping[str, int]:
        """Return the highest temperature of the sensors of a kind."""
        values: dict[str, int] = {}
        for sensor, column in self._sensors:
            with suppress(SysmanError, AttributeError):
                celsius = int(self._sysman.read("zesTemperatureGetState", sensor, c_double()).value)
                values[column] = max(values.get(column, celsius), celsius)
        return values


def _choose_engines(engines: Sequence[tuple[int, Any]]) -> Sequence[int]:
    """Return the engines that show the activity of the GPU: of the whole, else of each tile."""
    for group in _ENGINE_GROUPS:
        chosen = [(engine, about.on_subdevice) for engine, about in engines if about.type == group]
        whole = [engine for engine, is_of_tile in chosen if not is_of_tile]
        if chosen:
            return whole or [engine for engine, _ in chosen]
    return []
