"""Read the speed runs of nanoGPT: `step:125/1750 val_loss:4.2887 train_time:12440ms step_avg:99.52ms`.

`train_time` has elapsed since training began, without validation, so two lines give the time of the steps
between them. The host waits for the device before it prints a line with `val_loss`, and not before others.
Until early 2025 the clock began again at step 10, and the mean was `nan` before: such lines have no time.

A log begins with the source of the program that wrote it, so only whole lines are read.

Format: https://github.com/KellerJordan/modded-nanogpt, train_gpt.py; https://github.com/openai/parameter-golf.
"""

import numpy as np

from reportgen.core.model import Clock
from reportgen.formats.parsing.line_format import LineFormat, LineRun, Setting, StepLine, half_digit, head
from reportgen.formats.parsing.line_patterns import regex
from reportgen.formats.parsing.run_builder import once
from reportgen.formats.parsing.text_log import Records

_LITERAL = b" train_time:"
_STEP = r"^step:{step:int}/{planned_steps:int}"
_TIME = r" train_time:{elapsed}ms(?: step_avg:(?P<mean>[0-9.]{1,20}|nan)ms)?(?=\s|$)"
_TRAINED = _STEP + r"(?: (?!val_)[a-z_]{1,20}:[^\s]{1,40}){0,4}" + _TIME
_VALIDATED = _STEP + r" val_loss:{:loss}(?: [a-z_]{1,20}:[^\s]{1,40}){0,3}" + _TIME
_VALIDATION = regex(_VALIDATED)
# A log may end early by design: at a limit of time.
_STOPPED = b"stopping_early: "


def _build(run: LineRun) -> None:
    if _STOPPED in run.log.content:
        run.planned_steps = 0
    if run.kind is not _VALIDATED_LINE:
        _add(run, run.records, "host")
    validated = run.log.records(_VALIDATION, _LITERAL)
    validated = validated.take(once(validated.integers("step")))
    _add(run, validated, "host_synchronized")
    last = int(validated.integers("step").max(initial=0))
    if last and last >= max(run.planned_steps, int(run.step.max(initial=0))):
        # What speed runs compare: the clock at the last validation.
        value, text = float(validated.floats("elapsed")[-1]) / 1e3, f"{validated.text('elapsed', -1)} ms"
        run.add_aggregate("time_to_train", value, text, "total", last, int(validated.line[-1]))


def _add(run: LineRun, records: Records, clock: Clock) -> None:
    """Add the times between lines of one kind; of lines with a synchronised clock, several are needed."""
    is_timed = np.array([mean != b"nan" for mean in records.columns["mean"]], np.bool_)
    records = records.take(np.flatnonzero(is_timed))
    step, elapsed = records.integers("step"), records.floats("elapsed") / 1e3
    span, time = np.diff(step), np.diff(elapsed)
    is_known = (span > 0) & (time >= 0)
    if clock == "host_synchronized" and np.count_nonzero(is_known) < 2:
        return
    before = run.step, run.line
    run.step, run.line = step[1:][is_known], records.line[1:][is_known]
    span = span[is_known]
    half = half_digit(records, "elapsed") / 1e3
    run.add(
        "step_time",
        time[is_known],
        clock,
        span=span,
        samples=run.work(span),
        rounding=half,
        rounded="elapsed",
    )
    run.step, run.line = before


_VALIDATED_LINE = StepLine(_LITERAL, _VALIDATED)

FORMAT = LineFormat(
    "modded_nanogpt",
    "Logs of nanoGPT's speed runs (modded-nanogpt) and of parameter-golf.",
    lines=(StepLine(_LITERAL, _TRAINED), _VALIDATED_LINE),
    factors={"framework": "modded-nanogpt", "item": "token"},
    settings=(
        Setting(b"world_size:", r"^world_size:{devices:positive}\b"),
        Setting(
            b"train_batch_tokens:",
            r"^train_batch_tokens:{samples_per_step:positive} train_seq_len:{seq_len:positive}\b",
        ),
        Setting(b"|   0  ", r"^\|   0  (?P<device>(?:NVIDIA|AMD) [^|\n]{1,40}?) {1,30}(?:On|Off) {1,4}\|"),
    ),
    build=_build,
    confidence=0.9,
    heads=(head(b"train_batch_tokens:", r"^train_batch_tokens:{:int} train_seq_len:{:int}\b"),),
).format()
