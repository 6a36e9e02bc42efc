"""The sizes of the encoders, and the operations of a forward pass.

bert-base is the workload of DLPerf (pre-training, 128 tokens). distilroberta-base, roberta-base and
roberta-large are those of transformers-benchmarking (classification, over sequence length and batch size).
The tiny models are for tests, and for checking that a host works.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

LABELS = 2  # classes of a classification


@dataclass(frozen=True)
class EncoderShape:
    """The size of an encoder, and its task.

    model       value of the factor `model`
    vocabulary  tokens; also the size of the output in pre-training
    positions   maximum sequence length
    batch_size  default of the option
    """

    model: str
    layers: int
    hidden: int
    heads: int
    inner: int
    vocabulary: int
    positions: int
    is_pretraining: bool
    batch_size: int


def _bert(model: str, layers: int, hidden: int, heads: int, inner: int) -> EncoderShape:
    return EncoderShape(model, layers, hidden, heads, inner, 30_522, 512, True, 32)


def _roberta(model: str, layers: int, hidden: int, heads: int, inner: int) -> EncoderShape:
    return EncoderShape(model, layers, hidden, heads, inner, 50_265, 512, False, 32)


#: Devlin et al. 2018 (BERT), Liu et al. 2019 (RoBERTa), Sanh et al. 2019 (distilled: every second layer)
MODELS: Mapping[str, EncoderShape] = {
    "bert-base": _bert("bert_base", 12, 768, 12, 3072),
    "bert-tiny": _bert("bert_tiny", 2, 128, 2, 512),
    "distilroberta-base": _roberta("distilroberta-base", 6, 768, 12, 3072),
    "roberta-base": _roberta("roberta-base", 12, 768, 12, 3072),
    "roberta-large": _roberta("roberta-large", 24, 1024, 16, 4096),
    "roberta-tiny": _roberta("roberta-tiny", 2, 128, 2, 512),
}


def masked_tokens(seq_len: int) -> int:
    """Return how many tokens of a sequence are masked: 15 %, as in BERT; 20 of 128."""
    return math.ceil(0.15 * seq_len)


def multiply_adds(shape: EncoderShape, length: int) -> int:
    """Return the multiply-adds of a forward pass over one sequence.

    Per token and layer: query, key, value and output (4 h^2), the feed-forward part (2 h inner), scores and
    weighted sums (2 length h). Then the heads; those for masked tokens are applied to masked tokens only.
    """
    hidden = shape.hidden
    layer = length * (4 * hidden**2 + 2 * hidden * shape.inner + 2 * length * hidden)
    pooled = hidden**2  # BERT's pooler and RoBERTa's first classification layer, on the first token
    if shape.is_pretraining:
        masked = masked_tokens(length) * (hidden**2 + hidden * shape.vocabulary)
        return shape.layers * layer + pooled + 2 * hidden + masked
    return shape.layers * layer + pooled + LABELS * hidden
