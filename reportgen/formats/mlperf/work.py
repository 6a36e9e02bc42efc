"""What a run of MLPerf did and how fast: steps out of blocks, printed step times, tracked rates.

How far training has come is counted differently by each benchmark: `samples_count` in samples,
`epoch_count` of GPT-3 in tokens, `step` in samples, tokens or epochs. A count becomes steps only where the
global batch divides it, and a count of epochs only where it is seen to be one of samples or tokens.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from reportgen.core.model import Aggregate, Clock, FloatArray, IntArray, Series
from reportgen.formats.mlperf.events import Event, Events, Interval, intervals
from reportgen.formats.parsing.json_values import is_number
from reportgen.formats.parsing.metric_logger import METRIC_LOGGER
from reportgen.formats.parsing.speedometer import SPEEDOMETER
from reportgen.formats.parsing.text_log import TextLog

_TIMING = "train_step_timing in s"
_TIME = "train_step_time"
_RATE = "throughput"
# No rate and no time is outside; what is inside can be weighted, inverted and added up.
_LEAST, _MOST = 1e-100, 1e100


@dataclass(frozen=True, slots=True)
class Work:
    """Everything measured in a log."""

    series: tuple[Series, ...]
    aggregates: tuple[Aggregate, ...]


def work(log: TextLog, events: Events, *, per_device: bool, devices: int) -> Work:
    """Return the steps and rates of a log.

    per_device  the tracked rate may be of one device; devices  how many there are, 0 if unknown
    """
    counter = _Counter(events)
    blocks = [block for block in intervals(events, "block") if counter.of_block(block)]
    timed = _timed(log, events, counter)
    # A block is a dozen steps and more; where single steps are printed it tells nothing that they do not.
    series = timed or _logged(log, counter) or _of_blocks(log, events, blocks, counter)
    # NVIDIA's MXNet of v1.0 has a name of its own, and an event of its own besides.
    tracked = _tracked(events, _RATE) or _tracked(events, "imgs_sec") or _plain(events, _RATE)
    per_device = per_device and not _is_whole(events, tracked, counter)
    if len(tracked) > 1 and len(tracked) == len(blocks) and not per_device:
        return Work((*series, _rates(log, tracked, blocks, counter)), ())
    scale = devices if per_device and devices else 1
    metric = "throughput_per_device" if per_device and not devices else "throughput"
    # GPT-3 is counted in tokens, its rate too, while its batch is of sequences.
    metric = "token_throughput" if counter.in_tokens and metric == "throughput" else metric
    return Work(series, _reduced(log, events, tracked, metric, scale))


class _Counter:
    """Turns counts of samples or tokens into steps of the global batch."""

    def __init__(self, events: Events) -> None:
        self.batch = events.integer("global_batch_size") or 0
        tokens = self.batch * (events.integer("max_sequence_length") or 0)
        counts = [block.start.number("epoch_count") for block in intervals(events, "block")]
        count = counts[0] if counts else None
        # Only a count of tokens is that large and even: other benchmarks count 1 epoch or some samples.
        self.in_tokens = bool(tokens and count and count >= tokens and count % tokens == 0)
        self.unit = tokens if self.in_tokens else self.batch
        # 3D U-Net counts epochs up to v2.0 and samples after that, in whole data sets.
        self.data_set = events.integer("train_samples") or 0
        whole = self.data_set and all(one and one % self.data_set == 0 for one in counts)
        self.is_of_samples = self.in_tokens or bool(whole)

    def steps(self, count: float | None) -> int:
        """Return the steps that a count comes to, 0 where it comes to no whole number of them."""
        if not self.unit or count is None or not 0 < count < 2**53 or count % self.unit:
            return 0
        return int(count // self.unit)

    def of_block(self, block: Interval) -> int:
        """Return the steps of a block, 0 if unknown."""
        begin, end = block.start.number("samples_count"), block.stop.number("samples_count")
        if begin is None or end is None:
            return self.steps(block.start.number("epoch_count")) if self.is_of_samples else 0
        if begin != end:
            return self.steps(end - begin)
        # NVIDIA's callback of v5.0 says at both ends how large the block is; its steps confirm it.
        first, last = block.start.number("step"), block.stop.number("step")
        steps = self.steps(end)
        return steps if first is not None and last is not None and last - first == steps else 0


def _tracked(events: Events, name: str) -> list[tuple[Event, float]]:
    """Return the tracked statistics of a name that are positive numbers, and can be a rate or a time."""
    found = []
    for event in events.by_key.get("tracked_stats", []):
        value = event.value.get(name) if isinstance(event.value, dict) else None
        if is_number(value) and _LEAST < value < _MOST:
            found.append((event, float(value)))
    return found


def _plain(events: Events, name: str) -> list[tuple[Event, float]]:
    """Return the events of a key whose value is a positive number."""
    found = events.by_key.get(name, [])
    return [(one, float(one.value)) for one in found if is_number(one.value) and _LEAST < one.value < _MOST]


def _is_whole(events: Events, tracked: Sequence[tuple[Event, float]], counter: _Counter) -> bool:
    """Return whether the rates are of the whole job: whether an epoch takes as long as they let expect.

    `train_samples` is the size of an epoch in samples (v1.0) or in batches (v2.0 and later).
    """
    epochs = sorted(epoch.seconds for epoch in intervals(events, "epoch"))
    if not epochs or not tracked:
        return False
    expected = epochs[len(epochs) // 2] * sorted(rate for _, rate in tracked)[len(tracked) // 2]
    sizes = (counter.data_set, counter.data_set * counter.batch)
    return any(0.8 * size < expected < 1.25 * size for size in sizes)


def _timed(log: TextLog, events: Events, counter: _Counter) -> tuple[Series, ...]:
    """Return the step times that NeMo's callback prints, each the mean of the steps since the one before."""
    rising: list[tuple[Event, float, int]] = []
    # From v5.0 on `step` counts steps from 0, and the mean of a whole block comes without it.
    newer = [pair for pair in _tracked(events, _TIME) if pair[0].number("step") is not None]
    position = "samples_count" if newer else "step"
    for event, seconds in newer or _tracked(events, _TIMING):
        last = counter.steps(event.number(position))
        if last > (rising[-1][2] if rising else 0):
            rising.append((event, seconds, last))
    if not rising:
        return ()
    step = np.array([last for _, _, last in rising], dtype=np.int64)
    span = np.diff(step, prepend=0)
    value = np.array([seconds for _, seconds, _ in rising]) * span
    nothing = np.full(len(step), np.nan)
    found = [event for event, _, _ in rising]
    return (_series(log, "step_time", "printed", step, span, nothing, value, counter.batch * span, found),)


