"""Time `reportgen runs` over a folder of logs against `rg -c 'DLL '` over the same files, cold and warm.

    python benchmarks/read_corpus.py [FOLDER] [--rounds 9] [--bytes 1000000000]
    python benchmarks/read_corpus.py [FOLDER] --against COMMIT [--limit 1.15]

Both read every byte once; ripgrep does next to nothing with what it finds and so stands for the speed of the
disk. Cold means that the page cache has nothing of the files when a program starts, as with logs that were
just copied from elsewhere or are larger than the memory; warm, that it has all of them. The time of
`reportgen runs` over an empty folder is taken off: starting Python is not reading. The programs take turns,
and the ratio printed is the median over the rounds of each round's own ratio. A folder smaller than --bytes
is copied until it is large enough, each copy with a few more line ends, so that no two files are the same
log; without a folder logs are made up in the form of DLLogger and tqdm. Needs Linux and Debian's package
ripgrep.

With --against, the working tree and an earlier commit of this repository take turns, and the processor time
of both is compared, children included. The program exits with 1 if the median of the rounds' ratios exceeds
--limit. `python -m` puts the working folder first on the path, and an editable installation finds the modules
that a commit lacks. So both run without either: with -P, without the site module, and with the path that this
interpreter has.

Every run has an empty cache of its own.
"""

import argparse
import itertools
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RUNS = [sys.executable, "-m", "reportgen", "runs", "--format", "json"]


def main() -> None:
    """Parse the arguments, prepare the files, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", nargs="?", type=Path, help="logs to read; made up if absent")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--bytes", type=int, default=10**9, help="size to copy the folder up to")
    parser.add_argument("--against", metavar="COMMIT", help="compare with this commit instead of ripgrep")
    parser.add_argument("--limit", type=float, default=1.15, help="largest ratio of the processor times")
    arguments = parser.parse_args()
    if arguments.against:
        sys.exit(compare(arguments))
    if not shutil.which("rg"):
        sys.exit("rg: not found; install ripgrep")
    with tempfile.TemporaryDirectory(prefix="read_corpus") as name:
        place = Path(name)
        (place / "empty").mkdir()
        size, count = fill(place / "logs", arguments.folder, arguments.bytes)
        print(f"{count} files, {size / 1e6:.0f} MB, {os.cpu_count()} processors, {arguments.rounds} rounds")
        for is_cold in (True, False):
            print("cold" if is_cold else "warm")
            report(measure(place, arguments.rounds, is_cold=is_cold))


def compare(arguments: argparse.Namespace) -> int:
    """Print the processor time of the working tree beside that of a commit; return the exit code."""
    known = subprocess.run(
        ["git", "-C", str(ROOT), "cat-file", "-e", f"{arguments.against}^{{commit}}"], capture_output=True
    )
    if known.returncode:
        print(f"{arguments.against} is not in this clone, which may be shallow: nothing was compared")
        return 0
    with tempfile.TemporaryDirectory(prefix="read_corpus") as name:
        place = Path(name)
        size, count = fill(place / "logs", arguments.folder, arguments.bytes)
        print(f"{count} files, {size / 1e6:.0f} MB, {os.cpu_count()} processors, {arguments.rounds} rounds")
        checkouts = {"now": ROOT, arguments.against: checked_out(arguments.against, place / "before")}
        times: dict[str, list[float]] = {name: [] for name in checkouts}
        for turn in range(arguments.rounds + 1):
            for name, checkout in checkouts.items():
                seconds = processor_seconds(checkout, place)
                if turn:  # the first one fills the page cache, and that of Python's own files
                    times[name].append(seconds)
    for name, values in times.items():
        print(f"{name:12.12} {statistics.median(values):8.3f} s  ({min(values):.3f} to {max(values):.3f})")
    ratios = [now / before for now, before in zip(*times.values(), strict=True)]
    ratio = statistics.median(ratios)
    print(
        f"ratio        {ratio:8.2f}    ({min(ratios):.2f} to {max(ratios):.2f}), at most {arguments.limit:g}"
    )
    return int(ratio > arguments.limit)


def checked_out(commit: str, target: Path) -> Path:
    """Write the package as it was at a commit below a folder, and return the folder."""
    archive = subprocess.run(
        ["git", "-C", str(ROOT), "archive", commit, "reportgen"], check=True, stdout=subprocess.PIPE
    )
    target.mkdir()
    subprocess.run(["tar", "-x", "-C", str(target)], check=True, input=archive.stdout)
    return target


def processor_seconds(checkout: Path, place: Path) -> float:
    """Return the processor time in s, children included, of one reading by the program in a checkout."""
    installed = [path for path in sys.path if path.endswith("-packages")]
    path = os.pathsep.join([str(checkout), *installed])
    environment = {**os.environ, "PYTHONPATH": path, "XDG_CACHE_HOME": tempfile.mkdtemp(dir=place)}
    # A program is compiled once, not at each start; beside the sources nothing is written.
    environment["PYTHONPYCACHEPREFIX"] = str(place / "bytecode")
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    command = [sys.executable, "-S", "-P", *RUNS[1:], "logs"]
    process = subprocess.Popen(
        command, cwd=place, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{checkout}: {' '.join(command)}: exit code {process.returncode}")
    return usage.ru_utime + usage.ru_stime


def fill(target: Path, source: Path | None, wanted: int) -> tuple[int, int]:
    """Write at least the wanted bytes of logs; return bytes and files written."""
    size = count = 0
    for copy in itertools.count():
        for path, content in made_up() if source is None else files_of(source):
            file = target / f"copy{copy}" / path
            file.parent.mkdir(parents=True, exist_ok=True)
            size += file.write_bytes(content + b"\n" * copy)
            count += 1
        if size >= wanted or not count:
            break
    return size, count


def files_of(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the files below a folder."""
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            yield path.relative_to(folder).as_posix(), path.read_bytes()


