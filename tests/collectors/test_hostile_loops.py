"""Training loops that a recorder on a GPU could time wrongly, on a device whose clock is known.

Each loop says by hand how long one step takes. The run that it records must give this time within 1 %, or no
valid number. The loops were written from the documentation alone, before its author read the recorder.
"""

import json
import threading
import time
from contextlib import suppress
from itertools import count

import pytest

from collectors import Recorder
from reportgen.load import load_runs
from reportgen.protocol import DEFAULT
from reportgen.report.listing import RunListing
from reportgen.report.run_entry import entry_of_run

MS = 1_000_000
SAMPLES = 32
TOLERANCE = 0.01


class Training:
    """A training on the stand-in: what a loop needs, and the folder that it records into."""

    def __init__(self, cuda, clock, logs, monkeypatch):
        self.cuda, self.clock, self.logs, self.monkeypatch = cuda, clock, logs, monkeypatch

    def start(self, **options):
        """Begin a run, with samples of its own unless the loop gives others."""
        return Recorder.start(logs=str(self.logs), **{"samples_per_step": SAMPLES, **options})

    def work(self, duration=10 * MS, place="main"):
        """Queue one launch: in the current stream, on another device, or in a stream that is waited for or not."""
        if place == "device":
            with self.cuda.on_device(1):
                self.cuda.launch(duration)
        elif place == "main":
            self.cuda.launch(duration)
        else:
            with self.cuda.on_stream("side"):
                self.cuda.launch(duration)
            if place == "awaited":
                self.cuda.wait_stream("side")

    def host(self, duration):
        """Let the host work."""
        self.clock.now += duration


@pytest.fixture
def training(cuda, clock, tmp_path, monkeypatch):
    """Return a training that records below a folder of the test."""
    return Training(cuda, clock, tmp_path / "logs", monkeypatch)


def read(training):
    """Return the entries of `reportgen runs --format json`, after what the training recorded."""
    loaded = load_runs(["logs"], root=training.logs.parent)
    listing = RunListing(tuple(entry_of_run(run, DEFAULT) for run in loaded.runs))
    return json.loads(listing.to_json())["runs"]


def outcome(entry, step_time):
    """Return right, refused or wrong: the throughput of a run, compared with steps of this many ns."""
    found = [x for x in entry["measurements"] if (x["metric"], x["phase"]) == ("throughput", "step")]
    if not found or found[0]["value"] is None or found[0]["invalid"] or entry["status"] != "complete":
        return "refused"
    error = abs(found[0]["value"] * step_time / 1e9 / SAMPLES - 1)
    return "right" if error <= TOLERANCE else f"wrong by {error:.1%}"


# Loops by hand: a function trains and returns the true time of a step in ns. 130 steps of 10 ms unless it says
# something else; the protocol measures steps 21 to 120.
LOOPS = []


def loop(function):
    """Add a training loop to the table."""
    LOOPS.append(function)
    return function


def train(training, step=Training.work, steps=130, **options):
    """Record a plain loop of this step."""
    with training.start(**options) as recorder:
        for _ in recorder.steps(steps):
            step(training)


@loop
def one_launch_a_step(t):
    train(t)
    return 10 * MS


@loop
def another_device_than_the_current_one(t):
    train(t, lambda t: t.work(place="device"))
    return 10 * MS


@loop
def own_stream_that_is_waited_for(t):
    train(t, lambda t: t.work(place="awaited"))
    return 10 * MS


@loop
def own_stream_that_nothing_waits_for(t):
    train(t, lambda t: t.work(place="side"))
    return 10 * MS


@loop
def device_is_current_before_the_start(t):
    t.cuda.device = 1
    train(t)
    return 10 * MS


@loop
def device_is_set_after_the_start(t):
    with t.start() as recorder:
        t.cuda.device = 1
        for _ in recorder.steps(130):
            t.work()
    return 10 * MS


@loop
def device_is_switched_half_way(t):
    with t.start() as recorder:
        for number in recorder.steps(130):
            t.cuda.device = int(number >= 70)
            t.work()
    return 10 * MS


@loop
def device_alternates(t):
    with t.start() as recorder:
        for number in recorder.steps(130):
            t.cuda.device = number % 2
            t.work()
            t.cuda.wait_stream("main", device=1 - number % 2)
    return 10 * MS


@loop
def pipeline_over_two_devices(t):
    def step(t):
        t.work(5 * MS)
        with t.cuda.on_device(1):
            t.cuda.wait_stream("main", device=0)
            t.cuda.launch(8 * MS)

    train(t, step)
    return 8 * MS


