"""Intel's library adds to the kernel's files what they lack, and is never needed."""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from collectors.machine import level_zero
from collectors.machine.doctor import HostReport, check_devices
from tests.collectors.sysfs_standin import XE, XE_COLUMNS, add_card
from tests.conftest import ROOT

PCI = "0000:3a:00.0"
SOURCE = Path(__file__).with_name("level_zero_standin.c")

READ = """
import json, sys
from pathlib import Path
from collectors.machine.device_model import visible_model
from collectors.machine.doctor import HostReport, check_level_zero
from collectors.telemetry.sysfs_source import SysfsSource
sysfs = Path(sys.argv[1])
source = SysfsSource.open({}, sysfs, uses_libraries=True)
source.read([True])
((_, _, values),) = source.read([True])
report = HostReport()
check_level_zero(report)
print(json.dumps([values, source.missing(), report.text(), visible_model({}, sysfs)]))
"""

COMPARE = """
import ctypes
load = ctypes.CDLL
ctypes.CDLL = lambda path, *rest, **options: load(path.rpartition("/")[2], *rest, **options)  # pyzes names a folder
import pyzes
from collectors.machine import level_zero as own
pairs = [
    (own.CoreProperties, pyzes.ze_device_properties_t), (own.DeviceProperties, pyzes.zes_device_properties_t),
    (own.PciProperties, pyzes.zes_pci_properties_t), (own.EngineProperties, pyzes.zes_engine_properties_t),
    (own.EngineStats, pyzes.zes_engine_stats_t), (own.MemoryProperties, pyzes.zes_mem_properties_t),
    (own.MemoryState, pyzes.zes_mem_state_t), (own.TemperatureProperties, pyzes.zes_temp_properties_t),
]
def offsets(structure):
    bases = [base for base in reversed(structure.__mro__) if "_fields_" in vars(base)]
    return [getattr(structure, field[0]).offset for base in bases for field in base._fields_]
for mine, theirs in pairs:
    print(mine.__name__, ctypes.sizeof(mine) == ctypes.sizeof(theirs), set(offsets(theirs)) <= set(offsets(mine)))
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """The folder of the stand-in, which the loader of the system finds."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if not compiler:
        pytest.skip("no C compiler to make a stand-in for Level Zero")
    folder = tmp_path_factory.mktemp("level_zero")
    target = folder / "libze_loader.so.1"
    line = [compiler, "-shared", "-fPIC", "-Wl,-soname,libze_loader.so.1", str(SOURCE), "-o", str(target)]
    subprocess.run(line, check=True)
    return folder


def run(program, library, *arguments, **variables):
    environ = {**os.environ, "LD_LIBRARY_PATH": str(library), **variables}
    environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    line = [sys.executable, "-c", program, *map(str, arguments)]
    done = subprocess.run(line, env=environ, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_library_adds_what_the_files_lack(library, tmp_path):
    """(900 + 500) of 2,000 us are 70 %; 4 + 1 of 128 GiB are in use; 58.9 degrees C are read as 58."""
    add_card(tmp_path, 0, PCI, XE)
    values, missing, report, model = json.loads(run(READ, library, tmp_path))
    size = {"memory_used_bytes": 5 << 30, "memory_total_bytes": 128 << 30}
    assert values == {**XE_COLUMNS, **size, "utilization_gpu_percent": 70, "temperature_celsius": 58}
    assert "temperature_memory_celsius" not in values  # 0 is not a temperature
    assert "utilization_gpu_percent" not in missing
    assert (
        f"checked Level Zero: Intel(R) Data Center GPU Stand-in at {PCI}: utilization is recorded" in report
    )
    assert model == "Intel(R) Data Center GPU Stand-in"


def test_without_the_rights_for_engines_the_rest_is_read_and_the_doctor_names_the_remedy(library, tmp_path):
    add_card(tmp_path, 0, PCI, XE)
    values, _, report, _ = json.loads(run(READ, library, tmp_path, ZES_STANDIN_ENGINES="0x70010000"))
    assert "utilization_gpu_percent" not in values
    assert values["memory_used_bytes"] == 5 << 30
    text = "utilization: insufficient permissions; start the launcher as root to record it"
    assert f"not checked Level Zero: Intel(R) Data Center GPU Stand-in at {PCI}: {text}" in report


def test_a_library_that_does_not_start_leaves_the_files(library, tmp_path):
    add_card(tmp_path, 0, PCI, XE)
    values, _, report, model = json.loads(run(READ, library, tmp_path, ZES_STANDIN_RESULT="0x78000001"))
    assert values == XE_COLUMNS
    assert "Level Zero: Level Zero does not start: no driver of Level Zero: no utilization" in report
    assert model == "Intel GPU 0x56c0"


def test_a_gpu_at_another_address_is_not_mixed_up(library, tmp_path):
    add_card(tmp_path, 0, "0000:9a:00.0", XE)
    values, _, _, model = json.loads(run(READ, library, tmp_path))
    assert values == XE_COLUMNS
    assert model == "Intel GPU 0x56c0"


@pytest.mark.skipif(importlib.util.find_spec("pyzes") is None, reason="needs the package pyzes")
def test_the_structures_are_those_of_intels_own_package(library):
    lines = run(COMPARE, library).splitlines()
    assert len(lines) == 8
    assert [line for line in lines if not line.endswith("True True")] == []


def test_without_the_library_the_doctor_says_what_is_not_recorded(tmp_path, monkeypatch):
    monkeypatch.setattr("collectors.machine.doctor.has_driver", lambda: False)
    monkeypatch.setattr(level_zero, "_LIBRARY", "libnothing.so.1")
    add_card(tmp_path, 0, PCI, XE)
    report = HostReport()
    check_devices(report, {}, tmp_path)
    assert (
        "not checked Level Zero: Level Zero is not installed: no utilization, no memory in use"
        in report.text()
    )
    assert not report.advice
