"""The table of `reportgen runs`: which runs share a row, what it shows, how it is selected and sorted."""

from dataclasses import replace

import pytest

from reportgen.core.errors import RequestError
from reportgen.core.model import FactorValue, Run
from reportgen.protocol import DEFAULT
from reportgen.report.listing import RunListing
from reportgen.report.run_entry import RunEntry, entry_of_run
from reportgen.report.run_groups import RunRow, group_rows, select
from tests.builders import aggregate, run
from tests.each_of import each_row


def entry(id: str, seconds: float = 0.5, status: str = "complete", **factors: FactorValue) -> RunEntry:
    one: Run = run(aggregate(seconds), status=status)
    return entry_of_run(replace(one, id=id, factors=factors), DEFAULT)


def ids(*entries: RunEntry, sort: str = "run") -> list[str]:
    return [row.run for row in group_rows(entries, sort).rows]


def test_repeats_share_a_row_with_their_median_and_range() -> None:
    table = group_rows([entry(f"a/r{n}.log", n / 10, device="A", devices=8) for n in (1, 2, 5)])
    (row,) = table.rows
    assert (row.run, row.status) == ("a/r*.log", "3 complete")
    assert row.measured == "step time 200.0 (100.0 to 500.0) ms (aggregate)"
    assert table.shared == {"format": "native", "device": "A", "devices": "8"}


def test_a_failed_repeat_is_counted_and_not_measured() -> None:
    (row,) = group_rows([entry("r1", 0.1, b=1), entry("r2", 0.2, b=1), entry("r3", 9, "failed", b=1)]).rows
    assert row.status == "2 complete, 1 failed"
    assert row.measured == "step time 150.0 (100.0 to 200.0) ms (aggregate)"
    assert row.findings == "read.failed-run"


def test_the_results_of_one_run_share_a_row_with_their_range_and_without_a_median() -> None:
    results = [replace(run(aggregate(size / 10)), part_of=1) for size in (1, 2, 9)]
    entries = [
        entry_of_run(replace(one, id=f"a.log#{number}", factors={"device": "A", "size": number}), DEFAULT)
        for number, one in enumerate(results)
    ]
    (row, other) = group_rows([*entries, entry("b.log", 0.2, device="A", size=1)]).rows
    assert (row.run, row.status) == ("a.log#0-2", "complete")
    assert row.measured == "step time 100.0 to 900.0 ms (aggregate)"
    assert other.run == "b.log"
    assert RunListing(tuple(entries)).statuses == ["complete"]


def test_runs_that_differ_in_work_or_in_what_they_measured_have_rows_of_their_own() -> None:
    other_work = entry_of_run(replace(run(aggregate(0.5), samples_per_step=8), id="r3"), DEFAULT)
    first, second = (replace_factors(each) for each in (entry("r1"), entry("r2")))
    assert ids(first, second) == ["r*"]
    assert ids(first, replace_factors(other_work)) == ["r1", "r3"]


def replace_factors(one: RunEntry) -> RunEntry:
    return type(one)(**{name: getattr(one, name) for name in one.__struct_fields__} | {"factors": {}})


@each_row(
    [
        (("r1.log", "r2.log", "r4.log"), 1),
        (("run-2024-03-01_10-05-00.log", "run-2024-04-17_22-15-31.log"), 1),
        (("slurm-981234.out", "slurm-1000001.out"), 1),
        (("3fa9c01/run.json", "77b01de/run.json"), 1),
        (("table.csv#1", "table.csv#2"), 1),
        (("infer-nchw-rtx3090.csv", "infer-nchw-rtx4090.csv"), 2),
        (("infer-nchw-rtx3090.csv", "infer-nhwc-rtx3090.csv"), 2),
        (("A40/r1.log", "A40/r2.log", "H100/r1.log", "H100/r2.log"), 2),
        (("b32/r1.log", "b64/r1.log", "b64/r2.log"), 2),
        (("base.log", "tuned.log"), 2),
        (("a.log", "x/a.log"), 2),
    ]
)
def test_runs_that_differ_in_a_name_are_not_repeats(names: tuple[str, ...], rows: int) -> None:
    assert len(ids(*(entry(name, x=1) for name in names))) == rows