@loop
def two_devices_in_turn_for_one_step(t):
    def step(t):
        t.work(5 * MS)
        with t.cuda.on_device(1):
            t.cuda.wait_stream("main", device=0)
            t.cuda.launch(5 * MS)
        t.cuda.wait_stream("main", device=1)

    train(t, step)
    return 10 * MS


@loop
def slow_stream_beside_a_fast_one(t):
    def step(t):
        t.work(10 * MS)
        t.work(15 * MS, "side")

    train(t, step)
    return 15 * MS


@loop
def fast_stream_beside_a_slow_one(t):
    def step(t):
        t.work(10 * MS)
        t.work(5 * MS, "side")

    train(t, step)
    return 10 * MS


@loop
def side_stream_is_waited_for_every_tenth_step(t):
    with t.start() as recorder:
        for number in recorder.steps(130):
            t.work(place="side")
            if number % 10 == 9:
                t.cuda.wait_stream("side")
    return 10 * MS


@loop
def copies_to_the_device_are_slower_than_the_work(t):
    def step(t):
        t.work(12 * MS, "awaited")
        t.work(5 * MS)

    train(t, step)
    return 12 * MS  # the copy of the next batch runs beside the work


@loop
def graph_of_one_launch(t):
    with t.start() as recorder:
        for number in recorder.steps(130):
            if number == 3:
                with t.cuda.graph():
                    t.work()
            t.work()
    return 10 * MS


@loop
def graph_is_captured_in_a_measured_step(t):
    with t.start() as recorder:
        forward = recorder.phase("forward")
        for number in recorder.steps(130):
            with forward:
                if number == 60:
                    with t.cuda.graph():
                        t.work()
                t.work()
    return 10 * MS


@loop
def cuda_is_first_used_in_the_loop(t):
    t.cuda.is_initialized = lambda: bool(t.cuda.ends)
    train(t)
    return 10 * MS


@loop
def cuda_is_first_used_in_step_fifty(t):
    t.cuda.is_initialized = lambda: bool(t.cuda.ends)
    with t.start() as recorder:
        for number in recorder.steps(130):
            if number >= 50:
                t.work()
            else:
                t.host(10 * MS)
    return 10 * MS


@loop
def host_clock_with_few_steps(t):
    train(t, steps=60, timing="host")
    return 10 * MS


@loop
def host_clock_with_just_enough_steps(t):
    train(t, steps=120, timing="host")
    return 10 * MS


@loop
def host_clock_with_one_step_too_few(t):
    train(t, steps=119, timing="host")
    return 10 * MS


@loop
def host_clock(t):
    train(t, timing="host")
    return 10 * MS


@loop
def host_clock_and_another_device(t):
    train(t, lambda t: t.work(place="device"), timing="host")
    return 10 * MS


@loop
def host_waits_at_each_border(t):
    train(t, timing="synchronized")
    return 10 * MS


@loop
def host_waits_at_each_border_for_the_wrong_device(t):
    train(t, lambda t: t.work(place="device"), timing="synchronized")
    return 10 * MS


@loop
def every_second_step_does_nothing(t):
    with t.start() as recorder:
        for number in recorder.steps(130):
            if number % 2:
                t.work(20 * MS)
    return 10 * MS


@loop
def no_step_does_anything(t):
    train(t, lambda t: t.host(1 * MS))
    return 1 * MS


@loop
def no_step_takes_any_time(t):
    train(t, lambda t: None)
    return 0


@loop
def tiny_steps(t):
    train(t, lambda t: t.cuda.launch(1_000, count=4))
    return 4 * 5_000


@loop
def thousand_tiny_launches(t):
    train(t, lambda t: t.cuda.launch(10_000, count=1000))
    return 10 * MS


@loop
def more_launches_than_the_queue_holds(t):
    train(t, lambda t: t.cuda.launch(1_000, count=3000))
    return 3000 * 5_000


@loop
def loss_is_printed_each_step(t):
    def step(t):
        t.work()
        t.cuda.synchronize()

    train(t, step)
    return 10 * MS + 5_000


@loop
def loader_is_slower_than_the_device(t):
    def step(t):
        t.host(30 * MS)
        t.work()

    train(t, step)
    return 30 * MS


@loop
def loader_prefetches_onto_the_device(t):
    def loader():
        for _ in range(130):
            t.work(12 * MS, "awaited")
            yield

    with t.start() as recorder:
        for _ in recorder.steps(loader()):
            t.work(5 * MS)
    return 12 * MS  # copy and work overlap


