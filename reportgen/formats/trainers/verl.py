"""Read the steps of verl: `step:3 - actor/pg_loss:0.01 - timing_s/gen:41.2 - timing_s/step:93.0 - ...`.

A step generates, scores and updates; each stage is a phase in it. `perf/throughput` counts prompt and
response for one GPU. Depending on the version, validation and the checkpoint are part of the time of a step:
a step with one of them has no time.

Format: https://github.com/volcengine/verl, verl/trainer/ppo/metric_utils.py.
"""

from dataclasses import replace

import numpy as np

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.model import FloatArray
from reportgen.formats.parsing.line_format import LineFormat, LineRun, StepLine, head
from reportgen.formats.parsing.text_log import NUMBER, Records

# NumPy 2 prints its numbers as np.float64(1.5).
_FIELD = lazy_pattern(
    rb" - ((?:timing_s|perf)/[a-z_]{1,40}):(?:np\.(?:float|int)[0-9]{2}\()?(" + NUMBER + rb")(?=\)? |\)?\r?$)"
)
_STAGES = {
    b"timing_s/gen": "generation",
    b"timing_s/reward": "reward",
    b"timing_s/old_log_prob": "old_log_prob",
    b"timing_s/ref": "reference",
    b"timing_s/values": "values",
    b"timing_s/adv": "advantage",
    b"timing_s/update_critic": "update_critic",
    b"timing_s/update_actor": "update_actor",
}
_INSIDE = (b"timing_s/testing", b"timing_s/save_checkpoint")
_TOKENS, _RATE = b"perf/total_num_tokens", b"perf/throughput"
# Printed with three decimals in older versions: a whole number of devices is met to this share.
_MAX_DEVICES_ERROR = 0.01


def _with_fields(records: Records) -> Records:
    """Return records with a column for each field that one of them has."""
    rows = [dict(_FIELD.findall(text or b"")) for text in records.columns["fields"]]
    names = sorted(set().union(*rows))
    columns = {name.decode(): tuple(row.get(name) for row in rows) for name in names}
    return replace(records, columns={**records.columns, **columns})


def _build(run: LineRun) -> None:
    if not len(run.step):
        return
    tokens, rate = _column(run, _TOKENS), _column(run, _RATE)
    time = _column(run, b"timing_s/step")
    time = np.where(np.isfinite(time), time, _column(run, b"perf/time_per_step"))
    run.factors["devices"] = _devices(tokens, time, rate)
    if not run.count("devices"):
        del run.factors["devices"]
    has_more = np.zeros(len(run.step), np.bool_)
    for name in _INSIDE:
        has_more |= np.isfinite(_column(run, name))
    run.add("step_time", np.where(has_more, np.nan, time), "host", samples=tokens)
    for name, phase in _STAGES.items():
        run.add("step_time", _column(run, name), "host", phase=phase)
    run.add("throughput_per_device", np.where(has_more, np.nan, rate), "printed")


def _column(run: LineRun, name: bytes) -> FloatArray:
    columns = run.records.columns
    return run.records.floats(name.decode()) if name.decode() in columns else np.full(len(run.step), np.nan)


def _devices(tokens: FloatArray, time: FloatArray, rate: FloatArray) -> int:
    """Return the number of devices that the rate of one of them implies, 0 if it is not a whole number."""
    with np.errstate(all="ignore"):
        implied = tokens / (time * rate)
    implied = implied[np.isfinite(implied)]
    if not len(implied):
        return 0
    devices = float(np.median(implied))
    whole = round(devices) if devices < 2**31 else 0
    return whole if whole and bool((np.abs(implied - whole) <= _MAX_DEVICES_ERROR * whole).all()) else 0


FORMAT = LineFormat(
    "verl",
    "Training logs of verl: reinforcement learning of language models.",
    lines=(
        StepLine(
            b" - perf/throughput:",
            r"\bstep:{step:int}(?P<fields> - [^\n]{1,30000})",
            is_single=True,
            prepare=_with_fields,
        ),
    ),
    factors={"framework": "verl", "item": "token"},
    build=_build,
    heads=(head(b"actor_rollout_ref", r"\(TaskRunner pid=[0-9]{1,9}\) [{'\"]{0,3}actor_rollout_ref"),),
).format()
