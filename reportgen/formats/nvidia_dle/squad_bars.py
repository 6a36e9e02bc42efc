"""The progress bars of tqdm: `Iteration:   1%|#   | 7/516 [00:03<03:25,  2.47it/s]`, redrawn with a
carriage return.

Bars of several ranks stand between one another and the last bar of a loop is often drawn twice, so a
step counts once, as it was drawn first. The count starts anew in each loop. The rate is smoothed by tqdm
(an exponential mean of the last few intervals) and has three digits; the elapsed time has whole seconds
only.

Format: https://github.com/tqdm/tqdm, `tqdm.format_meter`.
"""

import math
import re
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from reportgen.core.model import Break, FloatArray, IntArray
from reportgen.formats.nvidia_dle.dlelog import Log
from reportgen.formats.parsing.step_series import integers, number


@dataclass(frozen=True, slots=True)
class Bars:
    """Steps from 1 over all loops, their rate in iterations/s, their lines.

    ends  last step of each loop
    """

    step: IntArray
    rate: FloatArray
    line: IntArray
    ends: IntArray

    @property
    def breaks(self) -> tuple[Break, ...]:
        """The borders between the loops."""
        return tuple(Break(int(step), "epoch") for step in self.ends[:-1])


_START = np.array([0])


@lru_cache(maxsize=16)
def _pattern(label: bytes) -> re.Pattern[bytes]:
    return re.compile(
        re.escape(label) + rb": ++[0-9]{1,3}+%\|[^|\r\n]*+\| ([0-9]{1,12}+)/[0-9]{1,12}+ "
        rb"\[[0-9:?]{2,12}+<[0-9:?]{1,12}+, ++([0-9.]{1,12}+s?|\?s?)(?:it/s|/it)"
    )


def bars(log: Log, label: bytes) -> Bars:
    """Return the steps that the bars of that label were drawn for."""
    content, literal = log.content, label + b": "
    begin, end = content.find(literal), content.rfind(literal)
    found = list(_pattern(label).finditer(content, begin, end + 400)) if begin >= 0 else []
    if not found:
        none = np.array([], dtype=np.int64)
        return Bars(none, none.astype(np.float64), none, none)
    count, rates = integers([one[1] for one in found]), [one[2] for one in found]
    step, ends = _steps(count)
    (drawn,) = count.nonzero()
    drawn = drawn[step[drawn].argsort(kind="stable")]
    ordered = step[drawn]
    drawn = drawn[np.concatenate((ordered[:1] > 0, ordered[1:] != ordered[:-1]))]
    # With three digits, few rates differ.
    known = {text: _rate(text) for text in set(rates)}
    rate = np.array([*map(known.__getitem__, rates)])
    line = log.lines([one.start() for one in found])
    return Bars(step[drawn], rate[drawn], line[drawn], ends)


def _rate(text: bytes) -> float:
    """Return iterations/s of `2.47`, of `1.25s` for each, of `?`."""
    if not text.endswith(b"s"):
        return number(text)
    value = number(text[:-1])
    return 1 / value if value else math.inf


def _steps(count: IntArray) -> tuple[IntArray, IntArray]:
    """Return the step over all loops of each bar, and the last step of each loop.

    Each rank draws an empty bar when it begins a loop, and no rank draws its first step before all of them
    did (they wait for one another). So a loop begins at the first bar of a step 1 behind empty bars; other
    ranks' last bars of the loop before may still stand between those.
    """
    (ones,) = (count == 1).nonzero()
    empty = (count == 0).cumsum()[ones]
    begins = ones[1:][empty[1:] > empty[:-1]]
    length = np.maximum.reduceat(count, np.concatenate((_START, begins)))
    passed = np.zeros(len(count), dtype=np.int64)
    passed[begins] = length[:-1]
    return count + passed.cumsum(), length.cumsum()