@loop
def loader_prefetches_two_batches(t):
    def loader():
        ready = []
        for _ in range(132):
            t.host(10 * MS)
            ready.append(1)
            if len(ready) > 2:
                yield ready.pop(0)

    with t.start() as recorder:
        for _ in recorder.steps(loader()):
            t.work(5 * MS)
    return 10 * MS


@loop
def first_step_compiles_for_an_hour(t):
    with t.start() as recorder:
        for number in recorder.steps(130):
            if number == 0:
                t.host(3_600_000 * MS)
            t.work()
    return 10 * MS


@loop
def compiles_again_in_a_measured_step(t):
    with t.start() as recorder:
        for number in recorder.steps(130):
            if number == 70:
                t.host(1_000 * MS)
            t.work()
    return 10 * MS  # while stepping: the long step is left out, and protocol.gap names it


@loop
def evaluation_declared_at_its_end(t):
    with t.start() as recorder:
        for number in recorder.steps(130):
            t.work()
            if number % 30 == 29:
                t.cuda.launch(200 * MS)
                recorder.mark_break("evaluation")
                t.work()
    return 10 * MS


def between_loops(t, evaluate, steps=10):
    with t.start() as recorder:
        for _ in range(130 // steps):
            for _ in recorder.steps(steps):
                t.work()
            evaluate(recorder)


@loop
def evaluation_between_loops_is_declared_at_its_end(t):
    def evaluate(recorder):
        t.work(200 * MS)
        recorder.mark_break("evaluation")

    between_loops(t, evaluate)
    return 10 * MS


@loop
def evaluation_between_loops_is_not_declared(t):
    between_loops(t, lambda recorder: t.work(200 * MS))
    return 10 * MS


@loop
def evaluation_between_loops_on_another_device(t):
    between_loops(t, lambda recorder: t.work(200 * MS, "device"))
    return 10 * MS


@loop
def checkpoint_between_loops_waits_for_the_device(t):
    def save(recorder):
        t.cuda.synchronize()
        t.host(500 * MS)

    between_loops(t, save)
    return 10 * MS


@loop
def evaluation_in_a_pause(t):
    with t.start() as recorder:
        for number in recorder.steps(130):
            t.work()
            if number % 30 == 29:
                with recorder.pause("evaluation"):
                    t.work(200 * MS)
    return 10 * MS


@loop
def evaluation_in_a_pause_at_the_head_of_a_step(t):
    with t.start() as recorder:
        for number in recorder.steps(130):
            if number % 30 == 29:
                with recorder.pause("evaluation"):
                    t.work(200 * MS)
            t.work()
    return 10 * MS


@loop
def pause_of_an_hour(t):
    with t.start() as recorder:
        for number in recorder.steps(130):
            t.work()
            if number == 60:
                with recorder.pause("lunch"):
                    t.host(3_600_000 * MS)
    return 10 * MS


@loop
def nested_pauses(t):
    with t.start() as recorder:
        for number in recorder.steps(130):
            t.work()
            if number % 30 == 29:
                with recorder.pause("evaluation"), recorder.pause("checkpoint"):
                    t.work(200 * MS)
    return 10 * MS


@loop
def host_sleeps_for_an_hour_in_a_step(t):
    with t.start() as recorder:
        for number in recorder.steps(130):
            t.work()
            if number == 60:
                t.host(3_600_000 * MS)
    return 10 * MS  # while stepping: the long step is left out, and protocol.gap names it


@loop
def work_goes_on_after_the_last_step(t):
    with t.start() as recorder:
        for _ in recorder.steps(120):
            t.work()
        t.work(5_000 * MS)
        t.work(5_000 * MS, "device")
    return 10 * MS


@loop
def work_goes_on_after_a_short_run_of_the_host_clock(t):
    with t.start(timing="host") as recorder:
        for _ in recorder.steps(60):
            t.work(1 * MS)
        t.work(5_000 * MS)
    return 1 * MS


@loop
def closed_in_an_exception(t):
    with suppress(KeyError), t.start() as recorder:
        for number in recorder.steps(130):
            t.work()
            if number == 125:
                raise KeyError
    return 10 * MS


@loop
def exception_while_the_device_is_a_minute_behind(t):
    with suppress(KeyError), t.start(timing="host") as recorder:
        for number in recorder.steps(130):
            t.work(1_000 * MS)
            if number == 110:
                raise KeyError
    return 1_000 * MS


@loop
def second_recorder_for_the_same_run(t):
    first = t.start()
    second = t.start()
    for _ in second.steps(130):
        t.work()
    second.close()
    first.close()
    return 10 * MS


@loop
def two_recorders_in_turn(t):
    train(t)
    train(t)
    return 10 * MS


@loop
def two_loops_of_one_recorder(t):
    with t.start() as recorder:
        for duration in (10 * MS, 20 * MS):
            for _ in recorder.steps(125):
                t.work(duration)
    return 10 * MS


@loop
def two_loops_on_one_recorder_zipped(t):
    with t.start() as recorder:
        for _ in zip(recorder.steps(130), recorder.steps(130), strict=True):
            t.work()
    return 10 * MS


@loop
def loop_within_the_loop(t):
    with t.start() as recorder:
        for _ in recorder.steps(130):
            for _ in recorder.steps(4):
                t.work()
    return 10 * MS


@loop
def ranges_of_a_profiler(t):
    with t.start() as recorder:
        forward, attention = recorder.phase("forward"), recorder.phase("attention")
        for _ in recorder.steps(130):
            with forward:
                for _ in range(5):
                    with attention:
                        t.work(2 * MS)
    return 10 * MS


@loop
def phase_that_waits(t):
    with t.start() as recorder:
        forward = recorder.phase("forward", synchronize=t.cuda.synchronize)
        for _ in recorder.steps(130):
            with forward:
                t.work(5 * MS)
            t.work(5 * MS)
    return 10 * MS + 2 * 5_000


@loop
def gradients_are_accumulated(t):
    with t.start(samples_per_step=None) as recorder:
        for _ in range(130):
            for _ in range(4):
                t.work(10 * MS)
                recorder.samples(SAMPLES // 4)
            recorder.step()
    return 40 * MS


@loop
def gradients_are_accumulated_and_each_batch_is_a_step(t):
    with t.start() as recorder:
        for number in recorder.steps(130):
            t.work(8 * MS)
            if number % 4 == 3:
                t.work(8 * MS)
    return 10 * MS


@loop
def samples_are_given_a_step_late(t):
    with t.start(samples_per_step=None) as recorder:
        for number in recorder.steps(130):
            if number:
                recorder.samples(SAMPLES)
            t.work()
        recorder.samples(SAMPLES)
    return 10 * MS


@loop
def samples_are_given_for_ten_steps_at_once(t):
    with t.start(samples_per_step=None) as recorder:
        for number in recorder.steps(130):
            t.work()
            if number % 10 == 9:
                recorder.samples(10 * SAMPLES)
    return 10 * MS


@loop
def samples_are_given_for_some_steps_only(t):
    with t.start(samples_per_step=None) as recorder:
        for number in recorder.steps(130):
            t.work()
            if number % 2:
                recorder.samples(SAMPLES)
    return 10 * MS


@loop
def samples_are_given_at_the_end_of_all(t):
    with t.start(samples_per_step=None) as recorder:
        for _ in recorder.steps(130):
            t.work()
        recorder.samples(130 * SAMPLES)
    return 10 * MS


@loop
def last_batch_of_each_epoch_is_small(t):
    with t.start(samples_per_step=None) as recorder:
        for _ in range(13):
            for number in recorder.steps(10):
                t.work(10 * MS if number < 9 else 5 * MS)
                recorder.samples(SAMPLES if number < 9 else SAMPLES // 2)
    return 10 * MS


@loop
def steps_without_an_iterator(t):
    with t.start() as recorder:
        for _ in range(130):
            t.work()
            recorder.step()
    return 10 * MS


@loop
def steps_begin_long_after_the_start(t):
    with t.start() as recorder:
        t.work(60_000 * MS)
        t.host(5_000 * MS)
        for _ in range(130):
            t.work()
            recorder.step()
    return 10 * MS


@loop
def step_is_called_at_the_head_of_the_loop(t):
    with t.start() as recorder:
        for _ in range(130):
            recorder.step()
            t.work()
    return 10 * MS


@loop
def step_is_called_twice_a_step(t):
    with t.start() as recorder:
        for _ in recorder.steps(130):
            t.work()
            recorder.step()
    return 10 * MS


@loop
def steps_in_a_thread(t):
    with t.start() as recorder:

        def body():
            for _ in recorder.steps(130):
                t.work()

        thread = threading.Thread(target=body)
        thread.start()
        thread.join()
    return 10 * MS


@loop
def two_threads_share_the_recorder(t):
    with t.start() as recorder:

        def body():
            for _ in range(65):
                t.work(5 * MS)
                recorder.step()

        threads = [threading.Thread(target=body) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    return 5 * MS


@loop
def wall_clock_is_set_back_an_hour(t):
    real = time.time_ns
    jump = [0]
    t.monkeypatch.setattr(time, "time_ns", lambda: real() + jump[0])
    with t.start() as recorder:
        for number in recorder.steps(130):
            if number == 60:
                jump[0] = -3_600 * 10**9
            t.work()
    return 10 * MS


@loop
def every_break_of_the_loop_is_a_break_statement(t):
    with t.start() as recorder:
        for _ in range(13):
            for number in recorder.steps(count()):
                t.work()
                if number == 10:
                    break
    return 10 * MS


@loop
def loop_is_left_in_each_step(t):
    with t.start() as recorder:
        for _ in range(130):
            for _ in recorder.steps(count()):
                t.work()
                break
    return 10 * MS


@loop
def loader_ends_with_an_error(t):
    def loader():
        yield from range(125)
        raise OSError

    with suppress(OSError), t.start() as recorder:
        for _ in recorder.steps(loader()):
            t.work()
    return 10 * MS


@loop
def device_fails_half_way(t):
    with suppress(RuntimeError), t.start() as recorder:
        for number in recorder.steps(130):
            t.cuda.is_in_error = number > 110
            t.cuda.check()
            t.work()
    return 10 * MS


@loop
def device_fails_in_the_last_wait(t):
    with t.start() as recorder:
        for _ in recorder.steps(130):
            t.work()
        t.cuda.is_in_error = True
    return 10 * MS


@loop
def warm_up_is_faster_than_the_rest(t):
    with t.start() as recorder:
        for number in recorder.steps(130):
            t.work(1 * MS if number < 20 else 10 * MS)
    return 10 * MS


@loop
def device_slows_down_half_way(t):
    with t.start() as recorder:
        for number in recorder.steps(130):
            t.work(5 * MS if number < 70 else 15 * MS)
    return 10 * MS


@loop
def training_leaves_its_device_with_work_queued_at_the_start(t):
    t.work(30_000 * MS)
    train(t)
    return 10 * MS


@loop
def other_work_is_queued_at_the_start_in_another_stream(t):
    t.work(30_000 * MS, "side")
    train(t)
    return 10 * MS


@loop
def calibrated(t):
    train(t, steps=400, calibrate=True)
    return 10 * MS


@loop
def limit_of_the_loader(t):
    with t.start() as recorder:
        for _ in recorder.steps(count(), limit=120):
            t.work()
    return 10 * MS


@pytest.mark.parametrize("train", LOOPS, ids=lambda train: train.__name__)
def test_loop_gives_the_true_time_or_no_number(train, training):
    step_time = train(training)
    outcomes = {outcome(entry, step_time) for entry in read(training)}
    assert outcomes in ({"right"}, {"refused"}, {"right", "refused"})


# How a loop meets its breaks: 130 steps, with something else after each fifth of them.


def epochs(recorder, work, rest):
    for _ in range(26):
        for _ in recorder.steps(5):
            work()
        rest()


def epochs_with_breaks(recorder, work, rest):
    for _ in range(26):
        for _ in recorder.steps(5):
            work()
        rest()
        recorder.mark_break("evaluation")


def pauses(recorder, work, rest):
    for number in recorder.steps(130):
        work()
        if number % 5 == 4:
            with recorder.pause("evaluation"):
                rest()


def pauses_before_the_work(recorder, work, rest):
    for number in recorder.steps(130):
        if number % 5 == 4:
            with recorder.pause("evaluation"):
                rest()
        work()


def called_steps(recorder, work, rest):
    for number in range(130):
        work()
        recorder.step()
        if number % 5 == 4:
            rest()
            recorder.mark_break("evaluation")


RESTS = {
    "the host works": lambda t, place: t.host(50 * MS),
    "the device works on": lambda t, place: t.work(50 * MS, place),
    "the host waits": lambda t, place: (t.work(50 * MS, place), t.cuda.synchronize(1), t.cuda.synchronize()),
}


@pytest.mark.parametrize("timing", ["events", "synchronized", "host"])
@pytest.mark.parametrize("rest", RESTS)
@pytest.mark.parametrize("place", ["main", "side", "device"])
@pytest.mark.parametrize(
    "borders", [epochs, epochs_with_breaks, pauses, pauses_before_the_work, called_steps]
)
def test_breaks_hide_no_work(borders, place, rest, timing, training):
    with training.start(timing=timing) as recorder:
        borders(recorder, lambda: training.work(place=place), lambda: RESTS[rest](training, place))
    (entry,) = read(training)
    found = outcome(entry, 10 * MS)
    assert found in ("right", "refused")
    if timing == "synchronized" or (timing == "events" and place == "main" and rest != "the device works on"):
        assert found == "right"
    if (
        timing == "host"
    ):  # other breaks begin before the recorder knows of them, and the device may work on in them
        assert found == ("right" if borders in (pauses, pauses_before_the_work) else "refused")
