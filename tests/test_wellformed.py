"""Factors that no table could address or no program could hold, whoever read them."""

import pytest

from reportgen.model import FactorValue, Run, Source
from reportgen.wellformed import wellformed


def run(environment: dict[str, FactorValue] | None = None, **factors: FactorValue) -> Run:
    return Run("r", "x", Source("r.log"), factors, environment=environment or {})


def test_a_run_without_fault_is_returned_as_it_is() -> None:
    one = run(model="x", xla=True, devices=8, lr=0.1)
    assert wellformed(one) is one


@pytest.mark.parametrize("name", ["metric", "phase", "repeat"])
def test_a_factor_of_a_reserved_name_gets_another(name: str) -> None:
    found = wellformed(run(**{name: "warm", "model": "x"}))
    assert found.factors == {f"{name}_factor": "warm", "model": "x"}
    (finding,) = found.findings
    assert finding.rule == "read.label-conflict"
    assert finding.message == (
        f"{name} is reserved: the factor of the log is called {name}_factor here; rename it in labels.toml"
    )


def test_the_other_name_is_none_that_the_log_has() -> None:
    assert wellformed(run(phase=1, phase_factor=2)).factors == {"phase_factor_": 1, "phase_factor": 2}


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 2**63, -(10**400)])
def test_a_number_that_cannot_be_held_is_kept_as_text(value: float) -> None:
    found = wellformed(run({"x": value}, n=value))
    assert (found.factors, found.environment) == ({"n": str(value)}, {"x": str(value)})
    assert [one.message for one in found.findings] == ["n: not a finite number of 64 bits, kept as text"]
