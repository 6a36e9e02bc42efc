"""TPA-LSTM: an LSTM over the window with attention over its hidden states.

After FluxArchitectures' TPALSTM.jl; the paper is Shih et al., https://arxiv.org/abs/1809.04206.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from collectors.workloads.flux.cells import LSTMCell, initialise_as_flux, recurrence


class TPALSTM(nn.Module):
    """Maps (batch, 1, pool, features) to (batch, 1).

    hidden      size of the embedding and of each LSTM layer
    filters     filters of the attention's convolution over the window
    """

    def __init__(
        self, features: int, hidden: int, pool: int, layers: int = 1, filters: int = 32, *, variant: str
    ) -> None:
        super().__init__()
        self.pool = pool
        self.embedding = nn.Linear(features, hidden)
        self.convolution = nn.Conv2d(1, filters, (pool - 1, 1))
        self.filter_weights = nn.Linear(hidden, filters)
        self.attended = nn.Linear(hidden + filters, hidden)
        self.output = nn.Linear(hidden, 1)
        initialise_as_flux(self)
        self.lstm = nn.Sequential(*(recurrence(LSTMCell(hidden, hidden), variant) for _ in range(layers)))

    def forward(self, x: Tensor) -> Tensor:
        """Return the prediction for each sample of `x`."""
        window = x.squeeze(1)
        hidden = [self._recur(window[:, t]) for t in range(self.pool - 1)]
        last = self._recur(window[:, self.pool - 1])
        prediction: Tensor = self.output(self._attend(torch.stack(hidden, 1).relu(), last))
        return prediction

    def _recur(self, x: Tensor) -> Tensor:
        """Return the hidden state (batch, hidden) of the last LSTM layer after a step of the window."""
        hidden: Tensor = self.lstm(self.embedding(x).relu())
        return hidden

    def _attend(self, hidden: Tensor, last: Tensor) -> Tensor:
        """Return the attention of `last` (batch, hidden) to `hidden` (batch, pool - 1, hidden)."""
        convolved = self.convolution(hidden.unsqueeze(1)).relu().squeeze(2)  # (batch, filters, hidden)
        weights = (convolved * self.filter_weights(last).unsqueeze(2)).sum(1, keepdim=True).sigmoid()
        values = (weights * convolved).sum(2)
        attended: Tensor = self.attended(torch.cat([last, values], 1))
        return attended
