"""LSTNet: a convolution over the whole window, two ReLU-GRUs (one with skips), and a linear model.

After FluxArchitectures' LSTnet.jl; the paper is Lai et al., https://arxiv.org/abs/1703.07015. Kept from the
original: the convolution covers the whole window, so the batch is the only time axis of the GRUs, and it is
computed twice, once per GRU. So in the batched variant each GRU is a single step.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from collectors.workloads.flux.cells import ReluGRUCell, initialise_as_flux, recurrence


class LSTNet(nn.Module):
    """Maps (batch, 1, pool, features) to (batch, 1).

    filters     convolution filters
    hidden      hidden size of each GRU
    skip        rows between the state and the input of the second GRU
    zeros       start with zero weights in the GRUs and the linear model, as Benchmarks.jl does
    """

    def __init__(
        self,
        features: int,
        filters: int,
        hidden: int,
        pool: int,
        skip: int,
        *,
        variant: str,
        zeros: bool = False,
    ) -> None:
        super().__init__()
        self.convolution = nn.Conv2d(1, filters, (pool, features))
        self.merge = nn.Linear(2 * hidden, 1)
        self.autoregressive = nn.Linear(features, 1)
        initialise_as_flux(self)
        if zeros:
            nn.init.zeros_(self.autoregressive.weight)
        self.gru = recurrence(ReluGRUCell(filters, hidden, zeros=zeros), variant)
        self.skip_gru = recurrence(ReluGRUCell(filters, hidden, zeros=zeros), variant, skip=skip)

    def forward(self, x: Tensor) -> Tensor:
        """Return the prediction for each sample of `x`."""
        recurrent = torch.cat([self.gru(self._convolve(x)), self.skip_gru(self._convolve(x))], 1)
        prediction: Tensor = self.merge(recurrent) + self.autoregressive(x[:, 0, -1])
        return prediction

    def _convolve(self, x: Tensor) -> Tensor:
        """Return the window's features, (batch, filters)."""
        convolved: Tensor = self.convolution(x)
        return convolved.relu().flatten(1)
