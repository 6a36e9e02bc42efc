"""The lines of MXNet's Speedometer, alone or inside a log of MLPerf.

`Epoch[0] Batch [20-40]	Speed: 395.00 samples/sec`: both counts begin at 0, and a line is printed after its
batch. With several ranks or metrics a line is printed several times and counts once.

Format: apache/mxnet python/mxnet/callback.py.
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
