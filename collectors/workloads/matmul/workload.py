"""Multiply two square matrices, again and again.

What a data sheet promises no program reaches; what a large matrix product reaches, under the power and clock
limits of this very device, is what the rates of models are worth being compared with. The matrices hold
N(0, 1) numbers: a device that multiplies zeros draws less power and clocks higher than any training.
Several sizes are worth trying; the fastest is the answer.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Callable

from collectors.workloads import settings
from collectors.workloads.settings import Case, Work

if TYPE_CHECKING:
    from collectors.recorder.recorder import Recorder

OPTIONS: tuple[str, ...] = ("precision", "matrix_size")
NEEDS: tuple[str, ...] = ()
PRODUCTS = 10  # in one step, so that recording it costs nothing that matters
_SIZES = {"cuda": 8192, "cpu": 1024}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that only the matrix product knows."""
    group = parser.add_argument_group("options of matmul")
    group.add_argument(
        "--matrix-size",
        nargs="+",
        type=settings.count,
        metavar="N",
        help="rows and columns (default: 8192, on a CPU 1024)",
    )


def cases(name: str, options: argparse.Namespace) -> list[Case]:
    """Return every combination of precision and size."""
    return [
        {"model": name, "precision": precision, "matrix_size": size}
        for precision in dict.fromkeys(options.precision)
        for size in dict.fromkeys(options.matrix_size or [_SIZES[options.device]])
    ]


def case_options(case: Case) -> list[str]:
    """Return the name and the options that make `cases` return this case alone."""
    return ["matmul", *settings.case_options(case, ["precision", "matrix_size"])]


def work(case: Case) -> Work:
    """Return the work of one step: 2 n^3 operations per product."""
    return Work("product", PRODUCTS, flops=PRODUCTS * 2 * int(case["matrix_size"]) ** 3)


def run(case: Case, options: argparse.Namespace, start: Callable[[], Recorder]) -> None:
    """Multiply. With autocast's precisions the matrices have its type already: there is nothing to cast."""
    import torch

    from collectors.workloads.training.loading import SEED
    from collectors.workloads.training.numerics import Numerics

    torch.manual_seed(SEED)
    precision, size = str(case["precision"]), int(case["matrix_size"])
    numerics = Numerics(precision, torch.device(options.device))
    dtype = {"fp16-amp": torch.float16, "bf16-amp": torch.bfloat16}.get(precision, numerics.dtype)
    a, b = (torch.randn(size, size, device=options.device, dtype=dtype) for _ in range(2))
    product = torch.empty_like(a)
    with start() as recorder:
        forward = recorder.phase("forward")
        for _ in recorder.steps(options.steps):
            with forward:
                for _ in range(PRODUCTS):
                    torch.matmul(a, b, out=product)
