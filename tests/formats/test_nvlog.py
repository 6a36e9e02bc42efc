"""NVLOG lines, as NVIDIA's NCF and Tacotron 2 printed them until 2020."""

import numpy as np
import pytest

from tests.builders import read_log, series_of, throughput_of

PLACE = b"(/workspace/tacotron2/dllogger/logger.py:251)"


def line(time: float, text: bytes, model: bytes = b"Tacotron2_PyT", place: bytes = PLACE) -> bytes:
    return b":::NVLOGv0.2.2 %s %.9f %s %s\n" % (model, time, place, text)


def waveglow(steps: int) -> bytes:
    lines = [
        line(1.0e9, b'args: {"model_name": "WaveGlow", "batch_size": 4, "world_size": 2}'),
        line(1.0e9, b'gpu_info: {"driver_version": "440.44", "num": 8, "name": ["V100", "V100"]}'),
        line(1.0e9, b"train_epoch_start: 0"),
    ]
    for step in range(steps):
        if step == 22:
            lines.append(line(1.0e9 + 21.5, b"train_epoch_start: 1"))
        # Not all in whole seconds: a clock of seconds is too coarse for this window.
        at = 1.0e9 + 1 + step + (9 if step >= 22 else 0) + 0.25 * (step in (5, 25))
        lines.append(line(at, b"train_iter_items/sec: %d" % (25000 + step)))
    lines.append(line(1.0e9 + 1000, b"train_epoch_avg_items/sec: 24906.5"))
    return b"".join([*lines, line(1.0e9 + 1001, b"run_final")])


def test_long_runs_are_measured_in_utterances_without_time_between_epochs() -> None:
    run = read_log("nvlog", waveglow(30))
    assert run.factors == {
        "model": "WaveGlow",
        "item": "utterance",
        "device": "V100",
        "batch_size": 4,
        "devices": 2,
    }
    assert (run.environment, run.samples_per_step) == ({"driver": "440.44"}, 8.0)
    assert throughput_of(run) == pytest.approx(8.0)
    assert [border.step for border in series_of(run, "step_time").breaks] == [22]
    np.testing.assert_allclose(series_of(run, "item_rate").value[:2], [25000, 25001])


def test_few_steps_leave_the_programs_own_figure_in_items() -> None:
    run = read_log("nvlog", waveglow(12))
    assert (run.factors["item"], run.samples_per_step, len(series_of(run, "item_rate").step)) == (
        "item",
        None,
        12,
    )
    assert throughput_of(run) == 24906.5


def test_ncf_names_its_best_epoch_and_lines_written_twice_count_once() -> None:
    lines = [
        line(1.0e9, b'args: {"batch_size": 1000, "world_size": 1}', b"ncf", b"(ncf.py:174)"),
        line(1.0e9 + 5, b"train_throughput: 4269755.25", b"ncf", b"(ncf.py:318)"),
        line(1.0e9 + 9, b"best_train_throughput: 5216679.5", b"ncf", b"(ncf.py:350)"),
    ]
    run = read_log("nvlog", b"".join(text + b"DEBUG:nv_dl_logger:" + text for text in lines))
    assert run.factors == {"model": "NCF", "item": "sample", "batch_size": 1000, "devices": 1}
    assert (run.status, [aggregate.value for aggregate in run.aggregates]) == ("complete", [5216679.5])


def test_an_epoch_of_ncf_takes_the_time_since_its_start() -> None:
    head = line(1.0e9, b'args: {"batch_size": 1000, "world_size": 1}', b"ncf", b"(ncf.py:174)")
    events = [(0, b"train_epoch_start: 0"), (5, b"train_throughput: 100.5"), (6, b"train_epoch_start: 1")]
    events += [(6.25, b"train_throughput: 2000.5"), (9, b"best_train_throughput: 2000.5")]
    lines = [line(1.0e9 + at, event, b"ncf", b"(ncf.py:318)") for at, event in events]
    (best,) = read_log("nvlog", head + b"".join(lines)).aggregates
    assert (best.value, best.time) == (2000.5, 0.25)


def test_ncf_killed_in_its_second_epoch_has_no_rate_of_the_warm_up() -> None:
    head = line(1.0e9, b'args: {"batch_size": 1000, "world_size": 1}', b"ncf", b"(ncf.py:174)")
    first = line(1.0e9 + 5, b"train_throughput: 4269755.25", b"ncf", b"(ncf.py:318)")
    run = read_log("nvlog", head + first)
    assert (run.status, run.aggregates) == ("partial", ())


def test_a_run_without_steps_failed() -> None:
    run = read_log(
        "nvlog", line(1.0e9, b"run_start", b"ncf", b"(ncf.py:1)") + b"Traceback (most recent call last):\n"
    )
    assert run.status == "failed"
