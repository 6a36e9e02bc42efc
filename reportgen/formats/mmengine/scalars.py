"""Read the JSON lines that MMEngine writes for its visualizer, and tell where they say nothing new.

A run in the folder `<date>` prints `<date>.log` there and writes each of its lines twice more, into
`vis_data/<date>.json` and `vis_data/scalars.json`; where runs share a folder, the last one has the lines of
all of them. So a file of scalars is told by the printed log of the same date, else `scalars.json` by those
with a date, and only what nothing else tells is read. MMCV 1 writes `<date>.log` and `<date>.log.json`. Lines
of training have `iter`, those of validation have not; where it does not grow, another run begins.

Format: https://github.com/open-mmlab/mmengine, visualization/vis_backend.py and hooks/logger_hook.py.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from reportgen.core.model import FloatArray, IntArray
from reportgen.formats.base import Claim
from reportgen.formats.mmengine import mmcv_json
from reportgen.formats.parsing import json_values
from reportgen.formats.parsing.text_log import TextLog
from reportgen.sources.logfiles import LogFiles

# With a hierarchy of logs, names of training begin with "train/".
MARK = b'data_time"'
CONFIGURATION = "config.py"
_KEYS = (MARK, b'time"', b'"iter"', b'"step"')
_DATE = re.compile(r"[0-9]{8}_[0-9]{6}")
_BELOW, _ALL = "vis_data/", "scalars.json"


class Scalars:
    """The lines of one run: numbers of iterations, and the columns beside them."""

    def __init__(self, lines: list[int], entries: list[dict[str, Any]]) -> None:
        self.line: IntArray = np.array(lines, dtype=np.int64)
        self.step: IntArray = np.array([entry["iter"] for entry in entries], dtype=np.int64)
        self._entries = entries

    def column(self, name: str) -> FloatArray:
        """Return a column as numbers, NaN where a line has none."""
        return np.array([_number(entry, name) for entry in self._entries], dtype=np.float64)


def claim_scalars(files: LogFiles) -> Claim | None:
    """Claim a file with the keys of a line of training, and the configuration beside MMEngine's."""
    found = json_values.claim(files, _KEYS, 0.95, b"{")
    return (
        replace(found, beside=(CONFIGURATION,))
        if found
        else json_values.claim(files, mmcv_json.KEYS, 0.95, b"{")
    )


def claim_told(files: LogFiles, printed: re.Pattern[bytes]) -> Claim | None:
    """Claim the files of scalars in a folder that something else tells, to explain them.

    printed  a line of training in a printed log
    """
    told = {path: teller for path, teller in _told(files, printed).items() if claim_scalars(files.file(path))}
    if not told:
        return None
    path, teller = next(iter(told.items()))
    return Claim(0.95, files.source(path, 1), f"what {teller} tells already", tuple(told))


def runs(log: TextLog) -> Iterator[Scalars]:
    """Yield the runs whose lines of training stand in a file."""
    lines: list[int] = []
    entries: list[dict[str, Any]] = []
    for line, entry in json_values.objects(log.content, log.malformed):
        step = json_values.whole(entry.get("iter"))
        if not step or not np.isfinite(_number(entry, "time")):
            continue
        if entries and step <= entries[-1]["iter"]:
            yield Scalars(lines, entries)
            lines, entries = [], []
        lines.append(line)
        entries.append(entry)
    yield Scalars(lines, entries)


def _told(files: LogFiles, printed: re.Pattern[bytes]) -> dict[str, str]:
    """Return the paths of files of scalars in a folder that need not be read, each with what tells it."""
    names, folders = files.children()
    old = {f"{name}.json": name for name in names if name.endswith(".log") and f"{name}.json" in names}
    if old:
        return {path: name for path, name in old.items() if printed.search(files.bytes(name))}
    if _BELOW[:-1] in folders:
        told = {}
        for stem in (name[:-4] for name in names if name.endswith(".log") and _DATE.fullmatch(name[:-4])):
            there = [path for path in (f"{_BELOW}{stem}.json", _BELOW + _ALL) if path in files]
            if there and printed.search(files.bytes(f"{stem}.log")):
                told.update(dict.fromkeys(there, f"{stem}.log"))
        return told
    dated = (name for name in names if name.endswith(".json") and _DATE.fullmatch(name[:-5]))
    teller = (
        next((name for name in dated if claim_scalars(files.file(name))), None) if _ALL in names else None
    )
    return {_ALL: teller} if teller else {}


def _number(entry: dict[str, Any], name: str) -> float:
    return json_values.number(entry.get(name, entry.get(f"train/{name}")))
