"""Run the three benchmarks: training, inference, and smooth inference.

Smooth inference classifies an image many times, each time with different noise (Cohen et al., Certified
Adversarial Robustness via Randomized Smoothing, 2019). There is no DataLoader: the image is taken from the
data set, then copied and given noise on the device (phase `preprocessing`).
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import torch
from torch import Tensor

from collectors.format_v1.case import Case
from collectors.workloads.resnet50.images import FolderImages, SyntheticImages
from collectors.workloads.resnet50.network import Classifier, ResNet50
from collectors.workloads.settings import DEVICE_DATA
from collectors.workloads.training import loading, loop
from collectors.workloads.training.numerics import Numerics
from collectors.workloads.training.processes import WorkloadRank

NOISE_DEVIATION = 0.25  # the smallest of Cohen et al.


def run(case: Case, options: argparse.Namespace, rank: WorkloadRank, start: loop.Start) -> None:
    """Run the benchmark of a case."""
    torch.manual_seed(loading.SEED)
    torch.backends.cudnn.benchmark = True  # all batches have the same shape; recorded in the environment
    size = int(case["image_size"])
    is_folder = options.data not in (None, DEVICE_DATA)
    dataset = FolderImages(Path(options.data), size) if is_folder else SyntheticImages(size)
    numerics = Numerics(str(case["precision"]), rank.device, str(case["layout"]))
    network = numerics.model(ResNet50())
    if case["benchmark"] == "Smooth Inference":
        network = loop.compile_if(network, case["compile"])
        smooth(network, single_images(dataset, case, rank, numerics), case, numerics, options.steps, start)
        return
    loader = loading.batches(dataset, case, rank, numerics)
    if case["benchmark"] == "Train":
        model = loop.compile_if(rank.average_gradients(Classifier(network)), case["compile"])
        # Small enough that random labels do not make the weights diverge.
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9, weight_decay=1e-4)
        loop.train(model, optimizer, loader, numerics, options.steps, start)
        return
    loop.infer(loop.compile_if(network, case["compile"]), loader, numerics, options.steps, start)


def single_images(
    dataset: SyntheticImages | FolderImages, case: Case, rank: WorkloadRank, numerics: Numerics
) -> Iterator[Tensor]:
    """Yield images (1, 3, h, w) without end: in the order of the data set, or from the device."""
    if case.get("data") == DEVICE_DATA:
        return (images for images, _ in loading.ResidentBatches(dataset, 1, rank, numerics))
    return (dataset[number % len(dataset)][0].unsqueeze(0) for number in count())


def smooth(
    network: torch.nn.Module,
    images: Iterator[Tensor],
    case: Case,
    numerics: Numerics,
    steps: int,
    start: loop.Start,
) -> None:
    """Classify one image per step, `batch_size` times with different noise."""
    network.eval()
    batch_size = int(case["batch_size"])
    with torch.no_grad(), start() as recorder:
        load, preparing, forward = map(recorder.phase, ("data_loading", "preprocessing", "forward"))
        for _ in recorder.steps(steps):
            with load:
                image = next(images)
            with preparing:
                copies = numerics.tensor(image).repeat(batch_size, 1, 1, 1)
                noisy = numerics.tensor(copies + NOISE_DEVIATION * torch.randn_like(copies))
            with forward, numerics.autocast():
                network(noisy)
