"""llm.c: every step by CUDA events; the printed rate is a running mean from the third step on."""

from tests.builders import aggregate_of, read_log, series_of, step_rows
from tests.formats.valid_logs import LLMC


def test_every_step_has_its_time_and_the_head_gives_the_factors():
    run = read_log("llmc", LLMC)
    assert step_rows(series_of(run, "step_time", "cuda_event")) == [
        (1, 1, 4.096, 524288), (2, 1, 0.512, 524288), (3, 1, 0.5, 524288)]  # fmt: skip
    assert [one.metric for one in run.series] == ["step_time"]
    mean = aggregate_of(run, "step_time")
    assert (mean.value, mean.n, mean.source.line) == (0.506, 2, 13)
    assert run.factors == {"framework": "llm.c", "item": "token", "device": "NVIDIA A40", "precision": "bf16",
                           "model": "d12", "devices": 8, "micro_batch_size": 16, "seq_len": 1024}  # fmt: skip


def test_without_a_head_the_first_two_rates_give_the_tokens():
    steps = LLMC.partition(b"val loss 11.000000\n")[2]
    assert read_log("llmc", steps).samples_per_step == 524288
    assert read_log("llmc", steps[steps.index(b"step    3") :]).samples_per_step is None


def test_older_lines_have_other_names():
    line = b"step    %d/9 | train loss 5.356189 | norm 1.3044 | lr 1.00e-04 | 250.00 ms | 262144 tok/s\n"
    run = read_log("llmc", b"".join(line % step for step in (1, 2)))
    assert (run.samples_per_step, series_of(run, "step_time", "cuda_event").value.tolist()) == (
        65536,
        [0.25, 0.25],
    )
