"""Ranks and nodes: every launcher's variables, for jobs on several nodes."""

import sys
from types import SimpleNamespace

import pytest

from collectors import Recorder
from collectors.__main__ import main
from collectors.machine.distributed import RankInfo, process_rank, rank_of_variables
from tests.each_of import each_row


def torchrun(rank, local_rank, node):
    return {
        "RANK": rank, "WORLD_SIZE": 8, "LOCAL_RANK": local_rank, "GROUP_RANK": node, "LOCAL_WORLD_SIZE": 4,
    }  # fmt: skip


def deepspeed(rank, local_rank, node):
    return {
        "RANK": rank, "WORLD_SIZE": 8, "LOCAL_RANK": local_rank,
        "CROSS_RANK": node, "CROSS_SIZE": 2, "LOCAL_SIZE": 4,
    }  # fmt: skip


def srun(rank, local_rank, node, **others):
    return {
        "SLURM_PROCID": rank, "SLURM_STEP_NUM_TASKS": 8, "SLURM_LOCALID": local_rank, "SLURM_NODEID": node,
        "SLURM_STEP_TASKS_PER_NODE": "4(x2)", **others,
    }  # fmt: skip


def open_mpi(rank, local_rank, *, size=8, on_node=4):
    return {
        "OMPI_COMM_WORLD_RANK": rank, "OMPI_COMM_WORLD_SIZE": size,
        "OMPI_COMM_WORLD_LOCAL_RANK": local_rank, "OMPI_COMM_WORLD_LOCAL_SIZE": on_node,
        "OMPI_COMM_WORLD_NODE_RANK": local_rank,
    }  # fmt: skip


def hydra(rank, local_rank):
    return {"PMI_RANK": rank, "PMI_SIZE": 8, "MPI_LOCALRANKID": local_rank, "MPI_LOCALNRANKS": 4}


def flux(rank, local_rank, *, nodes=2):
    return {
        "FLUX_JOB_ID": 1, "FLUX_TASK_RANK": rank, "FLUX_TASK_LOCAL_ID": local_rank, "FLUX_JOB_SIZE": 8,
        "FLUX_JOB_NNODES": nodes, "PMI_RANK": rank, "PMI_SIZE": 8,
    }  # fmt: skip


def jsrun(rank, local_rank):
    return {
        "JSM_NAMESPACE_RANK": rank, "JSM_NAMESPACE_SIZE": 8, "JSM_NAMESPACE_LOCAL_RANK": local_rank,
        "JSM_NAMESPACE_LOCAL_SIZE": 4, "PMIX_RANK": rank,
    }  # fmt: skip


def horovodrun(rank, local_rank, node):
    return {
        "HOROVOD_RANK": rank, "HOROVOD_SIZE": 8, "HOROVOD_LOCAL_RANK": local_rank, "HOROVOD_LOCAL_SIZE": 4,
        "HOROVOD_CROSS_RANK": node, "HOROVOD_CROSS_SIZE": 2,
    }  # fmt: skip


def cray(rank, local_rank):
    return {"PMI_RANK": rank, "PMI_SIZE": 8, "PMI_LOCAL_RANK": local_rank, "PMI_LOCAL_SIZE": 4}


def pals(rank, local_rank, node):
    return {
        "PALS_RANKID": rank,
        "PALS_LOCAL_RANKID": local_rank,
        "PALS_NODEID": node,
        **cray(rank, local_rank),
    }


def ray_train(rank, local_rank, node):
    return {
        "RANK": rank, "WORLD_SIZE": 8, "LOCAL_RANK": local_rank, "LOCAL_WORLD_SIZE": 4, "NODE_RANK": node,
        "ACCELERATE_TORCH_DEVICE": f"cuda:{local_rank}",
    }  # fmt: skip


def accelerate(rank, local_rank, node):
    """Return what notebook_launcher sets; accelerate launch starts torchrun, DeepSpeed or mpirun."""
    return {
        "RANK": rank, "WORLD_SIZE": 8, "LOCAL_RANK": local_rank, "NODE_RANK": node, "FORK_LAUNCHED": 1,
        "ACCELERATE_MIXED_PRECISION": "no",
    }  # fmt: skip


def mvapich(rank, local_rank):
    return {
        "MVP_COMM_WORLD_RANK": rank, "MVP_COMM_WORLD_SIZE": 8, "MVP_COMM_WORLD_LOCAL_RANK": local_rank,
        "MVP_COMM_WORLD_LOCAL_SIZE": 4,
    }  # fmt: skip


