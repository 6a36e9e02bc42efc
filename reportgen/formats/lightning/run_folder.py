"""Put together the run of a folder: report, arguments, metrics of two executions, DLProf, the machine.

In transformers-benchmarking every configuration is executed twice, first under the GPU profiler and then
without. Report and arguments are overwritten by the second execution, so times are of the clean one, while
memory and utilisation are of the profiled one; that is why they become figures of the run and not telemetry
beside its steps.
"""

import math
import re
from collections.abc import Mapping
from typing import Any

from reportgen.core.model import Aggregate, FactorValue, Finding, FloatArray, Run, Source, Status
from reportgen.core.rules import Rule
from reportgen.formats.lightning import metrics_csv, profiler
from reportgen.formats.lightning.profile_actions import between_steps, step_times
from reportgen.formats.parsing import environment_files, json_values
from reportgen.formats.parsing.device_names import short_name
from reportgen.formats.parsing.text_log import mean
from reportgen.sources.logfiles import LogFiles

_METRICS = re.compile(r"(version_[0-9]{1,9})/metrics\.csv")
_CONFIGURATION = re.compile(r"([0-9]{1,9})-([0-9]{1,9})")
_PRECISIONS = ("amp", "fp16", "fp32", "tf32", "bf16")
_ARGUMENTS: Mapping[str, str] = {
    "model_name": "model",
    "max_seq_len": "seq_len",
    "batch_size": "batch_size",
    "num_gpus": "devices",
    "dataset": "dataset",
}
_ENVIRONMENT = ("max_steps", "num_workers", "cold_start_time", "pytorch_adamw", "asp")


def read_folder(
    files: LogFiles, roles: Mapping[str, str], format: str, framework: Mapping[str, FactorValue]
) -> Run:
    """Return the run of a folder; `roles` says which of its files is what."""
    return _Folder(files, roles).run(format, framework)