def made_up() -> Iterator[tuple[str, bytes]]:
    """Yield logs of ResNet-50 (DLL lines) and of BERT (progress bars), one of each a system and repeat."""
    for system, repeat in itertools.product(range(40), range(3)):
        yield f"system{system}/resnet50/{repeat}.txt", b"".join(dll_lines(100 + system + repeat / 10))
        yield f"system{system}/bert/{repeat}.txt", b"".join(bars(1 + system / 10 + repeat / 100))


def dll_lines(rate: float) -> Iterator[bytes]:
    """Yield the log of 198 steps at a rate in images/s."""
    yield b"DLL 2021-06-26 20:00:00.000000 - PARAMETER arch : resnet50  batch_size : 64  world_size : 1\n"
    for step in range(1, 199):
        second = 64 / rate * step
        clock = f"{20 + int(second // 3600):02d}:{int(second // 60) % 60:02d}:{second % 60:09.6f}"
        place = f"Epoch: {step // 100} Iteration: {step % 100 + step // 100}"
        yield (
            f"DLL 2021-06-26 {clock} - {place}  train.loss : 7.1 "
            f"None train.compute_ips : {rate:.2f} images/s train.total_ips : {rate:.2f} images/s\n"
        ).encode()
    yield f"DLL 2021-06-26 23:00:00.000000 - Summary: train.total_ips : {rate:.2f} images/s\n".encode()


def bars(rate: float) -> Iterator[bytes]:
    """Yield the log of 500 bars at a rate in iterations/s."""
    yield b"torchrun --nproc_per_node=1 run_squad.py --do_train --train_batch_size=32 --max_seq_length=384\n"
    for step in range(501):
        shown = "#" * (step // 50)
        yield (
            f"\rIteration: {step // 5:3d}%|{shown:10}| {step}/500 [{step // 60:02d}:{step % 60:02d}<08:20, "
            f" {rate + step % 7 / 100:.2f}it/s]"
        ).encode()
    yield b"\nDLL 2021-06-26 23:00:00.000000 -  e2e_train_time : 60.0 training_sequences_per_second : 64.0\n"


def measure(place: Path, rounds: int, *, is_cold: bool) -> dict[str, list[float]]:
    """Return the s of every round by what was run, and the peak memory in B of the largest process."""
    found: dict[str, list[float]] = {"empty": [], "runs": [], "rg": [], "memory": []}
    commands = {
        "empty": [*RUNS, "empty"],
        "runs": [*RUNS, "logs"],
        "rg": ["rg", "-c", "--no-ignore", "DLL ", "logs"],
    }
    for turn in range(rounds + 1):
        for name, command in commands.items():
            if is_cold:
                forget(place / "logs")
            seconds, memory = timed(command, place)
            if turn:  # the first one fills the page cache, and that of Python's own files
                found[name].append(seconds)
                if name == "runs":
                    found["memory"].append(memory)
    return found


def forget(folder: Path) -> None:
    """Drop the files below a folder from the page cache."""
    os.sync()  # what is not on the disk yet would stay
    for path in folder.rglob("*"):
        if path.is_file():
            with path.open("rb") as file:
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def timed(command: list[str], place: Path) -> tuple[float, float]:
    """Return the s that a command takes, and the peak memory in B of its largest process."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "XDG_CACHE_HOME": tempfile.mkdtemp(dir=place)}
    begin = time.perf_counter()
    process = subprocess.Popen(
        command, cwd=place, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - begin
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{' '.join(command)}: exit code {process.returncode}")
    return seconds, usage.ru_maxrss * 1024


def report(found: dict[str, list[float]]) -> None:
    """Print medians, their range, and the ratio."""
    for name in ("empty", "runs", "rg"):
        values = found[name]
        print(f"{name:6} {statistics.median(values):8.3f} s  ({min(values):.3f} to {max(values):.3f})")
    ratios = [
        (runs - empty) / rg
        for runs, empty, rg in zip(found["runs"], found["empty"], found["rg"], strict=True)
    ]
    print(f"ratio  {statistics.median(ratios):8.2f}    ({min(ratios):.2f} to {max(ratios):.2f})")
    print(f"memory {max(found['memory']) / 2**20:8.0f} MiB  largest process")


if __name__ == "__main__":
    main()