def info_of(variables):
    return rank_of_variables({name: str(value) for name, value in variables.items()})


POD = {"RANK": 1, "WORLD_SIZE": 2, "MASTER_ADDR": "x", "KUBERNETES_SERVICE_HOST": "10.0.0.1"}


@each_row([
    ({}, RankInfo(0, 1, 0, 0, 1), [0]),
    ({"RANK": "none"}, RankInfo(0, 1, 0, 0, 1), [0]),
    (torchrun(4, 0, 1), RankInfo(4, 8, 0, 1, 4), [4, 5, 6, 7]),
    (torchrun(5, 1, 1), RankInfo(5, 8, 1, 1, 4), None),
    # torchrun started by srun, or in an allocation of mpirun: their variables count the torchrun processes
    ({**torchrun(4, 0, 1), **srun(1, 0, 1)}, RankInfo(4, 8, 0, 1, 4), [4, 5, 6, 7]),
    ({**torchrun(4, 0, 1), **open_mpi(1, 0, size=2, on_node=1)}, RankInfo(4, 8, 0, 1, 4), [4, 5, 6, 7]),
    (deepspeed(4, 0, 1), RankInfo(4, 8, 0, 1, 4), [4, 5, 6, 7]),
    (deepspeed(0, 0, 0), RankInfo(0, 8, 0, 0, 4), [0, 1, 2, 3]),
    (POD, RankInfo(1, 2, 0, 1, 1), [1]),
    (srun(4, 0, 1), RankInfo(4, 8, 0, 1, 4), [4, 5, 6, 7]),
    (srun(1, 0, 1, SLURM_DISTRIBUTION="cyclic"), RankInfo(1, 8, 0, 1, 4, False), [1]),
    (srun(6, 0, 2, SLURM_STEP_TASKS_PER_NODE="3(x2),2"), RankInfo(6, 8, 0, 2, 2), [6, 7]),
    # srun and a script that sets the variables of torch from those of Slurm
    ({**srun(4, 0, 1), "RANK": 4, "WORLD_SIZE": 8, "LOCAL_RANK": 0}, RankInfo(4, 8, 0, 1, 4), [4, 5, 6, 7]),
    # a batch script without srun
    ({"SLURM_PROCID": 0, "SLURM_LOCALID": 0, "SLURM_NODEID": 0, "SLURM_NTASKS": 8}, RankInfo(0, 1, 0, 0, 0), [0]),
    # mpirun in an allocation of Slurm, which numbers the daemons of mpirun
    ({**open_mpi(4, 0), **srun(1, 0, 1)}, RankInfo(4, 8, 0, 1, 4), [4, 5, 6, 7]),
    (open_mpi(4, 0), RankInfo(4, 8, 0, 1, 4), [4, 5, 6, 7]),
    (open_mpi(7, 3), RankInfo(7, 8, 3, 1, 4, False), None),
    (open_mpi(0, 0), RankInfo(0, 8, 0, 0, 4, False), [0]),  # the others are 1, 2, 3 or 2, 4, 6
    (open_mpi(0, 0, size=4), RankInfo(0, 4, 0, 0, 4), [0, 1, 2, 3]),
    (open_mpi(1, 0), RankInfo(1, 8, 0, 1, 4, False), [1]),  # --map-by node
    (open_mpi(2, 1), RankInfo(2, 8, 1, 0, 4, False), None),
    (open_mpi(1, 0, size=5, on_node=2), RankInfo(1, 5, 0, 1, 2, False), [1]),  # nodes of 3 and 2 ranks
    (open_mpi(3, 0, size=4, on_node=1), RankInfo(3, 4, 0, 3, 1, False), [3]),
    (open_mpi(2, 0, size=8, on_node=2), RankInfo(2, 8, 0, 1, 2, False), [2]),  # fits both: the default
    (
        {**open_mpi(2, 0, size=8, on_node=2), "OMPI_MCA_rmaps_base_mapping_policy": "node:PE=2"},
        RankInfo(2, 8, 0, 2, 2, False),
        [2],
    ),
    ({**open_mpi(4, 0), "RANK": 4, "WORLD_SIZE": 8, "LOCAL_RANK": 0}, RankInfo(4, 8, 0, 1, 4), [4, 5, 6, 7]),
    (hydra(4, 0), RankInfo(4, 8, 0, 1, 4), [4, 5, 6, 7]),
    (flux(5, 1), RankInfo(5, 8, 1, 1, 4), None),
    (flux(4, 0), RankInfo(4, 8, 0, 1, 4), [4, 5, 6, 7]),
    (flux(3, 3, nodes=1), RankInfo(3, 8, 3, 0, 8), None),
    (flux(7, 1, nodes=3), RankInfo(7, 8, 1, None, 0), None),  # 3, 3 and 2 ranks
    # flux start by srun: the variables of Slurm count the brokers
    ({**flux(5, 1), **srun(1, 0, 1, SLURM_STEP_NUM_TASKS=2)}, RankInfo(5, 8, 1, 1, 4), None),
    (jsrun(4, 0), RankInfo(4, 8, 0, 1, 4), [4, 5, 6, 7]),
    ({"JSM_NAMESPACE_RANK": 4, "JSM_NAMESPACE_SIZE": 8, "JSM_NAMESPACE_LOCAL_RANK": 0}, RankInfo(4, 8, 0, None, 0), [4]),
    (horovodrun(6, 2, 1), RankInfo(6, 8, 2, 1, 4), None),
    ({**open_mpi(4, 0), "HOROVOD_CONTROLLER": "mpi"}, RankInfo(4, 8, 0, 1, 4), [4, 5, 6, 7]),  # horovodrun --mpi
    ({**horovodrun(4, 0, 1), "RANK": 4, "WORLD_SIZE": 8, "LOCAL_RANK": 0}, RankInfo(4, 8, 0, 1, 4), [4, 5, 6, 7]),
    (pals(7, 3, 1), RankInfo(7, 8, 3, 1, 4), None),
    (pals(1, 0, 1), RankInfo(1, 8, 0, 1, 4, False), [1]),  # dealt out
    ({"PALS_RANKID": 2, "PALS_LOCAL_RANKID": 2, "PALS_NODEID": 0, "PALS_SIZE": 4}, RankInfo(2, 4, 2, 0, 0), None),
    (cray(4, 0), RankInfo(4, 8, 0, 1, 4), [4, 5, 6, 7]),
    (ray_train(4, 0, 1), RankInfo(4, 8, 0, 1, 4), [4, 5, 6, 7]),
    (accelerate(4, 0, 1), RankInfo(4, 8, 0, 1, 0), [4]),
    (mvapich(4, 0), RankInfo(4, 8, 0, 1, 4), [4, 5, 6, 7]),
    ({"PMIX_RANK": 2, "WORLD_SIZE": 4}, RankInfo(2, 4, 2, None, 0), None),
    ({"ALPS_APP_PE": 2, "WORLD_SIZE": 4}, RankInfo(2, 4, 2, None, 0), None),
    # variables that say nothing about the node
    ({"RANK": 0, "WORLD_SIZE": 8}, RankInfo(0, 8, 0, 0, 0), [0]),
    ({"RANK": 1, "WORLD_SIZE": 8}, RankInfo(1, 8, 1, None, 0), None),
    ({"RANK": 4, "WORLD_SIZE": 8, "LOCAL_RANK": 0}, RankInfo(4, 8, 0, None, 0), [4]),
    ({"RANK": 4, "WORLD_SIZE": 8, "LOCAL_RANK": 0, "LOCAL_WORLD_SIZE": 4}, RankInfo(4, 8, 0, 1, 4), [4, 5, 6, 7]),
    ({"RANK": 3, "WORLD_SIZE": 8, "LOCAL_RANK": 3}, RankInfo(3, 8, 3, 0, 0), None),
    ({"PMI_RANK": 1, "PMI_SIZE": 2}, RankInfo(1, 2, 1, None, 0), None),
    ({"RANK": 4, "WORLD_SIZE": 8, "LOCAL_RANK": 0, "REPORTGEN_NODE": 1}, RankInfo(4, 8, 0, 1, 0), [4]),
])  # fmt: skip
def test_rank_and_node_come_from_the_variables_of_the_launcher(variables, expected, on_node):
    info = info_of(variables)
    assert info == expected
    assert on_node is None or info.local_ranks() == on_node


