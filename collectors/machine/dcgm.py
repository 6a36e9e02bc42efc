"""Find DCGM, NVIDIA's management of data centres, through its program `dcgmi`."""

import re
import shutil
import subprocess

from collectors.machine.nvml import UnavailableError

_GPU = re.compile(r"^\|\s*([0-9]+)\s*\|", re.MULTILINE)


def find_dcgm() -> tuple[str, dict[int, str]]:
    """Return the path of dcgmi, and the number and UUID of each GPU; raises UnavailableError."""
    program = shutil.which("dcgmi")
    if program is None:
        raise UnavailableError("dcgmi is not installed", "install datacenter-gpu-manager")
    try:
        line = [program, "discovery", "-l"]
        done = subprocess.run(line, stdin=subprocess.DEVNULL, capture_output=True, timeout=30, check=True)
    except (OSError, subprocess.SubprocessError):
        raise UnavailableError("dcgmi does not answer", "start nv-hostengine") from None
    text = done.stdout.decode("utf-8", "replace")
    parts = _GPU.split(text)[1:]
    gpus = zip(parts[::2], parts[1::2])  # noqa: B905 - Python 3.9 has no strict
    uuids = {int(number): re.search(r"Device UUID: (GPU-[0-9a-fA-F-]+)", about) for number, about in gpus}
    return program, {number: match[1] for number, match in uuids.items() if match}
