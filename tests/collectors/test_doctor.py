"""The doctor reports each problem with its remedy, and nothing else."""

import os

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
    monkeypatch.setattr(doctor.metadata, "version", lambda name: "2.9.0+cu130")


@pytest.fixture
def good(standin, quiet):
    """A device without problems."""
    standin.set("0 persistence 1", "0 event_reasons 1", "0 pcie_width_max 16", "0 slowdown 90")
    return standin


def test_a_host_without_problems_gets_no_advice(good, capsys):
    assert main(["doctor", "--workers", "8", "--strict"]) == 0
    assert capsys.readouterr().out == "no problems found\n"


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
        ("0 mig 1", "split into MIG instances", "-mig 0"),
    ],
)
def test_each_device_problem_is_reported_with_its_remedy(good, answer, fact, remedy):
    good.set(answer)
    (advice,) = doctor.check_devices()
    assert advice.subject == f"{UUID} (NVIDIA Stand-in 80GB)"
    assert fact in advice.fact
    assert remedy in advice.remedy


def test_changed_application_clocks_are_reported(good):
    good.set("0 application_sm 1200", "0 default_sm 1980")
    (advice,) = doctor.check_devices()
    assert (advice.fact, advice.remedy) == (
        "application clock is 1200 MHz, default 1980 MHz",
        f"nvidia-smi -i {UUID} -rac (as root)",
    )


def test_a_driver_that_does_not_start_is_reported(good):
    good.replace("system init !9")
    (advice,) = doctor.check_devices()
    assert (advice.subject, advice.remedy) == ("driver", "load the NVIDIA driver")


def test_a_cpu_build_of_torch_on_a_gpu_host_is_reported(good, monkeypatch):
    monkeypatch.setattr(doctor.metadata, "version", lambda name: "2.13.0+cpu")
    assert [advice.subject for advice in doctor.check_devices()] == ["torch"]


@pytest.mark.parametrize(
    ("owner", "name", "value", "fact"),
    [
        (environment, "usable_cores", lambda: 4, "8 workers on 4 usable cores of 8"),
        (environment, "cpu_facts", lambda: {"governor": "powersave"}, "the frequency governor is powersave"),
        (os, "getloadavg", lambda: (3.21, 0, 0), "load average 3.2: another process is running"),
    ],
)
def test_each_host_problem_is_reported(quiet, monkeypatch, tmp_path, owner, name, value, fact):
    monkeypatch.setattr(owner, name, value)
    (advice,) = doctor.check_host(8, tmp_path)
    assert advice.fact == fact
    assert advice.remedy


def test_a_core_limit_is_reported_even_without_workers(quiet, monkeypatch, tmp_path):
    monkeypatch.setattr(environment, "usable_cores", lambda: 4)
    assert [advice.fact for advice in doctor.check_host(0, tmp_path)] == ["this process may use 4 of 8 cores"]


def test_low_disk_space_is_reported(quiet, monkeypatch, tmp_path):
    monkeypatch.setattr(doctor.shutil, "disk_usage", lambda path: type("Usage", (), {"free": 2**29}))
    facts = [(advice.subject, advice.fact) for advice in doctor.check_host(2, tmp_path)]
    assert facts == [("shared memory", "only 0.5 GiB free"), ("disk of the logs", "only 0.5 GiB free")]


def test_strict_exits_with_code_4_if_there_is_advice(good, capsys):
    good.set("0 persistence 0")
    assert main(["doctor"]) == 0
    assert main(["doctor", "--strict"]) == 4
    assert capsys.readouterr().out.count("remedy: ") == 2
