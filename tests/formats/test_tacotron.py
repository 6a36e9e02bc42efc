"""The DLL lines of Tacotron 2 and WaveGlow."""

import numpy as np
import pytest

from tests.builders import read_log, series_of, throughput_of

HEAD = b"""\
DLL 2021-06-26 23:13:00.000000 - PARAMETER model_name : WaveGlow
DLL 2021-06-26 23:13:00.000000 - PARAMETER batch_size : 10
DLL 2021-06-26 23:13:00.000000 - PARAMETER world_size : 2
DLL 2021-06-26 23:13:00.000000 - PARAMETER model_name : Tacotron2_PyT
"""
END = b"""\
DLL 2021-06-26 23:15:00.000000 - (0,) train_items_per_sec : 22621.5 items/s
DLL 2021-06-26 23:15:00.000000 - (0, 6, 0) val_items_per_sec : 99.0 items/s
DLL 2021-06-26 23:15:00.000000 - (0,) val_items_per_sec : 98.0 items/s
DLL 2021-06-26 23:15:00.000000 - () run_time : 120.0 s
DLL 2021-06-26 23:15:00.000000 - () train_items_per_sec : 22622.5 items/s
"""


def steps(count: int) -> bytes:
    # Not all in whole seconds: a clock of seconds is too coarse for this window.
    return b"".join(
        b"DLL 2021-06-26 23:13:%02d.000000 - (0, %d) glob_iter/iters_per_epoch : %d/31 \n"
        b"DLL 2021-06-26 23:13:%02d.50%d000 - (0, %d) train_items_per_sec : %d.5 \n"
        b"DLL 2021-06-26 23:13:%02d.600000 - (0, %d) train_iter_time : 0.9\n"
        % (i, i, i, i, i in (5, 25), i, 1000 + i, i, i)
        for i in range(count)
    )


def test_many_steps_are_measured_in_utterances() -> None:
    run = read_log("tacotron", HEAD + steps(30) + END)
    assert run.factors == {"item": "utterance", "model": "WaveGlow", "batch_size": 10, "devices": 2}
    assert (throughput_of(run), run.aggregates, run.status) == (pytest.approx(20.0), (), "complete")
    np.testing.assert_array_equal(series_of(run, "item_rate").step, np.arange(1, 31))


def test_few_steps_leave_the_last_training_figure_in_items() -> None:
    run = read_log("tacotron", HEAD + steps(3) + END)
    assert (run.factors["item"], throughput_of(run), len(series_of(run, "item_rate").step)) == (
        "item",
        22622.5,
        3,
    )


def test_a_crash_after_the_first_step_leaves_no_rate() -> None:
    run = read_log("tacotron", HEAD + steps(1) + b"RuntimeError: CUDA out of memory.\n")
    assert (run.status, [aggregate.value for aggregate in run.aggregates]) == ("out_of_memory", [])
