"""Create a run folder; read and write its JSON files: `run.json`, the notes of launchers, environments."""

import errno
import json
import os
import re
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from collectors.format_v1.case import Case, case_folder_name
from collectors.format_v1.clocks import read_clocks

VERSION = 1

#: Environment variables that the launcher sets for the command.
RUN_VARIABLE = "REPORTGEN_RUN"  # absolute path of the run folder
TIMING_VARIABLE = "REPORTGEN_TIMING"  # the timing, if the script does not choose one
CALIBRATE_VARIABLE = "REPORTGEN_CALIBRATE"  # "1": measure the cost of the recorder
PROFILE_VARIABLE = "REPORTGEN_PROFILE"  # "nsys:10": the profiler, and the steps of its window
SAMPLES_VARIABLE = "REPORTGEN_SAMPLES_PER_STEP"  # of a rank, for steps of the hook

_LAUNCHER_NAME = re.compile(r"launcher\.node([0-9]+)\.json\Z")
_JOIN_WINDOW_NS = 300 * 1_000_000_000  # after its start, launchers of other nodes may join a run
_SURROGATE = re.compile("[\ud800-\udfff]")  # Python's replacement for a byte that is not UTF-8


def output_paths(folder: Path) -> tuple[Path, Path]:
    """Return the paths of the copies of the command's stdout and stderr."""
    return folder / "stdout.log", folder / "stderr.log"


def environment_path(folder: Path, node: int) -> Path:
    """Return the path of the environment of a node."""
    return folder / f"environment.node{node}.json"


def create_run_folder(logs: Path, case: Case, node: int = 0) -> tuple[Path, int]:
    """Create a run folder; return it and its repeat number (from 1).

    The number is one more than the highest that exists, so a later repeat never has a lower number. With one
    launcher per node on a shared disk, a launcher joins the folder that another node has just created.
    Raises OSError.
    """
    parent = logs / case_folder_name(case)
    parent.mkdir(parents=True, exist_ok=True)
    repeat = max((int(path.name[1:]) for path in list_run_folders(logs, case)), default=0)
    if repeat and _can_join(parent / f"r{repeat}", node):
        return parent / f"r{repeat}", repeat
    while True:
        repeat += 1
        folder = parent / f"r{repeat}"
        try:
            folder.mkdir()
            return folder, repeat
        except FileExistsError:  # another launcher was faster
            if _can_join(folder, node):
                return folder, repeat


def _can_join(folder: Path, node: int) -> bool:
    """Return True if the launcher of another node has just created this folder and `node` is not in it."""
    if read_run(folder, node) or (folder / _run_name(node)).exists():
        return False
    names = [path.name for path in folder.glob("*.json")]
    others = {int(match.group(1)) for match in map(_LAUNCHER_NAME.match, names) if match}
    if node:
        others.add(0)
    runs = [read_run(folder, other) for other in others - {node}]
    now = time.time_ns()
    # A clock that was set back makes an old run begin in the future.
    recent = [run for run in runs if abs(now - run.get("started_realtime_ns", 0)) < _JOIN_WINDOW_NS]
    return any(run.get("status") == "running" for run in recent)


def refused_path(folder: Path, rank: int) -> Path:
    """Return the file by which a process says that another one records as its rank."""
    return folder / f"refused.rank{rank}.{os.getpid()}.txt"


def count_refused(folder: Path) -> int:
    """Return how many processes could not record, because another one has their rank."""
    return sum(1 for _ in folder.glob("refused.rank*.txt"))


def list_run_folders(logs: Path, case: Case) -> list[Path]:
    """Return the existing run folders of a case, in no particular order."""
    folders = (logs / case_folder_name(case)).glob("r*")
    return [path for path in folders if re.match(r"r[0-9]+\Z", path.name)]


def _run_name(node: int) -> str:
    return f"launcher.node{node}.json" if node else "run.json"


def read_run(folder: Path, node: int = 0) -> dict[str, Any]:
    """Return the content of `run.json`, or of the launcher's note for a node above 0; {} if there is none."""
    return _read_object(folder / _run_name(node))


def _read_object(path: Path) -> dict[str, Any]:
    """Return the JSON object in a file; {} if there is none."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def write_run(folder: Path, run: Mapping[str, Any], node: int = 0) -> None:
    """Replace `run.json`, or the launcher's note for a node above 0; raises OSError."""
    kind = "reportgen-launcher" if node else "reportgen-run"
    _write_json(folder / _run_name(node), {"format": kind, "version": VERSION, **run})


def write_environment(folder: Path, node: int, ranks: Sequence[int], environment: Mapping[str, Any]) -> None:
    """Write `environment.node<N>.json`; raises OSError, FileExistsError if another rank has written it.

    Two nodes that believe to have the same number would otherwise lose the environment of one of them. A file
    without ranks comes from the launcher, and is replaced.
    """
    head = {"format": "reportgen-environment", "version": VERSION, "node": node, "ranks": list(ranks)}
    path = environment_path(folder, node)
    content = {**head, "clock": read_clocks(), "environment": environment}
    claim = path.with_name(f"{path.name}.claim")  # between this file and the rename there is one writer
    os.close(os.open(claim, os.O_WRONLY | os.O_CREAT | os.O_EXCL))
    try:
        if _read_object(path).get("ranks"):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))
        _write_json(path, content)
    finally:
        claim.unlink()


def json_text(content: Mapping[str, Any]) -> str:
    r"""Return an object as JSON that UTF-8 can encode: the byte 0xe9 of an argument becomes `\udce9`."""
    text = json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    return _SURROGATE.sub(lambda match: rf"\\u{ord(match[0]):04x}", text)


def _write_json(path: Path, content: Mapping[str, Any]) -> None:
    text = json_text(content).encode()
    temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        error.filename = error.filename or str(path)
        temporary.unlink(missing_ok=True)
        if error.errno not in (errno.ENOSPC, errno.EDQUOT) or not _overwrite(path, text):
            raise


def _overwrite(path: Path, text: bytes) -> bool:
    """Replace the content of a file in the blocks that it has; return False if they are too few.

    A full disk has no room for a temporary file, but the end of a run must be written. The rest of a longer
    file becomes spaces.
    """
    try:
        with path.open("r+b", buffering=0) as file:
            status = os.fstat(file.fileno())
            if status.st_blocks * 512 < len(text):
                return False
            file.write(text.ljust(status.st_size))
            os.fsync(file.fileno())
    except OSError:
        return False
    return True
