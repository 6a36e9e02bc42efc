"""Two sets of cases without a definition: which are compared, which are not, and with which verdict."""

from collections.abc import Sequence
from typing import Any

import pytest

from reportgen.core.model import Case
from reportgen.diff.case_sets import SetComparison, compare_case_sets
from reportgen.diff.sections import verdict_text
from tests.builders import SHORT, cases, run, series

BASE = (1.0, 1.004, 0.996, 1.002, 0.998, 1.005, 0.995)
SLOWER = tuple(value * 1.05 for value in BASE)


def measured(values: Sequence[float], start: float = 0.0, **fields: Any) -> list[Case]:
    """Return the cases of runs with these step times, ten seconds apart."""
    factors = fields.pop("factors", {"model": "x"})
    runs = [
        run(series([value] * 3), id=f"{start}-{n}", factors=factors, started=start + 10.0 * n, **fields)
        for n, value in enumerate(values)
    ]
    return list(cases(runs, "step_time", "step", SHORT))


def verdicts(comparison: SetComparison) -> list[tuple[str, str]]:
    return [(row.heading, verdict_text(row)) for row in comparison.diff.rows]


def test_cases_with_equal_factors_are_compared() -> None:
    old = measured(BASE) + measured(BASE, factors={"model": "y"})
    new = measured(SLOWER, 5.0) + measured(SLOWER, 5.0, factors={"model": "z"})
    comparison = compare_case_sets(old, new)
    assert verdicts(comparison) == [("x", "4.8 % slower (4.8 % to 4.8 %; 5.0 % more time)")]
    *notes, contract = comparison.diff.notes
    assert notes == ["Only A has 1 case: y.", "Only B has 1 case: z."]
    assert contract.startswith(
        "Held equal: model, clock, evidence. Not stated: samples per step, dataset, precision,"
    )


def test_what_the_sets_differ_in_as_a_whole_does_not_keep_cases_apart() -> None:
    old, new = (
        [
            case
            for model in "xy"
            for case in measured(BASE, start, factors={"model": model, "device": device, "n": 1})
        ]
        for start, device in ((0.0, "A40"), (5.0, "H100"))
    )
    comparison = compare_case_sets(old, new)
    assert (comparison.old_factors, comparison.new_factors) == ({"device": "A40"}, {"device": "H100"})
    assert [heading for heading, _ in verdicts(comparison)] == ["x", "y"]


def test_a_factor_with_several_values_keeps_cases_apart_unless_it_is_left_out() -> None:
    old = measured(BASE, factors={"branch": "a"}) + measured(BASE, factors={"branch": "b"})
    new = measured(SLOWER, 5.0, factors={"branch": "c"})
    comparison = compare_case_sets(old, new)
    assert (comparison.diff.rows, comparison.disjoint) == ((), ("branch",))
    comparison = compare_case_sets(old, new, ["branch"])
    assert comparison.diff.rows == ()
    (note,) = comparison.diff.notes
    assert note.startswith("Not compared, because they differ only in factors that are left out: 3 cases: ")
    assert len(compare_case_sets(old[:1], new, ["branch"]).diff.rows) == 1


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        (
            {"samples_per_step": 64.0},
            "4.8 % slower (5.0 % more time), not comparable: differs in samples_per_step 32 -> 64",
        ),
        ({"samples_per_step": 32.0}, "4.8 % slower (4.8 % to 4.8 %; 5.0 % more time)"),
    ],
)
def test_times_of_other_work_are_not_comparable(fields: dict[str, Any], text: str) -> None:
    comparison = compare_case_sets(measured(BASE, samples_per_step=32.0), measured(SLOWER, 5.0, **fields))
    assert verdicts(comparison) == [("step_time", text)]


def test_environments_that_differ_are_named() -> None:
    old, new = (
        measured(BASE, start, environment={"driver": driver})
        for start, driver in ((0.0, "535"), (5.0, "550"))
    )
    (change,) = compare_case_sets(old, new).diff.environment
    assert (change.name, change.old, change.new) == ("driver", "535", "550")


def test_runs_on_both_sides_prove_nothing() -> None:
    old = measured(BASE)
    more = list(cases([*(m.run for m in old[0].measurements), *_later()], "step_time", "step", SHORT))
    assert verdicts(compare_case_sets(old, more)) == [
        (
            "step_time",
            "7 repeats added: 4.8 % slower than the 7 before (5.0 % more time; spread 0.39 %), not interleaved",
        )
    ]
    assert verdicts(compare_case_sets(more, old)) == [
        (
            "step_time",
            "2.5 % faster (2.4 % less time), but undecided: all runs of the second side are on the first, too",
        )
    ]


def test_what_would_decide_says_what_it_costs() -> None:
    """Runs of three steps of 1 s, in an order that is not known: a round takes a run of each case, 6 s."""
    old, new = (measured(BASE[:5], start, started_clock=clock) for start, clock in ((0.0, ""), (5.0, "log")))
    ((_, text),) = verdicts(compare_case_sets(old, new))
    assert text.endswith(
        "undecided: the order of the runs is not known; 6 interleaved rounds could decide, about 36 seconds"
    )


def _later() -> list[Any]:
    return [measurement.run for measurement in measured(SLOWER, 1000.0)[0].measurements]


def test_cases_without_a_number_are_left_out() -> None:
    failed = list(cases([run(id="f", status="failed", factors={"model": "x"})], "step_time", "step", SHORT))
    assert compare_case_sets(failed, measured(BASE)).diff.rows == ()
