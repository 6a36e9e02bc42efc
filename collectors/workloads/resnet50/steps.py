"""The three benchmarks: training, inference, and smooth inference.

Smooth inference classifies one image many times, each time with other noise (Cohen et al., Certified
Adversarial Robustness via Randomized Smoothing, 2019): there is no DataLoader, the image is taken from
the data set itself, copied and made noisy on the device (phase `preprocessing`).
"""

from __future__ import annotations

import argparse

import torch

from collectors.workloads.resnet50.images import DrawnImages, FolderImages
from collectors.workloads.resnet50.network import Classifier, ResNet50
from collectors.workloads.settings import Case
from collectors.workloads.training import loop
from collectors.workloads.training.loading import SEED, batches
from collectors.workloads.training.numerics import Numerics
from collectors.workloads.training.processes import Rank

NOISE = 0.25  # standard deviation, the smallest of Cohen et al.


def run(case: Case, options: argparse.Namespace, rank: Rank, start: loop.Start) -> None:
    """Run the benchmark that the case names."""
    torch.manual_seed(SEED)
    torch.backends.cudnn.benchmark = True  # all batches have one shape; recorded with the environment
    size = int(case["image_size"])
    dataset = FolderImages(options.data, size) if options.data else DrawnImages(size)
    numerics = Numerics(str(case["precision"]), rank.device, str(case["layout"]))
    network = numerics.model(ResNet50())
    loader = batches(dataset, int(case["batch_size"]), int(case.get("num_workers", 0)), rank)
    if case["benchmark"] == "Train":
        model = loop.compiled(rank.averaging(Classifier(network)), case["compile"])
        # So small that random labels cannot drive the weights to infinity.
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9, weight_decay=1e-4)
        loop.train(model, optimizer, loader, numerics, options.steps, start)
        return
    network = loop.compiled(network, case["compile"])
    if case["benchmark"] == "Inference":
        loop.infer(network, loader, numerics, options.steps, start)
    else:
        smooth(network, dataset, int(case["batch_size"]), numerics, options.steps, start)


def smooth(
    network: torch.nn.Module,
    dataset: "DrawnImages | FolderImages",
    batch_size: int,
    numerics: Numerics,
    steps: int,
    start: loop.Start,
) -> None:
    """Classify one image of the data set per step, `batch_size` times with different noise."""
    network.eval()
    with torch.no_grad(), start() as recorder:
        loading, preparing, forward = map(recorder.phase, ("data_loading", "preprocessing", "forward"))
        for number in recorder.steps(steps):
            with loading:
                image, _ = dataset[number % len(dataset)]
            with preparing:
                images = numerics.tensor(image.unsqueeze(0)).repeat(batch_size, 1, 1, 1)
                images = numerics.tensor(images + NOISE * torch.randn_like(images))
            with forward, numerics.autocast():
                network(images)
