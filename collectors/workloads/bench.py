"""`python -m collectors bench NAME ...`: run workloads under the full protocol, or one run in this process.

The options select a list of cases. The launcher starts a fresh process for each repeat of each case, in the
order repeat 1 of all cases, repeat 2 of all cases, ..., so that drift of the machine favours no case. Each
process runs this command with `--here` and writes one run folder.

A family of workloads is a module with the members of `registry.Family`. Importing it must not import torch,
because the help shows the options of all families.
"""

from __future__ import annotations

import argparse
import importlib.util
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Callable, NamedTuple, NoReturn, Optional

from collectors.format_v1.case import Case
from collectors.format_v1.run_folder import TIMING_VARIABLE
from collectors.launcher import launch
from collectors.machine.distributed import process_rank
from collectors.machine.environment import usable_cores
from collectors.messages import OneLineParser, warn
from collectors.recorder.exit_hooks import status_of
from collectors.recorder.recorder import Recorder
from collectors.recorder.timing import TIMINGS
from collectors.workloads import settings
from collectors.workloads.registry import WORKLOADS, Family

EXAMPLE = """python -m collectors bench resnet50 --precision tf32 bf16-amp --batch-size 64 128 --device cuda
       python -m collectors bench darnn lstnet --pass forward train --threads 1 --logs logs/flux
       python -m collectors bench NAME [NAME ...] [options]"""
DESCRIPTION = "Run workloads: each repeat in a fresh process with its own run folder, cases interleaved."
#: Options of `bench` itself; every other option belongs to the families that list it in OPTIONS.
GENERAL = ("names", "logs", "repeats", "steps", "device", "threads", "timing", "here", "again")


class FamilyCase(NamedTuple):
    """A case and the family that runs it."""

    family: Family
    case: Case


def main(argv: Optional[Sequence[str]] = None) -> int:
    """Run `bench` with these arguments and return the exit code."""
    options = parse(argv)
    reason = missing_requirement(options)
    if reason:
        warn(f"bench: {reason}")
        return 1
    try:
        return run_here(options) if options.here else launch_all(options)
    except OSError as error:
        warn(f"bench: {error}")
        return 1


class _Parser(OneLineParser):
    def error(self, message: str) -> NoReturn:
        raise ValueError(message)  # a sweep adds the place in its file


def make_parser() -> OneLineParser:
    """Return the parser of all options, with the options of every family; it raises ValueError."""
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
        help="threads of torch per process (default: all cores, divided by the processes)",
    )
    parser.add_argument("--timing", choices=TIMINGS, help="the clock, as for `run`")
    parser.add_argument("--again", action="store_true", help="add repeats, regardless of existing runs")
    parser.add_argument("--here", action="store_true", help="one run of one case in this process, no repeats")
    settings.add_options(parser)
    for family in dict.fromkeys(WORKLOADS.values()):
        family.add_options(parser)
    return parser


def parse(argv: Optional[Sequence[str]]) -> argparse.Namespace:
    """Return the options; exits with code 2 if they are wrong."""
    parser = make_parser()
    try:
        return parse_options(parser, argv)
    except ValueError as error:
        OneLineParser.error(parser, str(error))


def parse_options(parser: argparse.ArgumentParser, argv: Optional[Sequence[str]]) -> argparse.Namespace:
    """Return the options; raises ValueError if they are wrong or do not apply to a workload."""
    options = parser.parse_args(argv)
    of_families = {name: value for name, value in vars(options).items() if name not in GENERAL}
    given = [name for name, value in of_families.items() if value != parser.get_default(name)]
    for name in options.names:
        inapplicable = [option for option in given if option not in WORKLOADS[name].OPTIONS]
        if inapplicable:
            applicable = ", ".join(map(_option, WORKLOADS[name].OPTIONS))
            raise ValueError(f"{name}: has no option {_option(inapplicable[0])}; it has {applicable}")
    selected = select_cases(options)
    if not selected:
        raise ValueError(
            f"{' '.join(options.names)}: there is no such variant; see docs/reference/workloads.md"
        )
    for _, case in selected:
        if options.device == "cpu" and case.get("precision") == "tf32":
            raise ValueError("--precision tf32: CPUs have no TF32; use fp32, or --device cuda")
    if options.here and len(selected) > 1:
        raise ValueError("--here runs a single case; give one workload, and one value for each option")
    return options


