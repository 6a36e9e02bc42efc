"""Describe the GPUs and their driver, for the environment of a run: through NVML, else through nvidia-smi.

Each fact is asked for on its own. Serial numbers are not recorded; a device's UUID is, because telemetry and
environment are brought together by it.
"""

import re
import shutil
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import Any, Callable, Optional

from collectors.telemetry.nvml import enumerate_devices, start_nvml, stop_nvml, text
from collectors.telemetry.nvml_fields import known
from collectors.telemetry.source import UnavailableError

Group = dict[str, Any]

_UNDERLINE = re.compile(r"\x1b\[[0-9;]*m")

#: Key and field of nvidia-smi, for hosts without nvidia-ml-py.
_SMI = {"name": "name", "vbios": "vbios_version", "driver": "driver_version"}


def describe() -> dict[str, Group]:
    """Return the groups `driver`, `gpu` (UUID -> facts) and `topology`, as far as they can be found out."""
    try:
        found = _by_nvml()
    except UnavailableError:
        found = _by_smi()
    if found.get("gpu"):
        found["topology"] = {"gpu": _matrix(), "numa": numa_nodes()}
    return found


def _by_nvml() -> dict[str, Group]:
    nvml = start_nvml()
    try:
        handles, devices = enumerate_devices(nvml)
        facts = {one.uuid: _facts(nvml, handles[one.uuid], one.instances) for one in devices}
        return {"driver": _driver(nvml), "gpu": facts}
    finally:
        stop_nvml(nvml)


def _driver(nvml: Any) -> Group:
    def cuda() -> str:
        version = nvml.nvmlSystemGetCudaDriverVersion()
        return f"{version // 1000}.{version % 1000 // 10}"

    return _answered(nvml, {"version": lambda: text(nvml.nvmlSystemGetDriverVersion()), "cuda": cuda})


def _facts(nvml: Any, handle: Any, instances: list[str]) -> Group:
    def switch(name: str) -> Callable[[], bool]:
        return lambda: bool(getattr(nvml, name)(handle))

    def number(name: str, *arguments: Any) -> Callable[[], Optional[int]]:
        return lambda: known(getattr(nvml, name)(handle, *arguments))

    group = _answered(
        nvml,
        {
            "name": lambda: text(nvml.nvmlDeviceGetName(handle)),
            "vbios": lambda: text(nvml.nvmlDeviceGetVbiosVersion(handle)),
            "memory_bytes": lambda: known(nvml.nvmlDeviceGetMemoryInfo(handle).total),
            "power_limit_mw": number("nvmlDeviceGetEnforcedPowerLimit"),
            "power_limit_default_mw": number("nvmlDeviceGetPowerManagementDefaultLimit"),
            "clock_sm_max_mhz": number("nvmlDeviceGetMaxClockInfo", nvml.NVML_CLOCK_SM),
            "clock_memory_max_mhz": number("nvmlDeviceGetMaxClockInfo", nvml.NVML_CLOCK_MEM),
            "application_clock_sm_mhz": number("nvmlDeviceGetApplicationsClock", nvml.NVML_CLOCK_SM),
            "pcie_generation_max": number("nvmlDeviceGetMaxPcieLinkGeneration"),
            "pcie_width_max": number("nvmlDeviceGetMaxPcieLinkWidth"),
            "persistence": switch("nvmlDeviceGetPersistenceMode"),
            "ecc": lambda: bool(nvml.nvmlDeviceGetEccMode(handle)[0]),
            "mig": lambda: bool(nvml.nvmlDeviceGetMigMode(handle)[0]),
            "compute_capability": lambda: ".".join(map(str, nvml.nvmlDeviceGetCudaComputeCapability(handle))),
        },
    )
    return {**group, "mig_instances": instances} if instances else group


def _answered(nvml: Any, questions: dict[str, Callable[[], Any]]) -> Group:
    """Return the answers that there are."""
    answers: Group = {}
    for name, question in questions.items():
        with suppress(nvml.NVMLError, AttributeError):
            answers[name] = question()
    return {name: value for name, value in answers.items() if value is not None}


def _by_smi() -> dict[str, Group]:
    query = f"--query-gpu=uuid,{','.join(_SMI.values())}"
    rows = [line.split(", ") for line in _smi(query, "--format=csv,noheader")]
    gpus: Group = {}
    driver: Group = {}
    for row in rows:
        if len(row) == 1 + len(_SMI):
            facts = dict(zip(_SMI, row[1:]))  # noqa: B905 - Python 3.9 has no strict
            driver = {"version": facts.pop("driver")}
            gpus[row[0]] = {name: value for name, value in facts.items() if not value.startswith("[")}
    return {"driver": driver, "gpu": gpus}


def _matrix() -> list[str]:
    """Return the lines of `nvidia-smi topo -m` up to its legend."""
    lines = [_UNDERLINE.sub("", line).rstrip() for line in _smi("topo", "-m")]
    end = next((number for number, line in enumerate(lines) if line.startswith("Legend")), len(lines))
    return [line for line in lines[:end] if line]


def _smi(*arguments: str) -> list[str]:
    program = shutil.which("nvidia-smi")
    if not program:
        return []
    try:
        done = subprocess.run(
            [program, *arguments], stdin=subprocess.DEVNULL, capture_output=True, timeout=20, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return []
    return done.stdout.decode("utf-8", "replace").splitlines()


def numa_nodes(root: Path = Path("/sys/devices/system/node")) -> list[str]:
    """Return "node0: 0-15" for each NUMA node and its cores."""
    found = {}
    for path in root.glob("node[0-9]*"):
        with suppress(OSError):
            cores = (path / "cpulist").read_text(encoding="ascii").strip()
            found[int(path.name[len("node") :])] = cores
    return [f"node{number}: {cores}" for number, cores in sorted(found.items())]
