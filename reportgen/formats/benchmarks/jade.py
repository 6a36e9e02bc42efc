"""Read the slurm logs of BenchmarkJade: ResNet-50 inference and training with Lightning Fabric.

A log becomes one Run with the means of its phases, the first steps included, as printed at its end. Every
100th step is also printed by itself; these are kept as single samples, because no window can be placed over
them. A phase that a script does not time is printed as 0.0000 and left out.

Format: https://github.com/cemde/BenchmarkJade. No log names the benchmark: the phases identify it, or for a
log that was cut off the name of the job, which is part of the file's name.
"""

import re
from collections.abc import Mapping

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.model import STEP, FactorValue, Run
from reportgen.core.rules import Rule
from reportgen.formats.base import Results
from reportgen.formats.parsing.device_names import short_name
from reportgen.formats.parsing.exit_status import ending
from reportgen.formats.parsing.run_builder import ResultRun, known
from reportgen.formats.parsing.several_runs import result_places, run_borders, run_logs
from reportgen.formats.parsing.text_log import NUMBER, TextLog, TextSign, format_of

_SECTIONS = (b"\nArguments\n", b"\nSystem Information\n", b"\nBenchmark Results\n", b"\nDevices used:")
_LINE = lazy_pattern(rb"^([A-Za-z_]+(?: [A-Za-z_]+){0,3}):[ \t]+([^\r\n]{1,200})", re.MULTILINE)
_BATCH = lazy_pattern(
    rb"Batch (?P<step>[0-9]{1,9}): Data Loading Time: (?P<data_loading>%(n)s) seconds, "
    rb"Forward Pass Time: (?P<forward>%(n)s) seconds"
    rb"(?:, Backward Pass Time: (?P<backward>%(n)s)(?: seconds)?)?[.,] "
    rb"Batch Size: (?P<size>[0-9]{1,9})" % {b"n": NUMBER}
)
_RESULT = lazy_pattern(rb"^Average Forward Pass Time:", re.MULTILINE)
_SECONDS = lazy_pattern(rb"(%s) seconds" % NUMBER)
_DEVICES = lazy_pattern(rb"([0-9]{1,6}) x ([^\r\n]+)")
_WORLD = lazy_pattern(rb"All distributed processes registered\. Starting with ([0-9]{1,6}) processes")
_CANCELLED = lazy_pattern(rb"JOB [0-9]+ ON (\S{1,80}) CANCELLED AT (\S{1,40})")
_FILE_NAME = lazy_pattern(r"slurm-([0-9]+)-(.+)\.out")
_JOB = lazy_pattern(r"(?:^|-)(?:smooth-inference|inference|train)(?=-|$)")

_PHASES = {b"Average Data Loading Time": "data_loading", b"Average Data Preprocessing Time": "preprocessing",
           b"Average Forward Pass Time": "forward", b"Average Backward Pass Time": "backward"}  # fmt: skip
_TOTAL = b"Total Script Time"
_DATASETS = {"imagenet": "ImageNet", "dummy": "Dummy"}
_MODELS = {"resnet50": "resnet50_v1.5"}  # torchvision's is the v1.5
_PRECISIONS = {"32-true": "fp32", "32": "fp32", "16-mixed": "amp", "bf16-mixed": "amp", "16-true": "fp16",
               "bf16-true": "bf16"}  # fmt: skip
_ENVIRONMENT = {b"Physical CPU Cores": "cpu_cores", b"Virtual CPU Cores": "cpu_threads", b"CPU Model": "cpu",
                b"Total Memory": "memory", b"torch version": "torch", b"cuda version": "cuda",
                b"driver version": "driver", b"strategy": "strategy"}  # fmt: skip
# Clusters do not print their names; paths on their file systems identify them.
_CLUSTERS = ((b"/jmain02/", "JADE2"),)

# Lines that only BenchmarkJade prints, and one of its jobs that ended before them.
_PREPARED = lazy_pattern(rb"Average Data Preprocessing Time:[^\r\n]{1,60}?seconds")
_LOADED = lazy_pattern(rb"Batch [0-9]{1,9}: Data Loading Time: [^\r\n]{1,200}?seconds")
_SCRIPT = lazy_pattern(rb"[^\s]{0,200}/BenchmarkJad[^\s]{0,200}")


