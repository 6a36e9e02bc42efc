"""Run the three kinds of step of the Flux benchmarks.

forward             call the model, without gradient
forward+backward    gradient of sum(model(x)) with respect to weights and input (FluxBench's `bw`)
train               reset, forward, mean squared error, backward, ADAM(0.007) (Benchmarks.jl)

The recurrent state is carried from step to step, as in the originals, which reset it only in training. The
batched variant resets it at each step, because its samples are independent windows. On a GPU each phase is
synchronised at both ends, so that it contains the work that it started.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Callable, ContextManager, Protocol

import torch
from torch import Tensor, nn

from collectors.workloads.flux import cells

LEARNING_RATE = 0.007


class StepRecorder(Protocol):
    """The part of collectors.Recorder that is used here."""

    def phase(self, name: str, *, synchronize: Callable[[], object] | None = None) -> ContextManager[object]:
        """Return a reusable context manager that times a part of the step and synchronises at both ends."""

    def steps(self, source: int) -> Iterator[int]:
        """Yield once per step."""


class FullBatchSteps:
    """The kinds of step, over one full batch.

    reset    start each step from the initial state, not from the state after the last step
    """

    def __init__(self, model: nn.Module, x: Tensor, y: Tensor, *, reset: bool) -> None:
        self.model = model
        self.x = x
        self.y = y
        self.begin = cells.reset if reset else cells.detach
        self.synchronize = torch.cuda.synchronize if x.is_cuda else None

    def forward(self, recorder: StepRecorder, steps: int) -> None:
        """Run steps that only call the model; dropout is off."""
        self.model.eval()
        (forward,) = self._phases(recorder, "forward")
        with torch.no_grad():
            for _ in recorder.steps(steps):
                with forward:
                    self.begin(self.model)
                    self.model(self.x)

    def forward_backward(self, recorder: StepRecorder, steps: int) -> None:
        """Run steps that compute the gradient of the sum of the output."""
        self.model.train()
        inputs = [*self.model.parameters(), self.x.requires_grad_()]
        forward, backward = self._phases(recorder, "forward", "backward")
        for _ in recorder.steps(steps):
            with forward:
                self.begin(self.model)
                total = self.model(self.x).sum()
            with backward:
                # As in Flux.gradient: new gradients in each step, none for unused weights.
                torch.autograd.grad(total, inputs, allow_unused=True)

    def train(self, recorder: StepRecorder, steps: int) -> None:
        """Run training steps on the same full batch."""
        self.model.train()
        optimizer = torch.optim.Adam(self.model.parameters(), lr=LEARNING_RATE)
        forward, backward, optimize = self._phases(recorder, "forward", "backward", "optimizer")
        for _ in recorder.steps(steps):
            with forward:
                self.begin(self.model)
                loss = nn.functional.mse_loss(self.model(self.x), self.y)
            with backward:
                optimizer.zero_grad()
                torch.autograd.backward(loss)
            with optimize:
                optimizer.step()

    def of_pass(self, name: str) -> Callable[[StepRecorder, int], None]:
        """Return the method for a value of the option --pass."""
        return {"forward": self.forward, "forward+backward": self.forward_backward, "train": self.train}[name]

    def _phases(self, recorder: StepRecorder, *names: str) -> list[ContextManager[object]]:
        return [recorder.phase(name, synchronize=self.synchronize) for name in names]
