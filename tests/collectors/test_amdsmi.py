"""AMD's library is preferred to the kernel's files, value by value, and never needed."""

import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from collectors.machine import amdsmi
from collectors.machine.doctor import HostReport, check_devices
from collectors.machine.nvml import UnavailableError
from collectors.telemetry.amdsmi_device import AmdSmiDevice
from collectors.telemetry.sysfs_source import SysfsSource
from tests.collectors.sysfs_standin import AMD, AMD_COLUMNS, SENSORS, add_card
from tests.conftest import ROOT

PCI = "0000:41:00.0"
has_package = importlib.util.find_spec("amdsmi") is not None


class AmdSmiException(Exception):
    pass


def refuse(*_):
    raise AmdSmiException("Error code:\n\t2 | AMDSMI_STATUS_NOT_SUPPORTED")


class Amdsmi(SimpleNamespace):
    """The functions of the package that are read, with their keys and units."""

    def __init__(self, **answers):
        super().__init__()
        self.calls = []
        self.AmdSmiException = AmdSmiException
        self.AmdSmiClkType = SimpleNamespace(GFX=0)
        self.answers = {
            "power_info": {"current_socket_power": 512, "average_socket_power": "N/A"},
            "energy_count": {"energy_accumulator": 1000, "counter_resolution": 15.3},
            "gpu_activity": {"gfx_activity": 98, "umc_activity": 42},
            "clock_info": {"clk": 2100},
            "gpu_total_ecc_count": {"correctable_count": 3, "uncorrectable_count": 1},
            **answers,
        }
        for name in self.answers:
            setattr(self, f"amdsmi_get_{name}", self._call(name))

    def _call(self, name):
        def call(*_):
            self.calls.append(name)
            return self.answers[name] if self.answers[name] is not None else refuse()

        return call


FAST = {
    "power_mw": 512000,
    "utilization_gpu_percent": 98,
    "utilization_memory_percent": 42,
    "clock_sm_mhz": 2100,
}


def test_power_activity_and_clock_have_the_units_of_the_columns():
    device = AmdSmiDevice(Amdsmi(), 1)
    assert device.read(is_slow=False) == FAST
    assert device.read(is_slow=True) == {**FAST, "ecc_corrected_count": 3, "ecc_uncorrected_count": 1}


def test_the_counter_of_energy_has_a_value_once_it_has_risen():
    """1,000,000 and 3,000,000 steps of 15.3 uJ are 15,300 and 45,900 mJ."""
    smi = Amdsmi(energy_count={"energy_accumulator": 1_000_000, "counter_resolution": 15.3})
    device = AmdSmiDevice(smi, 1)
    assert "energy_mj" not in device.read(is_slow=False)
    assert "energy_mj" not in device.read(is_slow=False)  # stuck, as on MI100
    smi.answers["energy_count"] = {"power": 3_000_000, "counter_resolution": 15.3}  # the older key
    assert device.read(is_slow=False)["energy_mj"] == 45_900


@pytest.mark.parametrize(
    ("answers", "absent"),
    [
        ({"power_info": {"current_socket_power": 0, "average_socket_power": "N/A"}}, ["power_mw"]),
        ({"power_info": {"current_socket_power": "N/A", "average_socket_power": "N/A"}}, ["power_mw"]),
        ({"gpu_activity": {"gfx_activity": 392, "umc_activity": 42}}, ["utilization_gpu_percent"]),
        ({"clock_info": {"clk": "N/A"}}, ["clock_sm_mhz"]),
    ],
)
def test_known_faults_are_absent(answers, absent):
    values = AmdSmiDevice(Amdsmi(**answers), 1).read(is_slow=False)
    assert values == {name: value for name, value in FAST.items() if name not in absent}


def test_a_call_that_fails_is_not_made_again():
    smi = Amdsmi(power_info=None)
    del smi.amdsmi_get_clock_info  # an older package
    device = AmdSmiDevice(smi, 1)
    device.read(is_slow=False)
    assert device.read(is_slow=False).keys() == {"utilization_gpu_percent", "utilization_memory_percent"}
    assert smi.calls.count("power_info") == 1


