"""The cells of a table, from runs whose figures are written out here."""

from csv import DictReader
from dataclasses import replace

import pytest

from reportgen.core.errors import RequestError
from reportgen.core.model import Finding, Run
from reportgen.core.rules import Rule
from reportgen.render.data.csv import table_csv
from reportgen.tables.assemble import build_tables
from reportgen.tables.expected import NO_FACTS
from reportgen.tables.results import Table
from reportgen.tables.spec import CompareSpec
from tests.builders import published_run, run, series, table_spec, telemetry
from tests.each_of import each_row
from tests.render.example import shown

FRAMEWORKS = [
    published_run(framework=framework, devices=devices, batch_size=128, item="image", throughput=rate)
    for framework, devices, rate in [
        ("OneFlow", 1, 400.0),
        ("OneFlow", 8, 3100.0),
        ("PyTorch", 1, 350.0),
        ("PyTorch", 16, 5200.0),
    ]
]


def texts(table: Table) -> list[list[str]]:
    """Return what each cell holds: its number in base units, or its text."""
    return [[f"{c.value:.6g}" if c.value is not None else c.text for c in row] for row in table.cells]


def only_table(runs, knowledge=NO_FACTS, **keys) -> Table:
    (table,) = build_tables(table_spec(**keys), runs, knowledge)
    return table


def heads(table: Table) -> list[str]:
    return [
        " ".join([*(label.text for label in c.labels), *c.qualifiers, c.quantity_label]).strip()
        for c in table.columns
    ]


def test_rows_and_columns_sort_naturally_and_missing_cells_are_absent():
    table = only_table(FRAMEWORKS, rows=("devices",), columns=("framework",))
    assert [row.key for row in table.rows] == [(1,), (8,), (16,)]
    assert heads(table) == ["OneFlow", "PyTorch"]
    assert texts(table) == [["400", "350"], ["3100", "-"], ["-", "5200"]]
    assert table.unit is not None
    assert table.unit.name == "images/s"


def test_order_comes_first_and_the_rest_follows():
    table = only_table(
        FRAMEWORKS, rows=("devices",), columns=("framework",), order={"framework": ("PyTorch",)}
    )
    assert heads(table) == ["PyTorch", "OneFlow"]


def test_booleans_numbers_and_texts_stay_apart_as_values():
    runs = [published_run(x=x, throughput=float(i)) for i, x in enumerate([True, 2, "2"], 1)]
    assert sorted(texts(only_table(runs, rows=("x",)))) == [["1"], ["2"], ["3"]]


def test_hidden_variation_prints_no_number_and_names_what_varies():
    runs = [
        *FRAMEWORKS,
        published_run(framework="OneFlow", devices=1, batch_size=96, item="image", throughput=300.0),
    ]
    table = only_table(runs, rows=("devices",), columns=("framework",))
    assert texts(table)[0] == ["several", "350"]
    assert "differ in batch_size" in table.notes[table.cells[0][0].notes[0]].text
    assert [f.rule for f in table.findings] == ["table.hidden-variation"]


@pytest.mark.parametrize(("which", "shown"), [("largest", "400"), ("smallest", "300")])
def test_pick_chooses_one_case_among_several(which, shown):
    runs = [
        *FRAMEWORKS,
        published_run(framework="OneFlow", devices=1, batch_size=96, item="image", throughput=300.0),
    ]
    assert (
        texts(only_table(runs, rows=("devices",), columns=("framework",), pick={"batch_size": which}))[0][0]
        == shown
    )


def test_pick_prefers_a_measured_case_to_a_larger_one_that_failed():
    runs = [
        published_run(batch_size=8, m="a", throughput=5.0),
        published_run(batch_size=16, m="a", status="out_of_memory"),
    ]
    assert texts(only_table(runs, rows=("m",), pick={"batch_size": "largest"})) == [["5"]]


def test_ignored_factors_make_repeats_of_one_case():
    runs = [published_run(host=h, m="a", throughput=v) for h, v in [("x", 1.0), ("y", 2.0), ("z", 4.0)]]
    table = only_table(runs, rows=("m",), ignore=("host",))
    assert texts(table) == [["2"]]
    assert table.cells[0][0].case.summary.n == 3


def test_qualifiers_split_a_column_only_where_they_must():
    runs = [
        published_run(framework="TF", xla=True, devices=1, throughput=5.0),
        published_run(framework="TF", xla=False, devices=1, throughput=4.0),
        published_run(framework="PT", xla=False, devices=1, throughput=3.0),
    ]
    table = only_table(
        runs, rows=("devices",), columns=("framework",), qualify={"xla": False}, labels={"xla=true": "w/XLA"}
    )
    assert heads(table) == ["PT", "TF", "TF w/XLA"]
    assert texts(table) == [["3", "4", "5"]]


def test_a_qualifier_that_differs_from_the_tables_is_below_the_heading():
    runs = [
        published_run(framework="A", batch_size=256, devices=1, throughput=5.0),
        published_run(framework="B", batch_size=224, devices=1, throughput=4.0),
    ]
    keys = {"rows": ("devices",), "columns": ("framework",), "labels": {"batch_size": "bsz"}}
    assert heads(only_table(runs, qualify={"batch_size": 256}, **keys)) == ["A", "B bsz=224"]
    assert heads(only_table(runs, qualify={"batch_size": None}, **keys)) == ["A bsz=256", "B bsz=224"]


def test_a_qualifier_that_differs_inside_row_and_column_is_in_the_cell():
    runs = [
        published_run(f=f, p=p, batch_size=b, throughput=1.0)
        for f, p, b in [("A", "x", 1), ("A", "y", 2), ("B", "x", 2), ("B", "y", 1)]
    ]
    table = only_table(runs, rows=("f",), columns=("p",), qualify={"batch_size": None})
    assert [[c.qualifiers for c in row] for row in table.cells] == [
        [("batch_size=1",), ("batch_size=2",)],
        [("batch_size=2",), ("batch_size=1",)],
    ]


def test_phases_side_by_side_have_a_unit_for_each_column_and_totals_sum_them():
    runs = [published_run(m="a", values={"data_loading": 5.0, "forward": 0.002, "backward": 0.004})]
    table = only_table(
        runs,
        rows=("m",),
        columns=("phase",),
        metrics=("step_time",),
        phases=("data_loading", "forward", "backward", "compute"),
        totals={"compute": ("forward", "backward")},
        order={"phase": ("data_loading", "forward", "backward", "compute")},
    )
    assert texts(table) == [["5", "0.002", "0.004", "0.006"]]
    assert [c.unit.name for c in table.columns] == ["s", "ms", "ms", "ms"]


