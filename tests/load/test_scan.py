"""Loading runs from folders: order, ids, labels, duplicates, process pools, unreadable files."""

import gzip
import json
import os
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from reportgen import load as loading
from reportgen.core.errors import RequestError
from reportgen.core.model import Run
from reportgen.load import LoadResult, load_runs
from reportgen.load.scan import Scan, scan_path
from tests.builders import NVIDIA_SMI_LOG, native_files, write_files
from tests.conftest import ROOT

PUBLISHED = {
    "source.toml": 'title = "x"\ntables = ["t.csv"]\n[factors]\ndevices = "devices"\n'
    '[[metrics]]\ncolumn = "value"\nmetric = "throughput"\nunit = "images/s"\n',
    "t.csv": "devices,value\n" + "".join(f"{n},{100 * n}\n" for n in range(1, 12)),
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name, files in {
        "own/r10": native_files(10, 7, 8),
        "own/r2": native_files(2, 5, 6),
        "paper": PUBLISHED,
        "own": {"gpu.txt": NVIDIA_SMI_LOG, "README.md": "# logs\n"},
    }.items():
        write_files(tmp_path / "logs" / name, files)
    return tmp_path


def describe(found: LoadResult[Run]) -> list[tuple[str, str]]:
    return [(run.id, run.format) for run in found.runs]


def test_every_run_below_a_folder_is_found_in_the_order_of_the_ids(root: Path) -> None:
    found = load_runs(["logs"], root=root)
    assert describe(found) == [
        ("own/gpu.txt", "nvsmi"),
        ("own/r2", "native"),
        ("own/r10", "native"),
        *((f"paper/t.csv#{n}", "published") for n in range(1, 12)),
    ]
    assert (found.findings, [file.path for file in found.unrecognised]) == ((), ["logs/own/README.md"])
    assert found.runs[1].source.path == "logs/own/r2/run.json"


def test_arguments_can_be_files_or_runs_and_can_overlap(root: Path) -> None:
    assert describe(load_runs(["logs/own/gpu.txt"], root=root)) == [("gpu.txt", "nvsmi")]
    assert describe(load_runs(["logs/own/r2"], root=root)) == [("r2", "native")]
    own = [
        run
        for run in describe(load_runs(["logs/own", "logs/own/r2", "logs"], root=root))
        if run[1] != "published"
    ]
    assert own == [("gpu.txt", "nvsmi"), ("r2", "native"), ("r10", "native")]
    assert len(load_runs([root / "logs", "logs"], root=root).runs) == 14


def test_equal_ids_of_several_arguments_start_with_the_argument(root: Path) -> None:
    write_files(root / "more/own/r2", native_files(2, 1, 2))
    found = load_runs(["logs/own", "more/own"], root=root)
    assert describe(found) == [
        ("gpu.txt", "nvsmi"),
        ("logs/own/r2", "native"),
        ("more/own/r2", "native"),
        ("r10", "native"),
    ]


@pytest.mark.parametrize("argument", [b"logs/\xff", b"logs/\xff/a\xfe.log"])
def test_paths_that_are_not_utf8_are_read_and_shown(tmp_path: Path, argument: bytes) -> None:
    folder = tmp_path / os.fsdecode(b"logs/\xff")
    folder.mkdir(parents=True)
    log = "".join(f"iter {i}: loss 3.2202, time 893.76ms, mfu 16.68%\n" for i in range(9))
    (folder / os.fsdecode(b"a\xfe.log")).write_text(log)
    (run,) = load_runs([os.fsdecode(argument)], root=tmp_path).runs
    assert (run.id, run.source.path) == (r"a\xfe.log", r"logs/\xff/a\xfe.log")


def test_a_missing_path_is_an_error(root: Path) -> None:
    with pytest.raises(RequestError, match=r"^lgos: no such file or folder"):
        load_runs(["lgos"], root=root)


def test_labels_apply_below_their_folder_and_from_above_the_argument(root: Path) -> None:
    write_files(
        root,
        {
            "logs/labels.toml": '[constants]\ncluster = "A"\n',
            "logs/own/labels.toml": '[constants]\ndevices = 8\n[[paths]]\npattern = "r{number:int}"\n',
            "logs/own/raw.csv": "45, 97 %\n46, 98 %\n",
            "logs/own/r2/labels.toml": '[constants]\ncluster = "B"\n',
        },
    )
    write_files(root, {"labels.toml": '[formats.nvsmi]\ncolumns = ["temperature.gpu", "utilization.gpu"]\n'})
    for argument in ("logs", "logs/own"):
        found = load_runs([argument], root=root)
        prefix = "own/" if argument == "logs" else ""
        runs = {run.id.removeprefix(prefix): run for run in found.runs}
        assert runs["r2"].factors == {"devices": 4, "cluster": "B", "number": 2}
        assert runs["r10"].factors == {"devices": 4, "cluster": "A", "number": 10}
        assert [one.rule for one in runs["r2"].findings] == ["read.label-conflict"]
        assert runs["raw.csv"].telemetry[0].columns["temperature"].tolist() == [45, 46]
        assert all(not file.path.endswith("labels.toml") for file in found.unrecognised)


def test_wrong_labels_stop_the_load(root: Path) -> None:
    write_files(root, {"logs/own/labels.toml": "[constnats]\n"})
    with pytest.raises(RequestError, match=r"^logs/own/labels.toml: constnats: no such key; did you mean"):
        load_runs(["logs"], root=root)


def test_copies_are_marked(root: Path) -> None:
    write_files(root / "logs/own/copy", native_files(10, 7, 8))
    write_files(root / "logs/own/steps1", native_files(1, *range(10, 30)))
    write_files(root / "logs/own/steps2", native_files(3, *range(10, 30)) | {"stdout.log": "x"})
    runs = {run.id: [one.message for one in run.findings] for run in load_runs(["logs/own"], root=root).runs}
    assert runs["r10"] == ["the same bytes as copy"]
    assert runs["steps2"] == ["the same step times as steps1"]
    assert not runs["copy"]
    assert not runs["steps1"]


def test_a_process_pool_gives_the_same_result(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = load_runs(["logs"], root=root)
    limits = {"_POOL_FILES": 1, "_BATCH_FILES": 1, "_BATCH_FOLDERS": 1, "_WHOLE_FOLDER_FILES": 0}
    for name, value in limits.items():
        monkeypatch.setattr(loading, name, value)
    calls: list[tuple[int, int]] = []
    pooled = load_runs(["logs"], root=root, progress=lambda done, total: calls.append((done, total)))
    assert calls == [(done, 5) for done in range(1, 6)]
    with ProcessPoolExecutor(1) as executor:
        given = load_runs(["logs"], root=root, executor=executor)
    for other in (pooled, given):
        assert describe(other) == describe(here)
        assert (other.findings, other.unrecognised) == (here.findings, here.unrecognised)
        for one, two in zip(here.runs, other.runs, strict=True):
            assert (one.factors, one.environment, one.aggregates) == (
                two.factors,
                two.environment,
                two.aggregates,
            )
            for series, same in zip(one.series, two.series, strict=True):
                np.testing.assert_array_equal(series.value, same.value)


def test_an_unreadable_file_is_a_finding(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(path: str, size: int) -> bytes:
        if path.endswith("steps.rank0.csv"):
            raise PermissionError(13, "Permission denied", path)
        return Path(path).read_bytes()[:size]

    monkeypatch.setattr("reportgen.sources.filesystem.read_head", refused)
    found = load_runs(["logs/own"], root=root)
    assert describe(found) == [("gpu.txt", "nvsmi")]
    assert [(one.rule, str(one.source)) for one in found.findings] == [
        ("read.unreadable-file", "logs/own/r2"),
        ("read.unreadable-file", "logs/own/r10"),
    ]


def test_a_file_that_vanishes_during_the_load_is_a_finding(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def scan_and_delete(path: Path, root: Path) -> Scan:
        scan = scan_path(path, root)
        (root / "logs/own/gpu.txt").unlink()
        return scan

    monkeypatch.setattr("reportgen.load.scan.scan_path", scan_and_delete)
    (finding,) = load_runs(["logs/own"], root=root).findings
    assert (finding.rule, finding.message) == (
        "read.unreadable-file",
        "cannot be read: no such file or directory",
    )


# Hashes of texts differ from process to process; r1 and r01 are the same number, and a file and a
# correction give several findings at one line.
def test_the_order_is_the_same_in_every_process(root: Path) -> None:
    for number in ("1", "01", "001"):
        write_files(root / "logs" / "ties" / f"r{number}", native_files(1, 5, 6))
    source = PUBLISHED["source.toml"] + "".join(
        f'[[corrections]]\nwhere = {{ devices = {n} }}\ncolumn = "value"\nvalue = 1\nreason = "r"\n'
        for n in range(50, 58)
    )
    write_files(root / "logs" / "paper", {"source.toml": source})
    command = [sys.executable, "-m", "reportgen", "runs", "logs", "--format", "json"]
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    seen = {
        subprocess.run(
            command,
            cwd=root,
            capture_output=True,
            check=True,
            env={**os.environ, "PYTHONPATH": path, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("0", "1", "2", "3")
    }
    assert len(seen) == 1
    document = json.loads(seen.pop())
    assert [run["id"] for run in document["runs"] if "ties" in run["id"]] == [
        "ties/r001",
        "ties/r01",
        "ties/r1",
    ]
    assert len(document["findings"]) == 8


def test_reserved_factors_of_a_log_are_renamed(root: Path) -> None:
    files = native_files(1, 5, 6)
    files["run.json"] = files["run.json"].replace('"devices"', '"phase"')
    write_files(root / "logs" / "odd", files)
    (found,) = load_runs(["logs/odd"], root=root).runs
    assert found.factors == {"phase_factor": 4}
    write_files(root / "logs" / "odd", {"labels.toml": '[rename]\nphase = "stage"\n'})
    (found,) = load_runs(["logs/odd"], root=root).runs
    assert (found.factors, [one.rule for one in found.findings]) == ({"stage": 4}, [])


def test_a_compressed_file_with_the_name_of_a_log_is_a_finding(tmp_path: Path) -> None:
    (tmp_path / "train.log").write_bytes(gzip.compress(NVIDIA_SMI_LOG.encode(), mtime=0))
    (tmp_path / "checkpoint.pt").write_bytes(b"PK\x03\x04 weights")
    found = load_runs(["."], root=tmp_path)
    assert (found.runs, [file.path for file in found.unrecognised]) == ((), ["checkpoint.pt", "train.log"])
    (finding,) = found.findings
    assert (finding.rule, finding.subject) == ("read.packed-file", "train.log")
    assert finding.message == "is compressed with gzip and was skipped; decompress it if it is a log"
