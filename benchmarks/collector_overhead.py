"""Compare what a step with four phases costs the training thread, recorded by us and by others, in one run.

    python benchmarks/collector_overhead.py [--steps 200] [--repeats 31]

The same loop is recorded by
  - our recorder, with four phases, and with whole steps alone;
  - DLLogger's JSON backend: one record per step with four times, by the package `dllogger` where it is
    installed, else by the same work written out here (two time stamps, a dictionary, json.dumps, a line);
  - SimpleProfiler of Lightning: four actions;
  - torch.profiler on the CPU: four `record_function`, without a schedule, its trace thrown away.

Contenders are interleaved, so that drift favours none. Figures are medians of the repeats above the empty
loop. What is missing is left out, and the table says so. With --check the exit code is 1 if our recorder with
four phases is less than 5 times cheaper than DLLogger, or dearer than SimpleProfiler.
"""

import argparse
import datetime
import importlib.util
import json
import logging
import os
import sys
import tempfile
import time
import warnings
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from recorder_cost import four_phases

from collectors import Recorder
from collectors.recorder import recorder as recorder_module

PHASES = ("forward", "backward", "optimizer", "transfer")


class Empty:
    """The loop alone."""

    name = "empty loop"

    def run(self, count):
        """Do count steps."""
        for _ in range(count):
            pass


class Steps:
    """Our recorder, whole steps."""

    name = "reportgen recorder, step alone"

    def __init__(self, folder):
        self.recorder = Recorder.start(logs=folder)

    def run(self, count):
        """Do count steps."""
        for _ in self.recorder.steps(count):
            pass

    def rest(self):
        """Write, as the recorder's own thread does beside real steps."""
        self.recorder.flush()

    def end(self):
        """Close the log."""
        self.recorder.close()


class Phases(Steps):
    """Our recorder, four phases."""

    name = "reportgen recorder, four phases"

    def __init__(self, folder):
        super().__init__(folder)
        self.phases = [self.recorder.phase(name) for name in PHASES]

    def run(self, count):
        """Do count steps."""
        four_phases(self.recorder, self.phases, count)


class JsonLines:
    """What DLLogger's JSON backend does for a record, written out."""

    def __init__(self, path):
        self.file = path.open("w", encoding="utf-8")
        self.begin = datetime.datetime.now()

    def log(self, step, data):
        """Write one record."""
        now = datetime.datetime.now()
        record = {"timestamp": str(now.timestamp() * 1000), "datetime": str(now)}
        record["elapsedtime"] = str((now - self.begin).total_seconds())
        record.update(type="LOG", step=step, data=data)
        self.file.write(f"DLLL {json.dumps(record)}\n")

    def flush(self):
        """Hand the lines to the system."""
        self.file.flush()


class DLLogger:
    """One JSON record per step, with the times of four phases."""

    def __init__(self, folder):
        path = Path(folder) / "dllogger.json"
        if importlib.util.find_spec("dllogger"):
            import dllogger

            self.name = "DLLogger, JSON"
            self.logger = dllogger.Logger([dllogger.JSONStreamBackend(dllogger.Verbosity.VERBOSE, str(path))])
        else:
            self.name = "DLLogger's work, JSON"
            self.logger = JsonLines(path)

    def run(self, count):
        """Do count steps."""
        now, log = time.perf_counter, self.logger.log
        for step in range(count):
            data = {}
            for name in PHASES:
                begin = now()
                data[name] = now() - begin
            log(step=step, data=data)

    def rest(self):
        """Hand the lines to the system, outside of the time that counts."""
        self.logger.flush()


class SimpleProfiler:
    """Four actions of Lightning's SimpleProfiler."""

    name = "Lightning SimpleProfiler"

    def __init__(self):
        from lightning.pytorch.profilers import SimpleProfiler as Profiler

        self.profiler = Profiler()

    def run(self, count):
        """Do count steps."""
        first, second, third, fourth = PHASES
        profile = self.profiler.profile
        for _ in range(count):
            with profile(first):
                pass
            with profile(second):
                pass
            with profile(third):
                pass
            with profile(fourth):
                pass

    def rest(self):
        """Forget, so that memory does not grow."""
        self.profiler.recorded_durations.clear()


class TorchProfiler:
    """Four record_function under torch.profiler; starting and stopping it is not counted."""

    name = "torch.profiler, CPU"

    def __init__(self):
        import torch

        self.torch = torch

    def run(self, count):
        """Do count steps and return their time in ns."""
        record = self.torch.profiler.record_function
        with self.torch.profiler.profile(activities=[self.torch.profiler.ProfilerActivity.CPU]) as profiler:
            begin = time.perf_counter_ns()
            for _ in range(count):
                for name in PHASES:
                    with record(name):
                        pass
                profiler.step()
            return time.perf_counter_ns() - begin


def contenders(folder):
    """Return those that can run here, and the names of those that cannot."""
    found = [Empty(), Steps(folder), Phases(folder), DLLogger(folder)]
    missing = []
    for package, contender in (("lightning", SimpleProfiler), ("torch", TorchProfiler)):
        if importlib.util.find_spec(package):
            found.append(contender())
        else:
            missing.append(contender.name)
    return found, missing


def nanoseconds_per_step(contender, count):
    """Return the time of one repeat per step."""
    begin = time.perf_counter_ns()
    own = contender.run(count)
    taken = time.perf_counter_ns() - begin
    if hasattr(contender, "rest"):
        contender.rest()
    return (taken if own is None else own) / count


def measure(folder, count, repeats):
    """Return name -> ns per step above the empty loop, and the names of what is missing."""
    found, missing = contenders(folder)
    times = {one.name: [] for one in found}
    for _ in range(repeats):
        for one in found:
            times[one.name].append(nanoseconds_per_step(one, count))
    for one in found:
        if hasattr(one, "end"):
            one.end()
    base = median(times[Empty.name])
    return {name: median(values) - base for name, values in times.items() if name != Empty.name}, missing


def main():
    """Measure, print, and check if asked to."""
    usage = "python benchmarks/collector_overhead.py [--steps N] [--repeats N] [--check]"
    parser = argparse.ArgumentParser(usage=usage)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--repeats", type=int, default=31)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    os.environ.setdefault("KINETO_LOG_LEVEL", "99")  # else torch.profiler prints two lines for each repeat
    logging.disable(logging.WARNING)
    warnings.simplefilter("ignore")
    recorder_module._FLUSH_SECONDS = 3600.0  # writing is done between the repeats, for everybody
    recorder_module._FLUSH_INTEGERS = 1 << 40
    with tempfile.TemporaryDirectory() as folder:
        costs, missing = measure(folder, options.steps, options.repeats)
    ours = costs[Phases.name]
    print(f"{'':36}{'ns per step':>12}{'ours = 1':>10}")
    for name, cost in costs.items():
        print(f"{name:36}{cost:12.0f}{cost / ours:10.1f}")
    for name in missing:
        print(f"{name:36}{'not installed':>12}")
    logger = next(cost for name, cost in costs.items() if name.startswith("DLLogger"))
    is_cheap = logger >= 5 * ours and costs.get(SimpleProfiler.name, ours) >= ours
    sys.exit(1 if options.check and not is_cheap else 0)


if __name__ == "__main__":
    main()
