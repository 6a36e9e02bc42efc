"""Read several sources of telemetry as one: the GPUs, and the CPUs of their host."""

from collections.abc import Sequence

from collectors.telemetry.sampler import SampleSource
from collectors.telemetry.samples import Batch


class JoinedSource:
    """The devices of all sources, in their order."""

    def __init__(self, sources: Sequence[SampleSource]) -> None:
        self._sources = sources
        self.devices = [device for source in sources for device in source.devices]

    def read(self, slow: Sequence[bool]) -> Batch:
        """Return what the sources return; `slow` selects the devices whose slow fields are due."""
        batch: Batch = []
        first = 0
        for source in self._sources:
            batch += source.read(slow[first : first + len(source.devices)])
            first += len(source.devices)
        return batch

    def probe(self) -> Batch:
        """Return the probed samples of all sources."""
        return [item for source in self._sources for item in source.probe()]

    def missing(self) -> dict[str, str]:
        """Return the columns that no device of a source has, with the reasons."""
        return dict(item for source in self._sources for item in source.missing().items())

    def close(self) -> None:
        """Close all sources."""
        for source in self._sources:
            source.close()
