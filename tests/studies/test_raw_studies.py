"""Reports of the studies from their raw logs: the committed definitions with `--logs` and `--out`.

The logs are third-party and outside the repository; the tables are compared with values that independent programs
computed.
"""

import csv
import io
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from reportgen.pipeline import Build, Request, build
from tests.conftest import ROOT

pytestmark = pytest.mark.slow

JADE_TABLES = {
    ("TN V100 x1", "JADE2 V100 x1"): "against-v100",
    ("TN A40 x1", "TN V100 x1"): "v100-against-a40",
    ("TN A40 x1", "JADE2 V100 x1"): "against-a40--1",
    ("TN A40 x8", "JADE2 V100 x8"): "against-a40--8",
}
# Lambda's ratio of V100 and A40 over what the independent program has: the same without its last two digits.
UNTRUNCATED = {"TN A40 x8": 0.92741 / 0.927, "TN A40 x1": 0.94359 / 0.943}
JADE_PHASES = {"step": "whole_step", "data": "data_loading", "preproc": "preprocessing"}
MLPERF = """\
title = "MLPerf scores"
protocol = "mlperf"
[[tables]]
id = "scores"
metric = "scaled_time_to_train"
unit = "min"
rows = ["submitter", "system", "benchmark", "device", "devices", "nodes", "framework", "division", "availability"]
columns = ["metric"]
show = ["value", "repeats"]
[[tables]]
id = "unscaled"
metric = "time_to_train"
unit = "min"
rows = ["submitter", "system", "benchmark"]
columns = ["metric"]
"""
PROTOCOLS = '[protocols.mlperf]\nreduce = "olympic"\nrepeats = 10\nstrict = true\n'

Row = dict[str, str]
Tables = dict[str, list[Row]]


def built(root: Path, definitions: dict[str, str], logs: Path) -> Tables:
    """Build reports into a folder of their own; return the rows of each CSV table by report/table."""
    return tables_of(build_all(root, definitions, logs))


def build_all(root: Path, definitions: dict[str, str], logs: Path) -> Build:
    """Build reports into a folder of their own, without invalid findings."""
    reports = root / "reports"
    reports.mkdir()
    for name, content in definitions.items():
        (reports / name).write_text(content, encoding="utf-8")
    found = build(Request(root, reports, logs, root / "out"))
    assert [finding for finding in found.findings if finding.severity == "invalid"] == []
    return found


def tables_of(found: Build) -> Tables:
    """Return the rows of each CSV table by report/table."""
    texts = {
        path.removesuffix(".csv").replace("/tables", ""): content.decode()
        for path, content in found.files.items()
        if path.endswith(".csv")
    }
    return {path: list(csv.DictReader(io.StringIO(text, newline=""))) for path, text in texts.items()}


def definition(name: str) -> str:
    """Return a committed definition without its prose, which speaks of the published tables."""
    lines = (ROOT / "reports" / f"{name}.toml").read_text(encoding="utf-8").splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith("body ="))


def expected(corpus: Path, name: str) -> list[Row]:
    with (corpus / "expected" / name).open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def of(tables: Tables, prefix: str) -> Iterator[Row]:
    for path in sorted(tables):
        if path.startswith(prefix):
            yield from tables[path]


# BenchmarkJade: its slurm logs beside the published rows of the other cluster


