"""Check this machine before a campaign: report what would disturb a measurement, each with a remedy.

    python -m collectors doctor --workers 8

The report ends with what was checked and what could not be checked. Nothing is changed.
"""

import argparse
import os
import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from collectors.machine import environment
from collectors.machine.amdsmi import start_amdsmi
from collectors.machine.cpu_packages import list_cpu_zones
from collectors.machine.dcgm import find_dcgm
from collectors.machine.device_checks import check_visible_devices
from collectors.machine.device_model import visible_model
from collectors.machine.known_limits import limits_of
from collectors.machine.level_zero import Sysman, SysmanDevice, SysmanError, start_level_zero
from collectors.machine.nvml import UnavailableError, has_driver
from collectors.machine.powermetrics import find_powermetrics, has_powermetrics
from collectors.machine.sysfs_gpus import SYSFS, SysfsGpu, read_text, visible_sysfs_gpus

EXAMPLE = "python -m collectors doctor --workers 8"
_GIB = 1024**3
_MIN_FREE_BYTES = 2 * _GIB
_MAX_IDLE_LOAD = 0.5  # load average: runnable processes
_MAX_IDLE_LOAD_PER_CORE = 0.05


class Advice(NamedTuple):
    """A problem that would disturb a measurement: where, what, and the remedy."""

    subject: str
    fact: str
    remedy: str


@dataclass
class HostReport:
    """The findings, the checks that were made, those that were not possible, and known limits of the GPUs."""

    advice: list[Advice] = field(default_factory=list)
    checked: list[str] = field(default_factory=list)
    unchecked: list[str] = field(default_factory=list)
    limits: list[str] = field(default_factory=list)

    def text(self) -> str:
        """Return the report as lines."""
        lines = [f"{subject}: {fact}\n    remedy: {remedy}" for subject, fact, remedy in self.advice]
        lines += [f"checked {line}" for line in self.checked]
        lines += [f"not checked {line}" for line in self.unchecked]
        lines += [f"known limit of {line}" for line in self.limits]
        count = len(self.advice)
        return "\n".join(
            [*lines, f"problems: {count}; nothing was changed" if count else "no problems found"]
        )


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `doctor`."""
    parser.add_argument("--workers", type=int, default=0, metavar="N", help="worker processes of the loader")
    parser.add_argument("--logs", type=Path, default=Path(), help="folder for the logs (default: .)")
    parser.add_argument(
        "--device", choices=("cpu", "cuda"), default="cuda", help="cpu: check no GPUs (default: cuda)"
    )
    parser.add_argument("--strict", action="store_true", help="exit with code 4 if there is a problem")


def main(options: argparse.Namespace) -> int:
    """Print the report; return 0, or with --strict 4 if there is a problem."""
    report = HostReport()
    check_host(report, options.workers, options.logs)
    check_energy(report)
    if options.device == "cuda":
        check_devices(report, os.environ)
        if has_driver() and shutil.which("dcgmi"):
            check_dcgm(report)
    print(report.text())
    return 4 if report.advice and options.strict else 0


def check_host(report: HostReport, workers: int, logs: Path) -> None:
    """Check cores, frequency governor, load, shared memory and disk."""
    _check_cores(report, workers)
    governor = environment.cpu_facts().get("governor")
    if governor and governor != "performance":
        remedy = "cpupower frequency-set -g performance (as root)"
        report.advice.append(Advice("cpu", f"the frequency governor is {governor}", remedy))
    _check_load(report)
    spaces = [(logs, "disk of the logs", "free some space, or choose another --logs")]
    if workers:
        spaces.append((Path("/dev/shm"), "shared memory", "docker run --shm-size=16g"))
    for path, name, remedy in spaces:
        _check_free_space(report, path, name, remedy)
    names = ["usable cores", *(["frequency governor"] if governor else []), "load"]
    names += [name for _, name, _ in spaces]
    report.checked.append(f"the host: {', '.join(names)}")
    if not governor:
        report.unchecked.append("the host: frequency governor, which this system does not show")


def _check_cores(report: HostReport, workers: int) -> None:
    usable = environment.usable_cores()
    cores = os.cpu_count()
    if usable and workers > usable:
        remedy = f"request {workers} cores from the scheduler or container, or use at most {usable} workers"
        report.advice.append(Advice("cpu", f"{workers} workers on {usable} usable cores of {cores}", remedy))
    elif usable and cores and usable < cores:
        remedy = "check the CPU affinity and the quota of the container, unless this is intended"
        report.advice.append(Advice("cpu", f"this process may use {usable} of {cores} cores", remedy))


def _check_load(report: HostReport) -> None:
    """Check the load per core: a large host is never quite idle."""
    cores = os.cpu_count() or 1
    with suppress(OSError, AttributeError):
        load = os.getloadavg()[0]
        if load > max(_MAX_IDLE_LOAD, cores * _MAX_IDLE_LOAD_PER_CORE):
            fact = f"load average {load:.1f} on {cores} cores: other processes are running"
            report.advice.append(Advice("cpu", fact, "find the processes with top and stop them"))


def _check_free_space(report: HostReport, path: Path, name: str, remedy: str) -> None:
    with suppress(OSError):
        free = shutil.disk_usage(path).free
        if free < _MIN_FREE_BYTES:
            report.advice.append(Advice(name, f"only {free / _GIB:.1f} GiB free", remedy))


def check_energy(report: HostReport, sysfs: Path = SYSFS) -> None:
    """Check whether the energy of the CPU packages can be read."""
    for zone in list_cpu_zones(sysfs):
        if zone.is_readable:
            report.checked.append(f"CPU {zone.name}: its energy is recorded")
        else:
            report.unchecked.append(f"CPU {zone.name}: energy, which only root may read on this host")


def check_sysfs_gpus(report: HostReport, gpus: Sequence[SysfsGpu]) -> None:
    """Check the settings of GPUs of AMD and Intel, as far as the kernel's files show them."""
    for gpu in gpus:
        subject = f"{gpu.uuid} ({gpu.model})"
        checked = []
        limit, default = (read_text(gpu.hwmon / name) for name in ("power1_cap", "power1_cap_default"))
        if limit.isdecimal() and default.isdecimal():
            checked.append("power limit")
            if int(limit) < int(default):
                fact = f"power limit is {int(limit) / 1e6:g} W, default {int(default) / 1e6:g} W"
                report.advice.append(Advice(subject, fact, "amd-smi reset --power-cap (as root)"))
        level = read_text(gpu.card / "device" / "power_dpm_force_performance_level")
        if level:
            checked.append("clock settings")
            if level != "auto":
                remedy = (
                    "amd-smi reset --clocks (as root), or use the same setting for all runs to be compared"
                )
                report.advice.append(Advice(subject, f"the performance level is {level}, not auto", remedy))
        report.checked.append(f"{subject}: {', '.join(['driver ' + gpu.driver, *checked])}")
        report.unchecked.append(
            f"{subject}: other processes and memory errors, which its driver does not show"
        )


