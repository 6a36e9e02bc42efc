"""The first sentences of a report: what is slower than expected, what the numbers come from, how many warnings."""

from dataclasses import replace

import pytest

from reportgen.core.model import Finding, Run
from reportgen.core.results import Cell, Comparison, Expected, Header, Label, Table
from reportgen.core.rules import Rule
from reportgen.report.verdict import headline, run_counts, verdict_sentences
from tests.builders import published_run, run
from tests.render import example


def table(observed: float, speed: float, band: tuple[float, float] | None = None) -> Table:
    """A table with one cell that compares with an expected speed."""
    low, high = band or (speed, speed)
    baseline = example.phase_table().cells[0][0].case
    assert baseline
    expected = Expected("V100", "A40", speed, low, high, ((),))
    comparison = Comparison(
        "expected", baseline, observed, expected, observed * speed, observed * low, observed * high
    )
    return replace(
        example.phase_table(),
        title="Training",
        row_factors=("devices",),
        row_titles=(Label("GPUs"),),
        rows=(Header((8,), (Label("8"),)),),
        columns=(Header(("ImageNet",), (Label("ImageNet"),), quantity="excess"),),
        cells=((Cell("number", observed * speed, comparison=comparison),),),
    )


@pytest.mark.parametrize(
    ("shown", "text"),
    [
        (
            table(9.32, 0.621),
            "Training (GPUs 8, ImageNet): V100 is 9.32x slower than A40; hardware explains 1.61x, "
            "so it is 5.79x slower than expected.",
        ),
        (
            table(4.0, 0.5, (0.4, 0.8)),
            "Training (GPUs 8, ImageNet): V100 is 4.00x slower than A40; hardware explains 1.25x to 2.50x, "
            "so it is 1.60x to 3.20x slower than expected.",
        ),
        (
            table(0.8, 2.0),
            "Training (GPUs 8, ImageNet): V100 is 1.25x faster than A40, where 2.00x faster is expected, "
            "so it is 1.60x slower than expected.",
        ),
        (table(1.5, 0.5), ""),  # faster than expected
        (example.phase_table(), ""),
    ],
)
def test_the_default_headline_is_the_largest_excess(shown: Table, text: str) -> None:
    assert headline([shown]) == text


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
