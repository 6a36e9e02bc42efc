"""Read the step lines of NeMo: progress printer, progress bar, DeltaTimingCallback, and Automodel's.

`Training epoch 0, iteration 121/149 | ... | train_step_timing in s: 0.03163`: each line is an interval since
the one before. The time is taken on the host around the batch, without the wait for device and data. A
progress bar without a time prints elapsed seconds. NeMo Automodel prints dates and the rate of every step,
and no time.

Format: https://github.com/NVIDIA/NeMo, nemo/lightning/pytorch/callbacks and nemo/utils/exp_manager.py;
https://github.com/NVIDIA-NeMo/Automodel, recipes/llm/train_ft.py.
"""

from dataclasses import replace

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.formats.parsing.line_format import LineFormat, LineRun, Setting, StepLine, constant, head
from reportgen.formats.parsing.text_log import NUMBER, Records
from reportgen.formats.parsing.timestamps import elapsed

# Fields of a line, in any order, as `name: value` or `name=value`.
_FIELDS = {
    "global_step": b"global_step",
    "global_batch_size": b"global_batch_size",
    "step_time_s": b"train_step_timing in s",
    "tokens_per_second_per_device": b"tokens_per_sec_per_gpu",
    "memory_used_B": b"max_memory_allocated",
}
_FIELD = lazy_pattern(rb"\b(" + b"|".join(_FIELDS.values()) + rb")(?:=|: )(" + NUMBER + rb")(?=[\s,|\]]|$)")


_PRINTER = r"Training epoch {:int}, iteration {step:int}/{:int} \|(?P<fields>[^\n\r]{1,3000})"
# The text before, in and after the bar ends where another bar could start, so that no byte is read twice.
_BAR = (
    r"Epoch {:int}: (?:: )?+[^|:\n\r]{0,40}+\|[^|:\n\r]{0,200}+\| {step:int}/{:int} "
    r"\[(?P<elapsed>[0-9:]{4,12}+)<[^],\[\n\r]{1,20}+, [^],\[\n\r]{1,20}+"
    r"(?=[^][\n\r]*?global_step=)(?P<fields>, [^][\n\r]{0,4000}+)\]"
)


def _with_fields(records: Records) -> Records:
    """Return records with a column for each field, steps by the global step, and elapsed time as seconds."""
    # The first of a repeated field counts.
    rows = [dict(reversed(_FIELD.findall(text or b""))) for text in records.columns["fields"]]
    fields = {group: tuple(row.get(name) for row in rows) for group, name in _FIELDS.items()}
    columns = {**records.columns, **fields}
    # Older bars print the iteration of the epoch and no global step.
    columns["step"] = tuple(map(_step, columns.pop("global_step"), records.columns["step"]))
    if "elapsed" in columns:
        columns["timestamp"] = tuple(b"%.6f" % time for time in elapsed(records.columns["elapsed"]).tolist())
    return replace(records, columns=columns)


def _step(printed: bytes | None, iteration: bytes | None) -> bytes | None:
    number = float(printed or b"nan")
    return b"%d" % number if 0 <= number < 2**53 else iteration


def _build(run: LineRun) -> None:
    columns = dict(run.records.columns)
    if any(columns.get("global_batch_size", ())):
        run.set_batch(constant(run.records.floats("global_batch_size")))
    elif run.factors["item"] == "sequence":
        # Bars and older lines have no batch; the configuration that is printed before them has it.
        columns.pop("global_batch_size", None)
        run.records = replace(run.records, columns=columns)
        run.set_batch(run.count("global_batch_size"))
    run.measure()


FORMAT = LineFormat(
    "nemo",
    "Training logs of NeMo and NeMo Automodel.",
    lines=(
        StepLine(b"Training epoch ", _PRINTER, first=0, clock="host", prepare=_with_fields),
        StepLine(b"global_step=", _BAR, first=0, clock="host", prepare=_with_fields),
        StepLine.like("Step {step:int}: train_step_timing in s={step_time_s}", first=0, clock="host"),
        StepLine(
            b"/gpu)",
            # The rate of one device is over those that share data, not all of them.
            r"\bstep {step:int} \| epoch {:int} \| [^\n]{0,500}?\| mem {memory_used_GiB} GiB "
            r"\| tps {tokens_per_second}\({}/gpu\)",
            first=None,
            is_single=True,
            is_dated=True,
            factors={"framework": "NeMo Automodel", "item": "token"},
        ),
    ),
    factors={"framework": "NeMo", "item": "sequence"},
    settings=(
        Setting(b"seq_length", r"\bseq_length[=: ]{1,3}{seq_len:int}"),
        # In YAML or on the command line; in the fields of a step it may ramp up.
        Setting(b"global_batch_size", r"(?:^ {0,12}|\.)global_batch_size(?:: |=){global_batch_size:int}\b"),
    ),
    build=_build,
    confidence=0.9,
    heads=(head(b"[NeMo I ", r"\[NeMo I {:stamp} exp_manager:[0-9]{1,6}\] "),),
).format()
