"""`reportgen export`: steps and values of logs as Parquet, each step with its file and line."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest

from reportgen import parquet
from tests.builders import native_files, run_folder, write_files
from tests.cli.calling import call, error_of

# Two files: steps of 2 and 3 ms from 1 us, one of 5 ms; the rows begin in line 3.
RUNS = {"logs/a/r10": native_files(2, 5_000_000), "logs/a/r9": native_files(1, 2_000_000, 3_000_000)}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for run, files in RUNS.items():
        write_files(tmp_path, {f"{run}/{name}": content for name, content in files.items()})
    monkeypatch.chdir(tmp_path)
    return tmp_path


def rows_of(path: str, *columns: str) -> list[Sequence[Any]]:
    table = pyarrow.parquet.read_table(path, columns=list(columns) or None)
    return [tuple(row.values()) for row in table.to_pylist()]


def test_a_step_has_its_value_file_and_line(folder: Path) -> None:
    _, err = call("export", "steps.parquet")
    assert err == "steps.parquet: 3 rows of 2 runs\n"
    file = "logs/a/{}/steps.rank0.csv".format
    common = ("complete", None, "step_time", "step", "s", 0, "host")
    assert rows_of("steps.parquet") == [
        ("a/r9", *common, 1, 1, 0.0, 0.002, None, file("r9"), 3),
        ("a/r9", *common, 2, 1, 0.002, 0.003, None, file("r9"), 4),
        ("a/r10", *common, 1, 1, 0.0, 0.005, None, file("r10"), 3),
    ]
    assert not list(folder.glob(".*"))


def test_the_steps_of_a_failed_run_say_so(folder: Path) -> None:
    run = folder / "logs/a/r9/run.json"
    run.write_text(run.read_text().replace('"complete"', '"failed"'))
    call("export", "steps.parquet")
    assert rows_of("steps.parquet", "run", "status") == [
        ("a/r9", "failed"),
        ("a/r9", "failed"),
        ("a/r10", "complete"),
    ]


def test_rows_are_the_same_in_small_groups(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    call("export", "steps.parquet")
    monkeypatch.setattr(parquet, "_GROUP", 1)
    call("export", "small.parquet", "--rows", "steps")
    assert rows_of("small.parquet") == rows_of("steps.parquet")
    assert pyarrow.parquet.ParquetFile("small.parquet").num_row_groups == 3


def test_a_row_of_runs_has_a_value_and_typed_factors(folder: Path) -> None:
    for repeat, (size, fused) in enumerate([(8, True), ("large", False)], 1):
        case = {"devices": 4, "size": size, "fused": fused, "lr": repeat / 2}
        write_files(folder, run_folder(f"logs/b/r{repeat}", 0.01, case=case, repeat=repeat))
    _, err = call("export", "runs.parquet", "logs", "--protocol", "0+1x1")
    columns = ("id", "metric", "value", "factor:devices", "factor:size", "factor:fused", "factor:lr")
    steps = [row for row in rows_of("runs.parquet", *columns) if row[1] == "step_time"]
    assert [(row[0], *row[3:]) for row in steps] == [
        ("a/r9", 4, None, None, None),
        ("a/r10", 4, None, None, None),
        ("b/r1", 4, "8", True, 0.5),
        ("b/r2", 4, "large", False, 1.0),
    ]
    assert [row[2] for row in steps[:2]] == [0.002, 0.005]
    assert err.endswith(" of 4 runs\n")


def test_a_run_without_a_value_has_a_row(folder: Path) -> None:
    call("export", "runs.parquet", "logs/a/r9")  # the protocol leaves no step
    assert rows_of("runs.parquet", "id", "status", "steps", "value") == [("r9", "complete", 2, None)]


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["a.parquet"], "a.parquet: does not say what its rows are; "),
        (["steps.csv"], "steps.csv: does not say what its rows are; "),
        (["logs/steps.parquet"], "logs/steps.parquet: is below the logs that it is made of; "),
        (["nowhere/steps.parquet"], "nowhere/steps.parquet: cannot be written: No such file or directory; "),
        (["steps.parquet", "empty"], "no log has steps; see what is found there with `reportgen runs`"),
    ],
)
def test_what_cannot_be_written_is_an_error_and_leaves_no_file(
    folder: Path, arguments: list[str], error: str
) -> None:
    (folder / "empty").mkdir()
    assert error in error_of("export", *arguments)
    assert not [*folder.rglob("*.parquet*"), *folder.rglob(".*")]


def test_without_pyarrow_the_error_names_the_extra(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert error_of("export", "steps.parquet") == (
        "export: Parquet needs pyarrow; install it: pip install reportgen-bench[parquet]"
    )
