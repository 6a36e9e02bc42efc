"""Find the rank of this process in a distributed job, from the variables that job launchers set.

torchrun, srun and mpirun each set their own variables. torchrun comes first, because under `srun torchrun`
the variables of Slurm count the torchrun processes and not the ranks. A process without such variables is
rank 0 of 1.
"""

import os
from collections.abc import Mapping
from typing import NamedTuple, Optional


class _Variables(NamedTuple):
    """The environment variables of one launcher; "" where it has none."""

    rank: str
    ranks: str
    local_rank: str
    node: str
    ranks_on_node: str


_LAUNCHERS = (
    _Variables("RANK", "WORLD_SIZE", "LOCAL_RANK", "GROUP_RANK", "LOCAL_WORLD_SIZE"),
    # SLURM_NTASKS_PER_NODE is only set if the job asked for it.
    _Variables(
        "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID", "SLURM_NODEID", "SLURM_NTASKS_PER_NODE"
    ),
    _Variables(
        "OMPI_COMM_WORLD_RANK",
        "OMPI_COMM_WORLD_SIZE",
        "OMPI_COMM_WORLD_LOCAL_RANK",
        "",
        "OMPI_COMM_WORLD_LOCAL_SIZE",
    ),
    _Variables("PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "", "MPI_LOCALNRANKS"),  # MPICH, Intel MPI
)


class RankInfo(NamedTuple):
    """The rank of a process in its job; numbers start at 0."""

    rank: int
    ranks: int  # in the job
    local_rank: int
    node: int
    ranks_on_node: int  # 0 if unknown


def process_rank(environ: Optional[Mapping[str, str]] = None) -> RankInfo:
    """Return the rank of this process; without variables of a launcher it is the only process."""
    environ = os.environ if environ is None else environ
    for names in _LAUNCHERS:
        rank = _integer(environ, names.rank)
        if rank is None:
            continue
        ranks = _integer(environ, names.ranks) or rank + 1
        ranks_on_node = _integer(environ, names.ranks_on_node) or 0
        local_rank = _integer(environ, names.local_rank)
        node = _integer(environ, names.node)
        if node is None:  # mpirun does not number the nodes; by default it fills one after the other
            node = rank // ranks_on_node if ranks_on_node else 0
        return RankInfo(rank, ranks, rank if local_rank is None else local_rank, node, ranks_on_node)
    return RankInfo(rank=0, ranks=1, local_rank=0, node=0, ranks_on_node=1)


def _integer(environ: Mapping[str, str], name: str) -> Optional[int]:
    text = environ.get(name, "")
    return int(text) if text.isdecimal() else None
