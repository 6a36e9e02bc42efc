"""Read DCGM's profiling counters through one long-lived `dcgmi dmon` child: `run --dcgm`.

How long the SMs, their tensor cores and the memory were active, as a share of the interval. DCGM measures
with the hardware that nsys and ncu need, too. So it is read only on request.
https://docs.nvidia.com/datacenter/dcgm/latest/user-guide/feature-overview.html#profiling-metrics
"""

import os
import re
import subprocess
import threading
import time
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Optional

from collectors.machine.dcgm import find_dcgm
from collectors.machine.nvml import UnavailableError
from collectors.telemetry.samples import Batch, Sample

#: The number of a field of DCGM -> its column.
_FIELDS: Mapping[int, str] = {1002: "sm_active_ppm", 1004: "tensor_active_ppm", 1005: "memory_active_ppm"}
_MIN_INTERVAL_MS = 100
_ROW = re.compile(r"\s*GPU\s+([0-9]+)((?:\s+\S+)+)\s*")
_SHARE = re.compile(r"[01](?:\.[0-9]+)?")


class DcgmSource:
    """The counters of some GPUs; `devices` are their UUIDs."""

    def __init__(self, program: str, uuids: Mapping[int, str], interval: int) -> None:
        self.devices: Sequence[object] = list(uuids.values())
        self._uuids = uuids
        self._samples: deque[Sample] = deque()
        self._seen: set[str] = set()
        fields, numbers = ",".join(map(str, _FIELDS)), ",".join(map(str, uuids))
        milliseconds = max(_MIN_INTERVAL_MS, interval // 1_000_000)
        self._child = subprocess.Popen(
            [program, "dmon", "-e", fields, "-i", numbers, "-d", str(milliseconds)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "LC_ALL": "C"},
        )
        self._thread = threading.Thread(target=self._keep_reading, name="reportgen-dcgm", daemon=True)
        self._thread.start()

    @classmethod
    def open(cls, uuids: Sequence[str], interval: int) -> "DcgmSource":
        """Start dcgmi for these GPUs; `interval` in ns. Raises UnavailableError."""
        program, known = find_dcgm()
        chosen = {number: uuid for number, uuid in known.items() if uuid in uuids}
        if not chosen:
            raise UnavailableError("DCGM shows none of the visible GPUs", "restart nv-hostengine")
        return cls(program, chosen, interval)

    def _keep_reading(self) -> None:
        assert self._child.stdout is not None
        for line in self._child.stdout:
            sample = self._parse(line.decode("utf-8", "replace"))
            if sample:
                self._samples.append(sample)

    def _parse(self, line: str) -> Optional[Sample]:
        row = _ROW.fullmatch(line.rstrip("\n"))
        cells = row[2].split() if row else []
        uuid = self._uuids.get(int(row[1])) if row else None
        if uuid is None or len(cells) != len(_FIELDS):
            return None
        shares = zip(_FIELDS.values(), cells)  # noqa: B905 - Python 3.9 has no strict
        values = {column: round(float(cell) * 1e6) for column, cell in shares if _SHARE.fullmatch(cell)}
        self._seen.update(values)
        return Sample(uuid, time.perf_counter_ns(), values) if values else None

    def read(self, slow: Sequence[bool]) -> Batch:
        """Return the samples that have arrived."""
        batch: Batch = []
        with suppress(IndexError):
            while True:
                batch.append(self._samples.popleft())
        return batch

    def probe(self) -> Batch:
        """Return nothing: DCGM keeps its own interval."""
        return []

    def missing(self) -> Mapping[str, str]:
        """Return the columns that had no value."""
        return {column: "not_supported" for column in _FIELDS.values() if column not in self._seen}

    def close(self) -> None:
        """Terminate the child."""
        with suppress(OSError):
            self._child.terminate()
        self._child.wait()
