"""GPUs of AMD and Intel and the CPUs have the columns that the kernel's files hold; others are absent."""

import shutil
import threading

import pytest

from collectors.machine import device_model, gpu_info
from collectors.machine.doctor import HostReport, check_devices, check_energy
from collectors.machine.nvml import UnavailableError
from collectors.machine.sysfs_gpus import list_sysfs_gpus, visible_sysfs_gpus
from collectors.telemetry import watch
from collectors.telemetry.cpu_source import CpuSource
from collectors.telemetry.joined_source import JoinedSource
from collectors.telemetry.known_faults import FAULTS, RisingCounter, without_faults
from collectors.telemetry.samples import Event, Sample
from collectors.telemetry.sysfs_source import SysfsSource
from tests.collectors.second_reader import read
from tests.collectors.sysfs_standin import (
    AMD,
    AMD_COLUMNS,
    I915,
    I915_COLUMNS,
    SENSORS,
    XE,
    XE_COLUMNS,
    add_card,
    add_package,
    set_energy,
    write_files,
)
from tests.each_of import each_of

PCI = "0000:41:00.0"


class AfterWaits(threading.Event):
    """An event that is set by so many waits for it, however long they take."""

    def __init__(self, waits):
        super().__init__()
        self.waits = waits

    def wait(self, timeout=None):
        self.waits -= 1
        if not self.waits:
            self.set()
        return super().wait(timeout)


def sample(source, *, slow=True):
    return source.read([slow] * len(source.devices))


def only(source):
    (item,) = sample(source)
    assert isinstance(item, Sample)
    return item.values


def fail(*_):
    raise UnavailableError("no driver")


@pytest.fixture
def without_nvidia(monkeypatch):
    monkeypatch.setattr(watch.NvmlSource, "open", fail)
    monkeypatch.setattr(watch.SmiSource, "open", fail)
    monkeypatch.setattr(watch, "has_driver", lambda: False)


@pytest.mark.parametrize(
    ("files", "expected"),
    [(AMD, AMD_COLUMNS), (XE, XE_COLUMNS), (I915, I915_COLUMNS)],
    ids=["amd", "xe", "i915"],
)
def test_a_gpu_has_the_columns_of_its_files_and_no_others(tmp_path, files, expected):
    add_card(tmp_path, 0, PCI, files)
    assert only(SysfsSource.open({}, tmp_path)) == expected


@pytest.mark.parametrize(
    ("name", "columns"),
    [
        ("device/gpu_busy_percent", ["utilization_gpu_percent"]),
        ("device/mem_info_vram_used", ["memory_used_bytes"]),
        ("device/pp_dpm_mclk", ["clock_memory_mhz", "clock_memory_max_mhz"]),
        (f"{SENSORS}/power1_average", ["power_mw"]),
    ],
)
def test_a_file_that_does_not_exist_makes_its_columns_absent(tmp_path, name, columns):
    add_card(tmp_path, 0, PCI, {key: value for key, value in AMD.items() if key != name})
    source = SysfsSource.open({}, tmp_path)
    assert only(source) == {key: value for key, value in AMD_COLUMNS.items() if key not in columns}
    assert {key: source.missing()[key] for key in columns} == dict.fromkeys(columns, "not_supported")


# What another file than the usual one gives.
@pytest.mark.parametrize(
    ("changes", "column", "value"),
    [
        ({f"{SENSORS}/power1_input": 500000000}, "power_mw", 500000),  # instantaneous, before the average
        ({f"{SENSORS}/freq1_input": None}, "clock_sm_mhz", 1250),  # the level with a star
        ({f"{SENSORS}/freq1_input": None, "device/pp_dpm_sclk": "0: 132Mhz"}, "clock_sm_mhz", None),
        ({f"{SENSORS}/power1_average": 0}, "power_mw", None),
        ({f"{SENSORS}/power1_average": "no data"}, "power_mw", None),
        ({"device/gpu_busy_percent": 65535}, "utilization_gpu_percent", None),
        ({"device/gpu_busy_percent": 0}, "utilization_gpu_percent", 0),
    ],
)
def test_values_come_from_the_best_file_and_faults_are_absent(tmp_path, changes, column, value):
    files = {key: text for key, text in {**AMD, **changes}.items() if text is not None}
    add_card(tmp_path, 0, PCI, files)
    assert only(SysfsSource.open({}, tmp_path)).get(column) == value


