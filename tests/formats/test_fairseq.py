"""fairseq: rates since the line before; a validation inside an interval leaves it without a time."""

import numpy as np
import pytest

from tests.builders import read_log, series_of
from tests.formats.valid_logs import FAIRSEQ

INNER = b"2024-05-02 10:10:43 | INFO | train_inner | epoch 001:    %d / 900 loss=9, wps=%s, ups=1, wpb=%s, num_updates=%d\n"


def test_the_time_of_an_update_is_its_tokens_over_their_rate():
    run = read_log("fairseq", FAIRSEQ)
    times = series_of(run, "step_time", "host")
    assert times.step.tolist() == [100, 200, 300, 400]
    # 100 x 12000 / 40000, 100 x 12288 / 48000, an epoch ends, 100 x 12000 / 48000
    assert times.value.tolist() == pytest.approx([30, 25.6, np.nan, 25], nan_ok=True)
    assert times.samples.tolist() == [1200000, 1228800, 1200000, 1200000]
    rates = series_of(run, "throughput", "printed")
    assert rates.value.tolist() == pytest.approx([40000, 48000, np.nan, 48000], nan_ok=True)


def test_the_head_has_the_factors():
    assert read_log("fairseq", FAIRSEQ).factors == {
        "framework": "fairseq", "item": "token", "model": "transformer_wmt_en_de", "devices": 8, "max_tokens": 4096,
    }  # fmt: skip


@pytest.mark.parametrize("line", [
    b"2024-05-02 10:10:50 | INFO | fairseq_cli.train | begin validation on \"valid\" subset\n",
    b"2024-05-02 10:10:50 | INFO | valid | epoch 001 | valid on 'valid' subset | loss 8 | wps 99999 | num_updates 15\n",
    b'2024-05-02 10:10:50 | INFO | valid | {"epoch": 1, "valid_loss": "8", "valid_wps": "99999"}\n',
])  # fmt: skip
def test_an_interval_with_a_validation_has_no_time(line):
    log = (
        INNER % (10, b"100", b"50", 10)
        + line
        + INNER % (20, b"10", b"50", 20)
        + INNER % (30, b"100", b"50", 30)
    )
    times = series_of(read_log("fairseq", log), "step_time")
    assert times.value.tolist() == pytest.approx([5, np.nan, 5], nan_ok=True)


def test_a_rate_of_zero_is_not_a_time():
    log = INNER % (10, b"0", b"50", 10) + INNER % (20, b"25", b"50", 20)
    assert series_of(read_log("fairseq", log), "step_time").value.tolist() == pytest.approx(
        [np.nan, 20], nan_ok=True
    )
