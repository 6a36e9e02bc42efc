"""The four studies: the generated tables show the published values.

The csv module reads both sides: the published values in logs/, and the tables of the committed reports as the CSV
files that a clone builds. Derived values (speed-ups, ratios, expected speed) are computed here, or by an independent
program (the corpus).
"""

import csv
import io
import json
import math
import re
import statistics
import tomllib
from collections import Counter
from collections.abc import Iterator
from decimal import ROUND_HALF_UP, Decimal
from functools import cache
from pathlib import Path

import pytest

from reportgen.document import file_names
from reportgen.document.encode import decode
from reportgen.render.data.csv import table_csv
from tests.conftest import ROOT

CLASSES = {
    "resnet50-fp32-b128": ("ResNet50 V1.5", "FP32", "bsz=128"),
    "resnet50-amp-b256": ("ResNet50 V1.5", "AMP", "bsz=256"),
    "bert-fp32-b32": ("BERT Base Pretrain", "FP32", "bsz=32"),
    "bert-fp32-bmax": ("BERT Base Pretrain", "FP32", "bsz=max"),
    "bert-amp-b64": ("BERT Base Pretrain", "AMP", "bsz=64"),
    "bert-amp-bmax": ("BERT Base Pretrain", "AMP", "bsz=max"),
}

# Published speed-ups that do not follow from their own rows: series, batch size, devices -> published.
WRONG_SPEEDUPS = {
    ("bert-base-fp32-report-0822-0822-logs", "96", "32"): "29.75",
    ("bert-base-fp32-report-0822-0822-logs", "32", "32"): "25.59",
    ("bert-base-oneflow-v0.2-fp16-report-oneflow-v0.2-logs", "64", "16"): "10.75",
}

JADE_TABLES = {
    ("TN V100 x1", "JADE2 V100 x1"): "against-v100",
    ("TN A40 x1", "TN V100 x1"): "v100-against-a40",
    ("TN A40 x1", "JADE2 V100 x1"): "against-a40--1",
    ("TN A40 x8", "JADE2 V100 x8"): "against-a40--8",
}
# Lambda's ratio of V100 and A40 over what the independent program has: the same without its last two digits.
UNTRUNCATED = {"TN A40 x8": 0.92741 / 0.927, "TN A40 x1": 0.94359 / 0.943}
JADE_PHASES = {"step": "whole_step", "data": "data_loading", "preproc": "preprocessing"}

Row = dict[str, str]


def logged(path: str) -> list[Row]:
    with (ROOT / "logs" / path).open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


@cache
def built(report: str) -> dict[str, str]:
    """Return the CSV files of a committed report by the names of its tables."""
    content = (ROOT / "reports" / report / file_names.REPORT_JSON).read_bytes()
    document = decode(content, report)
    names = file_names.stems(each.id for each in document.tables)
    return {names[each.id]: table_csv(document, each).decode() for each in document.tables}


def table(report: str, name: str) -> list[Row]:
    return list(csv.DictReader(io.StringIO(built(report)[name])))


def tables(report: str, prefix: str) -> Iterator[Row]:
    for name in sorted(name for name in built(report) if name.startswith(f"{prefix}--")):
        yield from table(report, name)


def number(text: str) -> float:
    return float(text) if text else math.nan


# DLPerf


@pytest.mark.parametrize("name", CLASSES)
def test_every_cell_of_dlperf_v1_is_in_its_table(name: str) -> None:
    published = Counter((r["framework"], r["nodes"], r["devices"], float(r["value"])) for r in _v1(name))
    ours = Counter(
        (r["framework"], r["nodes"], r["devices"], number(r["value"]))
        for r in table("dlperf-v1", name)
        if r["value"]
    )
    assert ours == published


def test_dlperf_v1_has_168_cells() -> None:
    cells = [row for name in CLASSES for row in table("dlperf-v1", name) if row["value"]]
    assert len(cells) == 168


@pytest.mark.parametrize("name", CLASSES)
def test_speedups_of_dlperf_v1_compare_with_one_device(name: str) -> None:
    published = Counter((r["framework"], r["devices"], r["speedup"]) for r in _v1(name))
    ours = Counter(
        (r["framework"], r["devices"], str(round(number(r["speedup"]), 2)))
        for r in table("dlperf-v1", f"{name}-speedup")
        if r["speedup"]
    )
    assert ours == published


