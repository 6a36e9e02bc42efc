"""Lock the SM clock and the power limit of the GPUs for a campaign, and restore them at its end.

They are restored at every end that this process survives: a normal one, an exception, Ctrl-C, SIGTERM. After
SIGKILL or a power failure, `python -m collectors unlock` restores what the files of `lock_files` say. The
driver has no call for the lock that was set before, so a clock is unlocked and not locked as before.

NVML stays open meanwhile, because without persistence mode the driver would forget the settings when no
process uses it. https://docs.nvidia.com/deploy/nvml-api/group__nvmlDeviceCommands.html
"""

import atexit
import os
import signal
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import FrameType
from typing import Any, NamedTuple, Optional, Union

from collectors.launcher.lock_files import (
    LockRecord,
    create_record,
    read_records,
    remove_record,
    replace_record,
)
from collectors.machine.nvml import UnavailableError, enumerate_devices, error_name, start_nvml, stop_nvml
from collectors.machine.visible_devices import visible_uuids
from collectors.messages import warn

BASE = "base"
_TDP = 0xFFFFFF01  # NVML_CLOCK_LIMIT_ID_TDP: the base clock
_REPAIR = "python -m collectors unlock"
_ENDING = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT")

#: What the driver means with an error of a function that changes a setting, and the remedy.
_REFUSALS = {
    "NO_PERMISSION": ("this user may not change it", "run the launcher as root, or leave out {option}"),
    "NOT_SUPPORTED": ("this GPU does not support it", "leave out {option}"),
    "FUNCTION_NOT_FOUND": ("this driver does not support it", "update the driver, or leave out {option}"),
}


class LockError(OSError):
    """A setting cannot be changed; the text has place, fact and remedy."""


class LockRequest(NamedTuple):
    """The settings of a campaign: the SM clock in MHz or `base`, the power limit in W; None: unchanged."""

    clock: Union[int, str, None] = None
    power_limit: Optional[int] = None

    def factors(self) -> dict[str, Union[int, str]]:
        """Return the factors of a run with these settings."""
        values = {"locked_clock_mhz": self.clock, "power_limit_w": self.power_limit}
        return {name: value for name, value in values.items() if value is not None}


class DeviceLock:
    """The GPUs that CUDA shows to a process with this environment are locked: `with DeviceLock(request):`."""

    def __init__(self, request: LockRequest, environ: Optional[Mapping[str, str]] = None) -> None:
        self._request = request
        self._environ = os.environ if environ is None else environ
        self._signals = _EndingSignals()
        self._nvml: Any = None
        self._records: dict[str, LockRecord] = {}  # UUID -> what to restore
        self._handles: dict[str, Any] = {}

    def __enter__(self) -> "DeviceLock":
        """Change the settings; raises LockError, after it has restored the GPUs that it had changed."""
        atexit.register(self._restore_all)  # for a signal at the moment in which the block is left
        self._signals.install()
        try:
            self._lock_all()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        self._restore_all()
        atexit.unregister(self._restore_all)

    def _restore_all(self) -> None:
        with self._signals:
            while self._records:
                _, record = self._records.popitem()
                problem = _restore(self._nvml, self._handles[record.uuid], record)
                if problem:
                    warn(f"{problem}; as root: {_REPAIR}")
            if self._nvml:
                stop_nvml(self._nvml)
                self._nvml = None

    def _lock_all(self) -> None:
        try:
            self._nvml = start_nvml()
            self._handles, devices = enumerate_devices(self._nvml)
        except UnavailableError as error:
            raise LockError(f"--lock-clocks, --power-limit: {error}; {error.remedy}") from None
        visible = set(visible_uuids(devices, self._environ))
        chosen = [device.uuid for device in devices if device.uuid in visible]  # clocks are not of instances
        if not chosen:
            raise LockError("--lock-clocks, --power-limit: no visible GPU; see nvidia-smi -L")
        for uuid in chosen:
            self._lock(uuid, self._handles[uuid])
            warn(f"{uuid}: {self._records[uuid].text}, until this campaign ends")

    def _lock(self, uuid: str, handle: Any) -> None:
        clock, watts = self._request
        if isinstance(clock, int):
            _check_clock(self._nvml, handle, uuid, clock)
        limit = None if watts is None else _checked_limit(self._nvml, handle, uuid, watts)
        try:
            create_record(LockRecord(uuid))
        except FileExistsError:
            raise LockError(_explain_claim(uuid)) from None
        self._records[uuid] = LockRecord(uuid)
        if clock is not None:
            low = _TDP if clock == BASE else clock
            change = ("nvmlDeviceSetGpuLockedClocks", low, low)
            self._change(replace(self._records[uuid], clock=clock), "--lock-clocks", change)
        if limit is not None:
            previous = self._nvml.nvmlDeviceGetPowerManagementLimit(handle)
            record = replace(self._records[uuid], power_limit=limit, previous_limit=previous)
            self._change(record, "--power-limit", ("nvmlDeviceSetPowerManagementLimit", limit))

    def _change(self, record: LockRecord, option: str, call: Sequence[Any]) -> None:
        """Change a setting of a GPU; raises LockError. The record that restores it is written before."""
        before = self._records[record.uuid]
        replace_record(record)
        self._records[record.uuid] = record
        problem = _call(self._nvml, self._handles[record.uuid], *call)
        if problem:
            replace_record(before)
            self._records[record.uuid] = before
            fact, remedy = _REFUSALS.get(problem, (problem, "see nvidia-smi -q, or leave out {option}"))
            raise LockError(f"{record.uuid}: {option}: {fact}; {remedy.format(option=option)}")


