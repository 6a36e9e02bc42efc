"""The runs of two cases show the parts of their difference."""

from collections.abc import Sequence

import pytest

from reportgen.compare.breakdown import Breakdown, BreakdownPart
from reportgen.compare.side import MeasuredLogs, side_of
from reportgen.compare.why import break_down
from reportgen.core.model import Finding, Run, Source
from reportgen.core.rules import Rule
from reportgen.protocol import MeasuredRuns, Protocol
from tests.builders import aggregate, cases, run, series, telemetry

PROTOCOL = Protocol("0+2x1", warmup=0, measure=2, repeats=1)


def breakdown(
    own: Sequence[Run],
    baseline: Sequence[Run],
    metric: str = "step_time",
    phase: str = "step",
    **fields: object,
) -> Breakdown | None:
    (case,), (other,) = (cases(runs, metric, phase, PROTOCOL, **fields) for runs in (own, baseline))
    return break_down(side_of(case), side_of(other), MeasuredLogs(MeasuredRuns(), PROTOCOL))


def seconds(breakdown: Breakdown | None) -> dict[str, float | None]:
    assert breakdown is not None
    return {part.name: part.seconds for part in breakdown.measured}


def part(breakdown: Breakdown | None, name: str) -> BreakdownPart:
    assert breakdown is not None
    (found,) = (each for each in breakdown.parts if each.name == name)
    return found


def phased(step: float, loading: float, forward: float, **fields: object) -> Run:
    return run(
        series([step, step]),
        series([loading, loading], "data_loading"),
        series([forward, forward], "forward"),
        **fields,
    )


def test_the_phases_of_the_steps_are_parts_and_the_rest_is_what_they_leave() -> None:
    split = breakdown([phased(4.0, 2.0, 1.0)], [phased(1.5, 0.5, 0.5)])
    assert seconds(split) == {"data_loading": 1.5, "forward": 0.5, "rest": 0.5}
    assert part(split, "data_loading").own.sources == (Source("steps.rank0.csv", 2),)


def test_a_phase_that_contains_others_is_not_counted_a_second_time() -> None:
    own, other = (
        run(
            series([4.0, 4.0]),
            series([2.0 * scale, 2.0 * scale], "training_batch"),
            series([scale, scale], "forward"),
        )
        for scale in (1.0, 0.5)
    )
    assert seconds(breakdown([own], [other])) == {"forward": 0.5, "rest": -0.5}


def test_the_parts_of_a_total_are_its_phases() -> None:
    totals = {"all": ("data_loading", "backward")}
    own = run(aggregate(3.0, "data_loading", line=7), aggregate(1.0, "backward"), aggregate(9.0, "forward"))
    other = run(aggregate(1.0, "data_loading"), aggregate(0.5, "backward"))
    split = breakdown([own], [other], phase="all", totals=totals)
    assert seconds(split) == {"data_loading": 2.0, "backward": 0.5}
    assert part(split, "data_loading").own.sources == (Source("log", 7),)


def test_a_rate_is_split_in_time_per_sample() -> None:
    own, other = (
        run(series([step, step], samples=8.0), series([loading, loading], "data_loading"))
        for step, loading in ((4.0, 2.0), (2.0, 1.0))
    )
    split = breakdown([own], [other], "throughput")
    assert split is not None
    assert (split.per, split.own, split.baseline) == ("sample", 0.5, 0.25)
    assert seconds(split) == {"data_loading": 0.125, "rest": 0.125}


def test_phases_are_medians_of_the_repeats_and_one_that_a_repeat_lacks_is_not_measured() -> None:
    own = [phased(step, 1.0, step - 1.0, id=str(step)) for step in (2.0, 3.0, 7.0)]
    assert seconds(breakdown(own, [phased(1.0, 0.5, 0.5)])) == {"data_loading": 0.5, "forward": 1.5}
    without = [*own[:2], run(series([7.0, 7.0]), series([1.0, 1.0], "data_loading"), id="7")]
    split = breakdown(without, [phased(1.0, 0.5, 0.5)])
    assert seconds(split) == {"data_loading": 0.5, "rest": 1.5}
    assert part(split, "forward").remark == "timed in the baseline alone (500 ms); in the rest"