def _v1(name: str) -> list[Row]:
    return [
        row
        for row in logged("dlperf-v1/dlperf_v1_report.csv")
        if (row["model"], row["precision"], row["section"]) == CLASSES[name]
    ]


def _repeats() -> dict[tuple[str, ...], list[Row]]:
    cases: dict[tuple[str, ...], list[Row]] = {}
    for row in logged("dlperf-repeats/dlperf_repeats.csv"):
        key = tuple(row[name] for name in ("series", "batch_size", "nodes", "devices"))
        cases.setdefault(key, []).append(row)
    return cases


def _medians() -> dict[tuple[str, ...], Row]:
    return {
        tuple(row[name] for name in ("series", "batch_size", "nodes", "devices")): row
        for row in tables("dlperf-v1", "median")
    }


def test_every_case_has_the_median_of_its_repeats() -> None:
    ours, cases = _medians(), _repeats()
    assert set(ours) == set(cases)
    assert len(cases) == 178
    for key, rows in cases.items():
        expected = statistics.median(float(row["throughput"]) for row in rows)
        assert number(ours[key]["value"]) == pytest.approx(expected, rel=1e-11), key
        assert ours[key]["repeats"] == str(len(rows)), key


def test_all_157_published_medians_are_reproduced() -> None:
    ours = _medians()
    printed = {key: rows[0]["published_median"] for key, rows in _repeats().items()}
    published = {key: float(median) for key, median in printed.items() if median}
    assert len(published) == 157
    for key, median in published.items():
        assert abs(number(ours[key]["value"]) - median) <= 0.005 + 1e-9, key


def test_all_published_speedups_but_three_are_reproduced() -> None:
    ours = _medians()
    wrong = {}
    for key, rows in _repeats().items():
        published = rows[0]["published_speedup"]
        if published and abs(number(ours[key]["speedup"]) - float(published)) > 0.005 + 1e-9:
            wrong[key[0], key[1], key[3]] = published
    assert wrong == WRONG_SPEEDUPS


def test_all_results_show_every_repeat() -> None:
    published = Counter(
        (r["series"], r["batch_size"], r["devices"], r["repeat"], float(r["throughput"]))
        for r in logged("dlperf-repeats/dlperf_repeats.csv")
    )
    ours = Counter(
        (r["series"], r["batch_size"], r["devices"], r["repeat"], number(r["value"]))
        for r in tables("dlperf-v1", "all")
        if r["value"]
    )
    assert ours == published
    assert published.total() == 1104


def test_the_three_speedups_are_named_in_the_report() -> None:
    text = (ROOT / "reports/dlperf-v1/README.md").read_text(encoding="utf-8")
    for published in WRONG_SPEEDUPS.values():
        assert published in text
    for computed in ("29.738", "25.584", "10.745"):
        assert computed in text


def test_the_summary_takes_the_largest_batch_and_names_what_is_planned() -> None:
    resnet = table("dlperf-v1", "summary-resnet50")
    values = {(r["framework"], r["precision"], r["xla"]): r["value"] or r["text"] for r in resnet}
    assert values["OneFlow", "amp", "false"] == "33141.02"
    assert values["NGC TensorFlow 1.x", "amp", "true"] == "29171.69"
    assert values["PyTorch", "amp", "false"] == "planned"
    bert = {
        (r["framework"], r["precision"], r["clip"], r["xla"]): r for r in table("dlperf-v1", "summary-bert")
    }
    assert bert["NGC TensorFlow 1.x", "amp", "true", "true"]["value"] == "11650"
    assert number(bert["OneFlow", "fp32", "true", "false"]["speedup"]) == pytest.approx(4664.1 / 156.02)


# BenchmarkJade


def _jade(name: str) -> dict[tuple[str, str, str], Row]:
    return {(r["dataset"], r["benchmark"], r["phase"]): r for r in table("jade2", name)}


def test_expected_speeds_are_products_of_their_facts() -> None:
    case = ("ImageNet", "Train", "forward")
    # The ratios of V100 and A40 are computed from Lambda's published ones.
    published = ROOT / "logs/lambda-published/v100-over-a40/lambda_v100_over_a40_fp32.csv"
    with published.open() as file:
        ratios = {(r["devices"], r["task"]): float(r["ratio"]) for r in csv.DictReader(file)}
    assert (ratios["8", "resnet50"], ratios["1", "resnet50"]) == (0.92741, 0.94359)
    assert number(_jade("against-a40--8")[case]["expected"]) == pytest.approx(0.92741 * 0.67, abs=1e-12)
    assert number(_jade("against-a40--1")[case]["expected"]) == pytest.approx(0.94359 * 0.67, abs=1e-12)
    assert number(_jade("against-v100")[case]["expected"]) == 0.67
    assert number(_jade("v100-against-a40")[case]["expected"]) == 0.94359


