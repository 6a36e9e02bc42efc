"""The ranks of a workload: one process per device, joined by torch.distributed where there are several.

In: what torchrun left in the environment. Out: this rank's device, and the model that averages its gradients
with those of the others (DistributedDataParallel; NCCL between CUDA devices, Gloo between CPUs).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import torch
from torch import distributed, nn
from torch.nn.parallel import DistributedDataParallel

from collectors.machine.distributed import place


class Rank(NamedTuple):
    """This process among those of the run."""

    device: torch.device
    number: int
    ranks: int

    def averaging(self, model: nn.Module) -> nn.Module:
        """Return the model such that its gradients are averaged over the ranks; alone: the model itself."""
        if self.ranks == 1:
            return model
        devices = [self.device] if self.device.type == "cuda" else None
        return DistributedDataParallel(model, device_ids=devices)


@contextmanager
def joined(kind: str) -> Iterator[Rank]:
    """Yield this process's rank, joined with the others.

    kind   "cpu" or "cuda"
    """
    here = place()
    device = torch.device(kind, here.local_rank) if kind == "cuda" else torch.device(kind)
    if kind == "cuda":
        torch.cuda.set_device(device)
    if here.ranks == 1:
        yield Rank(device, 0, 1)
        return
    distributed.init_process_group("nccl" if kind == "cuda" else "gloo")
    yield Rank(device, here.rank, here.ranks)
    # Not after an exception: it would wait for ranks that wait for us.
    distributed.destroy_process_group()
