"""report.json: canonical and complete, few lines for a run."""

import json
from dataclasses import replace
from typing import Any

from msgspec import structs

from reportgen.core.model import Case
from reportgen.tables.results import Report, Table
from tests.render import example
from tests.render.example import render_report


def _json(report: Report) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(render_report(report)["report.json"])
    return content


def test_it_lists_what_was_generated_itself_included() -> None:
    files = render_report(example.report())
    assert json.loads(files["report.json"])["generated"] == sorted(files)


def test_a_cell_points_at_its_case_and_its_baseline() -> None:
    content = _json(example.report())
    table = content["tables"][0]
    assert (table["row_factors"], table["rows"][1]["key"]) == (["nodes", "devices"], [1, 8])
    cell = table["cells"][1][1]
    cases = {case["name"]: case for case in content["cases"]}
    comparison = content["comparisons"][table["comparisons"][cell["case"]]]
    baseline = comparison.pop("baseline")
    assert comparison.pop("contract") in content["contracts"]
    assert comparison == {"kind": "speedup", "value": 7.85777162978}
    assert cases[baseline]["factors"] == {"framework": "OneFlow", "devices": 1}
    case = cases[cell["case"]]
    assert case["factors"] == {"framework": "OneFlow", "devices": 8}
    assert [m["value"] for m in case["measurements"]] == [3123.937575, 3124.25, 3124.562425]
    assert case["measurements"][1]["findings"][0]["rule"] == "protocol.gap"


def test_tables_that_show_the_same_runs_share_a_case() -> None:
    table = example.throughput_table()
    again = replace(example.throughput_table(), id="again")
    once, twice = (_json(example.report(tables=tables, prose="")) for tables in ((table,), (table, again)))
    assert len(once["cases"]) == len(twice["cases"]) == 4


def test_order_of_findings_does_not_matter() -> None:
    report = example.report()
    turned = replace(report, findings=tuple(reversed(report.findings)))
    assert render_report(report) == render_report(turned)


def test_each_table_is_a_line_and_numbers_have_12_digits() -> None:
    text = render_report(example.report())["report.json"].decode()
    assert text.endswith("\n}\n")
    table, comparison = [line for line in text.splitlines() if "7.857" in line and '"value"' in line]
    assert table.startswith('  {"id": "fp32-b128", ')
    assert '"value": 7.85777162978, ' in comparison


def test_cases_of_the_same_runs_share_a_line_and_so_do_comparisons_with_one_baseline() -> None:
    lines = render_report(example.report())["report.json"].decode().splitlines()
    run = [line.count('"name": ') for line in lines if '"id": "DARNN-CPU/r1"' in line]
    compared = [line.count('"baseline": "5a672af4"') for line in lines if '"baseline": ' in line]
    assert (run, compared) == ([2], [2, 0])


def test_values_without_json_equivalent_are_written() -> None:
    report = example.report(
        protocols={"p": {"huge": 2**70, "none": float("nan"), "text": "a\ud800", "flag": True, "n": 8}}
    )
    expected = {"huge": str(2**70), "none": "nan", "text": "a?", "flag": True, "n": 8}
    assert _json(report)["protocols"] == {"p": expected}


def _statistic(report: Report, statistic: str) -> Report:
    table = report.tables[0]
    case = table.cells[0][0].case
    assert case
    assert case.summary
    other = replace(case, summary=replace(case.summary, statistic=statistic, coverage=0.0, reached=False))
    cells = ((replace(table.cells[0][0], case=other),),)
    return replace(
        report,
        prose="",
        tables=(replace(table, rows=table.rows[:1], columns=table.columns[:1], cells=cells),),
    )


def test_only_a_median_is_called_median() -> None:
    files = render_report(_statistic(example.report(), "olympic mean"))
    summary = json.loads(files["report.json"])["cases"][0]["summary"]
    assert (summary["statistic"], summary["value"], summary["repeats"]) == ("olympic mean", 397.6, 3)
    assert set(summary) == {"statistic", "value", "repeats", "low", "high"}  # a range has no coverage
    page = files["index.html"].decode()
    assert "olympic mean of 3 repeats, range 397.5602 – 397.6398" in page
    assert "only 0" not in page


