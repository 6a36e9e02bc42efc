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
from collections.abc import Callable, Mapping

import numpy as np
from msgspec import structs

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.model import FactorValue, Finding, FloatArray, Run, Source, Telemetry
from reportgen.core.rules import Rule
from reportgen.formats.base import Claim, Format, Results
from reportgen.formats.lightning import machine_files, metrics_csv, profiler
from reportgen.formats.parsing import json_values
from reportgen.formats.parsing.device_names import short_name
from reportgen.formats.parsing.log_warnings import find_nans, named_nans
from reportgen.formats.parsing.run_builder import ResultRun
from reportgen.formats.parsing.text_log import TextLog, is_binary, mean, without_controls
from reportgen.sources.logfiles import LogFiles

_NAME = "lightning"
_FRAMEWORK = "PyTorch Lightning"
_VERSION = lazy_pattern(r"version_[0-9]{1,9}")
_VERSION_FILE = lazy_pattern(r"version_[0-9]{1,9}/(metrics\.csv|hparams\.yaml)")
# The role of a file beside the version folders: the text that shows it, and a test of its content.
_ROLES: Mapping[str, tuple[str, Callable[[bytes], bool]]] = {
    "profile": ("a profiler's report", profiler.is_report),
    "info": ('"train_duration"', lambda x: x.lstrip().startswith(b"{") and b'"train_duration"' in x),
    "dlprof": ("", lambda x: machine_files.DLPROF in x),
    "environment": (
        "PyTorch version:", lambda x: machine_files.COLLECT_ENV in x and b"Is CUDA available:" in x
    ),
    "device": ("CUDA Device Query", lambda x: machine_files.DEVICE_QUERY in x),
}  # fmt: skip
_CONFIGURATION = lazy_pattern(r"([0-9]{1,9})-([0-9]{1,9})")
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


def read(files: LogFiles) -> Results:
    """Yield the run of a folder or of a file."""
    if files.is_folder:
        yield _ConfigurationFolder(files, _roles(files)).read()
    elif profiler.is_report((log := TextLog(files)).content):
        yield _read_profile(log)
    else:
        yield _read_metrics(log)


_SUMMARY = "PyTorch Lightning: profiler reports, metrics.csv, and folders with both."
FORMAT = Format(_NAME, _SUMMARY, claims, read, marks=(profiler.TITLE, b"step"), views="both")


def _roles(files: LogFiles) -> dict[str, str]:
    """Return role -> path of the files in a folder; the first of each role by name."""
    roles: dict[str, str] = {}
    for name in files.children()[0]:
        head = without_controls(files.head(name))
        roles.setdefault(next((role for role, (_, matches) in _ROLES.items() if matches(head)), ""), name)
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
    return Claim(1.0, files.source(roles[role], 1), f"{_ROLES[role][0]} beside version_<n>", paths)


def _claim_file(files: LogFiles) -> Claim | None:
    head = files.head(files.path)
    if is_binary(head):
        return None
    head = without_controls(head)
    if profiler.is_report(head):
        return Claim.at(files, 1.0, "Profiler Report", head, head.find(profiler.TITLE))
    names = metrics_csv.column_names(head)
    if "step" not in names:
        return None
    if metrics_csv.THROUGHPUT_KEYS.intersection(names) or any(name.startswith("gpu_id: ") for name in names):
        return Claim.of_file(files, 1.0, head[:100].partition(b"\n")[0].decode("utf-8", "replace"), 1)
    # These two columns are the only sign of CSVLogger.
    if "epoch" in names and len(names) > 2:
        return Claim.of_file(files, 0.4, "columns step and epoch", 1)
    return None


