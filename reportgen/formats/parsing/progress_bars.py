"""Any progress bar of tqdm: `Epoch 3:  12%|#2   | 120/1000 [00:48<05:52,  2.50it/s, loss=1.2]`.

The elapsed time is cut to whole seconds and the rate is smoothed over the last few draws: what a bar tells
for certain are intervals between draws that are far enough apart. Bars are redrawn behind a carriage return
or glued to one another by several processes, so a label ends at what stands before it, whatever that is.

Format: https://github.com/tqdm/tqdm, `tqdm.format_meter`.
"""

import re
from collections.abc import Iterator

from reportgen.core.model import FloatArray
from reportgen.formats.parsing.text_log import Records, TextLog

# Both ends of an interval are cut to whole seconds: shorter ones are more than 5 % unsure.
SHORTEST = 20.0
# What a pattern begins with is cheaper looked for than found; one of them stands in every bar.
MARKS = (b"it/s", b"s/it", b"batch/s", b"s/batch", b"step/s", b"s/step")

_UNIT = rb"(?:it|batch|step)"
_BAR = re.compile(
    rb"(?<![0-9])(?P<done>%(count)s)(?:/(?P<of>%(count)s|\?)|%(unit)s) \["
    rb"(?P<elapsed>(?:[0-9]{1,6}:)?[0-9]{2}:[0-9]{2})(?:<[0-9:?]{1,12})?, {1,3}"
    rb"(?P<rate>[0-9]{1,9}(?:\.[0-9]{1,3})?|\?)"
    rb"(?:(?P<inverse>s/)%(unit)s|%(unit)s/s)(?:\]|, (?P<shown>[^]\r\n]{0,300}))"
    % {b"count": rb"[0-9]{1,12}", b"unit": _UNIT}
)
# Between the label and the counts; a wide bar of block signs takes some hundred bytes.
_GRAPH = re.compile(rb" {0,3}(?:[0-9]{1,3}%)?(?:\|[^|]{0,1500}\|)? ?$")
_FAR = 1600
# The end of another bar in the same line: `, loss=1.2]Epoch 3:`.
_BEFORE = re.compile(rb"^[^]\[]*\]")


def drawn(log: TextLog) -> Records:
    """Return all bars of a log, with their labels: empty where none ends in a colon before the bar.

    `of` is 0 where the total is unknown; `shown` is what follows the rate, None where nothing does.
    """
    found = log.records(_BAR)
    labels, before = [], 0
    for begin, end in zip(found.begin.tolist(), found.end.tolist(), strict=True):
        labels.append(_label(log.content[max(before, begin - _FAR) : begin]))
        before = end
    of = tuple(text if text and text != b"?" else b"0" for text in found.columns["of"])
    columns = {**found.columns, "of": of, "label": tuple(labels)}
    return Records(found.begin, found.end, found.line, columns)


def _label(text: bytes) -> bytes:
    line = text[max(text.rfind(b"\n"), text.rfind(b"\r")) + 1 :]
    graph = _GRAPH.search(line, max(line.rfind(b"%|") - 4, 0))
    label = _BEFORE.sub(b"", line[: graph.start()]).strip() if graph else b""
    return label if label.endswith(b":") else b""


def apart(since: FloatArray) -> Iterator[int]:
    """Yield positions between which so much time passes that whole seconds tell it."""
    before = -SHORTEST
    for position, time in enumerate(since.tolist()):
        if time - before >= SHORTEST:
            before = time
            yield position
