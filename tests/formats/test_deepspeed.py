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


ENGINE = (
    b"[2023-08-09 10:00:%02d,100] [INFO] [logging.py:96:log_dist] [Rank 0] step=%d, skipped=0, lr=[9e-06], mom=[]\n"
    b"[2023-08-09 10:00:%02d,200] [INFO] [timer.py:199:stop] epoch=0/micro_step=%d/global_step=%d, "
    b"RunningAvgSamplesPerSec=87.5, CurrSamplesPerSec=%.1f, MemAllocated=9.0GB, MaxMemAllocated=13.0GB\n"
)
CHAT = (
    b"Epoch: 0 | Step: %d | PPO Epoch: 1 | Actor Loss: 0.01 | Critic Loss: 0.02 | Unsupervised Loss: 0.0\n"
    b"End-to-End => Latency: 3.79s, TFLOPs: 4.01, Samples/sec: 16.89, Time/seq 0.06s, Batch Size: 64, "
    b"Total Seq. Length: 512\n"
    b"Generation => Latency: 2.30s, Per-token Latency 8.98 ms, TFLOPs: 0.85, BW: 300.10 GB/sec, "
    b"Answer Seq. Length: 256\n"
    b"Training   => Latency: 1.49s, TFLOPs: 8.85\n"
    b"Actor Model Parameters => 1.429 B, Critic Model Parameters => 0.331 B\n"
    b"Average reward score: 0.5\n"
    b"-------------------------------------------------------------------------------------\n"
)
HYBRID = (
    b"|E2E latency=3.79s |Gather latency=0.00s (0.00%%) |Generate time=2.30s (60.69%%) |Training time=1.23s (32.45%%) "
    b"|Others=0.26 (6.86%%)|CurSamplesPerSec=16.89 |AvgSamplesPerSec=16.80\n"
    b"epoch: 0|step: %d|ppo_ep: 1|act_loss: 0.01|cri_loss: 0.02|unsuper_loss: 0.0\n"
)


def engines(step):
    """The lines of actor and critic for a step."""
    second = 4 * step
    return b"".join(ENGINE % (second, step, second, step, step, rate) for rate in (87.5, 140.0))


def test_a_step_of_rlhf_is_the_whole_step_and_not_that_of_an_engine():
    run = read_log("deepspeed", b"".join(engines(step) + CHAT % (step - 1) for step in range(1, 11)))
    assert step_rows(series_of(run, "step_time", "printed"))[:2] == [(1, 1, 3.79, 64), (2, 1, 3.79, 64)]
    assert step_rows(series_of(run, "throughput", "printed"))[0] == (1, 1, 16.89, 64)
    phases = [
        series_of(run, "step_time", "printed", phase=name).value[0] for name in ("generation", "training")
    ]
    assert phases == [2.3, 1.49]
    assert {each.metric for each in run.series} == {"step_time", "throughput"}
    assert (len(series_of(run, "step_time", "printed").step), run.samples_per_step) == (10, 64)


def test_older_steps_of_rlhf_give_the_batch_by_time_and_rate():
    run = read_log("deepspeed", b"".join(engines(step) + HYBRID % (step - 1) for step in range(1, 11)))
    assert step_rows(series_of(run, "step_time", "printed"))[0] == (1, 1, 3.79, 64)
    assert series_of(run, "step_time", "printed", phase="training").value[0] == 1.23


def test_the_timers_of_two_engines_are_not_a_rate_of_a_step():
    config = b"[2023-08-09 10:00:00,000] [INFO] [config.py:960:print]   train_batch_size ............. 64\n"
    run = read_log("deepspeed", config + b"".join(engines(step) for step in range(1, 11)))
    (times,) = run.series
    assert (times.metric, times.clock, run.samples_per_step) == ("step_time", "timestamp", None)
    assert step_rows(times)[0][:3] == (2, 1, 4.0)
