"""Describe the machine and the software of a run.

The result is an object of objects, one per group (`python`, `cpu`, `git`, ...), see `logs/FORMAT.md`. Facts
that cannot be read are absent: each one is read separately, so a failure affects no other.

The environment is published with the logs. It contains no host name and no user name, only an allow-list of
environment variables, and command lines without secrets.
"""

import os
import platform
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Optional

from collectors.machine.gpu_info import describe_gpus
from collectors.machine.sanitize_argv import own_command, sanitize_text
from collectors.machine.torch_info import describe_torch

if TYPE_CHECKING:
    from importlib.metadata import Distribution

# fmt: off
_VARIABLES = [
    "ACCELERATE_MIXED_PRECISION", "CUBLAS_WORKSPACE_CONFIG", "CUDA_DEVICE_MAX_CONNECTIONS",
    "CUDA_DEVICE_ORDER", "CUDA_LAUNCH_BLOCKING", "CUDA_MODULE_LOADING", "CUDA_VISIBLE_DEVICES",
    "GOMP_CPU_AFFINITY", "KMP_AFFINITY", "KMP_BLOCKTIME", "LD_PRELOAD", "MALLOC_ARENA_MAX", "MALLOC_CONF",
    "MKL_NUM_THREADS", "NCCL_ALGO", "NCCL_DEBUG", "NCCL_IB_DISABLE", "NCCL_IB_HCA", "NCCL_MIN_NCHANNELS",
    "NCCL_NET_GDR_LEVEL", "NCCL_NVLS_ENABLE", "NCCL_P2P_DISABLE", "NCCL_P2P_LEVEL", "NCCL_PROTO",
    "NCCL_SHM_DISABLE", "NUMEXPR_NUM_THREADS", "NVIDIA_DRIVER_CAPABILITIES", "NVIDIA_TF32_OVERRIDE",
    "NVIDIA_VISIBLE_DEVICES", "OMP_NUM_THREADS", "OMP_PLACES", "OMP_PROC_BIND", "OPENBLAS_NUM_THREADS",
    "PYTHONHASHSEED", "PYTHONMALLOC", "PYTHONOPTIMIZE", "PYTORCH_ALLOC_CONF", "PYTORCH_CUDA_ALLOC_CONF",
    "TORCHDYNAMO_DISABLE", "TORCHINDUCTOR_MAX_AUTOTUNE", "TORCH_ALLOW_TF32_CUBLAS_OVERRIDE",
    "TORCH_NCCL_ASYNC_ERROR_HANDLING", "XLA_FLAGS",
]
# fmt: on

_JOB_VARIABLES = {
    "job_id": ("SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID"),
    "partition": ("SLURM_JOB_PARTITION", "PBS_QUEUE", "LSB_QUEUE"),
    "nodes": ("SLURM_JOB_NUM_NODES",),
    "cpus_per_task": ("SLURM_CPUS_PER_TASK",),
    "gpus_per_node": ("SLURM_GPUS_ON_NODE",),
}

#: Packages that affect speed and have modules of another name, or may be imported late.
_PACKAGE_PREFIXES = ("nvidia-", "triton", "intel-", "mkl", "torch", "cuda-", "pillow", "onednn")

_PACKAGE_FIELD = re.compile(r"^(Name|Version):[ \t]*(\S+)", re.MULTILINE)

Group = dict[str, Any]


def capture() -> dict[str, Group]:
    """Return all groups that are not empty."""
    software: dict[str, Callable[[], Group]] = {
        "python": _python,
        "git": _git,
        "torch": describe_torch,
        "packages": _packages,
    }
    return {**_capture(software), **capture_host()}


def capture_host() -> dict[str, Group]:
    """Return the groups of the machine alone, for a command that this process has started."""
    host: dict[str, Callable[[], Group]] = {
        "platform": _platform,
        "cpu": cpu_facts,
        "memory": _memory,
        "container": _container,
        "scheduler": _scheduler,
        "variables": _variables,
    }
    groups = _capture(host)
    groups.update((name, _without_empty(group)) for name, group in _read_safely(describe_gpus).items())
    return {name: group for name, group in groups.items() if group}


