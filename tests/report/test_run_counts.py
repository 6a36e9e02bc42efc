"""The source of the numbers of a report, and how many runs that is."""

import pytest

from reportgen.core.model import Run
from reportgen.report.run_counts import count_sentences, source_sentences
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
def test_the_source_is_named_without_counts(runs: list[Run], text: str) -> None:
    assert list(source_sentences(runs)) == [text]


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
    assert list(count_sentences(runs)) == text


def test_runs_in_no_table_are_mentioned() -> None:
    others = [run(), run(status="failed")]
    sentence = "Some runs of these logs are in no table."
    assert list(source_sentences([run()], others))[1:] == [sentence]
    assert list(source_sentences([], others)) == [sentence]
    assert list(count_sentences([], others)) == ["In no table: 2 runs (1 complete, 1 failed)."]
