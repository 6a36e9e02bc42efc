"""The library: its page is true, importing it is cheap, requests are checked, numbers agree with the reports."""

import copy
import csv
import doctest
import io
import json
import os
import pickle
import re
import shutil
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from functools import cache
from pathlib import Path

import pandas as pd
import pytest

import reportgen
from reportgen import api, pipeline
from tests.each_of import each_row

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs/reference/python.md"
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@cache
def repeats() -> reportgen.RunSet:
    """Return runs that many tests share: nothing can change them."""
    return reportgen.read("logs/dlperf-repeats")


@pytest.fixture(autouse=True)
def _checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def test_the_examples_of_the_page_run(monkeypatch: pytest.MonkeyPatch) -> None:
    # As `reportgen check reports/` of the README: what one of the two tests has made, the other need not make again.
    build = pipeline.build
    monkeypatch.setattr(
        pipeline, "build", lambda *args, **options: build(*args, **{**options, "cache": True})
    )
    code = "\n".join(re.findall(r"```pycon\n(.*?)```", PAGE.read_text("utf-8"), flags=re.DOTALL))
    test = doctest.DocTestParser().get_doctest(code, {}, PAGE.name, str(PAGE), 0)
    printed: list[str] = []
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    with pd.option_context("display.width", 200, "display.max_columns", 20):
        runner.run(test, out=printed.append)
    assert runner.summarize(verbose=False).failed == 0, "".join(printed)


def named_in_table(column: int) -> list[str]:
    """Return what a column of the table of names has in backticks."""
    rows = re.findall(
        r"^\|(.*)\|$", PAGE.read_text("utf-8").partition("\nThe examples")[0], flags=re.MULTILINE
    )
    return [name for row in rows[2:] for name in re.findall(r"`([^`]+)`", row.split("|")[column])]


def test_every_public_name_is_on_the_page_and_has_a_docstring() -> None:
    text = PAGE.read_text("utf-8")
    assert reportgen.__all__ == api.__all__
    for name in reportgen.__all__:
        assert name in text
        assert getattr(reportgen, name).__doc__
    assert set(reportgen.__all__) <= set(dir(reportgen))


def test_the_table_of_the_page_has_every_function_and_nothing_else() -> None:
    classes = {name for name in reportgen.__all__ if isinstance(getattr(reportgen, name), type)}
    functions = set(reportgen.__all__) - classes | {"RequestError"}
    assert sorted(named_in_table(0)) == sorted(functions)


def test_every_command_but_serve_and_cache_has_a_function() -> None:
    from reportgen.cli.program import app

    commands = {command.callback.__name__ for command in app.registered_commands if command.callback}
    assert {name.split()[0] for name in named_in_table(1)} == commands - {"serve", "cache"}


def test_importing_the_library_loads_neither_pandas_nor_numpy() -> None:
    code = "import json, sys, time; t = time.process_time(); import reportgen; t = time.process_time() - t\n"
    code += "first = sorted(sys.modules); reportgen.read('logs/jade2'); reportgen.format_names()\n"
    code += "print(json.dumps([t, first, sorted(sys.modules)]))"
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        check=True,
    )
    seconds, imported, after_reading = json.loads(done.stdout)
    assert seconds < 0.05
    assert not {"pandas", "numpy", "msgspec", "matplotlib"} & set(imported)
    assert not {"pandas", "matplotlib", "jinja2"} & set(after_reading)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'detekt'; did you mean \"detect\""):
        reportgen.detekt  # noqa: B018


def test_a_table_agrees_with_the_csv_of_the_report() -> None:
    table = reportgen.table(
        "logs/dlperf-repeats", rows=["batch_size"], columns=["devices"], where={"framework": "OneFlow"}
    )
    frame = table.to_dataframe()
    for line in csv.DictReader(io.StringIO(table.to_csv())):
        if line["value"]:
            shown = frame.loc[int(line["batch_size"]), int(line["devices"])]
            assert shown == pytest.approx(float(line["value"]), rel=1e-11)
    assert table.to_markdown() == table._repr_markdown_()


def test_runs_can_be_a_set_a_sequence_or_paths() -> None:
    runs = reportgen.read(["logs/jade2", Path("logs/dlperf-repeats")])
    by_paths = reportgen.cases(["logs/jade2", "logs/dlperf-repeats"])
    for given in (runs, list(runs), runs[:]):
        assert [case.factors for case in reportgen.cases(given)] == [case.factors for case in by_paths]
    assert len(runs.where(framework=["OneFlow"])) == len(runs.where(framework="OneFlow")) < len(runs)


def test_values_of_pandas_are_accepted_as_factors() -> None:
    runs = repeats()
    devices = runs.to_dataframe()["devices"].unique()
    assert len(runs.where(devices=devices[0])) == len(runs.where(devices=int(devices[0]))) > 0


