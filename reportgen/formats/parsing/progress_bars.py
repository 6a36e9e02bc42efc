"""Read the progress bars of tqdm: `Epoch 3:  12%|#2   | 120/1000 [00:48<05:52,  2.50it/s, loss=1.2]`.

The elapsed time is truncated to whole seconds and the rate is smoothed over the last few draws: only
intervals between bars that are far enough apart are exact. Bars are redrawn after a carriage return, or
several processes write theirs without a separator, so a label ends at whatever precedes it.

Format: https://github.com/tqdm/tqdm, `tqdm.format_meter`.
"""

from collections.abc import Iterator

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.model import FloatArray
from reportgen.formats.parsing.text_log import Records, TextLog

# Both ends of an interval are truncated to whole seconds: shorter ones have an error above 5 %.
MIN_INTERVAL_SECONDS = 20.0
# Every bar contains one of these; searching for them is cheaper than matching the pattern.
MARKS = (b"it/s", b"s/it", b"batch/s", b"s/batch", b"step/s", b"s/step")

_UNIT = rb"(?:it|batch|step)"
_BAR = lazy_pattern(
    rb"(?<![0-9])(?P<done>%(count)s)(?:/(?P<of>%(count)s|\?)|%(unit)s) \["
    rb"(?P<elapsed>(?:[0-9]{1,6}:)?[0-9]{2}:[0-9]{2})(?:<[0-9:?]{1,12})?, {1,3}"
    rb"(?P<rate>[0-9]{1,9}(?:\.[0-9]{1,3})?|\?)"
    rb"(?:(?P<inverse>s/)%(unit)s|%(unit)s/s)(?:\]|, (?P<shown>[^]\r\n]{0,300}))"
    % {b"count": rb"[0-9]{1,12}", b"unit": _UNIT}
)
# Between the label and the counts; a wide bar of block characters takes some hundred bytes.
_GRAPH = lazy_pattern(rb" {0,3}(?:[0-9]{1,3}%)?(?:\|[^|]{0,1500}\|)? ?$")
_MAX_LABEL_BYTES = 1600
# The end of another bar in the same line: `, loss=1.2]Epoch 3:`.
_PREVIOUS_BAR = lazy_pattern(rb"^[^]\[]*\]")


def drawn(log: TextLog) -> Records:
    """Return all bars of a log with their labels, empty if no text ending in a colon precedes the bar.

    `of` is 0 if the total is unknown; `shown` is the text after the rate, None if there is none.
    """
    bars = log.records(_BAR)
    labels, before = [], 0
    for begin, end in zip(bars.begin.tolist(), bars.end.tolist(), strict=True):
        labels.append(_label(log.content[max(before, begin - _MAX_LABEL_BYTES) : begin]))
        before = end
    of = tuple(text if text and text != b"?" else b"0" for text in bars.columns["of"])
    return Records(bars.begin, bars.end, bars.line, {**bars.columns, "of": of, "label": tuple(labels)})


def _label(text: bytes) -> bytes:
    line = text[max(text.rfind(b"\n"), text.rfind(b"\r")) + 1 :]
    graph = _GRAPH.search(line, max(line.rfind(b"%|") - 4, 0))
    label = _PREVIOUS_BAR.sub(b"", line[: graph.start()]).strip() if graph else b""
    return label if label.endswith(b":") else b""


def apart(since: FloatArray) -> Iterator[int]:
    """Yield the positions of bars that are at least MIN_INTERVAL_SECONDS apart."""
    before = -MIN_INTERVAL_SECONDS
    for position, time in enumerate(since.tolist()):
        if time - before >= MIN_INTERVAL_SECONDS:
            before = time
            yield position
