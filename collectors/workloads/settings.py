"""The settings that several families of workloads share: precision, batch size, torch.compile, processes.

In: the options of `bench`. Out: the factors of every combination, and back again the options that make one.
The names are those of the logs of others, so that tables can hold both: `batch_size` is per device,
`devices` the total, one process each.

precision   weights    products of matrices and convolutions
fp32        float32    float32, TF32 forbidden
tf32        float32    TF32 (CUDA devices of compute capability 8.0 or more)
bf16        bfloat16   bfloat16
fp16-amp    float32    float16 under autocast, with loss scaling
bf16-amp    float32    bfloat16 under autocast
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Sequence
from typing import NamedTuple, Optional

from collectors.format_v1.run_folder import Factor

Case = dict[str, Factor]

PRECISIONS = ("fp32", "tf32", "bf16", "fp16-amp", "bf16-amp")
OPTIONS = ("precision", "batch_size", "compile", "ddp")
FACTORS = ("batch_size", "precision", "compile", "devices")
_WORKERS = 4  # what both BenchmarkJade and transformers-benchmarking used


class Work(NamedTuple):
    """The work of one step of one rank, and what one sample is."""

    item: str
    samples: int
    tokens: Optional[int] = None
    flops: Optional[int] = None


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of all workloads that are trained by `collectors.workloads.training`."""
    group = parser.add_argument_group("settings (not of the Flux models); several values: every combination")
    group.add_argument(
        "--precision",
        nargs="+",
        choices=PRECISIONS,
        default=["fp32"],
        help="see docs/reference/workloads.md (default: fp32)",
    )
    group.add_argument(
        "--batch-size", nargs="+", type=count, metavar="N", help="per device (default: that of the study)"
    )
    group.add_argument(
        "--compile",
        nargs="*",
        choices=("no", "yes"),
        default=["no"],
        help="torch.compile; alone: yes; `no yes`: both (default: no)",
    )
    group.add_argument(
        "--ddp",
        nargs="+",
        type=count,
        metavar="N",
        default=[1],
        help="processes on this host, one device each, started by torchrun (default: 1, without it)",
    )
    group.add_argument(
        "--num-workers",
        type=natural,
        metavar="N",
        default=_WORKERS,
        help="of the DataLoader, per process (default: 4)",
    )


def cases(options: argparse.Namespace, batch_size: int) -> list[Case]:
    """Return every combination of the settings; `batch_size` where the options name none."""
    compiled = options.compile or ["yes"]  # the option alone
    combinations = itertools.product(
        dict.fromkeys(options.batch_size or [batch_size]),
        dict.fromkeys(options.precision),
        dict.fromkeys(compiled),
        dict.fromkeys(options.ddp),
    )
    return [
        {"batch_size": size, "precision": precision, "compile": compile_ == "yes", "devices": devices}
        for size, precision, compile_, devices in combinations
    ]


def case_options(case: Case, names: Sequence[str]) -> list[str]:
    """Return the options that make this case alone, for those of its factors that are called `names`.

    A factor is the option of its name, but for `devices`, which is --ddp; booleans are no and yes.
    """
    words: list[str] = []
    for name in names:
        value = case[name]
        option = "ddp" if name == "devices" else name.replace("_", "-")
        text = {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)
        words += [f"--{option}", text.lower().replace(" ", "-")]
    return words


def count(text: str) -> int:
    """Return a number of 1 or more; for argparse."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text}: not a count; give 1 or more")
    return int(text)


def natural(text: str) -> int:
    """Return a number of 0 or more; for argparse."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text}: not a count; give 0 or more")
    return int(text)
