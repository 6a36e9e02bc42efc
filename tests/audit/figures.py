"""Figures of the published studies, drawn at random for tables: from logs/ and, where it is, from the corpus.

The csv module reads them, so that nothing here is computed by the program under test.
"""

import csv
import random
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.audit.planting import Known

Row = Mapping[str, str]
PHASES = ("cpu_time", "forward", "backward")


@dataclass(frozen=True)
class Study:
    """Where figures come from: the logs that contain them, and a function that draws some of them."""

    name: str
    logs: Path
    draw: Callable[[random.Random], list[Known]]


def rows_of(path: Path) -> list[dict[str, str]]:
    """Return the rows of a CSV file."""
    with path.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def studies(root: Path, corpus: Path | None = None) -> list[Study]:
    """Return the studies in logs/ below a root, and with a corpus the studies of raw logs."""
    logs = root / "logs"
    v1 = rows_of(logs / "dlperf-v1" / "dlperf_v1_report.csv")
    repeats = rows_of(logs / "dlperf-repeats" / "dlperf_repeats.csv")
    systems = rows_of(logs / "lambda-published" / "throughput" / "lambda_throughput.csv")
    transformers = rows_of(logs / "transformers" / "results" / "transformers_results.csv")
    known = [
        Study("dlperf v1", logs / "dlperf-v1", lambda generator: _dlperf_v1(generator, v1)),
        Study("dlperf medians", logs / "dlperf-repeats", lambda generator: _medians(generator, repeats)),
        Study("dlperf repeats", logs / "dlperf-repeats", lambda generator: _repeats(generator, repeats)),
        Study("lambda", logs / "lambda-published", lambda generator: _lambda(generator, systems)),
        Study(
            "transformers", logs / "transformers", lambda generator: _transformers(generator, transformers)
        ),
    ]
    if corpus is None:
        return known
    raw = rows_of(corpus / "expected" / "lambda_runs.csv")
    jade = rows_of(corpus / "expected" / "jade.csv")
    seconds = [row for row in rows_of(corpus / "expected" / "transformers.csv") if row["status"] == "ok"]
    return [
        *known,
        Study("lambda logs", corpus / "lambda", lambda generator: _lambda_logs(generator, raw)),
        Study("jade logs", corpus / "jade", lambda generator: _jade(generator, jade)),
        Study(
            "transformers logs", corpus / "transformers", lambda generator: _transformers(generator, seconds)
        ),
    ]


def _subset(generator: random.Random, values: Iterable[str], least: int, most: int) -> list[str]:
    distinct = list(dict.fromkeys(values))
    count = generator.randint(min(least, len(distinct)), min(most, len(distinct)))
    chosen = set(generator.sample(distinct, count))
    return [value for value in distinct if value in chosen]


def _unique(figures: Sequence[Known]) -> list[Known]:
    """Return the figures with the keys of only one of them."""
    counts: dict[object, int] = {}
    for each in figures:
        key = (tuple(each.keys.items()), each.quantity)
        counts[key] = counts.get(key, 0) + 1
    return [each for each in figures if counts[tuple(each.keys.items()), each.quantity] == 1]


def _dlperf_v1(generator: random.Random, rows: Sequence[Row]) -> list[Known]:
    model = generator.choice(sorted({row["model"] for row in rows}))
    sections = {(row["precision"], row["section"]) for row in rows if row["model"] == model}
    chosen = generator.sample(sorted(sections), generator.choice((1, 1, 2)))
    chosen = chosen if len({precision for precision, _ in chosen}) == len(chosen) else chosen[:1]
    own = [row for row in rows if row["model"] == model and (row["precision"], row["section"]) in chosen]
    frameworks = _subset(generator, (row["framework"] for row in own), 3, 8)
    with_batch = generator.random() < 0.5
    figures = []
    for row in own:
        if row["framework"] in frameworks:
            keys = {name: row[name] for name in ("framework", "model", "precision", "nodes", "devices")}
            keys |= {"batch_size": row["batch_size"]} if with_batch else {}
            others = tuple(
                float(other["value"])
                for other in rows
                if other["precision"] != row["precision"]
                and all(other[name] == row[name] for name in ("framework", "model", "nodes", "devices"))
            )
            devices = int(row["devices"])
            figures.append(Known(keys, "", float(row["value"]), "samples/s", devices, elsewhere=others))
    return _unique(figures)


def _cases(rows: Sequence[Row]) -> dict[tuple[str, ...], list[Row]]:
    names = ("series", "framework", "model", "precision", "batch_size", "nodes", "devices")
    cases: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        cases.setdefault(tuple(row[name] for name in names), []).append(row)
    return cases