class _JadeLog:
    """One log and the run in it."""

    def __init__(self, log: TextLog) -> None:
        self.log = log
        self.lines = self._lines()
        self.batches = self.log.records(_BATCH, b": Data Loading Time: ", "not a complete line of a batch")
        name = _FILE_NAME.fullmatch(self.log.path.rpartition("/")[2])
        self.job, self.job_name = (name[1], name[2]) if name else ("", "")
        self.run = ResultRun("jade", log.id, log.source)

    def read(self) -> Run:
        """Return the run: its means and samples, and how it ended."""
        run = self.run
        self._add_means()
        self.phases = {aggregate.phase for aggregate in run.aggregates}
        self._add_status()
        self._add_samples()
        count, device = self._devices()
        run.factors = self._factors(count, device)
        run.environment = self._environment(device)
        batch_size = run.factors.get("batch_size")
        if isinstance(batch_size, int) and count:
            run.samples_per_step = float(batch_size * count)
        run.findings = [*self.log.malformed.findings(), *run.findings]
        return run.run()

    def _lines(self) -> Mapping[bytes, tuple[bytes, int]]:
        """Return the lines `key: value` at the end of the log, the last of each key: value and offset."""
        starts = [at for section in _SECTIONS if (at := self.log.content.rfind(section)) >= 0]
        lines = _LINE.finditer(self.log.content, min(starts) + 1) if starts else ()
        return {line[1]: (line[2].strip(), line.start()) for line in lines}

    def _add_means(self) -> None:
        for key, phase in (*_PHASES.items(), (_TOTAL, STEP)):
            text, at = self.lines.get(key, (b"", 0))
            line, seconds = self.log.place(at).line, _SECONDS.fullmatch(text)
            if text and not seconds:
                self.log.malformed.add(line, "not a time in seconds")
            metric, statistic = ("run_time", "total") if key == _TOTAL else ("step_time", "mean")
            # train.py averages [0] for a phase that it never timed, so zero means absent.
            if seconds and (value := float(seconds[1])) > 0:
                self.run.add_aggregate(metric, value, text.decode(), statistic, line=line, phase=phase)

    def _add_status(self) -> None:
        """Set complete if the means were printed; printing them is the last thing that the scripts do."""
        if "forward" in self.phases:
            return
        end = ending(self.log, 0, 0, is_measured=False)
        self.run.status = end.status
        if end.status == "partial" and len(self.batches):
            last = self.batches.text("step", -1)
            self.run.note(
                Rule.READ_INCOMPLETE_RUN, f"the log ends after batch {last}, before the means of the run"
            )
        else:
            self.run.findings += end.findings

    def _add_samples(self) -> None:
        """Add the phases of the batches that the log prints, in the order of their lines."""
        for position, line in enumerate(self.batches.line.tolist()):
            for phase in ("data_loading", "forward", "backward"):
                text = self.batches.columns[phase][position]
                if text is not None and float(text) > 0:
                    original = f"{text.decode()} seconds"
                    self.run.add_aggregate("step_time", float(text), original, "sample", 1, line, phase=phase)

    def _devices(self) -> tuple[int, str]:
        """Return the number of devices, 0 if unknown, and their name, "" if unknown."""
        for key in (b"Devices used", b"Devices"):
            if devices := _DEVICES.fullmatch(self.lines.get(key, (b"", 0))[0]):
                return int(devices[1]), devices[2].decode("utf-8", "replace").strip()
        world = self.log.search(_WORLD, b"Starting with ")
        return int(world[1]) if world else 0, ""

    def _factors(self, count: int, device: str) -> dict[str, FactorValue]:
        printed = {key: self._text(key.encode()) for key in ("dataset", "precision", "architecture")}
        named = next((word for word in self.job_name.split("-") if word in _DATASETS), "")
        batch_size = int(self.batches.text("size")) if len(self.batches) else None
        factors: dict[str, FactorValue | None] = {
            "framework": "PyTorch",
            "item": "image",
            "cluster": next((name for path, name in _CLUSTERS if path in self.log.content), None),
            "benchmark": self._benchmark(),
            "dataset": _DATASETS.get(printed["dataset"] or named, printed["dataset"]),
            "model": _MODELS.get(printed["architecture"], printed["architecture"]),
            "precision": _PRECISIONS.get(printed["precision"], printed["precision"]),
            "device": short_name(device),
            "devices": count or None,
            "batch_size": self._number(b"batch_size") or batch_size,
            "num_workers": self._number(b"num_workers"),
            "variant": self._variant(),
        }
        return dict(known(factors))

    def _benchmark(self) -> str | None:
        """Return which script ran: only one prepares images on the device, only one has a backward pass."""
        if "preprocessing" in self.phases:
            return "Smooth Inference"
        if "backward" in self.phases or any(self.batches.columns["backward"]):
            return "Train"
        if "forward" in self.phases and "smooth" not in self.job_name:
            return "Inference"
        names = {"smooth": "Smooth Inference", "inference": "Inference", "train": "Train"}
        return next((script for name, script in names.items() if name in self.job_name), None)

    def _variant(self) -> str:
        """Return the rest of the job's name: jobs of other names had other resources and are not repeats.

        `small` is the partition of single devices, which the number of devices already says.
        """
        rest = _JOB.sub("", self.job_name).split("-")
        return "-".join(word for word in rest if word and word != "small" and word not in _DATASETS)

    def _environment(self, device: str) -> dict[str, FactorValue]:
        values = ((name, self._number(key), self._text(key)) for key, name in _ENVIRONMENT.items())
        environment: dict[str, FactorValue] = {
            name: text if number is None else number for name, number, text in values
        }
        environment |= {"device_name": device, "job_id": self.job, "job": self.job_name}
        if cancelled := self.log.search(_CANCELLED, b" CANCELLED AT "):
            host, ended = (part.decode("utf-8", "replace") for part in cancelled.groups())
            environment |= {"host": host, "ended": ended}
        return environment

    def _text(self, key: bytes) -> str:
        return self.lines.get(key, (b"", 0))[0].decode("utf-8", "replace")

    def _number(self, key: bytes) -> int | None:
        text = self._text(key)
        return int(text) if re.fullmatch("[0-9]{1,9}", text) else None


def read(log: TextLog) -> Results:
    """Yield the runs of a log: one, or one for each script that wrote into it."""
    for part in run_logs(log, run_borders(log, result_places(log, _RESULT))):
        yield _JadeLog(part).read()


FORMAT = format_of(
    "jade",
    "Slurm logs of BenchmarkJade: ResNet-50 training and inference.",
    (
        TextSign((b"Data Preprocessing Time:",), _PREPARED, 1.0),
        TextSign((b": Data Loading Time: ",), _LOADED, 1.0),
        TextSign((b"Initializing distributed: GLOBAL_RANK",), _SCRIPT, 0.9),
    ),
    read,
)
