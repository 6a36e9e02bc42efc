"""Write `steps.rank<N>.csv`: the columns, the lines, and the end of one rank."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from collectors.format_v1.append_file import AppendFile
from collectors.format_v1.clocks import clock_line

DATA_LOADING = "data_loading"  # the phase in which a loop waits for its next batch

_COLUMN_NAME = re.compile(r"[a-z][a-z0-9_]*\Z")
_CLOCKS = ("cuda_event", "host_synchronized", "host")
_STEPS_NAME = re.compile(r"steps\.rank(0|[1-9][0-9]*)\.csv\Z")
_TAIL_BYTES = 4096  # read from the end of a steps file to find the line `#end`
_END = re.compile(r"^#clock,[0-9]+,([0-9]+)\n#end,([a-z_]+),?(.*)\n", re.MULTILINE)


class StepsFile(AppendFile):
    """The steps of one rank."""

    def __init__(self, folder: Path, rank: int) -> None:
        """Create the file; raises OSError, FileExistsError if it exists."""
        super().__init__(steps_path(folder, rank))
        self.write(clock_line())


def steps_path(folder: Path, rank: int) -> Path:
    """Return the path of the steps file of a rank."""
    return folder / f"steps.rank{rank}.csv"


def valid_name(name: object, default: str) -> str:
    """Return a phase or break name in the letters that the format allows; `default` begins any other."""
    text = re.sub(r"[^a-z0-9_]+", "_", str(name).lower())
    if text == "step" or not _COLUMN_NAME.match(text):
        text = f"{default}_{text}".rstrip("_")
    return text


def phase_column(name: str, clock: str) -> str:
    """Return the column of a phase, whose name is valid."""
    return f"{name}_{clock}_ns"


def step_event_column() -> str:
    """Return the column of the step time measured by CUDA events."""
    return "step_cuda_event_ns"


def is_event_column(column: str) -> bool:
    """Return True for a column whose times are measured by CUDA events."""
    return column.endswith("_cuda_event_ns")


def column_clocks(columns: Sequence[str], step_sync: str) -> dict[str, dict[str, str]]:
    """Return the member `columns` of `run.json`: clock and synchronisation of each column.

    columns    phase columns; the entry of `duration_ns` is added
    step_sync  when the device was synchronised: "step" at the end of each one, "window" at the `#sync` lines,
               "none"
    """
    step_clock = "host_synchronized" if step_sync == "step" else "host"
    entries = {"duration_ns": {"clock": step_clock, "sync": step_sync}}
    for column in columns:
        clock = _clock_of_column(column)
        entries[column] = {"clock": clock, "sync": "phase" if clock == "host_synchronized" else "none"}
    return entries


def phase_of_column(column: str) -> str:
    """Return the phase of a column."""
    return column[: -len(f"_{_clock_of_column(column)}_ns")]


def _clock_of_column(column: str) -> str:
    return next(clock for clock in _CLOCKS if column.endswith(f"_{clock}_ns"))


def header_line(counts: Sequence[str], columns: Sequence[str], phases: Sequence[str]) -> str:
    """Return the header for these count columns and phase columns, and a count for each phase."""
    entered = [f"{phase}_count" for phase in phases]
    return ",".join(["step", *counts, "begin_ns", "duration_ns", *columns, *entered]) + "\n"


def break_line(name: str, after_step: int, begin: int, end: int) -> str:
    """Return the `#break` line of a break from `begin` to `end` (ns) that follows step `after_step`."""
    return f"#break,{name},{after_step},{begin},{end}\n"


def sync_line(step: int, begin: int, end: int) -> str:
    """Return the `#sync` line: the recorder waited for the device (ns) at the end of `step`."""
    return f"#sync,{step},{begin},{end}\n"


def device_line(uuid: str, pci: str) -> str:
    """Return the `#device` line of the rank's GPU; `pci` is "" if unknown."""
    return f"#device,{uuid},{pci}\n" if pci else f"#device,{uuid}\n"


def memory_line(allocated_bytes: int, reserved_bytes: int) -> str:
    """Return the `#memory` line: the peak of the allocator of the rank's framework."""
    return f"#memory,{allocated_bytes},{reserved_bytes}\n"


def end_line(status: str, error: str) -> str:
    """Return the `#end` line: the status of a rank and its error, "" for none."""
    text = re.sub(r"[^ -~]", "?", error).replace(",", ";")
    return f"#end,{status},{text}\n" if text else f"#end,{status}\n"


class RankEnd(NamedTuple):
    """The end of a rank as its recorder wrote it."""

    realtime_ns: int
    rank: int
    status: str
    error: str


def read_rank_ends(folder: Path) -> list[RankEnd]:
    """Return the ends of the ranks that wrote one, the earliest first."""
    ends = []
    for rank in list_ranks(folder):
        path = steps_path(folder, rank)
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - _TAIL_BYTES))
            tail = file.read().decode("ascii", "replace")
        matches = _END.findall(tail)
        if matches:
            realtime, status, error = matches[-1]
            ends.append(RankEnd(int(realtime), rank, status, error))
    return sorted(ends)


def list_ranks(folder: Path) -> list[int]:
    """Return the ranks that have a steps file, in no particular order."""
    matches = (_STEPS_NAME.match(path.name) for path in folder.glob("steps.rank*.csv"))
    return [int(match.group(1)) for match in matches if match]
