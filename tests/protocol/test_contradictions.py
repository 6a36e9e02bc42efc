"""Logs whose times or work contradict each other print no number, or say so."""

import numpy as np
import pytest

from reportgen.core.model import Break, Run
from reportgen.protocol import parse_protocol
from tests.builders import attempt, messages, run, series

TEN = parse_protocol("0+10x1", "test")


def outcome(found: Run, metric: str = "step_time") -> tuple[float | None, list[tuple[str, str]]]:
    """Return the number, and the (severity, message) of the contradictions."""
    measurement, findings = attempt(found, metric, "step", TEN)
    all_findings = measurement.findings if measurement else findings
    found_ones = [each for each in all_findings if each.rule.endswith(".contradiction")]
    return measurement.value if measurement else None, [(each.severity, each.message) for each in found_ones]


def timed(begin: list[float], value: list[float], **fields: object) -> Run:
    return run(series(value, begin=begin, **fields))  # type: ignore[arg-type]


EVERY_SECOND = [float(i) for i in range(10)]


def test_steps_that_touch_are_measured() -> None:
    assert outcome(timed(EVERY_SECOND, [1.0] * 10)) == (1.0, [])


# Nine pairs: 9 s of durations less 4.5 s between the begins.
def test_steps_that_overlap_print_no_number() -> None:
    value, found = outcome(timed([i / 2 for i in range(10)], [1.0] * 10))
    assert value is None
    message = "rank 0: steps 1..10 take 9 s and begin before the step before them ends, by 4.5 s together"
    assert found == [("invalid", message)]


def test_time_that_belongs_to_no_step_prints_no_number() -> None:
    value, found = outcome(timed(EVERY_SECOND, [1.0, 0.0] * 5), "throughput")
    assert value is None
    ((severity, message),) = found
    assert severity == "invalid"
    assert message.endswith(
        "take 5 s and leave 4 s between them that belong to no step and no declared break"
    )


def test_begins_that_go_backwards_print_no_number() -> None:
    value, found = outcome(timed(EVERY_SECOND[::-1], [1.0] * 10))
    assert value is None
    assert len(found) == 1


# 0.18 s of 9 s are 2 %.
def test_a_small_share_of_time_without_a_step_is_a_warning() -> None:
    value, found = outcome(timed([1.02 * i for i in range(10)], [1.0] * 10))
    assert value == 1.0
    assert [severity for severity, _ in found] == ["warning"]


@pytest.mark.parametrize("step", [5, 6])
def test_time_of_a_declared_break_contradicts_nothing(step: int) -> None:
    begin = [float(i) if i < 6 else i + 30.0 for i in range(10)]
    breaks = (Break(step if step == 6 else 5, "evaluation", 30.0),)
    entry = timed(begin, [1.0] * 10, breaks=breaks)
    assert outcome(entry) == (1.0, [])


def test_steps_that_do_not_follow_each_other_may_have_time_between_them() -> None:
    steps = [1, 2, 3, 4, 5, 7, 8, 9, 10]
    assert outcome(timed([float(i) for i in steps], [1.0] * 9, step=steps)) == (1.0, [])


def test_a_phase_longer_than_its_step_prints_no_number() -> None:
    value, found = outcome(run(series([1.0] * 10), series([2.0] * 10, "forward")))
    assert value is None
    assert found == [("invalid", "rank 0: forward takes 20 s in measured steps that take 10 s")]


def test_a_phase_as_long_as_its_step_is_measured() -> None:
    assert outcome(run(series([1.0] * 10), series([1.005] * 10, "forward"))) == (1.0, [])


def test_a_phase_by_another_clock_is_not_compared() -> None:
    parts = series([1.0] * 10), series([2.0] * 10, "forward", clock="cuda_event")
    assert outcome(run(*parts)) == (1.0, [])


@pytest.mark.parametrize(
    ("factors", "is_named"),
    [
        ({"batch_size": 32, "devices": 1}, True),
        ({"batch_size": 32, "devices": 2}, False),
        ({"batch_size": 32, "devices": 1, "gradient_accumulation_steps": 2}, False),
        ({"batch_size": 32}, False),
        ({"batch_size": 32, "devices": 1, "item": "token"}, False),
    ],
)
def test_more_samples_than_batch_and_devices_are_named(factors: dict[str, object], is_named: bool) -> None:
    value, found = outcome(run(series([1.0] * 10), samples_per_step=64.0, factors=factors), "throughput")
    assert value == 64.0
    expected = "a step has 64 samples by the log, 32 by its factors (batch_size 32, devices 1)"
    assert found == ([("warning", expected)] if is_named else [])


def test_what_does_not_depend_on_step_times_is_still_measured() -> None:
    loss = series(list(np.arange(10.0)), metric="loss")
    overlapping = series([1.0] * 10, begin=[i / 2 for i in range(10)])
    measurement, findings = attempt(run(overlapping, loss), "loss", "step", TEN)
    assert measurement is not None
    assert not messages(findings, "clock.contradiction")
