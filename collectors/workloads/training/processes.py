"""Join the ranks of a workload: one process per device, connected by torch.distributed.

The rank comes from the environment variables of torchrun. The model averages its gradients over the ranks
(DistributedDataParallel; NCCL between CUDA devices, Gloo between CPUs).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import torch
from torch import distributed, nn
from torch.nn.parallel import DistributedDataParallel

from collectors.machine.distributed import process_rank


class WorkloadRank(NamedTuple):
    """The rank of this process, and its device."""

    device: torch.device
    number: int
    ranks: int

    def average_gradients(self, model: nn.Module) -> nn.Module:
        """Return a model that averages its gradients over the ranks; for a single rank the model itself."""
        if self.ranks == 1:
            return model
        devices = [self.device] if self.device.type == "cuda" else None
        return DistributedDataParallel(model, device_ids=devices)


@contextmanager
def join_ranks(kind: str) -> Iterator[WorkloadRank]:
    """Yield the rank of this process, connected with the others.

    kind   "cpu" or "cuda"
    """
    info = process_rank()
    device = torch.device(kind, info.local_rank) if kind == "cuda" else torch.device(kind)
    if kind == "cuda":
        torch.cuda.set_device(device)
    if info.ranks == 1:
        yield WorkloadRank(device, 0, 1)
        return
    distributed.init_process_group("nccl" if kind == "cuda" else "gloo")
    yield WorkloadRank(device, info.rank, info.ranks)
    # Not after an exception: the ranks would wait for each other.
    distributed.destroy_process_group()