def test_a_fault_has_its_reason_until_the_value_returns(tmp_path):
    add_card(tmp_path, 0, PCI, {**AMD, f"{SENSORS}/power1_average": 0})
    source = SysfsSource.open({}, tmp_path)
    sample(source)
    assert source.missing()["power_mw"] == "stuck_at_zero"
    write_files(tmp_path / "class/drm/card0", {f"{SENSORS}/power1_average": 90000000})
    assert only(source)["power_mw"] == 90000
    assert "power_mw" not in source.missing()


@each_of(FAULTS)
def test_every_known_fault_is_left_out_and_its_neighbours_stay(fault):
    measured, reasons = without_faults(fault.driver, {fault.column: fault.low, "pcie_width_count": 16})
    assert (measured, reasons) == ({"pcie_width_count": 16}, {fault.column: fault.reason})
    assert without_faults("another", {fault.column: fault.low}) == ({fault.column: fault.low}, {})


# (readings, range) -> totals, by hand; -1: no value.
@pytest.mark.parametrize(
    ("readings", "range_", "totals"),
    [
        ([100, 150, 150, 190], 0, [-1, 150, 150, 190]),
        ([900, 950, 20, 70], 1000, [-1, 950, 1020, 1070]),  # 950 -> 1000, and 20 more
        ([900, 10, 5], 1000, [-1, 1010, 2005]),
        ([500, 600, 3, 9], 0, [-1, 600, -1, 9]),  # reset: no value until it rises again
        ([7, 7, 7], 0, [-1, -1, -1]),  # stuck
        ([0, 0, 0], 1000, [-1, -1, -1]),
    ],
)
def test_a_counter_of_energy_continues_over_wraps_and_has_no_value_while_stuck(readings, range_, totals):
    counter = RisingCounter(range_)
    assert [counter.add(value) for value in readings] == totals


def test_the_energy_of_a_card_is_in_millijoules(tmp_path):
    add_card(tmp_path, 0, PCI, XE)
    source = SysfsSource.open({}, tmp_path)
    assert "energy_mj" not in only(source)
    write_files(tmp_path / "class/drm/card0", {f"{SENSORS}/energy1_input": 6500999})
    assert only(source)["energy_mj"] == 6500


def test_slow_fields_are_read_only_on_request(tmp_path):
    add_card(tmp_path, 0, PCI, AMD)
    (item,) = sample(SysfsSource.open({}, tmp_path), slow=False)
    assert "temperature_celsius" not in item.values
    assert item.values["power_mw"] == 412345


def test_a_card_that_disappears_is_lost_and_returns(tmp_path):
    add_card(tmp_path, 0, PCI, AMD)
    source = SysfsSource.open({}, tmp_path)
    sample(source)
    hwmon = tmp_path / "devices/pci0000:00" / PCI / "hwmon"
    shutil.move(hwmon.parent, tmp_path / "away")
    assert [item.name for item in sample(source)] == ["lost"]
    assert sample(source) == []
    shutil.move(tmp_path / "away", hwmon.parent)
    first, second = sample(source)
    assert (isinstance(first, Event), first.name, second.values) == (True, "returned", AMD_COLUMNS)


@pytest.mark.parametrize(
    ("files", "uuid", "model"),
    [
        (AMD, "GPU-a1b2c3d4e5f60718", "Instinct stand-in  192GB"),  # a comma separates cells
        ({**AMD, "device/unique_id": "0000000000000000"}, f"GPU-{PCI}", "Instinct stand-in  192GB"),
        (XE, f"GPU-{PCI}", "Intel GPU 0x56c0"),
    ],
)
def test_a_gpu_has_a_name_that_identifies_it(tmp_path, files, uuid, model):
    add_card(tmp_path, 0, PCI, files)
    (gpu,) = list_sysfs_gpus(tmp_path)
    assert (gpu.uuid, gpu.model, gpu.pci) == (uuid, model, PCI)


