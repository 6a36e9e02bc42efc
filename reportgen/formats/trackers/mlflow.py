"""Read a run of MLflow's file store: a folder with meta.yaml, `metrics/NAME`, `params/NAME`, `tags/NAME`.

A line of a metric has the time in ms, the value and the step; older lines have no step. See `logged_metrics`
for the names that state a speed. Of the parameters, those with a usual name are factors. Tags, the name of
the user and the places of artifacts are not read; files in `artifacts/` are offered to other formats.

Format: https://github.com/mlflow/mlflow, mlflow/store/tracking/file_store.py.
"""

import math
import re
from collections.abc import Mapping

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.model import Finding, Status
from reportgen.core.rules import Rule
from reportgen.formats.base import Claim, Format, Results
from reportgen.formats.parsing.damage import Malformed
from reportgen.formats.parsing.json_values import number
from reportgen.formats.parsing.run_builder import ResultRun
from reportgen.formats.parsing.text_log import without_controls
from reportgen.formats.parsing.timestamps import utc
from reportgen.formats.trackers.logged_metrics import MetricPoints, add_metrics, is_needed
from reportgen.formats.trackers.usual_parameters import NAMES, usual_factors
from reportgen.sources.logfiles import LogFiles

_NAME = "mlflow"
_META = "meta.yaml"
_RUN = lazy_pattern(rb"^run_(?:id|uuid): *\S", re.MULTILINE)
_KEY = lazy_pattern(
    rb"^(status|start_time|end_time|lifecycle_stage): *['\"]?([A-Za-z0-9]{1,20})", re.MULTILINE
)
_STATUS: Mapping[str, Status] = {
    "1": "running", "2": "partial", "3": "complete", "4": "failed", "5": "cancelled",
}  # fmt: skip
_MAX_FILES = 10_000


def claims(files: LogFiles) -> Claim | None:
    """Claim the folder of a run."""
    names, folders = files.children()
    if _META not in names or not {"metrics", "params", "tags"}.intersection(folders):
        return None
    match = _RUN.search(files.head(_META))
    if not match:
        return None
    own = (path for path in files if path == _META or path.startswith(("metrics/", "params/", "tags/")))
    return Claim(1.0, files.source(_META, 1), "run_id", tuple(own))


def read(files: LogFiles) -> Results:
    """Yield the run of a folder; one that was deleted is a finding."""
    meta = {
        key.decode(): value.decode()
        for key, value in _KEY.findall(without_controls(files.bytes(_META)) if _META in files else b"")
    }
    source = files.source(_META)
    run = ResultRun(_NAME, files.id(), source)
    if meta.get("lifecycle_stage") == "deleted":
        message = "the run was deleted in MLflow, and is not read; mlflow gc removes its files"
        yield Finding("note", Rule.READ_NO_STEPS, run.id, message, source)
        return
    run.status = _STATUS.get(meta.get("status", ""), "complete")
    run.set_start(utc(number(meta.get("start_time")) / 1000))
    texts = {name: files.head(path) for name in NAMES if (path := f"params/{name}") in files}
    run.factors = usual_factors({name: text.decode("utf-8", "replace") for name, text in texts.items()})
    names = [path for path in files if path.startswith("metrics/") and is_needed(path[len("metrics/") :])]
    if len(names) > _MAX_FILES:
        run.note(Rule.READ_MALFORMED_LINE, f"only the first {_MAX_FILES} metrics are read")
    metrics = {path[len("metrics/") :]: _points(run, files, path) for path in names[:_MAX_FILES]}
    add_metrics(run, metrics)
    yield run.run()


def _points(run: ResultRun, files: LogFiles, path: str) -> MetricPoints:
    source = files.source(path)
    damaged = Malformed(run.id, source.path)
    rows: list[tuple[int, float, float, int]] = []
    for line, text in enumerate(without_controls(files.bytes(path)).split(b"\n"), 1):
        cells = text.split()
        if not cells:
            continue
        step = cells[2] if len(cells) > 2 else b"0"
        time, value = (number(cell.decode("utf-8", "replace")) for cell in (*cells[:2], b"")[:2])
        if len(cells) < 2 or not math.isfinite(time) or not re.fullmatch(rb"[0-9]{1,15}", step):
            damaged.add(line, "a line without time, value and step")
            continue
        rows.append((int(step), time / 1000, value, line))
    run.findings += damaged.findings()
    return MetricPoints.of(rows, source)


FORMAT = Format(
    _NAME, "Runs of MLflow's file store: metrics that state a speed.", claims, read, views="folders"
)