@pytest.fixture(scope="module")
def jade_build(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Build:
    root = tmp_path_factory.mktemp("jade")
    shutil.copytree(corpus / "jade", root / "logs" / "raw")
    shutil.copytree(ROOT / "logs" / "jade2", root / "logs" / "published")
    with (root / "logs" / "published" / "source.toml").open("a", encoding="utf-8") as source:
        source.write('\n[where]\ncluster = "TN"\n')
    shutil.copytree(
        ROOT / "logs/lambda-published/v100-over-a40", root / "logs/lambda-published/v100-over-a40"
    )
    facts = (ROOT / "reports" / "expected.toml").read_text(encoding="utf-8")
    return build_all(root, {"jade2.toml": definition("jade2"), "expected.toml": facts}, root / "logs")


@pytest.fixture(scope="module")
def jade(jade_build: Build) -> Tables:
    return tables_of(jade_build)


def test_the_slowest_training_is_split_and_its_own_log_warns_about_the_workers(jade_build: Build) -> None:
    (report,) = jade_build.reports
    (table,) = (each for each in report.tables if each.id == "against-a40/8")
    (row,) = (
        cells
        for head, cells in zip(table.rows, table.cells, strict=True)
        if head.key == ("ImageNet", "Train", "whole_step")
    )
    comparison = report.comparison_of(table, row[1])
    assert comparison is not None
    breakdown = comparison.breakdown
    assert breakdown is not None
    assert round(comparison.value, 1) == 18.6
    assert {part.name: round(100 * part.share) for part in breakdown.measured} == {
        "data_loading": 74,
        "forward": 17,
        "backward": 8,
    }
    assert sum(part.seconds for part in breakdown.measured) == pytest.approx(breakdown.seconds, rel=1e-11)
    log = "raw/slurm-596563-train.out"
    places = {part.name: [*part.case_sources] for part in breakdown.measured}
    assert places == {
        "data_loading": [f"logs/{log}:59"],
        "forward": [f"logs/{log}:61"],
        "backward": [f"logs/{log}:62"],
    }
    (hint,) = breakdown.hints
    assert (hint.kind, hint.of, hint.source) == ("data loading", "case", f"logs/{log}:1")
    assert hint.message == (
        'the log says "This DataLoader will create 4 worker processes in total. '
        'Our suggested max number of worker in current system is 2" (8 times)'
    )


def test_every_comparison_of_jade2_follows_from_its_raw_logs(jade: Tables, corpus: Path) -> None:
    rows = expected(corpus, "jade_expected_speed.csv")
    for row in rows:
        phase = JADE_PHASES.get(row["measurement"], row["measurement"])
        case = (row["dataset"], row["benchmark"], phase)
        name = JADE_TABLES[row["reference"], row["target"]]
        (ours,) = [r for r in jade[f"jade2/{name}"] if (r["dataset"], r["benchmark"], r["phase"]) == case]
        assert float(ours["value"]) == pytest.approx(float(row["target_s"]), abs=5.1e-5), (name, case)
        assert float(ours["observed"]) == pytest.approx(float(row["observed_time_ratio"]), abs=5.1e-5), (
            name,
            case,
        )
        excess = row["times_slower_than_expected"]
        assert bool(ours["excess"]) == bool(excess), (name, case)
        if excess:
            more = UNTRUNCATED.get(row["reference"], 1.0)
            assert float(ours["excess"]) == pytest.approx(more * float(excess), abs=5.2e-5), (name, case)
    assert len(rows) == 112
    print(f"jade: {len(rows)} of {len(rows)} comparisons follow from the raw logs")


def test_the_row_published_as_0_559_has_the_value_of_its_log(jade: Tables) -> None:
    (row,) = [
        r
        for r in jade["jade2/phases"]
        if (r["cluster"], r["devices"], r["dataset"], r["benchmark"], r["phase"])
        == ("JADE2", "8", "Dummy", "Smooth Inference", "forward")
    ]
    assert row["value"] == "0.0559"


def test_raw_logs_and_published_rows_fill_one_table(jade: Tables) -> None:
    ours = {
        (r["cluster"], r["device"], r["devices"], r["dataset"], r["benchmark"], r["phase"]): r["value"]
        for r in jade["jade2/phases"]
        if r["value"]
    }
    columns = {
        "data_loading_s": "data_loading",
        "data_processing_s": "preprocessing",
        "forward_s": "forward",
        "backward_s": "backward",
    }
    with (ROOT / "logs/jade2/jade2_results.csv").open(encoding="utf-8", newline="") as lines:
        published = list(csv.DictReader(lines))
    assert len(published) == 30
    for row in published:
        devices = "8" if (row["cluster"], row["devices"]) == ("JADE2", "4") else row["devices"]
        for column, phase in columns.items():
            key = (row["cluster"], row["device"], devices, row["dataset"], row["benchmark"], phase)
            value = "0.0559" if row[column] == "0.559" else row[column]
            assert ours.get(key, "") == (str(float(value)) if value else ""), key


# transformers-benchmarking: what its dashboard plots, from its folders


@pytest.fixture(scope="module")
def transformers(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Tables:
    # The folders of the V100 beside the published rows of the A100.
    root = tmp_path_factory.mktemp("transformers")
    shutil.copytree(corpus / "transformers", root / "logs" / "raw")
    shutil.copytree(ROOT / "logs" / "transformers", root / "logs" / "published")
    for name, where in (("results", "[where]\n"), ("status", "")):
        source = root / "logs" / "published" / name / "source.toml"
        text = source.read_text(encoding="utf-8")
        wanted = 'gpu = "a100-40gb-400w"\n'
        text = text.replace("[where]\n", f"[where]\n{wanted}") if not where else f"{text}\n{where}{wanted}"
        source.write_text(text, encoding="utf-8")
    return built(root, {"transformers.toml": definition("transformers")}, root / "logs")


def test_every_value_of_the_dashboard_is_reproduced(transformers: Tables, corpus: Path) -> None:
    memory = {_configuration(row): row["vram_usage"] for row in expected(corpus, "transformers.csv")}
    rows = expected(corpus, "transformers_dashboard.csv")
    parts = {
        "throughput": "phase",
        "inference": "phase",
        "latency": "phase",
        "breakdown": "phase",
        "utilisation": "metric",
        "memory": "metric",
    }
    cells = {
        table: {
            (*_configuration(row), row.get(part, "")): row
            for row in of(transformers, f"transformers/{table}--")
        }
        for table, part in parts.items()
    }
    for row in rows:
        case = _configuration(row)
        found = {
            "throughput_seq_s": _value(cells["throughput"], case, "training"),
            "throughput_ignore_cpu_seq_s": _value(cells["throughput"], case, "compute"),
            "infer_throughput_seq_s": _value(cells["inference"], case),
            "infer_latency_s": _value(cells["latency"], case),
            "cpu_time": _value(cells["breakdown"], case, "between_steps"),
            "forward": _value(cells["breakdown"], case, "forward"),
            "backward": _value(cells["breakdown"], case, "backward"),
            "sm_util": 100 * _value(cells["utilisation"], case, "utilization"),
            "tc_util": 100 * _value(cells["utilisation"], case, "tensor_core_utilization"),
            "vram_io": 100 * _value(cells["utilisation"], case, "memory_utilization"),
        }
        for column, value in found.items():
            # Tables are written with 12 significant digits.
            assert value == pytest.approx(float(row[column]), rel=1e-11), (case, column)
        # The dashboard's GB are MiB / 1000; the samples are MiB.
        assert _value(cells["memory"], case) / 2**20 == pytest.approx(float(memory[case]), rel=1e-11), case
    (mean,) = [r for r in transformers["transformers/a100-over-v100"] if r["model"] == "geometric mean"]
    assert round(float(mean["ratio"]), 4) == 1.7377
    print(f"transformers: {len(rows)} of {len(rows)} configurations of the dashboard follow from the folders")


def test_configurations_that_failed_are_shown_as_failed(transformers: Tables, corpus: Path) -> None:
    status = {_configuration(row): row["status"] for row in expected(corpus, "transformers.csv")}
    shown = {
        _configuration(row): row["text"] or "ok"
        for row in of(transformers, "transformers/throughput--")
        if row["phase"] == "training" and row["device"] == "V100"
    }
    assert shown == status


def _configuration(row: Row) -> tuple[str, ...]:
    device = row.get("device") or row["gpu"].partition("-")[0].upper()
    return device, row["model"], row["seq_len"], row["batch_size"]


def _value(cells: dict[tuple[str, ...], Row], case: tuple[str, ...], part: str = "") -> float:
    found = cells.get((*case, part)) or next(row for key, row in cells.items() if key[:-1] == case)
    return float(found["value"])


# MLPerf: scores by its own rule


def test_the_scores_of_mlperf_follow_from_its_logs(corpus: Path, tmp_path: Path) -> None:
    tables = built(tmp_path, {"mlperf.toml": MLPERF, "reportgen.toml": PROTOCOLS}, corpus / "mlperf")
    rows = expected(corpus, "mlperf_scores.csv")
    scores = {
        tuple(row[name] for name in ("submitter", "system", "benchmark")): row
        for row in tables["mlperf/scores"]
    }
    unscaled = {
        tuple(row[name] for name in ("submitter", "system", "benchmark")): row
        for row in tables["mlperf/unscaled"]
    }
    assert len(scores) == len(rows)
    for row in rows:
        case = (row["submitter"], row["system"], row["benchmark"])
        assert float(scores[case]["value"]) / 60 == pytest.approx(
            float(row["score_official_min"]), rel=1e-11
        ), case
        mean = float(unscaled[case]["value"]) / 60
        assert mean == pytest.approx(float(row["olympic_mean_min"]), rel=1e-11), case
        about = {
            "device": "accelerator",
            "devices": "accelerators",
            "nodes": "nodes",
            "framework": "framework",
            "division": "division",
            "availability": "availability",
        }
        assert {ours: scores[case][ours] for ours in about} == {
            ours: row[theirs] for ours, theirs in about.items()
        }
    print(f"mlperf: {len(rows)} of {len(rows)} scores follow from the logs")
