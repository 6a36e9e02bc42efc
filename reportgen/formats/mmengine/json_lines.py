"""Read the JSON lines of MMEngine and MMCV 1, and decide which of these files repeat another log.

A run of MMEngine in the folder `<date>` prints `<date>.log` there and writes each of its lines twice more, to
`vis_data/<date>.json` and `vis_data/scalars.json`; if runs share a folder, the last of them holds the lines
of all. So a file of scalars repeats the printed log of the same date, `scalars.json` repeats those with a
date, and only files that repeat nothing are read. Lines of training have `iter`, those of validation do not;
if `iter` does not grow, another run begins.

MMCV 1 writes `<date>.log` and `<date>.log.json`: the environment, then the lines of the log. Means are taken
since the previous line. If training counts `iter` from the beginning of each epoch, no line gives the length
of an epoch: it is taken to be the last iteration printed in any epoch.

Format: https://github.com/open-mmlab/mmengine, visualization/vis_backend.py and hooks/logger_hook.py;
https://github.com/open-mmlab/mmcv, v1.x, runner/hooks/logger/text.py.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from reportgen.core.model import FloatArray, IntArray
from reportgen.formats.base import Claim
from reportgen.formats.parsing import json_values
from reportgen.formats.parsing.json_values import whole
from reportgen.formats.parsing.run_builder import in_epochs, once
from reportgen.formats.parsing.text_log import TextLog
from reportgen.sources.logfiles import LogFiles

# With a hierarchy of logs, names of training begin with "train/".
MARK = b'data_time"'
CONFIGURATION = "config.py"
MMCV_TRAINING = b'"mode": "train"'
_KEYS = (MARK, b'time"', b'"iter"', b'"step"')
_MMCV_KEYS = (MMCV_TRAINING, b'"data_time"', b'"iter"', b'"time"')
_DATE = re.compile(r"[0-9]{8}_[0-9]{6}")
_BELOW, _ALL = "vis_data/", "scalars.json"
_MAX_ITERATION = 10**15

Entry = Mapping[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class TrainingLines:
    """The lines of training of one run as columns: `time` and `data` in s, `memory` in MiB or NaN."""

    line: IntArray
    step: IntArray
    time: FloatArray
    data: FloatArray
    memory: FloatArray

    @classmethod
    def of(cls, entries: Sequence[tuple[int, Entry]], step: IntArray | None = None) -> "TrainingLines":
        """Return the columns of (line, entry); steps are the iterations unless given."""
        line = np.array([line for line, _ in entries], dtype=np.int64)
        if step is None:
            step = np.array([entry["iter"] for _, entry in entries], dtype=np.int64)
        columns = (
            np.array([_number(entry, name) for _, entry in entries], dtype=np.float64)
            for name in ("time", "data_time", "memory")
        )
        return cls(line, step, *columns)


@dataclass(frozen=True, slots=True, eq=False)
class MmcvLines:
    """The lines of an MMCV log: `at` counts within `epoch`, which is 0 throughout if iterations continue.

    head  the environment and, in later versions, the configuration; name  of the experiment, "" if missing
    """

    lines: TrainingLines
    at: IntArray
    epoch: IntArray
    head: bytes
    name: str


def claim_json_lines(files: LogFiles) -> Claim | None:
    """Claim a file with the keys of a training line, and the configuration beside MMEngine's files."""
    if claim := json_values.claim(files, _KEYS, 0.95, b"{"):
        return replace(claim, beside=(CONFIGURATION,))
    return json_values.claim(files, _MMCV_KEYS, 0.95, b"{")


def claim_repeated(files: LogFiles, printed: re.Pattern[bytes]) -> Claim | None:
    """Claim the files in a folder that repeat another log, so that they are not read.

    printed  a line of training in a printed log
    """
    repeated = {
        path: original
        for path, original in _repeated(files, printed).items()
        if claim_json_lines(files.file(path))
    }
    if not repeated:
        return None
    path, original = next(iter(repeated.items()))
    return Claim(0.95, files.source(path, 1), f"repeats {original}", tuple(repeated))


def _repeated(files: LogFiles, printed: re.Pattern[bytes]) -> dict[str, str]:
    """Return path -> original of the files in a folder that may repeat another log."""
    names, folders = files.children()
    old = {f"{name}.json": name for name in names if name.endswith(".log") and f"{name}.json" in names}
    if old:
        return {path: name for path, name in old.items() if printed.search(files.bytes(name))}
    if _BELOW[:-1] in folders:
        repeated = {}
        for stem in (name[:-4] for name in names if name.endswith(".log") and _DATE.fullmatch(name[:-4])):
            paths = [path for path in (f"{_BELOW}{stem}.json", _BELOW + _ALL) if path in files]
            if paths and printed.search(files.bytes(f"{stem}.log")):
                repeated.update(dict.fromkeys(paths, f"{stem}.log"))
        return repeated
    if _ALL not in names:
        return {}
    dated = (name for name in names if name.endswith(".json") and _DATE.fullmatch(name[:-5]))
    original = next((name for name in dated if claim_json_lines(files.file(name))), None)
    return {_ALL: original} if original else {}


def mmengine_runs(log: TextLog) -> Iterator[TrainingLines]:
    """Yield the lines of each run in a file of scalars."""
    entries: list[tuple[int, Entry]] = []
    for line, entry in json_values.objects(log.content, log.malformed):
        step = whole(entry.get("iter"))
        if not step or not np.isfinite(_number(entry, "time")):
            continue
        if entries and step <= entries[-1][1]["iter"]:
            yield TrainingLines.of(entries)
            entries = []
        entries.append((line, entry))
    yield TrainingLines.of(entries)


def mmcv_run(log: TextLog) -> MmcvLines:
    """Return the lines of the run in an MMCV log."""
    head, name = b"", ""
    entries: list[tuple[int, Entry]] = []
    for line, entry in json_values.objects(log.content, log.malformed):
        if isinstance(entry.get("env_info"), str):
            head = f"{entry['env_info']}\n{entry.get('config') or ''}".encode("utf-8", "replace")
            name = str(entry.get("exp_name") or "").removesuffix(".py")
        elif _is_training(entry):
            entries.append((line, entry))
    at, epoch = (
        np.array([whole(entry.get(key)) or 0 for _, entry in entries], dtype=np.int64)
        for key in ("iter", "epoch")
    )
    # Iterations that continue over the epochs have no borders.
    epoch = epoch if bool((np.diff(at)[np.diff(epoch) > 0] <= 0).any()) else np.zeros_like(epoch)
    step = in_epochs(epoch, at, np.full_like(at, at.max(initial=0)))
    first = once(step)
    lines = TrainingLines.of([entries[i] for i in first.tolist()], step[first])
    return MmcvLines(lines, at[first], epoch[first], head, name)


def _is_training(entry: Entry) -> bool:
    """Return whether a line is of training; a line of validation may have the same mode, but no time."""
    is_timed = bool(np.isfinite(json_values.number(entry.get("time"))))
    return entry.get("mode") == "train" and is_timed and 0 < (whole(entry.get("iter")) or 0) < _MAX_ITERATION


def _number(entry: Entry, name: str) -> float:
    return json_values.number(entry.get(name, entry.get(f"train/{name}")))