@pytest.mark.parametrize(
    ("name", "case", "observed", "excess"),
    [
        ("against-a40--8", ("ImageNet", "Train", "forward"), 9.3207, 5.7915),
        ("against-a40--8", ("ImageNet", "Inference", "forward"), 8.8092, 5.4737),
        ("against-a40--8", ("Dummy", "Inference", "forward"), 7.2998, 4.5358),
        ("against-v100", ("ImageNet", "Train", "forward"), 1.4388, 0.9640),
    ],
)
def test_jade2_is_slower_than_expected_by_the_published_factors(
    name: str, case: tuple[str, str, str], observed: float, excess: float
) -> None:
    row = _jade(name)[case]
    assert round(number(row["observed"]), 4) == observed
    assert round(number(row["excess"]), 4) == excess


def test_every_comparison_of_jade2_agrees_with_an_independent_program(corpus: Path) -> None:
    with (corpus / "expected" / "jade_expected_speed.csv").open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert len(rows) == 112
    for row in rows:
        phase = JADE_PHASES.get(row["measurement"], row["measurement"])
        ours = _jade(JADE_TABLES[row["reference"], row["target"]])[row["dataset"], row["benchmark"], phase]
        place = [row[name] for name in ("reference", "target", "dataset", "benchmark", "measurement")]
        assert number(ours["observed"]) == pytest.approx(float(row["observed_time_ratio"]), abs=5.1e-5), place
        excess = row["times_slower_than_expected"]
        assert bool(ours["excess"]) == bool(excess), place
        if excess:
            more = UNTRUNCATED.get(row["reference"], 1.0)
            assert number(ours["excess"]) == pytest.approx(more * float(excess), abs=5.2e-5), place
            assert number(ours["expected"]) == pytest.approx(more * float(row["speed_ratio"]), abs=1e-12), (
                place
            )


def test_the_step_of_jade2_on_eight_devices_is_split_into_its_published_phases() -> None:
    report = json.loads((ROOT / "reports/jade2/report.json").read_text(encoding="utf-8"))
    factors = {case["name"]: case["factors"] for case in report["cases"] if case["phase"] == "whole_step"}
    wanted = {"dataset": "ImageNet", "benchmark": "Train", "devices": 8}
    names = {
        name
        for table in report["tables"]
        for case, name in table.get("comparisons", {}).items()
        if case in factors and factors[case].items() >= wanted.items()
    }
    (split,) = [report["comparisons"][name]["breakdown"] for name in names]
    case, baseline = (5.2553, 1.3720, 0.8037), (0.0406, 0.1472, 0.2115)
    assert split["case_seconds"] / split["baseline_seconds"] == pytest.approx(sum(case) / sum(baseline))
    assert round(split["case_seconds"] / split["baseline_seconds"], 1) == 18.6
    parts = [part for part in split["parts"] if "seconds" in part]
    shares = {part["name"]: round(100 * part["share"]) for part in parts}
    assert shares == {"data_loading": 74, "forward": 17, "backward": 8}
    assert [part["seconds"] for part in parts] == pytest.approx(
        [own - other for own, other in zip(case, baseline, strict=True)], abs=1e-9
    )
    assert math.fsum(part["seconds"] for part in parts) == pytest.approx(split["seconds"], rel=1e-11)


def test_the_phase_table_is_the_published_one_with_its_corrections() -> None:
    ours = {
        (r["cluster"], r["device"], r["devices"], r["dataset"], r["benchmark"], r["phase"]): r["value"]
        for r in table("jade2", "phases")
        if r["value"]
    }
    columns = {
        "data_loading_s": "data_loading",
        "data_processing_s": "preprocessing",
        "forward_s": "forward",
        "backward_s": "backward",
    }
    for row in logged("jade2/jade2_results.csv"):
        devices = "8" if (row["cluster"], row["devices"]) == ("JADE2", "4") else row["devices"]
        for column, phase in columns.items():
            key = (row["cluster"], row["device"], devices, row["dataset"], row["benchmark"], phase)
            published = "0.0559" if row[column] == "0.559" else row[column]
            assert ours.get(key, "") == (str(float(published)) if published else ""), key


