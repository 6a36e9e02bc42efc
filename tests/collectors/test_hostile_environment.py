"""Files that vanish while they are recorded, and processes that believe to be alone: the run says so."""

import errno
import json
import os

import pytest

from collectors import Recorder
from collectors.format_v1 import run_folder
from collectors.launcher import exit_status
from collectors.recorder import run_writer


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return the run folder that a launcher would name."""
    monkeypatch.setenv(run_folder.RUN_VARIABLE, str(tmp_path / "r1"))
    return tmp_path / "r1"


def record(steps=3, between=lambda: None):
    """Record some steps; `between` is called when half of them are in the log."""
    with Recorder.start(samples_per_step=1) as recorder:
        for number in recorder.steps(2 * steps):
            if number == steps:
                recorder.flush()
                between()


def status_of(folder):
    run = json.loads((folder / "run.json").read_text())
    return run["status"], run.get("recorder", {}).get("error", "")


def test_steps_that_are_removed_make_the_run_partial(folder):
    record(between=lambda: (folder / "steps.rank0.csv").unlink())
    assert status_of(folder) == ("partial", "the steps were removed while they were recorded")


def test_steps_that_are_cut_short_make_the_run_partial(folder):
    record(between=lambda: os.truncate(folder / "steps.rank0.csv", 20))
    assert status_of(folder) == ("partial", "the steps were cut short while they were recorded")


@pytest.mark.parametrize("removed", ["steps.rank0.csv", "."])
def test_a_launcher_does_not_call_a_run_complete_whose_files_are_gone(folder, removed):
    record()
    for path in folder.glob("*" if removed == "." else removed):
        path.unlink()
    if removed == ".":
        folder.rmdir()
    started = {"status": "running", "case": {}}
    run = exit_status.finish_record(folder, started, exit_status.CommandEnd(0, 10**9), node=0)
    assert (run["status"], run["error"]) == (
        "failed",
        "the files of the run were removed while it was recorded",
    )


def test_a_process_that_takes_itself_for_another_one_makes_the_run_partial(folder, monkeypatch, capsys):
    def start_in_another_process():
        monkeypatch.setattr(run_writer, "_opened", set())
        assert Recorder.start().folder is None

    record(between=start_in_another_process)
    status, error = status_of(folder)
    assert (status, error.split(";")[0]) == (
        "partial",
        "another process had the rank of a recorder of this run, and recorded nothing",
    )
    assert "rank 0 already has a recorder" in capsys.readouterr().err


def test_a_second_recorder_of_one_process_changes_nothing(folder):
    record(between=Recorder.start)
    assert status_of(folder) == ("complete", "")


def test_an_error_of_the_disk_names_the_file(tmp_path, monkeypatch):
    def full(descriptor):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="run"):
        run_folder.write_run(tmp_path, {"status": "running"})
