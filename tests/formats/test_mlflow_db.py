"""MLflow's SQLite store: runs, metrics and parameters; a hostile store ends with a finding in bounded time."""

import sqlite3

import pytest

from reportgen.core.model import Finding, Run
from reportgen.formats.detection import detect
from reportgen.formats.trackers import mlflow_db
from reportgen.sources.logfiles import LogFiles
from tests.builders import messages, read_all, series_of
from tests.formats import tracker_files
from tests.formats.tracker_files import MLFLOW_DB

# A view that never ends to count.
ENDLESS = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT"


def test_the_runs_of_a_store_are_read() -> None:
    first, second, note = read_all("mlflow_db", MLFLOW_DB)
    assert isinstance(first, Run)
    assert isinstance(second, Run)
    assert first.factors == {"batch_size": 32, "model": "resnet50", "item": "image"}
    assert (first.status, second.status) == ("complete", "failed")
    rates = series_of(first, "throughput")
    assert (rates.step.tolist(), rates.value.tolist()) == ([1, 2], [128.0, 256.0])
    assert first.started == 1772360000
    assert second.series == ()
    assert isinstance(note, Finding)
    assert note.message == "runs that were deleted in MLflow, and are not read: 1; mlflow gc removes them"
    shown = repr([first.factors, first.environment, first.findings])
    assert not any(secret in shown for secret in ("ada", "sk-0123456789", "calm-owl"))


def test_a_store_with_a_write_ahead_log_is_read() -> None:
    content = MLFLOW_DB[:18] + b"\2\2" + MLFLOW_DB[20:]
    assert len(read_all("mlflow_db", content)) == 3


def test_another_database_is_not_claimed() -> None:
    store = sqlite3.connect(":memory:")
    store.execute("CREATE TABLE runs (run_uuid)")
    assert detect(LogFiles.of({"x.db": store.serialize()}).file("x.db")) is None


def test_a_damaged_schema_is_not_claimed() -> None:
    """SQLite's message quotes the bytes."""
    content = MLFLOW_DB.replace(b"CREATE TABLE runs", b"CREATE T\xffBLE runs")
    assert detect(LogFiles.of({"x.db": content}).file("x.db")) is None


def test_a_step_or_value_of_another_type_is_left_out() -> None:
    content = tracker_files.mlflow_db(
        "INSERT INTO runs VALUES ('a', 'x', 'y', 'FINISHED', 'noon', NULL, 'active', 1)",
        "INSERT INTO metrics VALUES ('images_per_second', 'fast', 1, 'a', 1, 0),"
        " ('images_per_second', 8.0, 1, 'a', 'two', 0), ('images_per_second', 9.0, x'ff', 'a', 3, 0),"
        " ('images_per_second', 10.0, 1, 'a', -4, 0), (x'00', 10.0, 1, 'a', 4, 0)",
    )
    (run,) = read_all("mlflow_db", content)
    assert isinstance(run, Run)
    assert [(x.value, x.statistic) for x in run.aggregates] == [(9.0, "last")]


def test_a_view_in_place_of_a_table_is_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    content = tracker_files.mlflow_db(
        "DROP TABLE metrics", f"CREATE VIEW metrics AS {ENDLESS} x AS key FROM c"
    )
    assert detect(LogFiles.of({"x.db": content}).file("x.db")) is None


def test_a_store_that_costs_too_much_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mlflow_db, "_MAX_INSTRUCTIONS", 100)
    monkeypatch.setattr(mlflow_db, "_STRIDE", 1)
    monkeypatch.setattr(mlflow_db, "_tables", lambda store: {"runs", "metrics", "params"})
    (found,) = mlflow_db.read(LogFiles.of({"x.db": MLFLOW_DB}).file("x.db"))
    assert messages([found], "read.unreadable-file") == ["cannot be read: SQLite: interrupted"]  # type: ignore[list-item]


def test_a_large_store_is_refused_with_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mlflow_db, "WHOLE", len(MLFLOW_DB) - 1)
    assert mlflow_db.claims(LogFiles.of({"x.db": MLFLOW_DB}).file("x.db")) is None
    (found,) = mlflow_db.read(LogFiles.of({"x.db": MLFLOW_DB}).file("x.db"))
    assert isinstance(found, Finding)
    assert "export its runs as CSV or JSON" in found.message
