"""Write log format version 1: the only home of its file names, keys and units.

In goes what a collector measured, out come the files that `logs/FORMAT.md` specifies. Nothing here
knows what is measured or when; nothing elsewhere in `collectors` spells a file name or a key.
"""

import hashlib
import json
import os
import re
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Union

from collectors.format_v1.append_file import LineFile

VERSION = 1
CALIBRATE_VARIABLE = "REPORTGEN_CALIBRATE"  # "1": measure the recorder's own cost, set by the launcher
TIMING_VARIABLE = "REPORTGEN_TIMING"  # how to time where the script leaves it open, set by the launcher
RUN_VARIABLE = "REPORTGEN_RUN"  # absolute path of the run folder, set by the launcher for its child

Factor = Union[str, int, float, bool]
Case = Mapping[str, Factor]

_FACTOR_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*\Z")
_COLUMN_NAME = re.compile(r"[a-z][a-z0-9_]*\Z")
# fmt: off
TELEMETRY_COLUMNS = (
    "utilization_gpu_percent", "utilization_memory_percent", "memory_used_bytes", "memory_total_bytes",
    "power_mw", "power_limit_enforced_mw", "power_limit_default_mw", "temperature_celsius",
    "temperature_memory_celsius", "clock_sm_mhz", "clock_memory_mhz", "clock_sm_max_mhz",
    "clock_memory_max_mhz", "pcie_generation_count", "pcie_width_count", "pcie_tx_kib_per_s",
    "pcie_rx_kib_per_s", "energy_mj", "ecc_corrected_count", "ecc_uncorrected_count", "retired_pages_count",
    "foreign_processes_count", "foreign_memory_bytes", "clocks_event_reasons_mask",
)
# fmt: on
WAITING = "data_loading"  # the phase in which a loop waits for its batch
_CLOCKS = ("cuda_event", "host_synchronized", "host")
_LAUNCHER_NAME = re.compile(r"launcher\.node([0-9]+)\.json\Z")
_JOIN_WITHIN = 300 * 1_000_000_000  # ns after the begin in which launchers of other nodes join a folder
_TAIL = 4096  # bytes at the end of a steps file in which the rank's end is looked for
_SURROGATE = re.compile("[\ud800-\udfff]")  # what Python makes of a byte that is not UTF-8
_INTEGERS = 2**63  # a reader need not hold larger ones
_FOLDER_LENGTH = 120  # file systems end at 255 bytes for a name; archives and other systems sooner


def clock_pair() -> dict[str, int]:
    """Return both clocks, read one after the other; perf_counter is CLOCK_MONOTONIC on Linux."""
    return {"monotonic_ns": time.perf_counter_ns(), "realtime_ns": time.time_ns()}


def clock_line() -> str:
    """Return the `#clock` line for now."""
    pair = clock_pair()
    return f"#clock,{pair['monotonic_ns']},{pair['realtime_ns']}\n"


def steps_path(folder: Path, rank: int) -> Path:
    """Return the steps file of a rank."""
    return folder / f"steps.rank{rank}.csv"


def telemetry_path(folder: Path, node: int) -> Path:
    """Return the telemetry file of a node."""
    return folder / f"telemetry.node{node}.csv"


def stdout_path(folder: Path) -> Path:
    """Return the file for what the training script prints."""
    return folder / "stdout.log"


def phase_column(name: str, clock: str) -> str:
    """Return the column of a phase; ValueError unless the name can stand in a header."""
    if not _COLUMN_NAME.match(name) or name == "step":
        raise ValueError(f"phase {name!r}: not a column name; use lower-case letters, digits and _")
    return f"{name}_{clock}_ns"


def step_event_column() -> str:
    """Return the column of the whole step by events of the device."""
    return "step_cuda_event_ns"


def is_event_column(column: str) -> bool:
    """Return whether the times of a column are between events of the device."""
    return column.endswith("_cuda_event_ns")


