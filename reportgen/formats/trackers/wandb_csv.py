"""Read the CSV that W&B exports from a chart: a column for each run, with the metrics that state a speed.

A column `NAME - METRIC` has a `__MIN` and a `__MAX` beside it, which no other CSV has. Each name is a run.
The chart may hold a sample of the logged steps; a step is a call of `log()`, unless the first column is
`global_step`.

Format: https://docs.wandb.ai, export of charts. See `logged_metrics` for the names that state a speed.
"""

import csv

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.model import Finding
from reportgen.core.rules import Rule
from reportgen.formats.base import Claim, Format, Results
from reportgen.formats.parsing.csv_cells import number, rows
from reportgen.formats.parsing.run_builder import ResultRun
from reportgen.formats.parsing.text_log import TextLog, is_binary, without_controls
from reportgen.formats.trackers.logged_metrics import MetricPoints, add_metrics, speed_of
from reportgen.sources.logfiles import LogFiles

_NAME = "wandb_csv"
_STEPS = lazy_pattern(r"(?:Step|_step|(?:train(?:er)?/)?global_step)")
_COLUMN = lazy_pattern(r"(.{1,200}) - (.{1,200}?)")
_BOUNDS = ("__MIN", "__MAX")
_MAX_COLUMNS = 2000
_MAX_RUNS = 200
_NOT_FINITE = ("nan", "infinity", "-infinity")


def claims(files: LogFiles) -> Claim | None:
    """Claim a CSV whose first line has a column of steps, and a speed with its bounds."""
    head = files.head(files.path)
    if is_binary(head):
        return None
    first = without_controls(head).decode("utf-8", "replace").removeprefix("\ufeff").partition("\n")[0]
    try:
        header = next((cells for _, cells in rows(first)), [])
    except csv.Error:
        return None
    columns = _columns(header)
    return Claim.of_file(files, 0.95, header[next(iter(columns))][:80], 1) if columns else None


def _columns(header: list[str]) -> dict[int, tuple[str, str]]:
    """Return position -> (run, metric) of the columns that state a speed; {} for any other header."""
    if len(header) > _MAX_COLUMNS or not header or not _STEPS.fullmatch(header[0]):
        return {}
    known = set(header)
    return {
        at: (match[1], match[2])
        for at, name in enumerate(header)
        if name.rpartition(" - ")[1]
        and all(name + bound in known for bound in _BOUNDS)
        and (match := _COLUMN.fullmatch(name))
        and speed_of(match[2])
    }


def read(files: LogFiles) -> Results:
    """Yield a run for each name, in the order of the columns."""
    log = TextLog(files)
    text = log.content.decode("utf-8", "replace").removeprefix("\ufeff")
    columns: dict[int, tuple[str, str]] = {}
    points: dict[str, dict[str, list[tuple[int, float, float, int]]]] = {}
    width = 0
    try:
        for line, cells in rows(text):
            if not width:
                columns, width = _columns(cells), len(cells)
                continue
            step = number(cells[0]) if len(cells) == width else None
            if step is None or not step.is_integer() or not 0 <= step < 10**15:
                log.malformed.add(line, "not a row with a step")
                continue
            for at, (name, metric) in columns.items():
                value = number(cells[at])
                value = float("nan") if value is None and cells[at].lower() in _NOT_FINITE else value
                if value is not None:
                    own = points.setdefault(name, {}).setdefault(metric, [])
                    own.append((int(step), float("nan"), value, line))
    except csv.Error as error:
        log.malformed.add(1, f"not CSV: {error}")
    for position, (name, metrics) in enumerate(list(points.items())[:_MAX_RUNS], 1):
        run = ResultRun.of_file(_NAME, files, 1, position if len(points) > 1 else None, run_name=name[:80])
        add_metrics(run, {metric: MetricPoints.of(own, run.source) for metric, own in metrics.items()})
        if position == 1:
            message = "a chart of W&B may hold a sample of the logged steps"
            run.findings.append(Finding("note", Rule.READ_EXCERPT, run.id, message, run.source))
            run.findings += log.malformed.findings()
        yield run.run()
    if not points:
        yield from log.malformed.findings()


FORMAT = Format(
    _NAME, "CSV that W&B exports from a chart: metrics that state a speed.", claims, read, marks=(b"__MIN",)
)
