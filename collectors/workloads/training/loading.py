"""Load batches without end through a DataLoader.

The samples of a data set are drawn in random order, all of them once, then again. There are no epochs,
because the border of an epoch would stop the workers in the middle of the measured window. Each rank draws
its own share.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Sized
from typing import Any

import torch
from torch.utils.data import DataLoader, Dataset, Sampler

from collectors.workloads.training.processes import WorkloadRank

SEED = 123


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


def batches(dataset: Dataset[Any], batch_size: int, workers: int, rank: WorkloadRank) -> DataLoader[Any]:
    """Return a loader that yields full batches without end; with 0 workers it loads in this process.

    dataset  has a length; its samples are tuples of tensors and integers
    """
    assert isinstance(dataset, Sized)
    return DataLoader(
        dataset,
        batch_size=batch_size,
        sampler=EndlessSampler(len(dataset), rank.number, rank.ranks),
        num_workers=workers,
        pin_memory=rank.device.type == "cuda",
    )