def _read_profile(log: TextLog) -> Run:
    run = ResultRun.of_file(_NAME, log.files, framework=_FRAMEWORK)
    profiler.add_step_times(run, profiler.parse(log.content))
    run.findings += log.malformed.findings()
    if (second := profiler.second_training_report(log.content)) >= 0:
        run.note(
            Rule.READ_SEVERAL_RUNS,
            "another report of training begins here: the first counts; write each run to a file of its own",
            log.place(second),
        )
    if not run.aggregates:
        run.status = "partial"
        run.note(Rule.READ_INCOMPLETE_RUN, "the profiler's report has no actions")
    return run.run()


def _read_metrics(log: TextLog) -> Run:
    run = ResultRun.of_file(_NAME, log.files, framework=_FRAMEWORK)
    metrics = metrics_csv.parse(log.content)
    if metrics.damaged:
        log.malformed.add(metrics.damaged[0], "not as many cells as the header", len(metrics.damaged))
    run.findings += log.malformed.findings()
    if not len(metrics.line):
        run.status = "partial"
        run.note(Rule.READ_INCOMPLETE_RUN, "a header without rows")
        return run.run()
    run.findings += _nans(log.content, metrics, run.id, run.source)
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


def _nans(content: bytes, metrics: metrics_csv.Metrics, run: str, source: Source) -> list[Finding]:
    """Return the findings about columns with NaN."""
    named = named_nans(metrics_csv.nans(content, metrics))
    return [nan.finding(run, structs.replace(source, line=nan.offset)) for nan in named]


