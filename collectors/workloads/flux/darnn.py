"""DA-RNN: two LSTMs with attention over the features (encoder) and over the window (decoder).

After FluxArchitectures' DARNN.jl; the paper is Qin et al., https://arxiv.org/abs/1704.02971. Kept from the
original: the encoder attends to the whole window at each step, its scores are reshaped so that samples and
features mix, and after a reset both LSTMs first run over zeros without gradient, to get a state for each row
of the batch (sequential variant).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from collectors.workloads.flux.cells import (
    LSTMCell,
    Sequential,
    State,
    Stateful,
    initialise_as_flux,
    recurrence,
)


class DARNN(nn.Module):
    """Maps (batch, 1, pool, features) to (batch, 1).

    encoder, decoder    hidden sizes of the two LSTMs
    target              index of the predicted feature, from 0
    """

    def __init__(
        self, features: int, encoder: int, decoder: int, pool: int, target: int = 0, *, variant: str
    ) -> None:
        super().__init__()
        self.pool = pool
        self.target = target
        self.encoder_attention = _attention(2 * encoder + pool, pool)
        self.decoder_attention = _attention(2 * decoder + encoder, encoder)
        self.decoder_input = nn.Linear(encoder + 1, 1)
        self.output = nn.Linear(decoder + encoder, 1)
        initialise_as_flux(self)
        self.encoder = LSTMPerRow(features, encoder, variant)
        self.decoder = LSTMPerRow(1, decoder, variant)

    def forward(self, x: Tensor) -> Tensor:
        """Return the prediction for each sample of `x`."""
        window = x.squeeze(1)
        self.encoder.prepare(len(window), x)
        self.decoder.prepare(len(window), x)
        context = self._decode(self._encode(window), window)
        prediction: Tensor = self.output(torch.cat([self.decoder.state[0], context], 1))
        return prediction

    def _encode(self, window: Tensor) -> Tensor:
        """Return the encoder's hidden state after each step of the window, (batch, pool, encoder)."""
        batch, _, features = window.shape
        every_window = window.permute(2, 0, 1)  # (features, batch, pool)
        encoded = []
        for t in range(self.pool):
            states = [part.expand(features, -1, -1) for part in self.encoder.state]
            scores = self.encoder_attention(torch.cat([*states, every_window], 2).flatten(0, 1))
            # The original reads the (features x batch) scores as (batch, features), which mixes them.
            weights = scores.view(batch, features).softmax(1)
            encoded.append(self.encoder(weights * window[:, t]))
        return torch.stack(encoded, 1)

    def _decode(self, encoded: Tensor, window: Tensor) -> Tensor:
        """Return the last context vector, (batch, encoder)."""
        for t in range(self.pool):
            states = [part.unsqueeze(1).expand(-1, self.pool, -1) for part in self.decoder.state]
            scores = self.decoder_attention(torch.cat([*states, encoded], 2).flatten(0, 1))
            weights = scores.view(-1, self.pool).softmax(1)
            context = torch.bmm(weights.unsqueeze(1), encoded).squeeze(1)
            target = window[:, t, self.target].unsqueeze(1)
            self.decoder(self.decoder_input(torch.cat([context, target], 1)))
        return context


class LSTMPerRow(Stateful):
    """An LSTM that exposes the state (h, c) of each row of the batch, each (batch, hidden)."""

    def __init__(self, inputs: int, hidden: int, variant: str) -> None:
        super().__init__()
        self.inputs = inputs
        self.recurrence = recurrence(LSTMCell(inputs, hidden), variant)
        self.rows: State | None = None

    @property
    def state(self) -> State:
        """The states after the last call, or after `prepare`."""
        assert self.rows is not None, "call prepare first"
        return self.rows

    def reset(self) -> None:
        """Drop the states of all rows."""
        self.rows = None

    def detach(self) -> None:
        """Cut the gradient between the last call and the next one."""
        if self.rows is not None:
            self.rows = tuple(part.detach() for part in self.rows)

    def prepare(self, batch: int, like: Tensor) -> None:
        """Create the state of each row after a reset: if sequential, by a run over zeros."""
        if self.rows is not None:
            return
        if isinstance(self.recurrence, Sequential):
            with torch.no_grad():
                self(like.new_zeros(batch, self.inputs))
        else:
            self.rows = self.recurrence.state(batch)

    def forward(self, rows: Tensor) -> Tensor:
        """Return the hidden states (batch, hidden) after `rows` (batch, inputs)."""
        if isinstance(self.recurrence, Sequential):
            states = self.recurrence.scan(rows)
            h, c = torch.cat([h for h, _ in states]), torch.cat([c for _, c in states])
        else:
            self.recurrence(rows)
            h, c = self.recurrence.state(len(rows))
        self.rows = (h, c)
        return h


def _attention(inputs: int, hidden: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(inputs, hidden), nn.Tanh(), nn.Linear(hidden, 1))
