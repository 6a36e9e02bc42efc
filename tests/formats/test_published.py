"""Published tables and the source.toml beside them; figures are made up."""

import math
from dataclasses import dataclass
from pathlib import Path

import pytest

from reportgen.core.model import Finding, Run, Source
from reportgen.formats.published import reader as published
from reportgen.formats.published import source_toml
from reportgen.sources.logfiles import LogFiles
from tests.each_of import each_row

WIDE = """\
title = "A table"
url = "https://example.org"
date = 2024-02-17
tables = ["t.csv"]
[factors]
cluster = "cluster"
devices = "devices"
precision = { column = "precision", values = { FP32 = "fp32" } }
[constants]
item = "image"
[columns]
repeat = "run"
status = "state"
samples_per_step = { column = "batch", times = ["devices"] }
[status]
fine = "complete"
[[metrics]]
column = "forward_ms"
metric = "step_time"
phase = "forward"
unit = "ms"
statistic = "mean"
[[metrics]]
column = "speed"
metric = "throughput"
unit = "images/s"
[tokens]
missing = ["", "-"]
out_of_memory = ["OOM"]
planned = ["x"]
"""
TABLE = b"cluster,devices,precision,run,state,batch,forward_ms,speed\n"
LONG = """\
title = "A long table"
tables = ["t.csv"]
[factors]
model = "model"
[[metrics]]
column = "value"
metric = { column = "what", values = { time = "step_time" } }
phase = { column = "pass" }
unit = { column = "unit", values = { "" = "s" } }
"""


@dataclass
class Found:
    runs: list[Run]
    findings: list[Finding]


def read(source: str, table: bytes) -> Found:
    found = list(published.read(LogFiles.of({"source.toml": source.encode(), "t.csv": table})))
    return Found(
        [one for one in found if isinstance(one, Run)], [one for one in found if isinstance(one, Finding)]
    )


def figures(run: Run) -> dict[tuple[str, str], float]:
    return {(one.metric, one.phase): one.value for one in run.aggregates if math.isfinite(one.value)}


def test_a_wide_row_is_a_run() -> None:
    found = read(WIDE, TABLE + b'A,4,FP32,2,fine,32,12.5,"1,024.0"\n')
    (run,) = found.runs
    assert not found.findings
    assert (run.id, run.published, run.repeat, run.status) == ("t.csv#1", True, 2, "complete")
    assert run.samples_per_step == 128
    assert run.factors == {"item": "image", "cluster": "A", "devices": 4, "precision": "fp32"}
    assert run.environment == {
        "publication.title": "A table",
        "publication.url": "https://example.org",
        "publication.date": "2024-02-17",
    }
    assert figures(run) == {("step_time", "forward"): 0.0125, ("throughput", "step"): 1024.0}
    forward, speed = run.aggregates
    assert (speed.original, speed.statistic, str(speed.source)) == ("1,024.0", "published", "t.csv:2")
    assert forward.statistic == "mean"


@pytest.mark.parametrize(
    ("cell", "status", "planned"),
    [(b"OOM", "out_of_memory", False), (b"x", "complete", True), (b"-", "complete", False)],
)
def test_tokens_explain_a_missing_figure(cell: bytes, status: str, planned: bool) -> None:
    (run,) = read(WIDE, TABLE + b"A,4,FP32,1,fine,32,-," + cell + b"\n").runs
    assert (run.status, run.environment.get("planned", False), run.aggregates) == (status, planned, ())


def test_long_rows_that_agree_become_one_run() -> None:
    found = read(
        LONG,
        b"model,what,pass,value,unit\na,time,forward,2 ms,\nb,time,forward,1,\n"
        b"a,time,backward,3,\na,time,forward,4,\n",
    )
    assert [(run.id, run.factors["model"], figures(run)) for run in found.runs] == [
        ("t.csv#1", "a", {("step_time", "forward"): 0.002, ("step_time", "backward"): 3.0}),
        ("t.csv#2", "b", {("step_time", "forward"): 1.0}),
        ("t.csv#3", "a", {("step_time", "forward"): 4.0}),  # a second figure of one kind is a repeat
    ]