def test_a_failed_run_adds_no_row_for_a_value_that_no_other_run_has():
    runs = [
        published_run(m="a", values={"forward": 1.0}, memory=2.0),
        published_run(m="b", values={"forward": 3.0}),
        published_run(m="c", status="failed"),
    ]
    keys = {"metrics": ("step_time", "memory_used"), "phases": ("step", "forward"), "unit": "per-cell"}
    table = only_table(runs, rows=("metric", "phase", "m"), **keys)
    assert [" ".join(label.text for label in row.labels) for row in table.rows] == [
        "Step time forward a",
        "Step time forward b",
        "Step time forward c",
        "Memory used step a",
        "Memory used step c",
    ]


def test_runs_that_all_failed_are_shown_in_each_of_several_phases():
    runs = [published_run(m=m, status="failed") for m in "ab"]
    table = only_table(runs, rows=("m",), columns=("phase",), phases=("step", "forward"))
    assert texts(table) == [["failed", "failed"]] * 2


def test_throughput_of_a_total_is_samples_over_its_time():
    runs = [published_run(m="a", samples=256.0, values={"forward": 0.25, "backward": 0.75})]
    table = only_table(runs, rows=("m",), phases=("compute",), totals={"compute": ("forward", "backward")})
    assert texts(table) == [["256"]]


def test_facets_make_one_table_each_with_an_id_that_can_be_a_path():
    tables = build_tables(table_spec(rows=("devices",), facets=("framework",)), FRAMEWORKS, NO_FACTS)
    assert [t.id for t in tables] == ["t/OneFlow", "t/PyTorch"]
    assert [t.title for t in tables] == ["T: OneFlow", "T: PyTorch"]


def test_speedup_efficiency_and_ratio_compare_cases_with_equal_factors():
    baseline = {"devices": 1}
    for kind, expected in [("speedup", "7.75"), ("efficiency", "0.96875"), ("ratio", "7.75")]:
        table = only_table(
            FRAMEWORKS,
            rows=("devices",),
            columns=("framework",),
            compare=CompareSpec(kind, baseline),
            show=(kind,),
        )
        assert texts(table)[1] == [expected, "-"]
        assert texts(table)[0] == ["1", "1"]


@pytest.mark.parametrize(
    ("show", "expected"),
    [
        (
            ("value", "speedup", "interval", "verdict"),
            ["A value", "B value", "B speedup", "B interval", "B verdict"],
        ),
        # Without its values, nothing but the ratio shows that the baseline ran.
        (("speedup",), ["A speedup", "B speedup"]),
    ],
)
def test_beside_values_no_column_is_compared_with_itself(show: tuple[str, ...], expected: list[str]):
    runs = [published_run(throughput=v, device=d, model=m) for d, v in (("A", 1.0), ("B", 2.0)) for m in "xy"]
    compare = CompareSpec("speedup", {"device": "A"})
    table = only_table(runs, rows=("model",), columns=("device",), compare=compare, show=show)
    assert [f"{column.key[0]} {column.quantity}" for column in table.columns] == expected
    assert {len(line) for line in table.cells} == {len(expected)}


def test_the_speedup_of_a_time_is_above_one_when_the_time_is_shorter():
    runs = [published_run(device=d, values={"step": t}) for d, t in [("CPU", 4.0), ("GPU", 1.0)]]
    table = only_table(
        runs,
        rows=("device",),
        metrics=("step_time",),
        compare=CompareSpec("speedup", {"device": "CPU"}),
        show=("speedup",),
    )
    assert texts(table) == [["1"], ["4"]]


def test_a_cell_without_its_own_baseline_says_so():
    runs = [
        published_run(m="a", devices=1, b=1, throughput=1.0),
        published_run(m="a", devices=8, b=2, throughput=6.0),
    ]
    table = only_table(
        runs,
        rows=("m", "devices", "b"),
        compare=CompareSpec("speedup", {"devices": 1}),
        show=("value", "speedup"),
    )
    assert texts(table)[1] == ["6", "-"]
    note = table.notes[table.cells[1][1].notes[0]]
    assert note.rule == "table.missing-baseline"
    assert note.text == ("no baseline with devices=1 and all other factors equal; the nearest differs in b")


@pytest.mark.parametrize(
    ("others", "differs"),
    [
        ([{"a": 1, "b": 2}, {"a": 1, "b": 1}], "a"),  # the one with fewer
        ([{"a": 1, "b": 2}, {"a": 2, "b": 1}], "a"),  # of two with as many the first by name
        ([{"a": 1}], "a, b"),  # what it lacks differs too
        ([{"a": 1, "b": 1, "c": 1, "d": 1, "e": 1, "f": 1}], "a, b, c, d and 2 more"),
    ],
)
def test_a_missing_baseline_names_the_factors_in_which_the_nearest_differs(others, differs):
    runs = [published_run(gpu="A", a=2, b=2, throughput=1.0)]
    runs += [published_run(gpu="V", throughput=1.0, **factors) for factors in others]
    compare = CompareSpec("speedup", {"gpu": "V"})
    for found in (runs, runs[::-1]):
        table = only_table(found, where={"gpu": ("A",)}, compare=compare)
        (finding,) = table.findings
        assert finding.message.endswith(f"; the nearest differs in {differs}")


@pytest.mark.parametrize(
    ("ignore", "rest"),
    [
        (("batch_size",), " except batch size (5, 12, 24)."),
        (("batch_size", "host"), " except batch size (5, 12, 24), host (-, n1)."),
    ],
)
def test_the_caption_names_ignored_factors_that_differ(ignore, rest):
    runs = [
        published_run(device="A", batch_size=5, throughput=1.0),
        published_run(device="B", batch_size=24, throughput=3.0),
        published_run(
            device="C", batch_size=12, throughput=2.0, **({"host": "n1"} if "host" in ignore else {})
        ),
    ]
    table = only_table(runs, rows=("device",), ignore=ignore, compare=CompareSpec("speedup", {"device": "A"}))
    assert (
        f"Speed-up relative to device=A; other factors equal as far as the logs state them{rest}"
        in table.caption
    )


def test_an_ignored_factor_that_is_equal_is_not_named():
    runs = [published_run(device=d, batch_size=5, throughput=1.0) for d in "AB"]
    table = only_table(
        runs, rows=("device",), ignore=("batch_size",), compare=CompareSpec("speedup", {"device": "A"})
    )
    assert (
        "Speed-up relative to device=A; other factors equal as far as the logs state them." in table.caption
    )


def test_the_caption_names_ignored_factors_in_which_repeats_differ():
    runs = [published_run(m="a", node=node, throughput=1.0) for node in range(8)] + [
        published_run(m="b", node=1, throughput=1.0)
    ]
    assert (
        "Repeats differ in node (0, 1, 2, 3, 4, 5, ...)."
        in only_table(runs, rows=("m",), ignore=("node",)).caption
    )