def _capture(readers: Mapping[str, Callable[[], Group]]) -> dict[str, Group]:
    groups = {name: _without_empty(_read_safely(read)) for name, read in readers.items()}
    return {name: group for name, group in groups.items() if group}


def _read_safely(read: Callable[[], Group]) -> Group:
    """Return a group, or {} if reading fails on an unusual machine: the training must go on."""
    try:
        return read()
    except (AttributeError, ImportError, LookupError, OSError, RuntimeError, TypeError, ValueError):
        return {}


def _without_empty(group: Group) -> Group:
    return {name: value for name, value in group.items() if value not in (None, "", [], {})}


def _text(path: str) -> Optional[str]:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return None


def _output(*line: str) -> Optional[str]:
    """Return the output of a program; None if it is missing, fails or takes longer than five seconds."""
    environ = {**os.environ, "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}
    try:
        result = subprocess.run(
            line, stdin=subprocess.DEVNULL, capture_output=True, timeout=5, check=True, env=environ
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return result.stdout.decode("utf-8", "replace").strip()


def _python() -> Group:
    return {
        "version": platform.python_version(),
        "implementation": platform.python_implementation(),
        "compiler": platform.python_compiler(),
        "command": own_command(),
    }


def _platform() -> Group:
    return {
        "system": platform.system(),
        "kernel": platform.release(),
        "machine": platform.machine(),
        "libc": " ".join(platform.libc_ver()).strip(),
        "distribution": _field("/etc/os-release", r'^PRETTY_NAME="?([^"\n]*)'),
    }


def _field(path: str, pattern: str) -> Optional[str]:
    match = re.search(pattern, _text(path) or "", re.MULTILINE)
    return match.group(1).strip() if match else None


def cpu_facts() -> Group:
    """Return the group `cpu`; unknown facts are None."""
    model = _field("/proc/cpuinfo", r"^model name\s*:\s*(.*)$")
    cores = Path("/sys/devices/system/cpu")
    governors = {_text(str(path)) for path in cores.glob("cpu*/cpufreq/scaling_governor")}
    return {
        "model": model or _output("sysctl", "-n", "machdep.cpu.brand_string") or platform.processor(),
        "sockets": _count_distinct("physical id") or None,
        "cores_physical": _count_distinct("physical id", "core id") or None,
        "cores_logical": os.cpu_count(),
        "cores_usable": usable_cores(),
        "cores_quota": _cpu_quota(),
        "governor": ", ".join(sorted(name for name in governors if name)),
        "numa_nodes": len(list(Path("/sys/devices/system/node").glob("node[0-9]*"))) or None,
    }


def _count_distinct(*names: str) -> int:
    """Return the number of distinct combinations of these fields in /proc/cpuinfo."""
    text = _text("/proc/cpuinfo") or ""
    columns = [re.findall(rf"^{name}\s*:\s*(.*)$", text, re.MULTILINE) for name in names]
    return len(set(zip(*columns)))  # noqa: B905 - Python 3.9 has no strict


def usable_cores() -> Optional[int]:
    """Return how many cores this process can use at a time; a quota is rounded down, but not below 1."""
    try:
        allowed: Optional[int] = len(os.sched_getaffinity(0))
    except AttributeError:  # not on macOS and Windows
        allowed = os.cpu_count()
    quota = _cpu_quota()
    return allowed if quota is None or allowed is None else max(1, min(allowed, int(quota)))


def _cpu_quota() -> Optional[float]:
    """Return the CPU quota of this process in cores: the lowest of all levels of its control groups."""
    limits = [part.split() for part in _cgroup_texts("cpu.max", "cpu")]
    quotas = [int(limit[0]) / int(limit[1]) for limit in limits if len(limit) == 2 and limit[0] != "max"]
    version1 = (_cgroup_texts("cpu.cfs_quota_us", "cpu"), _cgroup_texts("cpu.cfs_period_us", "cpu"))
    for quota, period in zip(*version1):  # noqa: B905 - Python 3.9 has no strict
        if int(quota) > 0:
            quotas.append(int(quota) / int(period))
    return min(quotas) if quotas else None


def _cgroup_texts(name: str, controller: str) -> list[str]:
    """Return the contents of a control group file, from the group of this process up to the root."""
    texts = []
    for line in (_text("/proc/self/cgroup") or "").splitlines():
        number, controllers, path = line.split(":", 2)
        if number != "0" and controller not in controllers.split(","):
            continue
        root = Path("/sys/fs/cgroup") / (controllers if number != "0" else "")
        group = root / path.lstrip("/")
        # In a container the path may be the host's; then only the root is visible.
        for folder in [group, *group.parents]:
            text = _text(str(folder / name))
            if text:
                texts.append(text)
            if folder == root:
                break
    return texts


def _memory() -> Group:
    total = _field("/proc/meminfo", r"^MemTotal:\s*([0-9]+) kB")
    limits = _cgroup_texts("memory.max", "memory") + _cgroup_texts("memory.limit_in_bytes", "memory")
    sizes = [int(text) for text in limits if text.isdecimal()]
    size = int(total) * 1024 if total else None
    limit = min(sizes, default=None)
    # cgroup v1 writes "no limit" as a number that exceeds the memory of any machine.
    return {"total_bytes": size, "limit_bytes": limit if limit and (not size or limit < size) else None}


def _container() -> Group:
    files = {"docker": "/.dockerenv", "podman": "/run/.containerenv"}
    kinds = [kind for kind, file in files.items() if Path(file).exists()]
    variables = {
        "apptainer": "APPTAINER_NAME",
        "singularity": "SINGULARITY_NAME",
        "kubernetes": "KUBERNETES_SERVICE_HOST",
    }
    kinds += [kind for kind, name in variables.items() if name in os.environ]
    return {"kind": ", ".join(kinds)}


def _scheduler() -> Group:
    return {
        key: next((os.environ[name] for name in names if os.environ.get(name)), None)
        for key, names in _JOB_VARIABLES.items()
    }


def _git() -> Group:
    script = Path(sys.argv[0] if sys.argv and sys.argv[0] else ".").parent
    folder = str(script if script.is_dir() else Path())
    commit = _output("git", "-C", folder, "rev-parse", "HEAD")
    if not commit:
        return {}
    changed = _output("git", "-C", folder, "status", "--porcelain", "--untracked-files=no")
    return {"commit": commit, "dirty": None if changed is None else bool(changed)}


def _packages() -> Group:
    """Return the versions of the imported packages, and of those known to affect speed."""
    from importlib import metadata  # a sixth of the imports of the launcher, which does not need it

    modules = {name.lower() for name in list(sys.modules) if "." not in name}
    versions: Group = {}
    for distribution in metadata.distributions():
        name, version = _name_and_version(distribution)
        if name.replace("-", "_") in modules or name.startswith(_PACKAGE_PREFIXES):
            versions[name] = version
    return dict(sorted(versions.items()))


def _name_and_version(distribution: "Distribution") -> tuple[str, str]:
    """Return the lower-case name and the version of a package; "" for what its metadata does not say.

    Its properties parse the whole description of the package, which takes most of the time of a start.
    """
    files = (distribution.read_text(name) for name in ("METADATA", "PKG-INFO", ""))  # wheels, eggs, Debian's
    head = next(filter(None, files), "").partition("\n\n")[0]
    fields = dict(reversed(_PACKAGE_FIELD.findall(head)))
    return fields.get("Name", "").lower(), fields.get("Version", "")


def _variables() -> Group:
    return {name: sanitize_text(os.environ[name]) for name in _VARIABLES if name in os.environ}
