"""Time `reportgen runs` and `build` over thousands of made-up native runs, and print their peak memory.

    python benchmarks/native_runs.py [--runs 10000] [--without-definition] [--rounds 1] [--against COMMIT]

Seven repeats a case, 120 steps with two phases a run; a case has a model, a batch size and a precision. The
definition has a table of throughput with its speed-up, one of step times and one of phases.
--without-definition builds what the program defines by itself. Every command has an empty cache. Processor
time is that of all processes, memory that of the largest one. --against measures an earlier commit of this
repository in turns, each with its own code. The digest of the files says whether both build the same.
"""

import argparse
import csv
import hashlib
import io
import itertools
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from read_corpus import checked_out

ROOT = Path(__file__).resolve().parent.parent
REPEATS, STEPS = 7, 120
PRECISIONS, BATCH_SIZES = ("fp32", "fp16"), (16, 32, 64, 128)
STARTED, MONOTONIC = 1_750_000_000 * 10**9, 5_000 * 10**9

DEFINITION = """\
title = "Many runs"
logs = ["logs/many"]

[[tables]]
id = "throughput"
title = "Throughput"
rows = ["model", "batch_size"]
columns = ["precision"]
compare = { kind = "speedup", baseline = { precision = "fp32" } }

[[tables]]
id = "time"
title = "Time per step"
metric = "step_time"
rows = ["model", "batch_size"]
columns = ["precision"]

[[tables]]
id = "phases"
title = "Phases"
metric = "step_time"
phase = ["forward", "backward"]
rows = ["model", "batch_size"]
columns = ["precision", "phase"]
"""

ENVIRONMENT = {
    "python": {"version": "3.11.7", "implementation": "CPython", "compiler": "GCC 12.2.0"},
    "platform": {"system": "Linux", "kernel": "6.1.0", "machine": "x86_64", "libc": "glibc 2.36"},
    "cpu": {"model": "AMD EPYC", "cores_logical": 64, "cores_usable": 64, "numa_nodes": 2},
    "memory": {"total_bytes": 540_000_000_000},
    "git": {"commit": "b5bf462b9c2911c9fc46fb87ffebc3914ff2cc84", "dirty": False},
    "torch": {"version": "2.3.0", "cuda": "12.1", "cudnn": "8902", "cudnn_benchmark": True},
    "packages": {"numpy": "1.26.4", "torch": "2.3.0", "tqdm": "4.66.4"},
    "driver": {"version": "550.54.15"},
}


