"""The factor `device`: runs on GPUs of different models are different cases."""

import os
import sys
from types import SimpleNamespace

import pytest

from collectors import Recorder
from collectors.format_v1 import run_folder
from collectors.format_v1.steps_file import steps_path
from collectors.machine import device_model
from collectors.machine.device_model import add_device, own_model, torch_model, visible_model
from collectors.machine.sysfs_gpus import list_sysfs_gpus
from collectors.machine.torch_info import torch_device
from reportgen.load import load_runs
from tests.collectors.nvml_standin import ONE, broken_nvml
from tests.collectors.sysfs_standin import XE, add_card

H100_AND_H200 = (
    "system count 2"
    + ONE.replace("NVIDIA Stand-in 80GB", "NVIDIA H100 80GB HBM3")
    + (ONE.replace("0 ", "1 ", 1).replace("\n0 ", "\n1 ").replace("GPU-1111", "GPU-2222")).replace(
        "NVIDIA Stand-in 80GB", "NVIDIA H200"
    )
)
BUS_ORDER = {"CUDA_DEVICE_ORDER": "PCI_BUS_ID"}


def test_the_driver_names_the_device_of_a_case(standin):
    assert add_device({"model": "x"}, {}) == {"model": "x", "device": "NVIDIA Stand-in 80GB"}
    assert add_device({"device": "A40"}, {}) == {"device": "A40"}


@pytest.mark.parametrize(
    ("environ", "model"),
    [
        ({**BUS_ORDER, "CUDA_VISIBLE_DEVICES": "0"}, "NVIDIA H100 80GB HBM3"),
        ({**BUS_ORDER, "CUDA_VISIBLE_DEVICES": "1"}, "NVIDIA H200"),
        ({"CUDA_VISIBLE_DEVICES": "GPU-22221111-aaaa"}, "NVIDIA H200"),
        ({}, "NVIDIA H100 80GB HBM3 + NVIDIA H200"),
        ({"CUDA_VISIBLE_DEVICES": ""}, ""),
    ],
)
def test_only_visible_devices_count(standin, environ, model):
    standin.replace(H100_AND_H200)
    assert visible_model(environ) == model


def test_several_devices_of_one_model_are_one_value(standin):
    standin.replace(H100_AND_H200.replace("H100 80GB HBM3", "H200"))
    assert visible_model({}) == "NVIDIA H200"


def test_a_mig_instance_has_the_name_of_its_profile(standin):
    standin.set(
        "0 mig 1", "0 instances_max 7", "0 instance1 5", "5 uuid MIG-55", "5 name NVIDIA X MIG 1g.10gb"
    )
    assert visible_model({}) == "NVIDIA X MIG 1g.10gb"


@pytest.mark.parametrize("kind", ["missing", "no count", "no function", "another module"])
def test_nvidia_smi_names_the_device_if_nvml_does_not_work(tmp_path, monkeypatch, kind):
    program = tmp_path / "nvidia-smi"
    program.write_text('#!/bin/sh\nprintf "GPU-1, NVIDIA H100 PCIe\\nGPU-2, NVIDIA H100 PCIe\\n"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setitem(sys.modules, "pynvml", broken_nvml(kind))
    assert visible_model({"CUDA_VISIBLE_DEVICES": "1"}) == "NVIDIA H100 PCIe"


def test_a_host_without_gpu_has_no_device(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setitem(sys.modules, "pynvml", None)
    assert add_device({"model": "x"}) == {"model": "x"}


@pytest.mark.parametrize(("is_initialized", "model"), [(True, "NVIDIA H200"), (False, "")])
def test_torch_names_the_device_only_if_cuda_is_in_use(monkeypatch, is_initialized, model):
    cuda = SimpleNamespace(
        is_initialized=lambda: is_initialized, get_device_name=lambda device: "NVIDIA H200"
    )
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(cuda=cuda))
    assert torch_model() == model
    monkeypatch.delitem(sys.modules, "torch")
    assert torch_model() is None


@pytest.mark.parametrize(("is_initialized", "model"), [(True, "Intel(R) GPU"), (False, "")])
def test_torch_names_the_gpu_of_intel_that_it_uses(monkeypatch, is_initialized, model):
    cuda = SimpleNamespace(is_initialized=lambda: False)
    xpu = SimpleNamespace(is_initialized=lambda: is_initialized, get_device_name=lambda: "Intel(R) GPU")
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(cuda=cuda, xpu=xpu))
    assert torch_model() == model


def use_torch(monkeypatch, model):
    """Import a torch that uses this device; "" for the CPU."""
    cuda = SimpleNamespace(is_initialized=lambda: bool(model), get_device_name=lambda device: model)
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(cuda=cuda, __version__="2"))


def recorded(logs, case=None):
    """Return the run folder and `run.json` of a run with one step."""
    with Recorder.start(logs=logs, case=case or {}, timing="host") as recorder:
        recorder.step()
    return recorder.folder, run_folder.read_run(recorder.folder)


