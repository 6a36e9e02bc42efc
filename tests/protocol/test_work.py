"""The work of a step by the log and by its labels must be possible together."""

from typing import Any

from reportgen.core.model import Run
from reportgen.protocol import measure_run
from tests.builders import SHORT, run, series
from tests.each_of import each_row


def said(samples: float, ranks: int | None = None, **factors: Any) -> list[tuple[str, str]]:
    """Return severity and message of what is wrong with a run whose steps have so many samples."""
    made: Run = run(series([1.0] * 20, samples=samples), factors=factors, ranks=ranks)
    measured = measure_run(made, "step_time", "step", SHORT)
    assert measured
    return [(each.severity, each.message) for each in measured.findings if each.rule == "rate.contradiction"]


@each_row(
    [
        (32, {"batch_size": 32}),
        (256, {"batch_size": 32, "devices": 8, "ranks": 8}),
        (256, {"batch_size": 32, "devices": 8}),  # one process that drives eight devices
        (32, {"batch_size": 64, "gradient_accumulation_steps": 2}),  # a line for each accumulated batch
        (32, {"global_batch_size": 64, "gradient_accumulation_steps": 2}),
        (64, {"global_batch_size": 64, "micro_batch_size": 8}),
        (16384, {"item": "token", "batch_size": 32, "seq_len": 512}),
        (512, {"item": "token", "seq_len": 512}),
        (8, {"nodes": 2, "devices_per_node": 4, "devices": 8, "batch_size": 1}),
        (8, {"batch_size": True, "micro_batch_size": "64"}),
    ]
)
def test_work_that_one_reading_explains_is_not_named(samples: float, factors: dict[str, Any]) -> None:
    assert said(samples, factors.pop("ranks", None), **factors) == []


@each_row(
    [
        (
            32,
            {"item": "token", "batch_size": 32, "seq_len": 512},
            "invalid",
            "32 sequences of 512 are 16,384",
        ),
        (32, {"item": "token", "seq_len": 512}, "invalid", "1 sequence of 512 are 512"),
        (32, {"micro_batch_size": 64}, "invalid", "fewer than the micro-batch of 64"),
        (512, {"batch_size": 1, "devices": 1, "seq_len": 512}, "invalid", "these are its 1 x 512 tokens"),
        (32, {"batch_size": 64}, "warning", "32 samples by the log, fewer than the batch of 64"),
        (32, {"global_batch_size": 64}, "warning", "and the global batch is 64"),
        (3200, {"batch_size": 32, "devices": 1}, "warning", "32 by its factors (batch_size 32, devices 1)"),
        (32, {"devices": 8, "ranks": 2}, "warning", "the factor says 8 devices, and 2 ranks ran"),
        (
            32,
            {"nodes": 2, "devices_per_node": 4, "devices": 4},
            "warning",
            "are 8, and the factor says 4 devices",
        ),
    ]
)
def test_work_that_cannot_be_is_named(
    samples: float, factors: dict[str, Any], severity: str, message: str
) -> None:
    ((found, text),) = said(samples, factors.pop("ranks", None), **factors)
    assert found == severity
    assert message in text
