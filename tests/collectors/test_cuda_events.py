"""Event timing on a fake device that runs behind the host, without waiting for it."""

import json
import sys
from types import SimpleNamespace

import pytest

from collectors import Recorder
from collectors.format_v1 import run_folder, steps_file
from collectors.recorder import cuda_events
from tests.collectors.second_reader import read


class Cuda:
    """A fake `torch.cuda` with one stream, on the time of a fake clock."""

    def __init__(self, clock):
        self.clock, self.busy_until = clock, 0
        self.waits = self.events = 0
        self.is_in_error = False
        cuda = self

        class Event:
            def __init__(self, enable_timing):
                assert enable_timing
                cuda.events += 1

            def record(self):
                cuda.check()
                self.at = max(cuda.busy_until, cuda.clock.now)

            def query(self):
                cuda.check()
                return cuda.clock.now >= self.at

            def elapsed_time(self, other):
                assert self.query()
                assert other.query()
                return (other.at - self.at) / 1e6

        self.Event = Event

    def check(self):
        if self.is_in_error:
            raise RuntimeError("CUDA error: device-side assert triggered")

    def work(self, duration):
        self.busy_until = max(self.busy_until, self.clock.now) + duration

    def synchronize(self):
        self.waits += 1
        self.clock.now = max(self.clock.now, self.busy_until)

    def is_initialized(self):
        return True

    is_available = is_initialized


@pytest.fixture
def cuda(clock, monkeypatch):
    cuda = Cuda(clock)
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(cuda=cuda, __version__="0"))

    def sleep(seconds):
        clock.now += round(seconds * 1e9)

    monkeypatch.setattr(cuda_events, "time", SimpleNamespace(monotonic=lambda: clock.now / 1e9, sleep=sleep))
    monkeypatch.setenv("REPORTGEN_WATCHED", "elsewhere")
    return cuda


def train(recorder, cuda, count, forward_work=100, backward_work=200):
    """Run steps that take the host 10 ns and the device 300 ns."""
    forward, backward = recorder.phase("forward"), recorder.phase("backward")
    for number in recorder.steps(count):
        with forward:
            cuda.work(forward_work)
            cuda.clock.now += 4
        with backward:
            cuda.work(backward_work)
            cuda.clock.now += 6
        yield number


def rank0(recorder):
    result = read(recorder.folder)
    assert result["findings"] == []
    return result["run"]["ranks"]["0"]["columns"]


def test_events_measure_device_time_without_waiting(tmp_path, clock, cuda):
    with Recorder.start(logs=tmp_path) as recorder:
        for _ in train(recorder, cuda, 5):
            pass
    assert rank0(recorder) == {
        "step/host": [10] * 5,
        "step/cuda_event": [300] * 5,
        "forward/host": [4] * 5,
        "forward/cuda_event": [100] * 5,
        "backward/host": [6] * 5,
        "backward/cuda_event": [200] * 5,
    }
    assert cuda.waits == 0
    columns = json.loads((recorder.folder / "run.json").read_text())["columns"]
    assert columns["duration_ns"] == {"clock": "host", "sync": "none"}
    assert columns["forward_cuda_event_ns"] == {"clock": "cuda_event", "sync": "none"}


def test_synchronized_timing_waits_at_each_border_and_records_it(tmp_path, clock, cuda):
    with Recorder.start(logs=tmp_path, timing="synchronized") as recorder:
        for _ in train(recorder, cuda, 3):
            pass
    assert rank0(recorder) == {
        "step/host_synchronized": [300] * 3,
        "forward/host_synchronized": [100] * 3,
        "backward/host_synchronized": [200] * 3,
    }
    columns = json.loads((recorder.folder / "run.json").read_text())["columns"]
    assert columns["duration_ns"] == {"clock": "host_synchronized", "sync": "step"}
    assert columns["forward_host_synchronized_ns"] == {"clock": "host_synchronized", "sync": "phase"}
    assert cuda.waits >= 15


def test_events_are_reused_and_resolved_in_batches(tmp_path, clock, cuda):
    with Recorder.start(logs=tmp_path) as recorder:
        for number in train(recorder, cuda, 1000, 1, 1):
            if number == 31:
                assert recorder._events == []  # a batch is 32 steps
        assert cuda.events < 200
    assert rank0(recorder)["step/cuda_event"][-1] == 10


