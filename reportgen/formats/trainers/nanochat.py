"""Read the log lines of nanochat: `step 00010/21400 (0.05%) | ... | dt: 996.81ms | tok/sec: 525,967 | ...`.

Tokens per step are printed once; where that line is missing, they follow from time and rate of all lines
together. Its predecessor build-nanogpt prints no percentage; the times of its steps that start with an
evaluation contain it and are left out.

Format: https://github.com/karpathy/nanochat, scripts/base_train.py and chat_sft.py;
https://github.com/karpathy/build-nanogpt, train_gpt2.py.
"""

import numpy as np

from reportgen.formats.parsing.line_format import LineFormat, LineRun, Setting, StepLine, head, rounding
from reportgen.formats.parsing.line_patterns import regex
from reportgen.formats.parsing.run_builder import common_work

# What build-nanogpt prints before the line of a step whose time contains it.
_EVALUATION = regex(r"^(?:validation loss: |HellaSwag accuracy: |rank [0-9]{1,4} sample )")


def _build(run: LineRun) -> None:
    records = run.records
    if run.samples_per_step is None and len(records):
        # Tokens per step, from rates that are cut to whole numbers, or rounded to the digits they have.
        rate, error = records.floats("tokens_per_second"), rounding(records, "tokens_per_second")
        if None in records.columns["fraction"]:
            # The true rate is half a token per second higher, give or take half.
            rate, error = rate + 0.5, 0.5
        time, time_error = records.floats("step_time_ms") / 1e3, rounding(records, "step_time_ms") / 1e3
        run.samples_per_step = common_work(rate, time, time_error, error)
    valid = np.ones(len(records), dtype=bool)
    if None in records.columns["share"]:
        run.factors["framework"] = "build-nanogpt"
        evaluated = [match.start() for match in _EVALUATION.finditer(run.log.content)]
        after = np.unique(np.searchsorted(records.begin, evaluated))
        valid[after[after < len(records)]] = False
    run.measure(valid=valid)


FORMAT = LineFormat(
    "nanochat",
    "Training logs of nanochat and build-nanogpt.",
    lines=(
        StepLine(
            b" | tok/sec: ",
            r"step {0,6}{step:int}(?:/{:int})?(?P<share> \([^)\n]{1,10}\))? \| loss: {1,4}{:loss}"
            r" (?:\| [^|\n]{1,50}){0,8}?\| dt: {step_time_ms}ms \| tok/sec: {1,4}"
            r"(?P<tokens_per_second>[0-9]{1,3}(?:,?[0-9]{3}){0,6}(?P<fraction>\.[0-9]{1,6})?)"
            r"(?= \|| {0,3}\n)",
            first=0,
            is_single=True,
            clock="host_synchronized",
            damage="not a whole step line of nanochat",
        ),
    ),
    factors={"framework": "nanochat", "item": "token"},
    settings=(
        Setting.like("Total batch size {samples_per_step:commas} => gradient accumulation steps"),
        Setting.like("total desired batch size: {samples_per_step:int}"),
        Setting.like("Tokens / micro-batch / rank: {micro_batch_size:int} x {seq_len:int}"),
        Setting.like("Distributed world size: {devices:int}"),
        Setting(b"ddp_world_size", "ddp_world_size[=: ]{1,3}{devices:int}"),
    ),
    build=_build,
    heads=(
        head(b"Tokens / micro-batch / rank: ", r"^Tokens / micro-batch / rank: {:int} x {:int} = {:commas}$"),
    ),
).format()
