"""Run the steps of training and of inference, with their phases.

data_loading   wait for the DataLoader
transfer       copy the batch to the device; not on a CPU, and not if it is already there
forward        call the model; in training it returns the loss
backward       compute the gradients; with several ranks also average them, which overlaps
optimizer      update the weights

This module does not wait for the device; the recorder chooses the clock. torch's GradScaler does: with
fp16-amp it reads after each backward pass whether a gradient has overflowed (phase optimizer), unless the
optimizer is fused.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from typing import Any, Callable, ContextManager

import torch
from torch import Tensor, nn

from collectors.recorder.recorder import Recorder
from collectors.workloads.training.loading import ResidentBatches
from collectors.workloads.training.numerics import Numerics

Batches = Iterable[Sequence[Tensor]]
Start = Callable[[], Recorder]


def train(
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    batches: Batches,
    numerics: Numerics,
    steps: int,
    start: Start,
) -> None:
    """Train for a number of steps.

    model    takes the tensors of a batch as arguments and returns the loss
    start    returns the recorder
    """
    model.train()
    scaler = numerics.scaler
    with start() as recorder:
        transfer = transfer_phase(recorder, numerics, batches)
        forward, backward, optimize = map(recorder.phase, ("forward", "backward", "optimizer"))
        for batch in recorder.steps(batches, limit=steps):
            with transfer:
                moved = numerics.batch(batch)
            with forward, numerics.autocast():
                loss = model(*moved)
            with backward:
                optimizer.zero_grad()
                torch.autograd.backward(scaler.scale(loss))
            with optimize:
                scaler.step(optimizer)
                scaler.update()


def infer(model: nn.Module, batches: Batches, numerics: Numerics, steps: int, start: Start) -> None:
    """Call the model with the first tensor of each batch, without gradient, for a number of steps."""
    model.eval()
    with torch.no_grad(), start() as recorder:
        transfer, forward = transfer_phase(recorder, numerics, batches), recorder.phase("forward")
        for batch in recorder.steps(batches, limit=steps):
            with transfer:
                moved = numerics.tensor(batch[0])
            with forward, numerics.autocast():
                model(moved)


def transfer_phase(recorder: Recorder, numerics: Numerics, batches: Batches) -> ContextManager[Any]:
    """Return the phase `transfer`, or a null context if the batches are already on the device."""
    is_there = numerics.device.type == "cpu" or isinstance(batches, ResidentBatches)
    return nullcontext() if is_there else recorder.phase("transfer")


def compile_if(model: nn.Module, is_wanted: object) -> nn.Module:
    """Return the model, through torch.compile if wanted; it compiles during the warm-up steps."""
    if not is_wanted:
        return model
    compiled: nn.Module = torch.compile(model)  # type: ignore[assignment]
    return compiled
