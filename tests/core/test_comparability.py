"""Runs with equal factors that are not repeats: other work, other ranks, another device, another clock."""

import pytest

from reportgen.core.model import Case, Run
from reportgen.protocol.conditions import conditions_of_run
from tests.builders import SHORT, cases, run, series


def split(*runs: Run) -> list[tuple[dict[str, object], int]]:
    """Return the factors of each case, and its number of measured repeats."""
    made: tuple[Case, ...] = cases(runs, "step_time", "step", SHORT)
    return [(dict(case.factors), len(case.measurements)) for case in made]


def steps(number: int, rank: int = 0, **fields: object) -> Run:
    return run(series([1.0] * 3, rank=rank), id=f"r{number}", **fields)


def test_runs_that_agree_are_repeats() -> None:
    agreeing = [steps(n, samples_per_step=32.0, ranks=1, environment={"gpu": "A40"}) for n in range(3)]
    assert split(*agreeing) == [({"model": "x"}, 3)]


@pytest.mark.parametrize(
    ("fields", "others", "name", "values"),
    [
        ({"samples_per_step": 32}, {"samples_per_step": 64}, "samples_per_step", (32, 64)),
        ({"samples_per_step": 1.5}, {"samples_per_step": 3}, "samples_per_step", (1.5, 3)),
        ({"ranks": 1}, {"ranks": 2}, "ranks", (1, 2)),
        (
            {"environment": {"gpu": "NVIDIA H100"}},
            {"environment": {"gpu": "H200"}},
            "device_model",
            ("H100", "H200"),
        ),
        (
            {"environment": {"gpu.GPU-1.name": "V100"}},
            {"environment": {"gpu.GPU-2.name": "A40"}},
            "device_model",
            ("V100", "A40"),
        ),
        (
            {"environment": {"torch.device": "T4"}},
            {"environment": {"gpu": "L4"}},
            "device_model",
            ("T4", "L4"),
        ),
    ],
)
def test_runs_that_differ_are_different_cases(
    fields: dict[str, object], others: dict[str, object], name: str, values: tuple[object, object]
) -> None:
    made = split(*(steps(n, **fields) for n in range(3)), *(steps(n, **others) for n in range(3, 7)))
    assert made == [({"model": "x", name: values[0]}, 3), ({"model": "x", name: values[1]}, 4)]


def test_the_clock_of_the_measurement_separates_cases() -> None:
    host, device = (
        [run(series([1.0] * 3, clock=clock), id=f"{clock}{n}") for n in range(2)]
        for clock in ("host", "cuda_event")
    )
    assert split(*host, *device) == [
        ({"model": "x", "clock": "device"}, 2),
        ({"model": "x", "clock": "host"}, 2),
    ]
    synchronized = run(series([1.0] * 3, clock="host_synchronized"), id="s")
    assert split(*host, synchronized) == [({"model": "x"}, 3)]


def test_work_that_each_step_records_counts_as_work() -> None:
    small, large = (
        [run(series([1.0] * 3, samples=work), id=f"{work}-{n}") for n in range(2)] for work in (2.0, 3.0)
    )
    assert split(*small, *large) == [
        ({"model": "x", "samples_per_step": 2}, 2),
        ({"model": "x", "samples_per_step": 3}, 2),
    ]
    two_ranks = run(series([1.0] * 3, samples=2.0), series([1.0] * 3, rank=1, samples=2.0), id="r")
    assert conditions_of_run(two_ranks) == {"samples_per_step": 4}
    varying = run(series([1.0] * 3, samples=[1.0, 2.0, 3.0]), id="v")
    assert conditions_of_run(varying) == {}


def test_a_smaller_last_batch_does_not_hide_the_work() -> None:
    small, large = (
        [run(series([1.0] * 4, samples=[work, work, work, 7.0]), id=f"{work}-{n}") for n in range(2)]
        for work in (32.0, 64.0)
    )
    assert [factors["samples_per_step"] for factors, _ in split(*small, *large)] == [32, 64]


def test_ranks_and_names_that_drivers_write_in_two_ways_do_not_separate() -> None:
    made = split(
        steps(1, environment={"gpu": "A100-SXM4-40GB"}),
        steps(2, environment={"gpu": "NVIDIA A100-SXM4-40GB"}),
        steps(3),
    )
    assert made == [({"model": "x"}, 3)]


def test_a_run_that_says_nothing_is_kept_apart_where_others_differ() -> None:
    made = split(steps(1, ranks=1), steps(2, ranks=2), steps(3))
    assert made == [({"model": "x", "ranks": 1}, 1), ({"model": "x", "ranks": 2}, 1), ({"model": "x"}, 1)]


def test_the_author_may_ignore_a_condition() -> None:
    runs = [steps(n, ranks=n) for n in (1, 2)]
    (case,) = cases(runs, "step_time", "step", SHORT, ignore=("ranks",))
    assert len(case.measurements) == 2
