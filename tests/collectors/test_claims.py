"""Several launchers of one case at the same time, as a Slurm array starts them, run each repeat once."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from collectors.__main__ import main
from collectors.format_v1 import run_folder
from collectors.launcher import claims
from collectors.launcher.claims import RepeatClaim

ROOT = Path(__file__).parents[2]
NO_PROCESS = 2**22 + 1  # beyond the highest id that Linux gives


def launch(logs, work, *options):
    command = [sys.executable, "-S", "-m", "collectors", "run", "--logs", str(logs), *options]
    command += ["--", sys.executable, "-S", "-c", work]
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(command, env=environ, stderr=subprocess.PIPE, cwd=logs.parent)


def statuses(logs):
    return [json.loads(path.read_text())["status"] for path in sorted(logs.glob("*/r*/run.json"))]


def wait_until(condition):
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


# Each run ends when it has taken a file away that allows one run to end.
WAIT = """
import os, time
while True:
    try:
        os.remove("end")
        break
    except FileNotFoundError:
        time.sleep(0.01)
"""


@pytest.mark.slow
def test_four_tasks_of_an_array_make_four_runs(tmp_path):
    logs = tmp_path / "logs"
    tasks = [launch(logs, WAIT, "--repeats", "4") for _ in range(4)]
    wait_until(lambda: len(list(logs.glob("*/*/run.json"))) == 4)
    running = list(tasks)
    while running:
        (tmp_path / "end").touch()
        wait_until(lambda: any(task.poll() is not None for task in running))
        (ended,) = [task for task in running if task.poll() is not None]
        running.remove(ended)
        error = ended.communicate()[1].decode()
        assert (ended.returncode, "another launcher runs the rest" in error) == (0, True), error
    assert statuses(logs) == ["complete"] * 4
    assert sorted(path.name for path in logs.glob("*/*")) == ["r1", "r2", "r3", "r4"]
    assert list(logs.glob("*/*/*.claim")) == []


@pytest.mark.slow
def test_a_launcher_that_was_killed_claims_nothing(tmp_path):
    logs = tmp_path / "logs"
    killed = launch(logs, WAIT)
    wait_until(lambda: list(logs.glob("*/r1/run.json")))
    killed.kill()
    killed.wait()
    (tmp_path / "end").touch()
    killed.communicate()  # its command holds the pipe until it ends
    assert (logs / "unnamed" / "r1" / "launcher.claim").exists()
    after = launch(logs, "pass")
    assert "r2" in after.communicate(timeout=60)[1].decode()
    assert (after.returncode, statuses(logs)) == (0, ["running", "complete"])


def create(logs, status=""):
    folder, _ = run_folder.create_run_folder(logs, {})
    if status:
        run_folder.write_run(folder, {"status": status})
    return folder


def needed(logs, claim, repeats):
    return claim.is_needed(run_folder.list_run_folders(logs, {}), repeats, ["complete"], 0)


def test_a_claim_counts_runs_that_are_done_and_lower_claims(tmp_path):
    for status in ("complete", "running", "failed"):  # a run without a claim has been interrupted
        create(tmp_path, status)
    first, second = RepeatClaim(create(tmp_path)), RepeatClaim(create(tmp_path))
    assert (needed(tmp_path, first, 1), needed(tmp_path, first, 2)) == (False, True)
    assert (needed(tmp_path, second, 2), needed(tmp_path, second, 3)) == (False, True)
    second.give_back()
    assert sorted(path.name for path in tmp_path.glob("unnamed/*")) == ["r1", "r2", "r3", "r4"]


def test_a_folder_that_was_created_a_moment_ago_counts(tmp_path):
    _, old = create(tmp_path), create(tmp_path)
    os.utime(old, (1, 1))
    claim = RepeatClaim(create(tmp_path))
    assert (needed(tmp_path, claim, 1), needed(tmp_path, claim, 2)) == (False, True)


@pytest.mark.parametrize(
    ("process", "namespace", "age", "is_claimed"),
    [
        (os.getpid(), None, 0, True),
        (NO_PROCESS, None, 0, False),
        (NO_PROCESS, "another-host", 30, True),
        (NO_PROCESS, "another-host", 90, False),  # its launcher has not renewed it
    ],
    ids=["running", "ended", "renewed elsewhere", "not renewed elsewhere"],
)
def test_a_claim_ends_with_its_launcher(tmp_path, process, namespace, age, is_claimed):
    path = create(tmp_path) / "launcher.claim"
    path.write_text(f"{process} {namespace or claims.process_namespace()}\n")
    now = path.stat().st_mtime
    os.utime(path, (now - age, now - age))
    assert needed(tmp_path, RepeatClaim(create(tmp_path)), 1) != is_claimed


def test_a_launcher_renews_its_claim(tmp_path, monkeypatch):
    monkeypatch.setattr(claims, "_RENEW_SECONDS", 0.01)
    path = create(tmp_path) / "launcher.claim"
    with RepeatClaim(path.parent):
        os.utime(path, (1, 1))
        wait_until(lambda: path.stat().st_mtime > 2)
    assert not path.exists()


def test_again_runs_more_beside_the_claims_of_others(tmp_path):
    with RepeatClaim(create(tmp_path)):
        assert main(["run", "--logs", str(tmp_path), "--", "true"]) == 0
        assert len(list(tmp_path.glob("unnamed/r*"))) == 1
        assert main(["run", "--logs", str(tmp_path), "--again", "--", "true"]) == 0
        assert len(list(tmp_path.glob("unnamed/r*"))) == 2
