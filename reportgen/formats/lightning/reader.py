"""Read what PyTorch Lightning leaves: reports of its profilers, metrics.csv, folders with both.

A folder with `version_<n>` subfolders and a profiler's report, an exp_info.json or descriptions of the
machine is one run, as tlkh/transformers-benchmarking writes its results. That project runs every
configuration twice, first under the GPU profiler and then without. The second run overwrites report and
arguments, so times are those without the profiler, while memory and utilisation are those of the profiled
run; they are therefore figures of the run and not telemetry beside its steps. Its derived columns are
computed here in the same way. A report or a metrics.csv elsewhere is a run by itself.

Formats: Lightning 1.0 to 2.x; https://github.com/tlkh/transformers-benchmarking.
"""

import math
import re
from collections.abc import Callable, Iterator, Mapping

import numpy as np

from reportgen.core.model import FactorValue, Finding, FloatArray, Run, Source, Telemetry
from reportgen.core.rules import Rule
from reportgen.formats.base import Claim, Format
from reportgen.formats.lightning import machine_files, metrics_csv, profiler
from reportgen.formats.parsing import json_values
from reportgen.formats.parsing.damage import Malformed
from reportgen.formats.parsing.device_names import short_name
from reportgen.formats.parsing.run_builder import ResultRun
from reportgen.formats.parsing.text_log import is_binary, mean
from reportgen.sources.logfiles import LogFiles

_NAME = "lightning"
_FRAMEWORK = "PyTorch Lightning"
_VERSION = re.compile(r"version_[0-9]{1,9}")
_VERSION_FILE = re.compile(r"version_[0-9]{1,9}/(?:metrics\.csv|hparams\.yaml)")
_METRICS = re.compile(r"(version_[0-9]{1,9})/metrics\.csv")
# The role of a file beside the version folders, by its content.
_ROLES: Mapping[str, Callable[[bytes], bool]] = {
    "profile": profiler.is_report,
    "info": lambda head: head.lstrip().startswith(b"{") and b'"train_duration"' in head,
    "dlprof": lambda head: machine_files.DLPROF in head,
    "environment": lambda head: machine_files.COLLECT_ENV in head and b"Is CUDA available:" in head,
    "device": lambda head: machine_files.DEVICE_QUERY in head,
}
_REASONS = {
    "profile": "a profiler's report", "info": '"train_duration"', "device": "CUDA Device Query",
    "environment": "PyTorch version:",
}  # fmt: skip
_CONFIGURATION = re.compile(r"([0-9]{1,9})-([0-9]{1,9})")
_PRECISIONS = ("amp", "fp16", "fp32", "tf32", "bf16")
# Argument -> factor.
_FACTORS: Mapping[str, str] = {
    "model_name": "model", "max_seq_len": "seq_len", "batch_size": "batch_size", "num_gpus": "devices",
    "dataset": "dataset",
}  # fmt: skip
_ENVIRONMENT = ("max_steps", "num_workers", "cold_start_time", "pytorch_adamw", "asp")


def claims(files: LogFiles) -> Claim | None:
    """Claim a folder that is one run, a text with a profiler's report, or a metrics.csv by its columns."""
    return _claim_folder(files) if files.is_folder else _claim_file(files)


def read(files: LogFiles) -> Iterator[Run | Finding]:
    """Yield the run of a folder or of a file."""
    if files.is_folder:
        yield _ConfigurationFolder(files, _roles(files)).read()
    elif profiler.is_report(files.bytes(files.path)):
        yield _read_profile(files)
    else:
        yield _read_metrics(files)


FORMAT = Format(
    _NAME,
    "PyTorch Lightning: profiler reports, metrics.csv, and folders with both.",
    claims,
    read,
    marks=(profiler.TITLE, b"step"),
    folders=True,
)


def _roles(files: LogFiles) -> dict[str, str]:
    """Return role -> path of the files in a folder; the first of each role by name."""
    roles: dict[str, str] = {}
    for name in files.children()[0]:
        head = files.head(name)
        roles.setdefault(next((role for role, matches in _ROLES.items() if matches(head)), ""), name)
    roles.pop("", None)
    return roles


def _claim_folder(files: LogFiles) -> Claim | None:
    names, folders = files.children()
    if not names or not any(_VERSION.fullmatch(folder) for folder in folders):
        return None
    roles = _roles(files)
    version_files = [path for path in files if _VERSION_FILE.fullmatch(path)]
    # Descriptions of the machine make a run only if nothing was recorded: else each version is its own run.
    is_recorded = any(path.endswith("/metrics.csv") for path in version_files)
    wanted = ("profile", "info") if is_recorded else ("profile", "info", "environment", "device")
    role = next((role for role in wanted if role in roles), None)
    if role is None:
        return None
    empty = [name for name in names if name.endswith(".txt") and files.size(name) == 0]
    paths = (*roles.values(), *empty, *version_files)
    return Claim(1.0, files.source(roles[role], 1), f"{_REASONS[role]} beside version_<n>", paths)