class _ConfigurationFolder:
    """The files of one configuration of transformers-benchmarking, and the run that they make."""

    def __init__(self, files: LogFiles, roles: Mapping[str, str]) -> None:
        self.files, self.roles = files, roles
        self.run = ResultRun(_NAME, files.id(), files.source(roles.get("profile", "")))
        self.info = json_values.table(json_values.load(self._bytes("info")))
        self.actions = profiler.parse(self._bytes("profile"))
        self.dlprof = machine_files.dlprof_summary(self._bytes("dlprof"))
        contents = {
            path: without_controls(files.bytes(path))
            for path in files
            if (match := _VERSION_FILE.fullmatch(path)) and match[1] == "metrics.csv"
        }
        self.versions = {path: metrics_csv.parse(content) for path, content in contents.items()}
        for path, content in contents.items():
            self.run.findings += _nans(content, self.versions[path], self.run.id, files.source(path))
        for role in ("info", "dlprof"):
            nans = find_nans(self._bytes(role))
            self.run.findings += [nan.finding(self.run.id, files.source(roles[role])) for nan in nans]
        # The version of the run under the GPU profiler.
        self.sampled = next((path for path, metrics in self.versions.items() if metrics.gpu_stats()), "")

    def read(self) -> Run:
        """Return the run with everything that the folder has of it."""
        run = self.run
        self._add_status()
        facts, listed = machine_files.collect_env(self._bytes("environment"))
        queried, device = machine_files.device_query(self._bytes("device"))
        device = device or listed
        arguments = {name: json_values.scalar(self.info.get(name)) for name in _ENVIRONMENT}
        known = {name: value for name, value in arguments.items() if value is not None}
        run.environment = {**facts, **queried, "device_name": device, **known}
        run.factors = {"framework": _FRAMEWORK, **(self._factors() or self._factors_of_path())}
        if device:
            run.factors["device"] = short_name(device)
        size, devices = (json_values.whole(run.factors.get(name)) for name in ("batch_size", "devices"))
        run.samples_per_step = None if size is None or devices is None else float(size * devices)
        profiler.add_step_times(run, self.actions)
        profiler.add_between_steps(run, self.actions)
        self._add_losses()
        self._add_samples()
        if (kernels := self.dlprof.get("Tensor Core Kernel Utilization %")) is not None:
            self._add(self.roles["dlprof"], "tensor_core_utilization", kernels)
        if json_values.is_number(duration := self.info.get("train_duration")):
            self._add(self.roles["info"], "run_time", duration, "total")
        return run.run()

    def _bytes(self, role: str) -> bytes:
        return without_controls(self.files.bytes(self.roles[role])) if role in self.roles else b""

    def _add_status(self) -> None:
        missing, source = self._missing(), self.files.source()
        if not self.actions and not any(len(metrics.line) for metrics in self.versions.values()):
            message = (
                f"nothing was recorded ({', '.join(missing)} missing or empty); no log gives the cause, "
                "but device memory may have run out"
            )
            self.run.status = "failed"
            self.run.note(Rule.READ_FAILED_RUN, message, source)
            return
        if missing:
            message = f"not everything was recorded: no {', no '.join(missing)}"
            if "DLProf summary" in missing and self.sampled:
                message += "; utilisation is from nvidia-smi alone"
            self.run.status = "partial"
            self.run.note(Rule.READ_INCOMPLETE_RUN, message, source)
        if self.info.get("profile_mode") is True:
            self.run.note(Rule.READ_INCOMPLETE_RUN, "the times were measured under the profiler", source)

    def _missing(self) -> list[str]:
        """Return what transformers-benchmarking always writes and this folder does not have."""
        missing = [] if self.actions else ["profiler report"]
        # Only that project writes arguments, and only it runs everything twice.
        if "profile_mode" in self.info or not self.versions:
            missing += [] if self.info else ["arguments"]
            missing += [] if self.dlprof else ["DLProf summary"]
            paths = ("version_0/metrics.csv", "version_1/metrics.csv")
            missing += [path for path in paths if path not in self.versions]
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
        seq_len, batch_size = map(int, configuration.groups())
        known = {"item": "sequence", "precision": parents[-2], "model": parents[-1]}
        return {**known, "seq_len": seq_len, "batch_size": batch_size}

    def _add_losses(self) -> None:
        """Add the mean over the versions of the mean loss of each, and these as samples."""
        means = {path: mean(metrics.column("train_loss")) for path, metrics in self.versions.items()}
        known = {path: value for path, value in means.items() if math.isfinite(value)}
        if known:
            self._add(next(iter(known)), "loss", sum(known.values()) / len(known), "mean", len(known))
        for path, value in known.items():
            self._add(path, "loss", value, "sample")

    def _add_samples(self) -> None:
        """Add memory and utilisation; utilisation is the mean of what nvidia-smi and DLProf say, and both."""
        stats, path = self._stats(), self.sampled or self.roles.get("dlprof", "")
        if (used := stats.get("memory_used")) is not None:
            self._add(path, "memory_used", mean(used), "mean", len(used))
            self._add(path, "memory_used", float(used.max()), "maximum", len(used))
        if (busy := stats.get("memory_utilization")) is not None:
            self._add(path, "memory_utilization", mean(busy), "mean", len(busy))
        shares: list[tuple[str, float, int]] = []
        if (samples := stats.get("utilization")) is not None:
            shares.append((path, mean(samples), len(samples)))
        if (idle := self.dlprof.get("GPU Idle %")) is not None:
            shares.append((self.roles["dlprof"], 1 - idle, 0))
        values = [value for _, value, _ in shares if math.isfinite(value)]
        if values:
            self._add(path, "utilization", sum(values) / len(values), "mean", len(values))
        for source, value, n in shares:
            self._add(source, "utilization", value, "sample", n)

    def _stats(self) -> dict[str, FloatArray]:
        """Return the samples of all devices of the profiled run, without empty cells."""
        stats = self.versions[self.sampled].gpu_stats() if self.sampled else {}
        joined = {metric: np.concatenate(columns) for metric, columns in stats.items()}
        finite = {metric: values[np.isfinite(values)] for metric, values in joined.items()}
        return {metric: values for metric, values in finite.items() if len(values)}

    def _add(self, path: str, metric: str, value: float, statistic: str = "mean", n: int = 0) -> None:
        """Add a number from a file."""
        source = self.files.source(path)
        self.run.add_aggregate(metric, float(value), f"{value!r}", statistic, n, source=source)
