"""The work of a step: how much it is, and whether all that a log and its labels say of it can be true.

Samples, batch sizes, lengths, ranks and devices are one product. Where two of them contradict each other, one
is wrong, and a rate that rests on it is wrong by that factor.
"""

import math

import numpy as np

from reportgen.core.model import STEP, Finding, FloatArray, IntArray, Run
from reportgen.core.remembered import Remembered
from reportgen.core.rules import Rule, Severity
from reportgen.core.stored_series import without_numbers
from reportgen.protocol.measured_run import MeasuredRun
from reportgen.protocol.window import MeasuredWindow

# A whole number of samples in a step may differ by rounding only.
_ROUNDING = 1e-9

_BATCH, _MICRO, _GLOBAL = "batch_size", "micro_batch_size", "global_batch_size"
_ACCUMULATED, _LENGTH = "gradient_accumulation_steps", "seq_len"
_LENGTHS = (_LENGTH, "sequence_length")

_Contradiction = tuple[Severity, str]


def usual_work(run: Run) -> float | None:
    """Return the samples in most steps, over all ranks; None if the log does not say it.

    The last batch of an epoch is smaller. Where hardly two steps agree (sequences of any length), there is no
    such number.
    """
    per_rank = []
    for series in without_numbers(run.series):
        if series.metric != "step_time" or series.phase != STEP or not len(series.samples):
            continue
        if (work := _same_work(series.samples, series.span)) is not None:  # as in most logs
            per_rank.append((series.clock, series.rank, work))
            continue
        if not np.isfinite(series.samples).any():
            continue
        known = np.isfinite(series.samples) & (series.span > 0)
        works = series.samples[known] / series.span[known]
        if len(works) and (works == works[0]).all():  # as in most logs
            per_rank.append((series.clock, series.rank, float(works[0])))
            continue
        works, counts = np.unique(works, return_counts=True)
        if 2 * int(counts.max()) <= int(known.sum()):
            return None
        per_rank.append((series.clock, series.rank, float(works[counts.argmax()])))
    if not per_rank:
        return run.samples_per_step
    clock = per_rank[0][0]
    return sum(work for of, _, work in per_rank if of == clock)


@Remembered
def _same_work(samples: FloatArray, span: IntArray) -> float | None:
    """Return the samples of each step if all entries have the same, else None."""
    least, steps = float(samples.min()), int(span.min())
    is_same = least == samples.max() and steps == span.max() and steps > 0
    return least / steps if is_same and math.isfinite(least) else None


def check_work(measured: MeasuredRun, window: MeasuredWindow) -> tuple[Finding, ...]:
    """Return what cannot be true together about the work and the devices of a run."""
    run, done = measured.run, window.window.samples / window.window.steps
    place, work = window.ranks[0].place(), measured.fact(usual_work)
    each = [*_devices(run, work), *_per_step(run, work, done)]
    return tuple(Finding(severity, Rule.RATE_CONTRADICTION, run.id, text, place) for severity, text in each)


def _count(run: Run, *names: str) -> int | None:
    """Return the first of these factors that is a number above 0."""
    values = (run.factors.get(name) for name in names)
    return next((v for v in values if isinstance(v, int) and not isinstance(v, bool) and v > 0), None)


def _devices(run: Run, work: float | None) -> list[_Contradiction]:
    """Compare nodes, devices and ranks with each other."""
    nodes, each = _count(run, "nodes"), _count(run, "devices_per_node")
    devices, batch = _count(run, "devices"), _count(run, _BATCH)
    contradictions: list[_Contradiction] = []
    if nodes and each and devices and nodes * each != devices:
        product = f"{nodes} nodes with {each} devices each are {nodes * each}"
        text = f"{product}, and the factor says {devices} devices"
        contradictions.append(("warning", text))
    # One process may drive several devices; then the work of a step shows it.
    is_shown = batch is not None and devices is not None and work == batch * devices
    if run.ranks and devices and run.ranks < devices and not is_shown:
        ran = "1 rank" if run.ranks == 1 else f"{run.ranks} ranks"
        contradictions.append(("warning", f"the factor says {devices} devices, and {ran} ran"))
    return contradictions


def _per_step(run: Run, work: float | None, done: float) -> list[_Contradiction]:
    if run.work_is_labelled or not done > 0:
        return []
    if run.factors.get("item") == "token":
        return _tokens(run, work)
    return [*_too_little(run, work), *_too_much(run, done)]


def _tokens(run: Run, work: float | None) -> list[_Contradiction]:
    """Compare the tokens of a step with batch size times length; a log may count padding or leave it out.

    If most steps have one number, it is not the number of tokens without padding.
    """
    length = _count(run, *_LENGTHS)
    if work is None or length is None:
        return []
    least = (_count(run, _BATCH, _MICRO) or 1) * length
    if not work < least / (_count(run, _ACCUMULATED) or 1) * (1 - _ROUNDING):
        return []
    sequences = "1 sequence" if least == length else f"{least // length} sequences"
    return [
        ("invalid", f"a step has {work:,.6g} tokens by the log, but {sequences} of {length:,} are {least:,}")
    ]


def _too_little(run: Run, work: float | None) -> list[_Contradiction]:
    """Report steps with fewer samples than a batch; a log may write a line for each accumulated batch."""
    accumulated = _count(run, _ACCUMULATED) or 1
    if work is None:
        return []
    if (micro := _count(run, _MICRO)) and work < micro * (1 - _ROUNDING):
        return [
            ("invalid", f"a step has {work:,.6g} samples by the log, fewer than the micro-batch of {micro:,}")
        ]
    if (batch := _count(run, _GLOBAL)) and not {work, work * accumulated} & {float(batch)}:
        return [("warning", f"a step has {work:,.6g} samples by the log, and the global batch is {batch:,}")]
    if (batch := _count(run, _BATCH)) and work * accumulated < batch * (1 - _ROUNDING):
        return [("warning", f"a step has {work:,.6g} samples by the log, fewer than the batch of {batch:,}")]
    return []


def _too_much(run: Run, done: float) -> list[_Contradiction]:
    """Report steps with more samples than batch size, devices and accumulated batches give."""
    batch, devices, length = _count(run, _BATCH), _count(run, "devices"), _count(run, *_LENGTHS)
    if batch is None or devices is None:
        return []
    expected = batch * devices * (_count(run, _ACCUMULATED) or 1)
    if not done > expected * (1 + _ROUNDING):
        return []
    if length and abs(done / (expected * length) - 1) < _ROUNDING:
        return [
            (
                "invalid",
                f"a step has {done:,.6g} samples by the log: these are its {expected:,} x {length:,} tokens",
            )
        ]
    names = (name for name in (_BATCH, "devices", _ACCUMULATED) if name in run.factors)
    factors = ", ".join(f"{name} {run.factors[name]}" for name in names)
    return [("warning", f"a step has {done:.6g} samples by the log, {expected} by its factors ({factors})")]
