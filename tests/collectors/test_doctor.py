"""The doctor reports each problem with its remedy, and nothing else."""

import os
from importlib import metadata

import pytest

from collectors.__main__ import main
from collectors.machine import doctor, environment

UUID = "GPU-11111111-aaaa"


@pytest.fixture
def quiet(monkeypatch):
    """A host without problems."""
    monkeypatch.setattr(environment, "usable_cores", lambda: 8)
    monkeypatch.setattr(os, "cpu_count", lambda: 8)
    monkeypatch.setattr(os, "getloadavg", lambda: (0.0, 0.0, 0.0), raising=False)
    monkeypatch.setattr(environment, "cpu_facts", lambda: {"governor": "performance"})
    usage = type("Usage", (), {"free": 2**40})
    monkeypatch.setattr(doctor.shutil, "disk_usage", lambda path: usage)
    monkeypatch.setattr(metadata, "version", lambda name: "2.9.0+cu130")


@pytest.fixture
def good(standin, quiet):
    """A device without problems."""
    standin.set("0 persistence 1", "0 event_reasons 1", "0 pcie_width_max 16", "0 slowdown 90", "0 mig 0")
    standin.set("0 remapped_pending 0")
    return standin


def devices_of(environ=None):
    report = doctor.HostReport()
    doctor.check_devices(report, environ or {})
    return report


def host_of(workers, folder):
    report = doctor.HostReport()
    doctor.check_host(report, workers, folder)
    return report


def test_a_host_without_problems_gets_no_advice_and_a_list_of_the_checks(good, capsys):
    assert main(["doctor", "--workers", "8", "--strict"]) == 0
    device = f"{UUID} (NVIDIA Stand-in 80GB)"
    assert capsys.readouterr().out.splitlines() == [
        "checked the host: usable cores, frequency governor, load, disk of the logs, shared memory",
        f"checked {device}: other processes, clock settings, power limit, persistence mode, reduced clocks, "
        "temperature, memory errors, remapped rows, PCIe link, MIG",
        "no problems found",
    ]


def test_what_the_driver_does_not_answer_is_not_checked(good):
    good.set("0 limit !3", "0 remapped_corrected !3")
    report = devices_of()
    assert report.advice == []
    assert report.unchecked == [
        f"{UUID} (NVIDIA Stand-in 80GB): power limit, remapped rows, which the driver does not answer"
    ]
    assert "power limit" not in report.checked[0]


def test_a_host_without_driver_is_a_problem_unless_the_cpu_is_measured(quiet, monkeypatch, capsys):
    monkeypatch.setattr(doctor, "has_driver", lambda: False)
    assert main(["doctor", "--strict"]) == 4
    assert "no NVIDIA driver: no GPU can be measured" in capsys.readouterr().out
    assert main(["doctor", "--strict", "--device", "cpu"]) == 0
    assert capsys.readouterr().out.endswith("no problems found\n")


def test_a_driver_without_device_is_a_problem(good):
    good.replace("system count 0")
    (advice,) = devices_of().advice
    assert advice.fact == "the driver has no device"


def test_only_visible_devices_are_checked(good):
    second = good.answers.read_text().replace("\n0 ", "\n1 ").replace("1111-aaaa", "2222-bbbb")
    good.replace(good.answers.read_text() + second)
    good.set("system count 2", "0 persistence 0")
    assert len(devices_of().advice) == 1
    assert devices_of({"CUDA_VISIBLE_DEVICES": "1"}).advice == []
    assert len(devices_of({"CUDA_VISIBLE_DEVICES": "1"}).checked) == 1
    (advice,) = devices_of({"CUDA_VISIBLE_DEVICES": ""}).advice
    assert advice.fact == "CUDA_VISIBLE_DEVICES hides all devices"


def test_clocks_that_a_setting_holds_down_are_reported(good):
    good.set("0 event_reasons 2")
    (advice,) = devices_of().advice
    assert advice.fact == "clocks are held down by a setting (locked or application clocks)"
    assert f"nvidia-smi -i {UUID} -rgc" in advice.remedy


@pytest.mark.parametrize(("margin", "count"), [(9, 1), (40, 0)])
def test_the_distance_to_the_slowdown_is_used_where_the_threshold_is_withdrawn(good, margin, count):
    good.set("0 slowdown !3", f"0 margin {margin}")
    assert [advice.fact for advice in devices_of().advice] == ["61 degrees C; clocks are reduced at 70"][
        :count
    ]


def test_the_load_is_judged_by_the_number_of_cores(quiet, monkeypatch, tmp_path):
    monkeypatch.setattr(os, "getloadavg", lambda: (1.5, 0, 0))
    assert len(host_of(0, tmp_path).advice) == 1
    monkeypatch.setattr(os, "cpu_count", lambda: 128)
    monkeypatch.setattr(environment, "usable_cores", lambda: 128)
    assert host_of(0, tmp_path).advice == []


