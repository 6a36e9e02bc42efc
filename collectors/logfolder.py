"""Write log format version 1: the only home of its file names, keys and units.

In goes what a collector measured, out come the files that `logs/FORMAT.md` specifies. Nothing here
knows what is measured or when; nothing elsewhere in `collectors` spells a file name or a key.

A steps file is opened with O_EXCL: two writers of one file would destroy the evidence of both, so
the second one gets an error instead.
"""

import hashlib
import json
import os
import re
import time
from pathlib import Path
from typing import Any, Dict, Mapping, Optional, Union

VERSION = 1
RUN_VARIABLE = "REPORTGEN_RUN"  # absolute path of the run folder, set by the launcher for its child
STATUSES = ("running", "complete", "failed", "out_of_memory", "cancelled", "partial")

Factor = Union[str, int, float, bool]
Case = Mapping[str, Factor]

_FACTOR_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*\Z")
_COLUMN_NAME = re.compile(r"[a-z][a-z0-9_]*\Z")
_FOLDER_LENGTH = 120  # file systems end at 255 bytes for a name; archives and other systems sooner


def clock_pair() -> Dict[str, int]:
    """Return both clocks, read one after the other; perf_counter is CLOCK_MONOTONIC on Linux."""
    return {"monotonic_ns": time.perf_counter_ns(), "realtime_ns": time.time_ns()}


def clock_line() -> str:
    """Return the `#clock` line for now."""
    pair = clock_pair()
    return f"#clock,{pair['monotonic_ns']},{pair['realtime_ns']}\n"


def steps_path(folder: Path, rank: int) -> Path:
    """Return the steps file of a rank."""
    return folder / f"steps.rank{rank}.csv"


def stdout_path(folder: Path) -> Path:
    """Return the file for what the training script prints."""
    return folder / "stdout.log"


def phase_column(name: str, clock: str) -> str:
    """Return the column of a phase; ValueError unless the name can stand in a header."""
    if not _COLUMN_NAME.match(name) or name == "step":
        raise ValueError(f"phase {name!r}: not a column name; use lower-case letters, digits and _")
    return f"{name}_{clock}_ns"


def header_line(columns: "list[str]") -> str:
    """Return the header of steps with these phase columns."""
    return ",".join(["step,samples,begin_ns,duration_ns", *columns]) + "\n"


def break_line(name: str, after_step: int, begin: int, end: int) -> str:
    """Return the line of a declared border."""
    return f"#break,{name},{after_step},{begin},{end}\n"


def check_break_name(name: str) -> str:
    """Return `name`; ValueError unless it can stand in a `#break` line."""
    if not _COLUMN_NAME.match(name):
        raise ValueError(f"break {name!r}: not a name; use lower-case letters, digits and _")
    return name


def check_case(case: Case) -> Dict[str, Factor]:
    """Return a copy of `case`; ValueError for a name or value that the format has no place for."""
    for name, value in case.items():
        if not isinstance(name, str) or not _FACTOR_NAME.match(name):
            raise ValueError(f"case: {name!r} is not a factor name; begin with a letter, no spaces")
        if not isinstance(value, (str, int, float, bool)):
            kind = type(value).__name__
            raise ValueError(f"case: {name} is a {kind}; give text, a number or a boolean")
        if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
            raise ValueError(f"case: {name} is {value}; JSON has no such number, give text")
    return dict(case)


def case_folder(case: Case) -> str:
    """Return the folder name of a case: its factors, shortened with a digest where letters had to go."""
    if not case:
        return "unnamed"
    exact = ",".join(f"{name}={factor_text(value)}" for name, value in case.items())
    plain = re.sub(r"[^A-Za-z0-9_.,=+-]+", "-", exact)
    if plain == exact and len(plain) <= _FOLDER_LENGTH:
        return plain
    # "a/b" and "a-b" are two cases and must not meet in one folder.
    digest = hashlib.sha256(exact.encode("utf-8", "surrogateescape")).hexdigest()[:8]
    return f"{plain[:_FOLDER_LENGTH]}-{digest}"


def factor_text(value: Factor) -> str:
    """Return a factor as a command line and a folder name have it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def new_run_folder(logs: Path, case: Case) -> "tuple[Path, int]":
    """Create and return a run folder that did not exist, and the number of its repeat (from 1).

    The number is one more than the highest there is, so that a later repeat never looks earlier.
    Raises OSError where the folder cannot be made.
    """
    parent = logs / case_folder(case)
    parent.mkdir(parents=True, exist_ok=True)
    repeat = max((int(path.name[1:]) for path in runs_of(logs, case)), default=0) + 1
    while True:
        folder = parent / f"r{repeat}"
        try:
            folder.mkdir()
            return folder, repeat
        except FileExistsError:  # another launcher was faster
            repeat += 1


def runs_of(logs: Path, case: Case) -> "list[Path]":
    """Return the run folders of a case that exist below `logs`, in no particular order."""
    return [path for path in (logs / case_folder(case)).glob("r*") if re.match(r"r[0-9]+\Z", path.name)]


def read_run(folder: Path) -> Dict[str, Any]:
    """Return what `run.json` says; {} when there is none or it cannot be read."""
    try:
        run = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return run if isinstance(run, dict) else {}


def write_run(folder: Path, run: Mapping[str, Any]) -> None:
    """Replace `run.json`; raises OSError."""
    _write_json(folder / "run.json", {"format": "reportgen-run", "version": VERSION, **run})


def write_environment(folder: Path, node: int, ranks: "list[int]", environment: Mapping[str, Any]) -> None:
    """Write `environment.node<N>.json`; raises OSError."""
    head = {"format": "reportgen-environment", "version": VERSION, "node": node, "ranks": ranks}
    path = folder / f"environment.node{node}.json"
    _write_json(path, {**head, "clock": clock_pair(), "environment": environment})


def _write_json(path: Path, content: Mapping[str, Any]) -> None:
    temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("w", encoding="utf-8", newline="\n") as file:
            json.dump(content, file, indent=2, ensure_ascii=False, allow_nan=False)
            file.write("\n")
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError:
        if temporary.exists():
            temporary.unlink()
        raise


class StepsFile:
    """The steps of one rank, appended in whole lines.

    `write` raises OSError and from then on the file holds the lines of the earlier writes alone: a
    disk that fills in the middle of a line would otherwise leave half a line before later ones.
    """

    def __init__(self, folder: Path, rank: int) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | getattr(os, "O_CLOEXEC", 0)
        self._fd: Optional[int] = os.open(steps_path(folder, rank), flags, 0o666)
        self._whole = 0
        self.write(clock_line())

    def write(self, lines: str) -> None:
        """Append whole lines; raises OSError, after which nothing more can be written."""
        if self._fd is None:
            return
        rest = memoryview(lines.encode("ascii"))
        size = len(rest)
        try:
            while rest:
                rest = rest[os.write(self._fd, rest):]
        except OSError:
            self._take_back()
            raise
        self._whole += size

    def _take_back(self) -> None:
        assert self._fd is not None
        try:
            os.ftruncate(self._fd, self._whole)
        finally:
            self.close()

    def close(self) -> None:
        """Close the file; harmless when closed."""
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None
