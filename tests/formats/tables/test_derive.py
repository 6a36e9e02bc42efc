"""Columns that are made of others."""

from reportgen.formats.tables.derive import FUNCTIONS
from tests.each_of import each_row


@each_row(
    [
        ("logs/8nodes/all_reduce_perf.log", "all_reduce"),
        ("logs/allreduce-8gpu.txt", "all_reduce"),
        ("logs/all-gather/1node.log", "all_gather"),
        ("logs/reduce_scatter_perf/all_gpus.log", "reduce_scatter"),
        ("logs/alltoall_perf_8.txt", "alltoall"),
        ("logs/reduce_perf.log", "reduce"),
        # A word that may mean anything else, a part of a word, or two collectives.
        ("logs/reduce/gather.log", None),
        ("logs/hall_reduced.log", None),
        ("logs/all_reduce/all_gather_perf.log", None),
        ("logs/all_reduce/all_reduce_perf.log", "all_reduce"),
        ("logs/nccl.log", None),
    ]
)
def test_a_path_names_a_collective(path: str, collective: str | None) -> None:
    assert FUNCTIONS["collective_in_path"]([path]) == collective