def test_corrections_are_shown_beside_the_numbers() -> None:
    text = (ROOT / "reports/jade2/README.md").read_text(encoding="utf-8")
    assert "corrected from 4 to 8" in text
    assert "corrected from 0.559 to 0.0559" in text


# transformers-benchmarking


def _throughputs() -> dict[tuple[str, ...], Row]:
    return {
        tuple(r[name] for name in ("device", "model", "seq_len", "batch_size", "phase")): r
        for r in tables("transformers", "throughput")
    }


def test_the_best_throughput_of_the_v100() -> None:
    ours = _throughputs()
    best = ("V100", "distilroberta-base", "128", "256")
    assert round(number(ours[*best, "training"]["value"]), 3) == 877.856
    assert round(number(ours[*best, "compute"]["value"]), 3) == 912.207


def test_throughput_is_work_over_the_time_of_the_phases() -> None:
    ours = _throughputs()
    rows = logged("transformers/results/transformers_results.csv")
    assert len(rows) == 66
    for row in rows:
        compute = float(row["forward"]) + float(row["backward"])
        times = {"training": compute + float(row["cpu_time"]), "compute": compute}
        for phase, time in times.items():
            key = (row["gpu"][:4].upper(), row["model"], row["seq_len"], row["batch_size"], phase)
            expected = float(row["batch_size"]) / time
            assert number(ours[key]["value"]) == pytest.approx(expected, rel=1e-11), key


def test_failed_and_partial_configurations_are_shown_as_such() -> None:
    status = {
        (r["gpu"][:4].upper(), r["model"], r["seq_len"], r["batch_size"]): r["status"]
        for r in logged("transformers/status/transformers_status.csv")
    }
    shown = Counter()
    for key, row in _throughputs().items():
        if key[-1] == "training":
            shown[row["text"] or "ok"] += 1
            assert (row["text"] or "ok") == status[key[:-1]], key
    assert shown == {"ok": 66, "failed": 39, "partial": 3}


def test_the_mean_of_a100_over_v100_is_over_shared_configurations() -> None:
    rows = table("transformers", "a100-over-v100")
    ratios = [float(r["ratio"]) for r in rows if r["ratio"] and r["model"] != "geometric mean"]
    assert len(ratios) == 26
    expected = math.exp(math.fsum(map(math.log, ratios)) / len(ratios))
    assert round(expected, 4) == 1.7377
    (mean,) = [r for r in rows if r["model"] == "geometric mean"]
    assert number(mean["ratio"]) == pytest.approx(expected, rel=1e-11)


# FluxArchitectures


def _seconds(row: Row) -> float:
    if row["value"] == "missing":
        return math.nan
    return float(row["value"]) * {"s": 1.0, "ms": 1e-3}[row["unit"]]


def test_forward_and_backward_of_the_flux_models_are_the_published_times() -> None:
    ours = {
        (r["hardware"], r["model"].casefold(), r["pass"], r["device"]): number(r["value"])
        for r in tables("flux", "passes")
        if r["value"]
    }
    published = {}
    hardware = {"JetsonNano": "Jetson Nano", "Intel Core i5 (2.9 GHz)": "Core i5-6267U"}
    passes = {"Forward Pass": "forward", "Backward Pass": "forward+backward"}
    for row in logged("flux-published/flux_architectures.csv"):
        if row["pass"] in passes:
            key = (hardware[row["hardware"]], row["model"].casefold(), passes[row["pass"]], row["device"])
            published[key] = _seconds(row)
    assert len(published) == 24
    assert ours == pytest.approx(published, rel=1e-11)


def test_training_times_of_the_flux_models_are_the_published_ones() -> None:
    rows = logged("flux-published/flux_architectures.csv")
    published = Counter(
        (r["model"], r["device"], f"{_seconds(r):.9g}")
        for r in rows
        if r["pass"] == "train 5 steps" and r["value"] != "missing"
    )
    ours = Counter(
        (r["model"], r["device"], f"{number(r['value']):.9g}")
        for r in table("flux", "training")
        if r["value"]
    )
    assert ours == published
    assert published.total() == 32


