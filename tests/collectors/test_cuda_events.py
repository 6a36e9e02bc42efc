"""Event timing on a device whose clock is known and that runs behind the host."""

import itertools
import json
import signal
import sys

import pytest

from collectors import Recorder
from collectors.format_v1 import run_folder, steps_file
from collectors.recorder import cuda_events
from tests.collectors.cuda_standin import LAUNCH_NS, MS
from tests.collectors.second_reader import read

HOST_MS = LAUNCH_NS / MS


def train(recorder, cuda, count, forward_ms=1, backward_ms=2):
    """Run steps of two launches."""
    forward, backward = recorder.phase("forward"), recorder.phase("backward")
    for number in recorder.steps(count):
        with forward:
            cuda.launch(forward_ms * MS)
        with backward:
            cuda.launch(backward_ms * MS)
        yield number


def columns_ms(recorder, status="complete"):
    """Return the columns of rank 0 in ms."""
    result = read(recorder.folder)
    assert result["run"]["status"] == status
    columns = result["run"]["ranks"]["0"]["columns"]
    return {name: [x if x is None else x / MS for x in values] for name, values in columns.items()}


def recorder_facts(recorder):
    return json.loads((recorder.folder / "run.json").read_text()).get("recorder", {})


def rows(recorder):
    """Return the rows of rank 0 as header -> cell."""
    lines = steps_file.steps_path(recorder.folder, 0).read_text().splitlines()
    header, found = [], []
    for line in lines:
        cells = line.split(",")
        if cells[0] == "step":
            header = cells
        elif cells[0].isdigit():
            found.append(dict(zip(header, cells, strict=True)))
    return found


def syncs(recorder):
    """Return the steps after which the recorder waited for all devices."""
    lines = steps_file.steps_path(recorder.folder, 0).read_text().splitlines()
    return [int(line.split(",")[1]) for line in lines if line.startswith("#sync")]


def from_idle(milliseconds):
    """Return times to compare with: a step after a wait begins on an idle device, which waits for a launch."""
    return pytest.approx(milliseconds, abs=1.001 * HOST_MS)


def test_events_measure_device_time_without_waiting(tmp_path, cuda):
    with Recorder.start(logs=tmp_path) as recorder:
        for _ in train(recorder, cuda, 5):
            pass
    # The device begins when the first launch is queued.
    assert columns_ms(recorder) == {
        "step/host": [2 * HOST_MS] * 5,
        "step/cuda_event": [3 + HOST_MS, 3, 3, 3, 3],
        "forward/host": [HOST_MS] * 5,
        "forward/cuda_event": [1 + HOST_MS, 1, 1, 1, 1],
        "backward/host": [HOST_MS] * 5,
        "backward/cuda_event": [2] * 5,
    }
    # At the start, at both ends of the loop, and at the end of the run: in no step.
    assert syncs(recorder) == [0, 0, 5, 5]
    assert recorder_facts(recorder) == {"waits_for": "all_devices"}
    columns = json.loads((recorder.folder / "run.json").read_text())["columns"]
    assert columns["duration_ns"] == {"clock": "host", "sync": "window"}
    assert columns["forward_cuda_event_ns"] == {"clock": "cuda_event", "sync": "none"}


def test_neighbouring_phases_share_the_event_at_their_border(tmp_path, cuda):
    with Recorder.start(logs=tmp_path) as recorder:
        for _ in train(recorder, cuda, 10):
            pass
    assert (
        cuda.recorded == 2 + 2 * 10
    )  # one at the start of the recorder, one at that of the loop, two a step
    assert columns_ms(recorder)["backward/cuda_event"] == [2] * 10


def test_phases_with_work_between_them_share_no_event(tmp_path, cuda):
    with Recorder.start(logs=tmp_path) as recorder:
        for _ in train(recorder, cuda, 3):
            cuda.launch(5 * MS)
    assert columns_ms(recorder)["forward/cuda_event"][1:] == [1, 1]
    assert columns_ms(recorder)["backward/cuda_event"] == [2] * 3
    assert columns_ms(recorder)["step/cuda_event"][1:] == [8, 8]


def test_synchronized_timing_waits_at_each_border_and_records_it(tmp_path, cuda):
    with Recorder.start(logs=tmp_path, timing="synchronized") as recorder:
        for _ in train(recorder, cuda, 3):
            pass
    assert columns_ms(recorder) == {
        "step/host_synchronized": [3 + 2 * HOST_MS] * 3,
        "forward/host_synchronized": [1 + HOST_MS] * 3,
        "backward/host_synchronized": [2 + HOST_MS] * 3,
    }
    columns = json.loads((recorder.folder / "run.json").read_text())["columns"]
    assert columns["duration_ns"] == {"clock": "host_synchronized", "sync": "step"}
    assert columns["forward_host_synchronized_ns"] == {"clock": "host_synchronized", "sync": "phase"}
    assert len(cuda.synchronized_at) >= 15


