"""Read what the Hugging Face Trainer prints: its plan, its progress bar, its totals.

The bar of training has no label and counts the planned update steps; every evaluation draws its own bar. Its
elapsed time has whole seconds and includes evaluations, whose durations are printed with their results.

Format: https://github.com/huggingface/transformers, trainer.py, trainer_callback.py, trainer_pt_utils.py.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from reportgen.core.model import Break, FactorValue, FloatArray, IntArray
from reportgen.formats.parsing.progress_bars import apart, drawn
from reportgen.formats.parsing.run_builder import per_device
from reportgen.formats.parsing.text_log import NUMBER, Records, TextLog
from reportgen.formats.parsing.timestamps import elapsed

SUMMARY = b"'train_samples_per_second'"
# Since transformers 5, numbers are formatted as texts.
FINAL = re.compile(
    rb"\{'train_runtime': '?(?P<time>%(n)s)'?, 'train_samples_per_second': '?(?P<rate>%(n)s)'?, "
    rb"'train_steps_per_second': '?(?P<steps>%(n)s)'?" % {b"n": NUMBER}
)
METRICS = b"***** train metrics *****"
BLOCK = re.compile(
    rb"\*{5} train metrics \*{5}(?>[^*]{0,2000}?\btrain_runtime {1,40}= {1,40})"
    rb"(?P<clock>(?:[0-9]{1,4} days?, )?[0-9]{1,6}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,6})?)"
    rb"(?>[^*]{0,2000}?\btrain_samples_per_second {1,40}= {1,40})(?P<rate>%(n)s)"
    rb"(?>[^*]{0,500}?\btrain_steps_per_second {1,40}= {1,40})(?P<steps>%(n)s)" % {b"n": NUMBER}
)
_PLAN = b"Running training *****"
_PLANNED = re.compile(
    rb"(?P<name>Instantaneous|Total train|Gradient Accumulation|Total optimization) [^=\n]{1,80} = "
    rb"(?P<value>[0-9][0-9,]{0,14})"
)
_MAX_PLAN_BYTES = 3000
_LOSS = re.escape(b"{'loss': ")
_EVALUATED = re.compile(rb"'eval_runtime': '?(?P<time>" + NUMBER + rb")'?")
# The rate has three digits: too few to compute the steps, but enough to recognise the bar that it belongs to.
_MAX_RATE_ERROR = 0.0011


@dataclass(frozen=True, slots=True)
class Plan:
    """The numbers printed before training begins, 0 if they are missing; `at` is the offset of the plan."""

    micro_batch: int = 0
    batch: int = 0
    accumulation: int = 0
    steps: int = 0
    at: int = 0

    @property
    def devices(self) -> int | None:
        """Devices that share a batch, None if the numbers do not fit."""
        each = self.micro_batch * self.accumulation
        return self.batch // each if each and self.batch % each == 0 else None

    @property
    def factors(self) -> dict[str, FactorValue]:
        """Batch sizes and number of devices."""
        factors = per_device(float(self.batch) if self.batch else None, self.devices)
        return {**factors, "micro_batch_size": self.micro_batch} if self.micro_batch else factors


def plan(log: TextLog) -> Plan:
    """Return the last plan in a log: training that runs out of memory restarts with a smaller batch."""
    at = log.content.rfind(_PLAN)
    if at < 0:
        return Plan()
    lines = _PLANNED.finditer(log.content, at, at + _MAX_PLAN_BYTES)
    planned = {line["name"]: int(line["value"].replace(b",", b"")) for line in lines}
    return Plan(
        planned.get(b"Instantaneous", 0),
        planned.get(b"Total train", 0),
        planned.get(b"Gradient Accumulation", 0),
        planned.get(b"Total optimization", 0),
        at,
    )


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


@dataclass(frozen=True, slots=True)
class Progress:
    """The bar of training: steps done, s since its beginning, lines; `planned` is 0 without such a bar."""

    planned: int
    last: int
    end: int
    step: IntArray
    since: FloatArray
    line: IntArray
    breaks: tuple[Break, ...]


def progress(log: TextLog, plan: Plan, totals: Totals | None) -> Progress:
    """Return the bar of training at steps that are far enough apart."""
    bars = drawn(log)
    columns = (bars.columns[name] for name in ("label", "shown", "of"))
    # A bar without a total counts something else: the Trainer knows what it planned.
    own = [
        i
        for i, (at, label, shown, of) in enumerate(zip(bars.begin.tolist(), *columns, strict=True))
        if at >= plan.at and not label and shown is None and of != b"0"
    ]
    bars = bars.take(np.array(own, dtype=np.int64))
    planned = plan.steps or _planned(log, bars, totals)
    done = np.where(bars.integers("of") == planned, bars.integers("done"), 0)
    # Skip bars that are drawn again, and those of a process that was resumed at an earlier step.
    bars = bars.take(np.flatnonzero(np.diff(np.maximum.accumulate(done), prepend=0) > 0))
    step, since = bars.integers("done"), elapsed(bars.columns["elapsed"])
    far = np.array(list(apart(since)), dtype=np.int64)
    last, end = (int(step[-1]), int(bars.end[-1])) if len(step) else (0, 0)
    return Progress(
        planned, last, end, step[far], since[far], bars.line[far], tuple(_evaluations(log, bars.begin, step))
    )


def _planned(log: TextLog, bars: Records, totals: Totals | None) -> int:
    """Return the steps of the bar of training: as in the totals, else those of the only bar.

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


def _evaluations(log: TextLog, begins: IntArray, step: IntArray) -> Iterator[Break]:
    """Yield the evaluations after steps, with the durations printed in their results."""
    evaluations = log.records(_EVALUATED, b"'eval_runtime'")
    bars_before = np.searchsorted(begins, evaluations.begin).tolist()
    for count, time in zip(bars_before, evaluations.floats("time").tolist(), strict=True):
        if count:
            yield Break(int(step[count - 1]), "evaluation", time)
