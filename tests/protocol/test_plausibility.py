"""Steps that are faster than any device can be print no number."""

from typing import Any

import pytest

from reportgen.core.devices import find_device
from reportgen.core.model import Run
from reportgen.protocol import parse_protocol
from tests.builders import attempt, messages, run, series
from tests.each_of import each_row

TEN = parse_protocol("0+10x1", "test")


def refused(found: Run, metric: str = "throughput") -> list[str]:
    """Return why there is no number; nothing if there is one."""
    measurement, findings = attempt(found, metric, "step", TEN)
    reasons = messages(findings, "clock.implausible")
    assert (measurement is None) == bool(reasons)
    return reasons


@pytest.mark.parametrize(("seconds", "is_refused"), [(1e-9, True), (2e-7, False)])
def test_a_step_shorter_than_any_call_is_refused(seconds: float, is_refused: bool) -> None:
    message = "a step takes 1e-09 s, less than the start of a single kernel"
    assert refused(run(series([seconds] * 10), samples_per_step=32.0)) == ([message] if is_refused else [])


def test_a_timed_function_without_samples_may_take_a_nanosecond() -> None:
    assert refused(run(series([1e-9] * 10)), "step_time") == []


def counted(tera_operations: float, **factors: Any) -> Run:
    """Return a run with steps of one second that do so much work on a rank."""
    work = series([tera_operations * 1e12] * 10, metric="operations")
    return run(series([1.0] * 10), work, samples_per_step=1.0, factors=factors)


@pytest.mark.parametrize(
    ("tera_operations", "factors", "peak"),
    [
        (400, {"device": "A100", "precision": "amp"}, 312),
        (200, {"device": "NVIDIA A100-SXM4-80GB", "precision": "fp32"}, 156),
        (2500, {"device": "H100"}, 1979),
    ],
)
def test_more_operations_than_the_peak_are_refused(
    tera_operations: float, factors: dict[str, Any], peak: int
) -> None:
    (message,) = refused(counted(tera_operations, **factors))
    assert message.startswith(f"{tera_operations} TFLOP/s on each device; the peak of ")
    assert message.endswith(f" is {peak} TFLOP/s")
    assert refused(counted(tera_operations, **factors), "flops") == [message]


@pytest.mark.parametrize(
    ("tera_operations", "factors"),
    [
        (380, {"device": "A100", "precision": "amp"}),  # a clock above that of the data sheet
        (400, {"device": "A100", "precision": "amp", "devices": 2}),
        (4000, {"device": "unknown"}),
    ],
)
def test_operations_below_the_peak_or_of_unknown_devices_are_measured(
    tera_operations: float, factors: dict[str, Any]
) -> None:
    assert refused(counted(tera_operations, **factors)) == []


@each_row(
    [
        ("Tesla V100-SXM2-16GB", "V100"),
        ("NVIDIA H100 80GB HBM3", "H100"),
        ("NVIDIA GH200 480GB", "GH200"),
        ("L40S", "L40S"),
        ("L40", "L40"),
        ("V100S-PCIE-32GB", "V100"),
        ("RTX A4000", None),
        ("A100 + V100", None),
        ("CPU", None),
    ]
)
def test_a_device_is_found_by_its_model(text: str, name: str | None) -> None:
    device = find_device(text)
    assert (device.name if device else None) == name