def test_events_are_reused(tmp_path, cuda):
    with Recorder.start(logs=tmp_path) as recorder:
        for _ in train(recorder, cuda, 1000, 0, 0):
            pass
    assert cuda.events < 20
    assert len(columns_ms(recorder)["step/cuda_event"]) == 1000


def test_a_long_step_passes_on_the_steps_before_it_at_its_phases(tmp_path, clock, cuda):
    with Recorder.start(logs=tmp_path) as recorder:
        for number in train(recorder, cuda, 3, forward_ms=900, backward_ms=0):
            clock.now += 950 * MS
            if number == 2:
                recorder.flush()
                assert len(rows(recorder)) == 2
    assert len(rows(recorder)) == 3


def test_a_phase_entered_several_times_is_summed_by_both_clocks(tmp_path, cuda):
    with Recorder.start(logs=tmp_path, tokens_per_step=7) as recorder:
        forward = recorder.phase("forward")
        for number in recorder.steps(2):
            for _ in range(4):
                with forward:
                    cuda.launch(50 * MS)
                recorder.samples(8)
            if number:
                recorder.tokens(1000)
                recorder.tokens(24)
    columns = columns_ms(recorder)
    assert columns["forward/host"] == [4 * HOST_MS] * 2
    assert columns["forward/cuda_event"] == [200 + HOST_MS, 200]
    assert [row["forward_count"] for row in rows(recorder)] == ["4", "4"]
    assert [row["samples"] for row in rows(recorder)] == ["32", "32"]
    assert [row.get("tokens") for row in rows(recorder)] == [None, "1024"]
    assert json.loads((recorder.folder / "run.json").read_text())["tokens_per_step"] == 7


def test_a_pause_is_subtracted_from_the_device_time_of_step_and_phase(tmp_path, cuda):
    with Recorder.start(logs=tmp_path) as recorder:
        forward = recorder.phase("forward")
        for number in recorder.steps(3):
            with forward:
                cuda.launch(10 * MS)
                if number == 1:
                    with recorder.pause("evaluation"):
                        cuda.launch(5000 * MS)
                cuda.launch(10 * MS)
    # After the wait for the evaluation, the device waits for a launch.
    assert columns_ms(recorder)["step/cuda_event"][1:] == [20 + HOST_MS, 20]
    assert columns_ms(recorder)["forward/cuda_event"][1:] == [20 + HOST_MS, 20]


@pytest.mark.parametrize("is_known", [True, False])
def test_each_stream_is_found_once_if_torch_says_its_address(tmp_path, cuda, monkeypatch, is_known):
    if not is_known:
        monkeypatch.setattr(sys.modules["torch"], "_C", None)
    with Recorder.start(logs=tmp_path) as recorder:
        for number in recorder.steps(10):
            stream = "own" if number % 4 > 1 else "main"
            with cuda.on_device(number % 2), cuda.on_stream(stream), recorder.phase("forward"):
                cuda.launch(2 * MS)
    assert set(columns_ms(recorder)["forward/cuda_event"]) <= {2, 2 + HOST_MS}
    assert cuda.streams_found == (4 if is_known else cuda.recorded)


def test_device_time_excludes_breaks_between_loops(tmp_path, cuda):
    with Recorder.start(logs=tmp_path) as recorder:
        for _ in range(2):
            for _ in train(recorder, cuda, 2):
                pass
            cuda.launch(9999 * MS)
    assert columns_ms(recorder)["step/cuda_event"][1:] == [3, 3 + HOST_MS, 3]


def test_a_discarded_step_leaves_no_device_time(tmp_path, cuda):
    with Recorder.start(logs=tmp_path) as recorder:
        for number in train(recorder, cuda, 3):
            if number == 1:
                recorder.mark_break("checkpoint")
    assert columns_ms(recorder)["step/cuda_event"][1:] == [3 + HOST_MS]
    assert columns_ms(recorder)["forward/cuda_event"][1:] == [1 + HOST_MS]