def _check_clock(nvml: Any, handle: Any, uuid: str, clock: int) -> None:
    """Raise LockError for a clock that the GPU does not have: the driver would choose another one."""
    try:
        memory = max(nvml.nvmlDeviceGetSupportedMemoryClocks(handle))
        clocks = nvml.nvmlDeviceGetSupportedGraphicsClocks(handle, memory)
    except (nvml.NVMLError, AttributeError, ValueError):  # it does not say; telemetry will
        return
    if clocks and clock not in clocks:
        near = sorted(sorted(clocks, key=lambda each: abs(each - clock))[:2])
        choices = " or ".join(map(str, near))
        raise LockError(f"{uuid}: --lock-clocks {clock}: the GPU does not have this clock; use {choices}")


def _checked_limit(nvml: Any, handle: Any, uuid: str, watts: int) -> int:
    """Return a power limit in mW; raises LockError for one that the GPU does not accept."""
    option = "--power-limit"
    try:
        low, high = nvml.nvmlDeviceGetPowerManagementLimitConstraints(handle)
    except nvml.NVMLError as error:
        reason = error_name(nvml, error)
        raise LockError(f"{uuid}: {option}: the GPU has no power limit ({reason}); leave it out") from None
    if not low <= watts * 1000 <= high:
        bounds = f"{low / 1000:g} to {high / 1000:g} W"
        raise LockError(f"{uuid}: {option} {watts}: outside of the limits of the GPU; use {bounds}")
    return watts * 1000


def _explain_claim(uuid: str) -> str:
    record = next((record for record in read_records() if record.uuid == uuid), None)
    if record and record.is_held:
        return f"{uuid}: process {record.process} has locked it; wait until that campaign ends"
    return f"{uuid}: an earlier campaign did not restore its settings; first run: {_REPAIR}"


def _call(nvml: Any, handle: Any, name: str, *arguments: int) -> str:
    """Call a function that changes a setting; return the name of its error, "" if there is none."""
    try:
        getattr(nvml, name)(handle, *arguments)
    except nvml.NVMLError as error:
        return error_name(nvml, error)
    except AttributeError:
        return "FUNCTION_NOT_FOUND"
    return ""


def _restore(nvml: Any, handle: Any, record: LockRecord) -> str:
    """Restore the settings of a GPU and remove its record; return the problem, "" if there is none."""
    calls: list[Sequence[Any]] = []
    if record.clock is not None:
        calls.append(("nvmlDeviceResetGpuLockedClocks",))
    if record.previous_limit is not None:
        calls.append(("nvmlDeviceSetPowerManagementLimit", record.previous_limit))
    problems = [problem for problem in (_call(nvml, handle, *call) for call in calls) if problem]
    if problems:
        return f"{record.uuid}: the {record.text} was not restored ({', '.join(problems)})"
    try:
        remove_record(record.uuid)
    except OSError as error:
        return f"{record.uuid}: restored, but its record stays: {error}"
    return ""


def unlock() -> int:
    """Restore the GPUs of killed launchers; return 0, or 1 if one stays locked. Raises LockError."""
    records = read_records()
    if not records:
        print("no GPU is locked by a campaign; a lock of another origin: nvidia-smi -rgc (as root)")
        return 0
    try:
        nvml = start_nvml()
        handles, _ = enumerate_devices(nvml)
    except UnavailableError as error:
        raise LockError(f"unlock: {error}; {error.remedy}") from None
    problems = [_unlock(nvml, handles.get(record.uuid), record) for record in records]
    stop_nvml(nvml)
    return 1 if any(problems) else 0


def _unlock(nvml: Any, handle: Any, record: LockRecord) -> str:
    if record.is_held:
        problem = f"{record.uuid}: locked by process {record.process}, which is running; end it first"
    elif handle is None:
        problem = f"{record.uuid}: not a GPU of this host, or lost; unlock it on its host"
    else:
        problem = _restore(nvml, handle, record)
    if problem:
        warn(problem)
    else:
        print(f"{record.uuid}: unlocked")
    return problem


def warn_of_stale_locks() -> None:
    """Say which GPUs an earlier campaign has left locked."""
    for record in read_records():
        if record.text and not record.is_held:
            warn(f"{record.uuid}: an earlier campaign left its {record.text}; as root: {_REPAIR}")


class _EndingSignals:
    """Signals that would end this process raise SystemExit, so that `with` blocks are left.

    As a context manager it holds such signals back until the block is left, and then sends them again.
    """

    def __init__(self) -> None:
        self._previous: dict[int, Any] = {}
        self._is_held_back = False
        self._late = 0

    def install(self) -> None:
        """Install the handlers; an ignored signal (nohup) stays ignored."""
        for number in (getattr(signal, name) for name in _ENDING if hasattr(signal, name)):
            if signal.getsignal(number) != signal.SIG_IGN:
                self._previous[number] = signal.signal(number, self._end)

    def _end(self, number: int, frame: Optional[FrameType]) -> None:
        if not self._is_held_back:
            raise SystemExit(128 + number)
        self._late = number

    def __enter__(self) -> None:
        self._is_held_back = True

    def __exit__(self, *error: object) -> None:
        for number, handler in self._previous.items():
            signal.signal(number, handler)
        self._previous.clear()
        if self._late:
            os.kill(os.getpid(), self._late)
