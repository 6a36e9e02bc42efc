"""Read the runs of MLflow's SQLite store, `mlflow.db`: metrics that state a speed; see `logged_metrics`.

The file is opened in memory and read only. A hostile one costs a bounded number of SQLite's instructions. Of
the parameters, those with a usual name are factors; tags, names of people and places are not read.

Format: https://github.com/mlflow/mlflow, mlflow/store/tracking/dbmodels/models.py.
"""

import math
import sqlite3
from collections.abc import Mapping
from contextlib import closing

from reportgen.core.model import Finding, Status
from reportgen.core.rules import Rule
from reportgen.formats.base import Claim, Format, Results
from reportgen.formats.parsing.json_values import number, whole
from reportgen.formats.parsing.run_builder import ResultRun
from reportgen.formats.parsing.timestamps import utc
from reportgen.formats.trackers.logged_metrics import MetricPoints, add_metrics, is_needed
from reportgen.formats.trackers.usual_parameters import NAMES, usual_factors
from reportgen.sources.logfiles import WHOLE, LogFiles, unreadable

_NAME = "mlflow_db"
_MAGIC = b"SQLite format 3\x00"
_TABLES = {"runs", "metrics", "params"}
_STATUS: Mapping[str, Status] = {
    "RUNNING": "running", "SCHEDULED": "partial", "FINISHED": "complete", "FAILED": "failed",
    "KILLED": "cancelled",
}  # fmt: skip
# Of SQLite: instructions of all queries of a file, and bytes of a value.
_MAX_INSTRUCTIONS, _STRIDE = 200_000_000, 100_000
_MAX_VALUE = 1_000_000

# The message of an error may hold bytes of the file, which need not be UTF-8.
_DAMAGE = (sqlite3.Error, UnicodeDecodeError)

Rows = dict[str, dict[str, list[tuple[int, float, float, int]]]]


def claims(files: LogFiles) -> Claim | None:
    """Claim a database with the tables of MLflow; of a large one, its head must show the schema."""
    head = files.head(files.path)
    if not head.startswith(_MAGIC):
        return None
    if files.size(files.path) > WHOLE:
        is_ours = b"run_uuid" in head and b"latest_metrics" in head
    else:
        try:
            with closing(_opened(files)) as store:
                is_ours = _tables(store) >= _TABLES
        except _DAMAGE:
            return None
    return Claim.of_file(files, 1.0, "a database with runs, metrics and params") if is_ours else None


def read(files: LogFiles) -> Results:
    """Yield the runs of a store, the earliest first."""
    source = files.source(files.path)
    if files.size(files.path) > WHOLE:
        yield unreadable(source, f"a store of more than {WHOLE // 2**20} MiB; export its runs as CSV or JSON")
        return
    try:
        with closing(_opened(files)) as store:
            runs = list(_runs(files, store))
    except _DAMAGE as error:
        yield unreadable(source, f"SQLite: {str(error)[:100]}")
        return
    yield from runs


def _opened(files: LogFiles) -> sqlite3.Connection:
    """Return the store in memory, with limits on what its content may cost."""
    content = bytearray(files.bytes(files.path))
    content[18:20] = b"\1\1"  # a store in memory has no write-ahead log
    store = sqlite3.connect(":memory:")
    store.deserialize(bytes(content))
    store.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MAX_VALUE)
    store.text_factory = lambda text: text.decode("utf-8", "replace")
    left = iter(range(_MAX_INSTRUCTIONS // _STRIDE))
    store.set_progress_handler(lambda: next(left, None) is None, _STRIDE)
    store.execute("PRAGMA trusted_schema = OFF")
    store.execute("PRAGMA query_only = ON")
    return store


def _tables(store: sqlite3.Connection) -> set[object]:
    """Return the names of the tables; a view may be a program."""
    return {name for (name,) in store.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}


def _runs(files: LogFiles, store: sqlite3.Connection) -> Results:
    if not _tables(store) >= _TABLES:
        return
    query = "SELECT run_uuid, status, start_time, lifecycle_stage FROM runs ORDER BY start_time, run_uuid"
    runs = [row for row in store.execute(query) if isinstance(row[0], str)]
    kept = [row for row in runs if row[3] != "deleted"]
    metrics, parameters = _metrics(store), _parameters(store)
    for position, (id, status, start, _) in enumerate(kept, 1):
        run = ResultRun.of_file(_NAME, files, 0, position if len(kept) > 1 else None)
        run.status = _STATUS.get(str(status), "complete")
        run.set_start(utc(number(start) / 1000))
        run.factors = usual_factors(parameters.get(id, {}))
        points = metrics.get(id, {})
        add_metrics(run, {name: MetricPoints.of(rows, run.source) for name, rows in points.items()})
        yield run.run()
    if deleted := len(runs) - len(kept):
        message = f"runs that were deleted in MLflow, and are not read: {deleted}; mlflow gc removes them"
        yield Finding("note", Rule.READ_NO_STEPS, files.id(files.path), message, files.source(files.path))


def _metrics(store: sqlite3.Connection) -> Rows:
    """Return run -> metric -> (step, s since 1970, value, 0) of the metrics that say anything about speed."""
    needed: dict[str, bool] = {}
    points: Rows = {}
    query = "SELECT run_uuid, key, step, timestamp, value, is_nan FROM metrics ORDER BY rowid"
    for id, name, step, time, value, is_nan in store.execute(query):
        if not isinstance(name, str) or not isinstance(id, str):
            continue
        if name not in needed:
            needed[name] = is_needed(name)
        at = whole(step)
        if needed[name] and at is not None and 0 <= at < 10**15:
            own = math.nan if is_nan else number(value)
            points.setdefault(id, {}).setdefault(name, []).append((at, number(time) / 1000, own, 0))
    return points


def _parameters(store: sqlite3.Connection) -> dict[str, dict[str, str]]:
    """Return run -> name -> text of the parameters with a usual name."""
    texts: dict[str, dict[str, str]] = {}
    marks = ", ".join("?" * len(NAMES))
    query = f"SELECT run_uuid, key, value FROM params WHERE key IN ({marks})"
    for id, name, value in store.execute(query, NAMES):
        if isinstance(id, str) and isinstance(name, str):
            texts.setdefault(id, {})[name] = str(value)
    return texts


FORMAT = Format(
    _NAME,
    "MLflow's SQLite store (mlflow.db): metrics that state a speed.",
    claims,
    read,
    marks=(b"SQLite format 3",),
)
