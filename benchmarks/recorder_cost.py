"""Print the cost of the recorder per step, in the training thread and in the thread that writes.

    python benchmarks/recorder_cost.py [--steps 1000] [--repeats 201] [--seconds 20] [--cuda]

The writing thread of the recorder is live. Between repeats the training sleeps, as a training does that waits
for its device; without that, the two threads would only compete for the interpreter.

training thread  median over the repeats of a loop of `steps` steps, minus the same loop without the recorder
writing thread   processor time per step, of all steps: it formats and writes lines while the training runs

A second table shows what a flush does to the steps beside it. Steps of 100 us, half of them without the
interpreter lock, run for `seconds`; the steps that overlap a flush are compared with the others, which show
how busy the host is. "slice" is the 99th percentile of the processor time for which the writing thread keeps
the lock.

With --cuda, torch uses its first GPU, so the clock is that of CUDA events. The steps queue no work of their
own: the cost is that of recording and reading the events.
"""

import argparse
import hashlib
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from collectors import Recorder

PHASES = ("forward", "backward", "optimizer", "transfer")
_SLEEP_SECONDS = 30e-6  # for each step, between repeats


def empty_loop(recorder, phases, count):
    """Count only."""
    for _ in range(count):
        pass


def loop_over_list(recorder, phases, count):
    """Iterate over a list only."""
    for _ in iter([None] * count):
        pass


def counted_steps(recorder, phases, count):
    """Record whole steps with steps(n)."""
    for _ in recorder.steps(count):
        pass


def step_called(recorder, phases, count):
    """Record whole steps with step()."""
    for _ in range(count):
        recorder.step()


def data_wait(recorder, phases, count):
    """Record whole steps and the wait for their data."""
    for _ in recorder.steps([None] * count):
        pass


def four_phases(recorder, phases, count):
    """Record whole steps with four phases."""
    first, second, third, fourth = phases
    for _ in recorder.steps(count):
        with first:
            pass
        with second:
            pass
        with third:
            pass
        with fourth:
            pass


#: Name -> loop with the recorder, the same loop without it.
LOOPS = {
    "step only: steps(n)": (counted_steps, empty_loop),
    "step only: step()": (step_called, empty_loop),
    "step and wait for data: steps(loader)": (data_wait, loop_over_list),
    "step and four phases": (four_phases, empty_loop),
}


def writer_seconds(recorder):
    """Return the processor time of the writing thread so far; NaN where the system does not have it."""
    if not hasattr(time, "pthread_getcpuclockid"):
        return float("nan")
    return time.clock_gettime(time.pthread_getcpuclockid(recorder._thread.ident))


def nanoseconds_per_step(loop, recorder, phases, count):
    """Return the time of a repeat, per step."""
    begin = time.perf_counter_ns()
    loop(recorder, phases, count)
    return (time.perf_counter_ns() - begin) / count


def costs(loop, without, count, repeats):
    """Return the cost of a step in the training thread and in the writing thread, in ns."""
    with tempfile.TemporaryDirectory() as folder, Recorder.start(logs=folder) as recorder:
        phases = [recorder.phase(name) for name in PHASES]
        times = {loop: [], without: []}
        for _ in range(repeats):
            for each, values in times.items():
                values.append(nanoseconds_per_step(each, recorder, phases, count))
            time.sleep(_SLEEP_SECONDS * count)
        while recorder._events:  # the writing thread has all of them soon
            time.sleep(0.1)
        written = writer_seconds(recorder) * 1e9 / (count * repeats)
    return median(times[loop]) - median(times[without]), written


def work():
    """Take about 100 us, half of it without the interpreter lock."""
    hashlib.sha256(_BLOCK)
    for _ in range(_COUNT):
        pass


_BLOCK, _COUNT = b"", 0


