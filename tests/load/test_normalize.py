"""Reserved factor names, values out of range and impossible aggregates are normalised for every format."""

import math
from dataclasses import replace

import pytest

from reportgen.core.model import Aggregate, Source
from reportgen.load.normalize import normalize_run
from tests.builders import run


def test_a_valid_run_is_unchanged() -> None:
    valid = run(factors={"model": "x", "xla": True, "devices": 8, "lr": 0.1})
    assert normalize_run(valid) is valid


@pytest.mark.parametrize("name", ["metric", "phase", "repeat"])
def test_a_factor_with_a_reserved_name_is_renamed(name: str) -> None:
    found = normalize_run(run(factors={name: "warm", "model": "x"}))
    assert found.factors == {f"{name}_factor": "warm", "model": "x"}
    (finding,) = found.findings
    assert finding.rule == "read.label-conflict"
    assert finding.message == (
        f"{name} is reserved: this factor is called {name}_factor instead; rename it in labels.toml"
    )


def test_an_accent_is_written_in_one_way() -> None:
    assert normalize_run(run(factors={"model": " cafe\u0301"})).factors == {"model": "caf\u00e9"}


def test_the_new_name_is_not_one_of_the_log() -> None:
    assert normalize_run(run(factors={"phase": 1, "phase_factor": 2})).factors == {
        "phase_factor_": 1,
        "phase_factor": 2,
    }


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 2**63, -(10**400)])
def test_a_number_out_of_range_is_kept_as_text(value: float) -> None:
    found = normalize_run(run(factors={"n": value}, environment={"x": value}))
    assert (found.factors, found.environment) == ({"n": str(value)}, {"x": str(value)})
    assert [one.message for one in found.findings] == ["n: not a finite number of 64 bits; kept as text"]


def figure(metric: str, value: float) -> Aggregate:
    return Aggregate(
        metric, value=value, original=f"{1000 * value:g}", statistic="published", source=Source("t.csv", 4)
    )


@pytest.mark.parametrize("metric", ["step_time", "throughput", "time_to_train"])
def test_a_step_without_time_and_a_rate_of_nothing_are_left_out(metric: str) -> None:
    found = normalize_run(run(figure(metric, 0.0)))
    assert math.isnan(found.aggregates[0].value)
    assert [one.message for one in found.findings] == [f'{metric} (step) is zero: "0"; not used']


@pytest.mark.parametrize("metric", ["latency", "bandwidth"])
def test_a_time_or_rate_of_0_that_was_measured_is_kept(metric: str) -> None:
    rounded = replace(figure(metric, 0.0), is_rounded=True)
    found = normalize_run(run(rounded))
    assert (found.aggregates, found.findings) == ((rounded,), ())


def test_a_phase_may_take_less_time_than_its_digits_show() -> None:
    valid = run(replace(figure("step_time", 0.0), phase="data_loading"))
    assert normalize_run(valid) is valid


@pytest.mark.parametrize("metric", ["step_time", "throughput", "latency", "flops", "bandwidth"])
def test_a_negative_time_or_rate_is_left_out(metric: str) -> None:
    good = figure("loss", -0.5)
    found = normalize_run(run(figure(metric, -0.003), good))
    assert [one.metric for one in found.aggregates if math.isfinite(one.value)] == ["loss"]
    assert [one.original for one in found.aggregates] == ["-3", "-500"]
    (finding,) = found.findings
    assert (finding.severity, finding.rule, str(finding.source)) == (
        "warning",
        "read.malformed-line",
        "t.csv:4",
    )
    assert finding.message == f'{metric} (step) is negative: "-3"; not used'


@pytest.mark.parametrize(
    ("metric", "value"), [("memory_used", 0.0), ("loss", -1.0), ("temperature", -3.0), ("time_saved", -2.0)]
)
def test_a_possible_value_is_kept(metric: str, value: float) -> None:
    valid = run(figure(metric, value))
    assert normalize_run(valid) is valid


def test_a_count_as_text_is_a_number_and_spaces_around_text_are_removed() -> None:
    """Two rows "8" of one table would look like one case."""
    factors = {"devices": "8", "batch_size": " 32 ", "precision": "fp16 ", "model": "8", "seq_len": "007"}
    found = normalize_run(run(factors=factors))
    assert found.factors == {
        "devices": 8,
        "batch_size": 32,
        "precision": "fp16",
        "model": "8",
        "seq_len": "007",
    }
