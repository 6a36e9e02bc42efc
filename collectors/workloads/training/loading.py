"""Endless batches through a real DataLoader.

The samples of a data set are drawn in random order, without repetition until all have been drawn, and again
from the start: a benchmark has no epochs, whose borders would stop the workers in the middle of the
measured window. Every rank draws its own share.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Sized
from typing import Any

import torch
from torch.utils.data import DataLoader, Dataset, Sampler

from collectors.workloads.training.processes import Rank

SEED = 123


class Endless(Sampler[int]):
    """Indices of a data set of `length` samples for one of `ranks` ranks, without end."""

    def __init__(self, length: int, rank: int, ranks: int) -> None:
        if length < ranks:
            raise ValueError(f"data set: {length} samples are too few for {ranks} ranks; give it more")
        self.length = length
        self.rank = rank
        self.ranks = ranks

    def __iter__(self) -> Iterator[int]:
        """Yield indices; all ranks shuffle alike and take every n-th."""
        generator = torch.Generator().manual_seed(SEED)
        while True:
            order: Sequence[int] = torch.randperm(self.length, generator=generator).tolist()
            yield from order[self.rank :: self.ranks]


def batches(dataset: Dataset[Any], batch_size: int, workers: int, rank: Rank) -> DataLoader[Any]:
    """Return a loader that yields full batches without end; `workers` 0 loads in this process.

    dataset  with a length; its samples are tuples of tensors and integers
    """
    assert isinstance(dataset, Sized)
    return DataLoader(
        dataset,
        batch_size=batch_size,
        sampler=Endless(len(dataset), rank.number, rank.ranks),
        num_workers=workers,
        pin_memory=rank.device.type == "cuda",
    )
