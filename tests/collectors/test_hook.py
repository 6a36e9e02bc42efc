"""`run --hook torch.optim`: commands with the wrapper, whose steps count, and real trainings beside another clock."""

import gc
import itertools
import json
import os
import statistics
import subprocess
import sys

import pytest

from collectors.__main__ import main
from collectors.integrations.torch_optim import OptimizerSteps
from collectors.launcher.hooked_command import insert_wrapper
from reportgen.load import load_runs
from tests import warm
from tests.collectors.second_reader import read
from tests.conftest import ROOT
from tests.each_of import each_row


@each_row(
    [
        ("python train.py --lr 1", "python W train.py --lr 1"),
        ("/opt/py/bin/python3.12 -u train", "/opt/py/bin/python3.12 -u W train"),
        ("python -X dev -Wignore -O train.py", "python -X dev -Wignore -O W train.py"),
        ("python -W ignore train.py -m x", "python -W ignore W train.py -m x"),
        ("python -m package.train --lr 1", "python W -m package.train --lr 1"),
        ("python -u -m package.train", "python -u W -m package.train"),
        ("python -um package.train a.py", "python -u W -m package.train a.py"),
        ("python -mpackage.train", "python W -m package.train"),
        (
            "python --check-hash-based-pycs always train.py",
            "python --check-hash-based-pycs always W train.py",
        ),
        ("numactl -m 0 nice python train.py", "numactl -m 0 nice python W train.py"),
        ("mpirun -n 2 -x PATH python3 train.py", "mpirun -n 2 -x PATH python3 W train.py"),
        ("torchrun --nproc-per-node 2 train.py --lr 1", "torchrun --nproc-per-node 2 W train.py --lr 1"),
        ("torchrun --standalone -m package.train x", "torchrun --standalone W -m package.train x"),
        ("srun bin/torchrun --module package.train", "srun bin/torchrun W -m package.train"),
        (
            "python -m torch.distributed.run --nnodes=1 a.py",
            "python -m torch.distributed.run --nnodes=1 W a.py",
        ),
        ("python bin/torchrun a.py", "python bin/torchrun W a.py"),
        ("accelerate launch --cpu train.py --x b.py", "accelerate launch --cpu W train.py --x b.py"),
        ("python -m accelerate.commands.launch -m a.b", "python -m accelerate.commands.launch W -m a.b"),
    ]
)
def test_the_wrapper_is_before_what_python_runs(command, hooked):
    assert insert_wrapper(command.split(), "W") == hooked.split()


@pytest.mark.parametrize(
    ("command", "error"),
    [
        (
            "./train.sh",
            "./train.sh: starts no Python that can be hooked; use python SCRIPT, python -m MODULE",
        ),
        ("python -c print(1)", "python -c has no file that can be hooked"),
        ("python -Bc print(1)", "python -c has no file that can be hooked"),
        ("python", "python without a script cannot be hooked"),
        ("python -u -", "python without a script cannot be hooked"),
        ("python -m", "python without a script cannot be hooked"),
        ("accelerate test", "accelerate test cannot be hooked"),
        ("torchrun --no-python ./a", "torchrun --no-python runs another program than Python"),
        ("torchrun --nproc-per-node 2 train", "torchrun: names no script that ends with .py"),
        ("torchrun -m --standalone a.b", "torchrun -m: the module must follow it directly"),
    ],
)
def test_other_commands_are_refused_before_they_start(tmp_path, capfd, command, error):
    assert (
        main(["run", "--logs", str(tmp_path / "logs"), "--hook", "torch.optim", "--", *command.split()]) == 2
    )
    assert f"reportgen: --hook: {error}" in capfd.readouterr().err
    assert not (tmp_path / "logs").exists()


def test_samples_per_step_needs_the_hook(tmp_path, capfd):
    assert main(["run", "--logs", str(tmp_path), "--samples-per-step", "8", "--", "true"]) == 2
    assert "--samples-per-step is of --hook" in capfd.readouterr().err


class SGD:
    pass


class Adam:
    pass


