"""Measure a run of MLPerf: steps from blocks, printed step times, tracked rates.

Each benchmark counts progress differently: `samples_count` in samples, `epoch_count` of GPT-3 in tokens,
`step` in samples, tokens or epochs. A count becomes steps only if the global batch divides it, and a count of
epochs only if it is recognisably one of samples or tokens.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from reportgen.core.model import Clock, FloatArray, IntArray, Series
from reportgen.formats.mlperf.events import EventInterval, Events, MlperfEvent
from reportgen.formats.parsing.embedded_lines import METRIC_LOGGER, SPEEDOMETER
from reportgen.formats.parsing.json_values import inside, is_number
from reportgen.formats.parsing.run_builder import ResultRun, make_series
from reportgen.formats.parsing.text_log import TextLog

_TIMING = "train_step_timing in s"
_TIME = "train_step_time"
_RATE = "throughput"
# Rates and times outside are errors; those inside can be weighted, inverted and summed.
_MIN_NUMBER, _MAX_NUMBER = 1e-100, 1e100

# An event and the number that it tracks.
Tracked = Sequence[tuple[MlperfEvent, float]]


def add_work(run: ResultRun, log: TextLog, events: Events, *, is_per_device: bool, devices: int) -> None:
    """Add the steps and rates of a log.

    is_per_device  the tracked rate may be that of one device; devices  their number, 0 if unknown
    """
    work = _Work(log, events)
    # A block has a dozen steps or more; it is only used if single steps are not printed.
    run.series = work.timed() or work.printed() or work.of_blocks()
    # NVIDIA's MXNet of v1.0 uses another name, and an event of its own.
    tracked = _tracked(events, _RATE) or _tracked(events, "imgs_sec") or _plain(events, _RATE)
    is_per_device = is_per_device and not work.are_of_all_devices(tracked)
    if len(tracked) > 1 and len(tracked) == len(work.blocks) and not is_per_device:
        places, rates = zip(*tracked, strict=True)
        run.series.append(work.series("throughput", "printed", work.block_spans, rates, places))
        return
    scale = devices if is_per_device and devices else 1
    # GPT-3 counts in tokens, also for its rate, while its batch is of sequences.
    metric = "token_throughput" if work.in_tokens else "throughput"
    metric = "throughput_per_device" if is_per_device and not devices else metric
    _add_rates(run, log, events, tracked, metric, scale)


class _Work:
    """The work of a log in steps of the global batch, converted from counts of samples or tokens."""

    def __init__(self, log: TextLog, events: Events) -> None:
        self.log, self.events = log, events
        self.batch = events.integer("global_batch_size") or 0
        tokens = self.batch * (events.integer("max_sequence_length") or 0)
        blocks = [*events.intervals("block")]
        counts = [block.start.number("epoch_count") for block in blocks]
        count = counts[0] if counts else None
        # Only a count of tokens is that large and divisible: other benchmarks count 1 epoch or some samples.
        self.in_tokens = bool(tokens and count and count >= tokens and count % tokens == 0)
        self.unit = tokens if self.in_tokens else self.batch
        # 3D U-Net counts epochs up to v2.0 and samples after that, in whole data sets.
        self.data_set = events.integer("train_samples") or 0
        is_whole = self.data_set and all(count and count % self.data_set == 0 for count in counts)
        self.is_of_samples = self.in_tokens or bool(is_whole)
        self.blocks = [block for block in blocks if self._steps_of(block)]
        self.block_spans = np.array([*map(self._steps_of, self.blocks)], dtype=np.int64)

    def _steps(self, count: float | None) -> int:
        """Return the steps of a count, 0 if the batch does not divide it."""
        if not self.unit or count is None or not 0 < count < 2**53 or count % self.unit:
            return 0
        return int(count // self.unit)

    def _steps_of(self, block: EventInterval) -> int:
        """Return the steps of a block, 0 if unknown."""
        begin, end = block.start.number("samples_count"), block.stop.number("samples_count")
        if begin is None or end is None:
            return self._steps(block.start.number("epoch_count")) if self.is_of_samples else 0
        if begin != end:
            return self._steps(end - begin)
        # NVIDIA's callback of v5.0 gives the size of the block at both ends; the block's steps confirm it.
        first, last = block.start.number("step"), block.stop.number("step")
        steps = self._steps(end)
        return steps if first is not None and last is not None and last - first == steps else 0

    def timed(self) -> list[Series]:
        """Return the step times that NeMo's callback prints, each the mean since the previous one."""
        places, means, steps = list[MlperfEvent](), list[float](), [0]
        # Since v5.0 `step` counts from 0, and the mean of a whole block comes without it.
        newer = [pair for pair in _tracked(self.events, _TIME) if pair[0].number("step") is not None]
        position = "samples_count" if newer else "step"
        for event, seconds in newer or _tracked(self.events, _TIMING):
            last = self._steps(event.number(position))
            if last > steps[-1]:
                places.append(event)
                means.append(seconds)
                steps.append(last)
        span = np.diff(steps)
        return [self.series("step_time", "printed", span, means * span, places)] if places else []

    def printed(self) -> list[Series]:
        """Return what MetricLogger (SSD) or MXNet's Speedometer (ResNet-50) print between the events."""
        run = METRIC_LOGGER.start(self.log)
        run.samples_per_step = float(self.batch) or None
        if not len(run.records):
            run = SPEEDOMETER.start(self.log)
        run.measure()
        return run.series

    def of_blocks(self) -> list[Series]:
        """Return the blocks between evaluations as entries of several steps, by their two timestamps."""
        if not self.blocks:
            return []
        start = self.events.first("run_start") or self.blocks[0].start
        begin = np.array([block.start.time_ms - start.time_ms for block in self.blocks]) / 1000
        value = [block.seconds for block in self.blocks]
        places = [block.stop for block in self.blocks]
        return [self.series("step_time", "timestamp", self.block_spans, value, places, begin)]

    def series(
        self,
        metric: str,
        clock: Clock,
        span: IntArray,
        value: ArrayLike,
        places: Sequence[MlperfEvent],
        begin: FloatArray | float = math.nan,
    ) -> Series:
        """Return a series of entries that follow one another, printed by these events."""
        line = self.log.lines([event.at for event in places])
        columns = {"span": span, "begin": begin, "samples": self.batch * span, "line": line}
        return make_series(metric, clock, span.cumsum(), value, self.log.source, **columns)

    def are_of_all_devices(self, tracked: Tracked) -> bool:
        """Return whether the rates are of the whole job: whether they fit the duration of an epoch.

        `train_samples` is the size of an epoch in samples (v1.0) or in batches (v2.0 and later).
        """
        epochs = sorted(epoch.seconds for epoch in self.events.intervals("epoch"))
        if not epochs or not tracked:
            return False
        expected = epochs[len(epochs) // 2] * sorted(rate for _, rate in tracked)[len(tracked) // 2]
        sizes = (self.data_set, self.data_set * self.batch)
        return any(0.8 * size < expected < 1.25 * size for size in sizes)


def _is_valid(value: object) -> bool:
    return is_number(value) and _MIN_NUMBER < value < _MAX_NUMBER


def _tracked(events: Events, name: str) -> Tracked:
    """Return the tracked statistics of a name that can be a rate or a time."""
    pairs = ((event, inside(event.value, name)) for event in events.by_key.get("tracked_stats", []))
    return [(event, float(value)) for event, value in pairs if _is_valid(value)]


def _plain(events: Events, key: str) -> Tracked:
    """Return the events of a key whose value can be a rate or a time."""
    return [(event, float(event.value)) for event in events.by_key.get(key, []) if _is_valid(event.value)]


def _add_rates(
    run: ResultRun, log: TextLog, events: Events, tracked: Tracked, metric: str, scale: int
) -> None:
    """Add the rate of the run, weighted by the time of each rate, and the rates as samples."""
    if not tracked:
        return
    rates = [scale * rate for _, rate in tracked]
    lines = log.lines([event.at for event, _ in tracked]).tolist()
    epochs = [epoch.seconds for epoch in events.intervals("epoch")]
    weights = epochs if len(epochs) == len(rates) and sum(epochs) > 0 else [1 / rate for rate in rates]
    mean = math.fsum(w * rate for w, rate in zip(weights, rates, strict=True)) / math.fsum(weights)
    text = f"{len(rates)} rates" if len(rates) > 1 else f"{rates[0] / scale!r}"
    run.add_aggregate(metric, mean, text, "mean", len(rates), lines[0])
    if len(rates) > 1:
        for rate, line in zip(rates, lines, strict=True):
            run.add_aggregate(metric, rate, f"{rate / scale!r}", "sample", 1, line)
