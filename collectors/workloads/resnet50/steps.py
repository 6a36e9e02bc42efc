"""Run the three benchmarks: training, inference, and smooth inference.

Smooth inference classifies an image many times, each time with different noise (Cohen et al., Certified
Adversarial Robustness via Randomized Smoothing, 2019). There is no DataLoader: the image is taken from the
data set, then copied and given noise on the device (phase `preprocessing`).
"""

from __future__ import annotations

import argparse

import torch

from collectors.format_v1.case import Case
from collectors.workloads.resnet50.images import FolderImages, SyntheticImages
from collectors.workloads.resnet50.network import Classifier, ResNet50
from collectors.workloads.training import loop
from collectors.workloads.training.loading import SEED, batches
from collectors.workloads.training.numerics import Numerics
from collectors.workloads.training.processes import WorkloadRank

NOISE_DEVIATION = 0.25  # the smallest of Cohen et al.


def run(case: Case, options: argparse.Namespace, rank: WorkloadRank, start: loop.Start) -> None:
    """Run the benchmark of a case."""
    torch.manual_seed(SEED)
    torch.backends.cudnn.benchmark = True  # all batches have the same shape; recorded in the environment
    size = int(case["image_size"])
    dataset = FolderImages(options.data, size) if options.data else SyntheticImages(size)
    numerics = Numerics(str(case["precision"]), rank.device, str(case["layout"]))
    network = numerics.model(ResNet50())
    loader = batches(dataset, int(case["batch_size"]), int(case.get("num_workers", 0)), rank)
    if case["benchmark"] == "Train":
        model = loop.compile_if(rank.average_gradients(Classifier(network)), case["compile"])
        # Small enough that random labels do not make the weights diverge.
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9, weight_decay=1e-4)
        loop.train(model, optimizer, loader, numerics, options.steps, start)
        return
    network = loop.compile_if(network, case["compile"])
    if case["benchmark"] == "Inference":
        loop.infer(network, loader, numerics, options.steps, start)
    else:
        smooth(network, dataset, int(case["batch_size"]), numerics, options.steps, start)


def smooth(
    network: torch.nn.Module,
    dataset: SyntheticImages | FolderImages,
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
                images = numerics.tensor(images + NOISE_DEVIATION * torch.randn_like(images))
            with forward, numerics.autocast():
                network(images)
