"""GNMT: means of the rates of each rank, unordered."""

import numpy as np

from tests.builders import read_log, series_of

SETTINGS = b"0: Run arguments: Namespace(batching='bucketing', bpe_codes='/x', train_batch_size=128, train_iter_size=1)\n"
TABLE = b"|**GPUs**|**Batch Size / GPU**|\n|-------:|---:|\n|       2|                 160|                      3.59|                      15409.0|            8.667|\n"


def step(rank: int, epoch: int, index: int, mean: int) -> bytes:
    return (
        b"%d: TRAIN [%d][%d/24]\tTime 1.013 (0.994)\tData 2.48e-04 (2.24e-02)\tTok/s 7 (%d)\tLoss/tok 9.1 (9.2)\n"
        % (rank, epoch, index, mean)
    )


STEPS = b"".join(
    [
        step(1, 0, 0, 0),
        step(0, 0, 0, 0),
        step(0, 0, 10, 30),
        b"scale to 1024.0",
        step(1, 0, 10, 40),
        step(1, 0, 20, 45),
        step(0, 0, 20, 33),
        b"0: VALIDATION [0][10/12]\tTime 1.0 (1.0)\tData 1 (1)\tTok/s 99 (9)\tLoss/tok 1 (1)\n",
        b"0: Performance: Epoch: 0\tTraining: 65 Tok/s\tValidation: 3 Tok/s\n",
        step(0, 1, 0, 0),
        step(1, 1, 0, 0),
        step(1, 1, 10, 60),
        step(0, 1, 10, 50),
        step(0, 1, 20, 70),
    ]
)


def test_the_means_of_all_ranks_give_the_rate_between_two_lines() -> None:
    run = read_log("gnmt", SETTINGS + STEPS + TABLE)
    assert run.factors == {"model": "GNMT", "item": "token", "batch_size": 160, "devices": 2}
    assert (run.status, run.samples_per_step) == ("complete", None)
    rates = series_of(run, "throughput")
    np.testing.assert_array_equal(rates.step, [11, 21, 35])
    np.testing.assert_array_equal(rates.span, [10, 10, 10])
    np.testing.assert_allclose(rates.value, [70, (20 * 78 - 10 * 70) / 10, 110])
    np.testing.assert_array_equal(rates.line, [4, 6, 12])


def test_the_mean_of_an_older_program_has_the_first_step_of_the_epoch() -> None:
    run = read_log("gnmt", SETTINGS + step(0, 0, 0, 40) + step(0, 0, 10, 62) + TABLE.replace(b" 2|", b" 1|"))
    rates = series_of(run, "throughput")
    np.testing.assert_array_equal(rates.step, [1, 11])
    np.testing.assert_array_equal(rates.span, [1, 10])
    np.testing.assert_allclose(rates.value, [40, (11 * 62 - 40) / 10])


def test_a_crash_after_the_first_epoch_leaves_what_was_printed() -> None:
    run = read_log("gnmt", SETTINGS + STEPS + b"RuntimeError: CUDA out of memory.\nDONE!\n")
    assert (run.status, run.factors["batch_size"], run.factors["devices"]) == ("out_of_memory", 128, 2)
    assert [aggregate.value for aggregate in run.aggregates] == [65.0]


def test_some_of_the_ranks_are_not_a_job() -> None:
    lines = STEPS.splitlines(keepends=True)
    of_one = b"".join(line for line in lines if b": TRAIN" not in line or line.startswith(b"1"))
    for log in (SETTINGS + of_one + TABLE, SETTINGS + of_one):
        run = read_log("gnmt", log)
        assert run.factors["devices"] == 2
        assert series_of(run, "throughput_per_device").value.tolist() == [45.0, 60.0]
        assert not [series for series in run.series if series.metric == "throughput"]