class _Folder:
    """The files of one configuration."""

    def __init__(self, files: LogFiles, roles: Mapping[str, str]) -> None:
        self.files, self.roles, self.id = files, roles, files.id()
        self.info = json_values.table(json_values.load(self._bytes("info")))
        self.actions = profiler.parse(self._bytes("profile"))
        self.dlprof = environment_files.dlprof_summary(self._bytes("dlprof"))
        self.versions = {
            match[1]: metrics_csv.parse(files.bytes(path))
            for path in files
            if (match := _METRICS.fullmatch(path))
        }
        self.sampled = next((name for name, metrics in self.versions.items() if metrics.gpu_stats()), "")

    def run(self, format: str, framework: Mapping[str, FactorValue]) -> Run:
        """Return the run with whatever the folder has of it."""
        status, findings = self._status()
        described, device = self._machine()
        factors = {**framework, **self._factors(), **({"device": short_name(device)} if device else {})}
        size, devices = (json_values.whole(factors.get(name)) for name in ("batch_size", "devices"))
        return Run(
            id=self.id, format=format, source=self._source("profile"), factors=factors,
            environment={**described, **self._arguments()}, status=status,
            samples_per_step=None if size is None or devices is None else float(size * devices),
            aggregates=self._aggregates(), findings=findings,
        )  # fmt: skip

    def _bytes(self, role: str) -> bytes:
        return self.files.bytes(self.roles[role]) if role in self.roles else b""

    def _source(self, role: str) -> Source:
        return self.files.source(self.roles.get(role, ""))

    # Status

    def _status(self) -> tuple[Status, tuple[Finding, ...]]:
        missing = self._missing()
        if not self.actions and not any(len(metrics.line) for metrics in self.versions.values()):
            message = (
                f"nothing was recorded ({', '.join(missing)} missing or empty); no log says why, and the "
                "memory of the device is a likely reason"
            )
            return "failed", (
                Finding("warning", Rule.READ_FAILED_RUN, self.id, message, self.files.source()),
            )
        findings = []
        if missing:
            message = f"not everything was recorded: no {', no '.join(missing)}"
            if "DLProf summary" in missing and self.sampled:
                message += "; utilisation is of nvidia-smi alone"
            findings.append(message)
        if self.info.get("profile_mode") is True:
            findings.append("the times are of the execution under the profiler")
        made = tuple(
            Finding("warning", Rule.READ_INCOMPLETE_RUN, self.id, text, self.files.source())
            for text in findings
        )
        return "partial" if missing else "complete", made

    def _missing(self) -> list[str]:
        """Return what an execution of transformers-benchmarking leaves and this folder has not."""
        found = [] if self.actions else ["profiler report"]
        # Only that project writes arguments, and only it executes everything twice.
        if "profile_mode" in self.info or not self.versions:
            found += [] if self.info else ["arguments"]
            found += [] if self.dlprof else ["DLProf summary"]
            found += [f"version_{n}/metrics.csv" for n in (0, 1) if f"version_{n}" not in self.versions]
        return found

    # Factors and environment

    def _factors(self) -> dict[str, FactorValue]:
        found: dict[str, FactorValue] = {"item": "sequence"} if "max_seq_len" in self.info else {}
        for key, name in _ARGUMENTS.items():
            value = self.info.get(key)
            if isinstance(value, (str, int)) and not isinstance(value, bool):
                found[name] = value
        if isinstance(self.info.get("amp"), bool):
            found["precision"] = "amp" if self.info["amp"] else "fp32"
        if self.info.get("asp") is True:
            found["sparsity"] = "asp"
        if self.info.get("pytorch_adamw") is True:
            found["optimizer"] = "torch AdamW"
        return found or self._factors_of_path()

    def _factors_of_path(self) -> dict[str, FactorValue]:
        """Return what the folders are called, the only thing that an execution which failed leaves."""
        *parents, folder = self.files.source().path.split("/")
        configuration = _CONFIGURATION.fullmatch(folder)
        if not configuration or len(parents) < 2 or parents[-2] not in _PRECISIONS:
            return {}
        return {
            "item": "sequence",
            "precision": parents[-2],
            "model": parents[-1],
            "seq_len": int(configuration[1]),
            "batch_size": int(configuration[2]),
        }

    def _machine(self) -> tuple[dict[str, FactorValue], str]:
        described, listed = environment_files.collect_env(self._bytes("environment"))
        queried, device = environment_files.device_query(self._bytes("device"))
        device = device or listed
        return {**described, **queried, **({"device_name": device} if device else {})}, device

    def _arguments(self) -> dict[str, FactorValue]:
        values: dict[str, Any] = {name: self.info.get(name) for name in _ENVIRONMENT}
        return {
            name: value
            for name, value in values.items()
            if isinstance(value, (str, int)) or (isinstance(value, float) and math.isfinite(value))
        }

    # Figures

    def _aggregates(self) -> tuple[Aggregate, ...]:
        path = self._source("profile").path
        between = between_steps(self.actions, path)
        found = [
            *step_times(self.actions, path),
            *((between,) if between else ()),
            *self._losses(),
            *self._memory(),
            *self._utilization(),
            self._figure(
                "tensor_core_utilization",
                self.dlprof.get("Tensor Core Kernel Utilization %"),
                "mean",
                "dlprof",
            ),
        ]
        duration = self.info.get("train_duration")
        found.append(
            self._figure("run_time", duration if json_values.is_number(duration) else None, "total", "info")
        )
        return tuple(one for one in found if one is not None and math.isfinite(one.value))

    def _figure(
        self, metric: str, value: float | None, statistic: str, role: str, n: int = 0
    ) -> Aggregate | None:
        if value is None:
            return None
        return Aggregate(
            metric,
            value=float(value),
            original=f"{value!r}",
            statistic=statistic,
            n=n,
            source=self._source(role),
        )

    def _losses(self) -> list[Aggregate | None]:
        """Return the mean over the executions of each one's mean, and these as samples."""
        means = {name: metrics.mean("train_loss") for name, metrics in self.versions.items()}
        known = {name: value for name, value in means.items() if math.isfinite(value)}
        found: list[Aggregate | None] = [
            self._metric("loss", value, "sample", name) for name, value in known.items()
        ]
        if known:
            value = sum(known.values()) / len(known)
            found.insert(0, self._metric("loss", value, "mean", next(iter(known)), len(known)))
        return found

    def _memory(self) -> list[Aggregate | None]:
        stats = self._stats()
        used, busy = stats.get("memory_used"), stats.get("memory_utilization")
        found: list[Aggregate | None] = []
        if used is not None:
            found.append(self._metric("memory_used", mean(used), "mean", self.sampled, len(used)))
            found.append(
                self._metric(
                    "memory_used", max(used.tolist(), default=math.nan), "maximum", self.sampled, len(used)
                )
            )
        if busy is not None:
            found.append(self._metric("memory_utilization", mean(busy), "mean", self.sampled, len(busy)))
        return found

    def _utilization(self) -> list[Aggregate | None]:
        """Return the mean of what nvidia-smi and DLProf say of the time with a kernel running, and both."""
        samples = self._stats().get("utilization")
        idle = self.dlprof.get("GPU Idle %")
        parts: list[Aggregate | None] = []
        if samples is not None:
            parts.append(self._metric("utilization", mean(samples), "sample", self.sampled, len(samples)))
        if idle is not None:
            parts.append(self._figure("utilization", 1 - idle, "sample", "dlprof"))
        values = [one.value for one in parts if one is not None and math.isfinite(one.value)]
        if not values:
            return parts
        return [
            self._metric("utilization", sum(values) / len(values), "mean", self.sampled, len(values)),
            *parts,
        ]

    def _stats(self) -> dict[str, FloatArray]:
        """Return the samples of all devices of the profiled execution, blanks left out."""
        if not self.sampled:
            return {}
        stats = self.versions[self.sampled].gpu_stats()
        joined = {
            metric: [value for column in columns for value in column.tolist() if math.isfinite(value)]
            for metric, columns in stats.items()
        }
        return {metric: metrics_csv.as_array(values) for metric, values in joined.items() if values}

    def _metric(self, metric: str, value: float, statistic: str, version: str, n: int = 0) -> Aggregate:
        source = self.files.source(f"{version}/metrics.csv" if version else self.roles.get("dlprof", ""))
        return Aggregate(metric, value=value, original=f"{value!r}", statistic=statistic, n=n, source=source)
