"""Tables in Parquet are read as the CSV that they would be; without pyarrow a finding names the remedy."""

import importlib.util
import io
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import pytest

from reportgen.core.model import Finding, Run
from reportgen.formats.detection import offer
from reportgen.formats.tables import parquet
from reportgen.learn import propose_file, propose_tables
from reportgen.sources.logfiles import LogFiles
from tests.formats.tracker_files import PARQUET

pyarrow = pytest.importorskip("pyarrow")
writer = pytest.importorskip("pyarrow.parquet")

COLUMNS: Mapping[str, Sequence[Any]] = {
    "model": ["a", "a", "b"],
    "batch_size": [8, 16, 8],
    "throughput_images_per_s": [251.5, 380.0, None],
    "p99_latency_ms": [4.5, 9.25, 7.0],
}


def table(columns: Mapping[str, Sequence[Any]] = COLUMNS, **options: Any) -> bytes:
    content = io.BytesIO()
    writer.write_table(pyarrow.table(dict(columns)), content, **options)
    return content.getvalue()


def read(content: bytes, settings: Mapping[str, Any] | None = None) -> tuple[str, list[Run], list[Finding]]:
    claimed = offer(LogFiles.of({"logs/x.parquet": content}, settings).file("logs/x.parquet"))
    assert claimed is not None
    items = list(claimed.format.read(claimed.files))
    runs = [item for item in items if isinstance(item, Run)]
    return claimed.format.name, runs, [item for item in items if isinstance(item, Finding)]


def figures(runs: Sequence[Run]) -> list[tuple[Any, ...]]:
    return [
        (
            run.factors["model"],
            run.factors["batch_size"],
            x.metric,
            run.factors.get("statistic"),
            round(x.value, 9),
        )
        for run in runs
        for x in run.aggregates
    ]


@pytest.mark.parametrize(
    "options", [{}, {"compression": "zstd", "row_group_size": 1}, {"use_dictionary": False}]
)
def test_a_table_is_read_like_its_csv(options: dict[str, Any]) -> None:
    name, runs, _ = read(table(**options))
    assert (name, figures(runs)) == (
        "own_table",
        [
            ("a", 8, "throughput", None, 251.5),
            ("a", 8, "latency", "p99", 0.0045),
            ("a", 16, "throughput", None, 380.0),
            ("a", 16, "latency", "p99", 0.00925),
            ("b", 8, "latency", "p99", 0.007),
        ],
    )
    assert {run.source.path for run in runs} == {"logs/x.parquet"}
    assert [run.source.line for run in runs] == [2, 2, 3, 3, 4]


def test_cells_of_any_type_have_a_text() -> None:
    columns = {
        "flag": [True], "at": [datetime(2026, 3, 1, 10)], "raw": [b"abc"], "many": [[1, 2]],
        "step_time_ms": [1.5],
    }  # fmt: skip
    view = parquet.as_text(LogFiles.of({"x": table(columns)}).file("x"))
    assert view.bytes("x").decode().split("\n") == [
        "flag,at,raw,many,step_time_ms", 'true,2026-03-01 10:00:00,abc,"[1, 2]",1.5', "",
    ]  # fmt: skip


def test_open_columns_are_refused_and_a_definition_reads_them() -> None:
    content = table({"model": ["a", "b"], "throughput": [251.5, 380.0]})
    name, runs, findings = read(content)
    assert (name, runs) == ("parquet", [])
    assert "reportgen learn FILE proposes [table]" in findings[0].message
    files = LogFiles.of({"x.parquet": content})
    proposals = [propose_file(files.file("x.parquet"), {"throughput": "images/s"}).document()]
    proposals += [propose_tables(files, {"throughput": "images/s"}).document()]
    for proposal in proposals:
        (found,) = proposal["tables"]  # type: ignore[misc]
        assert (found["numbers"], found["read"]) == (2, 2)


def test_a_definition_in_labels_reads_a_parquet_table() -> None:
    own = {
        "name": "mine", "rows": {"kind": "csv"}, "factors": {"model": "model"},
        "figures": [{"column": "speed", "metric": "throughput", "unit": "images/s"}],
    }  # fmt: skip
    name, runs, _ = read(table({"model": ["a"], "speed": [2.0]}), {"table": {"tables": [own]}})
    assert (name, [run.aggregates[0].value for run in runs]) == ("table", [2.0])


def test_without_pyarrow_the_remedy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    name, runs, findings = read(table())
    assert (name, runs) == ("parquet", [])
    assert "install reportgen-bench[parquet], or convert the file to CSV" in findings[0].message


def test_a_damaged_file_and_a_large_one_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "Parquet is damaged" in read(PARQUET)[2][0].message
    far = pyarrow.array([2**60], pyarrow.timestamp("us"))
    assert "date value out of range" in read(table({"at": far, "latency_ms_": [1.0]}))[2][0].message
    broken = table({"name": ["ééééé"], "latency_ms_": [1.0]}, use_dictionary=False, compression="none")
    assert "'utf-8'" in read(broken.replace("ééééé".encode(), b"\xff" * 10))[2][0].message
    monkeypatch.setattr(parquet, "_MAX_CELLS", 11)
    assert "more than 11 cells" in read(table())[2][0].message
    monkeypatch.setattr(parquet, "_MAX_CELLS", 12)
    monkeypatch.setattr(parquet, "_MAX_TEXT", 40)
    assert "of text" in read(table())[2][0].message


def test_a_data_set_is_not_a_table_of_results() -> None:
    assert offer(LogFiles.of({"x": table({"text": ["a"], "label": [1]})}).file("x")) is None
