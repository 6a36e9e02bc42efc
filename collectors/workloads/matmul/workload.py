"""Multiply two square matrices repeatedly.

No program reaches the peak rate of a data sheet. The rate of a large matrix product, under the power and
clock limits of this device, is a realistic bound for the rates of models. The matrices contain N(0, 1)
numbers, because a device that multiplies zeros draws less power and has higher clocks than in training. Try
several sizes; the fastest one is the result.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Callable

from collectors.format_v1.case import Case
from collectors.workloads import settings
from collectors.workloads.settings import StepWork

if TYPE_CHECKING:
    from collectors.recorder.recorder import Recorder

OPTIONS: tuple[str, ...] = ("precision", "matrix_size")
NEEDS: tuple[str, ...] = ()
PRODUCTS = 10  # per step, so that the cost of recording is negligible
_DEFAULT_SIZES = {"cuda": 8192, "cpu": 1024}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the matrix product."""
    group = parser.add_argument_group("options of matmul")
    group.add_argument(
        "--matrix-size",
        nargs="+",
        type=settings.count,
        metavar="N",
        help="rows and columns (default: 8192; on a CPU 1024)",
    )


def cases(name: str, options: argparse.Namespace) -> list[Case]:
    """Return all combinations of precision and size."""
    return [
        {"model": name, "precision": precision, "matrix_size": size}
        for precision in dict.fromkeys(options.precision)
        for size in dict.fromkeys(options.matrix_size or [_DEFAULT_SIZES[options.device]])
    ]


def case_options(case: Case) -> list[str]:
    """Return the name and the options for which `cases` returns only this case."""
    return ["matmul", *settings.case_options(case, ["precision", "matrix_size"])]


def work(case: Case) -> StepWork:
    """Return the work of one step: 2 n^3 operations per product."""
    return StepWork("product", PRODUCTS, flops=PRODUCTS * 2 * int(case["matrix_size"]) ** 3)


def run(case: Case, options: argparse.Namespace, start: Callable[[], Recorder]) -> None:
    """Multiply. With the autocast precisions the matrices already have the type, so nothing is cast."""
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
