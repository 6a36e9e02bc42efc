"""Find the rank and the node of this process in a distributed job.

The variables that job launchers set are read. If torch.distributed is initialised, its rank is the right one:
Lightning starts processes of its own, without RANK.

torchrun and DeepSpeed's launcher set RANK; they come first, because under `srun torchrun` the variables of
Slurm count the torchrun processes and not the ranks. mpirun and the launchers of other schedulers come before
Slurm for the same reason. Variables that number nodes come last: there is one process on each. A process
without any of these is rank 0 of 1, also under `pbsdsh`, `blaunch` and an indexed Job of Kubernetes, because
their tasks may have nothing to do with each other.

| launcher | node number |
|---|---|
| torchrun | GROUP_RANK |
| DeepSpeed | CROSS_RANK |
| Lightning, Ray Train, Accelerate's notebook_launcher | NODE_RANK |
| horovodrun | HOROVOD_CROSS_RANK |
| mpiexec of Cray (PALS) | PALS_NODEID |
| a pod of Kubernetes (PyTorchJob) or Vertex, with RANK and without LOCAL_RANK | RANK: one process per pod |
| TFJob, JAXJob, Kubeflow Trainer, SageMaker, Vertex, SkyPilot, without RANK | the number of the process |
| srun | SLURM_NODEID |
| mpirun, flux, jsrun, Paddle | from the rank and the ranks per node, if each node has equally many ranks |

`REPORTGEN_NODE` overrides the number. If it cannot be derived it is None: a wrong number would overwrite the
files of another node.
"""

import json
import os
import re
import sys
from collections.abc import Mapping
from typing import Any, NamedTuple, Optional

NODE_VARIABLE = "REPORTGEN_NODE"

_Environ = Mapping[str, str]


class RankInfo(NamedTuple):
    """The rank of a process in its job; numbers start at 0."""

    rank: int
    ranks: int  # in the job
    local_rank: int
    node: Optional[int]  # None if unknown
    ranks_on_node: int  # 0 if unknown
    is_consecutive: bool = True  # False if the ranks of this node have, or may have, gaps between them

    def local_ranks(self) -> list[int]:
        """Return the ranks on the node of local rank 0; only its own if the others are unknown."""
        return list(range(self.rank, self.rank + max(1, self.ranks_on_node if self.is_consecutive else 1)))


class _MpiVariables(NamedTuple):
    """The environment variables of an implementation of MPI."""

    rank: str
    ranks: str
    local_rank: str
    ranks_on_node: str


_MPI = (
    _MpiVariables(
        "OMPI_COMM_WORLD_RANK",
        "OMPI_COMM_WORLD_SIZE",
        "OMPI_COMM_WORLD_LOCAL_RANK",
        "OMPI_COMM_WORLD_LOCAL_SIZE",
    ),
    _MpiVariables(
        "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_LOCAL_SIZE"
    ),
    _MpiVariables(  # MVAPICH 3 and newer
        "MVP_COMM_WORLD_RANK", "MVP_COMM_WORLD_SIZE", "MVP_COMM_WORLD_LOCAL_RANK", "MVP_COMM_WORLD_LOCAL_SIZE"
    ),
    _MpiVariables("PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"),  # MPICH, Intel MPI
)


class _TaskVariables(NamedTuple):
    """The environment variables of a scheduler's launcher; several names: the first that is set; (): none."""

    rank: tuple[str, ...]
    ranks: tuple[str, ...]
    local_rank: tuple[str, ...]
    ranks_on_node: tuple[str, ...] = ()
    node: tuple[str, ...] = ()
    nodes: tuple[str, ...] = ()


