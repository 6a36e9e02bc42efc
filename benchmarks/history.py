"""Time `reportgen history` over a repository of many commits, and print its peak memory.

    python benchmarks/history.py [--commits 800] [--cells 100] [--fresh 0.1] [--rounds 1] [--repository DIR]

Each commit measures a share of the cells anew, in seven runs. Half of the cells are ratios. Every tenth case
gets 4 % slower halfway, every other tenth drifts by 5 %, and the rest only has noise. A repository that is
named is made once and used again, so two states of the program can read the same commits. The digest of the
output says whether they print the same.
"""

import argparse
import hashlib
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from reportgen.core.units import Unit
from reportgen.document.encode import canonical, encode
from reportgen.document.model import (
    VERSION,
    Case,
    Cell,
    Comparison,
    Document,
    Header,
    Measurement,
    Run,
    Summary,
    Table,
    Window,
)

REPEATS, REFERENCE, DAY = 7, "model0", 86400
SECONDS, RATIO = Unit("s", "s", 1.0), Unit("ratio", "ratio", 1.0)


class Study:
    """The cases of a report, and the day on which each was measured last."""

    def __init__(self, cases: int, commits: int, seed: int) -> None:
        self.names = [f"model{n}" for n in range(cases)]
        self.commits = commits
        self.generator = random.Random(seed)
        self.cases: dict[str, Case] = {}
        self.sources: dict[str, str] = {}

    def measure(self, name: str, day: int) -> None:
        """Measure a case anew: seven runs around its level of that day."""
        number = int(name.removeprefix("model"))
        share = day / self.commits
        level = 0.1 * (1.04 if number % 10 == 1 and share >= 0.5 else 1.0)
        level *= 1 + 0.05 * share * (number % 10 == 2)
        common = level * self.generator.gauss(1, 0.005)
        values = sorted(common * self.generator.gauss(1, 0.001) for _ in range(REPEATS))
        files = [f"logs/study/{name}/run{n}/steps.rank0.csv" for n in range(REPEATS)]
        for file in files:
            self.sources[file] = hashlib.sha256(f"{file} {day}".encode()).hexdigest()
        self.cases[name] = Case(
            name,
            {"model": name, "batch_size": 32, "precision": "fp16"},
            "step_time",
            "step",
            "s",
            "20+100x7",
            conditions={
                "driver": f"550.{day // 100}",
                "torch": "2.3.0",
                "cuda": "12.4",
                "clock": "cuda_event",
            },
            summary=Summary(values[REPEATS // 2], REPEATS, values[0], values[-1], 0.984, True),
            measurements=tuple(
                Measurement(
                    Run(file.rpartition("/")[0], "reportgen", started=1.7e9 + DAY * day, source=f"{file}:1"),
                    value,
                    "steps",
                    "cuda_event",
                    Window(21, 120, 100, 100 * value, 0.0, 3200.0, 30 * value),
                )
                for file, value in zip(files, values, strict=True)
            ),
        )

    def document(self) -> Document:
        """Return the report of today: the time of each case, and its ratio to the first."""
        medians = {name: case.summary.value for name, case in self.cases.items() if case.summary}
        ratios = {name: median / medians[REFERENCE] for name, median in medians.items()}
        table = Table(
            "times",
            "Times",
            "step_time",
            row_factors=("model",),
            rows=tuple(Header((name,)) for name in self.names),
            columns=(Header(), Header(quantity="ratio")),
            cells=tuple(
                (Cell("number", medians[name], SECONDS, case=name), _ratio_cell(name, ratios))
                for name in self.names
            ),
            comparisons={name: name for name in self.names if name != REFERENCE},
        )
        cases = tuple(self.cases[name] for name in self.names)
        comparisons = {name: Comparison("ratio", REFERENCE, ratios[name]) for name in table.comparisons}
        return canonical(
            Document(
                version=VERSION,
                name="study",
                tables=(table,),
                cases=cases,
                comparisons=comparisons,
                sources=dict(self.sources),
            )
        )


def _ratio_cell(name: str, ratios: dict[str, float]) -> Cell:
    return Cell("absent") if name == REFERENCE else Cell("number", ratios[name], RATIO, case=name)


def reports(cells: int, commits: int, fresh: float, seed: int) -> Iterator[bytes]:
    """Yield the report.json of each commit."""
    study = Study(cells // 2, commits, seed)
    for name in study.names:
        study.measure(name, 0)
    for day in range(commits):
        for name in study.names:
            if study.generator.random() < fresh:
                study.measure(name, day)
        yield encode(study.document())


def make_repository(root: Path, contents: Iterator[bytes]) -> None:
    """Write a repository with a commit for each content of reports/study/report.json."""
    root.mkdir(parents=True)
    subprocess.run(["git", "init", "--quiet", "--initial-branch=main"], cwd=root, check=True)
    # One commit after the other: Linux counts the memory of this process as that of the ones it starts.
    with subprocess.Popen(["git", "fast-import", "--quiet"], cwd=root, stdin=subprocess.PIPE) as process:
        assert process.stdin
        for day, content in enumerate(contents):
            process.stdin.write(_commit(day, content))
    if process.returncode:
        raise SystemExit(f"git fast-import exited with {process.returncode}")
    subprocess.run(["git", "reset", "--quiet", "--hard"], cwd=root, check=True)


def _commit(day: int, content: bytes) -> bytes:
    """Return a commit of a report.json for `git fast-import`."""
    message = f"day {day}".encode()
    return (
        b"commit refs/heads/main\ncommitter Ada <ada@example.org> %d +0000\n" % (1_700_000_000 + DAY * day)
        + b"data %d\n%s\nM 100644 inline reports/study/report.json\n" % (len(message), message)
        + b"data %d\n%s\n" % (len(content), content)
    )


def measure(root: Path) -> str:
    """Run `reportgen history`, and return its wall time, processor time, peak memory and digest as a line."""
    command = [sys.executable, "-P", "-m", "reportgen", "history", "study/times", "--format", "json"]
    with tempfile.TemporaryFile() as output:
        begin = time.perf_counter()
        process = subprocess.Popen(command, cwd=root, stdout=output)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise SystemExit(f"reportgen history exited with {process.returncode}")
        output.seek(0)
        digest = hashlib.file_digest(output, "sha256").hexdigest()[:16]
    processor, peak = usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024
    return f"{wall:6.1f} s wall {processor:6.1f} s processor {peak:6.0f} MB peak, output {digest}"


def main() -> None:
    """Parse the arguments, make the repository, measure."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--commits", type=int, default=800)
    parser.add_argument("--cells", type=int, default=100)
    parser.add_argument("--fresh", type=float, default=0.1, help="share of cells that a commit measures anew")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--repository", type=Path, help="made if it does not exist, and kept")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        root = arguments.repository or Path(temporary) / "repository"
        if not root.exists():
            make_repository(
                root, reports(arguments.cells, arguments.commits, arguments.fresh, arguments.seed)
            )
        for _ in range(arguments.rounds):
            print(measure(root), flush=True)


if __name__ == "__main__":
    main()
