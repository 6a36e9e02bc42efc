"""The steps of training and of inference, with their phases.

data_loading   waiting for the DataLoader
transfer       the batch's way to the device; only where there is one to go to
forward        the model, and in training the loss
backward       gradients; with several ranks also their average, which overlaps
optimizer      the weights

Nothing waits for the device here: by which clock the phases are timed is the recorder's business.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from typing import Any, Callable, ContextManager

import torch
from torch import Tensor, nn

from collectors.recorder.recorder import Recorder
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

    model    returns the loss of a batch, the tensors of which are its arguments
    start    returns the recorder
    """
    model.train()
    scaler = numerics.scaler
    with start() as recorder:
        transfer = transferring(recorder, numerics)
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
        transfer, forward = transferring(recorder, numerics), recorder.phase("forward")
        for batch in recorder.steps(batches, limit=steps):
            with transfer:
                moved = numerics.tensor(batch[0])
            with forward, numerics.autocast():
                model(moved)


def transferring(recorder: Recorder, numerics: Numerics) -> ContextManager[Any]:
    """Return the phase `transfer`, or nothing to be timed where the batch is there already."""
    return nullcontext() if numerics.device.type == "cpu" else recorder.phase("transfer")


def compiled(model: nn.Module, is_wanted: object) -> nn.Module:
    """Return the model as torch.compile has it, if wanted; the warm-up steps do the compiling."""
    if not is_wanted:
        return model
    made: nn.Module = torch.compile(model)  # type: ignore[assignment]
    return made
