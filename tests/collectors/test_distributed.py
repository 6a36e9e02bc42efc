"""Several ranks and nodes make one run: each writes its own files, and the slowest rank determines the step time."""

import json
import os
import re
import shutil
import statistics
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from collectors import Recorder
from collectors.__main__ import main
from collectors.format_v1 import clocks, run_folder, steps_file
from collectors.format_v1.steps_file import read_rank_ends
from collectors.launcher import exit_status
from reportgen.load import load_runs
from reportgen.protocol import CaseRequest, Protocol, build_cases
from tests.collectors.second_reader import read

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]

# Rank 1 works longer before the ranks meet; rank 0 waits for it there.
TRAINING = """
import os, sys, time
import torch.distributed as dist
from collectors import Recorder

dist.init_process_group("gloo")
rank = dist.get_rank()
recorder = Recorder.start(samples_per_step=4, item="image", case={"device": "CPU"})
forward, all_reduce = recorder.phase("forward"), recorder.phase("all_reduce")
for number in recorder.steps(STEPS):
    with forward:
        time.sleep(0.02 if rank == 1 else 0.005)
        if DIES and rank == 1 and number == 4:
            raise ValueError("loss is nan, sorry")
    with all_reduce:
        dist.barrier()
recorder.close()
dist.destroy_process_group()
"""

# What a rank that dies needs of torch.distributed, without the seconds in which two ranks import it: a rank that
# waits for a dead one gets an error.
TWO_PIPES = """
import os

def init_process_group(backend):
    global read, write
    opened = [os.open(f"rank{source}", os.O_WRONLY if source == get_rank() else os.O_RDONLY) for source in (0, 1)]
    write, read = opened if get_rank() == 0 else reversed(opened)

def get_rank():
    return int(os.environ["RANK"])

def barrier():
    os.write(write, b".")
    if not os.read(read, 1):
        raise RuntimeError("Connection closed by peer")

def destroy_process_group():
    pass
"""


@pytest.fixture
def torchrun(tmp_path, warm_torch):
    return partial(run_two_ranks, tmp_path, warm_torch)


def run_two_ranks(folder, python, *, steps, dies, work=""):
    """Run two ranks by torchrun under the launcher; return the process and the run folder."""
    text = TRAINING.replace("STEPS", str(steps)).replace("DIES", str(dies or bool(work)))
    text = text.replace('raise ValueError("loss is nan, sorry")', work) if work else text
    if dies or work:
        text = text.replace("import torch.distributed as dist", "import two_pipes as dist")
        (folder / "two_pipes.py").write_text(TWO_PIPES)
        for rank in (0, 1):
            os.mkfifo(folder / f"rank{rank}")
    (folder / "train.py").write_text(text)
    command = [python, "-m", "torch.distributed.run", "--nproc-per-node=2", "--master-addr=127.0.0.1"]
    command += ["--standalone", "train.py"]
    line = [sys.executable, "-m", "collectors", "run", "--logs", "logs", "--", *command]
    environ = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(line, cwd=folder, env=environ, capture_output=True, check=False)
    return done, folder / "logs" / "unnamed" / "r1"


def test_two_ranks_make_one_run_and_the_straggler_is_named(tmp_path, torchrun):
    done, folder = torchrun(steps=30, dies=False)
    assert done.returncode == 0, done.stderr.decode()
    result = read(folder)
    assert (result["findings"], result["run"]["status"]) == ([], "complete")
    ranks = {int(rank): entry["columns"] for rank, entry in result["run"]["ranks"].items()}
    assert sorted(ranks) == [0, 1]
    assert statistics.median(ranks[0]["forward/host"]) < statistics.median(ranks[1]["forward/host"])
    environment = json.loads((folder / "environment.node0.json").read_text())
    assert environment["ranks"] == [0, 1]
    assert environment["environment"]["torch"]["distributed_backend"] == "gloo"

    protocol = Protocol(name="short", warmup=5, measure=20)
    (case,) = build_cases(load_runs([folder], root=tmp_path).runs, CaseRequest("step_time", "step", protocol))
    totals = [sum(columns["step/host"][5:25]) / 1e9 / 20 for columns in ranks.values()]
    assert case.measurements[0].value == pytest.approx(max(totals))
    stragglers = [item for item in case.measurements[0].findings if item.rule == "rank.straggler"]
    assert [item.message.split(" needs")[0] for item in stragglers] == ["rank 1"]


def test_the_error_names_the_rank_that_died(tmp_path, torchrun):
    done, folder = torchrun(steps=30, dies=True)
    assert done.returncode == 1
    run = read(folder)["run"]
    about = json.loads((folder / "run.json").read_text())
    assert (run["status"], about["error"]) == ("failed", "rank 1: ValueError: loss is nan; sorry")
    assert run["ranks"]["1"]["steps"] == [1, 2, 3, 4]
    assert run["ranks"]["0"]["steps"][:4] == [1, 2, 3, 4]


