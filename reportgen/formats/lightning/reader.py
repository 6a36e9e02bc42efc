"""Read what PyTorch Lightning leaves behind: reports of its profilers, metrics.csv, folders with both.

A folder with `version_<n>` below it and a profiler's report, an exp_info.json or descriptions of the
machine beside that is one run, as tlkh/transformers-benchmarking lays its results out: the report and
exp_info.json are of a run without the GPU profiler, the samples of the GPU and DLProf's summary of another
with it, and its derived columns are computed here as there. A report or a metrics.csv elsewhere is a run by
itself.

Formats: Lightning 1.0 to 2.x; https://github.com/tlkh/transformers-benchmarking.
"""

import math
import re
from collections.abc import Callable, Iterator, Mapping

from reportgen.core.model import Aggregate, FactorValue, Finding, Run, Telemetry
from reportgen.core.rules import Rule
from reportgen.formats.base import Claim, Format
from reportgen.formats.lightning import metrics_csv, profiler, run_folder
from reportgen.formats.lightning.profile_actions import step_times
from reportgen.formats.lightning.throughput_monitor import KEYS, throughput
from reportgen.formats.parsing import environment_files
from reportgen.formats.parsing.damage import Malformed
from reportgen.formats.parsing.text_log import is_binary
from reportgen.sources.logfiles import LogFiles

_VERSION = re.compile(r"version_[0-9]{1,9}")
_VERSION_FILE = re.compile(r"version_[0-9]{1,9}/(?:metrics\.csv|hparams\.yaml)")
FRAMEWORK: Mapping[str, FactorValue] = {"framework": "PyTorch Lightning"}

# What a file beside the versions is, by what stands in it.
_ROLES: Mapping[str, Callable[[bytes], bool]] = {
    "profile": profiler.is_report,
    "info": lambda head: head.lstrip().startswith(b"{") and b'"train_duration"' in head,
    "dlprof": lambda head: environment_files.DLPROF in head,
    "environment": lambda head: environment_files.COLLECT_ENV in head and b"Is CUDA available:" in head,
    "device": lambda head: environment_files.DEVICE_QUERY in head,
}


def claims(files: LogFiles) -> Claim | None:
    """Claim a folder that is one run, a text with a profiler's report, or a metrics.csv by its columns."""
    return _claim_folder(files) if files.is_folder else _claim_file(files)


def read(files: LogFiles) -> Iterator[Run | Finding]:
    """Yield the run of a folder or of a file."""
    if files.is_folder:
        yield run_folder.read_folder(files, roles(files), FORMAT.name, FRAMEWORK)
    elif profiler.is_report(files.bytes(files.path)):
        yield _read_profile(files)
    else:
        yield _read_metrics(files)


FORMAT = Format(
    "lightning",
    "PyTorch Lightning: profiler reports, metrics.csv, and folders with both.",
    claims,
    read,
    marks=(profiler.TITLE, b"step"),
    folders=True,
)


def roles(files: LogFiles) -> dict[str, str]:
    """Return role -> path of the files in a folder that have one; the first of each by name."""
    found: dict[str, str] = {}
    for name in files.children()[0]:
        head = files.head(name)
        role = next((role for role, has in _ROLES.items() if has(head)), "")
        found.setdefault(role, name)
    found.pop("", None)
    return found


def _claim_folder(files: LogFiles) -> Claim | None:
    names, folders = files.children()
    if not names or not any(_VERSION.fullmatch(folder) for folder in folders):
        return None
    known = roles(files)
    # Machines alone describe a run only where nothing was recorded: else the versions are runs of their own.
    is_recorded = any(path.endswith("/metrics.csv") for path in files if _VERSION_FILE.fullmatch(path))
    wanted = ("profile", "info") if is_recorded else ("profile", "info", "environment", "device")
    telling = [role for role in wanted if role in known]
    if not telling:
        return None
    empty = [name for name in names if name.endswith(".txt") and files.size(name) == 0]
    mine = (*known.values(), *empty, *(path for path in files if _VERSION_FILE.fullmatch(path)))
    reasons = {
        "profile": "a profiler's report",
        "info": '"train_duration"',
        "device": "CUDA Device Query",
        "environment": "PyTorch version:",
    }
    return Claim(1.0, files.source(known[telling[0]], 1), f"{reasons[telling[0]]} beside version_<n>", mine)


