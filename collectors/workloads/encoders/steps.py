"""Train an encoder, with a fused AdamW where the device supports it (it replaces Apex's FusedAdam)."""

from __future__ import annotations

import torch
from torch import nn

from collectors.format_v1.case import Case
from collectors.workloads.encoders.models import build
from collectors.workloads.encoders.shapes import EncoderShape
from collectors.workloads.encoders.synthetic_data import SyntheticTexts
from collectors.workloads.training import loading, loop
from collectors.workloads.training.numerics import Numerics
from collectors.workloads.training.processes import WorkloadRank

LEARNING_RATE = 1e-5  # as in transformers-benchmarking


def run(shape: EncoderShape, case: Case, steps: int, rank: WorkloadRank, start: loop.Start) -> None:
    """Run the training steps of a case."""
    torch.manual_seed(loading.SEED)
    numerics = Numerics(str(case["precision"]), rank.device)
    dataset = SyntheticTexts(shape, int(case["seq_len"]))
    loader = loading.batches(dataset, case, rank, numerics)
    model = loop.compile_if(rank.average_gradients(numerics.model(build(shape))), case["compile"])
    loop.train(model, adamw(model), loader, numerics, steps, start)


def adamw(model: nn.Module) -> torch.optim.AdamW:
    """Return AdamW, fused if torch supports it for the device and type of the weights."""
    try:
        return torch.optim.AdamW(model.parameters(), lr=LEARNING_RATE, fused=True)
    except RuntimeError:  # torch does not support it
        return torch.optim.AdamW(model.parameters(), lr=LEARNING_RATE)
