"""The report that a newcomer gets from a folder of logs: for each tree the one that was drawn by hand."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from reportgen.pipeline import Build, Request, build
from reportgen.report.headline import MAX_WORDS, words_of
from tests.autolayout.trees import TREES
from tests.builders import write_files

# A table is read on GitHub, and a line of a terminal or an editor has about so many characters.
MAX_LINE = 140


@dataclass(frozen=True)
class Drawn:
    """The report drawn by hand: factors of the first table, kind of the first figure, words of the headline."""

    reports: int
    rows: str
    columns: str
    figure: str
    words: tuple[str, ...]


EXPECTED = {
    "by_device": Drawn(1, "model", "device", "dots", ("H100 is 2.5x as fast as A40 in both models",)),
    "three_devices": Drawn(1, "device", "", "dots", ("H100 is 2.4x as fast", "A100 is 20 % faster", "(both likely; 3 repeats each)")),
    "by_framework": Drawn(1, "backend", "", "dots", ("tensorflow", "20 % slower than pytorch")),
    # 200 samples/s against 64 images in 0.4 s.
    "by_program": Drawn(1, "framework", "", "dots", ("torchvision is 20 % slower than MXNet",)),
    "by_batch_size": Drawn(1, "batch_size", "", "curve", ("batch size 8", "batch size 64")),
    "by_date": Drawn(1, "date", "", "trend", ("20 % slower since 2026-01-07",)),
    "by_node": Drawn(1, "node", "", "dots", ("node03 is 23 % slower", "relative to node01")),
    "mixed": Drawn(2, "folder", "", "dots", ("red is 10 % faster than green",)),
    "failures": Drawn(1, "batch_size", "device", "curve", ("H100 is 2.5x", "A40 has 2 of 3 batch sizes")),
    "one_run": Drawn(
        1, "model devices batch_size", "", "series",
        ("resnet50 at batch size 32 runs at 160.0 images/s on 1 device",),
    ),
    "repeats": Drawn(1, "model devices batch_size", "", "strip", ("its 5 repeats",)),
    "two_hundred_models": Drawn(
        1, "model", "device", "ecdf", ("H100 is 2.94x", "H100 has 190 of 200 models")
    ),
    "nccl": Drawn(1, "message_size", "collective", "curve", ("all_reduce", "all_gather")),
    "nccl_nodes": Drawn(
        1, "nodes devices", "", "line",
        ("Bus bandwidth of all_reduce", "at 64 MiB", "4 nodes, 32 devices are 0.274x as fast as 1 node"),
    ),
    "vllm": Drawn(
        1, "concurrency", "tensor_parallel", "latency-throughput", ("tensor parallel 1", "tensor parallel 4")
    ),
    "by_dated_file": Drawn(1, "date", "", "trend", ("20 % slower in the median of the 4 dates since 2026-03-09",)),
    "by_host": Drawn(1, "node", "", "dots", ("gpu-b02 is 23 % slower", "gpu-a07")),
    "by_gpu_count": Drawn(1, "devices", "", "line", ("7.21x", "90 % of ideal")),
    "by_node_count": Drawn(1, "devices nodes", "", "line", ("3.68x", "92 % of ideal")),
    "by_precision": Drawn(
        1, "log", "precision", "dots", ("relative to fp32, fp16 is 2.6x as fast", "(2 logs each)")
    ),
    "by_model": Drawn(1, "model", "device", "dots", ("H100 is 2.5x", "as fast as A40")),
    "micro": Drawn(1, "benchmark", "statistic", "dots", ()),
    "scaling": Drawn(1, "devices", "model", "line", ("81 % of ideal",)),
    "same_steps": Drawn(1, "model", "", "dots", ()),
    "by_commit": Drawn(1, "benchmark commit", "", "dots", ("is 20 % slower", "1a1a1a1a")),
    "by_version": Drawn(1, "benchmark", "version", "dots", ("v1.10.0", "2x", "v1.9.0")),
    # 3 repeats of 128 images on each device: 320, 2438 and 4655 images/s in fp32, and
    # 640, 4655 and 8192 in fp16.
    "by_name_of_machines": Drawn(
        1, "devices nodes", "precision", "line",
        ("Throughput: on 16 devices, 2 nodes, fp32 reaches 14.5x", "91 % of ideal", "fp16 12.8x", "80 % of ideal"),
    ),
    "by_test": Drawn(1, "test", "precision", "dots", ("Q4_0 is", "50 % faster", "Q8_0")),
    # Without the fastest and the slowest run 25.33 and 42 minutes.
    "by_submitter": Drawn(1, "submitter system", "", "dots", ("MLPerf score", "Zeta (Zeta_2xA100)", "40 % slower")),
    "two_alike_of_four": Drawn(
        1, "model", "device", "dots", ("H100 is 2.5x", "all 20 models", "B200 and H200 are not compared: no other device")
    ),
    "own_table": Drawn(1, "model batch_size", "device", "curve", ("H100 is 2.5x", "as fast as A40")),
}  # fmt: skip


def built(root: Path, name: str) -> Build:
    """Return the build of a tree without a definition."""
    write_files(root / "logs", TREES[name]())
    (root / "reports").mkdir()
    return build(Request(root, root / "reports"), committed_only=True)


def test_every_tree_was_drawn_by_hand():
    assert EXPECTED.keys() == TREES.keys()


@pytest.mark.parametrize("name", EXPECTED)
def test_a_tree_gives_the_report_that_one_would_have_drawn(tmp_path: Path, name: str):
    result, drawn = built(tmp_path, name), EXPECTED[name]
    report = result.reports[0]
    assert len(result.reports) == drawn.reports
    table = report.tables[0]
    assert (" ".join(table.row_factors), " ".join(table.column_factors)) == (drawn.rows, drawn.columns)
    assert report.figures[0].kind == drawn.figure
    assert report.figures[0].title == "Step time" or report.figures[0].kind != "series"
    sentences = [report.headline, *report.verdict]
    assert [words for words in drawn.words if words not in " ".join(sentences)] == []
    assert [sentence for sentence in sentences if words_of(sentence) > MAX_WORDS] == []
    titles = [table.title for table in report.tables]
    assert len(set(titles)) == len(titles)
    head = next(
        line
        for line in result.files[f"{report.name}/README.md"].decode().splitlines()
        if line.startswith("|")
    )
    assert len(head) <= MAX_LINE


def test_repeats_of_one_machine_are_pooled_whatever_else_the_tree_holds(tmp_path: Path):
    """The median of five repeats with a step of 0.2 s or 0.22 s and 32 images, times 0.9996 of their noise."""
    (lab, _) = built(tmp_path, "mixed").reports
    red, green = (line[0].value for line in lab.tables[0].cells)
    assert (red, green) == pytest.approx((32 / (0.2 * 0.9996), 32 / (0.22 * 0.9996)), rel=1e-5)
