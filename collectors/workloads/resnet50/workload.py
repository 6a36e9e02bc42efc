"""ResNet-50 as `bench` sees it: its options, the factors of its cases, and its floating-point operations.

The factors have the names and values of BenchmarkJade's logs as reportgen reads them, so that its published
results and new ones can stand in one table.
"""

from __future__ import annotations

import argparse
import importlib.util
import re
from pathlib import Path
from typing import TYPE_CHECKING, Callable

from collectors.workloads import settings
from collectors.workloads.settings import Case, Work

if TYPE_CHECKING:
    from collectors.recorder.recorder import Recorder

OPTIONS: tuple[str, ...] = (*settings.OPTIONS, "num_workers", "benchmark", "layout", "image_size", "data")
NEEDS: tuple[str, ...] = ()
CLASSES = 1000
BENCHMARKS = {"train": "Train", "inference": "Inference", "smooth-inference": "Smooth Inference"}
LAYOUTS = ("nchw", "nhwc")

STEM = 64  # channels behind the first convolution
STAGES = ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2))  # width, blocks, stride of the first block
EXPANSION = 4
_FACTORS = (*settings.FACTORS, "benchmark", "layout", "image_size")
_BATCH_SIZE = 128  # BenchmarkJade's and DLPerf's
_WORDNET = re.compile(r"n[0-9]{8}\Z")  # ImageNet's names of classes


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that only ResNet-50 knows."""
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
        help="of images in memory; nhwc suits tensor cores (default: nchw)",
    )
    group.add_argument(
        "--image-size", type=settings.count, default=224, metavar="PIXELS", help="of a side (default: 224)"
    )
    group.add_argument(
        "--data",
        type=Path,
        metavar="DIR",
        help="images in ImageNet's layout, DIR/<class>/<image>; needs Pillow (default: random pixels)",
    )


def cases(name: str, options: argparse.Namespace) -> list[Case]:
    """Return every case; raises ValueError where the folder of images cannot be used."""
    del name  # there is one
    dataset = "Synthetic" if options.data is None else dataset_of(options.data)
    found: list[Case] = []
    for benchmark in dict.fromkeys(options.benchmark):
        for layout in dict.fromkeys(options.layout):
            for common in settings.cases(options, _BATCH_SIZE):
                case: Case = {"model": "resnet50_v1.5", "benchmark": BENCHMARKS[benchmark]}
                case.update({"dataset": dataset, **common, "layout": layout})
                case["image_size"] = options.image_size
                if benchmark != "smooth-inference":  # which has no DataLoader
                    case["num_workers"] = options.num_workers
                found.append(case)
    return found


def case_options(case: Case) -> list[str]:
    """Return the name and the options that make `cases` return this case alone, but for the data's folder."""
    workers = ["num_workers"] if "num_workers" in case else []
    return ["resnet50", *settings.case_options(case, [*_FACTORS, *workers])]


def class_folders(folder: Path) -> list[Path]:
    """Return the folders of the classes by name; ValueError where there is none."""
    classes = sorted(path for path in folder.iterdir() if path.is_dir()) if folder.is_dir() else []
    if not classes:
        what = "no folders in it" if folder.is_dir() else "no such folder"
        raise ValueError(f"--data {folder}: {what}; it must hold <class>/<image>")
    if len(classes) > CLASSES:
        raise ValueError(f"--data {folder}: {len(classes)} classes; ResNet-50 tells {CLASSES} apart")
    return classes


def dataset_of(folder: Path) -> str:
    """Return what the data set in a folder is called: ImageNet by its classes' names, else the folder's name.

    Raises ValueError where there are no classes, or no Pillow to read images with.
    """
    classes = class_folders(folder)
    if importlib.util.find_spec("PIL") is None:
        raise ValueError(f"--data {folder}: Pillow is not installed; pip install pillow, or leave --data out")
    return "ImageNet" if all(_WORDNET.match(path.name) for path in classes) else folder.resolve().name


def work(case: Case) -> Work:
    """Return the work of one step: 2 operations per multiply-add of convolutions and the last layer.

    Backward does the forward's multiply-adds twice, once for the weights and once for the input, which the
    first convolution's does not need. Batch norm, activations, pooling and the optimizer are left out, as is
    usual (He et al. 2015, table 1, count the same: 4.1e9 multiply-adds of a forward pass for v1.5 at 224).
    """
    forward, first = multiply_adds(int(case["image_size"]))
    per_image = 2 * (3 * forward - first if case["benchmark"] == "Train" else forward)
    samples = int(case["batch_size"])
    return Work("image", samples, flops=samples * per_image)


def multiply_adds(size: int) -> tuple[int, int]:
    """Return the multiply-adds of a forward pass over one image, of all layers and of the first.

    size   pixels of a side
    """
    side = -(-size // 2)
    first = total = side**2 * STEM * 3 * 7**2
    side = -(-side // 2)
    inputs = STEM
    for width, blocks, stride in STAGES:
        outputs = width * EXPANSION
        for number in range(blocks):
            before, side = side, -(-side // stride) if number == 0 else side
            total += before**2 * inputs * width  # 1x1, before the stride
            total += side**2 * (width * width * 3**2 + width * outputs)
            if number == 0:
                total += side**2 * inputs * outputs  # the shortcut's projection
            inputs = outputs
    return total + inputs * CLASSES, first


def run(case: Case, options: argparse.Namespace, start: Callable[[], Recorder]) -> None:
    """Run the steps of one case on this process's rank."""
    from collectors.workloads.resnet50 import steps
    from collectors.workloads.training.processes import joined

    with joined(options.device) as rank:
        steps.run(case, options, rank, start)
