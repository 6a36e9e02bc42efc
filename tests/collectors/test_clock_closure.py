"""The clock closes: every recorded number is within 1 % of the known clock of the device, or it is invalid."""

import json
import sys

import pytest

from collectors import Recorder
from collectors.machine.torch_info import peak_memory, torch_device
from collectors.recorder import timing as timing_module
from reportgen.load import load_runs
from reportgen.protocol import DEFAULT, measure_run
from tests.collectors.cuda_standin import MS

STEP_MS = 15


def plain(recorder, cuda, steps, launches):
    """Work on the current device, in its current stream."""
    for _ in recorder.steps(steps):
        work(cuda, launches)


def work(cuda, launches, milliseconds=STEP_MS):
    cuda.launch(milliseconds * MS // launches, launches)


def other_device(recorder, cuda, steps, launches):
    """Work on cuda:1, without torch.cuda.set_device."""
    for _ in recorder.steps(steps):
        with cuda.on_device(1):
            work(cuda, launches)


def own_stream(recorder, cuda, steps, launches):
    """Work in a stream that the current one does not wait for."""
    for _ in recorder.steps(steps):
        with cuda.on_stream("own"):
            work(cuda, launches)


def own_stream_with_wait(recorder, cuda, steps, launches):
    for _ in recorder.steps(steps):
        with cuda.on_stream("own"):
            work(cuda, launches)
        cuda.wait_stream("own")


def loop_in_own_stream(recorder, cuda, steps, launches):
    with cuda.on_stream("own"):
        plain(recorder, cuda, steps, launches)


def two_devices(recorder, cuda, steps, launches):
    """Halve the model: cuda:1 continues where cuda:0 ends, and cuda:0 waits for the gradients."""
    for _ in recorder.steps(steps):
        work(cuda, launches, STEP_MS // 3)
        with cuda.on_device(1):
            cuda.wait_stream("main", device=0)
            work(cuda, launches, 2 * STEP_MS // 3)
        cuda.wait_stream("main", device=1)


def short_epochs(recorder, cuda, steps, launches):
    """Evaluate after each epoch of 45 steps; the evaluation waits for the device."""
    for _ in range(steps // 45):
        for _ in recorder.steps(45):
            with cuda.on_device(1):
                work(cuda, launches)
        with cuda.on_device(1):
            work(cuda, launches, 300)
            cuda.synchronize()


def evaluations(recorder, cuda, steps, launches):
    """Evaluate in a pause after each 30 steps."""
    for number in recorder.steps(steps):
        with cuda.on_device(1):
            work(cuda, launches)
            if number % 30 == 29:
                with recorder.pause("evaluation"):
                    work(cuda, launches, 300)
                    cuda.synchronize()


def queued_epochs(recorder, cuda, steps, launches):
    """Queue an evaluation after each epoch of 45 steps, and do not wait for it."""
    for _ in range(steps // 45):
        plain(recorder, cuda, 45, launches)
        work(cuda, launches, 300)


def queued_evaluations(recorder, cuda, steps, launches):
    """Queue an evaluation in a pause after each 30 steps, and do not wait for it."""
    for number in recorder.steps(steps):
        work(cuda, launches)
        if number % 30 == 29:
            with recorder.pause("evaluation"):
                work(cuda, launches, 300)


def queued_checkpoints(recorder, cuda, steps, launches):
    """Declare a break at its end, with work that is still queued; it discards its step."""
    for number in recorder.steps(steps):
        work(cuda, launches)
        if number % 40 == 39:
            work(cuda, launches, 300)
            recorder.mark_break("checkpoint")


def called_steps(recorder, cuda, steps, launches):
    """End each step by a call, and save something before the recorder is closed."""
    for _ in range(steps):
        with cuda.on_device(1):
            work(cuda, launches)
        recorder.step()
    cuda.clock.now += 50 * MS


def loader(recorder, cuda, steps, launches):
    for _ in recorder.steps([None] * steps):
        with cuda.on_device(1):
            work(cuda, launches)


#: Scenario -> the clocks whose number must be right: no work is hidden from the current stream of the current device,
#: and for the host, none waits in the queue when a break is declared.
SCENARIOS = {
    plain: {"events", "host"},
    other_device: set(),
    own_stream: set(),
    own_stream_with_wait: {"events", "host"},
    loop_in_own_stream: {"events", "host"},
    two_devices: {"events", "host"},
    short_epochs: set(),
    evaluations: set(),
    queued_epochs: {"events"},
    queued_evaluations: {"events", "host"},
    queued_checkpoints: {"events"},
    called_steps: set(),
    loader: set(),
}


def record(tmp_path, cuda, scenario, steps, launches=1, **options):
    with Recorder.start(logs=tmp_path, samples_per_step=10, **options) as recorder:
        scenario(recorder, cuda, steps, launches)
    return recorder


def loaded(recorder):
    (run,) = load_runs([recorder.folder], root=recorder.folder.parent).runs
    return run


def measured(recorder):
    measurement = measure_run(loaded(recorder), "step_time", "step", DEFAULT)
    assert measurement is not None
    return measurement, [x.message for x in measurement.findings if x.severity == "invalid"]


@pytest.mark.parametrize("timing", ["events", "host"])
@pytest.mark.parametrize("launches", [1, 10, 100])
@pytest.mark.parametrize("steps", [90, 135, 450])
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_each_number_is_right_or_invalid(tmp_path, cuda, scenario, steps, launches, timing):
    recorder = record(tmp_path, cuda, scenario, steps, launches, timing=timing)
    measurement, invalid = measured(recorder)
    is_right = abs(measurement.value / (STEP_MS / 1e3) - 1) < 0.01
    assert is_right or invalid
    if timing in SCENARIOS[scenario] and (timing == "events" or steps >= 120):
        assert is_right
        assert not invalid


@pytest.mark.parametrize("scenario", [other_device, own_stream])
def test_events_that_do_not_see_the_work_are_named(tmp_path, cuda, scenario):
    run = loaded(recorder := record(tmp_path, cuda, scenario, 130))
    assert run.environment["recorder.clock_closure"] == "open by 100.0 %"
    (message,) = measured(recorder)[1]
    # 100 steps of 15 ms, which the host queues in 100 launches of 5 us.
    assert message.startswith("rank 0: the clock does not close: steps 21..120 take 0.000")
    assert " s by CUDA events, and 1.5 s until all devices were idle" in message


def test_a_run_shows_how_well_its_clock_closes(tmp_path, cuda):
    run = loaded(record(tmp_path, cuda, plain, 500, 10))
    # After each wait the device waits for the first launch of 5 us: 1 of the first 20 steps of 15 ms.
    assert run.environment["recorder.clock_closure"] == "closed to 0.0 %"
    # By the clock of the host alone the steps after the window are not known, and are not measured.
    run = loaded(record(tmp_path, cuda, plain, 500, 10, timing="host"))
    text = "closed to 0.0 % (steps 1..120), open by 2"
    assert run.environment["recorder.clock_closure"].startswith(text)
    assert run.environment["recorder.clock_closure"].endswith(" % (steps 121..500)")


def test_a_log_without_the_scope_of_its_waits_says_nothing(tmp_path, cuda):
    recorder = record(tmp_path, cuda, other_device, 130)
    path = recorder.folder / "run.json"
    run = json.loads(path.read_text())
    assert run["recorder"]["waits_for"] == "all_devices"
    del run["recorder"]["waits_for"]
    path.write_text(json.dumps(run))
    assert "recorder.clock_closure" not in loaded(recorder).environment


def test_the_device_in_the_log_is_the_one_that_works(tmp_path, cuda):
    with cuda.on_device(1):
        work(cuda, 1)
    recorder = record(tmp_path, cuda, other_device, 30)
    assert loaded(recorder).environment["rank.0.device_uuid"] == "GPU-1"
    assert (torch_device().uuid, peak_memory()) == ("GPU-1", (1000, 2000))
    # The current device counts as soon as both have held tensors.
    work(cuda, 1)
    assert torch_device().uuid == "GPU-0"


def test_a_device_that_is_used_after_the_start_is_named_at_the_end(tmp_path, cuda):
    recorder = record(tmp_path, cuda, other_device, 30)
    assert loaded(recorder).environment["rank.0.device_uuid"] == "GPU-1"


def test_a_calibrated_run_closes_its_clock(tmp_path, cuda):
    run = loaded(record(tmp_path, cuda, plain, 300, 10, calibrate=True))
    assert run.environment["recorder.clock_closure"] == "closed to 0.0 %"
    run = loaded(record(tmp_path, cuda, other_device, 300, 10, calibrate=True))
    assert run.environment["recorder.clock_closure"].startswith("open by")


def test_only_devices_with_a_context_are_waited_for(cuda, monkeypatch):
    waited = []
    monkeypatch.setattr(cuda, "synchronize", waited.append)
    with cuda.on_device(2):
        work(cuda, 1)
    assert timing_module.wait_for_devices()
    assert waited == [0, 2]


def test_a_torch_that_does_not_name_its_contexts_waits_for_the_current_device(tmp_path, cuda, monkeypatch):
    monkeypatch.delattr(sys.modules["torch"], "_C")
    recorder = record(tmp_path, cuda, plain, 130, 10, timing="host")
    assert abs(measured(recorder)[0].value / (STEP_MS / 1e3) - 1) < 0.01
    assert "waits_for" not in json.loads((recorder.folder / "run.json").read_text()).get("recorder", {})


def test_many_short_loops_are_not_disturbed_by_waits(tmp_path, cuda):
    with Recorder.start(logs=tmp_path) as recorder:
        for _ in range(100):
            for _ in recorder.steps(1):
                work(cuda, 1)
    text = (recorder.folder / "steps.rank0.csv").read_text()
    # At the start and at the first loop, after ten loops, after step 20, and at the end.
    assert text.count("#sync,") == 2 + 10 + 1 + 1
