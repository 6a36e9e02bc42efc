"""Two states of reports: which cases moved, with which verdict, and why."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from msgspec import structs

from reportgen.compare.verdict import Verdict, VerdictKind
from reportgen.diff.changes import Diff, LogChanges, compare_reports, log_changes
from reportgen.diff.failures import failures_of
from reportgen.diff.rows import Row
from reportgen.diff.sections import headline, paths_text, sections_of, sentences, verdict_text
from reportgen.document.model import (
    Comparison,
    Document,
    ExpectedRatio,
    Finding,
    Measurement,
    Provenance,
    Run,
)
from tests.diff.stored import case, number, report, table, words

BASE = (1.0, 1.004, 0.996, 1.002, 0.998, 1.005, 0.995)
SLOWER = tuple(value * 1.05 for value in BASE)
TURNS = [10.0 * position for position in range(7)]
BETWEEN = [start + 5 for start in TURNS]


def state(values: Sequence[float], *, name: str = "a", digest: str = "1", **fields: Any) -> Document:
    """Return a report of one case in one cell; each log has a digest of its own."""
    keys = ("starts", "conditions", "protocol", "metric", "factors")
    stored = case(name, values, **{key: fields.pop(key) for key in keys if key in fields})
    shown = number(sorted(values)[len(values) // 2], {"model": "m"}, case=name)
    sources = {repeat.files[0]: f"{digest}-{repeat.run.id}" for repeat in stored.measurements}
    labels = fields.pop("labels", {})
    definition = fields.pop("definition", "d1")
    return report(table(shown, definition=definition), cases=[stored], sources=sources | labels, **fields)


def with_measurements(document: Document, measurements: Sequence[Measurement]) -> Document:
    """Return the document of one case with other measurements."""
    (only,) = document.cases
    return structs.replace(document, cases=(structs.replace(only, measurements=tuple(measurements)),))


def with_runs(document: Document, changed: Callable[[Run], Run]) -> Document:
    """Return the document of one case with changed runs."""
    (only,) = document.cases
    measurements = [structs.replace(each, run=changed(each.run)) for each in only.measurements]
    return with_measurements(document, measurements)


def diff(old: Document, new: Document) -> Diff:
    return compare_reports({old.name: old}, {new.name: new})


def row(old: Document, new: Document) -> Row:
    (only,) = diff(old, new).rows
    return only


def test_other_runs_in_turns_with_the_old_ones_are_tested() -> None:
    only = row(state(BASE, name="a", starts=TURNS), state(SLOWER, name="b", starts=BETWEEN))
    assert verdict_text(only) == "4.8 % slower (4.8 % to 4.8 %; 5.0 % more time)"
    assert only.reasons == ("7 runs added", "7 runs no longer counted")


def test_starts_by_two_clocks_have_no_order() -> None:
    old, new = state(BASE, starts=TURNS), state([v * 1.01 for v in BASE], name="b", starts=BETWEEN)
    verdicts = [row(old, new).verdict]
    new = with_runs(new, lambda run: structs.replace(run, started_clock="logs/b"))
    verdicts.append(row(old, new).verdict)
    assert [verdict and verdict.arrangement for verdict in verdicts] == ["alternating", "unknown"]


def test_the_same_state_moves_nothing() -> None:
    old, new = (state(BASE) for _ in range(2))
    assert diff(old, new) == Diff(unchanged=1)
    assert (diff(old, new).unchanged, headline(diff(old, new))) == (1, "no number moved")


def test_more_runs_are_compared_with_the_old_ones_alone() -> None:
    old = state(BASE, starts=TURNS)
    new = state([*BASE, *SLOWER], starts=[*TURNS, *(start + 1000 for start in TURNS)])
    only = row(old, new)
    assert (
        verdict_text(only)
        == "7 repeats added: 4.8 % slower than the 7 before (5.0 % more time; spread 0.39 %), not interleaved"
    )
    assert only.reasons == ("7 runs added",)


# 1 / 1.04 = 0.9615
def test_three_repeats_that_are_added_are_compared_with_the_three_before() -> None:
    old = state([1.0, 1.001, 0.999])
    text = verdict_text(row(old, state([1.0, 1.001, 0.999, 1.04, 1.041, 1.039])))
    assert text.startswith(
        "3 repeats added: 3.8 % slower than the 3 before (4.0 % more time), but undecided: "
    )
    one = verdict_text(row(state([1.0]), state([1.0, 1.0001])))
    assert one.startswith("1 repeat added: as fast as the one before, no repeats")


def test_new_runs_are_compared_with_all_old_ones_although_one_of_them_is_gone() -> None:
    """A single run that was removed is not a baseline."""
    old = state(BASE, starts=TURNS)
    new = state([*BASE[:6], *SLOWER], starts=[*TURNS[:6], *(start + 1000 for start in TURNS)])
    only = row(old, new)
    assert only.verdict is not None
    assert (only.verdict.kind, only.verdict.test, only.verdict.arrangement) == (
        "slower",
        "separation",
        "blocked",
    )


def test_a_log_that_moved_is_the_same_log() -> None:
    old, new = state(BASE, name="a"), state(BASE, name="b")
    new = structs.replace(new, sources=dict(zip(new.sources, old.sources.values(), strict=True)))
    moved = compare_reports({"study": old}, {"study": new}, lambda path: False)
    assert (moved.rows, moved.logs) == ((), LogChanges())
    copied = compare_reports({"study": old}, {"study": new}, lambda path: True)
    assert (copied.logs.unread, copied.logs.deleted) == (tuple(old.sources), ())
    deleted = compare_reports({"study": old}, {"study": report()}, lambda path: False)
    assert (deleted.logs.unread, deleted.logs.deleted) == ((), tuple(old.sources))


def test_a_log_with_other_content_and_another_value_was_edited() -> None:
    only = row(state(BASE), state([1.5, *BASE[1:]], digest="2"))
    assert only.reasons == ("log edited: logs/a/r1.csv",)
    assert verdict_text(only) == "0.2 % slower, not comparable: a log was edited"


def test_rows_that_are_inserted_into_a_table_move_nothing() -> None:
    """A row above renumbers the runs of a published table; two repeats of a case then have each other's names."""

    def published(numbers: Sequence[int], digest: str) -> Document:
        made = state([5.0, 6.0], starts=())
        left = iter(numbers)

        def renumbered(run: Run) -> Run:
            n = next(left)
            return structs.replace(run, id=f"t.csv#{n}", source=f"logs/t.csv:{n + 1}")

        return structs.replace(with_runs(made, renumbered), sources={"logs/t.csv": digest})

    assert diff(published([1, 2], "1"), published([2, 3], "2")).rows == ()
    edited = published([8, 9], "2")
    first, *others = edited.cases[0].measurements
    edited = with_measurements(edited, [structs.replace(first, value=7.0), *others])
    assert row(published([1, 2], "1"), edited).reasons == ("log edited: logs/t.csv",)


