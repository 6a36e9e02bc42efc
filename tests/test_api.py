"""The library: its page is true, importing it is cheap, requests are checked, numbers agree with the reports."""

import csv
import doctest
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

import reportgen
from reportgen import api

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs/reference/python.md"
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@pytest.fixture(autouse=True)
def _checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def test_the_examples_of_the_page_run() -> None:
    code = "\n".join(re.findall(r"```pycon\n(.*?)```", PAGE.read_text("utf-8"), flags=re.DOTALL))
    test = doctest.DocTestParser().get_doctest(code, {}, PAGE.name, str(PAGE), 0)
    printed: list[str] = []
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    with pd.option_context("display.width", 200, "display.max_columns", 20):
        runner.run(test, out=printed.append)
    assert runner.summarize(verbose=False).failed == 0, "".join(printed)


def test_every_public_name_is_on_the_page_and_has_a_docstring() -> None:
    text = PAGE.read_text("utf-8")
    assert reportgen.__all__ == api.__all__
    for name in reportgen.__all__:
        assert name in text
        assert getattr(reportgen, name).__doc__
    assert set(reportgen.__all__) <= set(dir(reportgen))


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
    with pytest.raises(AttributeError, match="has no attribute 'rede'"):
        reportgen.rede  # noqa: B018


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
    runs = reportgen.read("logs/dlperf-repeats")
    devices = runs.to_dataframe()["devices"].unique()
    assert len(runs.where(devices=devices[0])) == len(runs.where(devices=int(devices[0]))) > 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda runs: reportgen.read("logs/nothing"), "logs/nothing: no such file or folder; check the path"),
        (lambda runs: reportgen.cases(runs, protocol="20-100"), 'protocol: "20-100" is not a protocol; write'),
        (lambda runs: reportgen.table(runs), r'table\(\): neither rows nor columns; add rows = \["..."\]'),
        (lambda runs: reportgen.table(runs, rows=["devics"]), 'rows\\[0\\]: no factor "devics"; did you mean "devices"'),
        (lambda runs: reportgen.table(runs, rows=["devices"], compare="speedup"), "compare and baseline belong"),
        (lambda runs: reportgen.build("logs/FORMAT.md"), "is a file, not a folder of definitions; name its folder: logs"),
        (lambda runs: reportgen.expected_speed("V100", "A41"), 'reference: no system "A41"; did you mean "A40"'),
        (lambda runs: reportgen.detect("nothing.log"), "nothing.log: no such file or folder"),
    ],
)  # fmt: skip
def test_a_wrong_request_gives_place_fact_and_remedy(call, message) -> None:
    with pytest.raises(reportgen.RequestError, match=message):
        call(reportgen.read("logs/dlperf-repeats"))