@pytest.mark.parametrize(
    "files",
    [
        {key: text for key, text in AMD.items() if key != f"{SENSORS}/power1_cap"},  # graphics of a processor
        {key: text for key, text in XE.items() if not key.startswith(SENSORS)},
        {**AMD, "device/vendor": "0x10de"},
        {**AMD, f"{SENSORS}/name": "radeon"},
    ],
    ids=["apu", "graphics", "nvidia", "other driver"],
)
def test_what_is_not_a_gpu_of_these_drivers_is_not_listed(tmp_path, files):
    add_card(tmp_path, 0, PCI, files)
    assert list_sysfs_gpus(tmp_path) == []


def test_an_empty_variable_hides_the_gpus(tmp_path):
    add_card(tmp_path, 1, "0000:c1:00.0", AMD)
    add_card(tmp_path, 0, PCI, {**AMD, "device/unique_id": "1"})
    assert visible_sysfs_gpus({"HIP_VISIBLE_DEVICES": ""}, tmp_path) == []
    listed = visible_sysfs_gpus({"HIP_VISIBLE_DEVICES": "0"}, tmp_path)
    assert [gpu.uuid for gpu in listed] == ["GPU-1", "GPU-a1b2c3d4e5f60718"]


def test_the_model_is_a_factor_and_a_fact_of_the_environment(tmp_path, monkeypatch):
    add_card(tmp_path, 0, PCI, AMD)
    write_files(tmp_path / "module/amdgpu", {"version": "6.12.12"})
    monkeypatch.setattr(device_model, "_nvml_models", fail)
    monkeypatch.setattr(device_model, "list_smi_devices", list)
    assert device_model.visible_model({}, tmp_path) == "Instinct stand-in  192GB"
    assert gpu_info.from_sysfs(tmp_path) == {
        "driver": {"name": "amdgpu", "version": "6.12.12"},
        "gpu": {"GPU-a1b2c3d4e5f60718": {"name": "Instinct stand-in  192GB", "pci": PCI}},
    }
    assert gpu_info.from_sysfs(tmp_path / "none") == {}


def test_the_energy_of_a_package_wraps_at_its_range(tmp_path):
    add_package(tmp_path, 0, 262_143_000_000)  # uJ, 328,850 uJ below the range
    source = CpuSource.open(tmp_path)
    assert [device.uuid for device in source.devices] == ["CPU-package-0"]
    assert sample(source) == []  # no value before it has risen
    set_energy(tmp_path, 0, 671_150)
    assert only(source) == {"cpu_energy_mj": 262_144_000}  # 262,143,000 + 328.85 + 671.15
    set_energy(tmp_path, 0, 1_671_150)
    assert only(source) == {"cpu_energy_mj": 262_145_000}


def test_packages_have_their_own_energy_and_temperature(tmp_path):
    for number in (0, 1):
        add_package(tmp_path, number, 1000)
        label = {
            "name": "coretemp",
            "temp1_label": f"Package id {number}",
            "temp1_input": 50000 + number * 1000,
        }
        write_files(tmp_path / f"class/hwmon/hwmon{3 - number}", label)
    source = CpuSource.open(tmp_path)
    sample(source)
    set_energy(tmp_path, 1, 5_000_000)
    assert {item.device: item.values for item in sample(source)} == {
        "CPU-package-0": {"cpu_temperature_celsius": 50},
        "CPU-package-1": {"cpu_energy_mj": 5000, "cpu_temperature_celsius": 51},
    }


@pytest.mark.parametrize(("packages", "expected"), [(1, [{"cpu_temperature_celsius": 48}]), (2, [])])
def test_a_sensor_without_a_package_is_used_only_if_there_is_one_package(tmp_path, packages, expected):
    for number in range(packages):
        add_package(tmp_path, number, 1000)
    write_files(
        tmp_path / "class/hwmon/hwmon0", {"name": "k10temp", "temp1_label": "Tctl", "temp1_input": 48125}
    )
    assert [item.values for item in sample(CpuSource.open(tmp_path))] == expected


