"""The CSV of a chart of W&B: a run for each name, with the metrics that state a speed."""

import pytest

from reportgen.core.model import Run
from reportgen.formats.detection import detect
from reportgen.sources.logfiles import LogFiles
from tests.builders import messages, read_all, series_of
from tests.formats.tracker_files import WANDB_CSV


def test_each_name_is_a_run_with_its_points() -> None:
    first, second = read_all("wandb_csv", WANDB_CSV)
    assert isinstance(first, Run)
    assert isinstance(second, Run)
    assert first.factors == {"run_name": "calm-owl-7", "item": "token"}
    assert second.factors == {"run_name": "big - run-8", "item": "token"}
    rates = series_of(first, "throughput")
    assert (rates.step.tolist(), rates.value.tolist()) == ([10, 20, 30], [4096.0, 8192.5, 8192.0])
    assert rates.line.tolist() == [2, 3, 4]
    assert series_of(second, "throughput").value.tolist() == [1024.0, 2048.0]
    assert messages(first.findings, "read.excerpt") == [
        "a chart of W&B may hold a sample of the logged steps"
    ]


@pytest.mark.parametrize(
    "header",
    [
        "Step,a - loss,a - loss__MIN,a - loss__MAX",  # not a speed
        "Step,a - tokens_per_second",  # no bounds: any CSV
        "model,a - tokens_per_second,a - tokens_per_second__MIN,a - tokens_per_second__MAX",
    ],
)
def test_any_other_csv_is_not_claimed(header: str) -> None:
    claimed = detect(LogFiles.of({"x.csv": f"{header}\n1,2,3,4\n".encode()}).file("x.csv"))
    assert claimed is None or claimed.format.name != "wandb_csv"


def test_a_torn_row_is_reported_and_the_others_are_read() -> None:
    content = WANDB_CSV.replace(b'"20","8192.5"', b'"twenty","8192.5"') + b'"40","1'
    first, _ = read_all("wandb_csv", content)
    assert isinstance(first, Run)
    assert series_of(first, "throughput").step.tolist() == [10, 30]
    assert messages(first.findings, "read.malformed-line") == ["not a row with a step, and 1 more like it"]