def test_the_files_of_the_kernel_have_what_the_library_lacks(tmp_path, monkeypatch):
    smi = Amdsmi(power_info={"current_socket_power": 0, "average_socket_power": "N/A"}, clock_info=None)
    smi.amdsmi_get_processor_handles = lambda: [1]
    smi.amdsmi_get_gpu_device_bdf = lambda _: PCI
    monkeypatch.setattr("collectors.telemetry.sysfs_source.start_amdsmi", lambda: smi)
    add_card(tmp_path, 0, PCI, {**AMD, f"{SENSORS}/freq1_input": "", "device/gpu_busy_percent": ""})
    source = SysfsSource.open({}, tmp_path, uses_libraries=True)
    ((_, _, values),) = source.read([True])
    library = {"utilization_gpu_percent": 98, "utilization_memory_percent": 42}
    library |= {"ecc_corrected_count": 3, "ecc_uncorrected_count": 1}
    assert values == {**AMD_COLUMNS, **library, "clock_sm_mhz": 1250}  # the level with a star
    assert "utilization_gpu_percent" not in source.missing()


def test_without_the_package_the_doctor_says_what_is_not_recorded(tmp_path, monkeypatch):
    monkeypatch.setattr(amdsmi.importlib.util, "find_spec", lambda _: None)
    monkeypatch.setattr("collectors.machine.doctor.has_driver", lambda: False)
    add_card(tmp_path, 0, PCI, AMD)
    report = HostReport()
    check_devices(report, {}, tmp_path)
    assert "amdsmi: the package amdsmi is not installed" in report.text()
    assert not report.advice


PROGRAM = """
import json, sys
from pathlib import Path
from collectors.machine.amdsmi import start_amdsmi
from collectors.machine.nvml import UnavailableError
from collectors.telemetry.sysfs_source import SysfsSource
try:
    start_amdsmi()
except UnavailableError as error:
    sys.exit(str(error))
source = SysfsSource.open({}, Path(sys.argv[1]), uses_libraries=True)
source.read([True])
((_, _, values),) = source.read([True])
print(json.dumps(values))
"""


def run_with_package(sysfs, rocm):
    environ = {**os.environ, "ROCM_PATH": str(rocm)}
    environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    line = [sys.executable, "-c", PROGRAM, str(sysfs)]
    return subprocess.run(line, env=environ, capture_output=True, text=True, check=False, timeout=60)


def build_library(folder):
    """Compile the stand-in; functions that it lacks say that they are not supported."""
    package = Path(importlib.util.find_spec("amdsmi").submodule_search_locations[0])
    names = set(
        re.findall(r"_libraries\['libamd_smi\.so'\]\.(\w+)", (package / "amdsmi_wrapper.py").read_text())
    )
    text = Path(__file__).with_name("amdsmi_standin.c").read_text()
    stubs = [
        f"int {name}(void) {{ return NOT_SUPPORTED; }}"
        for name in sorted(names)
        if f"int {name}(" not in text
    ]
    (folder / "lib").mkdir()
    (folder / "all.c").write_text("\n".join([text, *stubs, ""]))
    line = ["cc", "-shared", "-fPIC", "-o", str(folder / "lib" / "libamd_smi.so"), str(folder / "all.c")]
    subprocess.run(line, check=True)


@pytest.mark.skipif(not has_package, reason="needs the package amdsmi")
def test_the_real_package_is_read_through_a_library_of_its_version(tmp_path):
    add_card(tmp_path, 0, PCI, AMD)
    done = run_with_package(tmp_path, tmp_path)
    assert done.stderr == "the package amdsmi has no libamd_smi.so of its version\n"
    assert done.stdout == ""
    build_library(tmp_path)
    done = run_with_package(tmp_path, tmp_path)
    assert done.returncode == 0, done.stderr
    library = {"power_mw": 431000, "utilization_gpu_percent": 97, "clock_sm_mhz": 1699}
    energy = {"energy_mj": 18360}  # 1,200,000 steps of 15.3 uJ
    assert json.loads(done.stdout) == {**AMD_COLUMNS, **library, **energy}


def test_a_library_that_does_not_start_is_named(monkeypatch):
    smi = Amdsmi()
    smi.amdsmi_init = refuse
    monkeypatch.setattr(amdsmi.importlib.util, "find_spec", lambda _: True)
    monkeypatch.setattr(amdsmi.importlib, "import_module", lambda _: smi)
    with pytest.raises(
        UnavailableError, match=r"amdsmi does not start: Error code: 2 \| AMDSMI_STATUS_NOT_SUPPORTED"
    ):
        amdsmi.start_amdsmi()
