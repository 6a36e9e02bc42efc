"""Run a command under nsys, and read the kernels of its phases from the report.

nsys captures only between the calls of the CUDA profiler that the recorder makes. Its own summary of ranges
looks at one thread, but a backward pass launches its kernels from another one. So the kernels are read from
the SQLite export, by the time of their launch.

Options: https://docs.nvidia.com/nsight-systems/UserGuide; schema: its chapter about the SQLite export.
"""

import shutil
import sqlite3
import subprocess
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from collectors.format_v1.kernels_file import Kernel, PhaseSpan, write_kernels
from collectors.messages import warn

_NAME = "profile"
_PROFILE_OPTIONS = (
    "--trace=cuda,nvtx",
    "--cuda-graph-trace=node",
    "--sample=none",
    "--cpuctxsw=none",
    "--capture-range=cudaProfilerApi",
    "--capture-range-end=stop",
    "--force-overwrite=true",
)
# A process is a number in the upper bits of the ids of its threads; 59: a range that was pushed and popped.
_RANGES = """
SELECT COALESCE(range.text, string.value), range.start, range.end, range.globalTid / 0x1000000
FROM NVTX_EVENTS AS range LEFT JOIN StringIds AS string ON string.id = range.textId
WHERE range.eventType = 59 AND range.end IS NOT NULL
"""
_KERNELS = """
SELECT string.value, launch.start, kernel.end - kernel.start, launch.globalTid / 0x1000000
FROM CUPTI_ACTIVITY_KIND_KERNEL AS kernel
JOIN CUPTI_ACTIVITY_KIND_RUNTIME AS launch
ON launch.correlationId = kernel.correlationId
AND launch.globalTid / 0x1000000 = kernel.globalPid / 0x1000000
JOIN StringIds AS string ON string.id = kernel.demangledName
"""


def find() -> str:
    """Return the path of nsys; raises ValueError if there is none."""
    path = shutil.which("nsys")
    if path is None:
        raise ValueError("--nsys: no nsys in PATH; install NVIDIA Nsight Systems, or use --torch-profiler")
    return path


def profiled(command: Sequence[str], folder: Path) -> list[str]:
    """Return the command that runs `command` under nsys with its report in a folder."""
    return [find(), "profile", *_PROFILE_OPTIONS, f"--output={folder / _NAME}", *command]


def read_report(folder: Path) -> None:
    """Write `kernels.rank0.csv` from the report in a folder; warn if that is not possible."""
    report, database = folder / f"{_NAME}.nsys-rep", folder / f"{_NAME}.sqlite"
    line = [find(), "export", "--type=sqlite", "--force-overwrite=true", f"--output={database}", str(report)]
    try:
        subprocess.run(line, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        with closing(sqlite3.connect(database)) as connection:
            ranges = connection.execute(_RANGES).fetchall()
            kernels = connection.execute(_KERNELS).fetchall()
    except subprocess.CalledProcessError as error:
        lines = error.stderr.decode("utf-8", "replace").split("\n")
        reason = next((each for each in reversed(lines) if each.strip()), f"exit code {error.returncode}")
        warn(f"{report}: the kernels could not be read: nsys export: {reason.strip()}")
        return
    except (OSError, sqlite3.Error) as error:
        warn(f"{report}: the kernels could not be read: {error}")
        return
    finally:
        database.unlink(missing_ok=True)
    own = {process for *_, process in ranges}  # only rank 0 has ranges
    spans = [PhaseSpan(name, begin, end) for name, begin, end, _ in ranges]
    launched = [
        Kernel(name, at, duration) for name, at, duration, process in kernels if process in own or not own
    ]
    write_kernels(folder, 0, spans, launched, "device")