def test_a_case_that_two_reports_show_is_one_row() -> None:
    old, new = (
        {name: structs.replace(state(values), name=name) for name in ("x", "y")}
        for values in (BASE, [*BASE[:6], 2.0])
    )
    (only,) = compare_reports(old, new).rows
    assert only.tables == ("x/times", "y/times")


def test_cells_that_say_something_else_instead_of_a_number() -> None:
    old, new = (report(table(words(text, {"m": "a"}))) for text in ("planned", "out of memory"))
    (change,) = diff(old, new).reworded
    assert (change.old_text, change.new_text) == ("planned", "out of memory")


def test_a_log_that_a_later_run_wrote_again_is_another_run() -> None:
    only = row(state(BASE, starts=TURNS), state(SLOWER, starts=BETWEEN, digest="2"))
    assert only.reasons == ("7 runs measured again under the same name",)
    assert only.verdict is not None
    assert only.verdict.kind == "slower"


def test_the_same_logs_with_other_values_show_that_the_reader_changed() -> None:
    only = row(state(BASE), state(SLOWER))
    assert only.reasons == ("reader changed: the same logs give other numbers",)
    assert verdict_text(only).endswith("not comparable: the same logs give other numbers")


def test_the_version_of_the_reader_is_named() -> None:
    readers = ([Provenance("logs/a", "native", reader=version)] for version in (1, 2))
    old, new = (
        state(values, provenance=tuple(reader))
        for values, reader in zip((BASE, SLOWER), readers, strict=True)
    )
    assert row(old, new).reasons == ("reader changed: native version 1 -> 2",)


def test_a_protocol_is_compared_field_by_field() -> None:
    old, new = (
        state(values, protocols={"20+100x7": {"name": "20+100x7", "warmup": 20, "measure": measure}})
        for values, measure in ((BASE, 100), (SLOWER, 200))
    )
    only = row(old, new)
    assert only.reasons == ("protocol changed: measure 100 -> 200",)
    assert verdict_text(only).endswith("not comparable: measured by another protocol")