PLACES = [(node, local_rank) for node in range(2) for local_rank in range(4)]


@pytest.mark.parametrize(
    "job",
    [
        [torchrun(node * 4 + local_rank, local_rank, node) for node, local_rank in PLACES],
        [deepspeed(node * 4 + local_rank, local_rank, node) for node, local_rank in PLACES],
        [srun(node * 4 + local_rank, local_rank, node) for node, local_rank in PLACES],
        [open_mpi(node * 4 + local_rank, local_rank) for node, local_rank in PLACES],
        [open_mpi(local_rank * 2 + node, local_rank) for node, local_rank in PLACES],
        [{**POD, "RANK": rank} for rank in range(2)],
        [hydra(node * 4 + local_rank, local_rank) for node, local_rank in PLACES],
        [mvapich(node * 4 + local_rank, local_rank) for node, local_rank in PLACES],
        [flux(node * 4 + local_rank, local_rank) for node, local_rank in PLACES],
        [jsrun(node * 4 + local_rank, local_rank) for node, local_rank in PLACES],
        [horovodrun(node * 4 + local_rank, local_rank, node) for node, local_rank in PLACES],
        [pals(node * 4 + local_rank, local_rank, node) for node, local_rank in PLACES],
        [pals(local_rank * 2 + node, local_rank, node) for node, local_rank in PLACES],
        [cray(node * 4 + local_rank, local_rank) for node, local_rank in PLACES],
        [ray_train(node * 4 + local_rank, local_rank, node) for node, local_rank in PLACES],
        [accelerate(node * 4 + local_rank, local_rank, node) for node, local_rank in PLACES],
    ],
    ids=[
        "torchrun",
        "DeepSpeed",
        "srun",
        "mpirun",
        "mpirun --map-by node",
        "PyTorchJob",
        "MPICH",
        "MVAPICH",
        "flux run",
        "jsrun",
        "horovodrun",
        "PALS",
        "PALS, cyclic",
        "Cray",
        "Ray Train",
        "Accelerate",
    ],
)
def test_the_nodes_of_a_job_are_0_and_1_and_each_has_one_first_rank(job):
    infos = [info_of(variables) for variables in job]
    assert sorted(info.rank for info in infos) == list(range(len(job)))
    assert [info.node for info in infos if info.local_rank == 0] == [0, 1]
    assert {info.ranks for info in infos} == {len(job)}


