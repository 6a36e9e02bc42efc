"""Read the scalars of a TensorBoard event file that state a speed; see `logged_metrics` for their names.

A file is one run. A program that resumes writes another file into the folder, which is a run of its own.

Format: see `event_records`.
"""

from reportgen.core.rules import Rule
from reportgen.formats.base import Claim, Format, Results
from reportgen.formats.parsing.damage import Malformed
from reportgen.formats.parsing.run_builder import ResultRun
from reportgen.formats.trackers.event_records import Damage, scalars
from reportgen.formats.trackers.logged_metrics import MetricPoints, add_metrics, is_needed
from reportgen.sources.logfiles import LogFiles

_NAME = "tensorboard"
_MARK = b"brain.Event:"
# After the length, its checksum, the time, and the key and length of the text.
_MAX_OFFSET = 40
_MAX_TAGS = 10_000


def claims(files: LogFiles) -> Claim | None:
    """Claim a file whose first record names the version of the events."""
    at = files.head(files.path).find(_MARK, 0, _MAX_OFFSET + len(_MARK))
    return Claim.of_file(files, 1.0, _MARK.decode()) if at >= 12 else None


def read(files: LogFiles) -> Results:
    """Yield the run of a file."""
    run = ResultRun.of_file(_NAME, files)
    damaged = Malformed(run.id, run.source.path)
    rows: dict[str, list[tuple[int, float, float, int]]] = {}
    needed: dict[str, bool] = {}
    for record in scalars(files.bytes(files.path)):
        if isinstance(record, Damage):
            if record.is_end:
                run.note(
                    Rule.READ_MALFORMED_LINE, f"record {record.record}: {record.fact}; the rest is not read"
                )
            else:
                damaged.add(0, record.fact)
            continue
        for tag, step, time, value in record[1]:
            if tag not in needed and len(needed) < _MAX_TAGS:
                needed[tag] = is_needed(tag)
            if needed.get(tag):
                rows.setdefault(tag, []).append((step, time, value, 0))
    run.findings += damaged.findings()
    if len(needed) == _MAX_TAGS:
        run.note(Rule.READ_MALFORMED_LINE, f"only the first {_MAX_TAGS} tags are read")
    add_metrics(run, {tag: MetricPoints.of(points, run.source) for tag, points in rows.items()})
    yield run.run()


FORMAT = Format(_NAME, "Scalars of TensorBoard event files that state a speed.", claims, read, marks=(_MARK,))
