"""Which process of a distributed job this is, from what its launcher left in the environment.

torchrun, srun and mpirun each set their own variables. torchrun comes first, because under
`srun torchrun` the variables of Slurm count the launchers and not the ranks. A process that none
of them started is rank 0 of 1.
"""

import os
from collections.abc import Mapping
from typing import NamedTuple, Optional

#: variables of rank, number of ranks, rank on the node, node, number of ranks on the node
_FAMILIES = (
    ("RANK", "WORLD_SIZE", "LOCAL_RANK", "GROUP_RANK", "LOCAL_WORLD_SIZE"),
    # Set only where the number of tasks per node was asked for.
    ("SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID", "SLURM_NODEID", "SLURM_NTASKS_PER_NODE"),
    (
        "OMPI_COMM_WORLD_RANK",
        "OMPI_COMM_WORLD_SIZE",
        "OMPI_COMM_WORLD_LOCAL_RANK",
        "",
        "OMPI_COMM_WORLD_LOCAL_SIZE",
    ),
    ("PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "", "MPI_LOCALNRANKS"),  # MPICH, Intel MPI
)


class Place(NamedTuple):
    """Where this process stands in its job; all counted from 0 but `ranks`."""

    rank: int
    ranks: int
    local_rank: int
    node: int
    ranks_here: int  # on this node; 0 when not known


def place(environ: Optional[Mapping[str, str]] = None) -> Place:
    """Return the place of this process; what a launcher does not say is taken as a single process."""
    environ = os.environ if environ is None else environ
    for rank_name, ranks_name, local_name, node_name, here_name in _FAMILIES:
        rank = _integer(environ, rank_name)
        if rank is None:
            continue
        ranks = _integer(environ, ranks_name) or rank + 1
        here = _integer(environ, here_name) or 0
        local = _integer(environ, local_name)
        node = _integer(environ, node_name)
        if node is None:  # mpirun fills nodes one after the other by default and does not number them
            node = rank // here if here else 0
        return Place(rank, ranks, rank if local is None else local, node, here)
    return Place(0, 1, 0, 0, 1)


def _integer(environ: Mapping[str, str], name: str) -> Optional[int]:
    text = environ.get(name, "")
    return int(text) if text.isdecimal() else None
