"""The encoders as `bench` uses them: options, the factors of their cases, and the work of a step."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Callable

from collectors.format_v1.case import Case
from collectors.workloads import settings
from collectors.workloads.encoders.shapes import MODELS, EncoderShape, multiply_adds
from collectors.workloads.settings import StepWork

if TYPE_CHECKING:
    from collectors.recorder.recorder import Recorder

OPTIONS: tuple[str, ...] = (*settings.OPTIONS, "num_workers", "data", "seq_len")
NEEDS: tuple[str, ...] = ("transformers",)
_FACTORS = ("seq_len", *settings.FACTORS, "num_workers")
_DEFAULT_SEQ_LEN = 128
_MIN_SEQ_LEN = 2
_NAMES = {shape.model: name for name, shape in MODELS.items()}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the encoders."""
    group = parser.add_argument_group("options of bert and roberta")
    group.add_argument(
        "--seq-len",
        nargs="+",
        type=settings.count,
        metavar="N",
        default=[_DEFAULT_SEQ_LEN],
        help="tokens of a sequence, without padding (default: 128)",
    )


def cases(name: str, options: argparse.Namespace) -> list[Case]:
    """Return all cases; raises ValueError for a length or data that the model does not support."""
    shape = MODELS[name]
    if options.data not in (None, settings.DEVICE_DATA):
        raise ValueError(f"--data {options.data}: {name} reads no files; use device, or omit --data")
    for length in (max(options.seq_len), min(options.seq_len)):
        if not _MIN_SEQ_LEN <= length <= shape.positions:
            limits = f"{_MIN_SEQ_LEN} to {shape.positions}"
            raise ValueError(f"--seq-len {length}: not supported by {name}; use {limits} tokens")
    return [
        {"model": shape.model, "seq_len": length, **common, **settings.loading_factors(options)}
        for length in dict.fromkeys(options.seq_len)
        for common in settings.cases(options, shape.batch_size)
    ]


def case_options(case: Case) -> list[str]:
    """Return the name and the options for which `cases` returns only this case."""
    return [_NAMES[str(case["model"])], *settings.case_options(case, _FACTORS)]


def shape_of(case: Case) -> EncoderShape:
    """Return the size of the case's model."""
    return MODELS[_NAMES[str(case["model"])]]


def work(case: Case) -> StepWork:
    """Return the work of one training step: three times the matrix products of a forward pass.

    2 operations per multiply-add; the backward pass has two products for each of the forward pass.
    Activations, norms, softmax, dropout, embeddings and the optimizer are not counted, as in Narayanan et
    al., Efficient Large-Scale Language Model Training on GPU Clusters, 2021, appendix (Kaplan et al. 2020:
    2.1).
    """
    length, samples = int(case["seq_len"]), int(case["batch_size"])
    flops = samples * 3 * 2 * multiply_adds(shape_of(case), length)
    return StepWork("sequence", samples, tokens=samples * length, flops=flops)


def run(case: Case, options: argparse.Namespace, start: Callable[[], Recorder]) -> None:
    """Run the steps of a case on the rank of this process."""
    from collectors.workloads.encoders import steps
    from collectors.workloads.training.processes import join_ranks

    with join_ranks(options.device) as rank:
        steps.run(shape_of(case), case, options.steps, rank, start)