@pytest.mark.parametrize(
    ("lengths", "evidence"),
    [
        ((130, 140), "steps 21 to 120 of each run"),
        ((99, 99), "steps 21 to 99 of each run"),
        ((130, 99), "the first 100 steps after a warm-up of 20, or as many as each log has"),
    ],
)
def test_the_caption_claims_no_step_that_was_not_measured(lengths, evidence):
    runs = [replace(published_run(m=n), series=(series([1.0] * length),)) for n, length in enumerate(lengths)]
    assert only_table(runs, rows=("m",), metrics=("step_time",)).caption[0] == f"Step time in s: {evidence}."


def test_the_caption_says_which_evidence_other_runs_have():
    measured = replace(published_run(m=1), series=(series([1.0] * 130),))
    (said, *_) = only_table(
        [measured, published_run(m=2, values={"step": 1.0})], rows=("m",), metrics=("step_time",)
    ).caption
    assert said == "Step time in s: steps 21 to 120 of each run; published figures where a run has no steps."


@pytest.mark.parametrize(
    ("repeats", "evidence"),
    [
        ((1, 1, 1), "published figures"),
        ((1, 1, 2), "published figures"),  # the second has the note "2 of 7 repeats"
        ((2, 2), "median of 2 repeats, published figures"),
        ((1, 7), "median of 1 to 7 repeats, published figures"),
        ((7, 3, 3), "median of 3 to 7 repeats, published figures"),
        ((7, 6, 3), "median of 6 to 7 repeats (fewer where a note says so), published figures"),
    ],
)
def test_the_caption_has_the_repeats_of_numbers_without_a_note_about_theirs(repeats, evidence):
    runs = [published_run(m=m, values={"step": 1.0}) for m, count in enumerate(repeats) for _ in range(count)]
    assert only_table(runs, rows=("m",), metrics=("step_time",)).caption[0] == f"Step time in s: {evidence}."


def test_the_caption_says_how_many_of_the_steps_are_in_the_log():
    found = replace(published_run(m=1), series=(series([1.0] * 13, step=range(1, 131, 10)),))
    (said, *_) = only_table([found], rows=("m",), metrics=("step_time",)).caption
    assert said == "Step time in s: 10 of the steps 21 to 111 of each run."


def test_telemetry_without_steps_covers_the_whole_log():
    found = replace(published_run(m=1), telemetry=(telemetry(memory_used=[1.0, 2.0]),))
    (said, *_) = only_table([found], rows=("m",), metrics=("memory_used",)).caption
    assert said.endswith(": samples of the whole log.")


def test_the_mean_row_is_a_geometric_mean_and_a_finding_names_rows_left_out():
    runs = [
        published_run(m=m, gpu=g, throughput=v)
        for m, g, v in [("a", "V", 1.0), ("a", "A", 2.0), ("b", "V", 1.0), ("b", "A", 8.0), ("c", "A", 5.0)]
    ]
    table = only_table(
        runs,
        where={"gpu": ("A",)},
        rows=("m",),
        compare=CompareSpec("ratio", {"gpu": "V"}, mean=True),
        show=("value", "ratio"),
    )
    assert texts(table)[-1] == ["", "4"]
    assert [f.rule for f in table.findings] == ["table.missing-baseline", *["table.sets-differ"] * 2]
    assert table.findings[1].message.endswith("geometric mean: c")
    assert table.findings[2].message == "Not every side has every case: V has 2 of 3 ms (not c)"


def test_a_case_that_does_not_state_what_is_compared_is_not_a_side():
    stated = [
        published_run(m=m, devices=n, nodes=1, throughput=1.0) for m, n in [("a", 1), ("a", 2), ("b", 1)]
    ]
    compare = CompareSpec("speedup", {"devices": 1, "nodes": 1})
    table = only_table(
        [*stated, published_run(m="c", throughput=5.0)], rows=("m", "devices", "nodes"), compare=compare
    )
    message = "Not every side has every case: devices 2 nodes 1 has 1 of 2 ms (not b)"
    assert [f.message for f in table.findings if f.rule == "table.sets-differ"] == [message]


def test_rows_are_named_as_unmatched_whichever_side_lacks_its_value():
    rows = [("a", "V", 1.0), ("a", "A", 2.0), ("b", "V", 1.0), ("c", "A", 5.0)]
    runs = [published_run(m=m, gpu=g, throughput=v) for m, g, v in rows]
    runs += [
        published_run(m="b", gpu="A", status="out_of_memory"),
        published_run(m="d", gpu="A", status="failed"),
        published_run(m="d", gpu="V", status="failed"),
    ]
    table = only_table(
        runs,
        where={"gpu": ("A",)},
        rows=("m",),
        compare=CompareSpec("ratio", {"gpu": "V"}, mean=True),
        show=("ratio",),
    )
    of_mean, of_sides = [each for each in table.findings if each.rule == "table.sets-differ"]
    assert of_mean.message == (
        "2 rows lack one of the two values, or these are not comparable: they are left out of the geometric mean: "
        "b; c"
    )
    sides = "Not every side has every case: A has 2 of 3 ms (not b); V has 2 of 3 ms (not c)"
    assert of_sides.message == sides
    assert texts(table)[-1] == ["-"]
    assert [*table.notes.values()][-1].text == "1 of 3 rows has both values, and a geometric mean needs two"


def _in_turns(step: float, start: float, gpu: str) -> list[Run]:
    return [
        run(
            series([step + 0.001 * at] * 150),
            id=f"{gpu}{at}",
            factors={"gpu": gpu},
            started=start + 10.0 * at,
        )
        for at in range(7)
    ]


@pytest.mark.parametrize(
    ("kind", "quantity", "low", "high"),
    [
        # Ratios of times, per round 2, 2.001 / 1.001, ...: from 1.994 to 2.
        ("ratio", "ratio", 1.995, 2.0),
        ("expected", "observed", 1.995, 2.0),
        ("speedup", "speedup", 0.5, 0.50125),
    ],
)
def test_an_interval_is_one_of_the_ratio_beside_it(kind, quantity, low, high):
    runs = [*_in_turns(2.0, 5.0, "V"), *_in_turns(1.0, 0.0, "A")]
    spec = {"metrics": ("step_time",), "rows": ("gpu",), "where": {"gpu": ("V",)}}
    table = only_table(runs, **spec, compare=CompareSpec(kind, {"gpu": "A"}), show=(quantity, "interval"))
    ratio, interval = table.cells[0]
    assert interval.kind == "interval"
    assert (interval.low, interval.high) == (pytest.approx(low, rel=1e-3), pytest.approx(high, rel=1e-3))
    assert interval.low <= ratio.value <= interval.high
    assert any(text.startswith("Interval: ") for text in table.caption)


def test_without_turns_there_is_no_interval():
    runs = [*_in_turns(2.0, 500.0, "V"), *_in_turns(1.0, 0.0, "A")]
    spec = {"metrics": ("step_time",), "rows": ("gpu",), "where": {"gpu": ("V",)}}
    table = only_table(runs, **spec, compare=CompareSpec("ratio", {"gpu": "A"}), show=("ratio", "interval"))
    assert table.cells[0][1].kind == "absent"


