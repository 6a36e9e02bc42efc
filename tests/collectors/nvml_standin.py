"""A stand-in for NVML, compiled here, that gives the real `pynvml` the answers of a test."""

import _ctypes
import ctypes
import os
import shutil
import subprocess
import threading
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest

SOURCE = Path(__file__).with_name("nvml_standin.c")
SONAME = "libnvidia-ml.so.1"
ONE = """
0 uuid GPU-11111111-aaaa
0 name NVIDIA Stand-in 80GB
0 utilization 97
0 utilization_memory 40
0 memory_total 85899345920
0 memory_used 8589934592
0 power 412000
0 limit 700000
0 default_limit 700000
0 temperature 61
0 clock_sm 1755
0 clock_memory 2619
0 clock_sm_max 1980
0 clock_memory_max 2619
0 pcie_generation 5
0 pcie_width 16
0 field197 5000000000
0 field198 6000000000
0 field138 7000000
0 field139 8000000
0 violation0 11000000000
0 violation1 12
0 violation2 0
0 violation3 13
0 violation5 14
0 remapped_corrected 1
0 remapped_uncorrected 2
0 remapped_pending 1
0 remapped_failed 0
0 energy 123456789
0 ecc_corrected 0
0 ecc_uncorrected 0
0 retired_single 2
0 retired_double 1
0 field82 70
0 processes none
0 event_reasons 4
"""
ONE_COLUMNS = {
    "utilization_gpu_percent": 97,
    "utilization_memory_percent": 40,
    "memory_used_bytes": 8589934592,
    "memory_total_bytes": 85899345920,
    "power_mw": 412000,
    "power_limit_enforced_mw": 700000,
    "power_limit_default_mw": 700000,
    "temperature_celsius": 61,
    "temperature_memory_celsius": 70,
    "clock_sm_mhz": 1755,
    "clock_memory_mhz": 2619,
    "clock_sm_max_mhz": 1980,
    "clock_memory_max_mhz": 2619,
    "pcie_generation_count": 5,
    "pcie_width_count": 16,
    "pcie_tx_bytes": 5000000000,
    "pcie_rx_bytes": 6000000000,
    "nvlink_tx_bytes": 7168000000,
    "nvlink_rx_bytes": 8192000000,
    "energy_mj": 123456789,
    "ecc_corrected_count": 0,
    "ecc_uncorrected_count": 0,
    "retired_pages_count": 3,
    "remapped_rows_corrected_count": 1,
    "remapped_rows_uncorrected_count": 2,
    "remapped_rows_pending_count": 1,
    "remapped_rows_failed_count": 0,
    "foreign_processes_count": 0,
    "foreign_memory_bytes": 0,
    "clocks_event_reasons_mask": 4,
    "violation_power_ns": 11000000000,
    "violation_thermal_ns": 12,
    "violation_sync_boost_ns": 0,
    "violation_board_limit_ns": 13,
    "violation_reliability_ns": 14,
}


class Standin:
    """The answers of the driver: `set` replaces single ones, `replace` all of them."""

    def __init__(self, folder, answers):
        self.folder = folder
        self.answers = answers
        self.replace("system count 1" + ONE)

    def replace(self, text):
        self.answers.write_text(text)

    def set(self, *lines):
        keys = {tuple(line.split()[:2]) for line in lines}
        kept = [line for line in self.answers.read_text().splitlines() if tuple(line.split()[:2]) not in keys]
        temporary = self.answers.with_suffix(".new")
        temporary.write_text("\n".join([*lines, *kept]) + "\n")
        temporary.replace(self.answers)  # a sampler may be reading


def compiled(folder, *options):
    compiler = shutil.which("cc") or shutil.which("gcc")
    if not compiler:
        pytest.skip("gpu absent, and no C compiler to make a stand-in for its driver")
    library = folder / SONAME
    line = [compiler, "-shared", "-fPIC", f"-Wl,-soname,{SONAME}", *options, str(SOURCE)]
    subprocess.run([*line, "-o", str(library)], check=True)
    return library


@pytest.fixture(scope="session")
def nvml_folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("nvml")
    compiled(folder)
    return folder


@contextmanager
def unloaded():
    """Unload the stand-in at the end, so that no later test of this process finds a driver."""
    threads, has_real = set(threading.enumerate()), _loaded() is not None
    yield
    left = set(threading.enumerate()) - threads
    for thread in left:
        thread.join(10)  # it may be about to end
    alive = [thread for thread in left if thread.is_alive()]
    assert not alive, f"a sampler would jump into nothing, if its driver were unloaded: {alive}"
    while not has_real and (handle := _loaded()):  # ctypes closes nothing that it opened
        _ctypes.dlclose(handle)


def _loaded():
    """Return the handle of a library with the name of NVML in this process, None if there is none."""
    try:
        handle = _ctypes.dlopen(SONAME, os.RTLD_NOLOAD | os.RTLD_LAZY)
    except OSError:
        return None
    _ctypes.dlclose(handle)  # of this look
    return handle


@pytest.fixture
def standin(nvml_folder, tmp_path, monkeypatch):
    """The stand-in with one device, loaded where pynvml looks for it."""
    pynvml = pytest.importorskip("pynvml")
    monkeypatch.setattr(pynvml, "nvmlLib", None)
    monkeypatch.setattr(pynvml, "_nvmlGetFunctionPointer_cache", {})
    answers = tmp_path / "answers.txt"
    monkeypatch.setenv("NVML_STANDIN", str(answers))
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    with unloaded():
        ctypes.CDLL(str(nvml_folder / SONAME))  # pynvml then loads it by its soname
        yield Standin(nvml_folder, answers)


def broken_nvml(kind):
    """Return a module `pynvml` that does not work."""

    class NVMLError(Exception):
        pass

    def fail():
        raise NVMLError("Unknown Error")

    started = {"NVMLError": NVMLError, "nvmlInit": lambda: None, "nvmlShutdown": lambda: None}
    return {
        "missing": None,
        "another module": SimpleNamespace(),
        "no function": SimpleNamespace(**started),
        "no count": SimpleNamespace(**started, nvmlDeviceGetCount=fail),
    }[kind]
