"""Read the history of a run of W&B that was saved as JSON: the calls of `log()` in a list, or one a line.

Programs save what `run.history()` or `run.scan_history()` of W&B's API returns; older versions of W&B wrote
`wandb-history.jsonl` beside a run. `history()` returns a sample of the calls; nothing in the file says so.

Format: https://github.com/wandb/wandb, wandb/apis/public/history.py. See `logged_metrics` for the names that
state a speed, and `log_calls` for the steps.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from reportgen.core.model import Finding
from reportgen.core.rules import Rule
from reportgen.formats.base import Claim, Format, Results
from reportgen.formats.parsing import json_values
from reportgen.formats.parsing.run_builder import ResultRun
from reportgen.formats.parsing.text_log import TextLog, is_binary, without_controls
from reportgen.formats.parsing.timestamps import utc
from reportgen.formats.trackers.log_calls import LogCalls
from reportgen.formats.trackers.logged_metrics import add_metrics
from reportgen.sources.logfiles import LogFiles

_NAME = "wandb_history"
_STEP = b'"_step"'
_TIMES = (b'"_runtime"', b'"_timestamp"')
_SAMPLED = "a saved history of W&B may hold a sample of the calls of log()"


def claims(files: LogFiles) -> Claim | None:
    """Claim JSON with the steps and times of two calls; a summary of a run has one."""
    head = files.head(files.path)
    if head.count(_STEP) < 2 or not any(time in head for time in _TIMES) or is_binary(head):
        return None
    head = without_controls(head)
    return (
        Claim.at(files, 0.9, "_step", head, head.find(_STEP)) if head.lstrip()[:1] in (b"{", b"[") else None
    )


def read(files: LogFiles) -> Results:
    """Yield the run of a file."""
    log = TextLog(files)
    run = ResultRun.of_file(_NAME, files)
    calls = LogCalls()
    for line, items in _calls(log):
        calls.add(items, line)
    run.set_start(utc(calls.begin))
    add_metrics(run, calls.metrics(run.source))
    run.findings.append(Finding("note", Rule.READ_EXCERPT, run.id, _SAMPLED, run.source))
    run.findings += log.malformed.findings()
    yield run.run()


def _calls(log: TextLog) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield (line, object) of each call."""
    if not log.content.lstrip().startswith(b"["):
        yield from json_values.objects(log.content, log.malformed)
        return
    document = json_values.load(log.content)
    if document is None:
        log.malformed.add(1, "not a JSON document; it may be truncated")
    rows = json_values.tables(document)
    lines = json_values.lines_of(log.content, _STEP)
    yield from zip(lines if len(lines) == len(rows) else [1] * len(rows), rows, strict=True)


FORMAT = Format(
    _NAME,
    "Histories of runs of W&B that were saved as JSON: metrics that state a speed.",
    claims,
    read,
    marks=(_STEP,),
)