def clocks_of(columns: list[str], *, is_synchronized: bool) -> dict[str, dict[str, str]]:
    """Return clock and synchronisation of each column, and of the step's duration, as `run.json` has them."""
    step = ("host_synchronized", "step") if is_synchronized else ("host", "none")
    found = {"duration_ns": {"clock": step[0], "sync": step[1]}}
    for column in columns:
        clock = next(name for name in _CLOCKS if column.endswith(f"_{name}_ns"))
        sync = "phase" if clock == "host_synchronized" else "none"
        found[column] = {"clock": clock, "sync": sync}
    return found


def header_line(counts: list[str], columns: "list[str]") -> str:
    """Return the header of steps with these columns of counts and of phases."""
    return ",".join(["step", *counts, "begin_ns", "duration_ns", *columns]) + "\n"


def break_line(name: str, after_step: int, begin: int, end: int) -> str:
    """Return the line of a declared border."""
    return f"#break,{name},{after_step},{begin},{end}\n"


def check_break_name(name: str) -> str:
    """Return `name`; ValueError unless it can stand in a `#break` line."""
    if not _COLUMN_NAME.match(name):
        raise ValueError(f"break {name!r}: not a name; use lower-case letters, digits and _")
    return name


def check_case(case: Case) -> dict[str, Factor]:
    """Return a copy of `case`; ValueError for a name or value that the format has no place for."""
    for name, value in case.items():
        if not isinstance(name, str) or not _FACTOR_NAME.match(name):
            raise ValueError(f"case: {name!r} is not a factor name; begin with a letter, no spaces")
        if not isinstance(value, (str, int, float, bool)):
            kind = type(value).__name__
            raise ValueError(f"case: {name} is a {kind}; give text, a number or a boolean")
        if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
            raise ValueError(f"case: {name} is {value}; JSON has no such number, give text")
        if isinstance(value, int) and not -_INTEGERS < value < _INTEGERS:
            raise ValueError(f"case: {name} is {value}; integers have 63 bits, give a smaller one or text")
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


def new_run_folder(logs: Path, case: Case, node: int = 0) -> tuple[Path, int]:
    """Create and return a run folder that did not exist, and the number of its repeat (from 1).

    The number is one more than the highest there is, so that a later repeat never looks earlier. Where each
    node has a launcher and they share a disk, the folder that another has just made is joined.
    Raises OSError where the folder cannot be made.
    """
    parent = logs / case_folder(case)
    parent.mkdir(parents=True, exist_ok=True)
    repeat = max((int(path.name[1:]) for path in runs_of(logs, case)), default=0)
    if repeat and _is_waiting(parent / f"r{repeat}", node):
        return parent / f"r{repeat}", repeat
    while True:
        repeat += 1
        folder = parent / f"r{repeat}"
        try:
            folder.mkdir()
            return folder, repeat
        except FileExistsError:  # another launcher was faster
            if _is_waiting(folder, node):
                return folder, repeat


def _is_waiting(folder: Path, node: int) -> bool:
    """Return whether the launcher of another node has just made this folder and ours is not in it."""
    if read_run(folder, node) or (folder / _run_name(node)).exists():
        return False
    names = [path.name for path in folder.glob("*.json")]
    others = {int(match.group(1)) for match in map(_LAUNCHER_NAME.match, names) if match}
    if node:
        others.add(0)
    runs = [read_run(folder, other) for other in others - {node}]
    now = time.time_ns()
    fresh = [one for one in runs if now - one.get("started_realtime_ns", 0) < _JOIN_WITHIN]
    return any(one.get("status") == "running" for one in fresh)


def runs_of(logs: Path, case: Case) -> list[Path]:
    """Return the run folders of a case that exist below `logs`, in no particular order."""
    return [path for path in (logs / case_folder(case)).glob("r*") if re.match(r"r[0-9]+\Z", path.name)]


def _run_name(node: int) -> str:
    return f"launcher.node{node}.json" if node else "run.json"


