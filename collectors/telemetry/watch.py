"""Run the sampler: as a command, as a child of the launcher, or as a thread of the training process.

    python -m collectors watch logs/x/r1 --interval 0.1

The launcher starts the sampler as a process, which costs the training process nothing, and sets an
environment variable so that the recorder does not start another. On a node without a launcher the recorder
starts a thread. The process ends on SIGTERM, on SIGINT, or when its standard input is closed, which also
happens if the launcher is killed.
"""

import argparse
import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Optional

from collectors.format_v1.run_folder import RUN_VARIABLE
from collectors.machine.distributed import RankInfo
from collectors.machine.nvml import UnavailableError, has_driver
from collectors.machine.powermetrics import find_powermetrics
from collectors.machine.sysfs_gpus import SYSFS
from collectors.messages import warn
from collectors.telemetry.cpu_source import CpuSource
from collectors.telemetry.dcgm_source import DcgmSource
from collectors.telemetry.joined_source import JoinedSource
from collectors.telemetry.nvidia_smi import SmiSource
from collectors.telemetry.nvml_source import OLD_PYNVML, NvmlSource
from collectors.telemetry.powermetrics_source import PowermetricsSource
from collectors.telemetry.process_owners import ProcessOwners
from collectors.telemetry.sampler import SampleSource, TelemetryWriter, Ticks, sample_until_stopped
from collectors.telemetry.sysfs_source import SysfsSource

#: The launcher sets it for its child: the boot id of the host whose devices it watches.
WATCHED_VARIABLE = "REPORTGEN_WATCHED"
DEFAULT_INTERVAL_SECONDS = 0.1
_MIN_INTERVAL_SECONDS = 0.01
_MAX_INTERVAL_SECONDS = 60
_MAX_CLOSE_SECONDS = 5.0  # how long the end of a run waits for the last samples