@pytest.fixture
def hooked(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return OptimizerSteps()


def step(hooked, optimizer, times=1):
    for _ in range(times):
        hooked.after_step(optimizer, (), {})


def only_run(folder):
    (path,) = folder.glob("logs/**/r1")
    return path


def test_the_first_optimizer_counts_and_the_run_names_the_others(tmp_path, hooked, capfd):
    discriminator, generator = SGD(), Adam()
    for _ in range(5):
        step(hooked, discriminator)
        step(hooked, generator, 2)
    hooked.recorder.close()
    folder = only_run(tmp_path)
    assert read(folder)["run"]["ranks"]["0"]["steps"] == [1, 2, 3, 4]
    hook = json.loads((folder / "run.json").read_text())["recorder"]["hook"]
    assert hook == {"name": "torch.optim", "optimizers": ["SGD"], "others": {"Adam": 10}}
    messages = capfd.readouterr().err
    assert "rank 0: a step is one step of SGD" in messages
    assert messages.count("Adam is a second optimizer; only the steps of SGD count") == 1
    (run,) = load_runs([folder], root=tmp_path).runs
    (finding,) = [each for each in run.findings if each.rule == "read.several-optimizers"]
    assert finding.message == "a step is one step of SGD; Adam stepped 10 times in 4 steps"


def test_an_optimizer_that_is_gone_gives_way_to_the_next(tmp_path, hooked):
    first = SGD()
    step(hooked, first, 3)
    del first
    gc.collect()
    step(hooked, Adam())
    hooked.recorder.close()
    rank = read(only_run(tmp_path))["run"]["ranks"]["0"]
    assert rank["steps"] == [1, 2]
    assert [name for name, *_ in rank["breaks"]] == ["next_optimizer"]


def test_deepspeed_is_refused(tmp_path, hooked, monkeypatch):
    monkeypatch.setitem(sys.modules, "deepspeed", object())
    step(hooked, SGD(), 3)
    assert not list(tmp_path.iterdir())


FAKE_OPTIMIZER = """
hooks = []
def register_optimizer_step_post_hook(hook): hooks.append(hook)
class SGD:
    def step(self):
        for hook in hooks: hook(self, (), {})
"""
PLAIN = """
import json, sys
print(json.dumps([sys.argv, sys.path[0], __name__, __file__, "collectors" in sys.path, sys.mine]))
from torch.optim.optimizer import SGD
sgd = SGD()
for _ in range(4): sgd.step()
"""


def run_hooked(folder, *command, options=(), python=sys.executable, **variables):
    line = [sys.executable, "-m", "collectors", "run", "--logs", "logs", "--hook", "torch.optim", *options]
    environ = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", **variables}
    done = subprocess.run(
        [*line, "--", python, *command], cwd=folder, env=environ, capture_output=True, text=True,
        check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done


@pytest.mark.parametrize("is_module", [False, True])
def test_a_script_sees_what_it_sees_without_the_hook(tmp_path, is_module):
    """Its arguments, its path, its name, and a `sitecustomize` of the user."""
    (tmp_path / "torch" / "optim").mkdir(parents=True)
    (tmp_path / "torch" / "__init__.py").write_text("")
    (tmp_path / "torch" / "optim" / "__init__.py").write_text("")
    (tmp_path / "torch" / "optim" / "optimizer.py").write_text(FAKE_OPTIMIZER)
    (tmp_path / "train.py").write_text(PLAIN)
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text("import sys; sys.mine = 1")
    words = ["-m", "train"] if is_module else ["train.py"]
    paths = os.pathsep.join([str(ROOT), str(tmp_path / "site")])
    own = {**os.environ, "PYTHONPATH": paths}
    bare = subprocess.run(
        [sys.executable, *words, "--lr", "1"], cwd=tmp_path, env=own, capture_output=True, text=True
    )
    hooked = run_hooked(tmp_path, *words, "--lr", "1", PYTHONPATH=paths)
    expected, seen = json.loads(bare.stdout), json.loads(hooked.stdout)
    seen[0][0] = expected[0][0] = str(tmp_path / expected[0][0])  # the path of a script becomes absolute
    assert seen == expected
    assert read(only_run(tmp_path))["run"]["ranks"]["0"]["steps"] == [1, 2, 3]
    recorded = json.loads((only_run(tmp_path) / "run.json").read_text())["command"]
    assert recorded[1:] == [*words, "--lr", "1"]


def test_a_script_whose_optimizer_never_steps_has_failed(tmp_path):
    (tmp_path / "train.py").write_text("print(1)")
    line = [sys.executable, "-m", "collectors", "run", "--logs", "logs", "--hook", "torch.optim", "--"]
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [*line, sys.executable, "train.py"],
        cwd=tmp_path,
        env=environ,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "hook torch.optim: rank 0: nothing is recorded: the program did not import torch" in done.stderr
    assert json.loads((only_run(tmp_path) / "run.json").read_text())["status"] == "failed"


TWO_RANKS = """
import json, os, time, torch
torch.set_num_threads(1)
torch.distributed.init_process_group("gloo")
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(400, 400))
optimizer = torch.optim.SGD(model.parameters(), 0.01)
ends = []
for _ in range(41):
    for _ in range(2):
        model(torch.ones(200, 400)).sum().backward()
    optimizer.step()
    ends.append(time.perf_counter_ns())
with open(f"clock.{os.environ['RANK']}.json", "w") as file:
    json.dump(ends, file)
torch.distributed.destroy_process_group()
"""
ACCELERATE = """
import json, time, torch, accelerate
torch.set_num_threads(1)
accelerator = accelerate.Accelerator(cpu=True, gradient_accumulation_steps=2)
model = torch.nn.Linear(400, 400)
loader = torch.utils.data.DataLoader(torch.ones(82 * 200, 400), batch_size=200)
model, optimizer, loader = accelerator.prepare(model, torch.optim.AdamW(model.parameters()), loader)
ends = []
for batch in loader:
    with accelerator.accumulate(model):
        accelerator.backward(model(batch).sum())
        optimizer.step()
        if accelerator.sync_gradients:
            ends.append(time.perf_counter_ns())
        optimizer.zero_grad()
with open("clock.0.json", "w") as file:
    json.dump(ends, file)
"""


def assert_times_agree(folder, rank):
    """Compare each step with the time between two ends that the script has noted with its own clock."""
    ends = json.loads((folder / f"clock.{rank}.json").read_text())
    result = read(only_run(folder))
    assert result["findings"] == []
    steps = result["run"]["ranks"][str(rank)]["columns"]["step/host"]
    own = [end - begin for begin, end in itertools.pairwise(ends)]
    assert len(steps) == len(own) == 40
    ratio = statistics.median(step / true for step, true in zip(steps, own, strict=True))
    assert ratio == pytest.approx(1, abs=0.005)


@pytest.mark.slow
def test_two_ranks_of_torchrun_are_recorded_as_their_own_clocks_say(tmp_path, warm_torch):
    (tmp_path / "train.py").write_text(TWO_RANKS)
    words = ["-m", "torch.distributed.run", "--nproc-per-node", "2", "train.py"]
    done = run_hooked(tmp_path, *words, options=["--samples-per-step", "400"], python=warm_torch)
    for rank in (0, 1):
        assert_times_agree(tmp_path, rank)
        assert f"rank {rank}: a step is one step of SGD" in done.stderr
    assert json.loads((only_run(tmp_path) / "run.json").read_text())["samples_per_step"] == 400


@pytest.mark.slow
def test_a_training_with_accelerate_is_recorded_as_its_own_clock_says(tmp_path):
    pytest.importorskip("accelerate")
    (tmp_path / "train.py").write_text(ACCELERATE)
    words = ["-m", "accelerate.commands.launch", "--cpu", "--num_processes", "1", "train.py"]
    with warm.python("accelerate.commands.launch") as python:
        run_hooked(tmp_path, *words, python=python)
    assert_times_agree(tmp_path, 0)