def use_process_group(monkeypatch, rank, ranks, *, is_initialized=True):
    group = SimpleNamespace(
        is_initialized=lambda: is_initialized, get_rank=lambda: rank, get_world_size=lambda: ranks
    )
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(distributed=group))


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        # Lightning starts the processes itself: no RANK
        ({"LOCAL_RANK": "1", "NODE_RANK": "1", "WORLD_SIZE": "4"}, RankInfo(3, 4, 1, 1, 0)),
        ({"LOCAL_RANK": "3", "WORLD_SIZE": "4"}, RankInfo(3, 4, 3, 0, 0)),
        ({}, RankInfo(3, 4, 3, None, 0)),
        ({"RANK": "3", "WORLD_SIZE": "4", "LOCAL_RANK": "1", "GROUP_RANK": "1"}, RankInfo(3, 4, 1, 1, 0)),
    ],
)
def test_the_rank_of_torch_distributed_wins(monkeypatch, variables, expected):
    for name in ("RANK", "LOCAL_RANK", "NODE_RANK", "GROUP_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    use_process_group(monkeypatch, 3, 4)
    assert process_rank() == expected


def test_without_a_process_group_the_variables_count(monkeypatch):
    use_process_group(monkeypatch, 3, 4, is_initialized=False)
    assert process_rank() == RankInfo(0, 1, 0, 0, 1)


@pytest.mark.parametrize("variables", [{"RANK": "1", "WORLD_SIZE": "2"}, {"PMIX_RANK": "1"}])
def test_the_launcher_asks_for_a_node_number_that_is_unknown(variables, monkeypatch, tmp_path, capsys):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert main(["run", "--logs", str(tmp_path), "--", "true"]) == 2
    assert "use --node N" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_rank_without_the_folder_of_the_launcher_says_what_to_pass_on(monkeypatch, tmp_path, capsys):
    monkeypatch.chdir(tmp_path)
    for name, value in open_mpi(1, 0).items():
        monkeypatch.setenv(name, str(value))
    with Recorder.start() as recorder:
        recorder.step()
    assert recorder.folder is None
    assert "pass REPORTGEN_RUN on to every node (mpirun -x REPORTGEN_RUN)" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "variables", [{"PMIX_RANK": "0"}, {"LOCAL_RANK": "1", "NODE_RANK": "1", "WORLD_SIZE": "4"}]
)
def test_a_training_whose_rank_is_unknown_continues_without_recording(
    variables, monkeypatch, tmp_path, capsys
):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    with Recorder.start(logs=tmp_path) as recorder:
        assert list(recorder.steps(3)) == [0, 1, 2]
    assert "reportgen: nothing is recorded: " in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
