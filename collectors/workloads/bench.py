"""`python -m collectors bench NAME ...`: run workloads under the full protocol, or one run of one here.

The options make a list of cases. The launcher starts for every repeat and every case a fresh process
of this very command (`--here`), in the order repeat 1 of all cases, repeat 2 of all cases, ... so
that a machine that drifts does not favour one. Each process writes one run folder.

A family of workloads is a module with the members of `Family`, entered in `WORKLOADS` under each name that
it answers to. It must import without torch, for the options of all families are part of the help.
"""

from __future__ import annotations

import argparse
import importlib.util
import shutil
import sys
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Protocol, Sequence, Tuple

from collectors import launch
from collectors.environment import usable_cores
from collectors.logfolder import Factor
from collectors.steps import Recorder
from collectors.workloads.flux import workload as flux

Case = Dict[str, Factor]


class Family(Protocol):
    """What a module of workloads has; ITEM says what one sample is."""

    ITEM: str

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options that only this family knows."""

    def cases(self, name: str, options: argparse.Namespace) -> List[Case]:
        """Return the factors of every case that the options ask of the workload `name`."""

    def case_options(self, case: Case) -> List[str]:
        """Return the name and the options that make `cases` return this case alone."""

    def samples_per_step(self, case: Case) -> int:
        """Return the samples of one step."""

    def run(self, case: Case, device: str, steps: int, start: Callable[[], Any]) -> None:
        """Run the steps of a case on the recorder that `start` returns."""


WORKLOADS: Dict[str, Family] = {"darnn": flux, "dsanet": flux, "lstnet": flux, "tpa-lstm": flux}

EXAMPLE = """python -m collectors bench darnn lstnet --pass forward train --threads 1 --logs logs/flux
       python -m collectors bench NAME [NAME ...] [options]"""
DESCRIPTION = "Run workloads, each repeat in a fresh process, the cases interleaved: one run folder each."


def main(argv: Optional[Sequence[str]] = None) -> int:
    """Run `bench` with these arguments; return 0, or what the exit code of the process shall be."""
    options = parse(argv)
    trouble = missing(options.device)
    if trouble:
        print(f"reportgen: bench: {trouble}", file=sys.stderr)
        return 1
    if options.here:
        run_here(options)
        return 0
    try:
        return launch_all(options)
    except OSError as error:
        print(f"reportgen: bench: {error}", file=sys.stderr)
        return 1


def parse(argv: Optional[Sequence[str]]) -> argparse.Namespace:
    """Return the options; exits with code 2 where they are wrong."""
    parser = argparse.ArgumentParser(
        prog="python -m collectors bench",
        usage=EXAMPLE,
        description=DESCRIPTION,
    )
    parser.add_argument(
        "names", nargs="+", type=str.lower, metavar="NAME", choices=list(WORKLOADS), help=", ".join(WORKLOADS)
    )
    parser.add_argument("--logs", type=Path, default=Path("logs/bench"), help="folder (default: logs/bench)")
    parser.add_argument("--repeats", type=_positive, default=7, help="runs of each case (default: 7)")
    parser.add_argument(
        "--steps", type=_positive, default=120, help="20 warm-up + 100 measured (default: 120)"
    )
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu", help="(default: cpu)")
    parser.add_argument(
        "--threads", type=_positive, default=usable_cores() or 1, help="of torch (default: all cores)"
    )
    parser.add_argument("--here", action="store_true", help="one run of one case in this process, no repeats")
    for family in dict.fromkeys(WORKLOADS.values()):
        family.add_options(parser)
    options = parser.parse_args(argv)
    found = cases(options)
    if not found:
        parser.error(f"{' '.join(options.names)}: there is no such variant; see docs/workloads.md")
    if options.here and len(found) > 1:
        parser.error("--here runs one case; name one workload, pass and variant")
    return options


def cases(options: argparse.Namespace) -> List[Tuple[Family, Case]]:
    """Return every case that the options ask for, with its family."""
    common = {"device": {"cpu": "CPU", "cuda": "GPU"}[options.device], "threads": options.threads}
    found = []
    for name in dict.fromkeys(options.names):
        family = WORKLOADS[name]
        found += [(family, {**case, **common}) for case in family.cases(name, options)]
    return found


def missing(device: str) -> str:
    """Say what this machine lacks to run on `device`, with the remedy; empty if nothing."""
    if importlib.util.find_spec("torch") is None:
        return 'torch is not installed; pip install "reportgen[collect]", or torch alone'
    if device == "cuda":
        import torch

        if not torch.cuda.is_available():
            return "torch sees no CUDA device; use --device cpu, or install a CUDA build of torch"
    return ""


def run_here(options: argparse.Namespace) -> None:
    """Run the steps of the one case that the options name, and record them."""
    import torch

    torch.set_num_threads(options.threads)
    ((family, case),) = cases(options)

    def start() -> Recorder:
        samples = family.samples_per_step(case)
        return Recorder.start(samples_per_step=samples, item=family.ITEM, case=case, logs=options.logs)

    family.run(case, options.device, options.steps, start)


def launch_all(options: argparse.Namespace) -> int:
    """Run the repeats that are missing, one process at a time; return the exit code of a run that failed."""
    jobs = [launch.Job(case, child(family, case, options)) for family, case in cases(options)]
    return launch.run_campaign(launch.Campaign(options.logs, jobs, options.repeats, keeps_going=True))


def child(family: Family, case: Case, options: argparse.Namespace) -> List[str]:
    """Return the command line of a process that runs one case once."""
    common = ["--steps", str(options.steps), "--device", options.device, "--threads", str(options.threads)]
    return [python(), "-m", "collectors", "bench", *family.case_options(case), *common, "--here"]


def python() -> str:
    """Return how to start this interpreter, by name if the PATH leads to it: logs hold no local paths."""
    found = shutil.which("python")
    return "python" if found and Path(found) == Path(sys.executable) else sys.executable


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text}: not a count; give 1 or more")
    return int(text)