def test_the_phases_are_those_of_the_slowest_rank_and_its_lag_is_a_part() -> None:
    def ranks(*loading: float) -> Run:
        # All ranks take 4 s per step; in backward the fast ones wait for the slow one.
        each = [
            part
            for rank, time in enumerate(loading)
            for part in (
                series([4.0, 4.0], rank=rank),
                series([time, time], "data_loading", rank=rank),
                series([4.0 - time, 4.0 - time], "backward", rank=rank),
            )
        ]
        return run(*each)

    split = breakdown(
        [ranks(1.0, 3.0, 1.5)], [run(series([2.0, 2.0]), series([1.0, 1.0], "data_loading"), ranks=1)]
    )
    # Rank 1 loads for 3 s, the median rank for 1.5 s.
    assert seconds(split) == {"data_loading": 0.5, "stragglers": 1.5, "rest": 0.0}
    assert part(split, "data_loading").own.sources == (Source("steps.rank1.csv", 2),)


def test_equal_devices_with_logged_clocks_have_a_part_for_the_clocks() -> None:
    def at(clock: float, forward: float) -> Run:
        return run(
            series([forward, forward], begin=[0.0, forward]),
            series([forward, forward], "forward"),
            telemetry(t=[forward / 2, forward, 3 * forward / 2], sm_clock=[clock, clock, clock]),
        )

    assert seconds(breakdown([at(1e9, 3.0)], [at(1.5e9, 1.0)])) == {"forward": 1.0, "clocks": 1.0}


def test_findings_that_may_explain_a_part_are_hints_and_equal_ones_are_counted() -> None:
    def throttled(id: str) -> Run:
        finding = Finding("warning", Rule.TELEMETRY_THROTTLED, id, "GPU 0 throttled", Source(f"{id}.csv", 4))
        return run(aggregate(2.0), finding, id=id)

    split = breakdown([throttled("a"), throttled("b")], [run(aggregate(1.0))])
    assert split is not None
    (hint,) = split.hints
    assert (hint.kind, hint.runs, hint.is_baseline, hint.finding.source) == (
        "clocks",
        2,
        False,
        Source("a.csv", 4),
    )


def test_the_kernels_of_a_profiled_run_are_hints() -> None:
    note = Finding(
        "note", Rule.READ_PROFILE, "nsys1", "backward: 2 kernels, 1.2 ms a step: gemm 90 %", Source("k", 2)
    )
    profiled = run(aggregate(9.0), note, id="nsys1", profiler="nsys")
    split = breakdown([run(aggregate(2.0)), profiled], [run(aggregate(1.0))])
    assert split is not None
    assert [(hint.kind, hint.finding, hint.is_baseline) for hint in split.hints] == [("device", note, False)]


@pytest.mark.parametrize("metric", ["memory_used", "latency"])
def test_a_number_that_is_not_a_time_or_rate_of_steps_has_no_parts(metric: str) -> None:
    assert (
        breakdown([run(aggregate(2.0, metric=metric))], [run(aggregate(1.0, metric=metric))], metric) is None
    )


@pytest.mark.parametrize("value", [5e-324, 1e-200, 1e200, 1.7e308])
def test_times_that_are_not_measurements_are_not_split(value: float) -> None:
    assert breakdown([run(aggregate(value))], [run(aggregate(1.0))]) is None
    rates = [run(aggregate(each, metric="throughput")) for each in (value, 1.0)]
    assert breakdown(rates[:1], rates[1:], "throughput") is None
    own = run(aggregate(2.0), aggregate(value, "forward"))
    split = breakdown([own], [run(aggregate(1.0), aggregate(0.5, "forward"))])
    assert seconds(split) == {"whole": 1.0}