@pytest.mark.parametrize(
    ("show", "baseline", "has_signs"),
    [
        (("ratio",), {"gpu": "A"}, True),
        (("ratio", "verdict"), {"gpu": "A"}, False),
        (("ratio",), {"gpu": "A", "devices": 1}, True),
        (("ratio",), {"devices": 1, "nodes": 1}, False),
    ],
)
def test_ratios_have_signs_unless_words_or_the_number_of_devices_say_it(show, baseline, has_signs):
    runs = [published_run(gpu="A", devices=1, nodes=1, throughput=1.0)]
    table = only_table(runs, compare=CompareSpec("ratio", baseline), show=show)
    assert table.has_signs == has_signs


def test_failed_runs_are_shown_as_failed_and_never_as_numbers():
    runs = [
        published_run(m="a", status="out_of_memory"),
        published_run(m="b", status="failed"),
        published_run(m="c", throughput=1.0),
    ]
    assert texts(only_table(runs, rows=("m",))) == [["out of memory"], ["failed"], ["1"]]


def test_failed_cases_that_share_a_cell_are_shown_as_failed():
    runs = [
        published_run(m="a", layers=16, status="failed"),
        published_run(m="a", layers=18, status="out_of_memory"),
        published_run(m="b", layers=16, throughput=1.0),
    ]
    table = only_table(runs, rows=("m",))
    assert texts(table) == [["out of memory"], ["1"]]
    assert [run.status for run in table.cells[0][0].case.unmeasured] == ["failed", "out_of_memory"]
    assert (table.notes, table.findings) == ({}, ())


def test_a_measured_case_beside_a_failed_one_is_still_hidden_variation():
    runs = [published_run(m="a", layers=16, status="failed"), published_run(m="a", layers=18, throughput=2.0)]
    assert texts(only_table(runs, rows=("m",))) == [["several"]]


def test_planned_cases_have_their_place_until_they_are_measured():
    table = only_table(
        FRAMEWORKS,
        rows=("devices",),
        columns=("framework",),
        planned=({"devices": 32, "framework": "PyTorch"}, {"devices": 1, "framework": "PyTorch"}),
    )
    assert texts(table)[-1] == ["-", "planned"]
    assert texts(table)[0] == ["400", "350"]


def test_missing_cells_have_the_text_of_the_definition():
    assert (
        texts(only_table(FRAMEWORKS, rows=("devices",), columns=("framework",), missing="not run"))[1][1]
        == "not run"
    )


def test_each_repeat_can_have_a_row():
    runs = [published_run(m="a", repeat=i, throughput=float(i)) for i in (3, 1, 2)]
    assert texts(only_table(runs, rows=("m", "repeat"))) == [["1"], ["2"], ["3"]]


def test_a_table_can_choose_repeats():
    runs = [published_run(m="a", repeat=i, throughput=float(i)) for i in (3, 1, 2)]
    assert texts(only_table(runs, rows=("m",), where={"repeat": (2,)})) == [["2"]]
    assert texts(only_table(runs, rows=("m", "repeat"), where={"repeat": (1, 3)})) == [["1"], ["3"]]
    with pytest.raises(RequestError, match=r"where\.repeat: no run has repeat = 4; known: 1, 2, 3"):
        only_table(runs, rows=("m",), where={"repeat": (4,)})


def test_too_few_repeats_for_an_interval_have_a_range():
    runs = [published_run(m="a", repeat=i, throughput=float(i)) for i in (1, 2, 3)]
    table = only_table(runs, rows=("m",), interval=True)
    cell = table.cells[0][0]
    assert (cell.low, cell.value, cell.high) == (1.0, 2.0, 3.0)
    assert any(table.notes[i].text == "range of 3 repeats (75% confidence; 95% needs 6)" for i in cell.notes)


def test_many_texts_of_one_rule_fold_into_one_footnote():
    runs = [published_run(m="a", devices=1, throughput=1.0)] + [
        published_run(m=f"m{i}", devices=8, throughput=6.0) for i in range(6)
    ]
    runs += [published_run(m="z", devices=1, values={"step": 1.0}, status="failed")]
    table = only_table(runs, rows=("m", "devices"), compare=CompareSpec("speedup", {"devices": 1}))
    assert len({n.rule for n in table.notes.values()}) == len(table.notes)


def test_a_folded_footnote_names_the_source_of_its_values():
    runs = [
        replace(
            published_run(m=f"m{i}", throughput=1.0),
            findings=(Finding("warning", Rule.PROTOCOL_SPREAD, "r", f"{i} %"),),
        )
        for i in range(5)
    ]
    (note,) = only_table([*runs, published_run(m="z", throughput=1.0)], rows=("m",)).notes.values()
    assert note.text == (
        "The repeats vary by more than the protocol allows (5 % by default). Details are in the "
        "evidence of each number."
    )


SHORT = series([1.0] * 5)


@pytest.mark.parametrize(
    ("baseline", "why"),
    [
        (published_run(m="a", devices=1, status="out_of_memory"), "out of memory"),
        (replace(published_run(m="a", devices=1), id="x"), "the log of x has nothing to measure"),
        (
            replace(published_run(m="a", devices=1, samples=8.0), series=(SHORT,)),
            "log ends at step 5, within the warm-up of 20 steps",
        ),
    ],
)
def test_a_baseline_without_a_number_says_why(baseline, why):
    table = only_table(
        [baseline, published_run(m="a", devices=8, throughput=6.0)],
        rows=("m", "devices"),
        compare=CompareSpec("speedup", {"devices": 1}),
    )
    (finding,) = (one for one in table.findings if one.rule == "table.missing-baseline")
    assert finding.message == f"baseline with devices=1 has no number: {why}"


def test_environment_can_be_used_like_a_factor():
    runs = [
        published_run(m="a", throughput=1.0, environment={"driver": "470"}),
        published_run(m="a", throughput=2.0, environment={"driver": "535"}),
    ]
    assert texts(only_table(runs, rows=("driver",))) == [["1"], ["2"]]


def test_a_cell_says_its_unit_if_the_runs_of_its_row_count_something_else():
    runs = [
        published_run(
            m=model, d=device, item="token" if (model, device) == ("a", 2) else "image", throughput=1.0
        )
        for model in "abcd"
        for device in (1, 2, 3)
    ]
    table = only_table(runs, rows=("m",), columns=("d",))
    assert table.unit_mode == "row"
    assert [row.unit.name for row in table.rows if row.unit] == ["images/s"] * 4
    assert [[cell.unit.name for cell in line if cell.unit] for line in table.cells[:2]] == [
        ["images/s", "tokens/s", "images/s"],
        ["images/s"] * 3,
    ]


