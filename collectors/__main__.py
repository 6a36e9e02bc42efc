"""The command line of the collectors: `python -m collectors run | watch | env | doctor | bench | sweep`.

Parses, calls, prints, exits. Exit codes: that of the measured command for `run`; 1 for trouble with files;
2 for a wrong command line.
"""

import argparse
import sys
from pathlib import Path
from typing import Optional

from collectors.format_v1 import run_folder
from collectors.launcher import launch
from collectors.machine import doctor, environment
from collectors.machine.distributed import place
from collectors.recorder.timing import TIMINGS
from collectors.telemetry import watch

_RUN_EXAMPLE = """python -m collectors run --logs logs/x --case model=resnet50 --repeats 7 -- python train.py
       python -m collectors run --logs logs/x --case batch_size=32 --case batch_size=64 --repeats 7 \\
              -- python train.py --batch-size {batch_size}"""


def main(argv: Optional[list[str]] = None) -> int:
    """Run one command line and return its exit code."""
    argv = sys.argv[1:] if argv is None else argv
    if argv[:1] == ["bench"]:  # has its own options, and imports torch
        from collectors.workloads.bench import main as bench

        return bench(argv[1:])
    try:
        if argv[:1] == ["sweep"]:  # knows the workloads, which a copied folder may do without
            from collectors.workloads.sweep import main as sweep

            return sweep(argv[1:])
        options = _parser().parse_args(argv)
        return _COMMANDS[options.command_name](options)
    except ValueError as error:
        print(f"reportgen: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"reportgen: {error}", file=sys.stderr)
        return 1


def _parser() -> argparse.ArgumentParser:
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(
        prog="python -m collectors",
        usage=_RUN_EXAMPLE + "\n       python -m collectors {run,watch,env,doctor,bench,sweep} --help",
        description="Write raw evidence about training runs into a logs folder.",
        formatter_class=raw,
    )
    names = "{run,watch,env,doctor,bench,sweep}"
    commands = parser.add_subparsers(dest="command_name", required=True, metavar=names)
    running = commands.add_parser("run", usage=_RUN_EXAMPLE, formatter_class=raw, help="repeat a command")
    _add_run(running)
    _add_recording(running)
    running.add_argument("command", nargs=argparse.REMAINDER, metavar="-- COMMAND ...", help="what to run")
    commands.add_parser(
        "env", usage="python -m collectors env", help="print what is recorded of this machine, as JSON"
    )
    watching = commands.add_parser(
        "watch", usage=watch.EXAMPLE, formatter_class=raw, help="sample the GPUs of this host"
    )
    watch.add_options(watching)
    advising = commands.add_parser(
        "doctor", usage=doctor.EXAMPLE, formatter_class=raw, help="say what would spoil a measurement here"
    )
    doctor.add_options(advising)
    commands.add_parser("bench", help="run a workload of this project under the same protocol")
    commands.add_parser("sweep", help="run a whole campaign of these workloads, described in a file")
    return parser


def _add_run(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Run a command once per repeat, each as a fresh process with its own run folder. Complete repeats\n"
        "that exist are skipped. Exit code, output and signals are the command's own."
    )
    parser.add_argument("--logs", type=Path, required=True, help="folder of the campaign")
    parser.add_argument(
        "--case",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a factor; a name given again has several values, and every combination is run; "
        "{NAME} in the command is replaced by the value",
    )
    parser.add_argument(
        "--repeats", type=_positive, default=1, metavar="N", help="complete runs wanted per case (1)"
    )
    parser.add_argument("--again", action="store_true", help="run N more, whatever is there")
    parser.add_argument(
        "--case-order",
        choices=["interleaved", "sequential"],
        default="interleaved",
        help="interleaved (default): repeat 1 of every case, then repeat 2, so that drift favours none",
    )
    parser.add_argument("--keep-going", action="store_true", help="go on after a run that failed")
    parser.add_argument(
        "--save-stdout",
        action="store_true",
        help="copy the output into stdout.log; the command then writes to a pipe, not to the terminal",
    )


def _add_recording(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--timing",
        choices=TIMINGS,
        help="by which clock, where the script leaves it open: events of the device (default where torch "
        "uses CUDA), waiting for it at every border, or the host's clock alone",
    )
    parser.add_argument(
        "--calibrate",
        action="store_true",
        help="leave every other block of steps unrecorded and write the recorder's cost into the run; "
        "the case gets the factor calibrate=true, for its numbers are not those of other runs",
    )
    parser.add_argument(
        "--telemetry-interval",
        type=_interval,
        default=watch.DEFAULT_INTERVAL,
        metavar="SECONDS",
        help="between samples of the GPUs (0.1); 0: none",
    )
    parser.add_argument(
        "--node",
        type=int,
        default=place().node,
        metavar="N",
        help="number of this node, where every node has a launcher of its own (0, or as Slurm says)",
    )


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text}: not a number of repeats; give 1 or more")
    return int(text)


def _interval(text: str) -> float:
    return 0.0 if text == "0" else watch.interval_of(text)


def _run(options: argparse.Namespace) -> int:
    command = options.command[1:] if options.command[:1] == ["--"] else options.command
    if not command:
        raise ValueError("run: no command; write it behind --")
    variables = {run_folder.TIMING_VARIABLE: options.timing} if options.timing else {}
    if options.calibrate:
        variables[run_folder.CALIBRATE_VARIABLE] = "1"
    settings = [*options.case, *(["calibrate=true"] if options.calibrate else [])]
    campaign = launch.Campaign(
        logs=options.logs,
        jobs=launch.jobs_of(launch.cases_of(settings), command),
        repeats=options.repeats,
        is_interleaved=options.case_order == "interleaved",
        is_again=options.again,
        keeps_going=options.keep_going,
        saves_stdout=options.save_stdout,
        telemetry_interval=options.telemetry_interval,
        node=options.node,
        variables=variables,
    )
    return launch.run_campaign(campaign)


def _env(options: argparse.Namespace) -> int:
    print(run_folder.as_json(environment.capture()), end="")
    return 0


_COMMANDS = {"run": _run, "watch": watch.main, "env": _env, "doctor": doctor.main}


if __name__ == "__main__":
    sys.exit(main())