_TASKS = (
    _TaskVariables(
        ("HOROVOD_RANK",),
        ("HOROVOD_SIZE",),
        ("HOROVOD_LOCAL_RANK",),
        ("HOROVOD_LOCAL_SIZE",),
        ("HOROVOD_CROSS_RANK",),
    ),
    _TaskVariables(
        ("FLUX_TASK_RANK",), ("FLUX_JOB_SIZE",), ("FLUX_TASK_LOCAL_ID",), nodes=("FLUX_JOB_NNODES",)
    ),
    _TaskVariables(
        ("JSM_NAMESPACE_RANK",),
        ("JSM_NAMESPACE_SIZE",),
        ("JSM_NAMESPACE_LOCAL_RANK",),
        ("JSM_NAMESPACE_LOCAL_SIZE",),
    ),
    _TaskVariables(
        ("PALS_RANKID",),
        ("PALS_SIZE", "PMI_SIZE"),
        ("PALS_LOCAL_RANKID",),
        ("PALS_LOCAL_SIZE", "PMI_LOCAL_SIZE"),
        ("PALS_NODEID",),
    ),
    _TaskVariables(("PMI_RANK",), ("PMI_SIZE",), ("PMI_LOCAL_RANK",), ("PMI_LOCAL_SIZE",)),  # of Cray
    _TaskVariables(
        ("PADDLE_TRAINER_ID",),
        ("PADDLE_TRAINERS_NUM",),
        ("PADDLE_LOCAL_RANK", "PADDLE_RANK_IN_NODE"),
        ("PADDLE_LOCAL_SIZE",),
        nodes=("PADDLE_NNODES",),
    ),
)
#: A rank and the number of ranks, without a node: Hydra, PMIx, ALPS, JAX, MindSpore.
_BARE_RANKS = (
    ("PMI_RANK", "PMI_SIZE"),
    ("PMIX_RANK", ""),
    ("ALPS_APP_PE", ""),
    ("JAX_PROCESS_ID", "JAX_NUM_PROCESSES"),
    ("RANK_ID", "RANK_SIZE"),
)
#: The number of a node and of all nodes, where each has one process: SkyPilot, Kubeflow Trainer, JAXJob.
_NODES = (
    ("SKYPILOT_NODE_RANK", "SKYPILOT_NUM_NODES"),
    ("PET_NODE_RANK", "PET_NNODES"),
    ("PROCESS_ID", "NUM_PROCESSES"),
)
#: JSON: the tasks of a job by their type, and which one this is. TensorFlow, and Vertex for all frameworks.
_CLUSTERS = ("TF_CONFIG", "CLUSTER_SPEC")
#: Types of tasks that train, in the order of their ranks; other pools of Vertex reduce or evaluate.
_TRAINING_TASKS = re.compile(r"chief|master|worker|workerpool[01]")
_MAPPING_VARIABLE = "OMPI_MCA_rmaps_base_mapping_policy"  # of Open MPI: --map-by


def process_rank() -> RankInfo:
    """Return the rank of this process; without a launcher it is the only process.

    Raises ValueError if it is one of several and nothing says which.
    """
    torch: Any = sys.modules.get("torch")
    try:
        if not torch.distributed.is_initialized():
            return rank_of_variables(os.environ)
        rank, ranks = int(torch.distributed.get_rank()), int(torch.distributed.get_world_size())
    except (AttributeError, RuntimeError):  # not imported, or not built with it
        return rank_of_variables(os.environ)
    try:
        info = rank_of_variables(os.environ)
    except ValueError:
        return _of_process_group(os.environ, rank, ranks)
    return info if (rank, ranks) == (info.rank, info.ranks) else _of_process_group(os.environ, rank, ranks)


def rank_text() -> str:
    """Return "rank 3" for a message; "a rank" if the number is unknown."""
    try:
        return f"rank {process_rank().rank}"
    except ValueError:
        return "a rank"


def _of_process_group(environ: _Environ, rank: int, ranks: int) -> RankInfo:
    """Return a rank that torch.distributed knows and the variables of a launcher do not."""
    node = _first_integer(environ, NODE_VARIABLE, "NODE_RANK")
    local_rank = _integer(environ, "LOCAL_RANK")
    if node is not None and local_rank is not None:
        return RankInfo(rank, ranks, local_rank, node, 0)
    return _of_rank_alone(rank, ranks, local_rank, 0)


def rank_of_variables(environ: _Environ) -> RankInfo:
    """Return the rank by the variables of a launcher; without them it is the only process.

    Raises ValueError if they say that it is one of several, and not which one.
    """
    info = _of_torch(environ) or _of_mpi(environ) or _of_tasks(environ) or _of_slurm(environ)
    info = info or _of_lightning(environ) or _of_nodes(environ) or _of_bare_rank(environ)
    info = info or RankInfo(rank=0, ranks=1, local_rank=0, node=0, ranks_on_node=1)
    node = _integer(environ, NODE_VARIABLE)
    return info if node is None else info._replace(node=node)


