"""MXNet's logs: lines as Speedometer, gluon-nlp and Partial FC print them."""

from reportgen.protocol import Protocol, measure_run
from tests.builders import line_rows, read_log, series_of


def test_ranges_give_the_steps_of_a_line_and_dates_give_times() -> None:
    content = "".join(
        f"2020-08-26 10:00:{second:02},250:INFO: Node[0] Epoch[0] Batch [{first}-{first + 20}]\t"
        f"Speed: {rate} samples/sec\taccuracy=0.1\n"
        for first, second, rate in ((0, 10, "392.24"), (20, 16, "395.50"), (40, 22, "396.00"))
    )
    run = read_log("mxnet", content.encode())
    assert line_rows(series_of(run, "throughput", "printed")) == [
        (21, 20, 392.24, 1),
        (41, 20, 395.5, 2),
        (61, 20, 396, 3),
    ]
    assert line_rows(series_of(run, "step_time", "timestamp")) == [(41, 20, 6, 2), (61, 20, 6, 3)]
    assert run.factors == {"framework": "MXNet"}


def test_the_same_batch_by_other_ranks_or_metrics_counts_once() -> None:
    content = "".join(
        f"INFO:root:Epoch[0] Batch [{batch}]\tSpeed: {rate}.5 samples/sec\tTrain-{name}=0.1\n"
        for batch, rate in ((49, 95), (99, 92))
        for name in ("accuracy", "top_k")
    )
    run = read_log("mxnet", content.encode())
    assert line_rows(series_of(run, "throughput", "printed")) == [(50, 50, 95.5, 1), (100, 50, 92.5, 3)]
    assert len(run.series) == 1


def test_steps_continue_over_epochs_with_breaks() -> None:
    content = "".join(
        f"Epoch[{epoch}] Batch[{batch}]\tSpeed: 900.32 samples/sec\n"
        for epoch in (0, 1)
        for batch in (19, 39)
    )
    found = series_of(read_log("mxnet", content.encode()), "throughput", "printed")
    assert [entry[:2] for entry in line_rows(found)] == [(20, 20), (40, 20), (60, 20), (80, 20)]
    assert [(one.step, one.kind) for one in found.breaks] == [(40, "epoch")]


def test_bert_latencies_are_times() -> None:
    content = "".join(
        f"[step {step}]\tmlm_loss= 7.1\tmlm_acc=12.1\tnsp_loss= 0.6\tnsp_acc=60.1\tthroughput=21.5K tks/s\t"
        f"lr=0.0000100 time=0.39, latency={latency} ms/batch\n"
        for step, latency in ((1, "391.7"), (2, "390.3"))
    )
    run = read_log("mxnet", content.encode())
    assert line_rows(series_of(run, "step_time", "printed")) == [(1, 1, 0.3917, 1), (2, 1, 0.3903, 2)]
    assert run.factors == {"framework": "MXNet", "item": "sequence"}
    accumulated = read_log("mxnet", b"Namespace(accumulate=4, batch_size=32)\n" + content.encode())
    assert accumulated.factors["gradient_accumulation_steps"] == 4


def test_partial_fc_prints_samples_per_second_as_it_per_second() -> None:
    content = "".join(
        f"rank-id:{rank}:2021-01-08 19:22:{second},208-Iter:{step} Rank:207.42 it/sec Total:{rate} it/sec "
        "[0][loss]:0.01\n"
        for step, second, rate in ((460, 50, "1659.38"), (480, 56, "1662.70"))
        for rank in (0, 1)
    )
    run = read_log("mxnet", content.encode())
    assert line_rows(series_of(run, "throughput", "printed")) == [(460, 20, 1659.38, 1), (480, 20, 1662.7, 3)]
    assert line_rows(series_of(run, "step_time", "timestamp")) == [(480, 20, 6, 3)]
    found = measure_run(run, "throughput", "step", Protocol())
    assert found is not None