def _claim_file(files: LogFiles) -> Claim | None:
    head = files.head(files.path)
    first = head[: end if (end := head.find(b"\n")) >= 0 else None]
    is_report = profiler.is_report(head)
    if not (is_report or (b"," in first and b"step" in first)) or is_binary(head):
        return None
    if is_report:
        return Claim.at(files, 1.0, "Profiler Report", head, head.find(profiler.TITLE))
    names = metrics_csv.column_names(first)
    if "step" not in names:
        return None
    if metrics_csv.THROUGHPUT_KEYS.intersection(names) or any(name.startswith("gpu_id: ") for name in names):
        return Claim.of_file(files, 1.0, first[:100].decode("utf-8", "replace"), 1)
    # These two columns are the only sign of CSVLogger.
    if "epoch" in names and len(names) > 2:
        return Claim.of_file(files, 0.4, "columns step and epoch", 1)
    return None


def _read_profile(files: LogFiles) -> Run:
    run = ResultRun.of_file(_NAME, files, framework=_FRAMEWORK)
    profiler.add_step_times(run, profiler.parse(files.bytes(files.path)))
    if not run.aggregates:
        run.status = "partial"
        run.note(Rule.READ_INCOMPLETE_RUN, "the profiler's report has no actions")
    return run.run()


def _read_metrics(files: LogFiles) -> Run:
    run = ResultRun.of_file(_NAME, files, framework=_FRAMEWORK)
    metrics = metrics_csv.parse(files.bytes(files.path))
    malformed = Malformed(run.id, run.source.path)
    if metrics.damaged:
        malformed.add(metrics.damaged[0], "not as many cells as the header", len(metrics.damaged))
    run.findings += malformed.findings()
    if not len(metrics.line):
        run.status = "partial"
        run.note(Rule.READ_INCOMPLETE_RUN, "a header without rows")
        return run.run()
    run.series = metrics.throughput(run.source)
    if devices := metrics.devices():
        run.factors["devices"] = devices
    losses = ((name, mean(metrics.column(name))) for name in ("train_loss", "train/loss", "loss"))
    if loss := next(((name, value) for name, value in losses if math.isfinite(value)), None):
        run.add_aggregate("loss", loss[1], loss[0])
    stats = metrics.gpu_stats()
    for device in range(max((len(columns) for columns in stats.values()), default=0)):
        columns = {name: values[device] for name, values in stats.items() if device < len(values)}
        unknown = np.full(len(metrics.line), np.nan)  # no time of a sample is logged
        run.telemetry += (Telemetry(str(device), unknown, columns, run.source),)
    return run.run()


