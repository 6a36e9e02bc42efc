"""`python -m collectors bench NAME ...`: run workloads under the full protocol, or one run of one here.

The options make a list of cases. The launcher starts for every repeat and every case a fresh process
of this very command (`--here`), in the order repeat 1 of all cases, repeat 2 of all cases, ... so
that a machine that drifts does not favour one. Each process writes one run folder.

A family of workloads is a module with the members of `Family`, entered in `registry` under each name that
it answers to. It must import without torch, for the options of all families are part of the help.
"""

from __future__ import annotations

import argparse
import importlib.util
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Callable, NoReturn, Optional

from collectors.format_v1.run_folder import TIMING_VARIABLE
from collectors.launcher import launch
from collectors.machine.distributed import place
from collectors.machine.environment import usable_cores
from collectors.recorder.exit_hooks import status_of
from collectors.recorder.recorder import Recorder
from collectors.recorder.timing import TIMINGS
from collectors.workloads import settings
from collectors.workloads.registry import WORKLOADS, Family
from collectors.workloads.settings import Case

EXAMPLE = """python -m collectors bench resnet50 --precision tf32 bf16-amp --batch-size 64 128 --device cuda
       python -m collectors bench darnn lstnet --pass forward train --threads 1 --logs logs/flux
       python -m collectors bench NAME [NAME ...] [options]"""
DESCRIPTION = "Run workloads, each repeat in a fresh process, the cases interleaved: one run folder each."
#: of `bench` itself; every other option belongs to the families that name it in OPTIONS
GENERAL = ("names", "logs", "repeats", "steps", "device", "threads", "timing", "here", "again")


def main(argv: Optional[Sequence[str]] = None) -> int:
    """Run `bench` with these arguments; return 0, or what the exit code of the process shall be."""
    options = parse(argv)
    trouble = missing(options)
    if trouble:
        print(f"reportgen: bench: {trouble}", file=sys.stderr)
        return 1
    try:
        return run_here(options) if options.here else launch_all(options)
    except OSError as error:
        print(f"reportgen: bench: {error}", file=sys.stderr)
        return 1


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise ValueError(message)  # for a sweep to say in which file


def parser_of_options() -> argparse.ArgumentParser:
    """Return the parser of all options, those of every family included; it raises ValueError."""
    parser = _Parser(prog="python -m collectors bench", usage=EXAMPLE, description=DESCRIPTION)
    parser.add_argument(
        "names", nargs="+", type=str.lower, metavar="NAME", choices=list(WORKLOADS), help=", ".join(WORKLOADS)
    )
    parser.add_argument("--logs", type=Path, default=Path("logs/bench"), help="folder (default: logs/bench)")
    parser.add_argument("--repeats", type=settings.count, default=7, help="runs of each case (default: 7)")
    parser.add_argument(
        "--steps", type=settings.count, default=120, help="20 warm-up + 100 measured (default: 120)"
    )
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu", help="(default: cpu)")
    parser.add_argument(
        "--threads",
        type=settings.count,
        help="of torch, in each process (default: all cores, divided by the processes)",
    )
    parser.add_argument("--timing", choices=TIMINGS, help="by which clock, as for `run`")
    parser.add_argument("--again", action="store_true", help="run as many more, whatever is there")
    parser.add_argument("--here", action="store_true", help="one run of one case in this process, no repeats")
    settings.add_options(parser)
    for family in dict.fromkeys(WORKLOADS.values()):
        family.add_options(parser)
    return parser


def parse(argv: Optional[Sequence[str]]) -> argparse.Namespace:
    """Return the options; exits with code 2 where they are wrong."""
    parser = parser_of_options()
    try:
        return understood(parser, argv)
    except ValueError as error:
        argparse.ArgumentParser.error(parser, str(error))


def understood(parser: argparse.ArgumentParser, argv: Optional[Sequence[str]]) -> argparse.Namespace:
    """Return the options; raises ValueError where they are wrong or have no meaning for a workload."""
    options = parser.parse_args(argv)
    special = {name: value for name, value in vars(options).items() if name not in GENERAL}
    given = [name for name, value in special.items() if value != parser.get_default(name)]
    for name in options.names:
        foreign = [option for option in given if option not in WORKLOADS[name].OPTIONS]
        if foreign:
            known = ", ".join(map(_option, WORKLOADS[name].OPTIONS))
            raise ValueError(f"{name}: has no {_option(foreign[0])}; it has {known}")
    found = cases(options)
    if not found:
        raise ValueError(
            f"{' '.join(options.names)}: there is no such variant; see docs/reference/workloads.md"
        )
    for _, case in found:
        if options.device == "cpu" and case.get("precision") == "tf32":
            raise ValueError("--precision tf32: only CUDA devices have it; use fp32, or --device cuda")
    if options.here and len(found) > 1:
        raise ValueError("--here runs one case; name one workload, and one value of each option")
    return options


