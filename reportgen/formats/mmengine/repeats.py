"""Claim the JSON lines of MMEngine and MMCV 1, and decide which of these files repeat another log.

A run of MMEngine in the folder `<date>` prints `<date>.log` there and writes each of its lines twice more, to
`vis_data/<date>.json` and `vis_data/scalars.json`; if runs share a folder, the last of them holds the lines
of all. So a file of scalars repeats the printed log of the same date, `scalars.json` repeats those with a
date, and only files that repeat nothing are read. MMCV 1 writes `<date>.log` and `<date>.log.json`.
"""

import re
from dataclasses import replace

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.formats.base import Claim
from reportgen.formats.parsing.text_log import JsonSign
from reportgen.sources.logfiles import LogFiles

# With a hierarchy of logs, names of training begin with "train/".
MARK = b'data_time"'
CONFIGURATION = "config.py"
MMCV_TRAINING = b'"mode": "train"'
_KEYS = (MARK, b'time"', b'"iter"', b'"step"')
_MMCV_KEYS = (MMCV_TRAINING, b'"data_time"', b'"iter"', b'"time"')
_DATE = lazy_pattern(r"[0-9]{8}_[0-9]{6}")
_BELOW, _ALL = "vis_data/", "scalars.json"


def claim_json_lines(files: LogFiles) -> Claim | None:
    """Claim a file with the keys of a training line, and the configuration beside MMEngine's files."""
    if claim := JsonSign(_KEYS, 0.95).claim(files):
        return replace(claim, beside=(CONFIGURATION,))
    return JsonSign(_MMCV_KEYS, 0.95).claim(files)


def claim_repeated(files: LogFiles, printed: re.Pattern[bytes]) -> Claim | None:
    """Claim the files in a folder that repeat another log, so that they are not read.

    printed  a line of training in a printed log
    """
    originals = _originals(files, printed)
    repeated = tuple(path for path in originals if claim_json_lines(files.file(path)))
    if not repeated:
        return None
    return Claim(0.95, files.source(repeated[0], 1), f"repeats {originals[repeated[0]]}", repeated)


def _originals(files: LogFiles, printed: re.Pattern[bytes]) -> dict[str, str]:
    """Return path -> original of the files in a folder that may repeat another log."""
    names, folders = files.children()
    logs = [name for name in names if name.endswith(".log")]
    if old := [name for name in logs if f"{name}.json" in names]:
        return {f"{name}.json": name for name in old if printed.search(files.bytes(name))}
    if _BELOW[:-1] in folders:
        return {
            path: name
            for name in logs
            if _DATE.fullmatch(name[:-4]) and printed.search(files.bytes(name))
            for path in (f"{_BELOW}{name[:-4]}.json", _BELOW + _ALL)
            if path in files
        }
    dated = (name for name in names if name.endswith(".json") and _DATE.fullmatch(name[:-5]))
    original = next((name for name in dated if claim_json_lines(files.file(name))), None)
    return {_ALL: original} if _ALL in names and original else {}
