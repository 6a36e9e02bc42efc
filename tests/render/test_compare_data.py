"""The data of a page that a comparison of two of its cases needs."""

from typing import Any

import pytest

from reportgen.core.model import FactorValue
from reportgen.document.model import Case, Measurement, Run, Summary
from reportgen.render.page.compare_data import (
    ambiguous_names,
    factor_keys,
    fields_of_case,
    fields_of_runs,
    values_of,
)


def case(values: tuple[float, ...] = (), number: float = 0.0, **fields: Any) -> Case:
    measurements = tuple(Measurement(Run(f"r{n}"), each, "steps") for n, each in enumerate(values))
    summary = Summary(number, len(values)) if values else None
    return Case("a", metric="throughput", summary=summary, measurements=measurements, **fields)


@pytest.mark.parametrize(
    ("values", "shown", "number", "fields"),
    [
        ((1.5, 2.5, 3.5), (1.5, 2.5, 3.5), 2.5, {}),
        ((1.23456789,), (1.234568,), 1.23456789, {"exact": [1.23456789]}),
        ((1.0, 2.0, 6.0), (1.0, 2.0, 6.0), 3.0, {"number": 3.0}),  # a mean, not the median
        ((), (), 0.0, {}),
    ],
)
def test_a_case_has_only_what_its_evidence_lacks(
    values: tuple[float, ...], shown: tuple[float, ...], number: float, fields: dict[str, Any]
) -> None:
    told = fields_of_case(case(values, number), shown)
    assert {name: value for name, value in told.items() if value is not None} == fields
    assert set(fields_of_runs(case(values, number)).values()) == {None}


def test_starts_and_rounds_are_written_where_a_run_has_one() -> None:
    runs = (Run("a", started=5.0, started_clock="a.log", round=(3, 1)), Run("b"))
    timed = Case("a", measurements=tuple(Measurement(run, 1.0, "steps") for run in runs))
    assert fields_of_runs(timed) == {"starts": [5.0, None], "clocks": ["a.log", ""], "rounds": [(3, 1), None]}


@pytest.mark.parametrize(
    ("first", "second", "are_equal"),
    [(1, "1", False), (1, 1.0, True), (True, "True", False), (2**60, 2**60 + 1, False), ("a", "b", False)],
)
def test_keys_are_equal_where_the_program_takes_the_values_as_equal(
    first: FactorValue, second: FactorValue, are_equal: bool
) -> None:
    cases = [case(factors={"x": value}) for value in (first, second)]
    names = ambiguous_names(cases)
    assert bool(names) == (str(first) == str(second) or are_equal)
    keys = [factor_keys(each, names).get("x", str(each.factors["x"])) for each in cases]
    assert (keys[0] == keys[1]) == are_equal


def test_a_command_is_its_arguments() -> None:
    said = case(conditions={"command": "train.py --lr 0.1 -b=8 'a b'", "driver": "550"})
    assert values_of(said) == (
        ("command", (("", "train.py"), ("--lr", "0.1"), ("-b", "8"), ("", "a b"))),
        ("driver", "550"),
    )
