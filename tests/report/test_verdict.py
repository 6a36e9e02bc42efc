"""The sentences after the headline: what the numbers come from, whether there are warnings."""

import pytest

from reportgen.core.model import Finding, Run
from reportgen.core.rules import Rule
from reportgen.report.verdict import run_counts, verdict_sentences
from tests.builders import published_run, run


@pytest.mark.parametrize(
    ("runs", "text"),
    [
        ([], "No runs to report on."),
        ([run()], "Source: runs."),
        ([run()] * 2, "Source: runs."),
        ([run(), run(status="partial"), run(status="failed")], "Source: runs (some failed, some partial)."),
        ([run(status="out_of_memory")] * 2, "Source: runs (all out of memory)."),
        ([published_run(), run()], "Source: runs and published results."),
    ],
)
def test_the_verdict_names_the_source_without_counts(runs: list[Run], text: str) -> None:
    assert list(verdict_sentences(runs, ())) == [text]


@pytest.mark.parametrize(
    ("runs", "text"),
    [
        ([], []),
        ([run()], ["In tables: 1 run."]),
        ([run(), run(), run(status="failed")], ["In tables: 3 runs (2 complete, 1 failed)."]),
        ([run(status="out_of_memory")] * 2, ["In tables: 2 runs (2 out of memory)."]),
        (
            [published_run(), run(status="partial"), run()],
            ["In tables: 2 runs (1 complete, 1 partial), 1 published result."],
        ),
    ],
)
def test_runs_are_counted_by_status(runs: list[Run], text: list[str]) -> None:
    assert list(run_counts(runs)) == text


def test_the_verdict_mentions_runs_in_no_table() -> None:
    others = [run(), run(status="failed")]
    sentence = "Some runs of these logs are in no table."
    assert list(verdict_sentences([run()], (), others))[1:] == [sentence]
    assert list(verdict_sentences([], (), others)) == [sentence]
    assert list(run_counts([], others)) == ["In no table: 2 runs (1 complete, 1 failed)."]


@pytest.mark.parametrize("warnings", [1, 1234])
def test_the_verdict_mentions_warnings_and_no_notes(warnings: int) -> None:
    findings = [Finding("warning", Rule.PROTOCOL_GAP, "", "gap")] * warnings
    notes = [Finding("note", Rule.PROTOCOL_GAP, "", "gap")]
    text = "Read the warnings before using these numbers."
    assert list(verdict_sentences([run()], [*findings, *notes]))[1:] == [text]
    assert list(verdict_sentences([run()], notes))[1:] == []
