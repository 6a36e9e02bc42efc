"""Lines that occur alone or inside a log of MLPerf: MXNet's Speedometer and torchvision's MetricLogger.

`Epoch[0] Batch [20-40]	Speed: 395.00 samples/sec`: both counts begin at 0, and a line is printed after its
batch. With several ranks or metrics a line is printed several times and counts once.

`Epoch: [0]  [  40/4572]  eta: 0:08:33  ...  time: 0.1131  data: 0.1033  max mem: 20006`: `time` and `data`
are means of the last 20 iterations for any print interval, so each line is an interval of up to 20
steps. Where lines are closer than that they overlap, and the protocol takes every second.

Format: apache/mxnet python/mxnet/callback.py; https://github.com/pytorch/vision,
references/classification/utils.py (MetricLogger.log_every).
"""

from reportgen.formats.parsing.line_format import LineFormat, StepLine

SPEEDOMETER = LineFormat(
    "speedometer",
    "The lines of MXNet's Speedometer.",
    lines=(
        StepLine(
            b"] Batch",
            r"(?:Epoch|Iter)\[{epoch:int}\] Batch ?\[(?:{since:int}-)?{step:int}\]\s{1,20}"
            r"Speed: {samples_per_second} samples/sec",
            first=0,
            is_dated=True,
        ),
    ),
)

# Copies evaluate under the same word: "Val Epoch: [0]", "Test epoch: [0/9]", "Eval: data epoch: [0]".
_NO_EVALUATION = "".join(
    rf"(?<!{name}{joint}epoch: \[)"
    for name in ("eval", "evaluation", "test", "val", "valid", "validation")
    for joint in (" ", ": ", ": data ")
)
# Copies write "Train: data epoch: [0]" (LAVIS) or "Epoch: [0/100]" (DINO).
EPOCH = rf"poch: \[(?i:{_NO_EVALUATION})(?P<epoch>[0-9]{{1,6}})(?:/[0-9]{{1,6}})?\]"
_REST = (
    r" {1,9}\[ {0,9}{step:int}/{steps_per_epoch:int}\] {1,9}eta: "
    # Detectors print hundreds of meters in a line; what is skipped ends where a line could begin anew.
    r"(?:[^\n[ ]++|\[(?! {0,9}[0-9]{1,15}/)| (?! time: {}  data: ))*+"
    r"  time: {step_time_s}  data: {data_loading_time_s}(?=\s)(?:  max mem: {memory_used_MiB:int})?"
)
METRIC_LOGGER = LineFormat(
    "metric_logger",
    "The lines of torchvision's MetricLogger.",
    lines=tuple(
        StepLine(b"  data: ", begin + _REST, first=0, window=20, clock="host")
        # DINOv2 has no epochs.
        for begin in (EPOCH, r"\bTraining")
    ),
)
