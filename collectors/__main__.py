"""The command line of the collectors: `python -m collectors run | unlock | watch | env | doctor | ...`.

Exit codes: that of the measured command for `run`; 1 for errors with files; 2 for a wrong command line.
"""

import argparse
import functools
import importlib.util
import shlex
import signal
import sys
from collections.abc import Sequence
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Optional, Union

from collectors.format_v1 import run_folder
from collectors.format_v1.case import Case
from collectors.launcher import device_lock, dry_run, launch, nsys, rounds
from collectors.launcher.device_lock import LockRequest
from collectors.launcher.hooked_command import insert_wrapper
from collectors.launcher.profiled_run import NSYS, TORCH, ProfileRequest, run_profiles
from collectors.launcher.remaining_time import parse_duration
from collectors.machine import doctor, environment, torch_info
from collectors.machine.distributed import process_rank
from collectors.messages import OneLineParser, warn
from collectors.recorder.timing import TIMINGS
from collectors.telemetry import watch

_HOOKS = {"torch.optim": Path(__file__).resolve().parent / "integrations" / "run_hooked.py"}

_RUN_EXAMPLE = """python -m collectors run --logs logs/x --case model=resnet50 --repeats 7 -- python train.py
       python -m collectors run --logs logs/x --case batch_size=32 --case batch_size=64 --repeats 7 \\
              -- python train.py --batch-size {batch_size}"""


def main(argv: Optional[list[str]] = None) -> int:
    """Run a command line and return its exit code."""
    argv = sys.argv[1:] if argv is None else argv
    if argv[:1] == ["bench"]:  # has its own options, and imports torch
        from collectors.workloads.bench import main as bench

        return bench(argv[1:])
    try:
        if argv[:1] == ["sweep"]:  # needs the workloads, which a copied folder may lack
            from collectors.workloads.sweep import main as sweep

            return sweep(argv[1:])
        options = _parser().parse_args(argv)
        return _COMMANDS[options.command_name](options)
    except ValueError as error:
        warn(str(error))
        return 2
    except OSError as error:
        warn(f"{error.filename}: {error.strerror}" if error.filename else str(error))
        return 1
    except KeyboardInterrupt:  # between two runs; a run gets the signal itself
        warn("interrupted")
        return 128 + signal.SIGINT


def _parser() -> argparse.ArgumentParser:
    raw = argparse.RawDescriptionHelpFormatter
    parser = OneLineParser(
        prog="python -m collectors",
        usage=_RUN_EXAMPLE + "\n       python -m collectors {run,unlock,watch,env,doctor,bench,sweep} --help",
        description="Write evidence about training runs into a logs folder.",
        formatter_class=raw,
    )
    names = "{run,unlock,watch,env,doctor,bench,sweep}"
    commands = parser.add_subparsers(
        dest="command_name", required=True, metavar=names, prog="python -m collectors"
    )
    run = commands.add_parser("run", usage=_RUN_EXAMPLE, formatter_class=raw, help="repeat a command")
    _add_run_options(run)
    _add_lock_options(run)
    _add_recording_options(run)
    run.add_argument("command", nargs=argparse.REMAINDER, metavar="-- COMMAND ...", help="the command to run")
    commands.add_parser(
        "unlock",
        usage="python -m collectors unlock",
        help="restore the GPUs that a killed run has left locked",
    )
    commands.add_parser(
        "env", usage="python -m collectors env", help="print what is recorded of this machine, as JSON"
    )
    watch_parser = commands.add_parser(
        "watch", usage=watch.EXAMPLE, formatter_class=raw, help="sample the GPUs of this host"
    )
    watch.add_options(watch_parser)
    doctor_parser = commands.add_parser(
        "doctor", usage=doctor.EXAMPLE, formatter_class=raw, help="check this machine before measuring"
    )
    doctor.add_options(doctor_parser)
    commands.add_parser("bench", help="run a workload of this project")
    commands.add_parser("sweep", help="run a campaign of workloads described in a file")
    return parser


