"""Describe the machine and the software that a run happened on.

Out comes an object of objects, one per group (`python`, `cpu`, `git`, ...), as `logs/FORMAT.md` says. What
cannot be found out is absent: every fact is asked for on its own, and one that fails takes no other with it.

The names of the host and of its user are left out, variables are kept by an allow-list, and what looks
like a secret on a command line is blanked: these files are committed and published.
"""

import os
import platform
import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from typing import Any, Callable, Optional

from collectors.machine import gpu_info
from collectors.machine.sanitize_argv import own_command, without_secrets
from collectors.machine.torch_info import torch_facts

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

#: Distributions that decide about speed and are not modules by that name, or may be imported late.
_PACKAGE_PREFIXES = ("nvidia-", "triton", "intel-", "mkl", "torch", "cuda-", "pillow", "onednn")

Group = dict[str, Any]


def capture() -> dict[str, Group]:
    """Return everything that could be found out, without empty groups."""
    groups: dict[str, Callable[[], Group]] = {
        "python": _python,
        "platform": _platform,
        "cpu": cpu_facts,
        "memory": _memory,
        "container": _container,
        "scheduler": _scheduler,
        "git": _git,
        "torch": torch_facts,
        "packages": _packages,
        "variables": _variables,
    }
    found = {name: _known(_answer(group)) for name, group in groups.items()}
    found.update((name, _known(group)) for name, group in _answer(gpu_info.describe).items())
    return {name: group for name, group in found.items() if group}


def _answer(group: Callable[[], Group]) -> Group:
    """Return a group, {} on a machine so strange that asking for it fails: the training is to go on."""
    try:
        return group()
    except (AttributeError, ImportError, LookupError, OSError, RuntimeError, TypeError, ValueError):
        return {}


def _known(group: Group) -> Group:
    return {name: value for name, value in group.items() if value not in (None, "", [], {})}


def _text(path: str) -> Optional[str]:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return None


def _output(*line: str) -> Optional[str]:
    """Return what a program prints; None when it is missing, fails or takes longer than five seconds."""
    environ = {**os.environ, "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}
    try:
        done = subprocess.run(
            line, stdin=subprocess.DEVNULL, capture_output=True, timeout=5, check=True, env=environ
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.decode("utf-8", "replace").strip()


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
    """Return the group `cpu`, None for what is not known."""
    model = _field("/proc/cpuinfo", r"^model name\s*:\s*(.*)$")
    cores = Path("/sys/devices/system/cpu")
    governors = {_text(str(path)) for path in cores.glob("cpu*/cpufreq/scaling_governor")}
    return {
        "model": model or _output("sysctl", "-n", "machdep.cpu.brand_string") or platform.processor(),
        "sockets": _count_of("physical id") or None,
        "cores_physical": _count_of("physical id", "core id") or None,
        "cores_logical": os.cpu_count(),
        "cores_usable": usable_cores(),
        "cores_quota": _cpu_quota(),
        "governor": ", ".join(sorted(name for name in governors if name)),
        "numa_nodes": len(list(Path("/sys/devices/system/node").glob("node[0-9]*"))) or None,
    }


def _count_of(*names: str) -> int:
    """Return how many different values these fields of /proc/cpuinfo have together."""
    text = _text("/proc/cpuinfo") or ""
    found = [re.findall(rf"^{name}\s*:\s*(.*)$", text, re.MULTILINE) for name in names]
    return len(set(zip(*found)))  # noqa: B905 - Python 3.9 has no strict


def usable_cores() -> Optional[int]:
    """Return how many cores this process may run on at one time; a quota counts as whole cores at least 1."""
    try:
        allowed: Optional[int] = len(os.sched_getaffinity(0))
    except AttributeError:  # not on macOS and Windows
        allowed = os.cpu_count()
    quota = _cpu_quota()
    return allowed if quota is None or allowed is None else max(1, min(allowed, int(quota)))


def _cpu_quota() -> Optional[float]:
    """Return the cores that the control groups of this process grant, the tightest of all levels."""
    limits = [part.split() for part in _cgroup_texts("cpu.max", "cpu")]
    quotas = [int(one[0]) / int(one[1]) for one in limits if len(one) == 2 and one[0] != "max"]
    version1 = (_cgroup_texts("cpu.cfs_quota_us", "cpu"), _cgroup_texts("cpu.cfs_period_us", "cpu"))
    for quota, period in zip(*version1):  # noqa: B905 - Python 3.9 has no strict
        if int(quota) > 0:
            quotas.append(int(quota) / int(period))
    return min(quotas) if quotas else None


def _cgroup_texts(name: str, controller: str) -> list[str]:
    """Return the contents of one file of the control groups, from this process's group up to the root."""
    texts = []
    for line in (_text("/proc/self/cgroup") or "").splitlines():
        number, controllers, path = line.split(":", 2)
        if number != "0" and controller not in controllers.split(","):
            continue
        root = Path("/sys/fs/cgroup") / (controllers if number != "0" else "")
        group = root / path.lstrip("/")
        # Inside a container the path may be the host's; only its root is then visible.
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
    # cgroup v1 says "no limit" as a number larger than any machine.
    return {"total_bytes": size, "limit_bytes": limit if limit and (not size or limit < size) else None}


def _container() -> Group:
    marks = {"docker": "/.dockerenv", "podman": "/run/.containerenv"}
    kinds = [kind for kind, mark in marks.items() if Path(mark).exists()]
    variables = {
        "apptainer": "APPTAINER_NAME",
        "singularity": "SINGULARITY_NAME",
        "kubernetes": "KUBERNETES_SERVICE_HOST",
    }
    kinds += [kind for kind, name in variables.items() if name in os.environ]
    return {"kind": ", ".join(kinds)}


def _scheduler() -> Group:
    job: Group = {}
    for key, names in _JOB_VARIABLES.items():
        job[key] = next((os.environ[name] for name in names if os.environ.get(name)), None)
    return job


def _git() -> Group:
    script = Path(sys.argv[0] if sys.argv and sys.argv[0] else ".").parent
    folder = str(script if script.is_dir() else Path())
    commit = _output("git", "-C", folder, "rev-parse", "HEAD")
    if not commit:
        return {}
    changed = _output("git", "-C", folder, "status", "--porcelain", "--untracked-files=no")
    return {"commit": commit, "dirty": None if changed is None else bool(changed)}


def _packages() -> Group:
    """Return the versions of the packages that are imported, and of those known to decide about speed."""
    modules = {name.lower() for name in list(sys.modules) if "." not in name}
    versions: Group = {}
    for distribution in metadata.distributions():
        name = (distribution.metadata["Name"] or "").lower()
        if name.replace("-", "_") in modules or name.startswith(_PACKAGE_PREFIXES):
            versions[name] = distribution.version
    return dict(sorted(versions.items()))


def _variables() -> Group:
    values = {name: os.environ[name] for name in _VARIABLES if name in os.environ}
    return {name: " ".join(without_secrets(value.split(" "))) for name, value in values.items()}
