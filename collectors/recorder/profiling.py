"""Profile some steps of a run: `collectors run --nsys N`, `--torch-profiler N`.

nsys wraps the process and waits for the calls of the CUDA profiler here; `collectors.launcher.nsys` reads its
report. The profiler of torch runs in this process, on GPUs and on CPUs. In both, the phases of the recorder
are ranges, so that each kernel belongs to a phase.
"""

import os
import sys
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Callable, Optional

from collectors.format_v1.kernels_file import Kernel, PhaseSpan, write_kernels
from collectors.format_v1.run_folder import PROFILE_VARIABLE
from collectors.messages import warn
from collectors.recorder.phases import Phase
from collectors.recorder.timing import wait_for_devices

_PREFIX = "reportgen: "  # of the ranges of phases among all ranges of torch


class CudaProfiler:
    """Lets nsys capture from `start` to `stop`; the phases are ranges of NVTX."""

    def __init__(self, torch: Any) -> None:
        self._cuda = torch.cuda

    def start(self) -> None:
        """Begin to capture, when the device has done what is queued."""
        wait_for_devices()
        self._cuda.profiler.start()

    def stop(self, folder: Path) -> None:
        """End the capture, with all that the steps have queued."""
        wait_for_devices()
        self._cuda.profiler.stop()

    def mark(self, phase: str) -> AbstractContextManager[object]:
        """Return a new range."""
        context: AbstractContextManager[object] = self._cuda.nvtx.range(phase)
        return context


class TorchProfiler:
    """Profiles with torch.profiler, and writes the kernels, or the operators of a CPU."""

    def __init__(self, torch: Any) -> None:
        self._torch = torch
        kinds = torch.profiler.ProfilerActivity
        activities = [kinds.CPU, kinds.CUDA] if torch.cuda.is_available() else [kinds.CPU]
        self._profile = torch.profiler.profile(activities=activities)

    def start(self) -> None:
        """Begin to profile, when the device has done what is queued."""
        wait_for_devices()
        self._profile.start()

    def stop(self, folder: Path) -> None:
        """End the profile and write it; raises OSError."""
        wait_for_devices()
        self._profile.stop()
        events = [event for event in self._profile.events() if str(event.device_type).endswith("CPU")]
        spans = [
            PhaseSpan(event.name[len(_PREFIX) :], _ns(event.time_range.start), _ns(event.time_range.end))
            for event in events
            if event.name.startswith(_PREFIX)
        ]
        kernels = [
            Kernel(kernel.name, _ns(event.time_range.start), _ns(kernel.duration))
            for event in events
            for kernel in event.kernels
        ]
        operators = [
            Kernel(event.name, _ns(event.time_range.start), _ns(event.self_cpu_time_total))
            for event in events
            if not event.name.startswith(_PREFIX)
        ]
        write_kernels(folder, 0, spans, kernels or operators, "device" if kernels else "host")

    def mark(self, phase: str) -> AbstractContextManager[object]:
        """Return a new range."""
        context: AbstractContextManager[object] = self._torch.profiler.record_function(_PREFIX + phase)
        return context


def _ns(microseconds: float) -> int:
    return round(microseconds * 1000)


class MarkedPhase(Phase):
    """A phase that is a range of the profiler, too."""

    __slots__ = ("_mark", "_phase", "_range")

    def __init__(self, phase: Phase, mark: Callable[[], AbstractContextManager[object]]) -> None:
        self._phase = phase
        self._mark = mark

    def __enter__(self) -> None:
        self._range = self._mark()
        self._range.__enter__()
        self._phase.__enter__()

    def __exit__(self, *error: Any) -> None:
        self._phase.__exit__(*error)
        self._range.__exit__(*error)


def choose_profiler(rank: int) -> Optional[tuple[Any, int]]:
    """Return the profiler that the launcher asks for, and the number of steps; None for no profile.

    Only rank 0 is profiled.
    """
    name, _, steps = os.environ.get(PROFILE_VARIABLE, "").partition(":")
    if not name or rank:
        return None
    torch: Any = sys.modules.get("torch")
    if torch is None or (name == "nsys" and not torch.cuda.is_available()):
        needs = "torch with CUDA" if name == "nsys" else "torch"
        warn(f"{name}: the script does not use {needs} when the recorder starts; nothing is profiled")
        return None
    return (CudaProfiler if name == "nsys" else TorchProfiler)(torch), int(steps)
