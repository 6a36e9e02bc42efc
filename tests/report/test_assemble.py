"""A report says how its numbers were made."""

import json
from pathlib import Path

import pytest

from reportgen.core.model import Finding
from reportgen.core.rules import Rule
from reportgen.pipeline import Request, build
from reportgen.report.assemble import make_report
from reportgen.report.definition import ReportDefinition
from reportgen.report.log_reader import Campaigns
from reportgen.tables.expected import NO_FACTS
from tests.builders import native_files, published_run, run, series, table_spec, write_files

TABLE = '[[tables]]\nid = "t"\ntitle = "T"\nmetric = "step_time"\nrows = ["devices"]\n'
RATES = 'estimator = "mean_of_rates"\ngap_factor = 5\nstrict = true\nversion = 2\n'


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write_files(tmp_path / "logs/r1", native_files(1, *(1000 + step for step in range(130))))
    return tmp_path


@pytest.mark.parametrize(
    ("protocol", "text", "shown", "fields"),
    [
        ("20+100x7", "20+100x7: ignore 20 steps, measure the next 100, ", "steps 21 to 120 of each run.", {}),
        (
            "long",
            "Protocol long, version 1: ignore 10 steps, measure the next 50, ",
            "steps 11 to 60 of each run.",
            {},
        ),
        (
            "rates",
            "Protocol rates, version 2: ignore 20 steps, measure the next 100, repeat 7 times, take the median; "
            'estimator = "mean_of_rates", gap_factor = 5, strict = true.',
            'steps 21 to 120 of each run (estimator = "mean_of_rates", gap_factor = 5, strict = true).',
            {"estimator": "mean_of_rates", "gap_factor": 5, "strict": True, "version": 2, "gap_share": 0.1},
        ),
    ],
)
def test_a_protocol_other_than_the_default_is_described(root, protocol, text, shown, fields):
    files = {
        "x.toml": f'protocol = "{protocol}"\n{TABLE}',
        "reportgen.toml": f'[protocols.long]\nsteps = "10+50"\n[protocols.rates]\n{RATES}',
    }
    write_files(root / "reports", files)
    made = build(Request(root, root / "reports"))
    (report,) = made.reports
    assert report.protocol_text.startswith(text)
    assert report.tables[0].caption[0].endswith(shown)
    assert text.split(",")[0] in made.files["x/README.md"].decode()
    written = json.loads(made.files["x/report.json"])["protocols"]
    assert list(written) == [protocol]
    assert fields.items() <= written[protocol].items()
    assert written[protocol]["repeats"] == 7


def test_runs_in_no_table_are_counted_and_those_without_a_number_have_a_finding():
    runs = (
        run(series([1.0] * 130), id="a", factors={"model": "a"}),
        run(series([1.0] * 130), id="b", factors={"model": "b"}),
        run(id="c", factors={"model": "b"}),
        run(id="d", factors={"model": "b"}, status="cancelled"),
    )
    spec = table_spec(rows=("model",), where={"model": ("a",)}, metrics=("step_time",))
    definition = ReportDefinition("x.toml", "x", "X", ("logs",), "", (spec,), ())
    report = make_report(definition, Campaigns({"logs": runs}, ()), NO_FACTS, "")
    assert report.verdict[:2] == ("Source: runs.", "Some runs of these logs are in no table.")
    assert report.run_counts == ("In tables: 1 run.", "In no table: 3 runs (2 complete, 1 cancelled).")
    assert [finding.subject for finding in report.findings if finding.rule == "protocol.no-number"] == ["c"]


@pytest.mark.parametrize(
    ("severities", "sentences"),
    [(["note"], []), (["note", "warning", "warning"], ["Read the warnings before using these numbers."])],
)
def test_warnings_are_mentioned_without_a_count_and_notes_are_not(severities, sentences):
    runs = (published_run(model="a", throughput=1.0),)
    findings = tuple(Finding(severity, Rule.PROTOCOL_GAP, "", "gap") for severity in severities)
    spec = table_spec(rows=("model",))
    definition = ReportDefinition("x.toml", "x", "X", ("logs",), "1", (spec,), ())
    report = make_report(definition, Campaigns({"logs": runs}, findings), NO_FACTS, "")
    assert list(report.verdict) == ["Source: published results.", *sentences]
