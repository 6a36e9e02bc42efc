"""Read the slurm logs of BenchmarkJade: ResNet-50 inference and training with Lightning Fabric.

A log becomes one Run with the means of its phases, the first steps included, as the log prints them at its
end. Every 100th step is printed as well, alone: these are kept as samples that stand for themselves, because
no window can be laid over them. A phase that a script does not time is printed as 0.0000, and is absent here.

Format: https://github.com/cemde/BenchmarkJade. Which benchmark ran stands in no log; the phases tell it, and
for a log that was cut off the name of the job does, which is part of the file's name.
"""

import math
import re
from collections.abc import Iterator, Mapping

from reportgen.core.model import STEP, Aggregate, FactorValue, Finding, Run, Status
from reportgen.core.rules import Rule
from reportgen.formats.base import Claim, Format
from reportgen.formats.parsing.device_names import short_name
from reportgen.formats.parsing.exit_status import ending
from reportgen.formats.parsing.text_log import NUMBER, TextLog
from reportgen.formats.parsing.text_log import claim as claim_text
from reportgen.sources.logfiles import LogFiles

_SECTIONS = (b"\nArguments\n", b"\nSystem Information\n", b"\nBenchmark Results\n", b"\nDevices used:")
_LINE = re.compile(rb"^([A-Za-z_]+(?: [A-Za-z_]+){0,3}):[ \t]+([^\r\n]{1,200})", re.MULTILINE)
_BATCH = re.compile(
    rb"Batch (?P<step>[0-9]{1,9}): Data Loading Time: (?P<data_loading>%(n)s) seconds, "
    rb"Forward Pass Time: (?P<forward>%(n)s) seconds"
    rb"(?:, Backward Pass Time: (?P<backward>%(n)s)(?: seconds)?)?[.,] "
    rb"Batch Size: (?P<size>[0-9]{1,9})" % {b"n": NUMBER}
)
_SECONDS = re.compile(rb"(%s) seconds" % NUMBER)
_DEVICES = re.compile(rb"([0-9]{1,6}) x ([^\r\n]+)")
_WORLD = re.compile(rb"All distributed processes registered\. Starting with ([0-9]{1,6}) processes")
_CANCELLED = re.compile(rb"JOB [0-9]+ ON (\S{1,80}) CANCELLED AT (\S{1,40})")
_NAME = re.compile(r"slurm-([0-9]+)-(.+)\.out")
_JOB = re.compile(r"(?:^|-)(?:smooth-inference|inference|train)(?=-|$)")

_PHASES: Mapping[bytes, str] = {
    b"Average Data Loading Time": "data_loading",
    b"Average Data Preprocessing Time": "preprocessing",
    b"Average Forward Pass Time": "forward",
    b"Average Backward Pass Time": "backward",
}
_TOTAL = b"Total Script Time"
_DATASETS: Mapping[str, str] = {"imagenet": "ImageNet", "dummy": "Dummy"}
_MODELS: Mapping[str, str] = {"resnet50": "resnet50_v1.5"}  # torchvision's is the v1.5
_PRECISIONS: Mapping[str, str] = {
    "32-true": "fp32",
    "32": "fp32",
    "16-mixed": "amp",
    "bf16-mixed": "amp",
    "16-true": "fp16",
    "bf16-true": "bf16",
}
_ENVIRONMENT: Mapping[bytes, str] = {
    b"Physical CPU Cores": "cpu_cores",
    b"Virtual CPU Cores": "cpu_threads",
    b"CPU Model": "cpu",
    b"Total Memory": "memory",
    b"torch version": "torch",
    b"cuda version": "cuda",
    b"driver version": "driver",
    b"strategy": "strategy",
}
# Clusters do not print their names; their file systems do.
_CLUSTERS = ((b"/jmain02/", "JADE2"),)

