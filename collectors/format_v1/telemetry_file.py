"""Write `telemetry.node<N>.csv`: samples and events of the devices of one node."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from collectors.format_v1.append_file import AppendFile
from collectors.format_v1.clocks import clock_line

# fmt: off
TELEMETRY_COLUMNS = (
    "utilization_gpu_percent", "utilization_memory_percent", "sm_active_ppm", "tensor_active_ppm",
    "memory_active_ppm", "memory_used_bytes", "memory_total_bytes",
    "power_mw", "power_limit_enforced_mw", "power_limit_default_mw", "temperature_celsius",
    "temperature_memory_celsius", "clock_sm_mhz", "clock_memory_mhz", "clock_sm_max_mhz",
    "clock_memory_max_mhz", "pcie_generation_count", "pcie_width_count", "pcie_tx_bytes", "pcie_rx_bytes",
    "nvlink_tx_bytes", "nvlink_rx_bytes", "energy_mj", "ecc_corrected_count", "ecc_uncorrected_count",
    "retired_pages_count", "remapped_rows_corrected_count", "remapped_rows_uncorrected_count",
    "remapped_rows_pending_count", "remapped_rows_failed_count", "foreign_processes_count",
    "foreign_memory_bytes", "clocks_event_reasons_mask", "violation_power_ns", "violation_thermal_ns",
    "violation_sync_boost_ns", "violation_board_limit_ns", "violation_reliability_ns",
    "cpu_energy_mj", "cpu_temperature_celsius",
)
# fmt: on


def telemetry_path(folder: Path, node: int) -> Path:
    """Return the path of the telemetry file of a node."""
    return folder / f"telemetry.node{node}.csv"


class TelemetryFile(AppendFile):
    """The samples of the devices of one node; a new header is written whenever a column is added."""

    def __init__(self, folder: Path, node: int, interval: int) -> None:
        """Create the file; `interval` is the requested one in ns. Raises OSError."""
        super().__init__(telemetry_path(folder, node))
        self._columns: list[str] = []
        self.write(f"{clock_line()}#interval,{interval}\n")

    def write_samples(self, samples: Iterable[tuple[str, int, Mapping[str, int]]]) -> None:
        """Append samples (device, monotonic ns, column -> value); raises OSError."""
        lines = []
        for device, when, values in samples:
            if not self._columns or not values.keys() <= set(self._columns):
                used = {*self._columns, *values}
                self._columns = [name for name in TELEMETRY_COLUMNS if name in used]
                lines.append(",".join(["device", "monotonic_ns", *self._columns]))
            cells = [str(values.get(name, "")) for name in self._columns]
            lines.append(",".join([device, str(when), *cells]))
        if lines:
            self.write("\n".join(lines) + "\n")

    def write_event(self, device: str, when: int, name: str) -> None:
        """Append an event of a device: `lost`, `reset` (it needs one) or `returned`; raises OSError."""
        self.write(f"#event,{device},{when},{name}\n")

    def write_xid(self, device: str, when: int, number: int) -> None:
        """Append an error message (XID) of the driver about a device; raises OSError."""
        self.write(f"#xid,{device},{when},{number}\n")

    def write_missing(self, column: str, reason: str) -> None:
        """Append why a column is missing, as a word such as `not_supported`; raises OSError."""
        self.write(f"#missing,{column},{reason}\n")

    def write_end(self, periods: Mapping[str, int], median: int, longest: int, count: int) -> None:
        """Append the update periods of columns and the achieved intervals, in ns; raises OSError.

        median, longest, count  of the intervals between samples; a count of 0 writes no interval
        """
        updates = [f"#update,{column},{period}\n" for column, period in periods.items()]
        achieved = [f"#achieved,{median},{longest},{count}\n"] if count else []
        self.write("".join(updates + achieved) + clock_line())