def calibrate_work():
    """Choose the amounts of work so that each half takes 50 us here."""
    global _BLOCK, _COUNT
    _BLOCK, _COUNT = bytes(100_000), 10_000
    hashing, counting = [], []
    for _ in range(101):
        begin = time.perf_counter()
        hashlib.sha256(_BLOCK)
        middle = time.perf_counter()
        for _ in range(_COUNT):
            pass
        hashing.append(middle - begin)
        counting.append(time.perf_counter() - middle)
    # Less than 2,048 bytes would be hashed with the lock.
    _BLOCK = bytes(max(4096, int(len(_BLOCK) * 50e-6 / median(hashing))))
    _COUNT = int(_COUNT * 50e-6 / median(counting))


def steps_beside_flushes(record, seconds):
    """Return the times (us) of the steps that overlap a flush, of the others, and of the slices of flushes.

    record  runs a step of `work` in the loop of a recorder and its phases
    """
    flushes, steps, slices = [], [], []
    with tempfile.TemporaryDirectory() as folder, Recorder.start(logs=folder) as recorder:
        flush, encode = recorder.flush, recorder._encoder.encode

        def noted_encode(events):
            begin = time.thread_time()
            lines = encode(events)
            slices.append((time.thread_time() - begin) * 1e6)
            return lines

        def noted_flush():
            begin = time.perf_counter()
            done = flush()
            flushes.append((begin, time.perf_counter()))
            return done

        recorder.flush, recorder._encoder.encode = noted_flush, noted_encode
        phases = [recorder.phase(name) for name in PHASES]
        end = time.perf_counter() + seconds
        begin = time.perf_counter()
        for _ in recorder.steps(10**9):
            record(phases)
            now = time.perf_counter()
            steps.append((begin, now))
            if now > end:
                break
            begin = now
    beside, others = [], []
    for begin, end in steps[1000:]:  # the first ones start threads and warm up
        while flushes and flushes[0][1] < begin:
            flushes.pop(0)
        is_beside = bool(flushes) and flushes[0][0] < end
        (beside if is_beside else others).append((end - begin) * 1e6)
    return beside, others, slices


def record_step(phases):
    """Do the work of a step without phases."""
    work()


def record_phases(phases):
    """Do the work of a step in the last of four phases."""
    first, second, third, fourth = phases
    with first:
        pass
    with second:
        pass
    with third:
        pass
    with fourth:
        work()


def quantile(values, share):
    """Return the value that `share` of the values do not exceed; NaN for none."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else float("nan")


def main():
    """Measure and print."""
    usage = "python benchmarks/recorder_cost.py [--steps N] [--repeats N] [--seconds S] [--cuda]"
    parser = argparse.ArgumentParser(usage=usage)
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--repeats", type=int, default=201)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--cuda", action="store_true")
    options = parser.parse_args()
    if options.cuda:
        import torch

        if not torch.cuda.is_available():
            parser.error("--cuda: torch has no CUDA device; leave the option out")
        print(f"clock: events of {torch.cuda.get_device_name()}")
        torch.cuda.init()  # the recorder chooses events if torch uses CUDA already
    print(f"{'ns per step':40}{'training thread':>16}{'writing thread':>16}")
    for name, (loop, without) in LOOPS.items():
        training, writing = costs(loop, without, options.steps, options.repeats)
        print(f"{name:40}{training:16.0f}{writing:16.0f}")
    calibrate_work()
    print(f"\n{'us per step of 100 us':40}{'median':>10}{'p99':>10}{'longest':>10}{'slice':>10}")
    for name, record in (("step only", record_step), ("step and four phases", record_phases)):
        beside, others, slices = steps_beside_flushes(record, options.seconds)
        for which, times in (("during a flush", beside), ("otherwise", others)):
            row = [quantile(times, share) for share in (0.5, 0.99, 1)]
            row += [quantile(slices, 0.99)] if times is beside else []
            print(f"{f'{name}, {which}':40}" + "".join(f"{value:10.0f}" for value in row))


if __name__ == "__main__":
    main()
