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


@each_row(
    [
        ("18392 qps", 18392.0),
        ("1,066.25 ns", 1066.25),
        ("0.6 ms (end to end 1.0 ms)", 0.6),
        ("1.5e3 KB", 1500.0),
        ("12,34 KB", None),  # a decimal comma
        ("1.234,5 KB", None),
        ("NA", None),
    ]
)
def test_a_text_may_begin_with_a_number(text: str, value: float | None) -> None:
    assert FUNCTIONS["number"]([text]) == value
