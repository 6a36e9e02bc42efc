"""DeepSpeed: times from timestamps, the timer's rates beside them, the pipeline engine's own line."""

import pytest

from reportgen.formats.detection import detect
from reportgen.sources.logfiles import LogFiles
from tests.builders import aggregate_of, read_log, series_of, step_rows
from tests.formats.valid_logs import DEEPSPEED, MEGATRON


def test_timestamps_give_times_and_printed_rates_are_kept():
    run = read_log("deepspeed", DEEPSPEED)
    assert step_rows(series_of(run, "step_time", "timestamp")) == [(20, 10, 5.0, 640), (30, 10, 5.0, 640)]
    assert step_rows(series_of(run, "throughput", "printed")) == [(10, 1, 256.0, 64), (20, 1, 260.0, 64)]
    assert run.factors == {"framework": "DeepSpeed", "item": "sample", "batch_size": 16, "devices": 4, "nodes": 1,
                           "micro_batch_size": 4, "precision": "fp16", "zero_stage": 2}  # fmt: skip


def test_the_pipeline_engine_prints_means_since_the_previous_line():
    lines = b"".join(
        b"steps: %d loss: 2.3026 iter time (s): 0.5 samples/sec: 128.0\n" % step for step in (10, 20)
    )
    run = read_log("deepspeed", lines)
    assert step_rows(series_of(run, "step_time", "host_synchronized")) == [
        (10, 10, 5.0, 640),
        (20, 10, 5.0, 640),
    ]


def test_the_running_mean_of_2020_is_an_aggregate():
    run = read_log("deepspeed", b"worker-0: [INFO 2020-02-06 19:53:56] 0/50, SamplesPerSec=1292.5\n"
                                b"worker-0: [INFO 2020-02-06 19:53:57] 0/100, SamplesPerSec=1303.5\n")  # fmt: skip
    assert (run.series, aggregate_of(run, "throughput").value, run.status) == ((), 1303.5, "complete")


def test_megatron_lines_have_precedence():
    claimed = detect(LogFiles.of({"x": DEEPSPEED + MEGATRON}).file("x"))
    assert claimed is not None
    assert claimed.format.name == "megatron"


@pytest.mark.parametrize(
    "names", [b"SamplesPerSec=83.5", b"RunningAvgSamplesPerSec=83.5, CurrSamplesPerSec=81.5"]
)
def test_the_running_mean_of_2022_is_an_aggregate_in_addition_to_steps(names):
    log = b"".join(b"[2022-03-11 02:00:%02d,500] [INFO] [logging.py:69:log_dist] [Rank 0] step=%d, skipped=2, lr=[5e-05]\n"
                   b"[2022-03-11 02:00:%02d,500] [INFO] [timer.py:189:stop] 0/%d, %b, MemAllocated=0.3GB\n"
                   % (step, step, step, step, names) for step in (20, 30, 40))  # fmt: skip
    run = read_log("deepspeed", log)
    assert step_rows(series_of(run, "step_time", "timestamp")) == [(30, 10, 10.0, -1), (40, 10, 10.0, -1)]
    assert (aggregate_of(run, "throughput").value, aggregate_of(run, "throughput").source.line) == (83.5, 6)


def test_the_pipeline_engine_prints_several_losses():
    line = b"steps: 100 loss: 5.5508 lm loss: 5.5103 moe loss: 0.0405 iter time (s): 0.5 samples/sec: 128.0\n"
    assert step_rows(series_of(read_log("deepspeed", line), "step_time", "host_synchronized")) == [
        (100, 1, 0.5, 64)
    ]
