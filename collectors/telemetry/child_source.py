"""Read the samples that another program prints while the sampler runs."""

import os
import subprocess
import threading
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import IO

from collectors.telemetry.samples import Batch, Sample


class ChildSource:
    """A long-lived child, whose output a thread reads; a subclass parses it.

    devices  names of the devices, as in the samples
    columns  those that the child can give
    command  of the child; its texts are in English
    """

    def __init__(self, devices: Iterable[str], columns: Iterable[str], command: Sequence[str]) -> None:
        self.devices: Sequence[object] = list(devices)
        self._columns = columns
        self._samples: deque[Sample] = deque()
        self._seen: set[str] = set()
        self._child = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "LC_ALL": "C"},
        )
        self._thread = threading.Thread(
            target=self._keep_reading, name=f"reportgen-{type(self).__name__}", daemon=True
        )
        self._thread.start()

    def parsed(self, output: IO[bytes]) -> Iterable[Sample]:
        """Yield the samples of the output as they arrive."""
        raise NotImplementedError

    def _keep_reading(self) -> None:
        assert self._child.stdout is not None
        for sample in self.parsed(self._child.stdout):
            self._seen.update(sample.values)
            self._samples.append(sample)

    def read(self, slow: Sequence[bool]) -> Batch:
        """Return the samples that have arrived."""
        batch: Batch = []
        with suppress(IndexError):
            while True:
                batch.append(self._samples.popleft())
        return batch

    def probe(self) -> Batch:
        """Return nothing: the child keeps its own interval."""
        return []

    def missing(self) -> Mapping[str, str]:
        """Return the columns that had no value."""
        return {column: "not_supported" for column in self._columns if column not in self._seen}

    def close(self) -> None:
        """Terminate the child."""
        with suppress(OSError):
            self._child.terminate()
        self._child.wait()
        self._thread.join()