def end_rank(folder, rank, line=""):
    text = "#clock,1,2\nstep,begin_ns,duration_ns\n1,1,1\n" + (
        f"#clock,9,{10 + rank}\n{line}\n" if line else ""
    )
    steps_file.steps_path(folder, rank).write_text(text)


@pytest.mark.parametrize(
    ("ends", "run", "status", "error"),
    [
        # rank 1 was killed; rank 0 loses its connection, or torchrun stops it
        (
            {0: "#end,failed,RuntimeError: Connection closed by peer"},
            {"status": "failed", "error": "RuntimeError: Connection closed by peer"},
            "failed",
            "rank 1 has no end: killed by signal 9?; rank 0: RuntimeError: Connection closed by peer",
        ),
        (
            {0: "#end,cancelled,SIGTERM"},
            {"status": "cancelled", "error": "SIGTERM"},
            "failed",
            "rank 1 has no end: killed by signal 9?; exit code 1",
        ),
        # rank 2 ran out of memory; ranks 0 and 1 hung, and torchrun killed them
        (
            {2: "#end,out_of_memory,OutOfMemoryError: 3 GiB"},
            {"status": "running"},
            "out_of_memory",
            "ranks 0, 1 have no end: killed by signal 9?; rank 2: OutOfMemoryError: 3 GiB",
        ),
        # every rank has its end, or none has
        ({0: "#end,failed,x", 1: "#end,failed,y"}, {"status": "failed", "error": "x"}, "failed", "x"),
        ({}, {"status": "running"}, "failed", "exit code 1"),
    ],
)
def test_a_rank_without_an_end_is_named(tmp_path, ends, run, status, error):
    ranks = max(2, 1 + max(ends, default=0))
    for rank in range(ranks):
        end_rank(tmp_path, rank, ends.get(rank, ""))
    run_folder.write_run(tmp_path, {**run, "ranks": ranks})
    finished = exit_status.finish_record(tmp_path, {}, exit_status.CommandEnd(1, 10**9), node=0)
    assert (finished["status"], finished["error"]) == (status, error)


def test_a_rank_that_is_killed_is_named(tmp_path, torchrun):
    done, folder = torchrun(steps=30, dies=False, work="os.kill(os.getpid(), 9)")
    assert done.returncode == 1
    about = json.loads((folder / "run.json").read_text())
    assert about["status"] == "failed"
    # On a busy machine torchrun may kill rank 0 before it writes its end: then no rank has one.
    rank_0_ended = any(end.rank == 0 for end in read_rank_ends(folder))
    expected = r"rank 1 has no end: killed by signal 9\?" if rank_0_ended else "exit code 1$"
    assert re.match(expected, about["error"])


def test_two_nodes_with_one_number_keep_the_environment_of_the_first(tmp_path, monkeypatch, clock, capsys):
    for rank in (0, 1):
        variables = {"RANK": rank, "WORLD_SIZE": 2, "LOCAL_RANK": 0, "GROUP_RANK": 0, "LOCAL_WORLD_SIZE": 1}
        for name, value in variables.items():
            monkeypatch.setenv(name, str(value))
        monkeypatch.setenv(run_folder.RUN_VARIABLE, str(tmp_path))
        with Recorder.start(samples_per_step=1) as recorder:
            for _ in recorder.steps(3):
                clock.now += 10
    assert json.loads((tmp_path / "environment.node0.json").read_text())["ranks"] == [0]
    assert "rank 1: node 0 has an environment of another rank" in capsys.readouterr().err
    assert sorted(read(tmp_path)["run"]["ranks"]) == ["0", "1"]
    assert [path.name for path in tmp_path.glob("*.claim")] == []


def test_the_environment_of_the_launcher_is_replaced(tmp_path):
    run_folder.write_environment(tmp_path, 0, [], {"python": {"version": "1"}})
    run_folder.write_environment(tmp_path, 0, [0], {"python": {"version": "2"}})
    with pytest.raises(FileExistsError):
        run_folder.write_environment(tmp_path, 0, [1], {"python": {"version": "3"}})
    written = json.loads((tmp_path / "environment.node0.json").read_text())
    assert (written["ranks"], written["environment"]) == ([0], {"python": {"version": "2"}})


