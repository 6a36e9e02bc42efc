"""Print a page of figures: what reading, building and comparing cost on this machine, in Markdown.

    python benchmarks/all.py [--scale 1.0] [--corpus FOLDER] > figures.md

Runs the benchmarks of this folder one after the other; each says in its own words what it measures. --scale
makes inputs smaller or larger: 1 takes about half an hour on two idle processors. The growth of runs and
build is measured from 100 to 10,000 runs.
"""

import argparse
import os
import platform
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

FOLDER = Path(__file__).resolve().parent


def benchmarks(scale: float, corpus: list[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield the heading and the command line of each benchmark."""
    size = ["--bytes", str(int(200_000_000 * scale))]
    yield "Reading logs, beside ripgrep", ["read_corpus.py", *corpus, "--rounds", "3", *size]
    for runs in (100, 1_000, 10_000):
        number = max(int(runs * scale), 7)
        yield f"{number:,} native runs", ["native_runs.py", "--runs", str(number)]
    more = ["--without-definition", "--commands", "build"]
    yield (
        "The same without a definition",
        ["native_runs.py", "--runs", str(max(int(1_000 * scale), 7)), *more],
    )
    yield (
        "On the workers of a Dask cluster, and from S3",
        ["elsewhere.py", "--runs", str(max(int(1_000 * scale), 7))],
    )
    yield "Building the committed reports", ["build_time.py", "3"]
    yield "History of a report", ["history.py", "--commits", str(max(int(800 * scale), 10))]


def machine() -> str:
    """Return the processor, the number of them, the memory and the Python of this machine."""
    facts = Path("/proc/cpuinfo").read_text("utf-8") if Path("/proc/cpuinfo").exists() else ""
    names = [line.partition(":")[2].strip() for line in facts.splitlines() if line.startswith("model name")]
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    processor = names[0] if names else platform.processor() or platform.machine()
    load = os.getloadavg()[0]
    return (
        f"{os.cpu_count()} x {processor}, {memory:.0f} GiB, {platform.system()}, "
        f"Python {platform.python_version()}; load {load:.1f} at the start"
    )


def main() -> None:
    """Parse the arguments, and print a section for each benchmark as it ends."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--scale", type=float, default=1.0, help="of the inputs")
    parser.add_argument("--corpus", type=Path, help="logs to read; made up if absent")
    arguments = parser.parse_args()
    print(f"# Figures\n\n{machine()}", flush=True)
    corpus = [str(arguments.corpus.resolve())] if arguments.corpus else []
    failed = False
    for heading, (script, *options) in benchmarks(arguments.scale, corpus):
        command = [sys.executable, str(FOLDER / script), *options]
        print(f"\n## {heading}\n\n```console\n$ python benchmarks/{' '.join([script, *options])}", flush=True)
        failed |= subprocess.run(command).returncode != 0
        print("```", flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
