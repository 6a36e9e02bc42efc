"""Sequences of random tokens, full length, in the form that each model is trained with.

What the words are makes no difference to the time; how long the sequences are does. So there is no
padding, and the rate in tokens is one of real tokens.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.utils.data import Dataset

from collectors.workloads.encoders.workload import LABELS, Shape, predictions

_COUNT = 25_000  # as many as IMDb's training set
_FIRST = 5  # below are RoBERTa's special tokens; its padding would be masked
_MASK = 4  # stands for [MASK]


class DrawnTexts(Dataset[tuple[Tensor, ...]]):
    """Sequences of `length` tokens, each always the same."""

    def __init__(self, shape: Shape, length: int) -> None:
        self.shape = shape
        self.length = length

    def __len__(self) -> int:
        return _COUNT

    def __getitem__(self, index: int) -> tuple[Tensor, ...]:
        generator = torch.Generator().manual_seed(index)
        tokens = torch.randint(_FIRST, self.shape.vocabulary, (self.length,), generator=generator)
        if not self.shape.is_pretraining:
            return tokens, torch.tensor(index % LABELS)
        segments = torch.zeros(self.length, dtype=torch.long)
        segments[self.length // 2 :] = 1
        places = torch.randperm(self.length, generator=generator)[: predictions(self.length)].sort().values
        masked = tokens[places]
        tokens[places] = _MASK
        return tokens, segments, places, masked, torch.tensor(index % 2)