def test_factors_in_which_cases_differ_are_columns() -> None:
    table = group_rows([entry("a", x=1, y="p", z=True), entry("b", x=2, y="p", z=False), entry("c", y="p")])
    assert table.names == ("x", "z")
    assert [row.factors for row in table.rows] == [("1", "true"), ("2", "false"), ("", "")]
    assert table.shared["y"] == "p"


@pytest.mark.parametrize(
    ("sort", "order"),
    [
        ("run", ["r2", "r9", "r10"]),
        ("-run", ["r10", "r9", "r2"]),
        ("devices", ["r10", "r9", "r2"]),  # 2, 8, 16
        ("-devices", ["r2", "r9", "r10"]),
        ("measured", ["r2", "r10", "r9"]),
        ("-measured", ["r9", "r10", "r2"]),
        ("status", ["r2", "r9", "r10"]),
    ],
)
def test_rows_are_sorted(sort: str, order: list[str]) -> None:
    entries = [entry("r10", 0.2, devices=2), entry("r2", 0.1, devices=16), entry("r9", 0.3, devices=8)]
    assert ids(*entries, sort=sort) == order


def test_a_run_without_the_sorted_value_comes_first_and_no_value_is_compared_with_another_quantity() -> None:
    loss = entry_of_run(replace(run(aggregate(0.1, metric="loss")), id="b", factors={"x": 2}), DEFAULT)
    failed = entry("c", 0.1, "failed", x=3)
    assert ids(entry("a", 0.5, x=1), loss, failed, sort="measured") == ["c", "b", "a"]


def test_unknown_names_are_errors_with_the_nearest_one() -> None:
    with pytest.raises(RequestError, match='--sort: no column "device"; did you mean "devices"'):
        group_rows([entry("a", devices=8)], "device")
    with pytest.raises(RequestError, match='--where: no run has the factor "device"; did you mean "devices"'):
        select([entry("a", devices=8)], {"device": (8,)})
    assert group_rows([], "anything").rows == ()


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ({"device": ("A41",)}, 'no run has device = "A41"; did you mean "A40"?'),
        ({"devices": (9, "9")}, "no run has devices = 9; known: 1, 8"),
        ({"devices": ("eight",)}, 'no run has devices = "eight"; known: 1, 8'),
        ({"status": ("fail",)}, 'no run has status = "fail"; did you mean "failed"?'),
        ({"device": ("A40",), "devices": (8, "8")}, "no run fulfils all of these conditions; leave one out"),
    ],
)
def test_conditions_that_no_run_fulfils_are_errors_with_the_values_that_exist(
    where: dict[str, tuple[FactorValue, ...]], message: str
) -> None:
    entries = [entry("a", status="failed", devices=1, device="A40"), entry("b", devices=8, device="V100")]
    with pytest.raises(RequestError) as error:
        select(entries, where)
    assert str(error.value) == f"--where: {message}"


def test_runs_are_selected_by_status_format_and_repeat() -> None:
    entries = [entry("a", status="failed"), entry("b")]
    assert [each.id for each in select(entries, {"status": ("failed",)})] == ["a"]
    assert [each.id for each in select(entries, {"format": ("native",)})] == ["a", "b"]
    third = entry_of_run(replace(run(aggregate(0.1)), id="c", repeat=3), DEFAULT)
    assert [each.id for each in select([*entries, third], {"repeat": (3, "3")})] == ["c"]


def test_runs_are_selected_by_their_factors() -> None:
    entries = [entry("a", devices=8), entry("b", devices="8"), entry("c", devices=4), entry("d")]
    assert [each.id for each in select(entries, {"devices": (8, "8")})] == ["a", "b"]


def test_every_text_of_a_table_can_be_changed() -> None:
    table = group_rows([entry("a", x="p"), entry("b", x="q")]).map(str.upper)
    assert table.rows[0] == RunRow("A", "", ("P",), "COMPLETE", "", "STEP TIME 500.0 MS (AGGREGATE)", "")
    assert table.names == ("X",)
    assert table.shared == {"FORMAT": "NATIVE"}