def test_a_correction_is_applied_and_reported_with_both_values() -> None:
    source = (
        WIDE
        + """
[[corrections]]
where = { cluster = "A", devices = 4 }
column = "devices"
value = 8
reason = "the logs say 8"
source = "log.out"
"""
    )
    first, second = read(source, TABLE + b"A,4,FP32,1,fine,32,1,2\nA,2,FP32,1,fine,32,1,2\n").runs
    assert (first.factors["devices"], first.samples_per_step, second.factors["devices"]) == (8, 256, 2)
    assert not second.findings
    (finding,) = first.findings
    assert (finding.severity, finding.rule, finding.subject, str(finding.source)) == (
        "note",
        "read.corrected-figure",
        "t.csv#1",
        "t.csv:2",
    )
    assert finding.text == "devices corrected from 4 to 8: the logs say 8 (log.out)"


def test_a_corrected_figure_keeps_what_was_published() -> None:
    source = WIDE + '\n[[corrections]]\ncolumn = "forward_ms"\nvalue = 5.59\nreason = "a digit was lost"\n'
    (run,) = read(source, TABLE + b"A,4,FP32,1,fine,32,55.9,2\n").runs
    assert (run.aggregates[0].value, run.aggregates[0].original) == (0.00559, "55.9")


def test_machines_and_rows_are_chosen_by_where() -> None:
    source = (
        WIDE
        + """
[where]
cluster = ["A", "B"]
[[environments]]
where = { cluster = "B" }
values = { cpu = "4 cores" }
"""
    )
    found = read(source, TABLE + b"A,1,FP32,1,fine,1,1,1\nB,1,FP32,1,fine,1,1,1\nC,1,FP32,1,fine,1,1,1\n")
    assert [run.environment.get("cpu") for run in found.runs] == [None, "4 cores"]


@each_row(
    [
        (
            ('unit = "ms"', 'unit = "furlong"'),
            19,
            'unit "furlong" of column forward_ms does not fit step_time',
        ),
        (('metric = "throughput"', 'metric = "power"'), 24, 'unit "images/s" of column speed does not fit'),
        (('column = "speed"', 'column = "sped"'), 24, 'no column "sped" in t.csv; did you mean "speed"?'),
        (('repeat = "run"', 'repeats = "run"'), 12, 'columns.repeats: no such key; did you mean "repeat"?'),
        (
            ('fine = "complete"', 'fine = "completed"'),
            16,
            'status.fine: "completed" is not known; did you mean',
        ),
        (('tables = ["t.csv"]', 'tables = ["t.csv", "u.csv"]'), 4, 'no table "u.csv" beside source.toml'),
        (('title = "A table"', "title = 1"), 1, "title: expected a string, got 1"),
        (("[constants]", "[constants"), 9, "not valid TOML"),
    ]
)
def test_a_wrong_description_is_a_finding_at_its_line(change: tuple[str, str], line: int, fact: str) -> None:
    assert WIDE.count(change[0]) == 1
    found = read(WIDE.replace(*change), TABLE + b"A,4,FP32,1,fine,32,1,2\n")
    (finding,) = (one for one in found.findings if one.message.startswith(fact))
    assert (finding.severity, finding.rule) == ("invalid", "read.malformed-source")
    assert finding.source is not None
    assert finding.source.path == "source.toml"
    if "column" not in fact:
        assert finding.source.line == line


def test_valid_parts_of_a_wrong_description_are_used() -> None:
    found = read(WIDE.replace('unit = "ms"', 'unit = "furlong"'), TABLE + b"A,4,FP32,1,fine,32,1,2\nA,4\n")
    assert [figures(run) for run in found.runs] == [{("throughput", "step"): 2.0}]
    assert {one.rule for one in found.findings} == {"read.malformed-source", "read.malformed-line"}


@pytest.mark.parametrize("source", [b"title = 'x'\n", b"tables = ['t.csv']\n", b"\xff\xfe", b""])
def test_other_folders_are_not_claimed(source: bytes) -> None:
    assert published.claims(LogFiles.of({"source.toml": source, "t.csv": b""})) is None


def test_a_description_that_is_not_toml_is_claimed_and_its_fault_is_a_finding() -> None:
    files = LogFiles.of({"source.toml": b"tables = ['t.csv']\ntitle 'x'\n", "t.csv": b""})
    assert published.claims(files) is not None
    (finding,) = published.read(files)
    assert isinstance(finding, Finding)
    assert (finding.rule, finding.source, finding.message[:14]) == (
        "read.malformed-source",
        Source("source.toml", 2),
        "not valid TOML",
    )