@pytest.mark.parametrize(
    ("keys", "mode", "units"),
    [
        ({"rows": ("m",)}, "row", ["images/s", "tokens/s"]),
        ({"rows": ("d",), "columns": ("m",)}, "column", ["images/s", "tokens/s"]),
        ({"rows": ("d",), "ignore": ("m",), "columns": ("item",)}, "column", ["images/s", "tokens/s"]),
        ({"rows": ("x",), "columns": ("y",)}, "cell", ["images/s", "tokens/s"]),
        ({"rows": ("m",), "where": {"m": ("a",)}}, "table", ["images/s"]),
    ],
)
def test_images_and_tokens_have_their_own_units_in_every_layout(keys, mode, units):
    runs = [
        published_run(m="a", d=8, item="image", x=1, y=1, throughput=1.0),
        published_run(m="b", d=8, item="token", x=1, y=2, throughput=2.0),
        published_run(m="b", d=8, item="token", x=2, y=1, throughput=2.0),
        published_run(m="c", d=8, item="sample", x=3, y=3, status="failed"),
    ]
    table = only_table(runs if mode == "cell" else [*runs[:2], runs[3]], **keys)
    assert table.unit_mode == mode
    found = [cell.unit.name for line in table.cells for cell in line if cell.unit and cell.value is not None]
    assert sorted(set(found)) == units


def test_a_cell_can_have_a_unit_of_its_own():
    runs = [published_run(m=m, values={"forward": t}) for m, t in [("a", 0.09129), ("b", 13.808)]]
    table = only_table(runs, rows=("m",), metrics=("step_time",), phases=("forward",), unit="per-cell")
    assert [row[0].unit.name for row in table.cells] == ["ms", "s"]


@each_row(
    [
        ({"rows": ("device",)}, 'tables[0].rows[0]: no factor "device"; did you mean "devices"?'),
        (
            {"rows": ("devices",), "where": {"framework": ("Oneflow",)}},
            'tables[0].where.framework: no run has framework = "Oneflow"; did you mean "OneFlow"?',
        ),
        (
            {"rows": ("devices",), "where": {"framework": ("OneFlow",), "devices": (16,)}},
            "tables[0].where: no run matches all of these conditions; relax one of them",
        ),
        (
            {"rows": ("devices",), "phases": ("forward",)},
            'tables[0].phase: no run has throughput of phase "forward" (4 runs); known: step',
        ),
        (
            {"rows": ("devices",), "phases": ("forward", "step")},
            'tables[0].phase: several values, but phase is in neither rows, columns nor facets; add "phase" to one of them',
        ),
        (
            {"rows": ("devices",), "unit": "ms"},
            "tables[0].unit: ms is a unit of s, but the values are in samples/s; leave unit out to choose one automatically",
        ),
        ({"rows": ("devices",), "unit": "furlong"}, 'tables[0].unit: no unit "furlong"; known: '),
        (
            {"rows": ("devices",), "compare": CompareSpec("ratio", {"framework": "Paddle"})},
            'tables[0].compare.baseline: no case has framework = "Paddle"; framework is one of "OneFlow", "PyTorch"',
        ),
        (
            {
                "rows": ("framework",),
                "where": {"devices": (1,)},
                "compare": CompareSpec("ratio", {"frameworks": "x"}),
            },
            'tables[0].compare.baseline.frameworks: no factor "frameworks"; did you mean "framework"?',
        ),
    ]
)
def test_wrong_requests_say_where_what_and_what_to_do(keys, message):
    with pytest.raises(RequestError) as error:
        build_tables(table_spec(**keys), FRAMEWORKS, NO_FACTS)
    assert str(error.value).startswith(f"reports/t.toml: {message}")


def test_split_columns_and_means_reach_the_csv():
    runs = [
        published_run(framework="TF", xla=x, gpu=g, m=m, throughput=v)
        for m in "ab"
        for x, g, v in [(True, "V", 4.0), (True, "A", 8.0), (False, "V", 1.0), (False, "A", 9.0)]
    ]
    table = only_table(
        runs,
        rows=("m",),
        columns=("framework",),
        where={"gpu": ("A",)},
        qualify={"xla": False},
        compare=CompareSpec("ratio", {"gpu": "V"}, mean=True),
        show=("value", "ratio"),
    )
    lines = list(DictReader(table_csv(*shown(table)).decode().splitlines()))
    assert [(x["m"], x["framework"], x["xla"], x["value"], x["ratio"]) for x in lines] == [
        ("a", "TF", "false", "9", "9"),
        ("a", "TF", "true", "8", "2"),
        ("b", "TF", "false", "9", "9"),
        ("b", "TF", "true", "8", "2"),
        ("geometric mean", "TF", "false", "", "9"),
        ("geometric mean", "TF", "true", "", "2"),
    ]


HOSTILE = [True, 1, "1", "-", "a\nb", "中", 2**62, -1.5]


def test_every_case_has_its_own_cell_for_any_factor_value():
    runs = [published_run(x=x, throughput=float(i + 1)) for i, x in enumerate(HOSTILE)] + [
        published_run(y=1, throughput=99.0)
    ]
    table = only_table(runs, rows=("x",))
    assert sorted(cell.value for (cell,) in table.cells) == [*map(float, range(1, 9)), 99.0]


def test_where_distinguishes_1_from_true():
    runs = [published_run(devices=True, throughput=2.0), published_run(devices=1, throughput=1.0)]
    assert texts(only_table(runs, rows=("devices",), where={"devices": (1,)})) == [["1"]]


def test_facets_that_look_alike_have_ids_of_their_own():
    runs = [published_run(x=x, m="a", throughput=1.0) for x in ["A 1", "A+1", "中", "文"]]
    ids = [t.id for t in build_tables(table_spec(rows=("m",), facets=("x",)), runs, NO_FACTS)]
    assert len(set(ids)) == 4
    assert all(len(i.partition("/")[2]) > 1 and i.isascii() for i in ids)


def test_a_ratio_has_the_evidence_and_the_findings_of_its_baseline():
    doubt = Finding("warning", Rule.READ_MALFORMED_LINE, "r", "a line that is none")
    base = replace(published_run(d="A", m="x", throughput=1.0), findings=(doubt,))
    table = only_table(
        [base, published_run(d="B", m="x", throughput=2.0)],
        where={"d": ("B",)},
        rows=("m",),
        compare=CompareSpec("ratio", {"d": "A"}),
        show=("value", "ratio"),
    )
    value, ratio = table.cells[0]
    assert [case.factors["d"] for case in ratio.cases] == ["B", "A"]
    assert [table.notes[i].rule for i in ratio.notes] == ["read.malformed-line"]
    assert value.notes == ()


def test_several_cases_in_a_cell_keep_their_evidence():
    table = only_table(
        [published_run(m="a", h=1, throughput=1.0), published_run(m="a", h=2, throughput=2.0)], rows=("m",)
    )
    assert len(table.cells[0][0].cases) == 2


def test_the_mean_leaves_out_the_ratio_of_the_baseline_to_itself():
    runs = [published_run(m=m, d=d, throughput=v) for m in "xy" for d, v in [("A", 1.0), ("B", 4.0)]]
    table = only_table(
        runs, rows=("m", "d"), compare=CompareSpec("ratio", {"d": "A"}, mean=True), show=("ratio",)
    )
    assert texts(table)[-1] == ["4"]