def _add_run_options(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Run a command once per repeat, each in a fresh process with its own run folder. Complete repeats\n"
        "that exist are skipped. Exit code, output and signals of the command pass through. Of a command\n"
        "without a recorder, its wall time, the environment and the telemetry are recorded."
    )
    parser.add_argument("--logs", type=Path, required=True, help="folder of the campaign")
    parser.add_argument(
        "--case",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a factor; repeat a name to give it several values: every combination is run; "
        "{NAME} in the command is replaced by the value, {{NAME}} by {NAME}",
    )
    parser.add_argument(
        "--repeats", type=_positive, default=1, metavar="N", help="complete runs per case (default: 1)"
    )
    parser.add_argument("--again", action="store_true", help="run N more, regardless of existing runs")
    parser.add_argument(
        "--case-order",
        choices=rounds.ORDERS,
        help="interleaved (default): rounds of one run of each case; random: the same, in an order that is "
        "drawn for each round (default with --against); sequential: all runs of a case, then the next",
    )
    parser.add_argument(
        "--against",
        metavar="COMMAND",
        help="a second command as one word, to compare with: every case is run with both, as variant=main "
        "and variant=against",
    )
    parser.add_argument(
        "--seed",
        type=_seed,
        metavar="N",
        help="of --case-order random, to repeat an order (default: drawn); recorded with each run",
    )
    parser.add_argument(
        "--budget",
        type=parse_duration,
        metavar="TIME",
        help="begin no run that would end after this time, such as 2h or 1h30m; the same command continues",
    )
    parser.add_argument(
        "--cool-down",
        type=parse_duration,
        metavar="TIME",
        help="before each run, wait at most this time until the GPUs are at most 5 degrees C warmer than "
        "before the first run",
    )
    parser.add_argument("--dry-run", action="store_true", help="print the planned runs, and run nothing")
    parser.add_argument("--keep-going", action="store_true", help="continue after a failed run")
    parser.add_argument(
        "--save-stdout",
        action="store_true",
        help="copy the output into stdout.log and stderr.log; the command then writes to pipes, not to the "
        "terminal",
    )


def _add_lock_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--lock-clocks",
        type=_clock,
        metavar="MHZ",
        help="lock the SM clock of the visible GPUs until the end: MHz, or base. Needs root; adds the factor "
        "locked_clock_mhz. `unlock` repairs after a kill",
    )
    parser.add_argument(
        "--power-limit",
        type=_watts,
        metavar="W",
        help="set the power limit of the visible GPUs until the end. Needs root; adds the factor "
        "power_limit_w",
    )


def _add_recording_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--timing",
        choices=TIMINGS,
        help="the clock, if the script does not choose one: events of the device (default if torch "
        "uses CUDA), waiting for the device at each border, or the host's clock",
    )
    parser.add_argument(
        "--hook",
        choices=_HOOKS,
        help="record the steps of a script without a Recorder: torch.optim counts those of its optimizer. "
        "The command starts python, python -m, torchrun or accelerate launch",
    )
    parser.add_argument(
        "--samples-per-step",
        type=_positive,
        metavar="N",
        help="of --hook: samples that a rank processes in a step of the optimizer; unknown without it",
    )
    profiler = parser.add_mutually_exclusive_group()
    profiler.add_argument(
        "--nsys",
        type=_positive,
        metavar="N",
        help="run each case once more under NVIDIA's nsys, which captures N measured steps; not a repeat",
    )
    profiler.add_argument(
        "--torch-profiler",
        type=_positive,
        metavar="N",
        help="the same with the profiler of torch, also on CPUs",
    )
    parser.add_argument(
        "--calibrate",
        action="store_true",
        help="leave every other block of steps unrecorded and write the recorder's cost into the run; "
        "adds the factor calibrate=true, because these runs must not be mixed with others",
    )
    parser.add_argument(
        "--telemetry-interval",
        type=_telemetry_interval,
        default=watch.DEFAULT_INTERVAL_SECONDS,
        metavar="SECONDS",
        help="time between samples of the GPUs (default: 0.1); 0: no telemetry",
    )
    parser.add_argument(
        "--dcgm",
        action="store_true",
        help="record DCGM's profiling counters: how long SMs, tensor cores and memory were active",
    )
    parser.add_argument(
        "--node",
        type=int,
        metavar="N",
        help="number of this node, with one launcher per node (default: that of the job's launcher, else 0)",
    )


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text}: not a number; use 1 or more")
    return int(text)


def _clock(text: str) -> Union[int, str]:
    if text != device_lock.BASE and (not text.isdecimal() or int(text) < 1):
        raise argparse.ArgumentTypeError(f"{text}: not a clock; use MHz, or {device_lock.BASE}")
    return text if text == device_lock.BASE else int(text)


def _watts(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text}: not a power limit; use W")
    return int(text)


def _seed(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text}: not a seed; use 0 or more")
    return int(text)


def _telemetry_interval(text: str) -> float:
    return 0.0 if text == "0" else watch.parse_interval(text)


