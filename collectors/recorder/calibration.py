"""Measure the cost of the recorder in the training that it records.

After the warm-up, blocks of steps are recorded or left unrecorded in the order on, off, off, on, so that
drift favours neither. The cost of a step is the median difference between neighbouring blocks. Its interval
comes from order statistics, as for all medians in this project.

The lines of a recorded block are written before it ends, in the training thread. Without calibration another
thread writes them, so the cost is an upper bound. Telemetry and the two calls per step of the loop stay on.
"""

import functools
import math
from collections.abc import Sequence
from statistics import median
from typing import Any, NamedTuple, Optional

WARMUP_STEPS = 20
BLOCK_STEPS = 10
_BLOCK_ORDER = (True, False, False, True)  # True: recorded
_CONFIDENCE = 0.95


class Block(NamedTuple):
    """A block of BLOCK_STEPS steps and its duration in ns."""

    is_recorded: bool
    duration: int


def is_recorded_block(number: int) -> bool:
    """Return True if the block with this number (from 0) is recorded."""
    return _BLOCK_ORDER[number % len(_BLOCK_ORDER)]


@functools.lru_cache(maxsize=None)
def idle_class(phase_class: Any) -> Any:
    """Return a phase class that does nothing, with a layout that allows exchanging `__class__`."""

    class Idle(phase_class):  # type: ignore[misc]  # the base class is a value
        __slots__ = ()

        def __enter__(self) -> None:
            return

        def __exit__(self, *error: object) -> None:
            return

    return Idle


def estimate_cost(blocks: Sequence[Block]) -> dict[str, Any]:
    """Return the cost of the recorder as members of `run.json`; {} without a pair of blocks.

    blocks  in the order they ran; two neighbours, one recorded and one not, make a pair
    """
    differences = []
    for pair in zip(blocks[::2], blocks[1::2]):  # noqa: B905 - Python 3.9 has no strict
        unrecorded, recorded = sorted(pair)
        if recorded.is_recorded and not unrecorded.is_recorded:
            differences.append((recorded.duration - unrecorded.duration) / BLOCK_STEPS)
    if not differences:
        return {}
    unrecorded_steps = [block.duration / BLOCK_STEPS for block in blocks if not block.is_recorded]
    cost: dict[str, Any] = {
        "cost_ns_per_step": round(median(differences)),
        "cost_pairs": len(differences),
        "unrecorded_step_ns": round(median(unrecorded_steps)),
    }
    interval = median_interval(sorted(differences))
    if interval:
        low, high, coverage = interval
        cost.update(cost_interval_ns=[round(low), round(high)], cost_coverage=round(coverage, 4))
    return cost


def median_interval(ordered: Sequence[float]) -> Optional[tuple[float, float, float]]:
    """Return (low, high, coverage) of the narrowest 95 % interval of the median; None for less than 6 values.

    ordered  ascending. P(X(k) < m < X(n+1-k)) is binomial: David & Nagaraja, Order Statistics, 3rd ed., 7.1.
    """
    count = len(ordered)
    outside, interval = 0.0, None
    for left_out in range(count // 2):
        outside += math.comb(count, left_out) / 2.0 ** (count - 1)
        if 1 - outside < _CONFIDENCE:
            break
        interval = (ordered[left_out], ordered[count - 1 - left_out], 1 - outside)
    return interval
