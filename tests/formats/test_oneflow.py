"""OneFlow's logs; the lines are those that DLPerf quotes, the values its published ones or worked out by hand."""

from pathlib import Path

import pytest

from reportgen.load import load_runs
from reportgen.protocol import Protocol, measure_run
from tests.builders import line_rows, read_log, series_of

HEADER = (
    "model = resnet50\nbatch_size_per_device = 128\ngpu_num_per_node = 8\nnum_nodes = 2\nuse_fp16 = False\n"
)
CNN = "train: epoch {}, iter {}, loss: 7.087004, top_1: 0.000000, top_k: 0.000000, samples/s: {} {}\n"


def test_cnn_timestamps_give_times_and_printed_rates_are_kept() -> None:
    content = (
        HEADER
        + CNN.format(0, 20, "3988.891", "1597933942.9863544")
        + CNN.format(0, 120, "5917.583", "1597933977.6064055")
    )
    run = read_log("oneflow", content.encode())
    assert run.factors == {
        "framework": "OneFlow",
        "model": "resnet50",
        "batch_size": 128,
        "devices": 16,
        "nodes": 2,
        "precision": "fp32",
        "item": "image",
    }
    assert line_rows(series_of(run, "throughput", "printed")) == [
        (20, 20, 3988.891, 6),
        (120, 100, 5917.583, 7),
    ]
    found = measure_run(run, "throughput", "step", Protocol())
    assert found is not None
    assert round(found.value, 2) == 5915.65  # published
    assert found.window is not None
    assert (found.window.first, found.window.last) == (21, 120)


def test_cnn_lines_of_the_first_version_have_no_stamps() -> None:
    content = (
        HEADER + CNN.format(0, 20, "3988.891", "").replace(" \n", "\n") + CNN.format(0, 40, "5917.5", "")
    )
    run = read_log("oneflow", content.encode())
    assert line_rows(series_of(run, "throughput", "printed")) == [(20, 20, 3988.891, 6), (40, 20, 5917.5, 7)]
    assert len(run.series) == 1


def test_cnn_steps_continue_over_epochs() -> None:
    content = HEADER + "".join(
        CNN.format(epoch, step, "1000.0", f"{1597933000 + 100 * epoch + step}.5")
        for epoch in (0, 1)
        for step in (20, 40)
    )
    run = read_log("oneflow", content.encode())
    assert [entry[0] for entry in line_rows(series_of(run, "throughput", "printed"))] == [20, 40, 60, 80]
    assert [(one.step, one.kind) for one in series_of(run, "throughput", "printed").breaks] == [(40, "epoch")]


def test_bert_counts_from_zero() -> None:
    line = "step: {}, total_loss: 9.725, mlm_loss: 8.960, nsp_loss: 0.766, throughput: {} {}\n"
    header = "batch_size_per_device = 24\ngpu_num_per_node = 1\nnum_nodes = 1\n"
    content = (
        header
        + line.format(19, "54.982", "1598056519.8844702")
        + line.format(119, "139.896", "1598056537.0029895")
    )
    run = read_log("oneflow", content.encode())
    found = measure_run(run, "throughput", "step", Protocol())
    assert found is not None
    assert round(found.value, 2) == 140.2  # published
    assert found.window is not None
    assert (found.window.first, found.window.last) == (21, 120)


def test_insightface_has_only_rates() -> None:
    content = "".join(f"train: iter {step}, loss 40.1, throughput: {240 + step}.5\n" for step in (1, 2, 3))
    run = read_log("oneflow", content.encode())
    assert line_rows(series_of(run, "throughput", "printed")) == [
        (1, 1, 241.5, 1),
        (2, 1, 242.5, 2),
        (3, 1, 243.5, 3),
    ]


def test_wide_and_deep_calls_the_global_batch_batch_size() -> None:
    content = (
        "num_nodes = 1\ngpu_num_per_node = 4\nbatch_size = 16384\ndeep_vocab_size = 3200000\n"
        "100 time 1602836839.6445205 loss 0.5471092355251312 \n"
        "1100 time 1602836869.3806155 loss 0.4920539349317551\n"
    )
    run = read_log("oneflow", content.encode())
    (entry,) = line_rows(series_of(run, "step_time", "timestamp"))
    assert entry == (1100, 1000, 29.736095, 6)  # 29.736 ms an iteration, as DLPerf has it
    assert (run.factors["batch_size"], run.factors["devices"], run.samples_per_step) == (4096, 4, 16384)


def test_wide_and_deep_models_print_a_mean_latency() -> None:
    line = "[rank:0] iter: {}/{}, loss: 0.0831875279545784, latency(ms): {} | 2021-12-01 {}\n"
    content = (
        "batch_size = 16384\nbatch_size_per_proc = 2048\nnum_nodes = 1\n"
        + line.format(100, 200, "81.5", "23:59:59.500")
        + line.format(200, 200, "20.25", "23:59:59.900")
    )
    run = read_log("oneflow", content.encode())
    assert line_rows(series_of(run, "step_time", "printed")) == [(100, 100, 8.15, 4), (200, 100, 2.025, 5)]
    assert line_rows(series_of(run, "step_time", "timestamp")) == [(200, 100, 0.4, 5)]
    assert (run.factors["devices"], run.factors["batch_size"], run.status) == (8, 2048, "complete")


def test_a_gpt_table_that_ends_early_is_partial() -> None:
    content = (
        "  global_batch_size ............................... 512\n"
        "  train_iters ..................................... 100\n"
        "| step     | micro_batches   | samples         | throughput | latency    | loss       |\n"
        "| -------- | --------------- | --------------- | ---------- | ---------- | ---------- |\n"
        "| 10       | 320             | 5120            | 35.88042   | 14.26962   | 11.23708   |\n"
        "| 20       | 640             | 10240           | 39.02016   | 13.12142   | 10.43741   |\n"
    )
    run = read_log("oneflow", content.encode())
    times = series_of(run, "step_time", "printed")
    assert line_rows(times) == [(10, 10, 142.6962, 5), (20, 10, 131.2142, 6)]
    assert times.samples.tolist() == [5120, 5120]
    assert (run.status, run.factors["global_batch_size"]) == ("partial", 512)
    assert [finding.message for finding in run.findings] == ["the log ends at step 20 of 100"]


def test_the_gpt_excerpt_of_the_corpus(corpus: Path) -> None:
    (run,) = load_runs(
        [corpus / "dlperf" / "excerpts" / "oneflow_gpt_4n8d_dp2_mp4_pp4.log"], root=corpus
    ).runs
    assert (run.status, run.samples_per_step, run.factors["devices"], run.factors["nodes"]) == (
        "complete",
        512,
        32,
        4,
    )
    assert run.factors["seq_len"] == 2048
    (memory,) = run.aggregates
    assert (memory.value, memory.n) == (11958 * 2**20, 8)
    found = measure_run(run, "throughput", "step", Protocol(warmup=20, measure=80))
    assert found is not None
    # 80 x 512 over the latencies of the last eight lines.
    latencies = (13.12469, 13.12390, 13.12932, 13.12500, 13.11330, 13.11041, 13.11229, 13.12494)
    assert found.value == pytest.approx(80 * 512 / (10 * sum(latencies)))
