"""Read DCGM's profiling counters through one long-lived `dcgmi dmon` child: `run --dcgm`.

How long the SMs, their tensor cores and the memory were active, as a share of the interval. DCGM measures
with the hardware that nsys and ncu need, too. So it is read only on request.
https://docs.nvidia.com/datacenter/dcgm/latest/user-guide/feature-overview.html#profiling-metrics
"""

import re
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import IO, Optional

from collectors.machine.dcgm import find_dcgm
from collectors.machine.nvml import UnavailableError
from collectors.telemetry.child_source import ChildSource
from collectors.telemetry.samples import Sample

#: The number of a field of DCGM -> its column.
_FIELDS: Mapping[int, str] = {1002: "sm_active_ppm", 1004: "tensor_active_ppm", 1005: "memory_active_ppm"}
_MIN_INTERVAL_MS = 100
_ROW = re.compile(r"\s*GPU\s+([0-9]+)((?:\s+\S+)+)\s*")
_SHARE = re.compile(r"[01](?:\.[0-9]+)?")


class DcgmSource(ChildSource):
    """The counters of some GPUs; `devices` are their UUIDs."""

    def __init__(self, program: str, uuids: Mapping[int, str], interval: int) -> None:
        self._uuids = uuids
        fields, numbers = ",".join(map(str, _FIELDS)), ",".join(map(str, uuids))
        milliseconds = max(_MIN_INTERVAL_MS, interval // 1_000_000)
        command = [program, "dmon", "-e", fields, "-i", numbers, "-d", str(milliseconds)]
        super().__init__(uuids.values(), _FIELDS.values(), command)

    @classmethod
    def open(cls, uuids: Sequence[str], interval: int) -> "DcgmSource":
        """Start dcgmi for these GPUs; `interval` in ns. Raises UnavailableError."""
        program, known = find_dcgm()
        chosen = {number: uuid for number, uuid in known.items() if uuid in uuids}
        if not chosen:
            raise UnavailableError("DCGM shows none of the visible GPUs", "restart nv-hostengine")
        return cls(program, chosen, interval)

    def parsed(self, output: IO[bytes]) -> Iterator[Sample]:
        """Yield a sample for each line with a number."""
        return filter(None, map(self._parse, output))

    def _parse(self, line: bytes) -> Optional[Sample]:
        row = _ROW.fullmatch(line.decode("utf-8", "replace").rstrip("\n"))
        cells = row[2].split() if row else []
        uuid = self._uuids.get(int(row[1])) if row else None
        if uuid is None or len(cells) != len(_FIELDS):
            return None
        shares = zip(_FIELDS.values(), cells)  # noqa: B905 - Python 3.9 has no strict
        values = {column: round(float(cell) * 1e6) for column, cell in shares if _SHARE.fullmatch(cell)}
        return Sample(uuid, time.perf_counter_ns(), values) if values else None
