"""A number with an invalid finding leads to nothing, wherever it is shown; `invalid_rule` decides it.

One repository is built: three devices of which one has a rate over 3 ms, which is 3.4 times the others.
"""

import csv
import io
import math
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

import reportgen as rg
from reportgen.compare.pair import Question, compare_cases
from reportgen.core.case_findings import invalid_rule
from reportgen.core.errors import RequestError
from reportgen.core.rules import Rule
from reportgen.diff.changes import compare_reports
from reportgen.document.model import Document
from reportgen.document.sides import side_of
from reportgen.pipeline import Build, Request, build
from tests.builders import write_files
from tests.each_of import each_row

RULE = "rate.implausible"
NCF = """\
DLL 2024-08-02 12:10:24.145372 - PARAMETER epochs : 2  batch_size : 96000000  valid_batch_size : 10  world_size : 8
DLL 2024-08-02 12:10:44.540344 - (0,) train_throughput : 1.1e+08 samples/s train_epoch_time : 0.88 s
DLL 2024-08-02 12:10:44.759564 - (1,) train_throughput : {best} samples/s train_epoch_time : {took} s
DLL 2024-08-02 12:10:44.759961 - () best_train_throughput : {best} samples/s mean_train_throughput : 1 samples/s
"""
DEFINITION = """\
title = "T"
logs = ["logs"]
[[tables]]
id = "t"
title = "T"
rows = ["device"]
best_first = true
show = ["value", "speedup", "verdict"]
compare = { kind = "speedup", baseline = { device = "A100" }, mean = true }
[[tables]]
id = "over"
title = "Over the invalid one"
rows = ["device"]
show = ["value", "speedup"]
compare = { kind = "speedup", baseline = { device = "H200" } }
[[figures]]
id = "bar"
title = "F"
table = "t"
kind = "bar"
[[figures]]
id = "strip"
title = "F"
table = "t"
kind = "strip"
[explorer]
"""
BEST, OTHER, BASE = 27.8e9, 9.45e9, 8.1e9


def logs(took: float = 0.003) -> dict[str, str]:
    """Return three repeats of each device; `took` is the time of the fastest epoch of the H200."""
    cases = (("H200", BEST, took), ("H100", OTHER, 1.1), ("A100", BASE, 1.3))
    names = {"logs/labels.toml": '[[paths]]\npattern = "{device}/{repeat:int}.log"\n'}
    return names | {
        f"logs/{device}/{n}.log": NCF.format(best=best + n * 1e6, took=seconds)
        for device, best, seconds in cases
        for n in (1, 2, 3)
    }


def built(root: Path, took: float = 0.003, more: str = "", prose: str = "") -> Build:
    """Return the reports of the repository."""
    body = {"reports/r.md": prose} if prose else {}
    head = 'body = "r.md"\n' if prose else ""
    write_files(root, logs(took) | body | {"reports/r.toml": head + DEFINITION + more})
    return build(Request(root, root / "reports"))


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Build:
    """Return the repository with an invalid number."""
    return built(tmp_path_factory.mktemp("invalid"))


@pytest.fixture(scope="module")
def document(result: Build) -> Document:
    """Return its report."""
    return result.reports[0]


def cells(document: Document, table: int, device: str) -> list[object]:
    """Return the cells of a device."""
    shown = document.tables[table]
    row = next(i for i, head in enumerate(shown.rows) if head.key == (device,))
    return [(cell.kind, cell.text or cell.value, cell.invalid) for cell in shown.cells[row]]


def test_the_number_keeps_its_place_with_a_mark_and_has_no_ratio_on_either_side(document: Document) -> None:
    incomparable = ("incomparable", "not comparable", "")
    assert cells(document, 0, "H200") == [("number", BEST + 2e6, RULE), incomparable, incomparable]
    assert cells(document, 1, "H200") == [("number", BEST + 2e6, RULE), incomparable]
    assert cells(document, 1, "H100") == [("number", OTHER + 2e6, ""), incomparable]
    messages = {finding.message for finding in document.findings if finding.rule == Rule.TABLE_NOT_COMPARABLE}
    assert messages == {
        f"not comparable with its baseline: invalid: {RULE}",
        f"not comparable with its baseline: invalid: {RULE} in the baseline",
    }


def test_the_order_leaves_it_out_and_one_row_that_is_left_has_no_mean(document: Document) -> None:
    assert [row.key for row in document.tables[0].rows] == [
        ("H100",),
        ("A100",),
        ("H200",),
        ("geometric mean",),
    ]
    assert not [cell for cell in document.tables[0].cells[-1] if cell.kind == "number"]


def test_no_figure_draws_it_and_each_has_a_cross(document: Document) -> None:
    for figure in document.figures:
        (series,) = figure.series
        drawn = dict(zip(series.x, series.y, strict=True))
        assert drawn["H200"] is None
        assert dict(zip(series.x, series.failed, strict=True))["H200"] == f"invalid: {RULE}"


def test_the_explorer_shows_why_in_its_place(document: Document) -> None:
    assert document.explorer is not None
    texts = [cell.text for each in document.explorer.configurations for cell in each.cells if cell]
    assert sorted(texts) == ["", "", f"invalid: {RULE}"]


PAGE: list[tuple[str, Callable[[str], bool]]] = [
    ("the mark", lambda page: "| H200 | 27,802,000,000 ✗ invalid <sup>" in page),
    ("what the mark means", lambda page: f"Invalid by {RULE}: shown as the log has it; no ratio" in page),
    ("no ratio of it", lambda page: "3.4" not in page),
    ("no best", lambda page: "**27,802" not in page),
    ("no headline", lambda page: "H200" not in page.partition("\n\n")[2].partition("\n\n")[0]),
]