# Literals of lines that only BenchmarkJade prints, and these.
_OWN: Mapping[bytes, re.Pattern[bytes]] = {
    b"Average Data Preprocessing Time:": re.compile(
        rb"Average Data Preprocessing Time:[^\r\n]{1,60}?seconds"
    ),
    b": Data Loading Time: ": re.compile(rb"Batch [0-9]{1,9}: Data Loading Time: [^\r\n]{1,200}?seconds"),
}

Lines = Mapping[bytes, tuple[bytes, int]]


def claims(files: LogFiles) -> Claim | None:
    """Claim a text with a line that only BenchmarkJade prints, or one of its jobs that got no further."""
    if files.is_folder:
        return None
    for literal, pattern in _OWN.items():
        if found := claim_text(files, literal, pattern, 1.0):
            return found
    if b"Initializing distributed: GLOBAL_RANK" not in files.head(files.path):
        return None
    return claim_text(files, b"/BenchmarkJad", re.compile(rb"[^\s]{0,200}/BenchmarkJad[^\s]{0,200}"), 0.9)


def read(files: LogFiles) -> Iterator[Run | Finding]:
    """Yield the log's run."""
    yield _Log(files).run()


FORMAT = Format(
    "jade",
    "Slurm logs of BenchmarkJade: ResNet-50 training and inference.",
    claims,
    read,
    marks=(*_OWN, b"Initializing distributed: GLOBAL_RANK"),
)


