"""The three kinds of step of the Flux benchmarks, on any recorder.

forward             the model is called, without gradient
forward+backward    gradient of sum(model(x)) with respect to weights and input (FluxBench's `bw`)
train               reset, forward, mean squared error, backward, ADAM(0.007) (Benchmarks.jl)

The recurrent state is carried from step to step as in the originals, which reset it only when
training; the batched variant resets it at every step, as its samples are independent windows.
On a GPU each phase is synchronised at both ends, so that it contains the work it started.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Callable, ContextManager, Protocol

import torch
from torch import Tensor, nn

from collectors.workloads.flux import cells

LEARNING_RATE = 0.007


class StepRecorder(Protocol):
    """What a pass needs of collectors.Recorder."""

    def phase(self, name: str, *, synchronize: Callable[[], object] | None = None) -> ContextManager[object]:
        """Return a reusable context manager that times a part of the step, synchronising at both ends."""

    def steps(self, source: int) -> Iterator[int]:
        """Yield once for each step."""


class Pass:
    """Steps of one kind over one full batch.

    reset    start every step from the initial state, instead of where the last step ended
    """

    def __init__(self, model: nn.Module, x: Tensor, y: Tensor, *, reset: bool) -> None:
        self.model = model
        self.x = x
        self.y = y
        self.begin = cells.reset if reset else cells.detach
        self.synchronize = torch.cuda.synchronize if x.is_cuda else None

    def forward(self, recorder: StepRecorder, steps: int) -> None:
        """Run steps that call the model and nothing else; dropout is off."""
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
        wanted = [*self.model.parameters(), self.x.requires_grad_()]
        forward, backward = self._phases(recorder, "forward", "backward")
        for _ in recorder.steps(steps):
            with forward:
                self.begin(self.model)
                total = self.model(self.x).sum()
            with backward:
                # Like Flux.gradient: new gradients each time, nothing for weights that were not used.
                torch.autograd.grad(total, wanted, allow_unused=True)

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

    def named(self, name: str) -> Callable[[StepRecorder, int], None]:
        """Return the method that runs the pass called `name` on the command line."""
        return {"forward": self.forward, "forward+backward": self.forward_backward, "train": self.train}[name]

    def _phases(self, recorder: StepRecorder, *names: str) -> list[ContextManager[object]]:
        return [recorder.phase(name, synchronize=self.synchronize) for name in names]
