"""A run waits until the GPUs are about as cool as before the first run, and records what it found."""

import json
import os
import sys

import pytest

from collectors.__main__ import main
from collectors.launcher import launch
from collectors.launcher.cool_down import CoolDown, first_temperature
from collectors.machine import gpu_temperature
from tests.collectors.nvml_standin import ONE
from tests.collectors.sysfs_standin import AMD, I915, SENSORS, XE, add_card

SECOND = 1_000_000_000


class Room:
    """A GPU with the temperatures that it has from second to second; the last one stays."""

    def __init__(self, *temperatures):
        self.temperatures = temperatures
        self.seconds = 0

    def read(self):
        return self.temperatures[min(self.seconds, len(self.temperatures) - 1)]

    def now(self):
        return float(self.seconds)

    def sleep(self, seconds):
        self.seconds += int(seconds)

    def cool_down(self, limit, reference):
        return CoolDown(limit, reference, self.read, self.now, self.sleep)


@pytest.mark.parametrize(
    ("temperatures", "reference", "celsius", "pause"),
    [
        ([70], None, 70, 0),  # the first run
        ([45, 40], 40, 45, 0),  # 5 degrees C warmer is cool enough
        ([70, 60, 46, 45, 40], 40, 45, 3),
        ([30], 40, 30, 0),
        ([70], 40, 70, 60),  # the limit
    ],
)
def test_a_run_waits_until_the_gpu_is_as_cool_as_before_the_first(temperatures, reference, celsius, pause):
    facts = Room(*temperatures).cool_down(60, reference).wait()
    assert facts == {"start_temperature_celsius": celsius, "cool_down_ns": pause * SECOND}


def test_the_first_call_sets_the_temperature_of_the_later_ones():
    room = Room(40, 80, 70, 45)
    cool_down = room.cool_down(60, None)
    assert cool_down.wait()["start_temperature_celsius"] == 40
    room.sleep(1)
    assert cool_down.wait() == {"start_temperature_celsius": 45, "cool_down_ns": 2 * SECOND}


def test_after_a_pause_that_reaches_its_limit_later_runs_wait_for_five_degrees_above_its_last(capsys):
    room = Room(*[70] * 61, 80, 76, 75)
    cool_down = room.cool_down(60, 40)
    cool_down.wait()
    text = "the GPU has 70 degrees C after 60 s, 40 before the first run; later runs wait for 75"
    assert capsys.readouterr().err == f"reportgen: {text}\n"
    room.sleep(1)
    assert cool_down.wait() == {"start_temperature_celsius": 75, "cool_down_ns": 2 * SECOND}
    assert capsys.readouterr().err == ""


def test_without_a_temperature_nothing_waits_and_nothing_is_recorded(capsys):
    cool_down = Room(None).cool_down(60, None)
    assert [cool_down.wait(), cool_down.wait()] == [{}, {}]
    assert capsys.readouterr().err.count("no temperature of a GPU can be read") == 1


def test_a_sensor_that_goes_away_ends_the_pause():
    assert Room(70, 60, None).cool_down(60, 40).wait() == {"cool_down_ns": 2 * SECOND}


def test_the_temperature_of_a_campaign_is_that_of_its_first_run():
    runs = [
        {"started_realtime_ns": 3, "start_temperature_celsius": 50},
        {"started_realtime_ns": 2, "start_temperature_celsius": 41},
        {"started_realtime_ns": 1},
        {"started_realtime_ns": 0, "start_temperature_celsius": "warm"},
    ]
    assert first_temperature(runs) == 41
    assert first_temperature(runs[2:]) is None


@pytest.mark.parametrize(
    ("files", "celsius"), [(AMD, 61), (XE, 55), ({**I915, f"{SENSORS}/temp1_input": 48000}, 48), (I915, None)]
)
def test_the_sensors_of_the_kernel_are_read_without_nvml(files, celsius, tmp_path):
    add_card(tmp_path, 0, "0000:41:00.0", files)
    assert gpu_temperature.hottest_gpu({}, tmp_path) == celsius
    assert gpu_temperature.hottest_gpu({"ROCR_VISIBLE_DEVICES": ""}, tmp_path) is None


def test_nvml_names_the_hottest_visible_gpu(standin, tmp_path):
    standin.replace("system count 2" + ONE + ONE.replace("\n0 ", "\n1 "))
    standin.set("1 uuid GPU-2222", "1 temperature 70")
    assert gpu_temperature.hottest_gpu({}, tmp_path) == 70
    assert gpu_temperature.hottest_gpu({"CUDA_VISIBLE_DEVICES": "0"}, tmp_path) == 61


SMI = """#!/bin/sh
case "$1" in
*temperature*) printf "GPU-a, 61\\nGPU-b, 70\\nGPU-c, [N/A]\\n" ;;
*) printf "GPU-a, NVIDIA H100\\nGPU-b, NVIDIA H100\\nGPU-c, NVIDIA H100\\n" ;;
esac
"""


def test_nvidia_smi_is_asked_without_nvml(tmp_path, monkeypatch):
    (tmp_path / "nvidia-smi").write_text(SMI)
    (tmp_path / "nvidia-smi").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setitem(sys.modules, "pynvml", None)
    assert gpu_temperature.hottest_gpu({}, tmp_path) == 70
    assert gpu_temperature.hottest_gpu({"CUDA_VISIBLE_DEVICES": "0"}, tmp_path) == 61


def test_a_campaign_records_the_temperature_before_each_run(tmp_path, monkeypatch):
    temperatures = iter([40, 44, 43])
    monkeypatch.setattr(launch, "hottest_gpu", lambda _: next(temperatures))
    line = ["run", "--logs", str(tmp_path), "--cool-down", "1m", "--telemetry-interval", "0", "--repeats"]
    assert main([*line, "2", "--", "true"]) == 0
    assert main([*line, "3", "--", "true"]) == 0
    runs = [json.loads(path.read_text()) for path in sorted(tmp_path.glob("*/r*/run.json"))]
    assert [run["start_temperature_celsius"] for run in runs] == [40, 44, 43]
    assert all(run["cool_down_ns"] < SECOND for run in runs)