def _logged(log: TextLog, counter: _Counter) -> tuple[Series, ...]:
    """Return what MetricLogger (SSD) or MXNet's Speedometer (ResNet-50) print between the events."""
    run, records, line = METRIC_LOGGER.start(log)
    run.samples_per_step = float(counter.batch) or None
    if not len(records):
        run, records, line = SPEEDOMETER.start(log)
    line.measure(run, records)
    return tuple(run.series)


def _of_blocks(
    log: TextLog, events: Events, blocks: Sequence[Interval], counter: _Counter
) -> tuple[Series, ...]:
    """Return the blocks between evaluations as intervals of several steps, by their own two time stamps."""
    if not blocks:
        return ()
    span = np.array([counter.of_block(block) for block in blocks], dtype=np.int64)
    started = events.first("run_start")
    zero = started.time_ms if started else blocks[0].start.time_ms
    begin = np.array([block.start.time_ms - zero for block in blocks]) / 1000
    value = np.array([block.seconds for block in blocks])
    return (
        _series(
            log,
            "step_time",
            "timestamp",
            np.cumsum(span),
            span,
            begin,
            value,
            counter.batch * span,
            [block.stop for block in blocks],
        ),
    )


def _rates(
    log: TextLog, tracked: Sequence[tuple[Event, float]], blocks: Sequence[Interval], counter: _Counter
) -> Series:
    """Return one rate a block; each stands for the work of its block."""
    span = np.array([counter.of_block(block) for block in blocks], dtype=np.int64)
    value = np.array([rate for _, rate in tracked])
    nothing = np.full(len(span), np.nan)
    return _series(
        log,
        "throughput",
        "printed",
        np.cumsum(span),
        span,
        nothing,
        value,
        counter.batch * span,
        [event for event, _ in tracked],
    )


def _series(
    log: TextLog,
    metric: str,
    clock: Clock,
    step: IntArray,
    span: IntArray,
    begin: FloatArray,
    value: FloatArray,
    samples: IntArray,
    events: Sequence[Event],
) -> Series:
    line = log.lines([event.at for event in events])
    return Series(
        metric,
        clock=clock,
        step=step.astype(np.int64),
        span=span.astype(np.int64),
        begin=begin.astype(np.float64),
        value=value.astype(np.float64),
        samples=samples.astype(np.float64),
        line=line,
        source=log.source,
    )


def _reduced(
    log: TextLog, events: Events, tracked: Sequence[tuple[Event, float]], metric: str, scale: int
) -> tuple[Aggregate, ...]:
    """Return the rate of the run, by the time that each rate was taken over, and the rates as samples."""
    if not tracked:
        return ()
    rates = [scale * rate for _, rate in tracked]
    epochs = [epoch.seconds for epoch in intervals(events, "epoch")]
    weights = epochs if len(epochs) == len(rates) and sum(epochs) > 0 else [1 / rate for rate in rates]
    mean = math.fsum(w * rate for w, rate in zip(weights, rates, strict=True)) / math.fsum(weights)
    lines = log.lines([event.at for event, _ in tracked])
    found = [
        Aggregate(
            metric,
            value=rate,
            original=f"{rate / scale!r}",
            statistic="sample",
            n=1,
            source=log.files.source(log.path, int(line)),
        )
        for rate, line in zip(rates, lines, strict=True)
    ]
    if len(rates) == 1:
        return (
            Aggregate(
                metric, value=mean, original=found[0].original, statistic="mean", n=1, source=found[0].source
            ),
        )
    return (
        Aggregate(
            metric,
            value=mean,
            original=f"{len(rates)} rates",
            statistic="mean",
            n=len(rates),
            source=found[0].source,
        ),
        *found,
    )
