"""Mask R-CNN: text lines, DLL lines, and the final line alone."""

import pytest

from tests.builders import read_log

TEXT = b"""\
2020-07-10 01:56:50,914 maskrcnn_benchmark INFO: Using 2 GPUs
2020-07-10 01:56:50,914 maskrcnn_benchmark INFO: Namespace(opts=['SOLVER.IMS_PER_BATCH', '8', 'DTYPE', 'float16'])
DATASETS:
SOLVER:
  BASE_LR: 1
  IMS_PER_BATCH: 1
2020-07-10 01:57:28,500 maskrcnn_benchmark.trainer INFO: eta: 0:02:07  iter: 20  loss: 6.4 (6.4)  time: 0.8000 (0.9)  data: 0.01 (0.04)
2020-07-10 01:57:43,500 maskrcnn_benchmark.trainer INFO: eta: 0:01:47  iter: 40  loss: 6.5 (6.5)  time: 0.5000 (0.7)  data: 0.01 (0.03)
"""
FINAL = b"Training perf is: 10.5 FPS\n"
DLL = b"""\
DLL 2021-06-03 07:08:55.389020 - PARAMETER gpu_count : 2
2021-06-03 07:08:59,103 maskrcnn_benchmark.data.build WARNING: x
SOLVER:
  IMS_PER_BATCH: 1
SOLVER:
  BASE_LR: 1
  IMS_PER_BATCH: 32
DLL 2021-06-03 07:09:49.000000 - Training Iteration: 20  eta : 0:10:52  loss : 6.5 (6.5)  time : 1.0000 (1.7159)  data : 0.0 (0.1)
DLL 2021-06-03 07:10:13.000000 - Training Iteration: 40  eta : 0:08:43  loss : 6.4 (6.5)  time : 2.0000 (1.4551)  data : 0.0 (0.1)
"""


@pytest.mark.parametrize(
    ("content", "factors", "time", "printed"),
    [
        (TEXT, {"batch_size": 4, "precision": "amp"}, 15.0, [16.0, 10.0]),
        (DLL, {"batch_size": 16}, 24.0, [20.0, 40.0]),
    ],
)
def test_lines_every_twenty_steps(
    content: bytes, factors: dict[str, object], time: float, printed: list[float]
) -> None:
    run = read_log("maskrcnn", content + FINAL)
    assert run.factors == {"model": "Mask R-CNN", "item": "image", "devices": 2, **factors}
    times, medians = run.series
    assert (times.step.tolist(), times.span.tolist(), times.value.tolist()) == ([40], [20], [time])
    assert (times.clock, medians.clock, medians.value.tolist()) == ("timestamp", "printed", printed)
    assert (run.status, [aggregate.value for aggregate in run.aggregates]) == ("complete", [10.5])


def test_the_final_line_alone_is_a_run_with_an_aggregate() -> None:
    run = read_log("maskrcnn", FINAL)
    assert (run.status, run.series, run.factors) == ("complete", (), {"model": "Mask R-CNN", "item": "image"})
