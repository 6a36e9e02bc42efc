"""A reported number is the device's time, whose true clock is known here: from the recorder to the measurement."""

import itertools
import json
import signal

import numpy as np
import pytest

from collectors import Recorder
from collectors.recorder import cuda_events
from reportgen.core.model import Measurement
from reportgen.load import load_runs
from reportgen.protocol import DEFAULT, measure_run
from tests.collectors.cuda_standin import MS, QUEUE_LAUNCHES

PRODUCTS = 10  # launches of a step
FLOPS = 10**11  # 0.2 ms each: 500 TFLOP/s, which an H200 can do


def multiply(recorder, cuda, launch_ns, steps):
    """Record steps of matrix products as the workload `matmul` does."""
    forward = recorder.phase("forward")
    for number in recorder.steps(steps):
        with forward:
            cuda.launch(launch_ns, PRODUCTS)
        yield number


def record(tmp_path, cuda, launch_ns, steps=120, flops=FLOPS, **options):
    with Recorder.start(
        logs=tmp_path,
        samples_per_step=PRODUCTS,
        flops_per_step=PRODUCTS * flops,
        case={"device": "NVIDIA H200"},
        **options,
    ) as recorder:
        for _ in multiply(recorder, cuda, launch_ns, steps):
            pass
    return recorder


def loaded(recorder):
    (run,) = load_runs([recorder.folder], root=recorder.folder.parent).runs
    return run


def measured(recorder, metric, phase="step") -> Measurement:
    measurement = measure_run(loaded(recorder), metric, phase, DEFAULT)
    assert measurement is not None
    return measurement


def whole_steps(recorder, clock):
    (series,) = [
        series
        for series in loaded(recorder).series
        if (series.metric, series.phase, series.clock) == ("step_time", "step", clock)
    ]
    return series


def rules(measurement):
    return {str(finding.rule) for finding in measurement.findings if finding.severity != "note"}


def invalid_rules(measurement):
    return {str(finding.rule) for finding in measurement.findings if finding.severity == "invalid"}


@pytest.mark.parametrize("timing", ["events", "host"])
@pytest.mark.parametrize("launch_ns", [200_000, 1_570_000, 12_500_000])
def test_the_rate_is_that_of_the_device_however_far_the_host_runs_ahead(tmp_path, cuda, timing, launch_ns):
    recorder = record(tmp_path, cuda, launch_ns, timing=timing)
    flops = measured(recorder, "flops")
    assert flops.value == pytest.approx(FLOPS / (launch_ns / 1e9), rel=0.01)
    assert measured(recorder, "step_time").value == pytest.approx(PRODUCTS * launch_ns / 1e9, rel=0.01)
    assert not rules(flops)
    host = whole_steps(recorder, "host")
    if timing == "events":
        # The host alone would report another rate: its queue holds most of the measured steps, and one
        # step waits for all of them.
        assert max(host.value[20:119]) < 0.5 * PRODUCTS * launch_ns / 1e9
        assert np.isfinite(whole_steps(recorder, "cuda_event").value).all()
        forward = measured(recorder, "step_time", "forward")
        assert forward.value == pytest.approx(PRODUCTS * launch_ns / 1e9, rel=0.01)
    else:
        assert host.idle_after == {20, 120}
        columns = json.loads((recorder.folder / "run.json").read_text())["columns"]
        assert columns["duration_ns"] == {"clock": "host", "sync": "window"}


def test_a_run_that_does_not_wait_for_its_device_is_partial_and_has_no_number(
    tmp_path, clock, cuda, monkeypatch
):
    recorder = Recorder.start(logs=tmp_path, samples_per_step=PRODUCTS)
    for _ in itertools.islice(multiply(recorder, cuda, 12_500_000, 999), 100):
        pass
    begin, sleep = clock.now, cuda_events.time.sleep

    def impatient(seconds):
        sleep(seconds)
        if clock.now > begin + 5_000 * MS:
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(cuda_events.time, "sleep", impatient)
    with pytest.raises(KeyboardInterrupt):
        recorder.close()
    run = loaded(recorder)
    assert run.status == "partial"
    assert np.isnan(whole_steps(recorder, "cuda_event").value).any()
    assert measure_run(run, "throughput", "step", DEFAULT) is None


def test_a_short_run_on_the_host_clock_is_invalid(tmp_path, cuda):
    # Few operations, so that even the host's time does not exceed the peak of the device.
    recorder = record(tmp_path, cuda, 1_570_000, steps=60, flops=1000, timing="host")
    measurement = measured(recorder, "flops")
    assert "clock.unsynchronised" in rules(measurement)
    assert invalid_rules(measurement) == {"clock.disagreement"}


def test_the_recorder_waits_for_a_device_that_torch_uses_only_after_its_start(tmp_path, cuda, monkeypatch):
    monkeypatch.setattr(cuda, "is_initialized", lambda: bool(cuda.ends))
    recorder = record(tmp_path, cuda, 1_570_000)
    columns = json.loads((recorder.folder / "run.json").read_text())["columns"]
    assert "step_cuda_event_ns" not in columns
    assert measured(recorder, "flops").value == pytest.approx(FLOPS / 1.57e-3, rel=0.01)


# The host has queued all steps before the device has done a tenth of them.
def test_a_step_of_the_device_begins_when_the_device_begins_it(tmp_path, cuda):
    recorder = record(tmp_path, cuda, 100 * MS, steps=QUEUE_LAUNCHES // PRODUCTS)
    device = whole_steps(recorder, "cuda_event")
    begins = device.begin - device.begin[0]
    assert begins[1:].tolist() == pytest.approx([number * 1.0 for number in range(1, len(begins))], rel=0.01)


def test_a_capture_a_side_stream_and_a_second_device_cost_only_their_own_times(tmp_path, cuda):
    with Recorder.start(logs=tmp_path, case={"device": "NVIDIA H200"}) as recorder:
        copy, other = recorder.phase("copy"), recorder.phase("other")
        for number in multiply(recorder, cuda, 1_570_000, 120):
            with cuda.on_stream("copies"), copy:
                cuda.launch(5 * MS)
            if number == 30:
                with cuda.graph(), other:
                    cuda.launch(MS)
            elif number == 60:
                other.__enter__()
                cuda.clock.now += 10_000
                cuda.device = 1
                other.__exit__(None, None, None)
                cuda.clock.now += 10_000
                cuda.device = 0
            elif number % 2:
                with other:
                    cuda.launch(MS)
    assert measured(recorder, "step_time").value == pytest.approx(
        0.0162, rel=0.01
    )  # half of the steps: 1 ms more
    assert measured(recorder, "step_time", "forward").value == pytest.approx(0.0157, rel=0.01)
    assert measured(recorder, "step_time", "copy").value == pytest.approx(0.005, rel=0.01)
    # Entered and measured in 50 of the 98 steps whose time is known.
    partial = measured(recorder, "step_time", "other")
    assert partial.value == pytest.approx(0.001 * 50 / 98, rel=0.01)
    messages = {finding.message for finding in partial.findings}
    assert "rank 0: other has no device time in 2 steps (31, 61); the others are measured" in messages
    (finding,) = [x for x in loaded(recorder).findings if x.rule == "clock.no-device-time"]
    assert finding.message == (
        "CUDA events without a time: within the capture of a CUDA graph (1); begins and ends on two devices (1)"
    )
