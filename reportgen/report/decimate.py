"""Reduce a long series to few points without losing a spike.

The series is cut into buckets of equal length. Each keeps its smallest and its largest value, in their order,
so the drawn curve covers the same range as the whole one.
"""

import numpy as np

from reportgen.core.model import FloatArray, IntArray


def min_max_points(values: FloatArray, most: int) -> IntArray:
    """Return the indices of at most `most` points (an even number) that keep every extreme of a bucket.

    NaN is never an extreme; a bucket of NaN only has no point.
    """
    if len(values) <= most:
        return np.flatnonzero(np.isfinite(values))
    kept: set[int] = set()
    for bucket in np.array_split(np.arange(len(values)), most // 2):
        finite = bucket[np.isfinite(values[bucket])]
        if len(finite):
            kept |= {int(finite[values[finite].argmin()]), int(finite[values[finite].argmax()])}
    return np.array(sorted(kept), dtype=np.int64)