def test_the_interval_of_a_median_has_its_coverage() -> None:
    """A median is outside of the range of n repeats only if all are on one side: 2 / 2^n."""
    summaries = {}
    for n in (3, 7):
        table = example.throughput_table()
        cell = example.number(example.case(397.6, {"framework": "OneFlow", "devices": 1}, repeats=n))
        single = replace(table, rows=table.rows[:1], columns=table.columns[:1], cells=((cell,),), notes={})
        (case,) = _json(example.report(tables=(single,), prose=""))["cases"]
        summaries[n] = case["summary"]
    assert (summaries[3]["repeats"], summaries[3]["coverage"]) == (3, 0.75)
    assert "reached" not in summaries[3]
    assert (summaries[7]["coverage"], summaries[7]["reached"]) == (0.984375, True)
    assert "statistic" not in summaries[7]


def test_two_totals_with_one_name_have_separate_evidence() -> None:
    table = example.phase_table()
    first = table.cells[0][0]
    assert first.case
    doubled = tuple(structs.replace(m, value=2 * m.value) for m in first.case.measurements)
    other = replace(first, value=0.0246, case=replace(first.case, measurements=doubled))
    again = replace(table, id="again", cells=((other, *table.cells[0][1:]),))
    content = _json(example.report(tables=(table, again), prose=""))
    names = [shown["cells"][0][0]["case"] for shown in content["tables"]]
    assert names[1] == f"{names[0]}-2"
    cases = {case["name"]: case for case in content["cases"]}
    assert [cases[name]["measurements"][0]["value"] for name in names] == [0.0123, 0.0246]


def test_a_case_keeps_its_name_when_values_change_or_cases_are_added() -> None:
    def names(*tables: Table) -> list[str]:
        return [case["name"] for case in _json(example.report(tables=tables, prose=""))["cases"]]

    table, other = example.throughput_table(), example.phase_table()
    assert set(names(table)) < set(names(other, table))
    cell = table.cells[0][0]
    assert cell.case
    slower = replace(cell.case, measurements=cell.case.measurements[:1])
    changed = replace(table, cells=((replace(cell, case=slower), *table.cells[0][1:]), *table.cells[1:]))
    assert names(changed)[0] == names(table)[0]


def test_a_cell_names_its_notes_which_the_document_has_once() -> None:
    again = replace(example.throughput_table(), id="again")
    content = _json(example.report(tables=(example.throughput_table(), again), prose=""))
    first, second = (table["cells"][1][0]["notes"] for table in content["tables"])
    assert first == second
    assert [content["notes"][name]["rule"] for name in first] == ["read.corrected-figure", "protocol.gap"]
    assert content["notes"][first[1]]["text"] == "2.5 s left out of the window of repeat 2."
    assert len(content["notes"]) == 2


def test_tables_that_compare_the_same_cases_share_a_comparison() -> None:
    table = example.throughput_table()
    slower = [[replace(cell) for cell in line] for line in table.cells]
    compared = slower[1][1].comparison
    assert compared
    slower[1][1] = replace(slower[1][1], comparison=replace(compared, value=compared.value / 2))
    tables = (table, replace(table, id="again"), replace(table, id="other", cells=tuple(map(tuple, slower))))
    content = _json(example.report(tables=tables, prose=""))
    case = content["tables"][0]["cells"][1][1]["case"]
    names = [shown["comparisons"][case] for shown in content["tables"]]
    assert names[0] == names[1] != names[2]
    assert [content["comparisons"][name]["value"] for name in names[1:]] == [7.85777162978, 3.92888581489]


def test_a_number_is_also_written_as_the_pages_show_it() -> None:
    cells = [cell for line in _json(example.report())["tables"][0]["cells"] for cell in line]
    shown = [cell.get("shown") for cell in cells if "kind" not in cell]
    assert shown[:2] == ["397.6 images/s", "1.00"], shown
    assert all("shown" not in cell for cell in cells if "kind" in cell)


def test_a_case_says_when_and_under_which_conditions_it_was_measured() -> None:
    def timed(case: Case | None) -> Case:
        assert case
        run = replace(
            case.measurements[0].run, started=1710000000.25, round=(7, 3), environment={"driver": "550"}
        )
        return replace(case, measurements=(structs.replace(case.measurements[0], run=run),))

    table = example.throughput_table()
    cell = replace(table.cells[0][0], case=timed(table.cells[0][0].case), comparison=None, notes=())
    single = replace(table, rows=table.rows[:1], columns=table.columns[:1], cells=((cell,),))
    (case,) = _json(example.report(tables=(single,), prose=""))["cases"]
    measurement = case["measurements"][0]
    assert (measurement["run"]["started"], measurement["run"]["round"]) == (1710000000.25, [7, 3])
    assert case["conditions"]["driver"] == "550"