def test_long_steps_are_resolved_before_a_batch_is_full(tmp_path, clock, cuda):
    with Recorder.start(logs=tmp_path) as recorder:
        for number in train(recorder, cuda, 3):
            clock.now += 2_000_000_000
            if number == 2:
                recorder.flush()
                lines = steps_file.steps_path(recorder.folder, 0).read_text().splitlines()
                assert sum(line[0].isdigit() for line in lines) == 2
    assert len(rank0(recorder)["step/host"]) == 3


def test_a_phase_entered_several_times_is_summed_by_both_clocks(tmp_path, clock, cuda):
    with Recorder.start(logs=tmp_path, tokens_per_step=7) as recorder:
        forward = recorder.phase("forward")
        for number in recorder.steps(2):
            for _ in range(4):
                with forward:
                    cuda.work(50)
                    clock.now += 5
                recorder.samples(8)
            if number:
                recorder.tokens(1000)
                recorder.tokens(24)
    columns = rank0(recorder)
    assert (columns["forward/host"], columns["forward/cuda_event"]) == ([20, 20], [200, 200])
    assert read(recorder.folder)["run"]["ranks"]["0"]["samples"] == [32, 32]
    text = steps_file.steps_path(recorder.folder, 0).read_text()
    assert "\nstep,tokens,samples,begin_ns," in text
    assert "\n2,1024,32," in text
    assert json.loads((recorder.folder / "run.json").read_text())["tokens_per_step"] == 7


def test_a_pause_is_subtracted_from_device_time(tmp_path, clock, cuda):
    with Recorder.start(logs=tmp_path) as recorder:
        for number in train(recorder, cuda, 2):
            if number == 0:
                with recorder.pause("evaluation"):
                    clock.now += 40
                    cuda.work(5000)
    assert rank0(recorder)["step/cuda_event"] == [300, 300]
    assert rank0(recorder)["step/host"] == [10, 10]


def test_device_time_excludes_breaks_between_loops(tmp_path, clock, cuda):
    with Recorder.start(logs=tmp_path) as recorder:
        for _ in range(2):
            for _ in train(recorder, cuda, 2):
                pass
            cuda.work(9999)
    assert rank0(recorder)["step/cuda_event"] == [300] * 4


def test_a_discarded_step_leaves_no_device_time(tmp_path, clock, cuda):
    with Recorder.start(logs=tmp_path) as recorder:
        for number in train(recorder, cuda, 3):
            if number == 1:
                recorder.mark_break("checkpoint")
    assert rank0(recorder)["step/cuda_event"] == [300, 300]
    assert rank0(recorder)["forward/cuda_event"] == [100, 100]


def test_a_device_error_ends_events_but_not_steps_or_training(tmp_path, clock, cuda):
    with Recorder.start(logs=tmp_path) as recorder:
        for number in train(recorder, cuda, 100):
            cuda.is_in_error = number >= 70
            clock.now += 300
    columns = rank0(recorder)
    assert len(columns["step/host"]) == 100
    assert columns["step/cuda_event"][:64] == [310] * 64
    assert columns["step/cuda_event"][71:] == [None] * 29


def test_close_waits_a_limited_time_for_a_hanging_device(tmp_path, clock, cuda):
    recorder = Recorder.start(logs=tmp_path)
    for _ in train(recorder, cuda, 3, forward_work=10**12):
        pass
    recorder.close("failed", "hung")
    assert clock.now < 10**10
    assert read(recorder.folder)["run"]["ranks"]["0"]["columns"]["step/host"] == [10, 10, 10]


@pytest.mark.parametrize(
    ("requested", "launcher", "expected"),
    [
        (None, "", "cuda_event"),
        ("host", "events", "host"),
        (None, "host", "host"),
        (None, "synchronized", "host_synchronized"),
        ("events", "", "cuda_event"),
    ],
)
def test_the_timing_of_the_script_overrides_that_of_the_launcher(
    tmp_path, clock, cuda, monkeypatch, requested, launcher, expected
):
    monkeypatch.setenv(run_folder.TIMING_VARIABLE, launcher)
    with Recorder.start(logs=tmp_path, timing=requested) as recorder:
        for _ in train(recorder, cuda, 1):
            pass
    assert f"forward/{expected}" in rank0(recorder)


def test_without_a_device_the_host_clock_is_used_with_a_warning(tmp_path, monkeypatch, capsys):
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    with Recorder.start(logs=tmp_path, timing="events") as recorder:
        for _ in recorder.steps(1):
            pass
    assert list(rank0(recorder)) == ["step/host"]
    assert "torch uses no CUDA device" in capsys.readouterr().err
    with pytest.raises(ValueError, match="events, synchronized, host"):
        Recorder.start(logs=tmp_path, timing="gpu")