def unreadable(tmp_path):
    """Return a host whose energy only root may read; the tests may be root, so the file is a folder."""
    add_package(tmp_path, 0, 1000)
    energy = tmp_path / "class/powercap/intel-rapl:0/energy_uj"
    energy.unlink()
    energy.mkdir()
    return tmp_path


def test_a_package_without_readable_energy_is_not_sampled(tmp_path):
    assert CpuSource.open(unreadable(tmp_path)).devices == []


def test_doctor_says_what_of_the_cpu_is_recorded(tmp_path):
    report = HostReport()
    add_package(tmp_path / "root", 0, 1000)
    check_energy(report, tmp_path / "root")
    check_energy(report, unreadable(tmp_path / "user"))
    assert report.checked == ["CPU package-0: its energy is recorded"]
    assert report.unchecked == ["CPU package-0: energy, which only root may read on this host"]


@pytest.mark.parametrize(
    ("changes", "fact"),
    [
        ({}, ""),
        ({f"{SENSORS}/power1_cap": 500000000}, "power limit is 500 W, default 750 W"),
        ({"device/power_dpm_force_performance_level": "manual"}, "the performance level is manual, not auto"),
    ],
)
def test_doctor_checks_the_settings_of_a_gpu(tmp_path, monkeypatch, changes, fact):
    monkeypatch.setattr("collectors.machine.doctor.has_driver", lambda: False)
    add_card(tmp_path, 0, PCI, {**AMD, **changes})
    report = HostReport()
    check_devices(report, {}, tmp_path)
    subject = "GPU-a1b2c3d4e5f60718 (Instinct stand-in  192GB)"
    assert [(advice.subject, advice.fact) for advice in report.advice] == ([(subject, fact)] if fact else [])
    assert report.checked == [f"{subject}: driver amdgpu, power limit, clock settings"]


def test_joined_sources_keep_their_devices_and_slow_fields_apart(tmp_path):
    add_card(tmp_path, 0, PCI, AMD)
    add_package(tmp_path, 0, 1000)
    write_files(tmp_path / "class/hwmon/hwmon0", {"name": "k10temp", "temp1_input": 48125})
    source = JoinedSource([SysfsSource.open({}, tmp_path), CpuSource.open(tmp_path)])
    assert [item.device for item in source.read([True, False])] == ["GPU-a1b2c3d4e5f60718"]
    assert [item.device for item in source.read([False, True])] == ["GPU-a1b2c3d4e5f60718", "CPU-package-0"]
    assert source.missing()["energy_mj"] == "not_supported"
    assert [item.values for item in source.probe()] == [{"utilization_gpu_percent": 93, "power_mw": 412345}]


@pytest.mark.parametrize(
    ("is_thread", "devices"),
    [(False, {"GPU-a1b2c3d4e5f60718", "CPU-package-0"}), (True, {"GPU-a1b2c3d4e5f60718"})],
)
def test_the_sampler_writes_gpus_and_cpus_into_one_file(tmp_path, without_nvidia, is_thread, devices):
    add_card(tmp_path, 0, PCI, AMD)
    add_package(tmp_path, 0, 1000)
    write_files(tmp_path / "class/hwmon/hwmon0", {"name": "k10temp", "temp1_input": 48125})
    folder = tmp_path / "r1"
    folder.mkdir()
    stop = AfterWaits(20)  # slow fields of the second device are due in the second cycle
    watch.sample(folder, 0, 0.01, stop, root=1, environ={}, is_thread=is_thread, sysfs=tmp_path)
    recorded = read(folder)["run"]["telemetry"]["0"]
    assert set(recorded) == devices
    assert recorded["GPU-a1b2c3d4e5f60718"]["power_mw"][0] == 412345
    assert "#missing,energy_mj,not_supported" in (folder / "telemetry.node0.csv").read_text()


def test_a_host_without_any_device_has_no_telemetry(tmp_path, without_nvidia):
    with pytest.raises(UnavailableError, match="no driver; no driver"):
        watch.sample(tmp_path, 0, 0.01, threading.Event(), root=1, environ={}, sysfs=tmp_path)
    assert not watch.has_devices(tmp_path)
    add_package(tmp_path, 0, 1000)
    assert watch.has_devices(tmp_path)
