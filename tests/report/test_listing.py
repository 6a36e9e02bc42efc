"""What `reportgen runs` lists of a run."""

import pytest

from reportgen.core.model import Aggregate
from reportgen.protocol import DEFAULT
from reportgen.report.listing import as_table, listing, row, rows
from tests.builders import aggregate, run


def test_a_value_is_listed_in_the_unit_it_was_read_in() -> None:
    one = run(aggregate(120.0, metric="epoch_time", unit="s"), aggregate(0.5), samples_per_step=8)
    listed = {
        found["metric"]: (found["value"], found["unit"]) for found in row(one, DEFAULT).record["measurements"]
    }
    assert listed == {"epoch_time": (120, "s"), "step_time": (0.5, "s"), "throughput": (16, "samples/s")}


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
        ((), "-"),
    ],
)
def test_the_table_shows_how_fast_the_whole_step_was_where_that_is_known(
    figures: tuple[Aggregate, ...], shown: str
) -> None:
    headings, cells = as_table(listing([rows(DEFAULT).make(run(*figures))], []))
    assert cells[headings.index("measured")] == shown