def make_repository(root: Path, runs: int) -> None:
    """Write a repository with logs/many and reports/many.toml."""
    generator = random.Random(1)
    for number in range(runs):
        case, repeat = divmod(number, REPEATS)
        name = f"model{case // 8}"
        factors = {"model": name, "batch_size": BATCH_SIZES[case // 2 % 4], "precision": PRECISIONS[case % 2]}
        level = 2_000_000 + 500_000 * (case // 2 % 4) + 700_000 * (case % 2 == 0) + 1_000 * (case // 8)
        folder = root / "logs" / "many" / f"case{case:05}" / f"r{repeat + 1}"
        folder.mkdir(parents=True)
        begin = MONOTONIC + number * 10**9
        (folder / "run.json").write_text(json.dumps(_run(factors, repeat + 1, begin)))
        (folder / "environment.node0.json").write_text(json.dumps(_environment(begin)))
        (folder / "steps.rank0.csv").write_text(_steps(begin, level, generator))
    reports = root / "reports"
    reports.mkdir()
    (reports / "many.toml").write_text(DEFINITION)
    subprocess.run(["git", "init", "--quiet"], cwd=root, check=True)


def _realtime(monotonic: int) -> int:
    return STARTED + monotonic - MONOTONIC


def _run(factors: dict[str, str | int], repeat: int, begin: int) -> dict[str, object]:
    return {
        "format": "reportgen-run",
        "version": 1,
        "status": "complete",
        "case": factors,
        "repeat": repeat,
        "command": ["python", "train.py", "--model", factors["model"]],
        "started_realtime_ns": _realtime(begin),
        "samples_per_step": factors["batch_size"],
        "item": "image",
        "ranks": 1,
        "clocks": {"rank0": {"monotonic_ns": begin, "realtime_ns": _realtime(begin)}},
        "ended_realtime_ns": _realtime(begin) + 5 * 10**8,
        "exit_code": 0,
    }


def _environment(begin: int) -> dict[str, object]:
    clock = {"monotonic_ns": begin, "realtime_ns": _realtime(begin)}
    return {
        "format": "reportgen-environment",
        "version": 1,
        "node": 0,
        "ranks": [0],
        "clock": clock,
        "environment": ENVIRONMENT,
    }


def _steps(begin: int, level: int, generator: random.Random) -> str:
    """Return a steps file: 120 steps around a level in ns, each with a forward and a backward pass."""
    lines = io.StringIO()
    lines.write(f"#clock,{begin},{_realtime(begin)}\n")
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerow(("step", "samples", "begin_ns", "duration_ns", "forward_host_ns", "backward_host_ns"))
    own = generator.gauss(1, 0.002)
    for step in range(1, STEPS + 1):
        duration = int(level * own * generator.gauss(1, 0.01))
        writer.writerow((step, "", begin, duration, duration // 3, duration // 2))
        begin += duration
    return lines.getvalue()


def measure(checkout: Path, root: Path, arguments: list[str]) -> tuple[float, float]:
    """Return the processor time in s, children included, and the peak memory in MB of a command."""
    installed = [path for path in sys.path if path.endswith("-packages")]
    path = os.pathsep.join([str(checkout), *installed])
    with tempfile.TemporaryDirectory(prefix="native_runs") as cache:
        environment = {**os.environ, "PYTHONPATH": path, "XDG_CACHE_HOME": cache}
        command = [sys.executable, "-S", "-P", "-m", "reportgen", *arguments]
        streams = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        process = subprocess.Popen(command, cwd=root, env=environment, **streams)
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{checkout}: {' '.join(arguments)}: exit code {process.returncode}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def digest_of(folder: Path) -> str:
    """Return a digest of all files below a folder."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            digest.update(
                f"{path.relative_to(folder)} ".encode() + hashlib.sha256(path.read_bytes()).digest()
            )
    return digest.hexdigest()[:16]


def main() -> None:
    """Parse the arguments, make the runs, measure in turns."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--folder", type=Path, help="where the runs are; made if it does not exist, and kept")
    parser.add_argument("--without-definition", action="store_true", help="let the program define the report")
    parser.add_argument("--against", metavar="COMMIT", help="measure this commit as well, in turns")
    parser.add_argument("--commands", nargs="+", default=["runs", "build"], choices=["runs", "build"])
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="native_runs") as name:
        place = Path(name)
        root = arguments.folder or place / "repository"
        if not root.exists():
            make_repository(root, arguments.runs)
        reports = root / "reports"
        if arguments.without_definition:
            reports = root / "none"
            reports.mkdir(exist_ok=True)
        checkouts = {"now": ROOT}
        if arguments.against:
            checkouts[arguments.against] = checked_out(arguments.against, place / "before")
        out = place / "out"
        lines = {
            "runs": ["runs", "logs", "--format", "json"],
            "build": ["build", str(reports.relative_to(root)), "--out", str(out)],
        }
        for command, (called, checkout) in itertools.product(
            arguments.commands * arguments.rounds, checkouts.items()
        ):
            seconds, megabytes = measure(checkout, root, lines[command])
            files = f", files {digest_of(out)}" if command == "build" else ""
            shutil.rmtree(out, ignore_errors=True)
            print(f"{command:6} {called:10.10} {seconds:7.1f} s {megabytes:6.0f} MB{files}", flush=True)


if __name__ == "__main__":
    main()