def test_the_claim_covers_the_existing_tables() -> None:
    claim = published.claims(LogFiles.of({"source.toml": WIDE.encode(), "t.csv": b"", "u.csv": b""}))
    assert claim is not None
    assert (claim.files, claim.source.line) == (("source.toml", "t.csv"), 4)


def test_a_table_outside_the_folder_is_never_read() -> None:
    found = read('title = "x"\ntables = ["../t.csv", "/etc/passwd"]\n', b"")
    assert [one.rule for one in found.findings] == ["read.malformed-source"] * 2


def test_every_key_of_a_definition_is_documented() -> None:
    page = (Path(__file__).parents[2] / "docs" / "reference" / "formats" / "published.md").read_text("utf-8")
    assert [key for key in source_toml.SourceFile.__struct_fields__ if key not in page] == []


@each_row(
    [
        ("url = 1", "url: expected a string, got 1"),
        ("date = []", "date: expected an integer or a string, got a list"),
        ("tables = 't.csv'", 'tables: expected a list, got "t.csv"'),
        ("factors = 1", "factors: expected a table, got 1"),
        ("[factors]\na = 1", "factors.a: expected a string or a table, got 1"),
        ("[constants]\na = []", "constants.a: expected true or false, a number or a string, got a list"),
        ("constants = 1", "constants: expected a table, got 1"),
        ("[columns]\nrepeat = 1", "columns.repeat: expected a string, got 1"),
        ("[columns]\nsamples_per_step = 1", "columns.samples_per_step: expected a string or a table, got 1"),
        (
            "[columns]\nsamples_per_step = { column = 'a', times = 'b' }",
            'columns.samples_per_step.times: expected a list, got "b"',
        ),
        ("[tokens]\nplanned = 'x'", 'tokens.planned: expected a list, got "x"'),
        ("metrics = 1", "metrics: expected a list, got 1"),
        ("[[metrics]]", "metrics[0].column: missing; add column = "),
        ("[[metrics]]\ncolumn = 'a'\nunit = 's'", "metrics[0].metric: missing"),
        ("where = 1", "where: expected a table, got 1"),
        ("[where]\na = [[1]]", "where.a[0]: expected true or false, a number or a string, got a list"),
        ("[[corrections]]\ncolumn = 'a'\nvalue = 1", "corrections[0].reason: missing"),
    ]
)
def test_each_kind_of_error_is_named(text: str, fact: str) -> None:
    problems = [problem for _, problem in source_toml.parse(text.encode()).problems]
    assert [one for one in problems if one.startswith(fact)]


@pytest.mark.parametrize(
    ("table", "fact"),
    [
        (b"", "no header"),
        (TABLE + b"A,4,FP32,1,fine,32,fast,2\n", 'column forward_ms: "fast" is not a number'),
        (
            TABLE + b'A,4,FP32,1,fine,32,1,"' + b"x" * 200_000 + b'"\n',
            "not CSV: field larger than field limit",
        ),
    ],
)
def test_a_damaged_table_is_reported(table: bytes, fact: str) -> None:
    assert [one for one in read(WIDE, table).findings if one.message.startswith(fact)]


def test_an_unknown_status_is_not_a_success() -> None:
    found = read(WIDE, TABLE + b"A,4,FP32,1,weird,32,1,2\n")
    assert found.runs[0].status == "partial"
    assert [one.message for one in found.findings] == ['status "weird" has no meaning; add it to [status]']


def test_a_figure_out_of_memory_does_not_affect_the_other_figures() -> None:
    found = read(WIDE, TABLE + b"A,4,FP32,2,fine,32,12.5,OOM\nA,4,FP32,3,fine,32,OOM,OOM\n")
    both, none = found.runs
    assert (both.status, figures(both)) == ("complete", {("step_time", "forward"): pytest.approx(0.0125)})
    (finding,) = both.findings
    assert (finding.severity, finding.rule) == ("note", "read.failed-run")
    assert finding.message == "speed: out of memory, so there is no throughput (step)"
    assert (none.status, none.aggregates, none.findings) == ("out_of_memory", (), ())


def test_missing_values_and_repeats_of_the_long_form_belong_to_runs() -> None:
    source = LONG + '[tokens]\nout_of_memory = ["OOM"]\n'
    found = read(source, b"model,what,pass,value,unit\na,time,f,1,s\na,time,b,OOM,s\na,time,f,OOM,s\n")
    first, second = found.runs
    assert (first.status, len(figures(first)), len(first.findings)) == ("complete", 1, 1)
    assert (second.status, second.aggregates) == ("out_of_memory", ())