def test_efficiency_without_a_device_count_is_absent():
    runs = [published_run(m="a", devices=d, throughput=1.0) for d in (0, 8)] + [
        published_run(m="b", throughput=2.0)
    ]
    table = only_table(
        runs, rows=("m", "devices"), compare=CompareSpec("efficiency", {"devices": 0}), show=("efficiency",)
    )
    assert texts(table) == [["-"], ["-"], ["-"]]


def test_phases_are_in_the_requested_order():
    runs = [published_run(m="a", values={"backward": 1.0, "forward": 2.0})]
    table = only_table(
        runs, rows=("m",), columns=("phase",), metrics=("step_time",), phases=("forward", "backward")
    )
    assert heads(table) == ["forward", "backward"]


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"rows": ("m",), "where": {"b": ("16",)}}, 'tables[0].where.b: no run has b = "16"; write it as 16'),
        (
            {"rows": ("m",), "metrics": ("thruput",)},
            'tables[0].metric: no run has metric "thruput" (1 runs); did you mean "throughput"?',
        ),
        (
            {"rows": ("m",), "metrics": ("memory_used",), "compare": CompareSpec("speedup", {"m": "a"})},
            'tables[0].compare.kind: memory_used is not a speed and has no "speedup"; use kind = "ratio"',
        ),
        (
            {"rows": ("m",), "unit": "images/s"},
            "tables[0].unit: unit images/s does not fit: these runs count tokens/s; leave unit out",
        ),
        (
            {"rows": ("m",), "planned": ({"m": "b", "framwork": 1},)},
            'tables[0].planned[0].framwork: no factor "framwork"; ',
        ),
        (
            {"rows": ("m",), "compare": CompareSpec("efficiency", {"m": "a"})},
            'tables[0].compare.kind: scaling efficiency needs the factor "devices"; use kind = "speedup"',
        ),
    ],
)
def test_more_wrong_requests_say_where_what_and_what_to_do(keys, message):
    with pytest.raises(RequestError) as error:
        build_tables(
            table_spec(**keys),
            [published_run(m="a", b=16, item="token", throughput=1.0, memory=5.0)],
            NO_FACTS,
        )
    assert str(error.value).startswith(f"reports/t.toml: {message}")


@pytest.mark.parametrize(
    ("metric", "values", "expected"),
    [
        ("throughput", {"a": 5.0, "b": 7.0, "c": None, "d": 6.0}, ["b", "d", "a", "c"]),
        ("step_time", {"a": 5.0, "b": 7.0, "c": None, "d": 6.0}, ["a", "d", "b", "c"]),
    ],
)
def test_rows_can_be_sorted_best_first(metric, values, expected):
    runs = [
        published_run(status="failed", device=device)
        if value is None
        else published_run(device=device, throughput=value)
        if metric == "throughput"
        else published_run(device=device, values={"step": value})
        for device, value in values.items()
    ]
    table = only_table(runs, rows=("device",), metrics=(metric,), best_first=True)
    assert [row.key[0] for row in table.rows] == expected


def test_best_first_needs_a_better_direction():
    with pytest.raises(RequestError) as error:
        build_tables(table_spec(rows=("m",), metrics=("loss",), best_first=True), [], NO_FACTS)
    assert str(error.value) == (
        "reports/t.toml: tables[0].best_first: loss has no better direction; best_first needs one; "
        "remove best_first"
    )


def test_metrics_of_one_device_or_step_have_no_scaling_efficiency():
    runs = [
        published_run(devices=1, values={"step": 0.320}),
        published_run(devices=8, values={"step": 0.327}),
    ]
    with pytest.raises(RequestError) as error:
        only_table(
            runs, rows=("devices",), metrics=("step_time",), compare=CompareSpec("efficiency", {"devices": 1})
        )
    assert str(error.value) == (
        "reports/t.toml: tables[0].compare.kind: step_time does not scale with the number of "
        'devices and has no scaling efficiency; use metric = "throughput", or kind = "speedup"'
    )


def test_totals_of_different_parts_are_not_compared():
    runs = [
        published_run(d="A", values={"forward": 1.0, "backward": 2.0}),
        published_run(d="B", values={"forward": 1.0}),
    ]
    table = only_table(
        runs,
        rows=("d",),
        metrics=("step_time",),
        phases=("compute",),
        totals={"compute": ("forward", "backward")},
        compare=CompareSpec("ratio", {"d": "A"}),
        show=("value", "ratio"),
    )
    assert texts(table) == [["3", "1"], ["1", "-"]]
    assert "forward here, but forward + backward in" in table.notes[table.cells[1][1].notes[0]].text


TIMED = [
    published_run(m="a", values={"data_loading": 5.0, "forward": 0.002, "backward": 0.004}),
    published_run(m="b", values={"forward": 0.001}),
]


def compute(runs, *phases, **keys):
    totals = {"compute": phases}
    return only_table(runs, rows=("m",), metrics=("step_time",), phases=("compute",), totals=totals, **keys)


def test_a_total_with_a_phase_that_no_run_has_is_an_error():
    with pytest.raises(RequestError) as error:
        compute(TIMED, "forward", "backwrd")
    assert str(error.value) == (
        'reports/t.toml: tables[0].totals.compute[1]: no run has a phase "backwrd"; did you mean "backward"?'
    )


def test_a_total_cannot_hide_a_phase() -> None:
    """A total called step of the forward phase alone showed four times the throughput."""
    with pytest.raises(RequestError, match=r"totals\.forward: a total cannot have the name of a phase"):
        only_table(TIMED, rows=("m",), metrics=("step_time",), totals={"forward": ("backward",)})


def test_two_values_cannot_have_one_label() -> None:
    labels = {"OneFlow": "A", "PyTorch": "A"}
    with pytest.raises(RequestError, match='OneFlow and PyTorch have the same label "A"; give each'):
        only_table(FRAMEWORKS, rows=("devices",), columns=("framework",), labels=labels)
    with pytest.raises(RequestError, match='OneFlow has the label "PyTorch", which is another framework'):
        only_table(FRAMEWORKS, rows=("framework", "devices"), labels={"OneFlow": "PyTorch"})


def test_a_total_sums_the_phases_that_a_run_has_if_another_run_has_all():
    assert texts(compute(TIMED, "forward", "backward")) == [["0.006"], ["0.001"]]
    assert texts(compute(TIMED, "forward", "backward", where={"m": ("b",)})) == [["0.001"]]


def test_totals_of_failed_runs_are_not_checked():
    assert texts(compute([published_run(m="a", status="failed")], "forward", "backward")) == [["failed"]]


