"""Read what the Hugging Face Trainer prints: its plan, its progress bar, its totals.

The bar of training has no label and counts the planned update steps; every evaluation draws its own bar. Its
elapsed time has whole seconds and includes evaluations, whose durations are printed with their results.

Format: https://github.com/huggingface/transformers, trainer.py, trainer_callback.py, trainer_pt_utils.py.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.model import Break, FactorValue
from reportgen.formats.parsing.progress_bars import drawn
from reportgen.formats.parsing.run_builder import per_device
from reportgen.formats.parsing.text_log import NUMBER, Records, TextLog
from reportgen.formats.parsing.timestamps import elapsed

SUMMARY = b"'train_samples_per_second'"
# Since transformers 5, numbers are formatted as texts.
FINAL = lazy_pattern(
    rb"\{'train_runtime': '?(?P<time>%(n)s)'?, 'train_samples_per_second': '?(?P<rate>%(n)s)'?, "
    rb"'train_steps_per_second': '?(?P<steps>%(n)s)'?" % {b"n": NUMBER}
)
METRICS = b"***** train metrics *****"
BLOCK = lazy_pattern(
    rb"\*{5} train metrics \*{5}(?>[^*]{0,2000}?\btrain_runtime {1,40}= {1,40})"
    rb"(?P<clock>(?:[0-9]{1,4} days?, )?[0-9]{1,6}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,6})?)"
    rb"(?>[^*]{0,2000}?\btrain_samples_per_second {1,40}= {1,40})(?P<rate>%(n)s)"
    rb"(?>[^*]{0,500}?\btrain_steps_per_second {1,40}= {1,40})(?P<steps>%(n)s)" % {b"n": NUMBER}
)
_PLANNED = lazy_pattern(
    rb"(?P<name>Instantaneous|Total train|Gradient Accumulation|Total optimization) [^=\n]{1,80} = "
    rb"(?P<value>[0-9][0-9,]{0,14})"
)
# What only the Trainer prints of its plan; scripts without it print the other lines too, without its name.
BEGUN = b"Running training *****"
_PARAMETERS = rb"[^\0]{1,800}?  Number of trainable parameters = [0-9]"
_BATCH = rb"Running training \*{5}(?>[^\0]{1,800}? Instantaneous batch size per device = [0-9]{1,9})"
PLAN = lazy_pattern(_BATCH + _PARAMETERS)
# Its name says who printed a plan, not that the bars behind it are the Trainer's own.
NAMED_PLAN = lazy_pattern(
    rb"(?:\[INFO\|(?:hf_)?trainer\.py:[0-9]{1,6}\]|transformers\.trainer -)[^\n]{1,80}?\*{5} Running training"
    rb"|" + _BATCH + rb"[^\0]{1,4000}?\btransformers/trainer\.py\", line [0-9]"
)
_MAX_PLAN_BYTES = 3000
_LOSS = re.escape(b"{'loss': ")
_EVALUATED = lazy_pattern(rb"'eval_runtime': '?(?P<time>" + NUMBER + rb")'?")
# The rate has three digits: too few to compute the steps, but enough to recognise the bar that it belongs to.
_MAX_RATE_ERROR = 0.0011


@dataclass(frozen=True, slots=True)
class Plan:
    """The numbers printed before training begins, 0 if they are missing; `at` is the offset of the plan."""

    micro_batch: int
    batch: int
    accumulation: int
    steps: int
    at: int

    @property
    def factors(self) -> dict[str, FactorValue]:
        """Batch sizes, and the number of devices that share a batch if the numbers fit."""
        each = self.micro_batch * self.accumulation
        devices = self.batch // each if each and self.batch % each == 0 else None
        factors = per_device(float(self.batch) if self.batch else None, devices)
        return {**factors, "micro_batch_size": self.micro_batch} if self.micro_batch else factors


def plan(log: TextLog) -> Plan:
    """Return the last plan in a log: training that runs out of memory restarts with a smaller batch."""
    at = log.content.rfind(BEGUN)
    lines = _PLANNED.finditer(log.content, at, at + _MAX_PLAN_BYTES) if at >= 0 else ()
    planned = {line["name"]: int(line["value"].replace(b",", b"")) for line in lines}
    names = (b"Instantaneous", b"Total train", b"Gradient Accumulation", b"Total optimization")
    micro_batch, batch, accumulation, steps = (planned.get(name, 0) for name in names)
    return Plan(micro_batch, batch, accumulation, steps, max(at, 0))


@dataclass(frozen=True, slots=True)
class Totals:
    """The numbers printed at the end: s (also as text), samples/s, steps/s; their line and end offset."""

    time: float
    time_text: str
    rate: float
    steps_rate: float
    line: int
    end: int

    def is_of(self, steps: int) -> bool:
        """Return whether this many steps in the total time give the printed rate."""
        return self.time > 0 and abs(steps / self.time - self.steps_rate) <= _MAX_RATE_ERROR


def totals(log: TextLog) -> Totals | None:
    """Return the totals of the last dict or, if there is no dict, of the last table of metrics."""
    records = log.records(FINAL, SUMMARY)
    if len(records):
        time, text = float(records.floats("time")[-1]), f"{records.text('time', -1)} s"
    elif len(records := log.records(BLOCK)):
        time, text = float(elapsed(records.columns["clock"])[-1]), records.text("clock", -1)
    else:
        return None
    rate, steps_rate = (float(records.floats(name)[-1]) for name in ("rate", "steps"))
    return Totals(time, text, rate, steps_rate, int(records.line[-1]), int(records.end[-1]))


def progress(log: TextLog, plan: Plan, totals: Totals | None) -> tuple[Records, int]:
    """Return the bars of training, each with more steps than the one before, and the planned steps or 0."""
    bars = drawn(log)
    # A bar without a total counts something else: the Trainer knows what it planned.
    texts = zip(*(bars.columns[name] for name in ("label", "shown", "of")), strict=True)
    is_own = [not label and shown is None and of != b"0" for label, shown, of in texts]
    bars = bars.take(np.flatnonzero(np.array(is_own, np.bool_) & (bars.begin >= plan.at)))
    planned = plan.steps or _planned(log, bars, totals)
    done = np.where(bars.integers("of") == planned, bars.integers("done"), 0)
    # Skip bars that are drawn again, and those of a process that was resumed at an earlier step.
    return bars.take(np.flatnonzero(np.diff(np.maximum.accumulate(done), prepend=0) > 0)), planned


def _planned(log: TextLog, bars: Records, totals: Totals | None) -> int:
    """Return the steps of the bar of training: as in the totals, else the steps of the only bar.

    Evaluations draw bars of other lengths, but a loss is printed after the bar of training.
    """
    of = bars.integers("of")
    if totals:
        full = of[bars.integers("done") == of].tolist()
        return next((steps for steps in reversed(full) if totals.is_of(steps)), 0)
    losses = [loss.start() for loss in re.finditer(_LOSS, log.content)]
    before = np.searchsorted(bars.begin, losses) - 1
    lengths = set(of[before[before >= 0]].tolist()) or set(of.tolist())
    return lengths.pop() if len(lengths) == 1 else 0


def evaluation_times(log: TextLog, begin: int, end: int) -> list[float]:
    """Return the s of the evaluations whose results are printed between two offsets."""
    results = log.records(_EVALUATED, b"'eval_runtime'")
    times: list[float] = results.floats("time")[(results.begin > begin) & (results.begin < end)].tolist()
    return [time for time in times if time > 0]


def evaluations(log: TextLog, bars: Records) -> Iterator[Break]:
    """Yield the evaluations after the steps of bars, with the durations printed in their results."""
    results = log.records(_EVALUATED, b"'eval_runtime'")
    bars_before, step = np.searchsorted(bars.begin, results.begin).tolist(), bars.integers("done")
    for count, time in zip(bars_before, results.floats("time").tolist(), strict=True):
        if count:
            yield Break(int(step[count - 1]), "evaluation", time)
