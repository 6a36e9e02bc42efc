"""The environment of a run: what is recorded, and what is not."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from collectors.machine import environment, gpu_info, torch_info
from tests.builders import write_files
from tests.collectors.nvml_standin import broken_nvml

SECRET = "hunter2-very-secret"


def test_known_facts_are_recorded_and_unknown_ones_are_absent():
    groups = environment.capture()
    assert groups["python"]["version"] == ".".join(map(str, sys.version_info[:3]))
    assert groups["cpu"]["cores_usable"] >= 1
    assert all(value not in (None, "", [], {}) for group in groups.values() for value in group.values())


def test_env_prints_what_a_run_with_torch_records(tmp_path):
    pytest.importorskip("torch")
    script = tmp_path / "train.py"
    script.write_text(
        "import sys\nfrom collectors.__main__ import main\nassert 'torch' not in sys.modules\nmain(['env'])\n"
        "import torch\nfrom collectors import Recorder\nRecorder.start(logs='logs').step()\n"
    )
    environ = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run(
        [sys.executable, script], cwd=tmp_path, env=environ, capture_output=True, check=True
    )
    printed = json.loads(done.stdout)
    (path,) = tmp_path.glob("logs/*/r1/environment.node0.json")
    recorded = json.loads(path.read_text())["environment"]
    assert printed["torch"] == recorded["torch"]
    assert printed["packages"] == recorded["packages"]
    assert set(printed) - {"git"} == set(recorded)


@pytest.mark.parametrize(
    "name", ["AWS_SECRET_ACCESS_KEY", "HF_TOKEN", "WANDB_API_KEY", "SLURM_JWT", "XLA_TOKEN", "MY_FLAG"]
)
def test_secrets_are_not_recorded(name, monkeypatch):
    monkeypatch.setenv(name, SECRET)
    monkeypatch.setenv("XLA_FLAGS", f"--fast --auth_token={SECRET} --also")
    options = [
        "--api-key",
        SECRET,
        f"--password={SECRET}",
        f"HF_TOKEN={SECRET}",
        f"https://me:{SECRET}@host/x",
    ]
    monkeypatch.setattr(sys, "orig_argv", ["/home/me/bin/python", "train.py", *options])
    text = json.dumps(environment.capture())
    assert SECRET not in text
    assert "train.py" in text
    assert environment.capture()["variables"]["XLA_FLAGS"] == "--fast --auth_token=[removed] --also"


def test_neither_host_name_nor_home_folder_is_recorded(monkeypatch):
    monkeypatch.setenv("HOME", "/home/someone-special")
    monkeypatch.setattr(socket, "gethostname", lambda: "some-host")
    monkeypatch.setattr(sys, "orig_argv", ["python", "/home/someone-special/train.py"])
    text = json.dumps(environment.capture())
    assert "someone-special" not in text
    assert "some-host" not in text
    assert "~/train.py" in text


def test_torch_is_described_only_if_it_is_imported(monkeypatch):
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    assert "torch" not in environment.capture()
    assert "torch" not in sys.modules
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(__version__="9.9", get_num_threads=lambda: 3))
    assert environment.capture()["torch"] == {"version": "9.9", "num_threads": 3}


def test_settings_that_select_torch_kernels_are_recorded():
    torch = pytest.importorskip("torch")
    torch.backends.cudnn.benchmark = True
    try:
        group = environment.capture()["torch"]
    finally:
        torch.backends.cudnn.benchmark = False
    assert group["version"] == str(torch.__version__)
    assert group["cudnn_benchmark"] is True
    assert {"float32_matmul_precision", "matmul_allow_tf32", "cudnn_deterministic"} <= set(group)


@pytest.fixture
def precision():
    """The backends of torch; their precision is restored."""
    torch = pytest.importorskip("torch")
    backends = [torch.backends.cuda.matmul, torch.backends.cudnn.conv, torch.backends.cudnn.rnn]
    before = [backend.fp32_precision for backend in backends]
    yield torch.backends
    for backend, value in zip(backends, before, strict=True):
        backend.fp32_precision = value


@pytest.mark.parametrize(("value", "is_tf32"), [("tf32", True), ("ieee", False)])
def test_tf32_is_recorded_after_the_new_interface_was_used(precision, value, is_tf32):
    precision.cuda.matmul.fp32_precision = value
    precision.cudnn.conv.fp32_precision = "tf32"
    precision.cudnn.rnn.fp32_precision = "ieee"  # the old interface cannot say this
    group = environment.capture()["torch"]
    assert (group["matmul_allow_tf32"], group["cudnn_allow_tf32"]) == (is_tf32, True)
    assert group["cudnn_rnn_allow_tf32"] is False
    assert group["float32_matmul_precision"] == ("high" if is_tf32 else "highest")


@pytest.mark.parametrize("is_allowed", [True, False])
def test_tf32_is_recorded_with_releases_of_torch_before_2_9(monkeypatch, is_allowed):
    backend = SimpleNamespace(allow_tf32=is_allowed)
    backends = SimpleNamespace(cuda=SimpleNamespace(matmul=backend), cudnn=backend)
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(backends=backends))
    group = torch_info.describe_torch()
    names = ("matmul_allow_tf32", "cudnn_allow_tf32", "cudnn_rnn_allow_tf32")
    assert [group[name] for name in names] == [is_allowed] * 3


@pytest.mark.parametrize(("number", "text"), [(91002, "9.10.2"), (8907, "8.9.7"), (None, None)])
def test_the_cudnn_version_has_dots(number, text):
    cudnn = SimpleNamespace(version=lambda: number)
    assert torch_info._cudnn_version(cudnn.version()) == text


def test_devices_are_recorded_by_uuid(standin):
    standin.set(
        "system driver 580.65.06",
        "system cuda 13000",
        "0 vbios 96.00",
        "0 persistence 1",
        "0 mig 0",
        "0 pci 00000000:41:00.0",
    )
    groups = environment.capture()
    assert groups["driver"] == {"version": "580.65.06", "cuda": "13.0"}
    assert groups["gpu"]["GPU-11111111-aaaa"] == {
        "name": "NVIDIA Stand-in 80GB",
        "pci": "00000000:41:00.0",
        "vbios": "96.00",
        "memory_bytes": 85899345920,
        "power_limit_mw": 700000,
        "power_limit_default_mw": 700000,
        "clock_sm_max_mhz": 1980,
        "clock_memory_max_mhz": 2619,
        "persistence": True,
        "mig": False,
    }


@pytest.mark.parametrize("kind", ["missing", "no count", "no function", "another module"])
def test_nvidia_smi_describes_the_devices_if_nvml_does_not_work(tmp_path, monkeypatch, kind):
    program = tmp_path / "nvidia-smi"
    program.write_text(
        "#!/bin/sh\n"
        'case "$1" in topo) printf "\\033[4mGPU0\\tGPU1\\033[0m\\nGPU0 X NV18\\n\\nLegend:\\n X = Self\\n" ;;\n'
        '*) echo "GPU-1, Stand-in, 00000000:41:00.0, [N/A], 580.1" ;; esac\n'
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setitem(sys.modules, "pynvml", broken_nvml(kind))
    groups = gpu_info.describe_gpus()
    assert groups["gpu"] == {"GPU-1": {"name": "Stand-in", "pci": "00000000:41:00.0"}}
    assert groups["driver"] == {"version": "580.1"}
    assert groups["topology"]["gpu"] == ["GPU0\tGPU1", "GPU0 X NV18"]


@pytest.mark.parametrize("error", [ValueError("invalid literal"), KeyError("Name"), OSError(5, "I/O error")])
def test_a_group_that_fails_does_not_affect_others(monkeypatch, error):
    def fail(*arguments):
        raise error

    monkeypatch.setattr(environment, "_memory", fail)
    monkeypatch.setattr(environment, "describe_gpus", fail)
    groups = environment.capture()
    assert {"memory", "gpu"}.isdisjoint(groups)
    assert {"python", "platform", "packages"} <= set(groups)


def test_a_package_has_the_version_of_its_metadata(tmp_path, monkeypatch):
    head = "Metadata-Version: 2.1\nName: Torch-A\nVersion: 1.0+cu1\nLicense: MIT\n        Version: 7\n"
    files = {
        "torch_a-1.0.dist-info/METADATA": head + "\nA description.\nName: other\nVersion: 9\n",
        "torch_b.egg-info/PKG-INFO": "Name: torch-b\nVersion: 2\n",
        "torch_c-3.egg-info": "Name: torch-c\nVersion: 3\n",
        "torch_d-4.dist-info/RECORD": "",
        "unknown-5.dist-info/METADATA": "Name: unknown\nVersion: 5\n",
    }
    write_files(tmp_path, files)
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    assert environment._packages() == {"torch-a": "1.0+cu1", "torch-b": "2", "torch-c": "3"}


def test_a_byte_that_is_not_utf_8_is_escaped(script):
    done = subprocess.run(
        [sys.executable, "-S", "-m", "collectors", "env"],  # without the second that torch takes
        env={**script.environ, "XLA_FLAGS": os.fsdecode(b"--dump=caf\xe9")}, capture_output=True, check=True,
    )  # fmt: skip
    assert json.loads(done.stdout)["variables"]["XLA_FLAGS"] == "--dump=caf\\udce9"


def test_numa_nodes_are_listed_with_their_cores(tmp_path):
    for number, cores in ((0, "0-7"), (10, "16-23"), (2, "8-15")):
        (tmp_path / f"node{number}").mkdir()
        (tmp_path / f"node{number}" / "cpulist").write_text(f"{cores}\n")
    assert gpu_info.numa_nodes(tmp_path) == ["node0: 0-7", "node2: 8-15", "node10: 16-23"]


def files(monkeypatch, contents):
    monkeypatch.setattr(environment, "_text", contents.get)
    monkeypatch.setattr(environment.os, "sched_getaffinity", lambda pid: set(range(8)), raising=False)


@pytest.mark.parametrize(
    ("contents", "cores"),
    [
        ({}, 8),
        ({"/proc/self/cgroup": "0::/", "/sys/fs/cgroup/cpu.max": "max 100000"}, 8),
        ({"/proc/self/cgroup": "0::/", "/sys/fs/cgroup/cpu.max": "250000 100000"}, 2),
        ({"/proc/self/cgroup": "0::/", "/sys/fs/cgroup/cpu.max": "50000 100000"}, 1),
        ({"/proc/self/cgroup": "0::/", "/sys/fs/cgroup/cpu.max": "9900000 100000"}, 8),
        # the lowest of all levels counts
        (
            {
                "/proc/self/cgroup": "0::/job/step",
                "/sys/fs/cgroup/job/step/cpu.max": "max 100000",
                "/sys/fs/cgroup/job/cpu.max": "300000 100000",
            },
            3,
        ),
        # version 1
        (
            {
                "/proc/self/cgroup": "4:cpu,cpuacct:/docker/x\n2:memory:/docker/x",
                "/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us": "400000",
                "/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us": "100000",
            },
            4,
        ),
    ],
)
def test_usable_cores_follow_affinity_and_quota(monkeypatch, contents, cores):
    files(monkeypatch, contents)
    assert environment.usable_cores() == cores