@pytest.mark.parametrize(
    ("before", "after", "reasons"),
    [
        ({"logs/labels.toml": "1"}, {"logs/labels.toml": "2"}, ("logs/labels.toml changed",)),
        ({"labels.toml": "1"}, {}, ("labels.toml changed",)),
        ({"logs/a/source.toml": "1"}, {"logs/a/source.toml": "2"}, ("logs/a/source.toml changed",)),
        ({"logs/b/labels.toml": "1"}, {"logs/b/labels.toml": "2"}, ("reader changed: the same logs give other numbers",)),
        # A report of an older version does not list its labels.
        ({}, {"logs/labels.toml": "1"}, ("reader changed: the same logs give other numbers",)),
    ],
)  # fmt: skip
def test_labels_that_apply_to_the_logs_are_a_reason(
    before: dict[str, str], after: dict[str, str], reasons: tuple[str, ...]
) -> None:
    assert row(state(BASE, labels=before), state(SLOWER, labels=after)).reasons == reasons


def test_a_changed_definition_is_a_reason() -> None:
    only = row(state(BASE), state(BASE[:5], definition="d2"))
    assert only.reasons == ("2 runs no longer counted", "definition changed")


def test_environments_that_differ_are_beside_the_row() -> None:
    old = state(BASE, starts=TURNS, conditions={"driver": "535", "torch": "2.1"})
    new = state(SLOWER, name="b", starts=BETWEEN, conditions={"driver": "550", "torch": "2.1"})
    (change,) = diff(old, new).environment
    assert (change.name, change.old, change.new, change.rows) == ("driver", "535", "550", 1)


def test_times_of_other_work_are_not_comparable() -> None:
    old = state(BASE, starts=TURNS, conditions={"samples_per_step": "32"})
    new = state(SLOWER, name="b", starts=BETWEEN, conditions={"samples_per_step": "64"})
    text = "4.8 % slower (5.0 % more time), not comparable: differs in samples_per_step 32 -> 64"
    assert verdict_text(row(old, new)) == text


def test_a_metric_that_is_not_a_speed_has_no_verdict() -> None:
    only = row(state(BASE, metric="loss"), state(SLOWER, name="b", metric="loss"))
    assert (only.verdict, verdict_text(only)) == (None, "+5 %")


def test_a_large_growth_is_a_plain_number() -> None:
    grown = tuple(value * 11 for value in BASE)
    only = row(state(BASE, metric="loss"), state(grown, name="b", metric="loss"))
    assert verdict_text(only) == "+1,000 %"


def test_single_figures_have_no_repeats() -> None:
    only = row(state([1.0]), state([1.1], name="b"))
    assert verdict_text(only) == "9.1 % slower (10 % more time), no repeats: one figure has no spread"


def test_two_of_many_comparisons_that_chance_explains_are_undecided() -> None:
    """Seven rounds have no p below 1/64, so one difference of ten may be chance."""

    def many(values: Sequence[float], name: str, starts: Sequence[float]) -> Document:
        cases = [case(f"{name}{n}", values if n == 0 else BASE, starts=starts) for n in range(10)]
        cells = [number(1.0, {"n": n}, case=each.name) for n, each in enumerate(cases)]
        return report(table(*cells), cases=cases)

    compared = diff(many(BASE, "a", TURNS), many(SLOWER, "b", BETWEEN))
    assert compared.verdicts == {"undecided": 1, "same": 9}
    assert "not significant among 10 comparisons" in verdict_text(compared.rows[0])


def test_a_verdict_that_changed_behind_an_equal_ratio_is_named() -> None:
    """So `same_within` cannot hide a slower case."""

    def judged(kind: VerdictKind) -> Document:
        comparison = Comparison("speedup", "base", 0.8, verdict=Verdict(kind, 0.8, "alternating"))
        cell = number(0.8, {"model": "m"}, shown="0.800", quantity="speedup", case="own")
        shown = table(replace(cell, comparison=comparison), definition=kind)
        return report(shown, comparisons={"own": comparison})

    (ratio,) = diff(judged("slower"), judged("same")).ratios
    assert (ratio.old, ratio.new, ratio.reasons) == ("0.800, slower", "0.800, same", ("definition changed",))
    assert headline(diff(judged("slower"), judged("same"))) == "1 ratio or verdict moved"
    assert diff(judged("slower"), judged("slower")).ratios == ()