def test_gpu_over_cpu_times_agree_with_the_ratios_of_the_original() -> None:
    speedups = {
        (r["software"], r["model"], r["pass"]): number(r["speedup"])
        for r in table("flux", "gpu-over-cpu")
        if r["hardware"].endswith("960M")
    }
    train = "train, 5 steps"
    assert round(speedups["Julia 1.5.3 & Flux 0.11.5", "DSANet", train], 4) == 1.535
    assert round(speedups["Julia 1.5.3 & Flux 0.12.1", "DSANet", train], 4) == 1.5876
    assert round(speedups["Julia 1.5.3 & Flux 0.12.1", "DARNN", train], 4) == 0.1208


# Headlines

# report -> as the headline has it, significant digits, table, column, factors of the row (and of the row below)
ONEFLOW = {"devices": "32", "framework": "OneFlow"}
JADE_TRAINING = {"dataset": "ImageNet", "benchmark": "Train"}
GTX_960M = {"hardware": "Core i7-6700HQ + GTX 960M", "software": "Julia 1.5.3 & Flux 0.12.1"}
V100, A100 = (
    {"seq_len": "128", "batch_size": "256", "phase": "training", "device": device}
    for device in ("V100", "A100")
)
HEADLINES = {
    "dlperf-v1": [
        ("31.2x", 3, "resnet50-fp32-b128-speedup", "speedup", [ONEFLOW]),
        ("26.1x", 3, "bert-fp32-b32-speedup", "speedup", [{**ONEFLOW, "clip": "false"}]),
        ("12,412 images/s", 4, "resnet50-fp32-b128", "value", [ONEFLOW]),
        ("4,019 sequences/s", 4, "bert-fp32-b32", "value", [{**ONEFLOW, "clip": "false"}]),
    ],
    "flux": [
        ("1.59x", 3, "gpu-over-cpu", "speedup", [{**GTX_960M, "model": "DSANet"}]),
        ("0.113x", 3, "gpu-over-cpu", "speedup", [{**GTX_960M, "model": "LSTNet"}]),
        ("0.150x", 3, "gpu-over-cpu", "speedup", [{**GTX_960M, "model": "TPA-LSTM"}]),
    ],
    "jade2": [
        ("18.6x", 3, "against-a40--8", "observed", [{**JADE_TRAINING, "phase": "whole_step"}]),
        ("129x", 3, "against-a40--8", "observed", [{**JADE_TRAINING, "phase": "data_loading"}]),
        ("6.07x", 3, "against-a40--8", "observed", [{**JADE_TRAINING, "phase": "compute"}]),
        ("3.77x", 3, "against-a40--8", "excess", [{**JADE_TRAINING, "phase": "compute"}]),
    ],
    "transformers": [
        ("1.75x", 3, "throughput--distilroberta-base", "value", [A100, V100]),
        ("1,532 sequences/s", 4, "throughput--distilroberta-base", "value", [A100]),
        ("877.9.", 4, "throughput--distilroberta-base", "value", [V100]),
    ],
}


@pytest.mark.parametrize("report", HEADLINES)
def test_a_headline_has_the_numbers_of_its_tables_rounded_to_three_or_four_digits(report: str) -> None:
    page = (ROOT / "reports" / report / "README.md").read_text("utf-8")
    headline = re.sub(r"<sup>.*?</sup>", "", page.splitlines()[2])
    for shown, digits, name, column, rows in HEADLINES[report]:
        first, *below = (_only(report, name, row)[column] for row in rows)
        exact = Decimal(first) / Decimal(below[0]) if below else Decimal(first)
        number_shown = re.match(r"[0-9.,]*[0-9]", shown)
        assert number_shown
        assert number_shown[0] == _rounded(exact, digits)
        assert re.search(rf"(?<![0-9.,]){re.escape(shown)}(?![0-9])", headline)


@pytest.mark.parametrize("report", HEADLINES)
def test_every_number_of_a_headline_is_checked(report: str) -> None:
    definition = tomllib.loads((ROOT / "reports" / f"{report}.toml").read_text("utf-8"))
    numbers = re.findall(r"value\(|ratio\(|number=true", definition["headline"])
    assert len(numbers) == len(HEADLINES[report])


def _only(report: str, name: str, factors: Row) -> Row:
    (row,) = (row for row in table(report, name) if factors.items() <= row.items())
    return row


def _rounded(exact: Decimal, digits: int) -> str:
    """Return a number with significant digits; those before the point are never zeroed."""
    step = Decimal(1).scaleb(min(0, exact.adjusted() - digits + 1))
    return f"{exact.quantize(step, ROUND_HALF_UP):,}"
