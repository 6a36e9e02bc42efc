"""Runs that agree in all factors are repeats of one case: grouping, excluded runs, findings of repeats."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from reportgen.core.case_findings import remark
from reportgen.core.model import Aggregate, Case, Finding, Run, Source
from reportgen.core.rules import Rule
from reportgen.protocol import DEFAULT, Protocol, available_metrics, parse_protocol
from tests.builders import aggregate, cases, messages, published_run, rules, run, series, telemetry
from tests.each_of import each_row

TWO = parse_protocol("2+5x7")


def repeat(number: int | None, step_time: float = 1.0, **other: Any) -> Run:
    other.setdefault("id", f"r{number}")
    return run(series([step_time] * 7), repeat=number, samples_per_step=8, **other)


def published(number: int, value: float) -> Run:
    return run(aggregate(value, metric="throughput"), id=f"p{number}", repeat=number, published=True)


def one_case(*runs: Run, metric: str = "step_time", **other: Any) -> Case:
    (case,) = cases(runs, metric, "step", TWO, **other)
    return case


def test_seven_repeats_are_one_case_with_their_median() -> None:
    case = one_case(*(repeat(i, 1 + i / 1000) for i in (3, 1, 2, 7, 5, 4, 6)))
    assert (case.factors, case.unit, case.protocol) == ({"model": "x"}, "s", "2+5x7")
    assert case.summary is not None
    assert case.summary.median == pytest.approx(1.004)
    assert (case.summary.n, case.summary.coverage, case.summary.reached) == (7, 0.984375, True)
    assert [one.run.id for one in case.measurements] == ["r1", "r2", "r3", "r4", "r5", "r6", "r7"]
    assert not case.findings


def test_cases_come_in_the_order_of_their_first_run() -> None:
    runs = [
        repeat(1, id=name, factors={"model": model}) for name, model in (("c", "x"), ("a", "y"), ("b", "x"))
    ]
    assert [dict(one.factors) for one in cases(runs, "step_time", "step", TWO)] == [
        {"model": "y"},
        {"model": "x"},
    ]


def test_numbers_are_equal_for_any_type_but_true_differs_from_1() -> None:
    values = [1, 1.0, True, "1"]
    runs = [repeat(i, factors={"devices": value}) for i, value in enumerate(values)]
    assert [len(one.measurements) for one in cases(runs, "step_time", "step", TWO)] == [2, 1, 1]


def test_ignored_factors_do_not_separate_cases() -> None:
    runs = [repeat(i, factors={"model": "x", "node": i}) for i in (1, 2)]
    assert len(cases(runs, "step_time", "step", TWO)) == 2
    assert one_case(*runs, ignore=("node",)).factors == {"model": "x"}


def test_split_repeats_are_cases_with_one_run() -> None:
    case = cases([repeat(2), repeat(None), repeat(1)], "step_time", "step", TWO, split_repeats=True)
    assert [dict(one.factors) for one in case] == [{"model": "x", "repeat": n} for n in (1, 2, 3)]
    assert [one.findings for one in case] == [(), (), ()]


def test_runs_without_a_number_are_repeats_too() -> None:
    case = one_case(repeat(None, id="a"), repeat(None, id="b"))
    assert case.summary is not None
    assert case.summary.n == 2
    assert rules(case.findings) == ["protocol.few-repeats"]


def test_every_run_is_measured_or_listed_as_unmeasured() -> None:
    failed = repeat(3, status="failed")
    short = run(series([1.0] * 2), id="r4")
    empty = run(id="r5")
    case = one_case(repeat(1), repeat(2), failed, short, empty)
    assert [one.run.id for one in case.measurements] == ["r1", "r2"]
    assert [one.id for one in case.unmeasured] == ["r3", "r4", "r5"]
    assert rules(case.findings) == [
        "protocol.few-repeats", "read.failed-run", "protocol.short-window", "protocol.no-number",
    ]  # fmt: skip


def test_a_case_of_failed_runs_only_has_no_median() -> None:
    case = one_case(repeat(1, status="out_of_memory"))
    assert (case.summary, case.measurements) == (None, ())


def test_a_log_of_other_metrics_only_belongs_to_no_case() -> None:
    monitor = run(telemetry(power=[1.0]), id="monitor", factors={"device": "0"})
    assert len(cases([repeat(1), monitor], "throughput", "step", TWO)) == 1
    assert len(cases([repeat(1), monitor], "power", "step", TWO)) == 1


@pytest.mark.parametrize(
    ("n", "message"),
    [
        (1, "1 of 7 repeats; a 95% interval of the median needs 6"),
        (5, "5 of 7 repeats; a 95% interval of the median needs 6"),
        (6, "6 of 7 repeats"),
        (7, None),
    ],
)
def test_too_few_repeats_are_counted(n: int, message: str | None) -> None:
    case = one_case(*(repeat(i) for i in range(n)))
    assert messages(case.findings, "protocol.few-repeats") == ([message] if message else [])


def test_a_single_published_figure_needs_no_repeats() -> None:
    assert not one_case(published(1, 300.0), metric="throughput").findings
    assert rules(one_case(published(1, 300.0), published(2, 301.0), metric="throughput").findings) == [
        "protocol.few-repeats"
    ]


# (1.06 - 1.0) / 1.0 = 6 % of the median.
def test_repeats_far_apart_are_named() -> None:
    case = one_case(repeat(1, 1.06), repeat(2), repeat(3))
    assert messages(case.findings, "protocol.spread") == [
        "repeats of step_time vary by 6.0% (limit 5.0%): lowest r2, highest r1"
    ]
    assert not messages(one_case(repeat(1, 1.049), repeat(2), repeat(3)).findings, "protocol.spread")


def test_repeats_around_a_median_of_0_have_a_spread_without_a_share() -> None:
    zeros = [
        run(aggregate(value), repeat=i, factors={"model": "x"}, id=f"r{i}")
        for i, value in enumerate((0.0, 0.0, 0.0, 0.001, 0.0, 0.0))
    ]
    assert messages(one_case(*zeros).findings, "protocol.spread") == [
        "repeats of step_time vary from 0 to 1.000 ms, around a median of 0: lowest r0, highest r3"
    ]
    assert not messages(one_case(*zeros[:3]).findings, "protocol.spread")


@pytest.mark.parametrize(
    ("metric", "phase", "what"),
    [
        ("step_time", "step", "step_time"),
        ("throughput", "step", "throughput"),
        ("step_time", "forward", "step_time (forward)"),
    ],
)
def test_a_spread_names_its_metric_and_phase(metric: str, phase: str, what: str) -> None:
    runs = [
        run(series([time] * 7), series([time] * 7, phase="forward"), repeat=i, samples_per_step=8)
        for i, time in enumerate((1.0, 1.5))
    ]
    (case,) = cases(runs, metric, phase, TWO)
    (message,) = messages(case.findings, "protocol.spread")
    assert message.startswith(f"repeats of {what} vary by 40.0% (limit 5.0%)")


def grouped(values: Sequence[float], starts: Sequence[float | None] = (), clock: str = "") -> list[str]:
    """Return the messages about two groups of rates; the runs start in s after 2024-01-01 00:00 UTC."""
    started = [start and 1_704_067_200 + start for start in starts] or [None] * len(values)
    figures = [
        replace(published(n, value), started=start, started_clock=clock)
        for n, (value, start) in enumerate(zip(values, started, strict=True), 1)
    ]
    return messages(one_case(*figures, metric="throughput").findings, "protocol.two-groups")


@each_row(
    [
        (
            (2500, 2502, 2504, 2506, 2508, 2300, 2302, 2304, 2306, 2308),
            "5 around 2,504 samples/s and 5 around 2,304",
        ),
        ((136.5, 136.4, 136.6, 131.2, 131.1, 131.3), "3 around 136.5 samples/s and 3 around 131.2"),
        ((100, 100, 100, 102, 102, 102), "3 around 100.0 samples/s and 3 around 102.0"),
        ((100, 100, 100, 101, 101, 101), ""),  # 1 %, the drift that matters
        ((100, 101, 100, 110, 110), "3 around 100.0 samples/s and 2 around 110.0"),  # 9 is more than 5.5 x 1
        ((100, 102, 100, 110, 110), ""),  # 8 is less than 5.5 x 2
        ((100, 101, 102, 103, 104, 105), ""),
        ((100, 100.1, 100.2, 100.3, 100.4, 110, 110.1), ""),  # two of seven
        ((100, 104, 100), ""),
    ]
)
def test_repeats_in_two_groups_are_named_with_both_medians(values: tuple[float, ...], shown: str) -> None:
    raised = grouped(values)
    assert len(raised) == bool(shown)
    assert all(f" apart: throughput of {shown}" in message for message in raised)


@pytest.mark.parametrize(
    ("starts", "clock", "shown"),
    [
        ((1, 2, 3, 60, 70, 125), "", "3 around 100.0 samples/s (2024-01-01 00:00 UTC) and 3 around 110.0 samples/s "
         "(2024-01-01 00:01 to 00:02 UTC)"),
        ((600, 601, 86400, 1, 2, 3), "", "3 around 110.0 samples/s (2024-01-01 00:00 UTC) and 3 around 100.0 "
         "samples/s (2024-01-01 00:10 to 2024-01-02 00:00 UTC)"),
        ((1, 2, 3, 60, 70, 80), "a", "3 around 100.0 samples/s (2024-01-01 00:00) and 3 around 110.0 samples/s "
         "(2024-01-01 00:01)"),
        ((None, 2, 3, 60, 61, 62), "", "3 around 100.0 samples/s and 3 around 110.0 samples/s "
         "(2024-01-01 00:01 UTC)"),
    ],
)  # fmt: skip
def test_two_groups_say_when_they_were_measured_if_their_logs_do(
    starts: tuple[float | None, ...], clock: str, shown: str
) -> None:
    (message,) = grouped((100.0, 100.1, 99.9, 110.0, 110.1, 109.9), starts, clock)
    assert message == f"two groups of repeats, 10.0% apart: throughput of {shown}"


# Strictly rising: p = 2 / 7! = 0.0004; 0.003 a repeat are 1.8 % of 1.009 from first to last.
def test_repeats_that_rise_in_their_order_drift() -> None:
    case = one_case(*(repeat(i, 1 + 0.003 * i) for i in range(7)))
    assert messages(case.findings, "protocol.drift-across-repeats") == [
        "step_time rises by 1.8% from first to last repeat (Kendall's tau 1.00, p = 0.0004); interleave the cases"
    ]


@pytest.mark.parametrize(
    "values",
    [
        [1 + 0.001 * i for i in range(7)],  # in order, but by 0.6 % only
        [1.00, 1.03, 1.01, 1.02, 1.00, 1.03, 1.01],  # apart, but in no order
        [1.00, 1.01, 1.02, 1.03],  # four of them rise by chance in 2 of 24 orders
    ],
)
def test_repeats_without_order_or_of_little_change_do_not_drift(values: list[float]) -> None:
    case = one_case(*(repeat(i, v) for i, v in enumerate(values)))
    assert not messages(case.findings, "protocol.drift-across-repeats")


def test_without_repeat_numbers_there_is_no_drift() -> None:
    case = one_case(*(repeat(None, 1 + 0.003 * i, id=f"r{i}") for i in range(7)))
    assert not messages(case.findings, "protocol.drift-across-repeats")


def test_two_runs_with_one_repeat_number_are_both_kept_and_named() -> None:
    case = one_case(repeat(1, id="a/r1"), repeat(1, id="b/r1"), repeat(2))
    assert len(case.measurements) == 3
    assert messages(case.findings, "read.repeat-collision") == [
        "2 runs have repeat number 1: a/r1, b/r1; all are kept"
    ]


def test_published_rows_that_claim_one_case_are_named() -> None:
    rows = [published_run(throughput=value, framework="A") for value in (100.0, 120.0)]
    (case,) = cases(rows, "throughput", "step", DEFAULT)
    (message,) = messages(case.findings, "read.repeat-collision")
    assert message == f"2 published rows claim this case: {rows[0].id}, {rows[1].id}; all are kept"
    numbered = [published_run(throughput=100.0, framework="A", repeat=i) for i in (1, 2)]
    (case,) = cases(numbered, "throughput", "step", DEFAULT)
    assert not messages(case.findings, "read.repeat-collision")


def test_repeats_measured_in_different_ways_are_mixed() -> None:
    short = run(series([1.0] * 6), id="r2", repeat=2)
    figure = run(aggregate(1.0), id="r3", repeat=3)
    case = one_case(repeat(1), short, figure)
    assert messages(case.findings, "protocol.mixed") == [
        "repeats were measured differently: 1 by aggregate, 1 by steps 3..6, 1 by steps 3..7"
    ]


def test_a_varying_environment_is_named_except_keys_that_always_vary() -> None:
    first = {"driver": "550", "time": "10:00", "scheduler.job_id": 1, "process.pid": 7, "torch": "2.9"}
    second = {"driver": "555", "time": "11:00", "scheduler.job_id": 2, "process.pid": 8}
    case = one_case(repeat(1, environment=first), repeat(2, environment=second))
    assert messages(case.findings, "environment.varies") == [
        "environment differs between runs: driver (550, 555)"
    ]


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (run(), ()),
        (run(series([1.0])), (("step_time", "step"),)),
        (run(series([float("nan")])), ()),
        (run(series([1.0], samples=3)), (("step_time", "step"), ("throughput", "step"))),
        (
            run(aggregate(1.0, "forward"), samples_per_step=2),
            (
                ("step_time", "compute"),
                ("step_time", "forward"),
                ("throughput", "compute"),
                ("throughput", "forward"),
            ),
        ),
        (run(telemetry(power=[1.0], temperature=[float("nan")])), (("power", "step"),)),
        (run(series([1.0], metric="throughput")), (("throughput", "step"),)),
    ],
)
def test_available_metrics_are_those_with_data_in_the_log(
    made: Run, expected: tuple[tuple[str, str], ...]
) -> None:
    assert available_metrics(made, {"compute": ("forward", "backward")}) == expected


def test_only_times_have_totals() -> None:
    made = run(
        Aggregate(
            "utilization", phase="forward", value=0.5, original="50", statistic="mean", source=run().source
        )
    )
    assert available_metrics(made, {"compute": ("forward",)}) == (("utilization", "forward"),)


@given(st.permutations(range(7)), st.lists(st.floats(0.5, 2.0), min_size=7, max_size=7))
def test_the_order_of_the_runs_does_not_matter(order: list[int], values: list[float]) -> None:
    runs = [repeat(i, value) for i, value in enumerate(values)]
    straight, shuffled = (
        cases(given_runs, "throughput", "step", DEFAULT) for given_runs in (runs, [runs[i] for i in order])
    )
    for one, other in zip(straight, shuffled, strict=True):
        assert (one.summary, one.findings) == (other.summary, other.findings)
        assert [m.run.id for m in one.measurements] == [m.run.id for m in other.measurements]


OLYMPIC = Protocol("mlperf", repeats=4, reduce="olympic", strict=True)


def trained(number: int, minutes: float, **other: Any) -> Run:
    figure = aggregate(60 * minutes, metric="time_to_train", statistic="total")
    return run(figure, *other.pop("findings", ()), id=f"t{number}", repeat=number, **other)


def scored(*runs: Run) -> Case:
    (case,) = cases(runs, "time_to_train", "step", OLYMPIC)
    return case


def test_an_olympic_case_is_the_mean_without_the_fastest_and_the_slowest() -> None:
    case = scored(*(trained(i, minutes) for i, minutes in enumerate((3.0, 1.0, 9.0, 2.0))))
    assert case.summary is not None
    assert (case.summary.median, case.summary.n, case.summary.statistic) == (150.0, 2, "olympic mean")


def test_a_failed_run_counts_as_the_slowest_and_two_give_no_score() -> None:
    runs = [trained(i, minutes) for i, minutes in enumerate((3.0, 1.0, 2.0))]
    one = scored(*runs, trained(3, 4.0, status="failed"))
    assert one.summary is not None
    assert one.summary.median == 150.0
    assert scored(*runs, *(trained(i, 4.0, status="failed") for i in (3, 4))).summary is None


def test_a_strict_protocol_counts_a_damaged_log_as_failed() -> None:
    damage = Finding("warning", Rule.READ_MALFORMED_LINE, "t3", "not a record", Source("t3", 7))
    runs = [
        *(trained(i, minutes) for i, minutes in enumerate((3.0, 1.0, 2.0))),
        trained(3, 1.5, findings=(damage,)),
    ]
    case = scored(*runs)
    assert case.summary is not None
    assert case.summary.median == 150.0
    assert damage in case.findings
    assert [one.id for one in case.unmeasured] == ["t3"]


def test_a_sample_of_single_steps_is_not_an_aggregate_of_the_run() -> None:
    sampled = run(aggregate(1.0, statistic="sample"), aggregate(3.0, "forward"))
    assert available_metrics(sampled) == (("step_time", "forward"),)
    assert not cases([sampled], "step_time", "step", TWO)


def test_totals_with_different_parts_are_not_repeats() -> None:
    totals = {"compute": ("forward", "backward")}
    both = run(aggregate(1.0, "forward"), aggregate(2.0, "backward"), id="a")
    one = run(aggregate(1.0, "forward"), id="b")
    separate = cases([both, one], "step_time", "compute", TWO, totals=totals)
    assert [(case.parts, case.factors["parts"]) for case in separate] == [
        (("forward", "backward"), "forward + backward"),
        (("forward",), "forward"),
    ]
    (alone,) = cases([one], "step_time", "compute", TWO, totals=totals)
    assert (alone.parts, "parts" in alone.factors) == (("forward",), False)


def test_rates_of_different_items_are_not_repeats() -> None:
    runs = [
        run(aggregate(10.0, metric="throughput"), id=item, factors={"model": "x", "item": item})
        for item in ("image", "token")
    ]
    rates = cases(runs, "throughput", "step", TWO, ignore=["item"])
    assert [case.factors["item"] for case in rates] == ["image", "token"]


def test_a_case_has_the_unit_of_its_figures_and_only_one() -> None:
    runs = [run(aggregate(60.0, metric="lap_time", unit=unit), id=unit) for unit in ("B", "s")]
    (case,) = cases(runs, "lap_time", "step", TWO)
    assert case.unit == "B"
    assert [one.run.id for one in case.measurements] == ["B"]
    assert messages(case.findings, "protocol.mixed") == [
        "lap_time is in s, in other runs in B; left out of the median"
    ]


def test_a_copy_of_a_log_does_not_enter_the_median():
    copy = Finding("warning", Rule.READ_DUPLICATE_RUN, "b", "the steps of a, bit for bit")
    runs = [run(series([1.0] * 120), id="a"), run(series([2.0] * 120), copy, id="b")]
    (case,) = cases(runs, "step_time", "step", DEFAULT)
    assert (case.summary.median, case.summary.n, len(case.unmeasured)) == (1.0, 1, 1)


def test_repeats_without_a_number_are_numbered_in_natural_order() -> None:
    runs = [run(series([float(n)] * 10), id=f"r{n}") for n in (10, 2, 1)]
    (case,) = cases(runs, "step_time", "step", parse_protocol("2+5x1"))
    assert [measured.run.id for measured in case.measurements] == ["r1", "r2", "r10"]


def test_missing_numbers_of_repeats_are_named() -> None:
    numbers = (1, 3, 4, 6, 8, 11, 12)
    case = one_case(*(repeat(number) for number in numbers))
    assert messages(case.findings, "protocol.missing-repeats") == ["repeats 2, 5, 7, 9, 10 of 12 are missing"]


def test_failed_repeats_and_those_of_other_cases_are_not_missing() -> None:
    failed = repeat(2, status="failed")
    of_one_rank = repeat(3, ranks=1)
    found = cases([repeat(1, ranks=2), failed, of_one_rank, repeat(4, ranks=2)], "step_time", "step", TWO)
    assert len(found) > 1
    assert not [each for case in found for each in messages(case.findings, "protocol.missing-repeats")]


def test_ids_of_jobs_and_repeats_without_number_are_not_checked() -> None:
    assert not messages(one_case(repeat(596562), repeat(596567)).findings, "protocol.missing-repeats")
    unnumbered = one_case(repeat(None, id="a"), repeat(None, id="b"))
    assert not messages(unnumbered.findings, "protocol.missing-repeats")


def pooled(first: float, second: float) -> list[tuple[str, str]]:
    """Return (severity, message) about two folders of three repeats: 1, 1.001 and 1.002 times these."""
    times = {"a": first, "b": second}
    runs = [repeat(None, times[name] * (1 + i / 1000), id=f"{name}/{i}") for name in times for i in range(3)]
    found = one_case(*runs).findings
    return [(each.severity, each.message) for each in found if each.rule == "protocol.pooled-folders"]


def test_repeats_from_several_folders_are_named() -> None:
    folders = "6 repeats of step_time come from 2 folders: a (3, median 1.001), b (3, median {})"
    assert pooled(1.0, 1.03) == [("warning", folders.format("1.031"))]
    assert pooled(1.0, 1.0) == [("note", folders.format("1.001"))]


def test_repeats_from_one_folder_or_from_a_folder_each_are_not_named() -> None:
    one_folder = one_case(*(repeat(None, id=f"a/{i}") for i in range(4)))
    own_folders = one_case(*(repeat(None, id=f"{i}/a") for i in range(4)))
    for case in (one_folder, own_folders):
        assert not messages(case.findings, "protocol.pooled-folders")


def stamped(number: int, seconds: float, steps: int = 20) -> Run:
    """Return a run of `steps` measured steps by timestamps in whole seconds."""
    entries = series([0.0] * 2 + [seconds] * steps, clock="timestamp")
    return run(entries, repeat=number, id=f"r{number}", samples_per_step=8)


# 20 steps of 1 s: one second is 5 %.
def test_a_coarse_clock_widens_the_interval() -> None:
    (case,) = cases([stamped(i, 1.0) for i in range(1, 8)], "step_time", "step", parse_protocol("2+20x7"))
    assert case.summary is not None
    assert (case.summary.low, case.summary.median, case.summary.high) == pytest.approx((0.95, 1.0, 1.05))


def test_a_fine_clock_does_not_widen_the_interval() -> None:
    (case,) = cases([stamped(i, 9.0) for i in range(1, 8)], "step_time", "step", parse_protocol("2+20x7"))
    assert case.summary is not None
    assert (case.summary.low, case.summary.high) == (9.0, 9.0)


@pytest.mark.parametrize("metric", ["step_time", "throughput"])
def test_a_clock_that_may_be_wrong_by_more_than_ten_percent_gives_no_number(metric: str) -> None:
    (case,) = cases([stamped(1, 1.0, steps=8)], metric, "step", parse_protocol("2+8x7"))
    assert case.summary is None
    (message,) = messages(case.findings, "clock.coarse")
    assert message.endswith("8 s, may be off by 1 s (12.5%)")


def figure(number: int, statistic: str, **other: Any) -> Run:
    return run(aggregate(float(number), metric="latency", statistic=statistic), id=f"p{number}", **other)


@pytest.mark.parametrize("ignore", [(), ("statistic",)])
def test_two_statistics_are_two_cases(ignore: tuple[str, ...]) -> None:
    runs = [figure(1, "mean"), figure(2, "p99"), figure(3, "mean")]
    found = cases(runs, "latency", "step", TWO, ignore=ignore)
    assert [(one.factors.get("statistic"), len(one.measurements)) for one in found] == [
        ("mean", 2),
        ("p99", 1),
    ]


def test_a_publication_may_state_no_statistic() -> None:
    runs = [figure(1, "published", published=True), figure(2, "published", published=True)]
    assert len(one_case(*runs, metric="latency").measurements) == 2


def test_a_rate_has_the_statistic_of_the_time_that_it_is_computed_from() -> None:
    runs = [
        run(aggregate(1.0, metric="step_time", statistic=name), id=name, samples_per_step=8)
        for name in ("mean", "p99")
    ]
    assert [one.factors["statistic"] for one in cases(runs, "throughput", "step", TWO)] == ["mean", "p99"]


def test_a_profiled_run_is_not_a_repeat() -> None:
    """It is named with the case, and counts neither in the median nor among the repeats."""
    profiled = repeat(None, 3.0, id="nsys1", profiler="nsys")
    doubt = Finding("warning", Rule.READ_STATED_PROBLEM, "r2", "slow disk")
    runs = [replace(repeat(i, 1 + i / 1000), findings=(doubt,) if i == 2 else ()) for i in range(1, 8)]
    case = one_case(*runs, profiled)
    assert case.summary is not None
    assert (case.summary.median, case.summary.n) == (pytest.approx(1.004), 7)
    assert [each.id for each in case.unmeasured] == ["nsys1"]
    assert messages(case.findings, "read.profile") == [
        "profiled with nsys: not a repeat, left out of the median"
    ]
    assert remark(case, doubt) == "slow disk (1 of 7 repeats: r2)"
    # An MLPerf result drops the slowest runs, and a run without a value is the slowest: this one is not.
    olympic = structs.replace(TWO, reduce="olympic", drop=1)
    ((with_it,), (without,)) = (
        cases(each, "step_time", "step", olympic) for each in ([*runs, profiled], runs)
    )
    assert with_it.summary == without.summary
