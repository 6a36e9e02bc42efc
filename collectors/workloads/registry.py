"""Which workloads there are, and what a family of them has to offer.

A family is a module; `WORKLOADS` enters it under each name that it answers to.
"""

from __future__ import annotations

import argparse
from typing import Any, Callable, Protocol

from collectors.workloads.encoders import workload as encoders
from collectors.workloads.flux import workload as flux
from collectors.workloads.matmul import workload as matmul
from collectors.workloads.resnet50 import workload as resnet50
from collectors.workloads.settings import Case, Work


class Family(Protocol):
    """What a module of workloads has."""

    OPTIONS: tuple[str, ...]  # names (as argparse has them) of the options that mean something to it
    NEEDS: tuple[str, ...]  # packages that it imports, beside torch

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options that only this family knows."""

    def cases(self, name: str, options: argparse.Namespace) -> list[Case]:
        """Return the factors of every case that the options ask of the workload `name`.

        Raises ValueError for an option that cannot be followed: place, fact, remedy.
        """

    def case_options(self, case: Case) -> list[str]:
        """Return the name and the options that make `cases` return this case alone."""

    def work(self, case: Case) -> Work:
        """Return the work of one step of one rank."""

    def run(self, case: Case, options: argparse.Namespace, start: Callable[[], Any]) -> None:
        """Run the steps of a case on the recorder that `start` returns.

        start   to be called once, when all is ready for the first step
        """


WORKLOADS: dict[str, Family] = {
    "resnet50": resnet50,
    **dict.fromkeys(encoders.MODELS, encoders),
    "matmul": matmul,
    **dict.fromkeys(flux.MODELS, flux),
}