def _option(name: str) -> str:
    return "--" + name.replace("_", "-")


def cases(options: argparse.Namespace) -> list[tuple[Family, Case]]:
    """Return every case that the options ask for, with its family."""
    cores = usable_cores() or 1
    device = {"cpu": "CPU", "cuda": "GPU"}[options.device]
    found = []
    for name in dict.fromkeys(options.names):
        family = WORKLOADS[name]
        for case in family.cases(name, options):
            threads = options.threads or max(1, cores // int(case.get("devices", 1)))
            found.append((family, {**case, "device": device, "threads": threads}))
    return found


def missing(options: argparse.Namespace) -> str:
    """Say what this machine lacks to run the cases, with the remedy; empty if nothing."""
    needed = {package for name in options.names for package in WORKLOADS[name].NEEDS}
    for package in ("torch", *sorted(needed)):
        if importlib.util.find_spec(package) is None:
            return f'{package} is not installed; pip install "reportgen[workloads]", or {package} alone'
    if options.device != "cuda":
        return ""
    import torch

    if not torch.cuda.is_available():
        return "torch sees no CUDA device; use --device cpu, or install a CUDA build of torch"
    devices = max([int(case.get("devices", 1)) for _, case in cases(options)])
    if devices > torch.cuda.device_count() and not options.here:
        return f"--ddp {devices}: torch sees {torch.cuda.device_count()} CUDA devices; give no more"
    is_tf32 = any(case.get("precision") == "tf32" for _, case in cases(options))
    if is_tf32 and torch.cuda.get_device_capability() < (8, 0):  # which would silently compute in FP32
        return "--precision tf32: this device has none (it takes compute capability 8.0); use fp32"
    return ""


def run_here(options: argparse.Namespace) -> int:
    """Run the steps of the one case that the options name, and record them; return the exit code.

    Running out of memory is a result: it is recorded as such also where it happens before the first step.
    """
    import torch

    ((family, case),) = cases(options)
    torch.set_num_threads(int(case["threads"]))
    ranks, devices = place().ranks, int(case.get("devices", 1))
    if "devices" in case and ranks != devices:
        print(f"reportgen: bench: --ddp {devices}, but torchrun started {ranks} processes", file=sys.stderr)
        return 2
    work = family.work(case)
    recorders: list[Recorder] = []

    def start() -> Recorder:
        recorders.append(
            Recorder.start(
                samples_per_step=work.samples,
                item=work.item,
                case=case,
                logs=options.logs,
                tokens_per_step=work.tokens,
                flops_per_step=work.flops,
            )
        )
        return recorders[0]

    return _until_out_of_memory(lambda: family.run(case, options, start), recorders, start)


def _until_out_of_memory(
    run: Callable[[], None], recorders: Sequence[Recorder], start: Callable[[], Recorder]
) -> int:
    try:
        run()
    except (RuntimeError, MemoryError) as error:
        status, text = status_of(error)
        if status != "out_of_memory":
            raise
        if not recorders:
            start().close(status, text)
        print(f"reportgen: bench: {text}", file=sys.stderr)
        return 1
    return 0


def launch_all(options: argparse.Namespace) -> int:
    """Run the repeats that are missing, one process at a time; return the exit code of a run that failed."""
    campaign = launch.Campaign(
        options.logs,
        jobs(options),
        options.repeats,
        is_again=options.again,
        keeps_going=True,
        variables=variables(options),
    )
    return launch.run_campaign(campaign)


def variables(options: argparse.Namespace) -> dict[str, str]:
    """Return what the processes are told through their environment."""
    return {TIMING_VARIABLE: options.timing} if options.timing else {}


def jobs(options: argparse.Namespace) -> list[launch.Job]:
    """Return one job for every case that the options ask for."""
    return [launch.Job(case, child(family, case, options)) for family, case in cases(options)]


def child(family: Family, case: Case, options: argparse.Namespace) -> list[str]:
    """Return the command line of a process, or of torchrun, that runs one case once."""
    threads = ["--threads", str(case["threads"])]
    common = ["--steps", str(options.steps), "--device", options.device, *threads]
    folder = ["--data", str(options.data)] if options.data and "data" in family.OPTIONS else []
    devices = int(case.get("devices", 1))
    # The module instead of the program torchrun: it may not be on the PATH, and this is the same Python.
    several = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(devices)]
    launcher = several if devices > 1 else []
    words = [*family.case_options(case), *folder, *common, "--here"]
    return [python(), *launcher, "-m", "collectors", "bench", *words]


def python() -> str:
    """Return how to start this interpreter, by name if the PATH leads to it: logs hold no local paths."""
    found = shutil.which("python")
    return "python" if found and Path(found) == Path(sys.executable) else sys.executable