@pytest.mark.parametrize("status", ["failed", "cancelled", "out_of_memory", "running"])
@pytest.mark.parametrize(
    ("keys", "message"),
    [
        (
            {"metrics": ("steptime",)},
            'metric: no run has metric "steptime" (3 runs); did you mean "step_time"?',
        ),
        (
            {"phases": ("forwrd",)},
            'phase: no run has step_time of phase "forwrd" (3 runs); did you mean "forward"?',
        ),
        (
            {"phases": ("forward", "backwrd")},
            'phase: no run has step_time of phase "backwrd" (3 runs); did you mean "backward"?',
        ),
        (
            {"metrics": ("step_time", "steptime"), "columns": ("metric", "phase"), "phases": ("forward",)},
            'metric: no run has metric "steptime" (3 runs); did you mean "step_time"?',
        ),
    ],
)
def test_a_failed_run_proves_no_metric_or_phase(keys, message, status):
    runs = [*TIMED, published_run(m="a", repeat=2, status=status)]
    with pytest.raises(RequestError) as error:
        build_tables(
            table_spec(**{"rows": ("m",), "columns": ("phase",), "metrics": ("step_time",), **keys}),
            runs,
            NO_FACTS,
        )
    assert str(error.value) == f"reports/t.toml: tables[0].{message}"


def test_planned_cases_can_have_a_known_metric_that_no_run_has():
    keys = {"rows": ("m",), "planned": ({"m": "c"},)}
    assert texts(only_table(TIMED, metrics=("energy",), **keys)) == [["planned"]]
    with pytest.raises(
        RequestError, match=r'no run has metric "steptime" \(2 runs\); did you mean "step_time"'
    ):
        build_tables(table_spec(metrics=("steptime",), **keys), TIMED, NO_FACTS)


def test_a_listed_phase_can_be_missing_if_another_run_has_it():
    keys = {"rows": ("m",), "columns": ("phase",), "metrics": ("step_time",)}
    table = only_table(TIMED, where={"m": ("b",)}, phases=("forward", "backward"), **keys)
    assert texts(table) == [["0.001"]]


def test_a_total_with_an_unparsable_figure_has_no_number():
    good = published_run(m="a", values={"forward": 1.0, "backward": 2.0})
    lost = published_run(m="b", values={"forward": 1.0, "backward": float("nan")})
    table = compute([good, lost], "forward", "backward")
    assert texts(table) == [["3"], ["-"]]
    assert [table.notes[i].text for i in table.cells[1][0].notes] == [
        'step_time (backward): cannot parse "nan" as a number'
    ]


@pytest.mark.parametrize(("name", "values"), [("samples_per_step", (32.0, 64.0)), ("ranks", (1, 2))])
def test_runs_that_did_other_work_share_no_median(name: str, values: tuple[float, float]) -> None:
    """Three runs with one rank and four with two had a median of 7."""
    runs = [run(series([1.0] * 150), id=f"r{n}", **{name: values[n > 2]}) for n in range(7)]
    table = only_table(runs, rows=("model",), metrics=("step_time",))
    assert texts(table) == [["several"]]
    (note,) = {note.text for note in table.notes.values()}
    shown = ", ".join(f"{value:g}" for value in values)
    assert note == (
        f"runs with equal factors differ in {name} ({shown}) and are not repeats: name it in labels.toml"
    )


def against_b(case: dict[str, object], baseline: dict[str, object], **spec: object) -> Table:
    """Return a table of the ratio of case a to its baseline b, seven runs each."""
    runs = [
        run(
            series([1.0] * 150, clock=fields.get("clock", "host")),
            id=f"{name}{n}",
            factors={"side": name},
            **{key: value for key, value in fields.items() if key != "clock"},
        )
        for name, fields in (("a", case), ("b", baseline))
        for n in range(7)
    ]
    compare = CompareSpec("ratio", {"side": "b"}, accept=tuple(spec.pop("accept", ())))
    return only_table(runs, rows=("side",), show=("ratio",), compare=compare, **spec)


@pytest.mark.parametrize(
    ("case", "baseline", "reason"),
    [
        ({"samples_per_step": 32}, {"samples_per_step": 64}, "samples_per_step (32; 64 in the baseline)"),
        ({"clock": "host"}, {"clock": "cuda_event"}, "clock (host; device in the baseline)"),
    ],
)
def test_a_ratio_of_other_work_or_another_clock_is_not_printed(
    case: dict[str, object], baseline: dict[str, object], reason: str
) -> None:
    table = against_b(case, baseline, metrics=("step_time",))
    assert texts(table)[0] == ["not comparable"]
    assert table.cells[0][0].kind == "incomparable"
    assert [(note.text, note.rule) for note in table.notes.values()] == [
        (f"not comparable with its baseline: differs in {reason}", "table.not-comparable")
    ]
    accepted = against_b(case, baseline, metrics=("step_time",), accept=(reason.partition(" ")[0],))
    assert texts(accepted) == [["1"], ["1"]]
    assert f"Cases and baselines also differ in {reason}." in accepted.caption


def test_a_measured_case_is_not_compared_with_a_figure_that_was_reduced_before() -> None:
    runs = [run(series([1.0] * 150), id=f"a{n}", factors={"side": "a"}, samples_per_step=8) for n in range(7)]
    runs.append(published_run(side="b", throughput=12.0))
    compare = CompareSpec("ratio", {"side": "b"})
    table = only_table(runs, rows=("side",), metrics=("throughput",), show=("ratio",), compare=compare)
    assert texts(table)[0] == ["not comparable"]
    assert "evidence (measured; already reduced in the baseline)" in next(iter(table.notes.values())).text


def test_rates_of_other_work_are_compared_and_the_caption_names_it() -> None:
    table = against_b({"samples_per_step": 32}, {"samples_per_step": 64}, metrics=("throughput",))
    assert texts(table) == [["0.5"], ["1"]]
    (sentence,) = (text for text in table.caption if "also differ" in text)
    assert sentence == "Cases and baselines also differ in samples_per_step (32; 64 in the baseline)."


def test_a_caption_names_the_environment_that_differs() -> None:
    case = {"environment": {"driver": "470.1", "torch.version": "1.9", "host": "x"}}
    baseline = {"environment": {"driver": "550.2", "torch.version": "2.1", "host": "y"}}
    table = against_b(case, baseline, metrics=("step_time",))
    (sentence,) = (text for text in table.caption if "also differ" in text)
    assert sentence == (
        "Cases and baselines also differ in driver (470.1; 550.2 in the baseline), "
        "torch.version (1.9; 2.1 in the baseline)."
    )
    alike = against_b(case, case, metrics=("step_time",))
    assert not any("also differ" in text for text in alike.caption)


def test_more_devices_do_more_work_with_more_ranks() -> None:
    runs = [
        run(
            series([1.0] * 150),
            id=f"{devices}-{n}",
            factors={"devices": devices},
            samples_per_step=8 * devices,
            ranks=1,
        )
        for devices in (1, 8)
        for n in range(7)
    ]
    compare = CompareSpec("ratio", {"devices": 1})
    table = only_table(runs, rows=("devices",), metrics=("step_time",), show=("ratio",), compare=compare)
    assert texts(table) == [["1"], ["1"]]
    assert not any("also differ" in text for text in table.caption)


