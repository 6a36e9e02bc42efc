"""Train an encoder: AdamW in one fused kernel where the device has it, which replaces Apex's FusedAdam."""

from __future__ import annotations

import torch
from torch import nn

from collectors.workloads.encoders.models import build
from collectors.workloads.encoders.synthetic_data import DrawnTexts
from collectors.workloads.encoders.workload import shape_of
from collectors.workloads.settings import Case
from collectors.workloads.training import loop
from collectors.workloads.training.loading import SEED, batches
from collectors.workloads.training.numerics import Numerics
from collectors.workloads.training.processes import Rank

LEARNING_RATE = 1e-5  # of transformers-benchmarking


def run(case: Case, steps: int, rank: Rank, start: loop.Start) -> None:
    """Run the training steps of one case."""
    torch.manual_seed(SEED)
    shape = shape_of(case)
    numerics = Numerics(str(case["precision"]), rank.device)
    dataset = DrawnTexts(shape, int(case["seq_len"]))
    loader = batches(dataset, int(case["batch_size"]), int(case["num_workers"]), rank)
    model = loop.compiled(rank.averaging(numerics.model(build(shape))), case["compile"])
    loop.train(model, adamw(model), loader, numerics, steps, start)


def adamw(model: nn.Module) -> torch.optim.AdamW:
    """Return AdamW, fused if torch has that for the weights' device and type."""
    try:
        return torch.optim.AdamW(model.parameters(), lr=LEARNING_RATE, fused=True)
    except RuntimeError:  # how torch says that it has not
        return torch.optim.AdamW(model.parameters(), lr=LEARNING_RATE)