def test_a_governor_that_is_not_shown_is_not_checked(quiet, monkeypatch, tmp_path):
    monkeypatch.setattr(environment, "cpu_facts", lambda: {"governor": ""})
    report = host_of(0, tmp_path)
    assert report.checked == ["the host: usable cores, load, disk of the logs"]
    assert report.unchecked == ["the host: frequency governor, which this system does not show"]


@pytest.mark.parametrize(
    ("answer", "fact", "remedy"),
    [
        ("0 processes 1:3221225472", "in use by 1 processes (1), 3.0 GiB", "CUDA_VISIBLE_DEVICES"),
        ("0 limit 500000", "power limit is 500 W, default 700 W", f"nvidia-smi -i {UUID} -pl 700 (as root)"),
        ("0 persistence 0", "persistence mode is off", f"nvidia-smi -i {UUID} -pm 1 (as root)"),
        ("0 event_reasons 0x48", "clocks are reduced: hardware slowdown, hardware thermal", "cooling"),
        ("0 temperature 80", "80 degrees C; clocks are reduced at 90", "cooling"),
        ("0 ecc_uncorrected 2", "2 uncorrected memory errors", "reset"),
        ("0 pcie_width 8", "PCIe link uses 8 of 16 lanes", "slot"),
        ("0 remapped_pending 1", "a broken row of memory is replaced at the next reset", "--gpu-reset"),
        ("0 remapped_failed 1", "a broken row of memory could not be replaced", "replace the device"),
        ("0 mig 1", "split into MIG instances", "-mig 0"),
    ],
)
def test_each_device_problem_is_reported_with_its_remedy(good, answer, fact, remedy):
    good.set(answer)
    (advice,) = devices_of().advice
    assert advice.subject == f"{UUID} (NVIDIA Stand-in 80GB)"
    assert fact in advice.fact
    assert remedy in advice.remedy


def test_changed_application_clocks_are_reported(good):
    good.set("0 application_sm 1200", "0 default_sm 1980")
    (advice,) = devices_of().advice
    assert (advice.fact, advice.remedy) == (
        "application clock is 1200 MHz, default 1980 MHz",
        f"nvidia-smi -i {UUID} -rac (as root)",
    )


@pytest.mark.parametrize(
    ("code", "remedy"),
    [
        (9, "load the NVIDIA driver"),
        (18, "restart the host"),
        (4, "give this user access"),
        (999, "run nvidia-smi"),
    ],
)
def test_a_driver_that_does_not_start_is_reported(good, code, remedy):
    good.replace(f"system init !{code}")
    report = devices_of()
    (advice,) = report.advice
    assert advice.subject == "driver"
    assert advice.remedy.startswith(remedy)
    assert report.unchecked == ["GPUs"]


def test_a_cpu_build_of_torch_on_a_gpu_host_is_reported(good, monkeypatch):
    monkeypatch.setattr(metadata, "version", lambda name: "2.13.0+cpu")
    assert [advice.subject for advice in devices_of().advice] == ["torch"]


@pytest.mark.parametrize(
    ("owner", "name", "value", "fact"),
    [
        (environment, "usable_cores", lambda: 4, "8 workers on 4 usable cores of 8"),
        (environment, "cpu_facts", lambda: {"governor": "powersave"}, "the frequency governor is powersave"),
        (os, "getloadavg", lambda: (3.21, 0, 0), "load average 3.2 on 8 cores: other processes are running"),
    ],
)
def test_each_host_problem_is_reported(quiet, monkeypatch, tmp_path, owner, name, value, fact):
    monkeypatch.setattr(owner, name, value)
    (advice,) = host_of(8, tmp_path).advice
    assert advice.fact == fact
    assert advice.remedy


def test_a_core_limit_is_reported_even_without_workers(quiet, monkeypatch, tmp_path):
    monkeypatch.setattr(environment, "usable_cores", lambda: 4)
    assert [advice.fact for advice in host_of(0, tmp_path).advice] == ["this process may use 4 of 8 cores"]


def test_low_disk_space_is_reported(quiet, monkeypatch, tmp_path):
    monkeypatch.setattr(doctor.shutil, "disk_usage", lambda path: type("Usage", (), {"free": 2**29}))
    facts = [(advice.subject, advice.fact) for advice in host_of(2, tmp_path).advice]
    assert facts == [("disk of the logs", "only 0.5 GiB free"), ("shared memory", "only 0.5 GiB free")]


def test_strict_exits_with_code_4_if_there_is_advice(good, capsys):
    good.set("0 persistence 0")
    assert main(["doctor"]) == 0
    assert main(["doctor", "--strict"]) == 4
    assert capsys.readouterr().out.count("remedy: ") == 2
