"""Logs of Lambda's benchmarks against values worked out by another program (corpus/expected/lambda_runs.csv).

The throughput of a run is work over time where its step records have timestamps of their own, else the harmonic
mean of the printed rates of steps 21..120, else the final figure. Columns hold six decimals.

The harmonic mean is right where steps do equal work. Those of GNMT do not, and each of its lines prints the rate of one
step in ten: up to 82 % below the rate that the program states for its epoch. So its runs are held to that rate.
"""

import csv
from pathlib import Path
from typing import Any

import msgspec
import pytest

from reportgen.load import load_runs
from reportgen.protocol import Protocol
from reportgen.report.run_entry import entry_of_run

# The directory says 4x2080Ti; the log says `n_gpu: 1, distributed training: False` and its own final figure,
# 6.41 sequences/s, is one device's batch of 2 at 3.26 it/s. Four devices are nowhere but in the name.
ONE_DEVICE = (
    "results/4x2080Ti_trt2/PyTorch_bert_large_squad_FP32",
    "results/4x2080Ti_trt2/PyTorch_bert_large_squad_FP16",
)

# Ran out of memory after some steps: what they measured before is not a result.
OUT_OF_MEMORY = {
    "results/2080MaxQ/PyTorch_gnmt_FP16/10-07-2020_00-56-18.txt",
    "results/2xA4000/PyTorch_waveglow_FP16/26-06-2021_17-28-45.txt",
    "results/4x2080Ti_trt/PyTorch_gnmt_FP16/01-07-2020_18-32-27.txt",
    "results/A4000/PyTorch_waveglow_FP16/26-06-2021_15-54-57.txt",
    "results/p3.2xlarge/PyTorch_transformerxlbase_FP32/10-04-2020_03-19-01.txt",
}

Record = dict[str, Any]


@pytest.fixture(scope="module")
def pairs(corpus: Path) -> list[tuple[dict[str, str], Record]]:
    """Every expected row with what was read."""
    root = corpus / "lambda"
    records = {
        run.id: msgspec.to_builtins(entry_of_run(run, Protocol())) for run in load_runs(["."], root=root).runs
    }
    with (corpus / "expected" / "lambda_runs.csv").open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    missing = [row["file"] for row in rows if row["file"] not in records]
    assert not missing
    return [(row, records[row["file"]]) for row in rows]


def report(what: str, wrong: list[str], count: int) -> None:
    print(f"lambda_runs.csv: {what}: {count - len(wrong)} of {count}")
    assert not wrong, "\n".join(wrong[:20])


def trusted(row: dict[str, str]) -> bool:
    return not row["file"].startswith(ONE_DEVICE)


def test_statuses(pairs: list[tuple[dict[str, str], Record]]) -> None:
    wrong = []
    for row, found in pairs:
        known = ("complete", "partial") if row["error_marker"] == "1" else ("complete",)
        if row["file"] in OUT_OF_MEMORY:
            known = ("out_of_memory",)
        failed = ("failed", "out_of_memory", "cancelled", "partial")
        if found["status"] not in (failed if row["status"] == "failed" else known):
            wrong.append(f"{row['file']}: {row['status']}: {found['status']}")
    report("statuses", wrong, len(pairs))


def test_step_counts(pairs: list[tuple[dict[str, str], Record]]) -> None:
    wrong = []
    for row, found in pairs:
        expected = int(row["n_step_records"]), int(row["last_step"]) or None
        if row["task"] == "gnmt":  # the first lines of one or two epochs are in no mean
            assert 0 <= expected[0] - found["steps"]["count"] <= 2
            expected = (found["steps"]["count"], expected[1] if found["steps"]["count"] else None)
        if (found["steps"]["count"], found["steps"]["last"]) != expected:
            wrong.append(f"{row['file']}: {expected}: {found['steps']}")
    report("step counts", wrong, len(pairs))


def test_devices_and_batches(pairs: list[tuple[dict[str, str], Record]]) -> None:
    wrong, count = [], 0
    for row, found in pairs:
        if not trusted(row):
            continue
        count += 1
        factors = found["factors"]
        batch = factors.get("global_batch_size") or factors.get("batch_size", 0) * factors.get("devices", 0)
        # A batch size that only the scripts of a run contain, and not its log, is not readable.
        expected = 0 if row["batch_source"] == "scripts/config" and not batch else int(row["global_batch"])
        if (factors.get("devices"), batch) != (int(row["n_gpus"]), expected):
            wrong.append(f"{row['file']}: {row['n_gpus']}, {row['global_batch']}: {factors}")
    report("devices and batches", wrong, count)


def expected_throughput(row: dict[str, str]) -> float | None:
    # Of BERT's steps every 50th alone has a timestamp; its step records are bars, which have none.
    has_stamps = not row["variant"].startswith("tqdm")
    text = (
        (has_stamps and row["win_ts_inner_samples_per_s"]) or row["win_printed_hmean"] or row["final_printed"]
    )
    return float(text) if text else None


def test_throughputs(pairs: list[tuple[dict[str, str], Record]]) -> None:
    wrong, count = [], 0
    for row, found in pairs:
        expected = expected_throughput(row)
        if row["status"] == "failed" or expected is None or not trusted(row):
            continue
        count += 1
        values = [
            one["value"]
            for one in found["measurements"]
            if (one["metric"], one["phase"]) == ("throughput", "step")
        ]
        if row["file"] in OUT_OF_MEMORY:
            assert values == []
        elif row["task"] == "gnmt":
            (value,) = values
            assert value == pytest.approx(float(row["final_printed"]), rel=0.025), row["file"]
        elif values != [pytest.approx(expected, rel=1e-11, abs=0.51e-6)]:
            wrong.append(f"{row['file']}: {expected}: {values} ({found['status']})")
    report("throughputs", wrong, count)


def test_the_rate_of_gnmt_is_that_between_its_running_means(
    pairs: list[tuple[dict[str, str], Record]],
) -> None:
    """By hand: 50,244 tokens/s over the first 20 steps and 50,980 over 120; the lines between are ten steps each."""
    (found,) = (found for row, found in pairs if row["file"].startswith("results/3080/PyTorch_gnmt_FP16"))
    (value,) = (each["value"] for each in found["measurements"] if each["metric"] == "throughput")
    assert value == pytest.approx((120 * 50980 - 20 * 50244) / 100, rel=0.003)


def test_a_window_across_epochs_equals_the_printed_mean_within_a_hundredth(
    pairs: list[tuple[dict[str, str], Record]],
) -> None:
    compared = 0
    for row, found in pairs:
        if row["task"] != "resnet50" or row["status"] != "ok" or row["error_marker"] == "1":
            continue
        (value,) = [
            one["value"]
            for one in found["measurements"]
            if (one["metric"], one["phase"]) == ("throughput", "step")
        ]
        assert value == pytest.approx(float(row["win_printed_mean"]), rel=0.01), row["file"]
        compared += 1
    assert compared