@pytest.mark.parametrize(
    "section",
    [
        '[[corrections]]\nwhere = { cluster = "Z" }\ncolumn = "speed"\nvalue = 1\nreason = "r"\n',
        '[[environments]]\nwhere = { cluster = "Z" }\nvalues = { cpu = "x" }\n',
    ],
)
def test_an_entry_that_matches_no_row_is_reported(section: str) -> None:
    found = read(WIDE + section, TABLE + b"A,4,FP32,2,fine,32,12.5,1\n")
    (finding,) = found.findings
    assert finding.rule == "read.malformed-source"
    assert finding.message == f"{section[2:].partition(']')[0]}[0]: no row matches its where"


def test_true_is_not_the_number_one_in_a_condition() -> None:
    found = read(
        WIDE + "[where]\ncluster = true\n", TABLE + b"1,4,FP32,2,fine,32,1,1\ntrue,4,FP32,3,fine,32,1,1\n"
    )
    assert [run.repeat for run in found.runs] == [3]


def test_an_unknown_metric_keeps_its_base_unit() -> None:
    source = WIDE.replace('metric = "throughput"\nunit = "images/s"', 'metric = "epoch_time"\nunit = "min"')
    (run,) = read(source, TABLE + b"A,4,FP32,2,fine,32,12.5,2\n").runs
    assert [(one.metric, one.value, one.unit) for one in run.aggregates] == [
        ("step_time", pytest.approx(0.0125), "s"),
        ("epoch_time", 120.0, "s"),
    ]


def test_an_entry_about_excluded_rows_is_not_an_error() -> None:
    about = (
        '[[corrections]]\nwhere = { cluster = "B" }\ncolumn = "speed"\nvalue = 1\nreason = "r"\n'
        '[[environments]]\nwhere = { cluster = "B" }\nvalues = { cpu = "x" }\n[where]\ncluster = "A"\n'
    )
    found = read(WIDE + about, TABLE + b"A,4,FP32,2,fine,32,12.5,1\nB,4,FP32,2,fine,32,12.5,1\n")
    assert ([run.factors["cluster"] for run in found.runs], found.findings) == (["A"], [])


def test_a_column_without_a_name_is_neither_repeat_nor_status() -> None:
    (run,) = read(LONG, b",model,what,pass,value,unit\n7,a,time,f,1,s\n").runs
    assert (run.repeat, run.status) == (None, "complete")


STATISTICS = """\
title = "Latencies"
tables = ["t.csv"]
[factors]
model = "model"
[[metrics]]
column = "mean_ms"
metric = "latency"
unit = "ms"
statistic = "mean"
[[metrics]]
column = "p99_ms"
metric = "latency"
unit = "ms"
statistic = "p99"
[[metrics]]
column = "rate"
metric = "throughput"
unit = "images/s"
"""


def test_two_statistics_of_a_metric_are_two_runs() -> None:
    found = read(STATISTICS, b"model,mean_ms,p99_ms,rate\na,4,9,250\nb,5,,200\n")
    assert [(run.factors, figures(run), run.part_of) for run in found.runs] == [
        ({"model": "a", "statistic": "mean"}, {("latency", "step"): 0.004}, 1),
        ({"model": "a", "statistic": "p99"}, {("latency", "step"): pytest.approx(0.009)}, 1),
        ({"model": "a"}, {("throughput", "step"): 250.0}, 1),
        ({"model": "b", "statistic": "mean"}, {("latency", "step"): 0.005}, 2),
        ({"model": "b"}, {("throughput", "step"): 200.0}, 2),
    ]
    assert len({run.id for run in found.runs}) == 5


def test_one_statistic_of_a_metric_adds_no_factor() -> None:
    found = read(STATISTICS, b"model,mean_ms,p99_ms,rate\na,4,,250\n")
    assert [run.factors for run in found.runs] == [{"model": "a"}]


def test_a_statistic_from_a_column_keeps_rows_apart() -> None:
    source = LONG + 'statistic = { column = "stat" }\n'
    rows = b"model,what,pass,value,unit,stat\na,time,step,4,s,mean\na,time,step,9,s,p99\n"
    found = read(source, rows)
    assert [(run.factors["statistic"], figures(run)) for run in found.runs] == [
        ("mean", {("step_time", "step"): 4.0}),
        ("p99", {("step_time", "step"): 9.0}),
    ]
