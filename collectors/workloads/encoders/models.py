"""Build encoders of `transformers` from configurations: with random weights, nothing is downloaded.

Each model returns its loss, so that a training has one module. Dropout is on, as in the original studies.
"""

from __future__ import annotations

from typing import Any

import transformers  # loads a model when it is named first
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from collectors.workloads.encoders.shapes import LABELS, EncoderShape

_ROBERTA_PADDING = 2  # positions start after the padding index, so two more are needed


def build(shape: EncoderShape, **configuration: Any) -> nn.Module:
    """Return a model of this size; `configuration` is passed to transformers."""
    sizes = {
        "vocab_size": shape.vocabulary,
        "num_hidden_layers": shape.layers,
        "hidden_size": shape.hidden,
        "num_attention_heads": shape.heads,
        "intermediate_size": shape.inner,
        **configuration,
    }
    if shape.is_pretraining:
        return Pretraining(transformers.BertConfig(max_position_embeddings=shape.positions, **sizes))
    positions = shape.positions + _ROBERTA_PADDING
    return Classification(
        transformers.RobertaConfig(
            max_position_embeddings=positions, type_vocab_size=1, num_labels=LABELS, **sizes
        )
    )


class Pretraining(nn.Module):
    """BERT with its two heads: masked tokens and next sentence.

    Only masked tokens reach the output layer, as in the code of Devlin et al. and in DLPerf. Applied to all
    tokens, that layer would be a quarter of the work.
    """

    def __init__(self, configuration: transformers.BertConfig) -> None:
        super().__init__()
        self.model = transformers.BertForPreTraining(configuration)

    def forward(
        self, tokens: Tensor, segments: Tensor, positions: Tensor, masked: Tensor, order: Tensor
    ) -> Tensor:
        """Return the sum of both losses.

        tokens, segments   (batch, length) integers
        positions, masked  (batch, masked tokens): positions of the masked tokens, and their values
        order              (batch,): 0 or 1, whether the second segment follows the first
        """
        outputs = self.model.bert(tokens, token_type_ids=segments)
        hidden = outputs.last_hidden_state
        hidden_masked = hidden.gather(1, positions.unsqueeze(-1).expand(-1, -1, hidden.shape[-1]))
        words, follows = self.model.cls(hidden_masked, outputs.pooler_output)
        return cross_entropy(words.flatten(0, 1), masked.flatten()) + cross_entropy(follows, order)


class Classification(nn.Module):
    """RoBERTa with a head for two classes."""

    def __init__(self, configuration: transformers.RobertaConfig) -> None:
        super().__init__()
        # Without the pooler of RobertaModel, whose weights would not be trained.
        self.model = transformers.RobertaForSequenceClassification(configuration)

    def forward(self, tokens: Tensor, labels: Tensor) -> Tensor:
        """Return the mean cross-entropy of sequences (batch, length)."""
        loss: Tensor = self.model(tokens, labels=labels).loss
        return loss
