"""How long a run took: from start to end, else over its steps."""

from reportgen.core.model import Break, Run
from reportgen.protocol.timeline import run_duration
from tests.builders import aggregate, run, series
from tests.each_of import each_row

NAN = float("nan")


@each_row(
    [
        (run(series([1.0, 2.0]), started=100.0, ended=160.0), 60.0),
        (run(series([1.0, 2.0]), started=100.0), 3.0),
        (run(series([1.0, 2.0], begin=[5.0, 25.0])), 22.0),
        (run(series([1.0, 2.0], breaks=(Break(1, "epoch", 7.0), Break(2, "epoch", NAN)))), 10.0),
        (run(series([1.0, NAN, 2.0])), 3.0),
        (run(series([1.0, 2.0], "forward"), series([3.0, 4.0], "backward")), 10.0),
        (run(series([1.0, 2.0]), series([9.0, 9.0], "forward")), 3.0),
        (run(series([1.0, 2.0]), series([2.0, 2.0], rank=1)), 4.0),
        (run(series([])), None),
        (run(aggregate(1.0)), None),
    ]
)
def test_a_run_takes_the_time_from_its_start_to_its_end(of: Run, seconds: float | None) -> None:
    assert run_duration(of) == seconds
