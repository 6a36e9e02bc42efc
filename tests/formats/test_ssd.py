"""SSD in benchmark mode: each rank's own summary."""

import pytest

from tests.builders import read_log, throughput_of

SETTINGS = b"DLL 2021-06-26 19:49:53.195839 - PARAMETER dataset path : /data  epochs : 1  batch size : 88  eval batch size : 32\n"


def ranks(unit: bytes) -> bytes:
    return b"".join(
        b"DLL 2021-06-26 19:52:43.266538 - () avg_img/sec : 122.5%s med_img/sec : 122.6%s\n"
        b"Done benchmarking. Total images: 8800\ttotal time: 71.8\tAverage images/sec: 122.5\tMedian images/sec: 122.%d\n"
        % (unit, unit, 6 + rank)
        for rank in range(2)
    )


TOTAL = b"Training performance = 245.25 FPSWARNING:root:DALI iterator does not support resetting\n"


@pytest.mark.parametrize(
    ("content", "value"),
    [
        (SETTINGS + ranks(b" ") + TOTAL, 245.25),
        (SETTINGS + ranks(b" images/s") + TOTAL, 122.7),
        (b"\r  2%|   | 1.68M/97.8M [00:00<00:05, 17.6MB/s]\n" + ranks(b"") + TOTAL, 245.25),
    ],
)
def test_the_figure_of_the_job_depends_on_the_units(content: bytes, value: float) -> None:
    run = read_log("ssd", content)
    assert (run.status, run.series, throughput_of(run)) == ("complete", (), value)
    assert run.aggregates[0].statistic == "median"


def test_settings_give_the_batch_of_a_device() -> None:
    run = read_log(
        "ssd", SETTINGS + ranks(b" ") + TOTAL, beside={"benchmark.para": b"GLOBAL_BATCH 176\nGPU 2\n"}
    )
    assert run.factors == {"model": "SSD", "item": "image", "batch_size": 88, "devices": 2}


def test_downloads_can_precede_everything_else() -> None:
    bars = (
        b'Downloading: "https://download.pytorch.org/models/resnet50-19c8e357.pth" to x\n' + b"\r 1%|" * 20000
    )
    assert read_log("ssd", bars + b"\n" + ranks(b"") + TOTAL).status == "complete"


def test_a_crash_before_the_summary_is_a_failure() -> None:
    assert read_log("ssd", SETTINGS + b"malloc(): smallbin double linked list corrupted\n").status == "failed"