def _of_torch(environ: _Environ) -> Optional[RankInfo]:
    """Return the rank by the variables that torch.distributed reads: RANK, WORLD_SIZE, LOCAL_RANK."""
    rank, local_rank = _integer(environ, "RANK"), _integer(environ, "LOCAL_RANK")
    if rank is None:
        return None
    ranks = _integer(environ, "WORLD_SIZE") or rank + 1
    ranks_on_node = _first_integer(environ, "LOCAL_WORLD_SIZE", "LOCAL_SIZE") or 0
    node = _first_integer(environ, "GROUP_RANK", "CROSS_RANK", "NODE_RANK")
    if local_rank is not None and node is not None:
        return RankInfo(rank, ranks, local_rank, node, ranks_on_node)
    # Scripts under srun and mpirun often set RANK themselves.
    other = _of_mpi(environ) or _of_tasks(environ) or _of_slurm(environ)
    # RANK=0 and WORLD_SIZE=1 may come from the profile of a shell.
    is_stale = local_rank is None and ranks == 1
    if other and (is_stale or (other.rank, other.ranks) == (rank, ranks)):
        return other
    if local_rank is None and ("KUBERNETES_SERVICE_HOST" in environ or "CLUSTER_SPEC" in environ):
        return RankInfo(rank, ranks, local_rank=0, node=rank, ranks_on_node=1)
    return _of_rank_alone(rank, ranks, local_rank, ranks_on_node)


def _of_rank_alone(rank: int, ranks: int, local_rank: Optional[int], ranks_on_node: int) -> RankInfo:
    """Return what a rank without the number of its node says: ranks 0, 1, ... are on node 0."""
    if local_rank is None:  # only rank 0 is certainly the first of its node
        return RankInfo(rank, ranks, rank, None if rank else 0, 0)
    if rank == local_rank:
        return RankInfo(rank, ranks, local_rank, 0, ranks_on_node)
    node = rank // ranks_on_node if ranks_on_node and rank % ranks_on_node == local_rank else None
    return RankInfo(rank, ranks, local_rank, node, ranks_on_node)


def _of_mpi(environ: _Environ) -> Optional[RankInfo]:
    for names in _MPI:
        numbers = [_integer(environ, name) for name in names]
        if None not in numbers:
            rank, ranks, local_rank, ranks_on_node = (number or 0 for number in numbers)
            return _mpi_rank(environ, rank, ranks, local_rank, max(1, ranks_on_node))
    return None


