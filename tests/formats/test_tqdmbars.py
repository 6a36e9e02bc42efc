"""Progress bars of tqdm, in any order and between anything, against a plain reading of them one by one."""

import math
import re

from hypothesis import given
from hypothesis import strategies as st

from reportgen.formats.nvidia_dle.dlelog import Log
from reportgen.formats.nvidia_dle.squad_bars import bars
from reportgen.sources.logfiles import LogFiles

BAR = re.compile(
    rb"Iteration: +[0-9]{1,3}%\|[^|\r\n]*\| ([0-9]{1,12})/[0-9]{1,12} "
    rb"\[[0-9:?]{2,12}<[0-9:?]{1,12}, +([0-9.]{1,12}|\?)(s?)(?:it/s|/it)"
)
WHOLE = st.builds(
    lambda count, rate: b"\rIteration:   1%%|##   | %d/9 [00:03<00:05,  %b]" % (count, rate),
    st.integers(0, 4),
    st.sampled_from([b"2.47it/s", b"1.25s/it", b"?it/s", b"0.00s/it", b"0.00it/s", b"1.2.3it/s"]),
)
PARTS = st.sampled_from([b"\n", b"\r", b"Iteration: ", b"  1%|", b"| 3/9 [00:03<00:05, ", b"5.0it/s]", b"x"])


def plainly(content: bytes) -> dict[int, tuple[float, int]]:
    """Return the rate and the position of each step as it was drawn first."""
    found: dict[int, tuple[float, int]] = {}
    passed = longest = 0
    empty = has_begun = False
    for one in BAR.finditer(content):
        count = int(one[1])
        if count == 1 and empty and has_begun:
            passed, longest = passed + longest, 0
        if count == 1:
            has_begun, empty = True, False
        empty |= count == 0
        longest = max(longest, count)
        rate = float(one[2]) if re.fullmatch(rb"[0-9.]+", one[2]) and one[2].count(b".") < 2 else math.nan
        if one[3]:
            rate = 1 / rate if rate else math.inf
        if count:
            found.setdefault(passed + count, (rate, one.start()))
    return dict(sorted(found.items()))


@given(st.lists(WHOLE | PARTS).map(b"".join))
def test_steps_are_those_that_are_read_one_by_one(content: bytes) -> None:
    log = Log(LogFiles.of({"a.txt": content}).file("a.txt"))
    found, expected = bars(log, b"Iteration"), plainly(content)
    assert found.step.tolist() == [*expected]
    assert list(map(str, found.rate.tolist())) == [str(rate) for rate, _ in expected.values()]
    assert found.line.tolist() == log.lines([position for _, position in expected.values()]).tolist()
