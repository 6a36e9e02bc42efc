"""The settings that families of workloads share: precision, batch size, torch.compile, processes.

`cases` turns the options of `bench` into the factors of all combinations; `case_options` turns a case back
into options. The names match the logs of other projects, so that one table can show both: `batch_size` is per
device, `devices` is the total, with one process per device.

precision   weights    products of matrices and convolutions
fp32        float32    float32, TF32 disabled
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

from collectors.format_v1.case import Case, Factor

PRECISIONS = ("fp32", "tf32", "bf16", "fp16-amp", "bf16-amp")
OPTIONS = ("precision", "batch_size", "compile", "ddp")
FACTORS = ("batch_size", "precision", "compile", "devices")
#: The value of --data for batches that stay on the device.
DEVICE_DATA = "device"
_DEFAULT_WORKERS = 4  # as in BenchmarkJade and transformers-benchmarking


class StepWork(NamedTuple):
    """The work of one step of one rank; `item` is what a sample is."""

    item: str
    samples: int
    tokens: Optional[int] = None
    flops: Optional[int] = None


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of all workloads that `collectors.workloads.training` trains."""
    group = parser.add_argument_group("settings (not for the Flux models); several values: every combination")
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
        help="processes on this host, one device each, started by torchrun (default: 1, without torchrun)",
    )
    group.add_argument(
        "--num-workers",
        type=natural,
        metavar="N",
        default=_DEFAULT_WORKERS,
        help="workers of the DataLoader, per process (default: 4)",
    )
    group.add_argument(
        "--data",
        metavar="DIR",
        help="`device`: batches that are drawn before the first step and stay on the device; for resnet50 "
        "also a folder of images, DIR/<class>/<image> as in ImageNet, which needs Pillow (default: random "
        "data through a DataLoader)",
    )


def cases(options: argparse.Namespace, batch_size: int) -> list[dict[str, Factor]]:
    """Return all combinations of the settings; `batch_size` is the default."""
    compiled = options.compile or ["yes"]  # the option without a value
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


def loading_factors(options: argparse.Namespace) -> dict[str, Factor]:
    """Return the factors that say where batches come from: the workers of a DataLoader, or the device."""
    if options.data == DEVICE_DATA:
        return {"data": DEVICE_DATA}
    return {"num_workers": options.num_workers}


def case_options(case: Case, names: Sequence[str]) -> list[str]:
    """Return the options that select this case, for its factors in `names`.

    A factor becomes the option of its name; `devices` becomes --ddp. Booleans become no and yes. A factor
    that the case lacks does not apply to it.
    """
    words: list[str] = []
    for name in (name for name in names if name in case):
        value = case[name]
        option = "ddp" if name == "devices" else name.replace("_", "-")
        text = {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)
        words += [f"--{option}", text.lower().replace(" ", "-")]
    return words


def count(text: str) -> int:
    """Return a number of at least 1, for argparse."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text}: not a count; use 1 or more")
    return int(text)


def natural(text: str) -> int:
    """Return a number of at least 0, for argparse."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text}: not a count; use 0 or more")
    return int(text)
