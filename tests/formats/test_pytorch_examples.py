"""The ImageNet example: interleaved ranks, sparse lines, both ways of counting."""

from pathlib import Path

import pytest

from reportgen.core.model import STEP
from reportgen.load import load_runs
from reportgen.protocol import Protocol, measure_run
from tests.builders import line_rows, read_log, series_of

LINE = (
    "Epoch: [{epoch}][{index:3}/53]\tTime {time:6.3f} ({mean:6.3f})\tData  0.001 ( 0.001)\t"
    "Loss 6.9828e+00 (6.9828e+00)\tAcc@1   0.78 (  0.78)\n"
)


def lines(times: list[float], *, first: int = 0, every: int = 1, epoch: int = 0) -> list[str]:
    """Return the lines of a rank whose steps take these times."""
    return [
        LINE.format(epoch=epoch, index=i + first, time=times[i], mean=sum(times[: i + 1]) / (i + 1))
        for i in range(0, len(times), every)
    ]


SLOW = [12.054, *[0.36 + 0.01 * (i % 3) for i in range(29)]]
FAST = [11.5, *[0.31 + 0.01 * (i % 4) for i in range(29)]]


def test_interleaved_ranks_are_distinguished_by_their_running_means() -> None:
    mixed = [line for pair in zip(lines(SLOW), lines(FAST), strict=True) for line in pair]
    run = read_log(
        "pytorch_examples",
        ("Use GPU: 6 for training\n=> creating model 'resnet50'\n" + "".join(mixed)).encode(),
    )
    assert run.factors == {"framework": "PyTorch", "item": "image", "model": "resnet50"}
    for rank, times in enumerate((SLOW, FAST)):
        found = series_of(run, "step_time", "printed", STEP, rank)
        assert [entry[2] for entry in line_rows(found)] == pytest.approx(times, abs=1e-9)
        assert found.step.tolist() == list(range(1, 31))
    measured = measure_run(run, "step_time", "step", Protocol(warmup=20, measure=10))
    assert measured is not None
    assert measured.value == pytest.approx(sum(SLOW[20:]) / 10)


def test_lost_lines_do_not_change_the_rank() -> None:
    kept = [line for i, line in enumerate(lines(SLOW)) if i not in (11, 12, 13)]
    found = series_of(read_log("pytorch_examples", "".join(kept).encode()), "step_time", "printed")
    assert found.step.tolist() == [*range(1, 12), *range(15, 31)]
    assert set(found.span.tolist()) == {1}


def test_the_means_of_sparse_lines_give_intervals() -> None:
    found = series_of(
        read_log("pytorch_examples", "".join(lines(SLOW, every=10)).encode()), "step_time", "printed"
    )
    assert [(entry[0], entry[1]) for entry in line_rows(found)] == [(1, 1), (11, 10), (21, 10)]
    assert found.value[2] == pytest.approx(sum(SLOW[11:21]), abs=0.02)


def test_newer_versions_count_from_one() -> None:
    content = "".join(lines(SLOW[:5], first=1) + lines(FAST[:5], first=1, epoch=1))
    found = series_of(read_log("pytorch_examples", content.encode()), "step_time", "printed")
    assert found.step.tolist() == list(range(1, 11))
    assert [(one.step, one.kind) for one in found.breaks] == [(5, "epoch")]


def test_swin_prints_the_means_without_the_wait_for_data() -> None:
    """The form of microsoft/Swin-Transformer main.py: its configuration, then every tenth step."""
    line = (
        "[2024-01-02 03:04:05 swin_tiny] (main.py 226): INFO Train: [%d/300][%d/40]\teta 0:10:52 lr 0.000710\t"
        "time %.4f (%.4f)\tloss 6.5584 (6.3074)\tgrad_norm 6.5613 (10.6225)\tmem 14764MB\n"
    )
    steps = ((0, 0, 2.0, 2.0), (0, 10, 0.5, 0.7), (0, 20, 0.5, 0.6), (1, 0, 1.0, 1.0), (1, 10, 0.5, 0.6))
    head = "RANK and WORLD_SIZE in environ: 0/8\nDATA:\n  BATCH_SIZE: 128\n  CACHE_MODE: part\n"
    run = read_log("pytorch_examples", (head + "".join(line % step for step in steps)).encode())
    (found,) = run.series
    assert found.value == pytest.approx([2.0, 5.7, 4.9, 1.0, 5.6])
    assert found.span.tolist() == [1, 10, 10, 1, 10]
    assert run.factors == {"framework": "PyTorch", "item": "image", "model": "swin_tiny", "batch_size": 128,
                           "devices": 8}  # fmt: skip


def test_a_run_that_ended_out_of_memory_after_its_steps() -> None:
    run = read_log(
        "pytorch_examples", ("".join(lines(SLOW)) + "RuntimeError: CUDA out of memory.\n").encode()
    )
    assert (run.status, [finding.rule for finding in run.findings]) == ("out_of_memory", ["read.failed-run"])


def test_the_excerpts_of_the_corpus(corpus: Path) -> None:
    runs = {run.id: run for run in load_runs([corpus / "dlperf" / "excerpts"], root=corpus).runs}
    two, four = runs["pytorch_rn50_2n_interleaved.log"], runs["pytorch_rn50_4n_interleaved.log"]
    found = series_of(two, "step_time", "printed")
    assert found.step.tolist() == [*range(1, 12), 15, 16]
    assert found.value[0] == 12.054
    assert [series_of(four, "step_time", "printed", STEP, rank).step.tolist() for rank in (0, 1)] == [
        list(range(6, 15)),
        list(range(1, 7)),
    ]