def _medians(generator: random.Random, rows: Sequence[Row]) -> list[Known]:
    model = generator.choice(sorted({row["model"] for row in rows}))
    series = _subset(generator, (row["series"] for row in rows if row["model"] == model), 1, 3)
    figures = []
    for (own, *values), repeats in _cases([row for row in rows if row["series"] in series]).items():
        keys = dict(
            zip(("framework", "model", "precision", "batch_size", "nodes", "devices"), values, strict=True)
        )
        numbers = [float(row["throughput"]) for row in repeats]
        if own in series:
            median = statistics.median(numbers)
            stale = tuple(number for number in numbers if number != median)
            figures.append(Known(keys, "", median, "samples/s", int(keys["devices"]), stale))
    return _unique(figures)


def _repeats(generator: random.Random, rows: Sequence[Row]) -> list[Known]:
    series = generator.choice(sorted({row["series"] for row in rows}))
    own = [row for row in rows if row["series"] == series]
    batch = generator.choice(sorted({row["batch_size"] for row in own}))
    names = ("framework", "nodes", "devices", "repeat")
    return _unique([
        Known({name: row[name] for name in names}, "", float(row["throughput"]), "samples/s", int(row["devices"]))
        for row in own
        if row["batch_size"] == batch
    ])  # fmt: skip


def _lambda(generator: random.Random, rows: Sequence[Row]) -> list[Known]:
    own = [row for row in rows if row["throughput"] not in ("", "0.0")]
    names = set(_subset(generator, (row["system"] for row in own), 4, 20))
    tasks = set(_subset(generator, (row["task"] for row in own), 2, 9))
    precisions = generator.choice((["fp16"], ["fp32"], ["fp16", "fp32"]))
    return _unique([
        Known(
            {"system": row["system"], "devices": row["devices"], "precision": row["precision"], "task": row["task"]},
            "", float(row["throughput"]), "samples/s", int(row["devices"]),
        )
        for row in own
        if row["system"] in names and row["task"] in tasks and row["precision"] in precisions
    ])  # fmt: skip


def _transformers(generator: random.Random, rows: Sequence[Row]) -> list[Known]:
    models = _subset(generator, (row["model"] for row in rows), 1, 3)
    gpus = _subset(generator, (row["gpu"] for row in rows), 1, 2)
    own = [row for row in rows if row["model"] in models and row["gpu"] in gpus]
    quantities = generator.choice(
        (PHASES, ("forward",), ("vram_usage",), (*PHASES, "vram_usage", "sm_util"), ("forward", "backward"))
    )
    units = {"vram_usage": "MiB", "sm_util": "%"}
    figures = []
    for row in own:
        keys = {
            "device": row["gpu"],
            "model": row["model"],
            "seq_len": row["seq_len"],
            "batch_size": row["batch_size"],
        }
        figures += [Known(keys, name, float(row[name]), units.get(name, "s")) for name in quantities]
    return _unique(figures)


def _lambda_logs(generator: random.Random, rows: Sequence[Row]) -> list[Known]:
    cases: dict[tuple[str, str, str], list[float]] = {}
    for row in rows:
        # Progress bars print rates; other logs have timestamps.
        text = row["win_printed_hmean" if row["variant"].startswith("tqdm") else "win_ts_inner_samples_per_s"]
        if (
            row["status"] == "ok"
            and text
            and row["tree"] == "results"
            and "4x2080Ti_trt2" not in row["system"]
        ):
            task = row["taskdir"].removeprefix("PyTorch_").rpartition("_")[0]
            cases.setdefault((row["system"], task, row["taskdir"]), []).append(float(text))
    names = set(_subset(generator, (system for system, *_ in cases), 6, 20))
    figures = []
    for (system, task, folder), values in cases.items():
        if system in names:
            keys = {"system": system, "task": task, "precision": folder.rpartition("_")[2]}
            stale = tuple(value for value in values if value != statistics.median(values))
            figures.append(Known(keys, "", statistics.median(values), "samples/s", 1, stale))
    return _unique(figures)


def _jade(generator: random.Random, rows: Sequence[Row]) -> list[Known]:
    names = {
        "data_loading_s": "Data Loading Time",
        "forward_s": "Forward Time",
        "backward_norm": "Backward Time",
    }
    figures = []
    for row in rows:
        if row["status"] == "ok":
            keys = {
                "Cluster": row["cluster"], "Dataset": row["dataset"], "Benchmark": row["benchmark"],
                "device": row["device_name"], "devices": row["n_devices"],
            }  # fmt: skip
            figures += [
                Known(keys, title, float(row[name]), "s", int(row["n_devices"]))
                for name, title in names.items()
                if row[name] and float(row[name])
            ]
    return _unique(figures)