def ratio_state(own: float, base: float, speed: float, **fields: Any) -> Document:
    """Return a report that shows only the slowdown against expected."""
    comparison = Comparison("expected", "base", own / base, ExpectedRatio("m", "base", speed))
    cell = replace(
        number(own / base * speed, {"model": "m"}, quantity="excess", case="own"), comparison=comparison
    )
    cases = [case("own", [own]), case("base", [base])]
    return report(table(cell), cases=cases, comparisons={"own": comparison}, **fields)


@pytest.mark.parametrize(
    ("old", "new", "reasons"),
    [
        ((2, 1, 0.5), (3, 1, 0.5), ("its number moved: 2.000 s -> 3.000 s",)),
        ((2, 1, 0.5), (2, 4, 0.5), ("its baseline moved: 1.000 s -> 4.000 s",)),
        ((2, 1, 0.5), (2, 1, 0.6), ("expected facts changed: 0.5 -> 0.6",)),
    ],
)
def test_a_ratio_says_which_of_its_parts_moved(
    old: tuple[float, float, float], new: tuple[float, float, float], reasons: tuple[str, ...]
) -> None:
    (ratio,) = diff(ratio_state(*old), ratio_state(*new)).ratios
    assert (ratio.heading, ratio.reasons) == ("m, slowdown vs expected", reasons)


def test_findings_whose_numbers_change_neither_come_nor_go() -> None:
    first, second, third = (
        Finding("warning", "protocol.spread", subject, message)
        for subject, message in (("a", "vary by 5 %"), ("a", "vary by 6 %"), ("b", "vary by 7 %"))
    )
    compared = diff(report(table(), findings=(first,)), report(table(), findings=(second, third)))
    assert [change.finding for change in compared.findings_came] == [third]
    assert compared.findings_went == ()


def test_a_finding_about_a_run_that_was_renumbered_neither_comes_nor_goes() -> None:
    old, new = (
        report(
            table(),
            findings=tuple(Finding("note", "r", f"t.csv#{n}", "corrected from 4 to 8") for n in numbers),
        )
        for numbers in ((1, 2), (2, 3, 4))
    )
    compared = diff(old, new)
    assert (len(compared.findings_came), compared.findings_went) == (1, ())


def test_a_finding_about_another_case_has_come_although_it_says_the_same() -> None:
    old, new = (report(table(), findings=(Finding("warning", "r", name, "failed"),)) for name in "ab")
    compared = diff(old, new)
    assert [change.finding.subject for change in (*compared.findings_came, *compared.findings_went)] == [
        "b",
        "a",
    ]


def test_a_renamed_report_is_compared_with_its_old_self() -> None:
    old, new = state(BASE, starts=TURNS), state(SLOWER, name="b", starts=BETWEEN)
    compared = compare_reports({"study": old}, {"renamed": structs.replace(new, name="renamed")})
    assert [(each.name, each.old_name) for each in compared.renamed_reports] == [("renamed", "study")]
    assert compared.verdicts == {"slower": 1}
    assert compared.new_reports == compared.gone_reports == ()


def test_logs_that_describe_logs_may_change() -> None:
    old, new = (
        {"logs/a.csv": "1", "logs/source.toml": "1", "logs/b.csv": "2"},
        {"logs/a.csv": "3", "logs/c.csv": "4"},
    )
    assert log_changes([old], [new], bool) == LogChanges(
        added=("logs/c.csv",), edited=("logs/a.csv",), unread=("logs/b.csv",)
    )


def test_the_worst_row_is_first() -> None:
    cases = {name: [case(f"{name}{n}", [v * factor for v in BASE], starts=starts) for n, factor in enumerate((1.0, *factors))]
             for name, starts, factors in (("old", TURNS, (1.0, 1.0)), ("new", BETWEEN, (1.05, 1.1)))}  # fmt: skip
    reports = [
        report(
            table(*(number(1.0, {"n": n}, case=each.name) for n, each in enumerate(members))), cases=members
        )
        for members in cases.values()
    ]
    assert [each.heading for each in diff(*reports).rows] == ["n=2", "n=1", "n=0"]


@pytest.mark.parametrize(
    ("kinds", "threshold", "failed"),
    [
        (("slower",), 0.0, ["1 slower"]),
        (("slower",), 0.04, ["1 slower"]),
        (("slower",), 0.05, []),
        (("faster", "undecided", "gone", "edited"), 0.0, []),
        (("warning", "invalid", "slower"), 0.0, ["1 slower", "1 new invalid finding", "2 new warnings"]),
    ],
)
def test_a_comparison_fails_on_what_the_caller_names(
    kinds: tuple[str, ...], threshold: float, failed: list[str]
) -> None:
    findings = (Finding("invalid", "x", "a"), Finding("warning", "x", "b"), Finding("note", "x", "c"))
    new = state(SLOWER, name="b", starts=BETWEEN, findings=findings)
    assert failures_of(diff(state(BASE, starts=TURNS), new), kinds, threshold) == failed