@pytest.mark.parametrize(("what", "is_there"), PAGE, ids=[what for what, _ in PAGE])
def test_the_page(what: str, is_there: Callable[[str], bool], result: Build) -> None:
    assert is_there(result.files["r/README.md"].decode()), what


def test_the_html_page_has_the_mark(result: Build) -> None:
    assert "✗ invalid" in result.files["r/index.html"].decode()


def test_the_csv_has_a_column_only_where_a_number_is_invalid(result: Build, tmp_path: Path) -> None:
    rows = {
        row["device"]: row for row in csv.DictReader(io.StringIO(result.files["r/tables/t.csv"].decode()))
    }
    assert (rows["H200"]["invalid"], rows["H200"]["value"], rows["H200"]["speedup"]) == (
        RULE,
        "27802000000",
        "",
    )
    assert rows["H100"]["invalid"] == ""
    valid = built(tmp_path, took=1.2).files["r/tables/t.csv"].decode()
    assert "invalid" not in valid.splitlines()[0].split(",")


@pytest.mark.parametrize("text", ['{{ value("t", row={"device": "H200"}) }}', "{{ ratio(%s) }}"])
def test_a_text_cannot_name_it(text: str, tmp_path: Path) -> None:
    call = text.replace("%s", '"t", row={"device": "H200"}, to_row={"device": "A100"}, quantity="value"')
    with pytest.raises(RequestError, match=rf"the number of the cell \(device=H200\) is invalid \({RULE}\)"):
        built(tmp_path, prose=f"{call}\n")


def test_a_text_names_the_best_of_the_others(tmp_path: Path) -> None:
    page = built(tmp_path, prose='{{ best("t", quantity="value") }} leads.\n').files["r/README.md"].decode()
    assert "without a number: H200 (invalid)" in page


def test_diff_refuses_it(document: Document, tmp_path: Path) -> None:
    valid = built(tmp_path, took=1.2).reports[0]
    changed = compare_reports({"r": valid}, {"r": document})
    gone = [each.new_text for each in changed.disappeared if each.cell.quantity == "value"]
    assert gone == ["27,802,000,000 samples/s invalid"] * 2
    came = {(each.finding.severity, each.finding.rule) for each in changed.findings_came}
    assert ("invalid", RULE) in came
    own, other = (next(c for c in document.cases if c.factors["device"] == name) for name in ("H200", "A100"))
    for pair in ((own, other), (other, own)):
        compared = compare_cases(*map(side_of, pair), Question())
        assert math.isnan(compared.value)
        assert compared.verdict is not None
        assert (compared.verdict.kind, compared.refusal) == ("not comparable", compared.verdict.reason)


def test_compare_and_runs_say_it(tmp_path: Path) -> None:
    write_files(tmp_path, logs())
    found = rg.compare_runs(tmp_path / "logs/A100", tmp_path / "logs/H200")
    assert f"not comparable: invalid: {RULE}" in found.to_markdown()
    measured = [row.measured for row in rg.list_runs([tmp_path / "logs"]).to_rows().rows]
    assert [f"invalid: {RULE}" in text for text in measured] == [False, False, True]


def test_a_data_frame_has_no_number_to_compute_with(tmp_path: Path) -> None:
    write_files(tmp_path, logs())
    frame = rg.cases(rg.read(tmp_path / "logs"), "throughput").to_dataframe().set_index("device")
    assert frame["value"].isna().to_dict() == {"A100": False, "H100": False, "H200": True}
    assert (frame["n"]["H200"], frame["reason"]["H200"]) == (3, f"invalid: {RULE}")
    table = rg.table(rg.read(tmp_path / "logs"), metric="throughput", rows=["device"])
    assert table.to_dataframe()["value"].isna().to_dict() == {"A100": False, "H100": False, "H200": True}
    assert f"invalid: {RULE}" in table.reasons()["value"].tolist()


def found(severity: str, rule: Rule, *, of_run: bool = False) -> SimpleNamespace:
    """Return a measurement with one finding, about itself or its run."""
    finding = SimpleNamespace(severity=severity, rule=rule)
    run = SimpleNamespace(findings=(finding,) if of_run else ())
    return SimpleNamespace(findings=() if of_run else (finding,), run=run)


@each_row(
    [
        ("throughput", "step", found("invalid", Rule.RATE_IMPLAUSIBLE), True),
        ("throughput", "step", found("warning", Rule.RATE_IMPLAUSIBLE), False),
        ("throughput", "step", found("invalid", Rule.RATE_DISAGREEMENT, of_run=True), True),
        ("token_throughput", "step", found("invalid", Rule.RATE_DISAGREEMENT), True),
        ("step_time", "step", found("invalid", Rule.RATE_DISAGREEMENT, of_run=True), False),
        ("memory_used", "step", found("invalid", Rule.RATE_DISAGREEMENT, of_run=True), False),
        ("step_time", "step", found("invalid", Rule.CLOCK_DISAGREEMENT), True),
        ("step_time", "forward", found("invalid", Rule.CLOCK_DISAGREEMENT), False),
        ("step_time", "data_loading", found("invalid", Rule.CLOCK_COARSE), False),
        ("step_time", "step", found("invalid", Rule.CLOCK_COARSE), True),
        ("step_time", "step", found("invalid", Rule.READ_UNREADABLE_FILE, of_run=True), False),
    ]
)
def test_a_finding_about_another_phase_quantity_or_file_leaves_a_number_valid(
    metric: str, phase: str, measurement: SimpleNamespace, is_invalid: bool
) -> None:
    valid = found("note", Rule.PROTOCOL_GAP)
    assert bool(invalid_rule(metric, phase, [valid, measurement])) is is_invalid
