"""What `reportgen runs` lists of a run."""

from reportgen.protocol import DEFAULT
from reportgen.report.listing import row
from tests.protocol.making import aggregate, run


def test_a_value_is_listed_in_the_unit_it_was_read_in() -> None:
    one = run(aggregate(120.0, metric="epoch_time", unit="s"), aggregate(0.5), samples_per_step=8)
    listed = {
        found["metric"]: (found["value"], found["unit"]) for found in row(one, DEFAULT).record["measurements"]
    }
    assert listed == {"epoch_time": (120, "s"), "step_time": (0.5, "s"), "throughput": (16, "samples/s")}