def _claim_file(files: LogFiles) -> Claim | None:
    head = files.head(files.path)
    first = head[: end if (end := head.find(b"\n")) >= 0 else None]
    is_report = profiler.is_report(head)
    if not (is_report or (b"," in first and b"step" in first)) or is_binary(head):
        return None
    if is_report:
        at = head.find(profiler.TITLE)
        line = head.count(b"\n", 0, at) + 1
        return Claim(1.0, files.source(files.path, line), "Profiler Report", (files.path,))
    names = metrics_csv.names_of(first)
    if "step" not in names:
        return None
    if KEYS.intersection(names) or any(name.startswith("gpu_id: ") for name in names):
        return Claim(1.0, files.source(files.path, 1), first[:100].decode("utf-8", "replace"), (files.path,))
    # CSVLogger writes no other sign of itself than these two columns.
    if "epoch" in names and len(names) > 2:
        return Claim(0.4, files.source(files.path, 1), "columns step and epoch", (files.path,))
    return None


def _read_profile(files: LogFiles) -> Run:
    actions = profiler.parse(files.bytes(files.path))
    aggregates = step_times(actions, files.source(files.path).path)
    id, source = files.id(files.path), files.source(files.path)
    if aggregates:
        return Run(id, FORMAT.name, source, FRAMEWORK, aggregates=aggregates)
    cut = Finding("warning", Rule.READ_INCOMPLETE_RUN, id, "the profiler's report has no actions", source)
    return Run(id, FORMAT.name, source, FRAMEWORK, status="partial", findings=(cut,))


def _read_metrics(files: LogFiles) -> Run:
    metrics = metrics_csv.parse(files.bytes(files.path))
    id, source = files.id(files.path), files.source(files.path)
    malformed = Malformed(id, source.path)
    if metrics.damaged:
        malformed.add(metrics.damaged[0], "not as many cells as the header", len(metrics.damaged))
    if not len(metrics.line):
        nothing = Finding("warning", Rule.READ_INCOMPLETE_RUN, id, "a header without rows", source)
        return Run(
            id, FORMAT.name, source, FRAMEWORK, status="partial", findings=(*malformed.findings(), nothing)
        )
    series, devices = throughput(metrics, source)
    factors = {**FRAMEWORK, **({"devices": devices} if devices else {})}
    return Run(
        id, FORMAT.name, source, factors, series=series, aggregates=_losses(metrics, files),
        telemetry=_telemetry(metrics, files), findings=malformed.findings(),
    )  # fmt: skip


def _telemetry(metrics: metrics_csv.Metrics, files: LogFiles) -> tuple[Telemetry, ...]:
    """Return the samples of GPUStatsMonitor by device; when they were taken is not logged."""
    stats = metrics.gpu_stats()
    count = max((len(columns) for columns in stats.values()), default=0)
    found = []
    for device in range(count):
        columns = {name: values[device] for name, values in stats.items() if device < len(values)}
        unknown = metrics.column("").copy()
        found.append(Telemetry(str(device), unknown, columns, files.source(files.path)))
    return tuple(found)


def _losses(metrics: metrics_csv.Metrics, files: LogFiles) -> tuple[Aggregate, ...]:
    for name in ("train_loss", "train/loss", "loss"):
        value = metrics.mean(name)
        if math.isfinite(value):
            return (
                Aggregate(
                    "loss", value=value, original=name, statistic="mean", source=files.source(files.path)
                ),
            )
    return ()
