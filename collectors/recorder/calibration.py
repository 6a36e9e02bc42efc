"""Measure what the recorder costs the training itself, in the very run that it records.

After the warm-up, blocks of steps are recorded and left alone in the order on, off, off, on, so that drift
favours neither. The cost of a step is the median difference of neighbouring blocks; its interval comes from
order statistics, as all intervals of medians in this project. A block that is left alone is one row with a
span. The lines of a block are written before it ends, in the training thread: the cost is an upper bound,
since outside of a calibration another thread writes them.

What is not switched off: the sampler of telemetry, and the two calls per step that make the loop.
"""

import functools
import math
from collections.abc import Iterable, Iterator, Sequence
from statistics import median
from typing import Any, Optional

from collectors.recorder.recorder import Batch, Recorder
from collectors.recorder.run_writer import RunLog
from collectors.recorder.step_encoder import SPAN, STEP
from collectors.recorder.timing import Timing

WARMUP = 20
BLOCK = 10
_ORDER = (True, False, False, True)  # whether recorded
_CONFIDENCE = 0.95

Block = tuple[bool, int]  # whether recorded, duration in ns


class CalibratingRecorder(Recorder):
    """A recorder that leaves every other block of steps alone. Made by `Recorder.start(calibrate=True)`."""

    def __init__(self, log: Optional[RunLog], timing: Timing) -> None:
        super().__init__(log, timing)
        self._is_on = True
        self._left = WARMUP  # steps of the running block
        self._blocks: list[Block] = []
        self._place = -1  # in the order of blocks; -1: warm-up
        self._block_begin = self._begin
        self._phase_classes: dict[int, Any] = {}

    def step(self) -> None:
        """End a step here; the last one of a block ends the block."""
        self._left -= 1
        if self._is_on:
            super().step()
        if not self._left:
            self._end_block(BLOCK)

    def _end_block(self, size: int) -> None:
        if self._is_on:
            self.flush()
        end = self._now()
        if not self._is_on:
            self._extend((SPAN, size, end))
            self._extend((STEP, self._begin, end))
        if self._place >= 0 and size == BLOCK:
            self._blocks.append((self._is_on, end - self._block_begin))
        self._place += 1
        self._begin_block(_ORDER[self._place % len(_ORDER)], BLOCK)

    def _begin_block(self, is_on: bool, size: int) -> None:
        for phase in self._phases.made.values():
            own = self._phase_classes.setdefault(id(phase), type(phase))
            phase.__class__ = own if is_on else _idle(own)
        self._is_on, self._left = is_on, size
        if self._clock is not None:
            self._clock.begin()
        self._begin = self._block_begin = self._now()

    def mark_break(self, name: str) -> None:
        """Declare a break; a block that it interrupts is given up."""
        super().mark_break(name)
        if self._place >= 0:
            self._begin_block(self._is_on, BLOCK)

    def _counted(self, count: int) -> Iterator[int]:
        self._begin = self._block_begin = self._begin_loop()
        for number in range(count):
            yield number
            self.step()
        self._leave_loop()

    def _loaded(self, source: Iterable[Batch]) -> Iterator[Batch]:
        waiting = self._phases.waiting_kind()
        fetch = iter(source).__next__
        self._begin = self._block_begin = self._begin_loop()
        while True:
            asked = self._now() if self._is_on else 0
            try:
                batch = fetch()
            except StopIteration:
                self._leave_loop()
                return
            if self._is_on:
                self._extend((waiting, asked, self._now()))
            yield batch
            self.step()

    def _leave_loop(self) -> None:
        # Steps of a block that is left alone have no times of their own: those done are one row.
        if not self._is_on and self._left < BLOCK:
            self._end_block(BLOCK - self._left)

    def close(self, status: str = "complete", error: str = "") -> None:
        """Write the rest, and what the recording has cost."""
        if self._log and not self._closed:
            self._log.note(cost(self._blocks))
        super().close(status, error)


@functools.lru_cache(maxsize=None)
def _idle(own: Any) -> Any:
    """Return a class of phases that does nothing and that `own` can be exchanged for and back."""

    class Idle(own):  # type: ignore[misc]  # of a class that is chosen while running
        __slots__ = ()

        def __enter__(self) -> None:
            return

        def __exit__(self, *error: object) -> None:
            return

    return Idle


def cost(blocks: Sequence[Block]) -> dict[str, Any]:
    """Return what `run.json` says of the recorder's cost; {} without a pair of blocks.

    blocks  in the order they were run; a pair is two neighbours of which one was recorded
    """
    pairs = [sorted(pair) for pair in zip(blocks[::2], blocks[1::2])]  # noqa: B905 - no strict in 3.9
    differences = sorted((on - off) / BLOCK for (is_off, off), (is_on, on) in pairs if is_on and not is_off)
    if not differences:
        return {}
    found: dict[str, Any] = {
        "cost_ns_per_step": round(median(differences)),
        "cost_pairs": len(differences),
        "unrecorded_step_ns": round(median(duration / BLOCK for is_on, duration in blocks if not is_on)),
    }
    interval = median_interval(differences)
    if interval:
        low, high, coverage = interval
        found.update(cost_interval_ns=[round(low), round(high)], cost_coverage=round(coverage, 4))
    return found


def median_interval(ordered: Sequence[float]) -> Optional[tuple[float, float, float]]:
    """Return (low, high, coverage) of the narrowest interval of the median with 95 %; None below 6 values.

    ordered  ascending. P(X(k) < m < X(n+1-k)) is binomial: David & Nagaraja, Order Statistics, 3rd ed., 7.1.
    """
    count = len(ordered)
    outside, best = 0.0, None
    for left_out in range(count // 2):
        outside += math.comb(count, left_out) / 2.0 ** (count - 1)
        if 1 - outside < _CONFIDENCE:
            break
        best = (ordered[left_out], ordered[count - 1 - left_out], 1 - outside)
    return best
