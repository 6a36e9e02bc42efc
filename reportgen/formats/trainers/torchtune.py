"""Read the metrics of torchtune: `Step 1 | loss:1.83 lr:2e-05 tokens_per_second_per_gpu:2310.4 ...`.

The rate is that of the tokens of the printed step, with loading and all micro-batches, divided by the number
of devices. A log has no time of a step and no number of tokens.

Format: https://github.com/pytorch/torchtune, torchtune/training/metric_logging.py (DiskLogger, StdoutLogger).
"""

from reportgen.formats.parsing.line_format import LineFormat, StepLine, head

FORMAT = LineFormat(
    "torchtune",
    "Metrics of torchtune's recipes, on disk or printed.",
    lines=(
        StepLine(
            b" tokens_per_second_per_gpu:",
            r"Step {step:int} \| [^\n]{0,400}?\btokens_per_second_per_gpu:{tokens_per_second_per_device}"
            r"(?=\s|$)",
            is_single=True,
        ),
    ),
    factors={"framework": "torchtune", "item": "token"},
    heads=(
        head(b"torchtune.utils.", r"torchtune\.utils\.[\w.]{1,40}:Running \w{1,80} with resolved config:"),
    ),
).format()
