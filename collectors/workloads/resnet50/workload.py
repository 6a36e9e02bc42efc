"""ResNet-50 as `bench` uses it: options, the factors of its cases, and the work of a step.

The factors have the names and values that reportgen reads from BenchmarkJade's logs, so that one table can
show its published results and new ones.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Callable

from collectors.format_v1.case import Case
from collectors.workloads import settings
from collectors.workloads.resnet50.architecture import multiply_adds
from collectors.workloads.resnet50.image_folder import dataset_name
from collectors.workloads.settings import StepWork

if TYPE_CHECKING:
    from collectors.recorder.recorder import Recorder

OPTIONS: tuple[str, ...] = (*settings.OPTIONS, "num_workers", "benchmark", "layout", "image_size", "data")
NEEDS: tuple[str, ...] = ()
BENCHMARKS = {"train": "Train", "inference": "Inference", "smooth-inference": "Smooth Inference"}
LAYOUTS = ("nchw", "nhwc")
_FACTORS = (*settings.FACTORS, "benchmark", "layout", "image_size", "num_workers")
_DEFAULT_BATCH_SIZE = 128  # as in BenchmarkJade and DLPerf


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of ResNet-50."""
    group = parser.add_argument_group("options of resnet50")
    group.add_argument(
        "--benchmark",
        nargs="+",
        choices=list(BENCHMARKS),
        default=["train"],
        help="smooth-inference: one image many times, with noise (default: train)",
    )
    group.add_argument(
        "--layout",
        nargs="+",
        choices=LAYOUTS,
        default=["nchw"],
        help="memory layout of images; nhwc suits tensor cores (default: nchw)",
    )
    group.add_argument(
        "--image-size",
        type=settings.count,
        default=224,
        metavar="PIXELS",
        help="side length of images (default: 224)",
    )


def cases(name: str, options: argparse.Namespace) -> list[Case]:
    """Return all cases; raises ValueError if the folder of images cannot be used."""
    del name  # the family has a single workload
    is_folder = options.data not in (None, settings.DEVICE_DATA)
    dataset = dataset_name(Path(options.data)) if is_folder else "Synthetic"
    selected: list[Case] = []
    for benchmark in dict.fromkeys(options.benchmark):
        for layout in dict.fromkeys(options.layout):
            for common in settings.cases(options, _DEFAULT_BATCH_SIZE):
                loading = settings.loading_factors(options)
                if benchmark == "smooth-inference":
                    loading.pop("num_workers", None)  # it has no DataLoader
                selected.append(
                    {
                        "model": "resnet50_v1.5",
                        "benchmark": BENCHMARKS[benchmark],
                        "dataset": dataset,
                        **common,
                        "layout": layout,
                        "image_size": options.image_size,
                        **loading,
                    }
                )
    return selected


def case_options(case: Case) -> list[str]:
    """Return the name and the options for which `cases` returns only this case; the folder is missing."""
    return ["resnet50", *settings.case_options(case, _FACTORS)]


def work(case: Case) -> StepWork:
    """Return the work of one step: 2 operations per multiply-add of the convolutions and the last layer.

    The backward pass has the multiply-adds of the forward pass twice: for the weights and for the input,
    which the first convolution does not need. Batch norm, activations, pooling and the optimizer are not
    counted, as usual (He et al. 2015, table 1, count in the same way: 4.1e9 multiply-adds per forward pass of
    v1.5 at 224).
    """
    forward, first = multiply_adds(int(case["image_size"]))
    per_image = 2 * (3 * forward - first if case["benchmark"] == "Train" else forward)
    samples = int(case["batch_size"])
    return StepWork("image", samples, flops=samples * per_image)


def run(case: Case, options: argparse.Namespace, start: Callable[[], Recorder]) -> None:
    """Run the steps of a case on the rank of this process."""
    from collectors.workloads.resnet50 import steps
    from collectors.workloads.training.processes import join_ranks

    with join_ranks(options.device) as rank:
        steps.run(case, options, rank, start)