class _ConfigurationFolder:
    """The files of one configuration of transformers-benchmarking, and the run that they make."""

    def __init__(self, files: LogFiles, roles: Mapping[str, str]) -> None:
        self.files, self.roles = files, roles
        self.run = ResultRun(_NAME, files.id(), self._source("profile"))
        self.info = json_values.table(json_values.load(self._bytes("info")))
        self.actions = profiler.parse(self._bytes("profile"))
        self.dlprof = machine_files.dlprof_summary(self._bytes("dlprof"))
        self.versions = {
            match[1]: metrics_csv.parse(files.bytes(path))
            for path in files
            if (match := _METRICS.fullmatch(path))
        }
        # The version of the run under the GPU profiler.
        self.sampled = next((name for name, metrics in self.versions.items() if metrics.gpu_stats()), "")

    def read(self) -> Run:
        """Return the run with everything that the folder has of it."""
        run = self.run
        self._add_status()
        facts, device = self._machine()
        arguments = {name: json_values.scalar(self.info.get(name)) for name in _ENVIRONMENT}
        run.environment = facts | {name: value for name, value in arguments.items() if value is not None}
        run.factors = {"framework": _FRAMEWORK, **(self._factors() or self._factors_of_path())}
        if device:
            run.factors["device"] = short_name(device)
        size, devices = (json_values.whole(run.factors.get(name)) for name in ("batch_size", "devices"))
        run.samples_per_step = None if size is None or devices is None else float(size * devices)
        profiler.add_step_times(run, self.actions)
        profiler.add_between_steps(run, self.actions)
        self._add_losses()
        self._add_samples()
        kernels, duration = (
            self.dlprof.get("Tensor Core Kernel Utilization %"),
            self.info.get("train_duration"),
        )
        if kernels is not None:
            run.add_aggregate(
                "tensor_core_utilization", kernels, f"{kernels!r}", source=self._source("dlprof")
            )
        if json_values.is_number(duration):
            run.add_aggregate(
                "run_time", float(duration), f"{duration!r}", "total", source=self._source("info")
            )
        return run.run()

    def _bytes(self, role: str) -> bytes:
        return self.files.bytes(self.roles[role]) if role in self.roles else b""

    def _source(self, role: str) -> Source:
        return self.files.source(self.roles.get(role, ""))

    def _add_status(self) -> None:
        missing = self._missing()
        if not self.actions and not any(len(metrics.line) for metrics in self.versions.values()):
            message = (
                f"nothing was recorded ({', '.join(missing)} missing or empty); no log gives the cause, "
                "but device memory may have run out"
            )
            self.run.status = "failed"
            self.run.note(Rule.READ_FAILED_RUN, message, self.files.source())
            return
        if missing:
            message = f"not everything was recorded: no {', no '.join(missing)}"
            if "DLProf summary" in missing and self.sampled:
                message += "; utilisation is from nvidia-smi alone"
            self.run.status = "partial"
            self.run.note(Rule.READ_INCOMPLETE_RUN, message, self.files.source())
        if self.info.get("profile_mode") is True:
            message = "the times were measured under the profiler"
            self.run.note(Rule.READ_INCOMPLETE_RUN, message, self.files.source())

    def _missing(self) -> list[str]:
        """Return what transformers-benchmarking always writes and this folder does not have."""
        missing = [] if self.actions else ["profiler report"]
        # Only that project writes arguments, and only it runs everything twice.
        if "profile_mode" in self.info or not self.versions:
            missing += [] if self.info else ["arguments"]
            missing += [] if self.dlprof else ["DLProf summary"]
            missing += [f"version_{n}/metrics.csv" for n in (0, 1) if f"version_{n}" not in self.versions]
        return missing

    def _factors(self) -> dict[str, FactorValue]:
        factors: dict[str, FactorValue] = {"item": "sequence"} if "max_seq_len" in self.info else {}
        for key, name in _FACTORS.items():
            value = self.info.get(key)
            if isinstance(value, (str, int)) and not isinstance(value, bool):
                factors[name] = value
        if isinstance(self.info.get("amp"), bool):
            factors["precision"] = "amp" if self.info["amp"] else "fp32"
        if self.info.get("asp") is True:
            factors["sparsity"] = "asp"
        if self.info.get("pytorch_adamw") is True:
            factors["optimizer"] = "torch AdamW"
        return factors

    def _factors_of_path(self) -> dict[str, FactorValue]:
        """Return the factors in the names of the folders, all that a failed run leaves."""
        *parents, folder = self.files.source().path.split("/")
        configuration = _CONFIGURATION.fullmatch(folder)
        if not configuration or len(parents) < 2 or parents[-2] not in _PRECISIONS:
            return {}
        length, batch_size = map(int, configuration.groups())
        precision, model = parents[-2:]
        return {"item": "sequence", "precision": precision, "model": model, "seq_len": length,
                "batch_size": batch_size}  # fmt: skip

    def _machine(self) -> tuple[dict[str, FactorValue], str]:
        facts, listed = machine_files.collect_env(self._bytes("environment"))
        queried, device = machine_files.device_query(self._bytes("device"))
        device = device or listed
        return {**facts, **queried, **({"device_name": device} if device else {})}, device

    def _add_losses(self) -> None:
        """Add the mean over the versions of the mean loss of each, and these as samples."""
        means = {name: mean(metrics.column("train_loss")) for name, metrics in self.versions.items()}
        known = {name: value for name, value in means.items() if math.isfinite(value)}
        if known:
            self._add("loss", sum(known.values()) / len(known), "mean", len(known), next(iter(known)))
        for name, value in known.items():
            self._add("loss", value, "sample", 0, name)

    def _add_samples(self) -> None:
        """Add memory and utilisation; utilisation is the mean of what nvidia-smi and DLProf say, and both."""
        stats = self._stats()
        used, busy, samples = (
            stats.get(name) for name in ("memory_used", "memory_utilization", "utilization")
        )
        if used is not None:
            self._add("memory_used", mean(used), "mean", len(used))
            self._add("memory_used", float(used.max()), "maximum", len(used))
        if busy is not None:
            self._add("memory_utilization", mean(busy), "mean", len(busy))
        idle = self.dlprof.get("GPU Idle %")
        sampled = math.nan if samples is None else mean(samples)
        values = [
            value for value in (sampled, 1 - idle if idle is not None else math.nan) if math.isfinite(value)
        ]
        if values:
            self._add("utilization", sum(values) / len(values), "mean", len(values))
        if samples is not None:
            self._add("utilization", sampled, "sample", len(samples))
        if idle is not None:
            self.run.add_aggregate(
                "utilization", 1 - idle, f"{1 - idle!r}", "sample", source=self._source("dlprof")
            )

    def _stats(self) -> dict[str, FloatArray]:
        """Return the samples of all devices of the profiled run, without empty cells."""
        if not self.sampled:
            return {}
        stats = self.versions[self.sampled].gpu_stats()
        joined = {metric: np.concatenate(columns) for metric, columns in stats.items()}
        finite = {metric: values[np.isfinite(values)] for metric, values in joined.items()}
        return {metric: values for metric, values in finite.items() if len(values)}

    def _add(self, metric: str, value: float, statistic: str, n: int, version: str | None = None) -> None:
        """Add a number computed from the metrics.csv of a version, the profiled one if none is given."""
        version = self.sampled if version is None else version
        path = f"{version}/metrics.csv" if version else self.roles.get("dlprof", "")
        self.run.add_aggregate(metric, value, f"{value!r}", statistic, n, source=self.files.source(path))
