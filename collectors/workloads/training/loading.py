"""Load batches without end, through a DataLoader or from the memory of the device.

The samples of a data set are drawn in random order, all of them once, then again. There are no epochs,
because the border of an epoch would stop the workers in the middle of the measured window. Each rank draws
its own share.

A DataLoader measures the host too: drawing an image of 224 x 224 pixels takes about 1 ms. With the
factor `data=device`, a few batches are drawn before the first step and stay on the device: no step waits for
data.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Sized
from itertools import cycle, islice
from typing import Any

import torch
from torch import Tensor
from torch.utils.data import DataLoader, Dataset, Sampler, default_collate

from collectors.format_v1.case import Case
from collectors.workloads.settings import DEVICE_DATA
from collectors.workloads.training.numerics import Numerics
from collectors.workloads.training.processes import WorkloadRank

SEED = 123
_RESIDENT_BATCHES = 4  # more than one, so that a model does not learn a single batch by heart


class EndlessSampler(Sampler[int]):
    """Yields indices of a data set of `length` samples for one of `ranks` ranks, without end."""

    def __init__(self, length: int, rank: int, ranks: int) -> None:
        if length < ranks:
            raise ValueError(
                f"data set: {length} samples are too few for {ranks} ranks; use more samples or fewer ranks"
            )
        self.length = length
        self.rank = rank
        self.ranks = ranks

    def __iter__(self) -> Iterator[int]:
        """Yield indices; all ranks shuffle in the same way and take every n-th index."""
        generator = torch.Generator().manual_seed(SEED)
        while True:
            order: Sequence[int] = torch.randperm(self.length, generator=generator).tolist()
            yield from order[self.rank :: self.ranks]


class ResidentBatches:
    """Yields the same few batches of a data set again and again, from the memory of the device."""

    def __init__(
        self, dataset: Dataset[Any], batch_size: int, rank: WorkloadRank, numerics: Numerics
    ) -> None:
        assert isinstance(dataset, Sized)
        indices = iter(EndlessSampler(len(dataset), rank.number, rank.ranks))
        samples = (
            [dataset[index] for index in islice(indices, batch_size)] for _ in range(_RESIDENT_BATCHES)
        )
        self._batches = [numerics.batch(default_collate(batch)) for batch in samples]

    def __iter__(self) -> Iterator[Sequence[Tensor]]:
        """Yield batches without end; they are already in the precision of the model."""
        return cycle(self._batches)


def batches(
    dataset: Dataset[Any], case: Case, rank: WorkloadRank, numerics: Numerics
) -> Iterable[Sequence[Tensor]]:
    """Return full batches without end; with 0 workers they are loaded in this process.

    dataset  has a length; its samples are tuples of tensors and integers
    """
    assert isinstance(dataset, Sized)
    batch_size = int(case["batch_size"])
    if case.get("data") == DEVICE_DATA:
        return ResidentBatches(dataset, batch_size, rank, numerics)
    return DataLoader(
        dataset,
        batch_size=batch_size,
        sampler=EndlessSampler(len(dataset), rank.number, rank.ranks),
        num_workers=int(case["num_workers"]),
        pin_memory=rank.device.type == "cuda",
    )
