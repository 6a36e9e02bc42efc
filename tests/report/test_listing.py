"""The list of runs by `reportgen runs`."""

import csv
import io
import json
from dataclasses import replace
from pathlib import Path

import pytest

from reportgen.core.model import Aggregate, Finding, Source
from reportgen.core.rules import Rule
from reportgen.protocol import DEFAULT, parse_protocol
from reportgen.report.listing import RunListing, list_runs
from reportgen.report.run_entry import entry_of_run
from tests.builders import aggregate, published_run, run


def test_a_value_is_listed_in_the_unit_it_was_read_in() -> None:
    both = run(aggregate(120.0, metric="epoch_time", unit="s"), aggregate(0.5), samples_per_step=8)
    values = entry_of_run(both, DEFAULT).measurements
    assert {value.metric: (value.value, value.unit) for value in values} == {
        "epoch_time": (120, "s"),
        "step_time": (0.5, "s"),
        "throughput": (16, "samples/s"),
    }


WHOLE, LOSS = aggregate(0.5), aggregate(2.0, metric="loss")
FORWARD = aggregate(0.2, phase="forward")
CALL = aggregate(0.001, metric="action_time", phase="on_fit_start")
TOTAL = aggregate(90.0, metric="run_time")


@pytest.mark.parametrize(
    ("figures", "shown"),
    [
        ((CALL, FORWARD, LOSS, TOTAL, WHOLE), "step time 500.0 ms (aggregate)"),
        ((CALL, FORWARD, LOSS, TOTAL), "run time 90.00 s (aggregate)"),
        ((CALL, FORWARD, LOSS), "step time 200.0 ms forward (aggregate)"),
        ((CALL, LOSS), "action time 1.000 ms on_fit_start (aggregate)"),
        ((LOSS,), "loss 2.000 (aggregate)"),
        ((), ""),
    ],
)
def test_the_table_shows_how_fast_the_whole_step_was_where_that_is_known(
    figures: tuple[Aggregate, ...], shown: str
) -> None:
    (row,) = RunListing((entry_of_run(run(*figures), DEFAULT),)).to_rows().rows
    assert row.measured == shown


def test_json_has_the_keys_of_the_contract_in_their_order() -> None:
    note = Finding("note", Rule.PROTOCOL_GAP, "x", "a gap", Source("logs/x", 3))
    entry = entry_of_run(
        replace(run(WHOLE), findings=(note,), factors={"b": 1.5, "a": "half \ud800"}), DEFAULT
    )
    text = RunListing((entry,)).to_json()
    document = json.loads(text)
    assert list(document) == ["version", "runs", "findings", "skipped"]
    (listed,) = document["runs"]
    assert list(listed) == [
        "id", "path", "format", "status", "repeat", "factors", "environment", "samples_per_step", "steps",
        "measurements", "findings",
    ]  # fmt: skip
    assert listed["factors"] == {"a": "half \\ud800", "b": 1.5}
    assert listed["findings"][0] == {
        "severity": "note", "rule": "protocol.gap", "message": "a gap", "path": "logs/x", "line": 3,
    }  # fmt: skip
    (measured,) = listed["measurements"]
    assert list(measured) == ["metric", "phase", "value", "unit", "evidence", "window", "invalid"]
    assert text.splitlines()[:3] == ["{", ' "version": 1,', ' "runs": [']
    assert json.loads(RunListing(()).to_json()) == {
        "version": 1, "runs": [], "findings": [], "skipped": [],
    }  # fmt: skip


def test_a_complete_run_without_any_number_has_a_finding() -> None:
    (finding,) = entry_of_run(run(), DEFAULT).findings
    assert (finding.rule, finding.message) == (
        Rule.PROTOCOL_NO_NUMBER,
        "run is complete, but its log contains no number to measure",
    )
    # These say by themselves why there is no number.
    assert entry_of_run(run(status="failed"), DEFAULT).findings == ()
    assert entry_of_run(published_run(), DEFAULT).findings == ()


def test_a_listing_is_measured_where_runs_are_read(tmp_path: Path) -> None:
    for name in ("a", "b"):
        lines = (
            f"DLL 2021-06-03 08:{step:02d}:00.500000 - Epoch: 0 Iteration: {step}  train.total_ips : 1.5 img/s\n"
            for step in range(1, 40)
        )
        (tmp_path / f"{name}.log").write_text(
            "DLL 2021-06-03 08:00:00.000000 - PARAMETER batch_size : 64\n" + "".join(lines)
        )
    (tmp_path / "notes.txt").write_text("nothing")
    listing = list_runs([tmp_path], parse_protocol("2+10x1", ""), root=tmp_path)
    assert [(entry.id, entry.steps.count) for entry in listing.runs] == [("a.log", 39), ("b.log", 39)]
    assert Rule.READ_DUPLICATE_RUN in [
        finding.rule for finding in listing.findings if finding.subject == "b.log"
    ]
    assert listing.skipped_rows()[1:] == [("notes.txt", "7", "unknown format")]
    assert json.loads(listing.to_json())["skipped"] == [
        {"path": "notes.txt", "size": 7, "reason": "unknown format"}
    ]
    header, *rows = csv.reader(io.StringIO(listing.to_csv()))
    assert header[:3] == ["id", "format", "status"]
    metrics = [value.metric for entry in listing.runs for value in entry.measurements]
    assert [row[header.index("metric")] for row in rows] == metrics


def test_csv_and_json_hold_no_control_characters_and_no_formula() -> None:
    name = "\n=1\x1b]0;x\x07\x9b\u202e"
    entry = entry_of_run(replace(run(WHOLE), id=name, factors={name: name}), DEFAULT)
    listing = RunListing((entry,))
    heads, cells = csv.reader(io.StringIO(listing.to_csv()))
    assert cells[0] == cells[heads.index("invalid") + 1] == "'=1\ufffd]0;x\ufffd\ufffd\ufffd"
    for text in (listing.to_csv(), listing.to_json()):
        assert not set(text) & set("\x1b\x07\x9b\u202e")
    assert json.loads(listing.to_json())["runs"][0]["factors"] == {name: name}
