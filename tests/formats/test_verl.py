"""verl: stages inside a step, validation inside a step, and numbers as NumPy prints them."""

import numpy as np
import pytest

from tests.builders import read_log, series_of, step_rows
from tests.formats.valid_logs import VERL

LINE = b"step:%d - timing_s/gen:%s - timing_s/step:%s - perf/total_num_tokens:%s - perf/throughput:%s\n"


def test_a_step_with_a_validation_has_no_time():
    run = read_log("verl", VERL)
    times = series_of(run, "step_time", "host")
    assert times.value.tolist() == pytest.approx([np.nan, 100], nan_ok=True)
    assert times.samples.tolist() == [800000, 960000]
    rates = series_of(run, "throughput_per_device").value.tolist()
    assert rates == pytest.approx([np.nan, 1200], nan_ok=True)


def test_a_step_with_a_checkpoint_has_no_time():
    log = VERL.replace(b"timing_s/testing", b"timing_s/save_checkpoint")
    assert np.isnan(series_of(read_log("verl", log), "step_time").value[0])


def test_stages_are_phases():
    run = read_log("verl", VERL)
    stages = {series.phase: series.value.tolist() for series in run.series if series.metric == "step_time"}
    del stages["step"]
    assert stages == {"generation": [60, 41.2], "old_log_prob": [10, 10], "reference": [10, 10],
                      "update_actor": [15, 15]}  # fmt: skip


def test_devices_follow_from_the_rate_of_one_of_them():
    assert read_log("verl", VERL).factors == {"framework": "verl", "item": "token", "devices": 8}


def test_a_rate_that_fits_no_whole_number_of_devices_gives_none():
    log = LINE % (1, b"1.0", b"10.0", b"1000", b"66.7") + LINE % (2, b"1.0", b"10.0", b"1000", b"66.7")
    run = read_log("verl", log)
    assert "devices" not in run.factors
    assert step_rows(series_of(run, "step_time")) == [(1, 1, 10.0, 1000), (2, 1, 10.0, 1000)]