# A prefetcher copies the next batch in a stream of its own, which is far behind the main one.
@pytest.mark.parametrize("copy_ms", [4, 40])
def test_a_phase_in_another_stream_keeps_its_time_and_that_of_the_others(tmp_path, cuda, copy_ms):
    with Recorder.start(logs=tmp_path) as recorder:
        transfer = recorder.phase("transfer")
        for number in train(recorder, cuda, 100):
            if number < 5:
                with cuda.on_stream("copy"), transfer:
                    cuda.launch(copy_ms * MS)
    columns = columns_ms(recorder)
    assert columns["step/cuda_event"] == from_idle([3] * 100)
    assert columns["forward/cuda_event"] == from_idle([1] * 100)
    assert columns["transfer/cuda_event"][1:5] == [copy_ms] * 4
    assert columns["transfer/cuda_event"][5:] == [None] * 95
    assert [row["transfer_count"] for row in rows(recorder)] == ["1"] * 5 + ["0"] * 95
    assert "no_device_time" not in recorder_facts(recorder)


def test_a_phase_that_completes_long_after_its_step_has_no_device_time(tmp_path, cuda):
    with Recorder.start(logs=tmp_path) as recorder:
        transfer = recorder.phase("transfer")
        for number in train(recorder, cuda, 500):
            if number == 207:  # the waits after steps 20 and 120 would let it complete
                with cuda.on_stream("copy"), transfer:
                    cuda.launch(5000 * MS)
    columns = columns_ms(recorder)
    assert columns["step/cuda_event"] == from_idle([3] * 500)
    assert columns["transfer/cuda_event"] == [None] * 500
    assert recorder_facts(recorder)["no_device_time"] == {"not completed half a second after its step": 1}


def test_a_phase_that_ends_in_another_stream_before_it_begins_has_no_device_time(tmp_path, clock, cuda):
    with Recorder.start(logs=tmp_path) as recorder:
        transfer = recorder.phase("transfer")
        for number in train(recorder, cuda, 10):
            if number == 4:
                transfer.__enter__()
                clock.now += 10_000
                with cuda.on_stream("copy"):
                    transfer.__exit__(None, None, None)
    assert columns_ms(recorder)["step/cuda_event"][1:] == [3] * 9
    assert columns_ms(recorder)["transfer/cuda_event"] == [None] * 10
    reasons = recorder_facts(recorder)["no_device_time"]
    assert reasons == {"ends before it begins, in another stream": 1}


def test_a_phase_within_a_graph_capture_has_no_device_time_and_breaks_nothing(tmp_path, cuda):
    with Recorder.start(logs=tmp_path) as recorder:
        replay = recorder.phase("replay")
        for number in recorder.steps(100):
            if number == 3:
                with cuda.graph():
                    for _ in train_phases(recorder, cuda):
                        pass
            with replay:
                cuda.launch(7 * MS)
    columns = columns_ms(recorder)
    assert columns["replay/cuda_event"][5:] == from_idle([7] * 95)
    assert None not in columns["step/cuda_event"]
    assert columns["forward/cuda_event"] == [None] * 100
    assert columns["forward/host"][3] is not None
    assert recorder_facts(recorder)["no_device_time"] == {"within the capture of a CUDA graph": 1}


def test_a_phase_that_was_entered_several_times_has_no_total_without_one_of_its_times(tmp_path, cuda):
    with Recorder.start(logs=tmp_path) as recorder:
        forward = recorder.phase("forward")
        for number in recorder.steps(30):
            for part in range(4):
                if (number, part) == (10, 2):
                    with cuda.graph(), forward:
                        cuda.launch(MS)
                else:
                    with forward:
                        cuda.launch(MS)
                    cuda.clock.now += 10_000
    times = columns_ms(recorder)["forward/cuda_event"]
    assert times[10] is None
    assert [number for number, time in enumerate(times) if time is None] == [10]
    assert rows(recorder)[10]["forward_count"] == "4"


def train_phases(recorder, cuda):
    with recorder.phase("forward"):
        cuda.launch(MS)
        yield


def test_steps_that_begin_within_a_capture_have_no_device_time(tmp_path, cuda):
    with Recorder.start(logs=tmp_path) as recorder:
        for number in train(recorder, cuda, 40):
            if number == 3:
                capture = cuda.graph()
                capture.__enter__()
            elif number == 5:
                capture.__exit__(None, None, None)
    without = [i for i, x in enumerate(columns_ms(recorder)["step/cuda_event"]) if x is None]
    assert without == [3, 4, 5]


