"""Compare the cost of a step with four phases: this recorder and other tools.

    python benchmarks/collector_overhead.py [--steps 200] [--repeats 31]

The same loop is recorded by
  - this recorder, with four phases, and with whole steps only;
  - the JSON backend of DLLogger: one record per step with four times. Without the package `dllogger`, the
    same work is done here (two timestamps, a dictionary, json.dumps, a line);
  - SimpleProfiler of Lightning: four actions;
  - four ranges of NVTX, pushed and popped by the package `nvtx`, which no profiler collects;
  - torch.profiler on the CPU: four `record_function`, without a schedule; its trace is discarded.

The tools are interleaved, so that drift favours none. The time in the training thread is the median over the
repeats, minus the empty loop. This recorder formats and writes its lines in another thread; its processor
time per step is measured between the repeats, so that it disturbs no tool, and is printed beside it. The
other tools do everything in the training thread. Tools that are not installed are listed as such. With
--check the exit code is 1 if this recorder with four phases costs the training thread more than a fifth of
what DLLogger costs it or more than SimpleProfiler, or if both threads together cost more than DLLogger.
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
    """The empty loop."""

    name = "empty loop"

    def run(self, count):
        """Run `count` steps."""
        for _ in range(count):
            pass


class Steps:
    """This recorder, whole steps only."""

    name = "reportgen recorder, step only"

    def __init__(self, folder):
        self.recorder = Recorder.start(logs=folder)
        self.writing_seconds = []

    def run(self, count):
        """Run `count` steps."""
        for _ in self.recorder.steps(count):
            pass

    def after_repeat(self):
        """Write the steps, as the thread of the recorder does during real steps."""
        begin = time.thread_time()
        self.recorder.flush()
        self.writing_seconds.append(time.thread_time() - begin)

    def end(self):
        """Close the log."""
        self.recorder.close()


class Phases(Steps):
    """This recorder, four phases."""

    name = "reportgen recorder, four phases"

    def __init__(self, folder):
        super().__init__(folder)
        self.phases = [self.recorder.phase(name) for name in PHASES]

    def run(self, count):
        """Run `count` steps."""
        four_phases(self.recorder, self.phases, count)


class JsonLines:
    """The work of DLLogger's JSON backend for a record."""

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
        """Flush the file."""
        self.file.flush()


class DLLogger:
    """A JSON record per step, with the times of four phases."""

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
        """Run `count` steps."""
        now, log = time.perf_counter, self.logger.log
        for step in range(count):
            data = {}
            for name in PHASES:
                begin = now()
                data[name] = now() - begin
            log(step=step, data=data)

    def after_repeat(self):
        """Flush the file, outside of the measured time."""
        self.logger.flush()


class SimpleProfiler:
    """Four actions of Lightning's SimpleProfiler."""

    name = "Lightning SimpleProfiler"

    def __init__(self):
        from lightning.pytorch.profilers import SimpleProfiler as Profiler

        self.profiler = Profiler()

    def run(self, count):
        """Run `count` steps."""
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

    def after_repeat(self):
        """Discard the durations, so that memory does not grow."""
        self.profiler.recorded_durations.clear()


class Nvtx:
    """Four ranges of NVTX without a profiler."""

    name = "NVTX"

    def __init__(self):
        import nvtx

        self.nvtx = nvtx

    def run(self, count):
        """Run `count` steps."""
        push, pop = self.nvtx.push_range, self.nvtx.pop_range
        for _ in range(count):
            for name in PHASES:
                push(name)
                pop()


class TorchProfiler:
    """Four record_function under torch.profiler, without the time to start and stop it."""

    name = "torch.profiler, CPU"

    def __init__(self):
        import torch

        self.torch = torch

    def run(self, count):
        """Run `count` steps and return their time in ns."""
        record = self.torch.profiler.record_function
        with self.torch.profiler.profile(activities=[self.torch.profiler.ProfilerActivity.CPU]) as profiler:
            begin = time.perf_counter_ns()
            for _ in range(count):
                for name in PHASES:
                    with record(name):
                        pass
                profiler.step()
            return time.perf_counter_ns() - begin


def installed_tools(folder):
    """Return the installed tools, and the names of the missing ones."""
    tools = [Empty(), Steps(folder), Phases(folder), DLLogger(folder)]
    missing = []
    for package, tool in (("lightning", SimpleProfiler), ("nvtx", Nvtx), ("torch", TorchProfiler)):
        if importlib.util.find_spec(package):
            tools.append(tool())
        else:
            missing.append(tool.name)
    return tools, missing


def nanoseconds_per_step(tool, count):
    """Return the time of a repeat, per step."""
    begin = time.perf_counter_ns()
    own_time = tool.run(count)
    elapsed = time.perf_counter_ns() - begin
    if hasattr(tool, "after_repeat"):
        tool.after_repeat()
    return (elapsed if own_time is None else own_time) / count


def measure(folder, count, repeats):
    """Return name -> ns per step in the training thread and in others, and the names of the missing tools."""
    tools, missing = installed_tools(folder)
    times = {tool.name: [] for tool in tools}
    for _ in range(repeats):
        for tool in tools:
            times[tool.name].append(nanoseconds_per_step(tool, count))
    for tool in tools:
        if hasattr(tool, "end"):
            tool.end()
    base = median(times[Empty.name])
    costs = {}
    for tool in tools[1:]:
        writing = median(getattr(tool, "writing_seconds", [0])) * 1e9 / count
        costs[tool.name] = (median(times[tool.name]) - base, writing)
    return costs, missing


def main():
    """Measure and print; with --check, compare."""
    usage = "python benchmarks/collector_overhead.py [--steps N] [--repeats N] [--check]"
    parser = argparse.ArgumentParser(usage=usage)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--repeats", type=int, default=31)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    os.environ.setdefault("KINETO_LOG_LEVEL", "99")  # otherwise torch.profiler prints two lines per repeat
    logging.disable(logging.WARNING)
    warnings.simplefilter("ignore")
    recorder_module._FLUSH_SECONDS = 3600.0  # all tools write between the repeats
    recorder_module._FLUSH_INTEGERS = 1 << 40
    with tempfile.TemporaryDirectory() as folder:
        costs, missing = measure(folder, options.steps, options.repeats)
    ours = costs[Phases.name]
    print(f"{'ns per step':36}{'training thread':>16}{'writing thread':>16}{'both':>8}")
    for name, (training, writing) in costs.items():
        print(f"{name:36}{training:16.0f}{writing:16.0f}{training + writing:8.0f}")
    for name in missing:
        print(f"{name:36}{'not installed':>16}")
    logger = next(cost for name, (cost, _) in costs.items() if name.startswith("DLLogger"))
    profiler = costs.get(SimpleProfiler.name, ours)[0]
    is_cheap = logger >= 5 * ours[0] and profiler >= ours[0] and logger >= sum(ours)
    sys.exit(1 if options.check and not is_cheap else 0)


if __name__ == "__main__":
    main()
