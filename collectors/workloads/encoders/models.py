"""The encoders of `transformers`, from configurations: random weights, nothing is downloaded.

Each returns its loss, so that training sees one module. Dropout is on, as in the originals.
"""

from __future__ import annotations

from typing import Any

from torch import Tensor, nn
from torch.nn.functional import cross_entropy
from transformers import BertConfig, BertForPreTraining, RobertaConfig, RobertaForSequenceClassification

from collectors.workloads.encoders.workload import LABELS, Shape

_ROBERTA_PADDING = 2  # positions count from behind the padding token's number, so there are two more


def build(shape: Shape, **configuration: Any) -> nn.Module:
    """Return a model of this size; `configuration` goes to transformers as it is."""
    sizes = {
        "vocab_size": shape.vocabulary,
        "num_hidden_layers": shape.layers,
        "hidden_size": shape.hidden,
        "num_attention_heads": shape.heads,
        "intermediate_size": shape.inner,
        **configuration,
    }
    if shape.is_pretraining:
        return Pretraining(BertConfig(max_position_embeddings=shape.positions, **sizes))
    positions = shape.positions + _ROBERTA_PADDING
    return Classification(
        RobertaConfig(max_position_embeddings=positions, type_vocab_size=1, num_labels=LABELS, **sizes)
    )


class Pretraining(nn.Module):
    """BERT with its two heads: masked tokens and next sentence.

    Only masked tokens reach the output layer, as in Devlin's own code and in DLPerf's workloads; over all
    tokens it would be a quarter of all work.
    """

    def __init__(self, configuration: BertConfig) -> None:
        super().__init__()
        self.model = BertForPreTraining(configuration)

    def forward(
        self, tokens: Tensor, segments: Tensor, places: Tensor, masked: Tensor, order: Tensor
    ) -> Tensor:
        """Return the sum of both losses.

        tokens, segments   (batch, length) integers
        places, masked     (batch, predictions): positions of masked tokens, and what they were
        order              (batch,): 0 or 1, whether the second segment follows the first
        """
        found = self.model.bert(tokens, token_type_ids=segments)
        hidden = found.last_hidden_state
        chosen = hidden.gather(1, places.unsqueeze(-1).expand(-1, -1, hidden.shape[-1]))
        words, follows = self.model.cls(chosen, found.pooler_output)
        return cross_entropy(words.flatten(0, 1), masked.flatten()) + cross_entropy(follows, order)


class Classification(nn.Module):
    """RoBERTa with a head for two classes."""

    def __init__(self, configuration: RobertaConfig) -> None:
        super().__init__()
        # The pooler of RobertaModel is not built: it would have weights that nothing trains.
        self.model = RobertaForSequenceClassification(configuration)

    def forward(self, tokens: Tensor, labels: Tensor) -> Tensor:
        """Return the mean cross-entropy of sequences (batch, length)."""
        loss: Tensor = self.model(tokens, labels=labels).loss
        return loss
