"""Print the cost of the recorder per step in the training thread, compared with the same loop without it.

    python benchmarks/recorder_cost.py [--steps 1000] [--repeats 101]

Each number is the median over the repeats, in nanoseconds per step, and its ratio to the empty loop. The
thread of the recorder writes between the repeats: real steps are longer, so it rarely writes during one. The
time of a flush is a separate line.
"""

import argparse
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from collectors import Recorder
from collectors.recorder import recorder as recorder_module


def empty_loop(recorder, phases, count):
    """Count only."""
    for _ in range(count):
        pass


def iterator_without_recorder(recorder, phases, count):
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


def data_wait(recorder, phases, count):
    """Record whole steps and the wait for their data."""
    for _ in recorder.steps([None] * count):
        pass


LOOPS = {
    "empty loop": empty_loop,
    "loop over a list": iterator_without_recorder,
    "step only: steps(n)": counted_steps,
    "step only: step()": step_called,
    "step and wait for data: steps(loader)": data_wait,
    "step and four phases": four_phases,
}


def nanoseconds_per_step(loop, recorder, phases, count):
    """Return the time of a repeat, per step; events are written before and after it."""
    recorder.flush()
    begin = time.perf_counter_ns()
    loop(recorder, phases, count)
    return (time.perf_counter_ns() - begin) / count


def flush_milliseconds(recorder, phases, count):
    """Return the time to write `count` steps."""
    four_phases(recorder, phases, count)
    begin = time.perf_counter_ns()
    recorder.flush()
    return (time.perf_counter_ns() - begin) / 1e6


def main():
    """Measure and print."""
    parser = argparse.ArgumentParser(usage="python benchmarks/recorder_cost.py [--steps N] [--repeats N]")
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--repeats", type=int, default=101)
    options = parser.parse_args()
    recorder_module._FLUSH_SECONDS = 3600.0  # the flush is measured separately
    recorder_module._FLUSH_INTEGERS = 1 << 40
    with tempfile.TemporaryDirectory() as folder, Recorder.start(logs=folder) as recorder:
        phases = [recorder.phase(name) for name in ("forward", "backward", "optimizer", "transfer")]
        times = {name: [] for name in LOOPS}
        for _ in range(options.repeats):  # interleaved, so that drift favours none
            for name, loop in LOOPS.items():
                times[name].append(nanoseconds_per_step(loop, recorder, phases, options.steps))
        flushes = [flush_milliseconds(recorder, phases, 1000) for _ in range(11)]
    base = median(times["empty loop"])
    print(f"{'':40}{'ns per step':>12}{'above empty':>12}{'ratio':>8}")
    for name, values in times.items():
        value = median(values)
        print(f"{name:40}{value:12.0f}{value - base:12.0f}{value / base:8.1f}")
    print(f"{'flush of 1000 steps, four phases':40}{median(flushes):9.2f} ms, in the recorder's thread")


if __name__ == "__main__":
    main()
