"""Draw sequences of random tokens in the form that each model is trained with.

The time of a step depends on the length of the sequences, not on their tokens. There is no padding, so the
token rate counts real tokens only.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.utils.data import Dataset

from collectors.workloads.encoders.shapes import LABELS, EncoderShape, masked_tokens

_SEQUENCES = 25_000  # as in the training set of IMDb
_FIRST_TOKEN = 5  # lower numbers are special tokens of RoBERTa; padding would be masked
_MASK_TOKEN = 4


class SyntheticTexts(Dataset[tuple[Tensor, ...]]):
    """Sequences of `length` tokens; an index always gives the same sequence."""

    def __init__(self, shape: EncoderShape, length: int) -> None:
        self.shape = shape
        self.length = length

    def __len__(self) -> int:
        return _SEQUENCES

    def __getitem__(self, index: int) -> tuple[Tensor, ...]:
        generator = torch.Generator().manual_seed(index)
        tokens = torch.randint(_FIRST_TOKEN, self.shape.vocabulary, (self.length,), generator=generator)
        if not self.shape.is_pretraining:
            return tokens, torch.tensor(index % LABELS)
        segments = torch.zeros(self.length, dtype=torch.long)
        segments[self.length // 2 :] = 1
        positions = (
            torch.randperm(self.length, generator=generator)[: masked_tokens(self.length)].sort().values
        )
        masked = tokens[positions]
        tokens[positions] = _MASK_TOKEN
        return tokens, segments, positions, masked, torch.tensor(index % 2)