def _option(name: str) -> str:
    return "--" + name.replace("_", "-")


def select_cases(options: argparse.Namespace) -> list[FamilyCase]:
    """Return all cases that the options select."""
    cores = usable_cores() or 1
    device = {"device": "CPU"} if options.device == "cpu" else {}  # the model of a GPU is detected
    selected = []
    for name in dict.fromkeys(options.names):
        family = WORKLOADS[name]
        for case in family.cases(name, options):
            threads = options.threads or max(1, cores // int(case.get("devices", 1)))
            selected.append(FamilyCase(family, {**case, **device, "threads": threads}))
    return selected


def missing_requirement(options: argparse.Namespace) -> str:
    """Return what this machine lacks to run the cases, with the remedy; "" if nothing."""
    needed = {package for name in options.names for package in WORKLOADS[name].NEEDS}
    for package in ("torch", *sorted(needed)):
        if importlib.util.find_spec(package) is None:
            return f'{package} is not installed; pip install "reportgen-bench[workloads]", or {package} alone'
    if options.device != "cuda":
        return ""
    import torch

    if not torch.cuda.is_available():
        return "torch has no CUDA device; use --device cpu, or install a CUDA build of torch"
    cases = [case for _, case in select_cases(options)]
    devices = max(int(case.get("devices", 1)) for case in cases)
    if devices > torch.cuda.device_count() and not options.here:
        return f"--ddp {devices}: torch has {torch.cuda.device_count()} CUDA devices; use at most that many"
    uses_tf32 = any(case.get("precision") == "tf32" for case in cases)
    if uses_tf32 and torch.cuda.get_device_capability() < (8, 0):  # it would silently compute in FP32
        return "--precision tf32: this device has no TF32 (compute capability below 8.0); use fp32"
    return ""


def run_here(options: argparse.Namespace) -> int:
    """Run and record the steps of the single case that the options select; return the exit code.

    Running out of memory is a result, and is recorded even if it happens before the first step.
    """
    import torch

    ((family, case),) = select_cases(options)
    torch.set_num_threads(int(case["threads"]))
    ranks, devices = process_rank().ranks, int(case.get("devices", 1))
    if "devices" in case and ranks != devices:
        warn(f"bench: --ddp {devices}, but torchrun started {ranks} processes; start as many")
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

    return _run_until_out_of_memory(lambda: family.run(case, options, start), recorders, start)


def _run_until_out_of_memory(
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
        warn(f"bench: {text}")
        return 1
    return 0


def launch_all(options: argparse.Namespace) -> int:
    """Run the missing repeats, one process at a time; return the exit code of the first failed run."""
    campaign = launch.Campaign(
        options.logs,
        launch.add_device(make_jobs(options)),
        options.repeats,
        is_again=options.again,
        keeps_going=True,
        needs_steps=True,
        variables=child_variables(options),
    )
    return launch.run_campaign(campaign)


def child_variables(options: argparse.Namespace) -> dict[str, str]:
    """Return the environment variables of the child processes."""
    return {TIMING_VARIABLE: options.timing} if options.timing else {}


def make_jobs(options: argparse.Namespace) -> list[launch.Job]:
    """Return one job for each case that the options select."""
    return [launch.Job(case, child_command(family, case, options)) for family, case in select_cases(options)]


def child_command(family: Family, case: Case, options: argparse.Namespace) -> list[str]:
    """Return the command line of the process, or of torchrun, that runs a case once."""
    threads = ["--threads", str(case["threads"])]
    common = ["--steps", str(options.steps), "--device", options.device, *threads]
    folder = ["--data", str(options.data)] if options.data and "data" in family.OPTIONS else []
    devices = int(case.get("devices", 1))
    # The program torchrun may not be on the PATH; its module runs with this Python.
    torchrun = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(devices)]
    launcher = torchrun if devices > 1 else []
    words = [*family.case_options(case), *folder, *common, "--here"]
    return [python_program(), *launcher, "-m", "collectors", "bench", *words]


def python_program() -> str:
    """Return the name of this interpreter if the PATH leads to it, otherwise its path.

    Logs should not contain local paths.
    """
    program = shutil.which("python")
    return "python" if program and Path(program) == Path(sys.executable) else sys.executable