def read_run(folder: Path, node: int = 0) -> dict[str, Any]:
    """Return what `run.json` says, or what the launcher of another node noted; {} when there is none."""
    try:
        run = json.loads((folder / _run_name(node)).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return run if isinstance(run, dict) else {}


def write_run(folder: Path, run: Mapping[str, Any], node: int = 0) -> None:
    """Replace `run.json`, or the note of another node's launcher; raises OSError."""
    kind = "reportgen-launcher" if node else "reportgen-run"
    _write_json(folder / _run_name(node), {"format": kind, "version": VERSION, **run})


def end_line(status: str, error: str) -> str:
    """Return the line that says how a rank ended."""
    plain = re.sub(r"[^ -~]", "?", error).replace(",", ";")
    return f"#end,{status},{plain}\n" if plain else f"#end,{status}\n"


def rank_ends(folder: Path) -> list[tuple[int, int, str, str]]:
    """Return (real time in ns, rank, status, error) of the ranks that saw their own ends, the first first."""
    ends = []
    for path in folder.glob("steps.rank*.csv"):
        number = path.name[len("steps.rank") : -len(".csv")]
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - _TAIL))
            tail = file.read().decode("ascii", "replace")
        found = re.findall(r"^#clock,[0-9]+,([0-9]+)\n#end,([a-z_]+),?(.*)\n", tail, re.MULTILINE)
        if found and number.isdecimal():
            when, status, error = found[-1]
            ends.append((int(when), int(number), status, error))
    return sorted(ends)


def write_environment(folder: Path, node: int, ranks: list[int], environment: Mapping[str, Any]) -> None:
    """Write `environment.node<N>.json`; raises OSError."""
    head = {"format": "reportgen-environment", "version": VERSION, "node": node, "ranks": ranks}
    path = folder / f"environment.node{node}.json"
    _write_json(path, {**head, "clock": clock_pair(), "environment": environment})


def as_json(content: Mapping[str, Any]) -> str:
    r"""Return an object as text that UTF-8 can hold: `caf\udce9` where an argument had the byte 0xe9."""
    text = json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    return _SURROGATE.sub(lambda found: rf"\\u{ord(found[0]):04x}", text)


def _write_json(path: Path, content: Mapping[str, Any]) -> None:
    text = as_json(content)
    temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError:
        if temporary.exists():
            temporary.unlink()
        raise


class StepsFile(LineFile):
    """The steps of one rank."""

    def __init__(self, folder: Path, rank: int) -> None:
        super().__init__(steps_path(folder, rank))
        self.write(clock_line())


class TelemetryFile(LineFile):
    """The samples of one node's devices; a header is written whenever the columns change."""

    def __init__(self, folder: Path, node: int, interval: int) -> None:
        """Create the file; `interval` is the one asked for, in ns. Raises OSError."""
        super().__init__(telemetry_path(folder, node))
        self._columns: list[str] = []
        self.write(f"{clock_line()}#interval,{interval}\n")

    def write_samples(self, samples: "Iterable[tuple[str, int, Mapping[str, int]]]") -> None:
        """Append (device, monotonic ns, column -> value) of samples; raises OSError."""
        lines = []
        for device, when, values in samples:
            if not self._columns or not values.keys() <= set(self._columns):
                known = {*self._columns, *values}
                self._columns = [name for name in TELEMETRY_COLUMNS if name in known]
                lines.append(",".join(["device", "monotonic_ns", *self._columns]))
            cells = [str(values.get(name, "")) for name in self._columns]
            lines.append(",".join([device, str(when), *cells]))
        if lines:
            self.write("\n".join(lines) + "\n")

    def write_event(self, device: str, when: int, name: str) -> None:
        """Append that a device was `lost`, needs a `reset` or has `returned`; raises OSError."""
        self.write(f"#event,{device},{when},{name}\n")

    def write_end(self, periods: "Mapping[str, int]", median: int, longest: int, count: int) -> None:
        """Append what was found at the end: update periods of columns, achieved intervals, all in ns."""
        updates = [f"#update,{column},{period}\n" for column, period in periods.items()]
        achieved = [f"#achieved,{median},{longest},{count}\n"] if count else []
        self.write("".join(updates + achieved) + clock_line())