def check_dcgm(report: HostReport) -> None:
    """Check whether `run --dcgm` would have its counters."""
    try:
        _, uuids = find_dcgm()
    except UnavailableError as error:
        report.unchecked.append(f"DCGM, for run --dcgm: {error}; {error.remedy}")
    else:
        report.checked.append(f"DCGM, for run --dcgm: it shows {len(uuids)} GPUs")


def check_amdsmi(report: HostReport) -> None:
    """Check whether AMD's library can be read beside the kernel's files."""
    try:
        start_amdsmi()
    except UnavailableError as error:
        report.unchecked.append(f"amdsmi: {error}: no energy, no memory errors; {error.remedy}")
    else:
        report.checked.append("amdsmi: energy and memory errors are recorded")


def check_level_zero(report: HostReport) -> None:
    """Check whether Intel's library can be read beside the kernel's files, and shows how busy a GPU is."""
    try:
        sysman = start_level_zero()
        for device in sysman.devices():
            _check_engines(report, sysman, device)
    except (UnavailableError, SysmanError, AttributeError) as error:
        remedy = f"; {error.remedy}" if isinstance(error, UnavailableError) else ""
        report.unchecked.append(f"Level Zero: {error}: no utilization, no memory in use{remedy}")


def _check_engines(report: HostReport, sysman: Sysman, device: SysmanDevice) -> None:
    try:
        sysman.handles("zesDeviceEnumEngineGroups", device.handle)
    except SysmanError as error:
        reason = f"utilization: {error}; start the launcher as root to record it"
        report.unchecked.append(f"Level Zero: {device.model} at {device.pci}: {reason}")
    else:
        report.checked.append(f"Level Zero: {device.model} at {device.pci}: utilization is recorded")


def check_powermetrics(report: HostReport) -> None:
    """Check whether Apple's GPU can be read."""
    try:
        find_powermetrics()
    except UnavailableError as error:
        report.unchecked.append(f"Apple's GPU: {error}; {error.remedy}")
    else:
        report.checked.append("Apple's GPU: utilization, clock, power and energy are recorded")


def check_devices(report: HostReport, environ: Mapping[str, str], sysfs: Path = SYSFS) -> None:
    """Check the GPUs that are visible to a process with this environment, the driver, and torch."""
    gpus = [] if has_driver() else visible_sysfs_gpus(environ, sysfs)
    for model in visible_model(environ, sysfs).split(" + "):
        report.limits += [f"{model}: {limit.what} ({limit.source})" for limit in limits_of(model)]
    if gpus:
        check_sysfs_gpus(report, gpus)
        if any(gpu.vendor == "AMD" for gpu in gpus):
            check_amdsmi(report)
        if any(gpu.vendor == "Intel" for gpu in gpus):
            check_level_zero(report)
        return
    if not has_driver() and has_powermetrics():
        check_powermetrics(report)
        return
    if not has_driver():
        remedy = "install the NVIDIA driver, or use --device cpu for a campaign on the CPU"
        report.advice.append(Advice("driver", "no NVIDIA driver: no GPU can be measured", remedy))
        report.unchecked.append("GPUs")
        return
    from importlib import metadata  # takes long, and each command imports this module

    with suppress(metadata.PackageNotFoundError):
        if metadata.version("torch").endswith("+cpu"):
            remedy = "pip install torch from an index with CUDA builds"
            report.advice.append(Advice("torch", "this build has no CUDA support", remedy))
    try:
        for result in check_visible_devices(environ):
            subject = f"{result.device.uuid} ({result.device.model})"
            report.advice += [Advice(subject, *problem) for problem in result.problems]
            report.checked.append(f"{subject}: {', '.join(result.passed)}")
            if result.unanswered:
                names = ", ".join(result.unanswered)
                report.unchecked.append(f"{subject}: {names}, which the driver does not answer")
    except UnavailableError as error:
        report.advice.append(Advice("driver", str(error), error.remedy))
        report.unchecked.append("GPUs")