def _run(options: argparse.Namespace) -> int:
    command = options.command[1:] if options.command[:1] == ["--"] else options.command
    if not command or not command[0]:
        raise ValueError("run: no command; write it after --")
    variables = {run_folder.TIMING_VARIABLE: options.timing} if options.timing else {}
    if options.calibrate:
        variables[run_folder.CALIBRATE_VARIABLE] = "1"
    if options.samples_per_step:
        if not options.hook:
            raise ValueError("run: --samples-per-step is of --hook; a Recorder has an argument of this name")
        variables[run_folder.SAMPLES_VARIABLE] = str(options.samples_per_step)
    order = options.case_order or ("interleaved" if options.against is None else "random")
    if order == "random" and options.node and options.seed is None:
        raise ValueError("run: random order on several nodes: give all launchers the same --seed")
    lock = LockRequest(options.lock_clocks, options.power_limit)
    settings = [*options.case, *_own_factors(options, lock)]
    campaign = launch.Campaign(
        logs=options.logs,
        jobs=launch.add_device(_make_jobs(launch.parse_cases(settings), command, options.against), variables),
        repeats=options.repeats,
        order=order,
        seed=rounds.draw_seed() if options.seed is None else options.seed,
        is_again=options.again,
        keeps_going=options.keep_going,
        saves_stdout=options.save_stdout,
        telemetry_interval=options.telemetry_interval,
        uses_dcgm=options.dcgm,
        budget=options.budget,
        cool_down=options.cool_down,
        node=_own_node() if options.node is None else options.node,
        variables=variables,
        needs_steps=bool(options.hook),
        wrap=functools.partial(insert_wrapper, wrapper=str(_HOOKS[options.hook])) if options.hook else list,
    )
    profile = _profile(options)
    if profile is not None and campaign.node:
        raise ValueError(
            "run: a profile of several nodes with a launcher each is not supported; profile one node"
        )
    if options.dry_run:
        changes = [f"{name}={value}, until the end" for name, value in lock.factors().items()]
        changes += [f"then each case once under {profile.name}"] if profile else []
        print("\n".join([*dry_run.describe(campaign), *changes]))
        return 0
    device_lock.warn_of_stale_locks()
    with device_lock.DeviceLock(lock) if any(lock) else nullcontext():
        code = launch.run_campaign(campaign)
        return code if code or profile is None else run_profiles(campaign, profile)


def _profile(options: argparse.Namespace) -> Optional[ProfileRequest]:
    """Return the profile that the options ask for; raises ValueError if it cannot be made here."""
    if options.nsys:
        nsys.find()
        return ProfileRequest(NSYS, options.nsys)
    return ProfileRequest(TORCH, options.torch_profiler) if options.torch_profiler else None


def _own_factors(options: argparse.Namespace, lock: LockRequest) -> list[str]:
    """Return the factors that options add, as settings; raises ValueError if --case sets one of them."""
    own = {**lock.factors(), **({"calibrate": "true"} if options.calibrate else {})}
    for name in own:
        if any(setting.startswith(f"{name}=") for setting in options.case):
            raise ValueError(f"--case {name}: another option sets this factor; leave it out")
    return [f"{name}={value}" for name, value in own.items()]


def _own_node() -> int:
    node = None
    with suppress(ValueError):  # the number of ranks may be unknown, which only the recorder needs
        node = process_rank().node
    if node is None:
        raise ValueError("run: the launcher of this job does not say on which node it runs; use --node N")
    return node


def _make_jobs(cases: Sequence[Case], command: Sequence[str], against: Optional[str]) -> list[launch.Job]:
    if against is None:
        return launch.make_jobs(cases, command)
    try:
        other = shlex.split(against)
    except ValueError as error:
        raise ValueError(f"--against {against}: {error}; quote it as in a shell") from None
    if not other:
        raise ValueError("--against: no command; write it as one word in quotes")
    return launch.make_compared_jobs(cases, command, other)


def _env(options: argparse.Namespace) -> int:
    """Print the environment that a run with torch would record."""
    if importlib.util.find_spec("torch") is not None:
        torch_info.use_torch()
        warn(
            "env: imported torch, as a training script does; settings that the script makes are not included"
        )
    print(run_folder.json_text(environment.capture()), end="")
    return 0


def _unlock(options: argparse.Namespace) -> int:
    return device_lock.unlock()


_COMMANDS = {"run": _run, "unlock": _unlock, "watch": watch.main, "env": _env, "doctor": doctor.main}


if __name__ == "__main__":
    sys.exit(main())