def test_a_factor_that_no_heading_shows_is_a_warning_with_its_values() -> None:
    runs = [
        published_run(framework="PyTorch", batch_size=32, throughput=639.0),
        published_run(framework="TensorFlow", batch_size=256, throughput=854.0),
    ]
    table = only_table(runs, rows=("framework",))
    assert [(finding.rule, finding.message) for finding in table.findings] == [
        (
            "table.unnamed-factor",
            "cells differ in batch_size (32, 256), which no heading shows: add it to rows or qualify",
        )
    ]
    assert "Cells also differ in batch size (32, 256)." in table.caption
    for named in (
        {"qualify": {"batch_size": None}},
        {"ignore": ("batch_size",)},
        {"columns": ("batch_size",)},
    ):
        assert only_table(runs, rows=("framework",), **named).findings == ()


def test_unnamed_factors_are_one_warning_without_levels_of_the_path_and_what_a_log_omits() -> None:
    runs = [
        published_run(
            framework="A", batch_size=32, xla=True, folder="x", log2="a", flash=True, throughput=1.0
        ),
        published_run(framework="B", batch_size=64, xla=False, folder="y", log2="b", throughput=2.0),
    ]
    table = only_table(runs, rows=("framework",))
    assert [finding.message for finding in table.findings] == [
        "cells differ in batch_size (32, 64); xla (false, true), which no heading shows: add them to rows or qualify"
    ]
    assert any(text.endswith("Not every log states flash.") for text in table.caption)
    alone = [published_run(framework=each, folder=each, throughput=1.0) for each in ("A", "B")]
    assert only_table(alone, rows=("framework",)).findings == ()


def test_a_factor_that_equals_a_shown_one_in_each_cell_is_not_unnamed() -> None:
    """A driver that follows the batch size, but is not equal to it, is a difference."""
    runs = [
        published_run(batch_size=n, micro_batch_size=n, driver=f"d{n}", throughput=1.0) for n in (8, 16, 32)
    ]
    (finding,) = only_table(runs, rows=("batch_size",)).findings
    assert finding.message.startswith("cells differ in driver (d8, d16, d32), which no heading shows")
    other = published_run(batch_size=64, micro_batch_size=32, driver="d64", throughput=1.0)
    (finding,) = only_table([*runs, other], rows=("batch_size",)).findings
    assert "micro_batch_size (8, 16, 32)" in finding.message


def test_a_number_that_appears_in_a_shown_name_is_not_unnamed() -> None:
    """A batch size that follows from the framework, but is not in its name, is a difference."""
    work = (("pp512", 512, 0), ("pp2048", 2048, 0), ("tg128", 0, 128))
    runs = [published_run(test=test, n_prompt=n, n_gen=m, throughput=1.0) for test, n, m in work]
    assert only_table(runs, rows=("test",)).findings == ()
    for test, prompt in (("pp64", 640), ("x", 5), ("pp512", 0)):
        other = published_run(test=test, framework="B", n_prompt=prompt, n_gen=0, throughput=1.0)
        (finding,) = only_table([*runs, other], rows=("test", "framework")).findings
        assert finding.message.startswith("cells differ in n_prompt")


def test_a_column_of_a_number_has_the_name_of_its_factor() -> None:
    runs = [published_run(n=n, xla=n > 1, gpu="A", throughput=1.0) for n in (1, 128)]
    table = only_table(
        runs, columns=("gpu", "n", "xla"), labels={"n": "tokens", "n=1": "one", "gpu=A": "A40"}
    )
    assert [[label.text for label in column.labels] for column in table.columns] == [
        ["A40", "one", "xla no"],
        ["A40", "tokens 128", "xla yes"],
    ]


def test_a_picked_value_is_beside_its_number() -> None:
    runs = [
        published_run(framework=framework, batch_size=size, throughput=float(size))
        for framework, sizes in (("PyTorch", (32, 64)), ("TensorFlow", (32, 256)))
        for size in sizes
    ]
    table = only_table(runs, rows=("framework",), pick={"batch_size": "largest"})
    assert texts(table) == [["64"], ["256"]]
    shown = [
        *(row.qualifiers for row in table.rows),
        *(cell.qualifiers for line in table.cells for cell in line),
    ]
    assert {text for texts_of_place in shown for text in texts_of_place} == {
        "batch_size=64",
        "batch_size=256",
    }


def test_long_values_of_an_unnamed_factor_are_counted_in_the_caption() -> None:
    runs = [published_run(device=name, folder=name * 30, throughput=1.0) for name in ("A", "B", "C")]
    assert "Cells also differ in folder (3 values)." in only_table(runs, rows=("device",)).caption


def test_each_device_is_compared_at_its_own_best_batch_size() -> None:
    """The V100 is fastest at 32, the A40 at 64; 128 does not fit the V100 and slows the A40 down."""
    rates = {"V100": {16: 90.0, 32: 100.0, 64: 80.0}, "A40": {32: 140.0, 64: 200.0, 128: 150.0}}
    runs = [
        published_run(device=device, batch_size=size, throughput=rate)
        for device, by_size in rates.items()
        for size, rate in by_size.items()
    ]
    table = only_table(
        runs,
        rows=("device",),
        pick={"batch_size": "best"},
        compare=CompareSpec("speedup", {"device": "V100"}),
        show=("value", "speedup"),
    )
    assert texts(table) == [["200", "2"], ["100", "1"]]
    assert [row.qualifiers for row in table.rows] == [("batch_size=64",), ("batch_size=32",)]


def test_a_comparison_needs_a_baseline_that_is_another_case() -> None:
    """Without a factor, every case is its own baseline and each ratio is 1."""
    with pytest.raises(RequestError, match=r"compare.baseline: names no factor; for example"):
        only_table(FRAMEWORKS, rows=("framework", "devices"), compare=CompareSpec("ratio", {}))


def test_scaling_efficiency_does_not_compare_devices() -> None:
    compare = CompareSpec("efficiency", {"devices": 1, "framework": "PyTorch"})
    with pytest.raises(RequestError, match="about the number of devices, and not framework; use kind"):
        only_table(FRAMEWORKS, rows=("framework", "devices"), compare=compare)


def test_a_facet_has_no_column_of_dashes():
    runs = [published_run(d=1, m=m, s=s, throughput=1.0) for m, s in (("a", 1), ("b", 2))]
    runs += [published_run(d=2, m=m, throughput=1.0) for m in "ab"]
    one, two = build_tables(table_spec(rows=("s", "m"), facets=("d",)), runs, NO_FACTS)
    assert (one.row_factors, two.row_factors) == (("s", "m"), ("m",))
    assert [row.key for row in two.rows] == [("a",), ("b",)]