@each_row([
    (lambda runs: reportgen.read("logs/nothing"), "logs/nothing: no such file or folder; check the path"),
    (lambda runs: reportgen.cases(runs, protocol="20-100"), 'protocol: "20-100" is not a protocol; write'),
    (lambda runs: reportgen.table(runs), r'table\(\): neither rows nor columns; add rows = \["..."\]'),
    (lambda runs: reportgen.table(runs, rows=["devics"]), 'rows\\[0\\]: no factor "devics"; did you mean "devices"'),
    (lambda runs: reportgen.table(runs, rows=["devices"], compare="speedup"), "compare and baseline belong"),
    (lambda runs: reportgen.build("logs/FORMAT.md"), "is a file, not a folder of definitions; name its folder: logs"),
    (lambda runs: reportgen.expected_speed("V100", "A41"), 'reference: no system "A41"; did you mean "A40"'),
    (lambda runs: reportgen.detect("nothing.log"), "nothing.log: no such file or folder"),
    (lambda runs: reportgen.cases(runs, "thruput"), r'cases\(\).metric: no run has metric "thruput".* "throughput"'),
    (lambda runs: reportgen.cases(runs, phase="stp"), r'cases\(\).phase: no run has .* phase "stp".* "step"'),
    (lambda runs: reportgen.cases(runs, ["step_time"]), r"cases\(\).metric: expected one name, got \['step_time'\]"),
    (lambda runs: reportgen.cases(runs, ignore="devics"), r'cases\(\).ignore\[0\]: no factor "devics".* "devices"'),
    (lambda runs: reportgen.cases(runs, ignore=3), r"cases\(\).ignore: expected a name or a list of names, got 3"),
    (lambda runs: reportgen.cases([], "thruput"), 'no run has metric "thruput" .0 runs.; did you mean "throughput"'),
    (lambda runs: reportgen.cases([1, 2]), r"cases\(\)\[0\]: 1 is not a run; pass what read"),
    (lambda runs: reportgen.cases([runs[0], "logs"]), r"cases\(\)\[1\]: 'logs' is a path among runs"),
    (lambda runs: reportgen.cases(7), r"cases\(\): expected runs, got 7"),
    (lambda runs: runs.where(devics=8), r'where\(\): no run has the factor "devics"; did you mean "devices"'),
    (lambda runs: runs.where(framework=["OneFlow", "PyTorh"]), 'no run has framework = "PyTorh"'),
    (lambda runs: runs.where(devices="8"), 'no run has devices = "8"; write it as 8'),
    (lambda runs: runs.where(devices=None), r"where\(\).devices: expected text, a number or true or false, got None"),
    (lambda runs: reportgen.table(runs, rows="devices", where=["model"]), r"table\(\).where: expected factors"),
    (lambda runs: reportgen.table(runs, rows="devices", labels={"devics": "GPUs"}), 'labels."devics".* "devices"'),
    (lambda runs: reportgen.table(runs, rows="framework", order={"framework": ["OneFlw"]}), '"OneFlw"; did you mean "OneFlow"'),
    (lambda runs: reportgen.table(runs, rows="devices", mean=True), "compare and baseline belong together"),
    (lambda runs: reportgen.table(runs, rows="devices").figure("baar"), '"baar" is not known; did you mean "bar"'),
    (lambda runs: reportgen.table(runs, rows="devices").figure(x="devics"), '"devics" is not a row factor'),
    (lambda runs: reportgen.compare_runs(runs), "compare: nothing to compare A with"),
    (lambda runs: reportgen.compare_runs(runs, runs, metric="thruput"), 'compare.metric: .* did you mean "throughput"'),
    (lambda runs: reportgen.compare_runs(runs, runs, phase="stp"), 'compare.phase: no phase "stp"; did you mean "step"'),
    (lambda runs: reportgen.compare_runs(runs, runs, ignore="devics"), 'compare.ignore.0.: no factor "devics"'),
    (lambda runs: reportgen.compare_runs(runs, runs, a={"devics": 1}), 'no run has the factor "devics"'),
    (lambda runs: reportgen.table_history("jade", "phases"), 'no built report is called "jade"; did you mean "jade2"'),
    (lambda runs: reportgen.explain_rule("protocol.gpa"), 'no such rule; did you mean "protocol.gap"'),
    (lambda runs: reportgen.learn_format("nothing"), "nothing: no such file or folder"),
    (lambda runs: reportgen.view_report("jade"), 'no report "jade"; did you mean "jade2"'),
    (lambda runs: reportgen.view_run("nothing"), "nothing: no such file or folder"),
    (lambda runs: reportgen.steps("logs"), r"steps\(\): expected a run, got 'logs'"),
    (lambda runs: reportgen.read(5), r"read\(\): expected a path, got 5"),
    (lambda runs: reportgen.read([]), r"read\(\): no paths"),
    (lambda runs: reportgen.read("logs/nothing*"), "no file or folder matches this pattern"),
])  # fmt: skip
def test_a_wrong_request_gives_place_fact_and_remedy(call, message) -> None:
    with pytest.raises(reportgen.RequestError, match=message):
        call(repeats())


