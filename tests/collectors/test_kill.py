"""SIGKILL at random moments: every flushed row is read, and at most one second of steps is lost.

The child notes in a shared file when each of its steps will have been completed: by the host, or by a device whose
queue is full. The parent kills it, and compares that with the log. A machine that is busy may not let the child run for
a while, so a thread of the child notes how late it wakes; that much more may be lost.
"""

import mmap
import random
import signal
import time
from pathlib import Path

import numpy as np
import pytest

from reportgen.load import load_runs
from tests.collectors.second_reader import read
from tests.conftest import IS_THOROUGH

pytestmark = pytest.mark.slow

LOST_SECONDS = 1.0
MAX_STEPS = 200_000  # more than a child on a busy machine completes before its kill
TRAIN = """
import mmap, struct, time
from types import SimpleNamespace

class Event:
    device = 0
    def __init__(self, enable_timing): pass
    def record(self, stream=None): self.at = max(time.perf_counter_ns(), free_at)
    def query(self): return time.perf_counter_ns() >= self.at
    def elapsed_time(self, other): return (other.at - self.at) / 1e6

free_at = 0
has_events, step_ns = {has_events}, {step_ns}
if has_events:
    cuda = SimpleNamespace(Event=Event, is_initialized=lambda: True, is_available=lambda: True)
    sys.modules["torch"] = SimpleNamespace(cuda=cuda, __version__="0")
shared = mmap.mmap(os.open("completed", os.O_RDWR), 8 * ({max_steps} + 2))
def watch(last=time.perf_counter_ns(), longest=0):
    while True:
        time.sleep(0.02)
        now = time.perf_counter_ns()
        last, longest = now, max(longest, now - last)
        struct.pack_into("2q", shared, 8 * {max_steps}, last, longest)
threading.Thread(target=watch, daemon=True).start()
recorder = Recorder.start(samples_per_step=4, logs="logs")
phases = [recorder.phase(name) for name in ("forward", "backward", "optimizer", "transfer")]
print("ready", flush=True)
for number in recorder.steps({max_steps}):
    begin = time.perf_counter_ns()
    for phase in phases:
        with phase:
            free_at = max(time.perf_counter_ns(), free_at) + step_ns // 4
    if has_events:
        # The host is ahead by at most ten steps.
        time.sleep(max(0, free_at - 10 * step_ns - time.perf_counter_ns()) / 1e9)
    else:
        time.sleep(step_ns / 1e9)
        free_at = time.perf_counter_ns()
    struct.pack_into("q", shared, 8 * number, free_at)
"""


# ns of a step -> kills, for the host and for a device each, and s until the last of them
if IS_THOROUGH:
    KILLS, LAST = {233_000: 8, 50_000_000: 7, 300_000_000: 6}, 4.0
else:
    KILLS, LAST = {233_000: 3, 50_000_000: 3, 300_000_000: 3}, 2.5
FAST, *SLOW = KILLS


# Slow steps leave the cores idle, so all of their children are there at the same time.
@pytest.mark.parametrize(
    "trainings",
    [[(FAST, False)], [(FAST, True)], [(step_ns, kind) for step_ns in SLOW for kind in (False, True)]],
    ids=["fast-host", "fast-device", "slow"],
)
def test_a_kill_at_a_random_moment_loses_at_most_a_second(script, trainings):
    children = []
    for step_ns, has_events in trainings:
        chance = random.Random(step_ns + has_events)
        script.path = script.folder / f"train-{step_ns}-{has_events}.py"
        script.write(TRAIN.format(has_events=has_events, step_ns=step_ns, max_steps=MAX_STEPS))
        for number in range(KILLS[step_ns]):
            folder = script.folder / f"{step_ns}-{has_events}-{number}"
            folder.mkdir()
            (folder / "completed").write_bytes(bytes(8 * (MAX_STEPS + 2)))
            child = script.start(cwd=folder)
            children.append((chance.uniform(0.2, LAST), folder, child))
    begin = time.monotonic()
    try:
        for _, _, child in children:
            assert child.stdout.readline() == b"ready\n"
        for after, folder, child in sorted(children, key=lambda one: one[0]):
            time.sleep(max(0.0, begin + after - time.monotonic()))
            killed_at = time.perf_counter_ns()
            child.send_signal(signal.SIGKILL)
            child.communicate()
            assert lost_steps(folder, killed_at) == []
    finally:
        for _, _, child in children:
            child.kill()


def lost_steps(folder: Path, killed_at: int) -> list[int]:
    """Return the steps that were completed more than a second before the kill and are not in the log."""
    with (folder / "completed").open("r+b") as file, mmap.mmap(file.fileno(), 0) as shared:
        noted = np.frombuffer(bytes(shared), np.int64)
    completed, (woke_at, longest_sleep) = noted[:MAX_STEPS], noted[MAX_STEPS:]
    completed = completed[completed > 0]
    asleep = max(longest_sleep, killed_at - woke_at)
    (run_folder,) = folder.glob("logs/*/r*")
    text = (run_folder / "steps.rank0.csv").read_bytes()
    on_disk = sum(line[:1].isdigit() and line.endswith(b"\n") for line in text.splitlines(keepends=True))
    result = read(run_folder)
    rows = result["run"]["ranks"]["0"]["steps"]
    assert rows == list(range(1, on_disk + 1))
    assert [finding["rule"] for finding in result["findings"]] == ["read.incomplete-run"]
    (loaded,) = load_runs([run_folder], root=folder).runs
    assert {len(series.step) for series in loaded.series} <= {on_disk}
    late = np.flatnonzero(completed < killed_at - LOST_SECONDS * 1e9 - asleep) + 1
    return [int(step) for step in late if step > on_disk]
