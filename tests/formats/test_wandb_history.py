"""Histories of W&B saved as JSON: a list or lines of the calls of log()."""

import json

import pytest

from reportgen.core.model import Run
from reportgen.formats.detection import detect
from reportgen.sources.logfiles import LogFiles
from tests.builders import messages, read_all, read_log, series_of
from tests.formats.tracker_files import WANDB_HISTORY

ROWS = [json.loads(line) for line in WANDB_HISTORY.splitlines()]


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        (WANDB_HISTORY, [1, 2, 4]),
        (json.dumps(ROWS, indent=1).encode(), [3, 10, 23]),
        (json.dumps(ROWS).encode(), [1, 1, 1]),
    ],
)
def test_a_list_and_lines_of_calls_give_the_same_run(content: bytes, lines: list[int]) -> None:
    run = read_log("wandb_history", content)
    rates = series_of(run, "throughput")
    assert (rates.step.tolist(), rates.value.tolist()) == ([10, 20, 30], [4096.0, 8192.5, 8192.0])
    assert rates.line.tolist() == lines
    assert run.factors == {"item": "token"}
    assert messages(run.findings, "read.excerpt") == [
        "a saved history of W&B may hold a sample of the calls of log()"
    ]


@pytest.mark.parametrize(
    "text",
    [
        '{"_step": 99, "_runtime": 12.5, "train/tokens_per_second": 4096}',  # the summary of a run
        '{"step": 1, "tokens_per_second": 4096}\n{"step": 2, "tokens_per_second": 4096}\n',
    ],
)
def test_any_other_json_is_not_claimed(text: str) -> None:
    claimed = detect(LogFiles.of({"x.json": text.encode()}).file("x.json"))
    assert claimed is None or claimed.format.name != "wandb_history"


def test_a_cut_list_is_reported() -> None:
    (run,) = read_all("wandb_history", json.dumps(ROWS).encode()[:-20])
    assert isinstance(run, Run)
    assert messages(run.findings, "read.malformed-line") == ["not a JSON document; it may be truncated"]
