"""Kill the writing of generated files with SIGKILL, and check that all of them are old or all are new afterwards.

    python -m tests.fuzz.kills               at each operation on a file
    python -m tests.fuzz.kills --random 200  also at random moments

A child replaces the files of one build by those of the next. After its death, the parent does what the next
command of reportgen does first (`publish.finish_killed`), and compares.
"""

import argparse
import json
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from reportgen import publish

Arm = Callable[[], None]

# Operations on files that the interpreter announces before it does them.
_OPERATIONS = {"open", "os.rename", "os.remove", "os.rmdir", "os.mkdir"}


def _build(number: int, pages: int) -> dict[str, bytes]:
    """Return the files of a build; each build has pages of its own, so the next one removes some."""
    names = [
        "README.md",
        "index.html",
        "report.json",
        *(f"tables/{number}-{page}.csv" for page in range(pages)),
    ]
    files = {f"a/{name}": b"build %d\n" % number for name in names}
    return {**files, "a/report.json": json.dumps({"generated": names, "number": number}).encode()}


def _content(folder: Path) -> dict[str, bytes]:
    files = sorted(path for path in folder.rglob("*") if path.is_file() and not path.name.startswith("."))
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def _outcome(pages: int, arm: Arm = lambda: None, seconds: float | None = None) -> tuple[str, bool]:
    """Return what a writer leaves, "old", "new" or "mixed", and whether it was killed.

    arm      called in the writer first
    seconds  after which the parent kills the writer; None: it does not
    """
    old, new = _build(1, pages), _build(2, pages)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        publish.apply(old, folder)
        writer = os.fork()
        if not writer:
            arm()
            publish.apply(new, folder, owned=[*old])
            os._exit(0)
        if seconds is not None:
            time.sleep(seconds)
            os.kill(writer, signal.SIGKILL)
        _, status = os.waitpid(writer, 0)
        publish.finish_killed(folder)
        found = _content(folder)
    return ("old" if found == old else "new" if found == new else "mixed"), os.WIFSIGNALED(status)


def _before(operation: int) -> Arm:
    """Return what makes a process kill itself before one of its operations on files, counted from 0."""

    def arm() -> None:
        left = operation

        def watch(event: str, _: tuple[object, ...]) -> None:
            nonlocal left
            if event in _OPERATIONS:
                if not left:
                    os.kill(os.getpid(), signal.SIGKILL)
                left -= 1

        sys.addaudithook(watch)

    return arm


def at_each_operation(pages: int) -> Counter[str]:
    """Kill a writer before each of its operations, until one survives; return the outcomes of the killed ones."""
    outcomes: Counter[str] = Counter()
    operation, is_killed = 0, True
    while is_killed:
        outcome, is_killed = _outcome(pages, _before(operation))
        outcomes[outcome] += is_killed
        operation += 1
    return outcomes


def at_random(pages: int, kills: int, seed: int) -> Counter[str]:
    """Kill writers at random moments of the time that one needs; return the outcomes."""
    begin = time.perf_counter()
    _outcome(pages)
    seconds = time.perf_counter() - begin
    generator = random.Random(seed)
    return Counter(_outcome(pages, seconds=generator.uniform(0, seconds))[0] for _ in range(kills))


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description="Kill the writing of generated files.")
    parser.add_argument(
        "--pages", type=int, default=20, help="files that differ, besides three (default: 20)"
    )
    parser.add_argument("--random", type=int, default=0, metavar="N", help="also N kills at random moments")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(argv)
    outcomes = at_each_operation(options.pages) + at_random(options.pages, options.random, options.seed)
    print(", ".join(f"{count} {outcome}" for outcome, count in sorted(outcomes.items())))
    return int("mixed" in outcomes)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