def test_a_rank_whose_node_is_unknown_records_its_steps_and_says_so(tmp_path, monkeypatch, capsys):
    for name, value in {"RANK": "1", "WORLD_SIZE": "2"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv(run_folder.RUN_VARIABLE, str(tmp_path))
    with Recorder.start() as recorder:
        recorder.step()
    assert [path.name for path in tmp_path.iterdir()] == ["steps.rank1.csv"]
    assert "the launcher of this job does not say on which node it runs" in capsys.readouterr().err


def test_a_rank_that_dies_silently_makes_the_run_failed(tmp_path, monkeypatch):
    started = {"status": "cancelled", "ranks": 2, "error": "SIGTERM"}
    run_folder.write_run(tmp_path, started)
    run = exit_status.finish_record(tmp_path, {}, exit_status.CommandEnd(1, 10**9), node=0)
    assert (run["status"], run["error"]) == (
        "failed",
        "exit code 1: another rank died, and rank 0 was stopped",
    )
    run = exit_status.finish_record(tmp_path, {}, exit_status.CommandEnd(143, 10**9, cancelled_ns=1), node=0)
    assert run["status"] == "cancelled"


def record(folder, monkeypatch, clock, rank, node):
    """Record three steps of one of four ranks on two nodes, into the folder of its node."""
    variables = {
        "RANK": rank,
        "WORLD_SIZE": 4,
        "LOCAL_RANK": rank % 2,
        "GROUP_RANK": node,
        "LOCAL_WORLD_SIZE": 2,
    }
    for name, value in variables.items():
        monkeypatch.setenv(name, str(value))
    monkeypatch.setenv(run_folder.RUN_VARIABLE, str(folder))
    with Recorder.start(samples_per_step=1) as recorder:
        for _ in recorder.steps(3):
            clock.now += 10 + rank


def test_folders_of_two_nodes_can_be_merged_by_copying(tmp_path, monkeypatch, clock):
    for rank in range(4):
        record(tmp_path / f"node{rank // 2}", monkeypatch, clock, rank, rank // 2)
    merged = tmp_path / "merged"
    for node in (1, 0):
        names = {path.name for path in (tmp_path / f"node{node}").iterdir()}
        assert not merged.exists() or names.isdisjoint(path.name for path in merged.iterdir())
        shutil.copytree(tmp_path / f"node{node}", merged, dirs_exist_ok=True)
    result = read(merged)
    assert result["findings"] == []
    columns = {rank: entry["columns"]["step/host"] for rank, entry in result["run"]["ranks"].items()}
    assert columns == {"0": [10] * 3, "1": [11] * 3, "2": [12] * 3, "3": [13] * 3}
    assert sorted(result["run"]["environment"]) == ["0", "1"]
    ranks = [json.loads((merged / f"environment.node{node}.json").read_text())["ranks"] for node in (0, 1)]
    assert ranks == [[0, 1], [2, 3]]
    (loaded,) = load_runs([merged], root=tmp_path).runs
    assert loaded.status == "complete"


def test_a_missing_node_makes_the_run_incomplete(tmp_path, monkeypatch, clock):
    for rank in range(2):
        record(tmp_path, monkeypatch, clock, rank, 0)
    assert [finding["rule"] for finding in read(tmp_path)["findings"]] == ["read.incomplete-run"]


def launch(logs, node, code="0", repeats="1"):
    command = [sys.executable, "-S", "-c", f"import sys; sys.exit({code})"]
    return main(["run", "--logs", str(logs), "--node", str(node), "--repeats", repeats, "--", *command])


def test_launchers_of_other_nodes_write_their_own_file_instead_of_run_json(tmp_path):
    assert launch(tmp_path, 1) == 0
    folder = tmp_path / "unnamed" / "r1"
    assert sorted(path.name for path in folder.iterdir()) == ["environment.node1.json", "launcher.node1.json"]
    assert run_folder.read_run(folder, 1)["status"] == "complete"
    assert launch(tmp_path, 1) == 0  # nothing is missing
    assert launch(tmp_path, 1, code="3", repeats="2") == 3
    assert run_folder.read_run(tmp_path / "unnamed" / "r2", 1)["status"] == "failed"


@pytest.mark.parametrize("first", [0, 1])
def test_launchers_of_two_nodes_on_a_shared_disk_use_one_folder(tmp_path, first):
    started = {"status": "running", "started_realtime_ns": clocks.read_clocks()["realtime_ns"]}
    for repeat in (1, 2):
        for node in (first, 1 - first):
            folder, number = run_folder.create_run_folder(tmp_path, {}, node)
            assert number == repeat
            run_folder.write_run(folder, started, node)
    # No launcher joins a folder that was created long ago, even if the clock was set back since then.
    for repeat, start in ((3, 1), (5, 2 * started["started_realtime_ns"])):
        folder, _ = run_folder.create_run_folder(tmp_path, {}, 1)
        run_folder.write_run(folder, {**started, "started_realtime_ns": start}, 1)
        assert run_folder.create_run_folder(tmp_path, {}, 0)[1] == repeat + 1
