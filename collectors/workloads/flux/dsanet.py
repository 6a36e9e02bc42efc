"""DSANet: two towers of self-attention encoders over convolved windows, and a linear model.

After FluxArchitectures' DSANet.jl; the paper is Huang et al., "DSANet: Dual Self-Attention Network for
Multivariate Time Series Forecasting". Kept from the original: the values are projected with the weights of
the keys (the value weights are unused), the attention contracts over all features and samples, so that its
matrices are only heads x heads, the first layer norm is unused, and the feed-forward part always uses a
sigmoid.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from collectors.workloads.flux.cells import initialise_as_flux

# sqrt(eps(Float32)): added to the standard deviation; torch's LayerNorm adds it to the variance.
STD_FLOOR = math.sqrt(2.0**-23)
DROPOUT = 0.1


class DSANet(nn.Module):
    """Maps (batch, 1, pool, features) to (batch, 1). It has no recurrence, so there is no batched variant.

    local       length of the local tower's convolution
    kernels     convolution filters of each tower
    model, inner, layers, heads     sizes of the encoders
    """

    def __init__(
        self,
        features: int,
        pool: int,
        local: int,
        kernels: int,
        model: int,
        inner: int,
        layers: int,
        heads: int,
    ) -> None:
        super().__init__()
        self.autoregressive = nn.Linear(pool, 1)
        self.global_tower = Tower(pool, pool, kernels, model, inner, layers, heads)
        self.local_tower = Tower(pool, local, kernels, model, inner, layers, heads)
        self.dropout = nn.Dropout(DROPOUT)
        self.merge = nn.Linear(2 * kernels, 1)
        self.output = nn.Linear(features, 1)
        initialise_as_flux(self)

    def forward(self, x: Tensor) -> Tensor:
        """Return the prediction for each sample of `x`."""
        linear = self.autoregressive(x.squeeze(1).transpose(1, 2)).squeeze(2)
        towers = torch.cat([self.global_tower(x), self.local_tower(x)], 2)
        attended = self.merge(self.dropout(towers)).relu().squeeze(2)
        prediction: Tensor = self.output(attended + linear)
        return prediction


class Tower(nn.Module):
    """Convolution along the window, maximum over positions, encoders; returns (batch, features, kernels)."""

    def __init__(
        self, pool: int, length: int, kernels: int, model: int, inner: int, layers: int, heads: int
    ) -> None:
        super().__init__()
        self.convolution = nn.Conv2d(1, kernels, (length, 1))
        positions = pool - length + 1
        self.maximum = nn.MaxPool2d((positions, 1)) if positions > 1 else nn.Identity()
        self.dropout = nn.Dropout(DROPOUT)
        self.enter = nn.Linear(kernels, model)
        self.encoders = nn.Sequential(*(Encoder(model, inner, heads) for _ in range(layers)))
        self.leave = nn.Linear(model, kernels)

    def forward(self, x: Tensor) -> Tensor:
        """Return the features (batch, features, kernels) of `x` (batch, 1, pool, features)."""
        convolved = self.dropout(self.maximum(self.convolution(x).relu()))
        per_feature = convolved.squeeze(2).transpose(1, 2)
        left: Tensor = self.leave(self.encoders(self.enter(per_feature)))
        return left


class Encoder(nn.Module):
    """Self-attention and a position-wise feed-forward part; keeps the shape (batch, features, model)."""

    def __init__(self, model: int, inner: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(model, model)
        self.key = nn.Linear(model, model)
        self.value = nn.Linear(model, model)  # unused, but the original has this weight
        self.leave_attention = nn.Linear(model, model)
        self.first_norm = Norm(model)  # unused, but the original has this weight
        self.widen = nn.Conv1d(model, inner, 1)
        self.narrow = nn.Conv1d(inner, model, 1)
        self.norm = Norm(model)
        self.dropout = nn.Dropout(DROPOUT)

    def forward(self, x: Tensor) -> Tensor:
        """Return `x` after attention and feed-forward part."""
        attended = self.leave_attention(self._attend(x.flatten(0, 1))).view_as(x)
        residual = self.dropout(attended) + x
        forwarded = self.narrow(self.widen(residual.transpose(1, 2)).sigmoid()).transpose(1, 2)
        encoded: Tensor = self.norm(self.dropout(forwarded) + residual)
        return encoded

    def _attend(self, x: Tensor) -> Tensor:
        """Return the attention of `x` (n, model), n = batch x features, without its last layer."""
        # As in the original, the values are another projection with the weights of the keys.
        query, key, value = (self._split(part) for part in (self.query(x), self.key(x), self.key(x)))
        depth = query.shape[0]
        scores = torch.bmm(key.transpose(1, 2), query) / math.sqrt(depth)
        weights = self.dropout(scores.softmax(1))
        return torch.bmm(value, weights).permute(1, 0, 2).flatten(1)

    def _split(self, x: Tensor) -> Tensor:
        """Return (n, model) as (depth, n, heads), contiguous as after permutedims."""
        return x.view(len(x), -1, self.heads).permute(1, 0, 2).contiguous()


class Norm(nn.Module):
    """Layer norm over the last axis that divides by the standard deviation plus `STD_FLOOR`."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.gain = nn.Parameter(torch.ones(size))
        self.bias = nn.Parameter(torch.zeros(size))

    def forward(self, x: Tensor) -> Tensor:
        """Return `x` with mean 0 and standard deviation about 1 along the last axis, scaled and shifted."""
        std, mean = torch.std_mean(x, -1, correction=0, keepdim=True)
        return (x - mean) / (std + STD_FLOOR) * self.gain + self.bias