EXAMPLE = "python -m collectors watch logs/x/r1 --interval 0.1"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `watch`."""
    parser.add_argument(
        "folder", type=Path, metavar="FOLDER", help="run folder; created if it does not exist"
    )
    parser.add_argument(
        "--interval",
        type=parse_interval,
        default=DEFAULT_INTERVAL_SECONDS,
        metavar="SECONDS",
        help="time between samples (default: 0.1)",
    )
    parser.add_argument(
        "--node", type=int, default=0, metavar="N", help="node number in the file name (default: 0)"
    )
    parser.add_argument(
        "--seconds", type=_parse_seconds, metavar="S", help="stop after S seconds (default: on Ctrl-C)"
    )
    parser.add_argument(
        "--root", type=int, default=0, metavar="PID", help="PID and its descendants are the run's processes"
    )
    parser.add_argument("--dcgm", action="store_true", help="read the profiling counters of DCGM, too")
    parser.add_argument("--until-input-ends", action="store_true", help="stop when standard input is closed")


def parse_interval(text: str) -> float:
    """Return an interval in s; raises ArgumentTypeError."""
    with contextlib.suppress(ValueError):
        if _MIN_INTERVAL_SECONDS <= float(text) <= _MAX_INTERVAL_SECONDS:
            return float(text)
    limits = f"{_MIN_INTERVAL_SECONDS} to {_MAX_INTERVAL_SECONDS}"
    raise argparse.ArgumentTypeError(f"{text}: not an interval; use {limits} seconds")


def _parse_seconds(text: str) -> float:
    with contextlib.suppress(ValueError):
        if 0 < float(text) <= threading.TIMEOUT_MAX:
            return float(text)
    raise argparse.ArgumentTypeError(f"{text}: not a duration; use a number of seconds above 0")


def main(options: argparse.Namespace) -> int:
    """Sample until a signal or the end of input; return 1 if there is no device. Raises OSError for files."""
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:  # under nohup
            signal.signal(number, lambda *_: stop.set())
    if options.until_input_ends:
        threading.Thread(target=_stop_at_end_of_input, args=[stop], daemon=True).start()
    options.folder.mkdir(parents=True, exist_ok=True)
    root = options.root or os.getpid()
    try:
        with _set_after(options.seconds, stop):
            sample(options.folder, options.node, options.interval, stop, root=root, uses_dcgm=options.dcgm)
    except UnavailableError as error:
        warn(f"watch: no telemetry: {error}")
        return 1
    except FileExistsError as error:
        warn(f"watch: {error.filename} exists; use another folder, or --node for another node")
        return 1
    return 0


@contextlib.contextmanager
def _set_after(seconds: Optional[float], stop: threading.Event) -> Iterator[None]:
    """Set an event after some seconds; an error before that does not wait for them."""
    if seconds is None:
        yield
        return
    timer = threading.Timer(seconds, stop.set)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()


def _stop_at_end_of_input(stop: threading.Event) -> None:
    with contextlib.suppress(OSError):  # it may have been closed from the start
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
    sysfs: Path = SYSFS,
    uses_dcgm: bool = False,
) -> None:
    """Sample GPUs and CPUs until `stop` is set; raises UnavailableError, OSError.

    NVIDIA's GPUs through NVML, otherwise nvidia-smi, which is read alone; without them other vendors' GPUs.
    A thread of the training process does not sample the CPUs.

    interval  s
    root      this process and its descendants belong to the run
    environ   selects the visible devices; None: the environment of this process
    uses_dcgm  read DCGM's counters of NVIDIA's GPUs, too
    """
    environ = os.environ if environ is None else environ
    interval_ns = round(interval * 1e9)
    sources: list[SampleSource] = []
    reason = ""
    try:
        nvidia = NvmlSource.open(ProcessOwners(root, f"{RUN_VARIABLE}={folder.resolve()}"), environ)
        sources = [nvidia]
        if uses_dcgm:
            sources += _open_dcgm([device.uuid for device in nvidia.devices], interval_ns)
    except UnavailableError as nvml_error:
        try:
            child = SmiSource.open(interval_ns, environ)
        except UnavailableError as smi_error:
            reason = f"{nvml_error}; {smi_error}"
            sources = [SysfsSource.open(environ, sysfs, uses_libraries=not is_thread)]
            sources += [] if is_thread else _open_powermetrics(interval_ns)
        else:
            _sample_nvidia_smi(child, folder, node, interval_ns, stop)
            return
    source = JoinedSource([*sources, *([] if is_thread else [CpuSource.open(sysfs)])])
    if not source.devices:
        raise UnavailableError(reason)
    if has_driver() and reason:
        warn(f"watch: no telemetry of NVIDIA's GPUs: {reason}")
    try:
        writer = TelemetryWriter(folder, node, interval_ns)
        sample_until_stopped(source, writer, Ticks(interval_ns, stop), probes=not is_thread)
        lacking = [column for column, reason in source.missing().items() if reason == OLD_PYNVML]
        if lacking:
            columns = ", ".join(lacking)
            warn(f"telemetry: this pynvml cannot read {columns}; pip install --upgrade nvidia-ml-py")
    finally:
        source.close()


def _open_dcgm(uuids: list[str], interval: int) -> list[SampleSource]:
    try:
        return [DcgmSource.open(uuids, interval)]
    except UnavailableError as error:
        warn(f"watch: no counters of DCGM: {error}; {error.remedy}")
        return []


def _open_powermetrics(interval: int) -> list[SampleSource]:
    try:
        return [PowermetricsSource.open(interval)]
    except UnavailableError:  # the doctor says why
        return []


def has_devices(sysfs: Path = SYSFS) -> bool:
    """Return True if there may be a device to sample; cheap. Do not call it in the training process."""
    if has_driver() or SysfsSource.open(os.environ, sysfs).devices or CpuSource.open(sysfs).devices:
        return True
    with contextlib.suppress(UnavailableError):
        return bool(find_powermetrics())
    return False


def _sample_nvidia_smi(
    child: SmiSource, folder: Path, node: int, interval: int, stop: threading.Event
) -> None:
    def close_when_stopped() -> None:
        stop.wait()
        child.close()

    closer = threading.Thread(target=close_when_stopped, daemon=True)
    closer.start()
    achieved: list[int] = []
    last = 0
    try:
        writer = TelemetryWriter(folder, node, interval)
        for batch in child.batches():
            writer.add(batch)
            if batch[-1].device == child.devices[0]:
                achieved += [batch[-1].when - last] if last else []
                last = batch[-1].when
        writer.end(achieved, {})
    finally:
        stop.set()
        closer.join()


def host_id() -> str:
    """Return an id of this host that changes at each boot; "" if unknown."""
    with contextlib.suppress(OSError):
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    return ""


class ChildWatch:
    """The sampler as a child process of the launcher: `with ChildWatch(folder, node, interval):`."""

    def __init__(self, folder: Path, node: int, interval: float, *, uses_dcgm: bool = False) -> None:
        command = [sys.executable, "-m", "collectors", "watch", str(folder), "--interval", str(interval)]
        command += ["--node", str(node), "--root", str(os.getpid()), "--until-input-ends"]
        command += ["--dcgm"] if uses_dcgm else []
        paths = [str(Path(__file__).resolve().parents[2]), os.environ.get("PYTHONPATH", "")]
        environ = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
        # A separate session: Ctrl-C in the terminal must not end the sampler before the run.
        self._child: "subprocess.Popen[bytes]" = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, env=environ, start_new_session=True
        )

    def __enter__(self) -> "ChildWatch":
        return self

    def __exit__(self, *error: object) -> None:
        assert self._child.stdin is not None
        code = self._child.poll()
        if code is not None and code < 0:  # after an error of its own it has printed one
            warn(f"telemetry: the sampler was killed by signal {-code}; the rest of the run has none")
        with contextlib.suppress(OSError):
            self._child.stdin.close()
        try:
            self._child.wait(_MAX_CLOSE_SECONDS)
        except subprocess.TimeoutExpired:
            self._child.kill()
            self._child.wait()


class ThreadWatch:
    """The sampler as a thread, for runs that no launcher watches."""

    def __init__(self, folder: Path, rank: RankInfo, node: int) -> None:
        self._stop = threading.Event()
        self._thread = threading.Thread(
            target=self._run, args=(folder, rank, node), name="reportgen-telemetry", daemon=True
        )
        self._thread.start()

    def _run(self, folder: Path, rank: RankInfo, node: int) -> None:
        root = os.getppid() if rank.ranks > 1 else os.getpid()  # all ranks have the same parent
        environ = show_devices_of_all_ranks(rank, os.environ)
        try:
            sample(
                folder, node, DEFAULT_INTERVAL_SECONDS, self._stop, root=root, environ=environ, is_thread=True
            )
        except FileExistsError:
            warn(f"no telemetry: another process has written that of node {node}")
        except (UnavailableError, OSError) as error:
            warn(f"no telemetry: {error}")

    def close(self) -> None:
        """Stop the thread; wait a short time for its last lines."""
        self._stop.set()
        self._thread.join(_MAX_CLOSE_SECONDS)


def start_thread_watch(folder: Path, rank: RankInfo, node: int) -> Optional[ThreadWatch]:
    """Start a thread if torch uses a CUDA device here and no launcher watches this host."""
    cuda: Any = getattr(sys.modules.get("torch"), "cuda", None)
    is_watched = bool(host_id()) and os.environ.get(WATCHED_VARIABLE) == host_id()
    if is_watched or cuda is None or not cuda.is_initialized():
        return None
    return ThreadWatch(folder, rank, node)


def show_devices_of_all_ranks(rank: RankInfo, environ: Mapping[str, str]) -> Mapping[str, str]:
    """Return an environment in which the devices of all ranks of this node are visible.

    A scheduler may show each rank only its own device. Then CUDA_VISIBLE_DEVICES is removed.
    """
    setting = environ.get("CUDA_VISIBLE_DEVICES")
    if setting is None or rank.ranks == 1 or setting.count(",") + 1 >= max(2, rank.ranks_on_node):
        return environ
    return {name: value for name, value in environ.items() if name != "CUDA_VISIBLE_DEVICES"}