def test_three_repeats_are_likely_slower_by_the_spread_of_the_old_report_and_fail_only_as_that() -> None:
    """Each case has the deviation 0.004; the added three repeats of the first are 5 % slower."""
    before = [case(f"a{n}", [1.0 + n, (1.0 + n) * 1.004, (1.0 + n) * 0.996], starts=()) for n in range(4)]
    after = [case("b0", [1.05, 1.0542, 1.0458], starts=()), *before[1:]]
    old, new = (
        report(
            table(*(number(1.0 + n, {"n": n}, case=each.name) for n, each in enumerate(cases))), cases=cases
        )
        for cases in (before, after)
    )
    compared = diff(old, new)
    (only,) = compared.rows
    assert verdict_text(only) == (
        "likely 4.8 % slower (5.0 % more time; spread 0.4 % of 4 cases); 6 interleaved rounds could decide"
    )
    assert headline(compared).startswith("1 likely slower")
    assert sections_of(compared)[0].title == "Likely slower"
    assert failures_of(compared, ("slower", "undecided")) == []
    assert failures_of(compared, ("slower", "likely-slower"), 0.02) == ["1 likely slower"]
    assert failures_of(compared, ("likely-slower",), 0.05) == []


def test_edited_logs_and_numbers_that_are_gone_fail() -> None:
    old = report(table(number(1.0, {"m": "a"}), number(1.0, {"m": "b"})))
    compared = diff(old, report(table(words("failed", {"m": "a"}), number(1.0, {"m": "b"}))))
    compared = replace(compared, logs=LogChanges(edited=("a",), deleted=("b", "c")))
    assert failures_of(compared, ("gone", "edited")) == [
        "3 committed logs edited or deleted",
        "1 number gone",
    ]
    gone = compare_reports({"study": old}, {})
    assert failures_of(gone, ("gone",)) == ["2 numbers gone", "1 report gone"]
    assert [section.title for section in sections_of(gone)] == ["Reports"]


@pytest.mark.parametrize(
    ("paths", "text"),
    [
        (["logs/a/1"], "logs/a/1"),
        (["logs/a/1", "logs/b/2"], "logs/a/1, logs/b/2"),
        ([f"logs/a/r{n}/x" for n in range(9)], "logs/a/ (9 files)"),
        ([f"logs/a/r{n}/x" for n in range(9)] + ["logs/c"], "logs/a/ (9 files), logs/c"),
        ([str(n) for n in range(9)], "0, 1, 2, 3, 4 and 4 more"),
    ],
)
def test_many_paths_are_counted_below_their_folders(paths: list[str], text: str) -> None:
    assert paths_text(paths) == text


def _several_metrics(speed: float, digest: str) -> Document:
    """Return a report of a case with three numbers, and of another case with one that hardly moves."""
    starts = [100.0 * int(digest) + n for n in range(7)]
    stored = {
        "rate": case("a", [10.0 * speed] * 7, metric="throughput", unit="samples/s", starts=starts),
        "step": case("a", [1.0 / speed] * 7, starts=starts),
        "forward": case("a", [0.4 / speed] * 7, phase="forward", starts=starts),
        "other": case("b", [2.0 if digest == "1" else 2.002] * 7, starts=starts),
    }
    cases = [structs.replace(each, name=name) for name, each in stored.items()]
    cells = [number(1.0, {"n": each.name}, case=each.name) for each in cases]
    sources = {f"logs/{name}/r{n}.csv": f"{digest}-{name}{n}" for name in "ab" for n in range(1, 8)}
    return report(table(*cells), cases=cases, sources=sources)


# Half the speed, and 2 / 2.002 of it: the root of 0.49950 is 0.70675. Three rows of a would give 0.59435.
def test_the_mean_counts_the_metrics_and_phases_of_a_case_once() -> None:
    found = diff(_several_metrics(1.0, "1"), _several_metrics(0.5, "2"))
    assert len(found.rows) == 4
    assert [(row.comparison.own.metric, row.comparison.own.phase) for row in found.averaged] == [
        ("throughput", "step"),
        ("step_time", "step"),
    ]
    assert found.mean_ratio == pytest.approx(0.70675, abs=1e-5)
    (mean, *_) = sentences(found)
    assert mean == "Geometric mean speed of the 2 cases compared (by throughput or step time): 29 % slower."