def _mpi_rank(environ: _Environ, rank: int, ranks: int, local_rank: int, on_node: int) -> RankInfo:
    """Return the rank with the number of its node, which mpirun does not export.

    By default mpirun fills one node after the other; with `--map-by node` it deals the ranks out like cards.
    If the numbers fit both orders, it is the default.
    """
    nodes = -(-ranks // on_node)
    deals_out = rank // nodes == local_rank
    is_dealt = deals_out and environ.get(_MAPPING_VARIABLE, "").split(":")[0] == "node"
    fills_nodes = rank % on_node == local_rank and not is_dealt
    node = rank // on_node if fills_nodes else rank % nodes if deals_out else None
    # The first node has rank 0 in both orders, so its other ranks are unknown.
    is_consecutive = nodes == 1 or (fills_nodes and not deals_out)
    return RankInfo(rank, ranks, local_rank, node, on_node, is_consecutive)


def _of_tasks(environ: _Environ) -> Optional[RankInfo]:
    """Return the rank by the variables of Horovod, Flux, JSM (jsrun) or PALS."""
    for names in _TASKS:
        rank, local_rank = _first_integer(environ, *names.rank), _first_integer(environ, *names.local_rank)
        if rank is None or local_rank is None:
            continue
        ranks = _first_integer(environ, *names.ranks) or rank + 1
        on_node = _first_integer(environ, *names.ranks_on_node) or 0
        node, nodes = _first_integer(environ, *names.node), _first_integer(environ, *names.nodes)
        if nodes and not on_node and ranks % nodes == 0:
            on_node = ranks // nodes
        if node is not None:
            is_consecutive = not on_node or rank - local_rank == node * on_node
            return RankInfo(rank, ranks, local_rank, node, on_node, is_consecutive)
        if on_node:
            return _mpi_rank(environ, rank, ranks, local_rank, on_node)
        return _of_rank_alone(rank, ranks, local_rank, 0)
    return None


def _of_slurm(environ: _Environ) -> Optional[RankInfo]:
    names = ("SLURM_PROCID", "SLURM_LOCALID", "SLURM_NODEID")
    rank, local_rank, node = (_integer(environ, name) for name in names)
    if rank is None or local_rank is None or node is None:
        return None
    # Outside of a step, as in a batch script, there is one process.
    ranks = _integer(environ, "SLURM_STEP_NUM_TASKS") or rank + 1
    on_nodes = _expand_counts(environ.get("SLURM_STEP_TASKS_PER_NODE", ""))
    on_node = on_nodes[node] if node < len(on_nodes) else _integer(environ, "SLURM_NTASKS_PER_NODE") or 0
    is_block = environ.get("SLURM_DISTRIBUTION", "block").startswith("block")
    return RankInfo(rank, ranks, local_rank, node, on_node, is_block)


def _expand_counts(text: str) -> list[int]:
    """Return [4, 4, 3] for Slurm's "4(x2),3"."""
    counts: list[int] = []
    for count, times in re.findall(r"([0-9]+)(?:\(x([0-9]+)\))?", text):
        counts += [int(count)] * int(times or 1)
    return counts


def _of_lightning(environ: _Environ) -> Optional[RankInfo]:
    """Return the rank of a process that Lightning started: without RANK, it is certain on node 0 only."""
    local_rank, node, ranks = (_integer(environ, name) for name in ("LOCAL_RANK", "NODE_RANK", "WORLD_SIZE"))
    if local_rank is None or node is None or ranks is None:
        return None
    if node:
        raise ValueError(
            f"NODE_RANK={node} and no RANK: the rank of this process is unknown; start the recorder after "
            "torch.distributed, or by the callback RecordSteps"
        )
    return RankInfo(local_rank, ranks, local_rank, node=0, ranks_on_node=0)


def _of_nodes(environ: _Environ) -> Optional[RankInfo]:
    """Return the rank by variables that number the nodes, if each of them has one process."""
    numbers = [tuple(_integer(environ, name) for name in names) for names in _NODES]
    for rank, ranks in (
        *numbers,
        *(_of_cluster(environ, name) for name in _CLUSTERS),
        _of_sagemaker(environ),
    ):
        if rank is not None and ranks is not None and rank < ranks:
            return RankInfo(rank, ranks, local_rank=0, node=rank, ranks_on_node=1)
    return None


_Numbers = tuple[Optional[int], Optional[int]]


def _of_cluster(environ: _Environ, name: str) -> _Numbers:
    """Return the number of this task among those that train, and how many these are."""
    try:
        content = json.loads(environ.get(name, ""))
        cluster, task = content["cluster"], content["task"]
        kinds = sorted(filter(_TRAINING_TASKS.fullmatch, cluster))
        tasks = [(kind, index) for kind in kinds for index in range(len(cluster[kind]))]
        return tasks.index((task["type"], int(task["index"]))), len(tasks)
    except (ValueError, TypeError, LookupError):  # no such variable, another kind of task
        return None, None


def _of_sagemaker(environ: _Environ) -> _Numbers:
    try:
        hosts = json.loads(environ.get("SM_HOSTS", ""))
        return hosts.index(environ.get("SM_CURRENT_HOST")), len(hosts)
    except (ValueError, AttributeError):
        return None, None


def _of_bare_rank(environ: _Environ) -> Optional[RankInfo]:
    """Return the rank under a launcher that sets a rank and nothing about nodes.

    Raises ValueError without the number of ranks: with a wrong number the run would be invalid.
    """
    for names in _BARE_RANKS:
        rank = _integer(environ, names[0])
        ranks = _first_integer(environ, names[1], "WORLD_SIZE")
        if rank is not None and ranks is not None:
            return _of_rank_alone(rank, ranks, None, 0)
        if rank is not None and names[0] != "RANK_ID":
            reason = f"{names[0]}={rank}, and the number of ranks is unknown"
            raise ValueError(f"{reason}; set WORLD_SIZE, or start the recorder after torch.distributed")
    return None


def _first_integer(environ: _Environ, *names: str) -> Optional[int]:
    numbers = (_integer(environ, name) for name in names)
    return next((number for number in numbers if number is not None), None)


def _integer(environ: _Environ, name: str) -> Optional[int]:
    text = environ.get(name, "")
    return int(text) if text.isdecimal() else None
