"""Read MXNet's logs: Speedometer lines (NGC, gluon-cv, InsightFace), gluon-nlp BERT, Partial FC.

Format: parsing.embedded_lines, dmlc/gluon-nlp scripts/bert, deepinsight/insightface recognition.
"""

from reportgen.formats.parsing.embedded_lines import SPEEDOMETER
from reportgen.formats.parsing.line_format import LineFormat, StepLine

FORMAT = LineFormat(
    "mxnet",
    "Training logs of MXNet: Speedometer, gluon-cv, gluon-nlp, InsightFace, Partial FC.",
    lines=(
        *SPEEDOMETER.lines,
        StepLine.like(
            "[step {step:int}]{..}throughput={}K tks/s{..}latency={step_time_ms} ms/batch",
            is_dated=True,
            accumulates=True,
            factors={"item": "sequence"},
        ),
        # It says it/sec and counts samples: batch size x devices over the time of an iteration.
        StepLine.like(
            "Iter:{step:int}  Rank:{} it/sec  Total:{images_per_second} it/sec",
            is_dated=True,
            factors={"item": "image", "model": "partial_fc"},
        ),
    ),
    factors={"framework": "MXNet"},
    confidence=0.9,
).format()
