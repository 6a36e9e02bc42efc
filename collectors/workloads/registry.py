"""The list of workloads, and the interface of a family of workloads.

A family is a module; `WORKLOADS` lists it under each of its names.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any, Callable, Protocol

from collectors.format_v1.case import Case
from collectors.workloads.encoders import workload as encoders
from collectors.workloads.encoders.shapes import MODELS as ENCODERS
from collectors.workloads.flux import workload as flux
from collectors.workloads.matmul import workload as matmul
from collectors.workloads.resnet50 import workload as resnet50
from collectors.workloads.settings import StepWork


class Family(Protocol):
    """The members of the module of a family; importing it must not import torch."""

    OPTIONS: tuple[str, ...]  # names (as in argparse) of the options that apply to it
    NEEDS: tuple[str, ...]  # packages that it imports, besides torch

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options of this family."""

    def cases(self, name: str, options: argparse.Namespace) -> Sequence[Case]:
        """Return the factors of all cases that the options select for the workload `name`.

        Raises ValueError for an option that cannot be used.
        """

    def case_options(self, case: Case) -> list[str]:
        """Return the name and the options for which `cases` returns only this case."""

    def work(self, case: Case) -> StepWork:
        """Return the work of one step of one rank."""

    def run(self, case: Case, options: argparse.Namespace, start: Callable[[], Any]) -> None:
        """Run the steps of a case on the recorder that `start` returns.

        start   to be called once, when everything is ready for the first step
        """


WORKLOADS: dict[str, Family] = {
    "resnet50": resnet50,
    **dict.fromkeys(ENCODERS, encoders),
    "matmul": matmul,
    **dict.fromkeys(flux.MODELS, flux),
}