@pytest.mark.parametrize("moves_back", [True, False])
def test_a_step_on_two_devices_has_no_device_time_and_the_others_do(tmp_path, cuda, moves_back):
    with Recorder.start(logs=tmp_path) as recorder:
        forward = recorder.phase("forward")
        for number in recorder.steps(100):
            with forward:
                cuda.launch(2 * MS)
                if number == 50:
                    cuda.device = 1
            if moves_back:
                cuda.clock.now += 10_000
                cuda.device = 0
    columns = columns_ms(recorder)
    expected = [] if moves_back else [50]
    assert [i for i, x in enumerate(columns["step/cuda_event"]) if x is None] == expected
    assert [i for i, x in enumerate(columns["forward/cuda_event"]) if x is None] == [50]
    reasons = recorder_facts(recorder)["no_device_time"]
    assert reasons == {"begins and ends on two devices": 2 - moves_back}


def test_a_device_error_ends_neither_steps_nor_training(tmp_path, cuda):
    with Recorder.start(logs=tmp_path) as recorder:
        for number in train(recorder, cuda, 100):
            cuda.is_in_error = 70 <= number < 80
            cuda.clock.now += 4 * MS
    columns = columns_ms(recorder)
    assert len(columns["step/host"]) == 100
    assert None not in columns["step/cuda_event"][:69]
    assert None in columns["step/cuda_event"][69:81]
    assert None not in columns["step/cuda_event"][82:]
    assert "CUDA error: device-side assert triggered" in recorder_facts(recorder)["no_device_time"]


def leave_early(steps, count):
    """Run `count` steps of a loop that could go on: the recorder does not wait after it."""
    for _ in itertools.islice(steps, count + 1):  # the next one is not recorded
        pass


def test_close_waits_for_the_device_as_long_as_it_takes(tmp_path, clock, cuda, capsys):
    with Recorder.start(logs=tmp_path) as recorder:
        for number in itertools.islice(recorder.steps(999), 120 + 30):
            cuda.launch(1000 * MS if number >= 120 else 0)  # before, the recorder waits within the loop
    assert columns_ms(recorder)["step/cuda_event"][121:] == [1000] * 28
    assert clock.now > 29_000 * MS
    messages = [line for line in capsys.readouterr().err.splitlines() if "waiting" in line]
    # After 2 s, then every 10 s.
    assert messages == [
        f"reportgen: waiting for the device to complete {steps} steps; Ctrl-C stops waiting"
        for steps in (27, 17, 7)
    ]


def test_a_failed_training_waits_a_limited_time_for_a_hanging_device(tmp_path, clock, cuda):
    recorder = Recorder.start(logs=tmp_path)
    leave_early(train(recorder, cuda, 99, forward_ms=10**6), 3)
    recorder.close("failed", "hung")
    assert clock.now < 10_000 * MS
    columns = columns_ms(recorder, "failed")
    assert columns["step/host"] == [2 * HOST_MS] * 3
    assert columns["step/cuda_event"] == [None] * 3
    assert recorder_facts(recorder)["no_device_time"] == {"not completed when the run ended": 3}
    assert recorder_facts(recorder)["error"] == "the device had not completed the last 3 steps"


def test_an_interrupt_ends_the_wait_for_the_device_and_the_run_is_partial(tmp_path, clock, cuda, monkeypatch):
    recorder = Recorder.start(logs=tmp_path)
    leave_early(train(recorder, cuda, 99, forward_ms=1000), 10)
    sleep = cuda_events.time.sleep

    def interrupted(seconds):
        sleep(seconds)
        if clock.now > 5000 * MS:
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(cuda_events.time, "sleep", interrupted)
    with pytest.raises(KeyboardInterrupt):
        recorder.close()
    columns = columns_ms(recorder, "partial")["step/cuda_event"]
    assert columns[1:4] == [1002] * 3
    assert columns[5:] == [None] * 5


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
    tmp_path, cuda, monkeypatch, requested, launcher, expected
):
    monkeypatch.setenv(run_folder.TIMING_VARIABLE, launcher)
    with Recorder.start(logs=tmp_path, timing=requested) as recorder:
        for _ in train(recorder, cuda, 1):
            pass
    assert f"forward/{expected}" in columns_ms(recorder)


def test_without_a_device_the_host_clock_is_used_with_a_warning(tmp_path, monkeypatch, capsys):
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    with Recorder.start(logs=tmp_path, timing="events") as recorder:
        for _ in recorder.steps(1):
            pass
    assert list(columns_ms(recorder)) == ["step/host"]
    assert "torch uses no CUDA device" in capsys.readouterr().err
    with pytest.raises(ValueError, match="events, synchronized, host"):
        Recorder.start(logs=tmp_path, timing="gpu")
