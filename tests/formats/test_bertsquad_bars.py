"""BERT's progress bars in any order and between any text, compared with reading them one by one."""

import math
import re

from hypothesis import given
from hypothesis import strategies as st

from reportgen.formats.nvidia_dle.bertsquad import bars
from reportgen.formats.parsing.text_log import TextLog
from reportgen.sources.logfiles import LogFiles

BAR = re.compile(
    rb"Iteration: +[0-9]{1,3}%\|[^|\r\n]*\| ([0-9]{1,12})/[0-9]{1,12} "
    rb"\[[0-9:?]{2,12}<[0-9:?]{1,12}, +([0-9]{1,9}\.[0-9]{1,3}|\?)(it/s|s/it)"
)
WHOLE = st.builds(
    lambda count, rate: b"\rIteration:   1%%|##   | %d/9 [00:03<00:05,  %b]" % (count, rate),
    st.integers(0, 4),
    st.sampled_from([b"2.47it/s", b"1.25s/it", b"?it/s", b"0.00s/it", b"0.00it/s", b"1.2.3it/s"]),
)
PARTS = st.sampled_from([b"\n", b"\r", b"Iteration: ", b"  1%|", b"| 3/9 [00:03<00:05, ", b"5.0it/s]", b"x"])


def one_by_one(content: bytes) -> dict[int, tuple[float, int]]:
    """Return the rate and the position of each step as it was drawn first."""
    steps: dict[int, tuple[float, int]] = {}
    passed = longest = 0
    empty = has_begun = False
    for bar in BAR.finditer(content):
        count = int(bar[1])
        if count == 1 and empty and has_begun:
            passed, longest = passed + longest, 0
        if count == 1:
            has_begun, empty = True, False
        empty |= count == 0
        longest = max(longest, count)
        rate = math.nan if bar[2] == b"?" else float(bar[2]) or math.nan
        if bar[3] == b"s/it":
            rate = 1 / rate
        if count:
            steps.setdefault(passed + count, (rate, bar.start()))
    return dict(sorted(steps.items()))


@given(st.lists(WHOLE | PARTS).map(b"".join))
def test_steps_are_those_that_are_read_one_by_one(content: bytes) -> None:
    step, rate, line = bars(TextLog(LogFiles.of({"a.txt": content}).file("a.txt")))
    expected = one_by_one(content)
    assert step.tolist() == [*expected]
    assert list(map(str, rate.tolist())) == [str(rate) for rate, _ in expected.values()]
    assert line.tolist() == [content.count(b"\n", 0, begin) + 1 for _, begin in expected.values()]
