"""The Flux models as `bench` uses them: options, the factors of their cases, and their sizes.

The sizes are those of two published sets: FluxBench.jl (the forward and backward tables) and
FluxArchitectures' benchmark/Benchmarks.jl (the training tables).
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Callable, ContextManager

from collectors.format_v1.case import Case
from collectors.workloads.settings import StepWork

if TYPE_CHECKING:
    from torch import nn

    from collectors.workloads.flux.steps import StepRecorder

PASSES = ("forward", "forward+backward", "train")
VARIANTS = ("sequential", "batched")
SIZES = ("FluxBench", "Benchmarks.jl")
POOL = 10  # steps in the window of a sample, in all published sizes
SEED = 123  # the seed of Benchmarks.jl for DSANet
OPTIONS: tuple[str, ...] = ("pass", "variant", "size")
NEEDS: tuple[str, ...] = ()


@dataclass(frozen=True)
class PublishedSize:
    """A published size: features and samples of the input, and the arguments of the model."""

    features: int
    batch: int
    arguments: Mapping[str, int]


MODELS: Mapping[str, str] = {"darnn": "DARNN", "dsanet": "DSANet", "lstnet": "LSTNet", "tpa-lstm": "TPA-LSTM"}

_DSANET = {"local": 3, "kernels": 3, "model": 4, "inner": 1, "layers": 3, "heads": 2}

PUBLISHED: Mapping[tuple[str, str], PublishedSize] = {
    ("DARNN", "FluxBench"): PublishedSize(10, 300, {"encoder": 5, "decoder": 5}),
    ("DARNN", "Benchmarks.jl"): PublishedSize(137, 500, {"encoder": 10, "decoder": 10}),
    ("DSANet", "FluxBench"): PublishedSize(50, 1000, _DSANET),
    ("DSANet", "Benchmarks.jl"): PublishedSize(137, 500, _DSANET),
    ("LSTNet", "FluxBench"): PublishedSize(20, 500, {"filters": 2, "hidden": 3, "skip": 60}),
    ("LSTNet", "Benchmarks.jl"): PublishedSize(
        137, 500, {"filters": 2, "hidden": 3, "skip": 120, "zeros": True}
    ),
    ("TPA-LSTM", "FluxBench"): PublishedSize(10, 300, {"hidden": 10, "layers": 1, "filters": 32}),
    ("TPA-LSTM", "Benchmarks.jl"): PublishedSize(137, 500, {"hidden": 10, "layers": 2, "filters": 32}),
}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the Flux models."""
    group = parser.add_argument_group("options of darnn, dsanet, lstnet and tpa-lstm")
    group.add_argument(
        "--pass",
        nargs="+",
        choices=PASSES,
        default=["forward"],
        help="the kind of step; train = reset, forward, loss, backward, ADAM (default: forward)",
    )
    group.add_argument(
        "--variant",
        nargs="+",
        choices=VARIANTS,
        default=["sequential"],
        help="sequential: the recurrent cells get one sample after the other, as in the original; "
        "batched: all at once, which is a different workload (default: sequential)",
    )
    group.add_argument(
        "--size", choices=SIZES, default="FluxBench", help="published set of sizes (default: FluxBench)"
    )


def cases(name: str, options: argparse.Namespace) -> list[Case]:
    """Return the factors of all cases that the options select for the model `name`.

    DSANet has no recurrence, so it has no batched variant.
    """
    model = MODELS[name]
    return [
        {
            "model": model,
            "pass": pass_name,
            "variant": variant,
            "size": options.size,
            "batch_size": PUBLISHED[model, options.size].batch,
            "dtype": "float32",
        }
        for pass_name in getattr(options, "pass")
        for variant in options.variant
        if not (model == "DSANet" and variant == "batched")
    ]


def case_options(case: Case) -> list[str]:
    """Return the name and the options for which `cases` returns only this case."""
    values = {name: str(case[name]) for name in ("pass", "variant", "size")}
    words = [word for name, value in values.items() for word in (f"--{name}", value)]
    return [str(case["model"]).lower(), *words]


def build(model: str, variant: str, size: str) -> nn.Module:
    """Return the model in a published size, on the CPU, with random weights."""
    from collectors.workloads.flux.darnn import DARNN
    from collectors.workloads.flux.dsanet import DSANet
    from collectors.workloads.flux.lstnet import LSTNet
    from collectors.workloads.flux.tpa_lstm import TPALSTM

    published = PUBLISHED[model, size]
    if model == "DSANet":
        return DSANet(published.features, pool=POOL, **published.arguments)
    recurrent: Mapping[str, Callable[..., nn.Module]] = {
        "DARNN": DARNN,
        "LSTNet": LSTNet,
        "TPA-LSTM": TPALSTM,
    }
    return recurrent[model](published.features, pool=POOL, variant=variant, **published.arguments)


def work(case: Case) -> StepWork:
    """Return the samples of one step: the whole batch. The operations are not counted."""
    return StepWork("sample", int(case["batch_size"]))


def run(case: Case, options: argparse.Namespace, start: Callable[[], ContextManager[StepRecorder]]) -> None:
    """Run the steps of a case; `start` is called when model and input are on the device."""
    import torch

    from collectors.workloads.flux.steps import FullBatchSteps

    model, variant, size = str(case["model"]), str(case["variant"]), str(case["size"])
    published = PUBLISHED[model, size]
    torch.manual_seed(SEED)
    network = build(model, variant, size).to(options.device)
    x = torch.randn(published.batch, 1, POOL, published.features).to(options.device)
    y = torch.randn(published.batch, 1).to(options.device)
    resets = case["pass"] == "train" or variant == "batched"
    run_steps = FullBatchSteps(network, x, y, reset=resets).of_pass(str(case["pass"]))
    with start() as recorder:
        run_steps(recorder, options.steps)
