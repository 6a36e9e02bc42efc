"""Read the step lines of MaxText: `completed step: 3, seconds: 1.203, TFLOP/s/device: 182.114, ...`.

The host takes the time between two completed steps, and does not wait for the device: the first steps
compile, and those after them may be far too short. A checkpoint is part of the step after it.

Format: https://github.com/AI-Hypercomputer/maxtext, metric_logger.py.
"""

from dataclasses import replace

from reportgen.formats.parsing.line_format import LineFormat, StepLine, head
from reportgen.formats.parsing.text_log import Records

_LINE = (
    r"completed step: {step:int}, seconds: {step_time_s}, TFLOP/s(?:/device)?: {}"
    r"(?:, Tokens/s/device: {tokens_per_second_per_device})?(?:, total_weights: {global_batch_size:int})?"
)


def _with_work(records: Records) -> Records:
    """Return records without the tokens of a step if a process has none of them, as in a pipeline."""
    columns = dict(records.columns)
    if not all(int(text or b"0") for text in columns["global_batch_size"]):
        del columns["global_batch_size"]
    return replace(records, columns=columns)


FORMAT = LineFormat(
    "maxtext",
    "Training logs of MaxText.",
    lines=(StepLine(b"completed step: ", _LINE, first=0, is_single=True, clock="host", prepare=_with_work),),
    factors={"framework": "MaxText", "item": "token"},
    heads=(head(b"Config param ", r"\bConfig param per_device_batch_size: [0-9.]{1,9}$"),),
).format()
