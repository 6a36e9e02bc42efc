"""Run the sampler: as a command, as a child of the launcher, or as a thread of the training process.

    python -m collectors watch logs/x/r1 --interval 0.1

Outside of the training process it costs that process nothing; the launcher starts it there and tells the
recorder so through an environment variable. Where there is no launcher on the node, the recorder starts a
thread. The child ends by SIGTERM, SIGINT, or when its standard input is closed, which happens to
it even if the launcher is killed.
"""

import argparse
import contextlib
import ctypes
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Callable, Optional

from collectors.format_v1.run_folder import RUN_VARIABLE
from collectors.machine.distributed import Place
from collectors.telemetry.nvidia_smi import SmiSource
from collectors.telemetry.nvml import NvmlSource
from collectors.telemetry.process_owners import Owners
from collectors.telemetry.sampler import Recording, Ticks, record
from collectors.telemetry.source import UnavailableError

#: Set by the launcher for its child: the boot id of the host whose devices it watches.
WATCHED_VARIABLE = "REPORTGEN_WATCHED"
DEFAULT_INTERVAL = 0.1  # s
_SHORTEST = 0.01
_PATIENCE = 5.0  # s that an ending run waits for its last samples

EXAMPLE = "python -m collectors watch logs/x/r1 --interval 0.1"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `watch`."""
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="run folder, made if it is not there")
    parser.add_argument(
        "--interval",
        type=interval_of,
        default=DEFAULT_INTERVAL,
        metavar="SECONDS",
        help="between samples (0.1)",
    )
    parser.add_argument("--node", type=int, default=0, metavar="N", help="number in the file's name (0)")
    parser.add_argument("--seconds", type=float, metavar="S", help="end after S seconds; else by Ctrl-C")
    parser.add_argument(
        "--root", type=int, default=0, metavar="PID", help="processes below PID are the run's own"
    )
    parser.add_argument("--until-input-ends", action="store_true", help="end when standard input is closed")


def interval_of(text: str) -> float:
    """Return an interval in s; raises ArgumentTypeError."""
    with contextlib.suppress(ValueError):
        if _SHORTEST <= float(text) <= 60:
            return float(text)
    raise argparse.ArgumentTypeError(f"{text}: not an interval; give seconds from {_SHORTEST} to 60")


def main(options: argparse.Namespace) -> int:
    """Sample until told to stop; 1 if there is nothing to sample. Raises OSError for files."""
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    if options.seconds:
        threading.Timer(options.seconds, stop.set).start()
    if options.until_input_ends:
        threading.Thread(target=_wait_for_end_of_input, args=[stop], daemon=True).start()
    options.folder.mkdir(parents=True, exist_ok=True)
    try:
        sample(options.folder, options.node, options.interval, stop, root=options.root or os.getpid())
    except UnavailableError as error:
        print(f"reportgen: watch: no telemetry: {error}", file=sys.stderr)
        return 1
    return 0


def _wait_for_end_of_input(stop: threading.Event) -> None:
    while os.read(0, 4096):
        pass
    stop.set()


def sample(
    folder: Path,
    node: int,
    interval: float,
    stop: threading.Event,
    *,
    root: int,
    environ: Optional[Mapping[str, str]] = None,
    is_thread: bool = False,
) -> None:
    """Sample until `stop` is set, by NVML or else nvidia-smi; raises UnavailableError, OSError.

    root     process whose descendants are the run's own
    environ  says which devices are visible; None: this process's environment
    """
    period = round(interval * 1e9)
    owners = Owners(root, f"{RUN_VARIABLE}={folder.resolve()}")
    try:
        source = NvmlSource.open(owners, environ)
    except UnavailableError as first:
        try:
            child = SmiSource.open(period, environ)
        except UnavailableError as second:
            raise UnavailableError(f"{first}; {second}") from None
        _sample_lines(child, folder, node, period, stop)
        return
    try:
        record(source, Recording(folder, node, period), Ticks(period, stop), probes=not is_thread)
    finally:
        source.close()


def _sample_lines(child: SmiSource, folder: Path, node: int, period: int, stop: threading.Event) -> None:
    def end() -> None:
        stop.wait()
        child.close()

    ender = threading.Thread(target=end, daemon=True)
    ender.start()
    achieved: list[int] = []
    last = 0
    try:
        recording = Recording(folder, node, period)
        for batch in child.batches():
            recording.add(batch)
            if batch[-1].device == child.devices[0]:
                achieved += [batch[-1].when - last] if last else []
                last = batch[-1].when
        recording.end(achieved)
    finally:
        stop.set()
        ender.join()


def has_driver() -> bool:
    """Return whether this host could have NVIDIA devices; cheap, and not for the training process."""
    with contextlib.suppress(OSError):
        ctypes.CDLL("libnvidia-ml.so.1")
        return True
    return shutil.which("nvidia-smi") is not None


def host_id() -> str:
    """Return what tells this host from another one until it is booted again; "" if not known."""
    with contextlib.suppress(OSError):
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    return ""


class ChildWatch:
    """The sampler as a child process of the launcher: `with ChildWatch(folder, node, interval):`."""

    def __init__(self, folder: Path, node: int, interval: float) -> None:
        line = [sys.executable, "-m", "collectors", "watch", str(folder), "--interval", str(interval)]
        line += ["--node", str(node), "--root", str(os.getpid()), "--until-input-ends"]
        paths = [str(Path(__file__).resolve().parents[2]), os.environ.get("PYTHONPATH", "")]
        environ = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
        # A session of its own: Ctrl-C of the terminal must not end it before the run has ended.
        self._child: "subprocess.Popen[bytes]" = subprocess.Popen(
            line, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, env=environ, start_new_session=True
        )

    def __enter__(self) -> "ChildWatch":
        return self

    def __exit__(self, *error: object) -> None:
        assert self._child.stdin is not None
        with contextlib.suppress(OSError):
            self._child.stdin.close()
        try:
            self._child.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            self._child.kill()
            self._child.wait()


class ThreadWatch:
    """The sampler as a thread, for runs that no launcher watches."""

    def __init__(self, folder: Path, here: Place, complain: Callable[[str], None]) -> None:
        self._stop = threading.Event()
        self._complain = complain
        self._thread = threading.Thread(
            target=self._run, args=(folder, here), name="reportgen-telemetry", daemon=True
        )
        self._thread.start()

    def _run(self, folder: Path, here: Place) -> None:
        root = os.getppid() if here.ranks > 1 else os.getpid()  # the other ranks have the same parent
        environ = devices_of_all(here, os.environ)
        try:
            sample(
                folder, here.node, DEFAULT_INTERVAL, self._stop, root=root, environ=environ, is_thread=True
            )
        except FileExistsError:
            return  # somebody else samples this node
        except (UnavailableError, OSError) as error:
            self._complain(f"no telemetry: {error}")

    def close(self) -> None:
        """End it and wait a little for its last lines."""
        self._stop.set()
        self._thread.join(_PATIENCE)


def thread_watch(folder: Path, here: Place, complain: Callable[[str], None]) -> Optional[ThreadWatch]:
    """Start a thread if torch works on a CUDA device here and no launcher watches this host."""
    cuda: Any = getattr(sys.modules.get("torch"), "cuda", None)
    is_watched = bool(host_id()) and os.environ.get(WATCHED_VARIABLE) == host_id()
    if is_watched or cuda is None or not cuda.is_initialized():
        return None
    return ThreadWatch(folder, here, complain)


def devices_of_all(here: Place, environ: Mapping[str, str]) -> Mapping[str, str]:
    """Return an environment in which the devices of all ranks of this node are visible.

    Schedulers may show each rank its own device alone; then none is left out.
    """
    shown = environ.get("CUDA_VISIBLE_DEVICES")
    if shown is None or here.ranks == 1 or shown.count(",") + 1 >= max(2, here.ranks_here):
        return environ
    return {name: value for name, value in environ.items() if name != "CUDA_VISIBLE_DEVICES"}