def test_repeats_on_two_models_are_two_cases_in_two_folders(tmp_path, monkeypatch):
    folders = []
    for model in ("NVIDIA H100 80GB HBM3", "NVIDIA H200"):
        use_torch(monkeypatch, model)
        folder, run = recorded(tmp_path, {"model": "x"})
        assert run["case"] == {"model": "x", "device": model}
        assert run["detected"] == ["device"]
        folders.append(folder)
    assert folders[0].parent != folders[1].parent
    assert [folder.name for folder in folders] == ["r1", "r1"]
    assert {dict(run.factors)["device"] for run in load_runs([tmp_path], root=tmp_path).runs} == {
        "NVIDIA H100 80GB HBM3",
        "NVIDIA H200",
    }


def test_without_torch_the_driver_names_the_device(standin, tmp_path, monkeypatch):
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    assert recorded(tmp_path)[1]["case"] == {"device": "NVIDIA Stand-in 80GB"}


def test_a_training_process_does_not_start_level_zero(tmp_path, monkeypatch):
    """The kernel names the GPU of Intel by its number; the launcher, which may start Level Zero, by its name."""
    add_card(tmp_path, 0, "0000:3a:00.0", XE)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setitem(sys.modules, "pynvml", None)
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    monkeypatch.setattr(device_model, "level_zero_names", lambda: pytest.fail("Level Zero was started"))
    monkeypatch.setattr(device_model, "visible_sysfs_gpus", lambda *_: list_sysfs_gpus(tmp_path))
    assert own_model() == "Intel GPU 0x56c0"
    assert own_model("Intel(R) Arc(TM) Graphics") == "Intel(R) Arc(TM) Graphics"


def test_a_run_on_the_cpu_of_a_gpu_host_has_no_device(standin, tmp_path, monkeypatch):
    use_torch(monkeypatch, "")
    run = recorded(tmp_path)[1]
    assert (run["case"], "detected" in run) == ({}, False)


def test_a_device_that_is_used_after_the_start_is_added_at_the_end(tmp_path, monkeypatch):
    use_torch(monkeypatch, "")
    with Recorder.start(logs=tmp_path, timing="host") as recorder:
        recorder.step()
        use_torch(monkeypatch, "NVIDIA H200")
    run = run_folder.read_run(recorder.folder)
    assert (run["case"], run["detected"]) == ({"device": "NVIDIA H200"}, ["device"])


def test_the_gpu_of_a_rank_is_added_at_the_end_if_it_is_used_after_the_start(tmp_path, monkeypatch):
    use_torch(monkeypatch, "")
    with Recorder.start(logs=tmp_path, timing="host") as recorder:
        recorder.step()
        monkeypatch.setitem(
            sys.modules, "torch", SimpleNamespace(cuda=cuda_of(uuid="11-22"), __version__="2")
        )
    lines = steps_path(recorder.folder, 0).read_text().splitlines()
    assert [line for line in lines if line.startswith("#device")] == ["#device,GPU-11-22"]


@pytest.mark.parametrize(
    ("launcher", "detected", "script", "device"),
    [
        ("NVIDIA H200", ["device"], {"device": "CPU"}, "CPU"),
        ("NVIDIA A40 + NVIDIA H200", ["device"], {}, "NVIDIA H200"),
        ("NVIDIA A40", [], {"device": "CPU"}, "NVIDIA A40"),
    ],
)
def test_a_choice_wins_over_what_the_launcher_detected(
    tmp_path, monkeypatch, launcher, detected, script, device
):
    run_folder.write_run(tmp_path, {"case": {"device": launcher}, "detected": detected})
    monkeypatch.setenv(run_folder.RUN_VARIABLE, str(tmp_path))
    use_torch(monkeypatch, "NVIDIA H200")
    assert recorded(tmp_path, script)[1]["case"]["device"] == device


def cuda_of(**device):
    return SimpleNamespace(
        is_initialized=lambda: True,
        get_device_name=lambda device: "NVIDIA H200",
        current_device=lambda: 3,
        get_device_properties=lambda number: SimpleNamespace(**device) if number == 3 else None,
        max_memory_allocated=lambda device: 1000,
        max_memory_reserved=lambda device: 2000,
    )


@pytest.mark.parametrize(
    ("device", "line"),
    [
        (
            {"uuid": "11-22", "pci_domain_id": 0, "pci_bus_id": 0x41, "pci_device_id": 0},
            "#device,GPU-11-22,00000000:41:00.0",
        ),
        ({"uuid": "GPU-11-22"}, "#device,GPU-11-22"),
    ],
)
def test_the_device_and_the_peak_memory_of_a_rank_are_recorded(tmp_path, monkeypatch, device, line):
    torch = SimpleNamespace(cuda=cuda_of(**device), __version__="2")
    monkeypatch.setitem(sys.modules, "torch", torch)
    lines = steps_path(recorded(tmp_path)[0], 0).read_text().splitlines()
    assert lines[1] == line
    assert lines[-3] == "#memory,1000,2000"
    (run,) = load_runs([tmp_path], root=tmp_path).runs
    assert run.findings == ()


def test_an_old_torch_without_uuids_records_no_device(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(cuda=cuda_of()))
    assert torch_device() is None