def test_sets_of_runs_add_up_without_counting_a_run_twice() -> None:
    both = reportgen.read("logs/jade2") + reportgen.read("logs/dlperf-repeats")
    assert {run.source for run in both} == {
        run.source for run in reportgen.read(["logs/jade2", "logs/dlperf-repeats"])
    }
    assert len(both) == len(reportgen.read(["logs/jade2", "logs/dlperf-repeats"])) == len(both + both)
    assert len(both + reportgen.read("logs/jade2")[:3]) == len(both)


def test_a_copied_log_in_another_set_is_marked_as_in_one_reading(tmp_path: Path) -> None:
    log = min(Path("logs/flux-cpu").rglob("steps.rank0.csv")).parent
    for name in ("a", "b"):
        shutil.copytree(log, tmp_path / name / log.name)
    added = reportgen.read(tmp_path / "a", root=tmp_path) + reportgen.read(tmp_path / "b", root=tmp_path)
    assert [run.id for run in added] == ["a/" + log.name, "b/" + log.name]
    (case,) = reportgen.cases(added, "step_time")
    assert len(case.measurements) == 1


def test_a_pattern_stands_for_what_it_matches() -> None:
    runs = reportgen.read("logs/dlperf-r*")
    assert [run.id for run in runs] == [run.id for run in repeats()]


def test_a_run_is_found_by_its_id() -> None:
    run = reportgen.read("logs/flux-cpu")[0]
    assert reportgen.view_run(run.id).source == str(run.source)
    assert reportgen.view_run(run).source == str(run.source)


def test_nothing_in_a_run_or_case_can_change() -> None:
    runs = reportgen.read("logs/flux-cpu")
    for factors in (runs[0].factors, runs[0].environment, reportgen.cases(runs, "step_time")[0].factors):
        with pytest.raises(TypeError, match="cannot be changed"):
            factors["model"] = "another"
        with pytest.raises(TypeError, match="cannot be changed"):
            factors |= {"model": "another"}
    with pytest.raises(ValueError, match="read-only"):
        runs[0].series[0].value[0] = 1.0
    assert (
        pickle.loads(pickle.dumps(runs[0].factors)) == copy.deepcopy(runs[0].factors) == dict(runs[0].factors)
    )


def test_a_missing_number_has_its_reason_beside_it() -> None:
    runs = reportgen.read("logs/transformers")
    alone = reportgen.table(
        runs, rows=["model", "seq_len", "batch_size"], columns=["device", "precision"], phase="forward"
    )
    shared = reportgen.table(runs, rows="model", columns="devices", phase="forward")
    for table in (alone, shared):
        assert (table.to_dataframe().isna() == (table.reasons() != "")).all(axis=None)
    reasons = Counter(text.partition(":")[0] for text in alone.reasons().to_numpy().flat)
    assert reasons == {"": 66, "failed": 39, "partial": 3}  # as `reportgen runs` counts them
    assert {text.partition(":")[0] for text in shared.reasons().to_numpy().flat} == {"several"}
    frame = reportgen.cases(runs, phase="forward").to_dataframe()
    assert (frame["value"].isna() == (frame["reason"] != "")).all()
    assert Counter(frame["reason"]) == reasons


def test_every_result_is_one_short_line() -> None:
    runs = reportgen.read("logs/flux-cpu")
    cases = reportgen.cases(runs, "step_time")
    table = reportgen.table(runs, rows="model", columns=["variant", "pass"], metric="step_time")
    report = reportgen.view_report("jade2")
    results = [
        runs, runs[0], runs[0].series[0], cases, cases[0], cases[0].measurements[0], table, table.table,
        table.table.cells[0][0], table.figure("bar"), table.figure("bar").figure, report, report.report,
        reportgen.view_run(runs[0]), reportgen.list_runs("logs/jade2"), reportgen.compare_runs(runs, runs),
        reportgen.diff_reports(), reportgen.explain_cell("jade2", "against-a40/8", "ImageNet, Train, whole_step", "slowdown"),
    ]  # fmt: skip
    for result in results:
        assert len(repr(result)) < 300
        assert len(repr(result).splitlines()) == 1
        assert repr(result).startswith("<")


def test_a_source_of_many_repeats_is_one_path_and_a_count() -> None:
    sources = reportgen.cases("logs/flux-cpu", "step_time").to_dataframe()["source"]
    assert sources.str.len().max() < 200
    assert sources.str.endswith(" and 6 more").all()


def test_html_of_a_notebook_escapes_what_logs_say() -> None:
    run = replace(repeats()[0], id="<script>x</script>")
    run = replace(run, factors={**run.factors, "model": "<img src=x onerror=y>"})
    runs = reportgen.RunSet([run])
    cases = reportgen.cases(runs)
    table = reportgen.table(runs, rows="model")
    for shown in (runs, cases, table, table.figure("bar"), reportgen.compare_runs(runs, runs)):
        html = shown._repr_html_()
        assert "<script" not in html
        assert "<img" not in html
