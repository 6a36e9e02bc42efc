"""Apple's GPU is read from the property lists that powermetrics prints, here by a program in its place."""

import os
import sys
import threading
import time

import pytest

from collectors.machine import powermetrics
from collectors.machine.doctor import HostReport, check_devices
from collectors.telemetry import watch
from collectors.telemetry.powermetrics_source import UUID, PowermetricsSource
from collectors.telemetry.samples import Sample
from tests.collectors.second_reader import read

HEAD = '<?xml version="1.0" encoding="UTF-8"?><plist version="1.0"><dict>'
GPU = (
    "<key>elapsed_ns</key><integer>{}</integer><key>gpu</key><dict><key>freq_hz</key><real>1398.22</real>"
    "<key>idle_ratio</key><real>0.372</real><key>gpu_energy</key><integer>{}</integer></dict>"
)
LISTS = [
    HEAD + GPU.format(1_000_000_000, 18443) + "</dict></plist>",
    "no property list",
    # With a key that has no value, as some versions print it.
    HEAD + GPU.format(500_000_000, 100) + "<key>idle_ratio</key></dict></plist>",
]
FORMS = ["{}\0\n", "\0{}\n"]  # the zero byte comes after a list, or with the next one
PROGRAM = f"""#!{sys.executable} -S
import sys, time
assert sys.argv[1:] == ["--samplers", "gpu_power", "--format", "plist", "--sample-rate", "50"], sys.argv
for text in {LISTS!r}:
    sys.stdout.write(FORM.format(text))
sys.stdout.flush()
time.sleep(60)  # it is terminated
"""


@pytest.fixture
def installed(tmp_path, monkeypatch, request):
    """A program powermetrics on the PATH, for root."""
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "powermetrics"
    program.write_text(PROGRAM.replace("FORM", repr(getattr(request, "param", FORMS[0]))))
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(powermetrics.os, "geteuid", lambda: 0)
    monkeypatch.setitem(sys.modules, "pynvml", None)
    monkeypatch.setattr("collectors.machine.doctor.has_driver", lambda: False)


@pytest.mark.parametrize("installed", FORMS, indirect=True)
def test_property_lists_become_samples(installed):
    """18,443 mJ in 1 s are 18.443 W; then 100 mJ in 0.5 s are 0.2 W, and the total is 18,543 mJ."""
    source = PowermetricsSource.open(50_000_000)
    samples = []
    end = time.monotonic() + 20
    while len(samples) < 2 and time.monotonic() < end:  # the program is still running
        samples += source.read([False])
        threading.Event().wait(0.01)
    source.close()
    common = {"utilization_gpu_percent": 63, "clock_sm_mhz": 1398}
    assert [sample.values for sample in samples] == [
        {**common, "power_mw": 18443, "energy_mj": 18443},
        {**common, "power_mw": 200, "energy_mj": 18543},
    ]
    assert source.missing() == {}


def test_the_sampler_reads_powermetrics_where_no_other_gpu_is(installed, tmp_path, monkeypatch):
    stop = threading.Event()

    class Source:
        devices = (UUID,)

        def read(self, slow):
            stop.set()
            return [Sample(UUID, 1000, {"power_mw": 18443})]

        def missing(self):
            return {}

        probe = close = missing

    monkeypatch.setattr(watch.PowermetricsSource, "open", lambda interval: Source())
    watch.sample(tmp_path, 0, 0.05, stop, root=1, sysfs=tmp_path)
    assert read(tmp_path)["run"]["telemetry"]["0"][UUID]["power_mw"] == [18443]


def test_the_doctor_names_what_powermetrics_needs(installed, tmp_path, monkeypatch):
    report = HostReport()
    check_devices(report, {}, tmp_path)
    assert report.checked == ["Apple's GPU: utilization, clock, power and energy are recorded"]
    monkeypatch.setattr(powermetrics.os, "geteuid", lambda: 501)
    report = HostReport()
    check_devices(report, {}, tmp_path)
    assert report.unchecked == ["Apple's GPU: powermetrics needs root; start the launcher with sudo"]


def test_a_launcher_without_root_starts_no_sampler(installed, tmp_path, monkeypatch):
    monkeypatch.setattr(watch, "has_driver", lambda: False)
    assert watch.has_devices(tmp_path)
    monkeypatch.setattr(powermetrics.os, "geteuid", lambda: 501)
    assert not watch.has_devices(tmp_path)
