"""arcface_torch's log: rates of all GPUs, stamps, settings, verification between the lines."""

import pytest

from tests.builders import line_rows, read_log, series_of

SETTINGS = "".join(
    f"Training: 2024-05-06 07:08:09,415-: {name:25}{value}\n"
    for name, value in (("network", "r50"), ("batch_size", 64), ("fp16", True), ("total_batch_size", 512))
)


def line(clock: str, step: int, rate: str, rest: str = "   LearningRate 0.1000") -> str:
    return (
        f"Training: 2024-05-06 {clock}-Speed {rate} samples/sec   Loss 34.2000{rest}   Epoch: 0   "
        f"Global Step: {step}   Fp16 Grad Scale: 65536   Required: 31 hours\n"
    )


def test_timestamps_give_times_and_printed_rates_are_kept() -> None:
    content = (
        SETTINGS
        + line("07:08:20,000", 20, "1000.00")
        + line("07:08:24,500", 40, "2500.50")
        + "Training: 2024-05-06 07:08:25,000-[lfw][40]Accuracy-Flip: 0.50000+-0.1\n"
        + line("07:09:24,500", 60, "2600.00")
    )
    run = read_log("insightface", content.encode())
    assert run.factors == {
        "framework": "PyTorch", "item": "image", "batch_size": 64, "devices": 8, "model": "r50", "precision": "amp",
    }  # fmt: skip
    assert run.samples_per_step == 512
    assert line_rows(series_of(run, "step_time", "timestamp")) == [(40, 20, 4.5, 6), (60, 20, 60, 8)]
    assert line_rows(series_of(run, "throughput", "printed")) == [
        (20, 20, 1000, 5),
        (40, 20, 2500.5, 6),
        (60, 20, 2600, 8),
    ]
    assert [(one.step, one.kind) for one in series_of(run, "throughput", "printed").breaks] == [
        (40, "evaluation")
    ]


@pytest.mark.parametrize("rest", ["", "   LearningRate 0.1000"])
def test_lines_of_the_first_version_have_no_learning_rate_and_no_settings(rest: str) -> None:
    content = line("07:08:20,000", 20, "1000.00", rest) + line("07:08:24,500", 40, "2500.50", rest)
    run = read_log("insightface", content.encode())
    assert run.factors == {"framework": "PyTorch", "item": "image"}
    assert len(run.series) == 2