class _Log:
    """One log and what stands in it."""

    def __init__(self, files: LogFiles) -> None:
        self.log = TextLog(files)
        self.lines = self._lines()
        self.batches = self.log.records(_BATCH, b": Data Loading Time: ", "not a line of a batch")
        name = _NAME.fullmatch(self.log.path.rpartition("/")[2])
        self.job, self.job_name = (name[1], name[2]) if name else ("", "")
        self.means = self._means()

    def run(self) -> Run:
        """Return the run: its means and samples, and how it ended."""
        status, findings = self._status()
        count, device = self._devices()
        factors = self._factors(count, device)
        batch_size = factors.get("batch_size")
        samples = float(batch_size * count) if isinstance(batch_size, int) and count else None
        return Run(
            id=self.log.id,
            format="jade",
            source=self.log.source,
            factors=factors,
            environment=self._environment(device),
            status=status,
            samples_per_step=samples,
            aggregates=(*self.means, *self._samples()),
            findings=(*self.log.malformed.findings(), *findings),
        )

    def _lines(self) -> Lines:
        """Return the lines `key: value` at the end of the log, the last of each key: value and offset."""
        starts = [at for section in _SECTIONS if (at := self.log.content.rfind(section)) >= 0]
        if not starts:
            return {}
        return {
            found[1]: (found[2].strip(), found.start())
            for found in _LINE.finditer(self.log.content, min(starts) + 1)
        }

    def _status(self) -> tuple[Status, tuple[Finding, ...]]:
        """Return complete where the means were printed; they are the last thing the scripts do."""
        if any(one.phase == "forward" for one in self.means):
            return "complete", ()
        found = ending(self.log, 0, 0)
        if found.status == "partial" and len(self.batches):
            message = f"the log ends after batch {self.batches.text('step', -1)}, before the means of the run"
            cut = Finding("warning", Rule.READ_INCOMPLETE_RUN, self.log.id, message, self.log.source)
            return "partial", (cut,)
        return found.status, found.findings

    def _means(self) -> tuple[Aggregate, ...]:
        found = []
        for key, phase in (*_PHASES.items(), (_TOTAL, STEP)):
            text, at = self.lines.get(key, (b"", 0))
            seconds = _SECONDS.fullmatch(text)
            if not seconds:
                if text:
                    self.log.malformed.add(self.log.place(at).line, "not a time in seconds")
                continue
            value = float(seconds[1])
            metric, statistic = ("run_time", "total") if key == _TOTAL else ("step_time", "mean")
            # train.py averages [0] for what it never timed, so zero means absent.
            if value > 0 and math.isfinite(value):
                found.append(
                    Aggregate(
                        metric,
                        phase=phase,
                        value=value,
                        original=text.decode(),
                        statistic=statistic,
                        source=self.log.place(at),
                    )
                )
        return tuple(found)

    def _samples(self) -> Iterator[Aggregate]:
        """Yield the phases of the batches that the log prints, in the order of their lines."""
        batches = self.batches
        for position, line in enumerate(batches.line.tolist()):
            for phase in ("data_loading", "forward", "backward"):
                text = batches.columns[phase][position]
                if text is not None and 0 < float(text) < math.inf:
                    source = self.log.files.source(self.log.path, line)
                    original = f"{text.decode()} seconds"
                    yield Aggregate(
                        "step_time",
                        phase=phase,
                        value=float(text),
                        original=original,
                        statistic="sample",
                        n=1,
                        source=source,
                    )

    def _devices(self) -> tuple[int, str]:
        """Return how many devices ran, 0 if unknown, and their name, "" if unknown."""
        for key in (b"Devices used", b"Devices"):
            found = _DEVICES.fullmatch(self.lines.get(key, (b"", 0))[0])
            if found:
                return int(found[1]), found[2].decode("utf-8", "replace").strip()
        world = self.log.search(_WORLD, b"Starting with ")
        return (int(world[1]), "") if world else (0, "")

    def _factors(self, count: int, device: str) -> dict[str, FactorValue]:
        said = {key: self._text(key.encode()) for key in ("dataset", "precision", "architecture")}
        named = next((word for word in self.job_name.split("-") if word in _DATASETS), "")
        found: dict[str, FactorValue | None] = {
            "framework": "PyTorch",
            "item": "image",
            "cluster": next((name for path, name in _CLUSTERS if path in self.log.content), None),
            "benchmark": self._benchmark(),
            "dataset": _DATASETS.get(said["dataset"] or named, said["dataset"] or None),
            "model": _MODELS.get(said["architecture"], said["architecture"] or None),
            "precision": _PRECISIONS.get(said["precision"], said["precision"] or None),
            "device": short_name(device) or None,
            "devices": count or None,
            "batch_size": self._number(b"batch_size") or self._batch_size(),
            "num_workers": self._number(b"num_workers"),
            "variant": self._variant() or None,
        }
        return {name: value for name, value in found.items() if value is not None}

    def _benchmark(self) -> str | None:
        """Return which script ran: only one prepares images on the device, only one goes backward."""
        phases = {one.phase for one in self.means}
        if "preprocessing" in phases:
            return "Smooth Inference"
        if "backward" in phases or any(self.batches.columns["backward"]):
            return "Train"
        if "smooth" in self.job_name:
            return "Smooth Inference"
        if "forward" in phases or "inference" in self.job_name:
            return "Inference"
        return "Train" if "train" in self.job_name else None

    def _variant(self) -> str:
        """Return what else the job's name says: jobs of other names had other resources and are no repeats.

        `small` is the partition of single devices, which the number of devices says already.
        """
        rest = _JOB.sub("", self.job_name).split("-")
        return "-".join(word for word in rest if word and word != "small" and word not in _DATASETS)

    def _environment(self, device: str) -> dict[str, FactorValue]:
        found: dict[str, FactorValue] = {}
        for key, name in _ENVIRONMENT.items():
            text = self._text(key)
            if text:
                found[name] = int(text) if text.isascii() and text.isdigit() and len(text) < 10 else text
        if device:
            found["device_name"] = device
        if self.job:
            found |= {"job_id": self.job, "job": self.job_name}
        cancelled = self.log.search(_CANCELLED, b" CANCELLED AT ")
        if cancelled:
            found["host"], found["ended"] = (part.decode("utf-8", "replace") for part in cancelled.groups())
        return found

    def _text(self, key: bytes) -> str:
        return self.lines.get(key, (b"", 0))[0].decode("utf-8", "replace")

    def _number(self, key: bytes) -> int | None:
        text = self._text(key)
        return int(text) if re.fullmatch("[0-9]{1,9}", text) else None

    def _batch_size(self) -> int | None:
        return int(self.batches.text("size")) if len(self.batches) else None
