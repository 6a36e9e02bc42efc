"""DCGM's profiling counters, from a program in the place of `dcgmi` that prints what is documented."""

import os
import sys
import threading
from types import SimpleNamespace

import pytest

from collectors.machine.dcgm import find_dcgm
from collectors.machine.doctor import HostReport, check_dcgm
from collectors.machine.nvml import UnavailableError
from collectors.telemetry import watch
from collectors.telemetry.dcgm_source import DcgmSource
from collectors.telemetry.samples import Sample
from reportgen.load import load_runs

UUIDS = ["GPU-34bf77d1-c686-6821-79a8-32d326c5039c", "GPU-f5046fa5-3db4-45e8-870a-dc1376becaa5"]
DCGMI = f"""#!{sys.executable} -S
import os, sys, time
if sys.argv[1:] == ["discovery", "-l"]:
    print("2 GPUs found.")
    for number, uuid in enumerate({UUIDS!r}):
        print("+--------+--------------------------------------------------------+")
        print(f"| {{number}}      | Name: NVIDIA H800                                      |")
        print(f"|        | PCI Bus ID: 00000000:{{number}}8:00.0                        |")
        print(f"|        | Device UUID: {{uuid}}  |")
    print("0 NvSwitches found.")
    sys.exit()
assert sys.argv[1:] == ["dmon", "-e", "1002,1004,1005", "-i", "0", "-d", "100"], sys.argv
print("#Entity   SMACT        TENSO        DRAMA\\nID")
print("GPU 0     N/A          N/A          N/A")
print("GPU 0     0.993        0.415        N/A", flush=True)
open(os.environ["DCGM_STANDIN"], "w").close()
time.sleep(60)  # it is terminated
"""


@pytest.fixture
def dcgmi(tmp_path, monkeypatch):
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "dcgmi").write_text(DCGMI)
    (tmp_path / "bin" / "dcgmi").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("DCGM_STANDIN", str(tmp_path / "printed"))
    return tmp_path / "printed"


class Nvml:
    """A GPU that is read until DCGM has printed its rows, and three times more."""

    devices = (SimpleNamespace(uuid=UUIDS[0]),)

    def __init__(self, stop, printed):
        self._stop, self._printed, self._left = stop, printed, 3

    def read(self, slow):
        if self._printed.exists():
            self._left -= 1
        if not self._left:
            self._stop.set()
        return [Sample(UUIDS[0], 1000, {"power_mw": 400_000})]

    def probe(self):
        return []

    def missing(self):
        return {}

    close = probe


def test_the_counters_are_samples_of_the_gpu_beside_those_of_nvml(tmp_path, monkeypatch, dcgmi):
    stop = threading.Event()
    monkeypatch.setattr(watch.NvmlSource, "open", lambda *_: Nvml(stop, dcgmi))
    folder = tmp_path / "r1"
    folder.mkdir()
    (folder / "run.json").write_text('{"format": "reportgen-run", "status": "complete", "ranks": 1}')
    watch.sample(folder, 0, 0.05, stop, root=1, is_thread=True, uses_dcgm=True)
    lines = (folder / "telemetry.node0.csv").read_text().splitlines()
    assert "#missing,memory_active_ppm,not_supported" in lines
    (run,) = load_runs([folder], root=tmp_path).runs
    (device,) = run.telemetry
    known = {name: set(values[values == values].tolist()) for name, values in device.columns.items()}
    assert known["sm_active"] == {0.993}
    assert known["tensor_core_utilization"] == {0.415}
    assert known["power"] == {400.0}
    assert not known.get("memory_active")


def test_only_visible_gpus_are_read_and_others_are_an_error(dcgmi):
    assert find_dcgm()[1] == dict(enumerate(UUIDS))
    with pytest.raises(UnavailableError, match="DCGM shows none of the visible GPUs"):
        DcgmSource.open(["GPU-0"], 100_000_000)


def test_without_dcgm_the_run_continues_with_a_message(tmp_path, monkeypatch, capfd):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert watch._open_dcgm(UUIDS, 100_000_000) == []
    assert (
        "no counters of DCGM: dcgmi is not installed; install datacenter-gpu-manager"
        in capfd.readouterr().err
    )


def test_the_doctor_says_whether_dcgm_answers(tmp_path, monkeypatch, dcgmi):
    report = HostReport()
    check_dcgm(report)
    assert report.checked == ["DCGM, for run --dcgm: it shows 2 GPUs"]
    (tmp_path / "bin" / "dcgmi").write_text("#!/bin/sh\nexit 1\n")
    check_dcgm(report)
    assert report.unchecked == ["DCGM, for run --dcgm: dcgmi does not answer; start nv-hostengine"]
    assert not report.advice
