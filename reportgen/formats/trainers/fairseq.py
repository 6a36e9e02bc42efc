"""Read the log of fairseq: `train_inner | epoch 001:    100 / 4500 loss=9.1, wps=41200, ups=3.1, wpb=13290`.

`wps` are target tokens per second and `wpb` those of an update, over all devices and since the line before.
Their quotient is the time of an update; `ups` has too few digits. The clock runs on during a validation and
at the end of an epoch: an interval that contains one of them has no time. With `--log-format json` the same
fields are texts of a JSON object.

Format: https://github.com/facebookresearch/fairseq, fairseq/logging/progress_bar.py.
"""

import re
from dataclasses import replace

import numpy as np

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.formats.parsing.line_format import LineFormat, LineRun, Setting, StepLine, head
from reportgen.formats.parsing.line_patterns import regex
from reportgen.formats.parsing.text_log import NUMBER, Records

_FIELD = lazy_pattern(rb'(?<![\w/])(wps|wpb)(?:=|": "?)(' + NUMBER + rb')(?=["\s,}]|$)', re.MULTILINE)
_LINE = (
    r" train_inner \| (?P<fields>[^\n]{0,2000}?\bwps[^\n]{0,200}?\bwpb[^\n]{0,200}?"
    r"\bnum_updates[=\": ]{1,4}{step:int})\b"
)
# Lines of a validation and of a whole epoch.
_BORDER = regex(r" \| (?:valid \| |train \| |begin validation on )")


def _with_fields(records: Records) -> Records:
    """Return records with the columns `wps` and `wpb`."""
    rows = [dict(_FIELD.findall(text or b"")) for text in records.columns["fields"]]
    fields = {name.decode(): tuple(row.get(name) for row in rows) for name in (b"wps", b"wpb")}
    return replace(records, columns={**records.columns, **fields})


def _build(run: LineRun) -> None:
    if not len(run.step):
        return
    run.set_start_before(run.records)
    span = run.kind.span(run.step, run.records)
    passed = np.searchsorted(run.log.records(_BORDER).begin, run.records.begin)
    is_training = np.diff(passed, prepend=0) == 0
    rate, work = run.records.floats("wps"), run.records.floats("wpb") * span
    time = np.divide(work, rate, out=np.full(len(rate), np.nan), where=(rate > 0) & is_training)
    run.add("step_time", time, "host", span=span, samples=work)
    rate = np.where(np.isfinite(time), rate, np.nan)
    run.add("throughput", rate, "printed", span=span, samples=work)


FORMAT = LineFormat(
    "fairseq",
    "Training logs of fairseq.",
    lines=(StepLine(b" train_inner | ", _LINE, prepare=_with_fields),),
    factors={"framework": "fairseq", "item": "token"},
    settings=(
        Setting.like("training on {devices:positive} devices (GPUs"),
        Setting(b"arch='", r"\barch='(?P<model>[\w.-]{1,80})'"),
        Setting(b"max tokens per ", r"max tokens per (?:GPU|device) = {max_tokens:positive} and "),
    ),
    build=_build,
    heads=(head(b"| fairseq_cli.train | ", r"\| INFO \| fairseq_cli\.train \| "),),
).format()
