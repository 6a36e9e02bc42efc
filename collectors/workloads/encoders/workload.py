"""The encoders as `bench` sees them: sizes, options, the factors of their cases, and their operations.

bert-base is DLPerf's workload (pre-training, 128 tokens); distilroberta-base, roberta-base and roberta-large
are those of transformers-benchmarking (classification, swept over sequence length and batch size). The tiny
ones are for trying out a host, and for tests.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Callable

from collectors.workloads import settings
from collectors.workloads.settings import Case, Work

if TYPE_CHECKING:
    from collectors.recorder.recorder import Recorder

OPTIONS: tuple[str, ...] = (*settings.OPTIONS, "num_workers", "seq_len")
NEEDS: tuple[str, ...] = ("transformers",)
LABELS = 2  # of a classification: positive and negative, as of film reviews
_FACTORS = ("seq_len", *settings.FACTORS, "num_workers")
_SEQ_LEN = 128


@dataclass(frozen=True)
class Shape:
    """The size of an encoder, and what it is trained for.

    positions   longest sequence
    vocabulary  size of the output too, when pre-training
    """

    model: str  # the factor
    layers: int
    hidden: int
    heads: int
    inner: int
    vocabulary: int
    positions: int
    is_pretraining: bool
    batch_size: int  # where the options name none


def _bert(model: str, layers: int, hidden: int, heads: int, inner: int) -> Shape:
    return Shape(model, layers, hidden, heads, inner, 30_522, 512, True, 32)


def _roberta(model: str, layers: int, hidden: int, heads: int, inner: int) -> Shape:
    return Shape(model, layers, hidden, heads, inner, 50_265, 512, False, 32)


#: Devlin et al. 2018 (BERT), Liu et al. 2019 (RoBERTa), Sanh et al. 2019 (distilled: every second layer)
MODELS: Mapping[str, Shape] = {
    "bert-base": _bert("bert_base", 12, 768, 12, 3072),
    "bert-tiny": _bert("bert_tiny", 2, 128, 2, 512),
    "distilroberta-base": _roberta("distilroberta-base", 6, 768, 12, 3072),
    "roberta-base": _roberta("roberta-base", 12, 768, 12, 3072),
    "roberta-large": _roberta("roberta-large", 24, 1024, 16, 4096),
    "roberta-tiny": _roberta("roberta-tiny", 2, 128, 2, 512),
}
_NAMES = {shape.model: name for name, shape in MODELS.items()}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that only the encoders know."""
    group = parser.add_argument_group("options of bert and roberta")
    group.add_argument(
        "--seq-len",
        nargs="+",
        type=settings.count,
        metavar="N",
        default=[_SEQ_LEN],
        help="tokens of a sequence, all of them real ones (default: 128)",
    )


def cases(name: str, options: argparse.Namespace) -> list[Case]:
    """Return every case; raises ValueError for sequences longer than the model can take."""
    shape = MODELS[name]
    longest = max(options.seq_len)
    if longest > shape.positions or min(options.seq_len) < 2:
        wrong = longest if longest > shape.positions else min(options.seq_len)
        raise ValueError(f"--seq-len {wrong}: {name} takes 2 to {shape.positions} tokens")
    return [
        {"model": shape.model, "seq_len": length, **common, "num_workers": options.num_workers}
        for length in dict.fromkeys(options.seq_len)
        for common in settings.cases(options, shape.batch_size)
    ]


def case_options(case: Case) -> list[str]:
    """Return the name and the options that make `cases` return this case alone."""
    return [_NAMES[str(case["model"])], *settings.case_options(case, _FACTORS)]


def shape_of(case: Case) -> Shape:
    """Return the size of the case's model."""
    return MODELS[_NAMES[str(case["model"])]]


def predictions(seq_len: int) -> int:
    """Return how many tokens of a sequence are masked: 15 %, as BERT has it; 20 of 128."""
    return math.ceil(0.15 * seq_len)


def work(case: Case) -> Work:
    """Return the work of one training step: three times the matrix products of a forward pass.

    2 operations per multiply-add; the backward pass has two products for each of the forward pass.
    Activations, norms, softmax, dropout, embeddings and the optimizer are left out, as in Narayanan et al.,
    Efficient Large-Scale Language Model Training on GPU Clusters, 2021, appendix (Kaplan et al. 2020: 2.1).
    """
    length, samples = int(case["seq_len"]), int(case["batch_size"])
    flops = samples * 3 * 2 * multiply_adds(shape_of(case), length)
    return Work("sequence", samples, tokens=samples * length, flops=flops)


def multiply_adds(shape: Shape, length: int) -> int:
    """Return the multiply-adds of a forward pass over one sequence.

    Per token and layer: query, key, value and output (4 h^2), the feed-forward part (2 h inner), scores and
    weighted sums (2 length h). Then the heads, those for masked tokens on these alone.
    """
    hidden = shape.hidden
    layer = length * (4 * hidden**2 + 2 * hidden * shape.inner + 2 * length * hidden)
    pooled = hidden**2  # BERT's pooler and RoBERTa's first classification layer, on the first token
    if shape.is_pretraining:
        masked = predictions(length) * (hidden**2 + hidden * shape.vocabulary)
        return shape.layers * layer + pooled + 2 * hidden + masked
    return shape.layers * layer + pooled + LABELS * hidden


def run(case: Case, options: argparse.Namespace, start: Callable[[], Recorder]) -> None:
    """Run the steps of one case on this process's rank."""
    from collectors.workloads.encoders import steps
    from collectors.workloads.training.processes import joined

    with joined(options.device) as rank:
        steps.run(case, options.steps, rank, start)
