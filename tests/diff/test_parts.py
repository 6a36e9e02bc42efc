"""A case that moved names the parts of the step that made it move."""

from typing import Any

import pytest
from msgspec.structs import replace

from reportgen.compare.why.split import PhaseTime, SideTimes, split_difference
from reportgen.diff.changes import compare_reports
from reportgen.document.model import Breakdown, Case, Comparison, Document, Part
from tests.diff.stored import case, number, report, table


def part(name: str, own: float | None, baseline: float | None) -> Part:
    """Return a part that takes these times."""
    seconds = None if own is None or baseline is None else own - baseline
    return Part(name, seconds=seconds, case_seconds=own, baseline_seconds=baseline)


def compared(
    case: Case, names: tuple[str, str], times: tuple[float, float], parts: tuple[Part, ...], per: str = "step"
) -> Document:
    """Return a report of one case that compares two names, with the parts of the difference of their times."""
    breakdown = Breakdown(per, times[0] - times[1], *times, parts)
    (measured,) = case.measurements
    shown = table(number(measured.value, {"model": "m"}, case=case.name))
    return report(
        replace(shown, comparisons={names[0]: "c"}),
        cases=[case],
        sources={"logs/a/r1.csv": str(measured.value)},
        comparisons={"c": Comparison("ratio", names[1], breakdown=breakdown)},
    )


def state(whole: float, *parts: tuple[str, float], per: str = "step", is_baseline: bool = False) -> Document:
    """Return a report of one case whose difference from another one has parts."""
    stored = case("a", (whole,))
    own = tuple(part(name, *((9.0, time) if is_baseline else (time, 9.0))) for name, time in parts)
    if is_baseline:
        return compared(stored, ("b", stored.name), (9.0, whole), own, per)
    return compared(stored, (stored.name, "b"), (whole, 9.0), own, per)


def reasons(old: Document, new: Document) -> tuple[str, ...]:
    (row,) = compare_reports({"study": old}, {"study": new}).rows
    return row.reasons


@pytest.mark.parametrize("is_baseline", [False, True])
def test_a_case_that_moved_names_the_parts_of_its_step(is_baseline: bool) -> None:
    old = state(1.0, ("data_loading", 0.25), ("forward", 0.75))
    new = state(2.0, ("data_loading", 1.0), ("forward", 0.75), ("rest", 0.25), is_baseline=is_baseline)
    assert reasons(old, new)[-1] == "1.00 s more per step: data loading 75 %, rest 25 %"


@pytest.mark.parametrize(
    "old",
    [
        state(1.0, ("forward", 1.0), per="sample"),
        state(1.0),
        report(
            table(number(1.0, {"model": "m"}, case=case("a", (1.0,)).name)),
            cases=[case("a", (1.0,))],
            sources={"logs/a/r1.csv": "1"},
        ),
    ],
)
def test_parts_that_one_state_does_not_have_are_not_named(old: Document) -> None:
    texts = reasons(old, state(2.0, ("forward", 2.0)))
    assert texts
    assert not any(" per " in text for text in texts)


def of_build(own: SideTimes, baseline: SideTimes) -> Document:
    """Return a report of one case as a build stores its difference from this baseline."""
    stored = case("a", (own.whole,))
    parts = tuple(
        part(p.name, p.own.seconds, p.baseline.seconds) for p in split_difference(own, baseline).measured
    )
    return compared(stored, (stored.name, "b"), (own.whole, baseline.whole), parts)


def side(
    data: float, forward: float, clock: float, lag: float = 0.0, *, has_ranks: bool = False
) -> SideTimes:
    phases = {"data_loading": PhaseTime(data), "forward": PhaseTime(forward, lag=lag)}
    return SideTimes(data + forward, phases, has_ranks, clock=clock)


def test_another_clock_of_the_baseline_moves_no_part_of_the_case() -> None:
    old = of_build(side(1.0, 10.0, 1e9), side(1.0, 9.0, 1.0e9))
    new = of_build(side(1.1, 10.0, 1e9), side(1.0, 9.0, 1.1e9))
    assert reasons(old, new)[-1] == "100 ms more per step: data loading 100 %"


def test_a_lag_that_one_build_alone_took_out_of_the_phases_is_not_a_part() -> None:
    own: dict[str, Any] = {"clock": 1e9, "lag": 2.0, "has_ranks": True}
    old = of_build(side(1.0, 10.0, **own), side(1.0, 9.0, 1e9))
    new = of_build(side(1.1, 10.0, **own), side(1.0, 9.0, 1e9, has_ranks=True))
    assert not any(" per " in text for text in reasons(old, new))
    assert reasons(new, of_build(side(1.3, 10.0, **own), side(1.0, 9.0, 1e9, has_ranks=True)))[-1] == (
        "200 ms more per step: data loading 100 %"
    )
