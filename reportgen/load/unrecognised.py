"""Tell folders apart: of logs that are recognised, of logs that nobody can read, of reports.

A file here and there that is no log is normal; a whole folder of them is rather in a format of one's own.
"""

import re
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from reportgen.core.errors import RequestError
from reportgen.formats.custom.reader import EXPECTED, SAMPLE
from reportgen.formats.detection import offer
from reportgen.formats.filetype import no_text
from reportgen.load.scan import survey
from reportgen.sources.logfiles import LogFiles

# What lies beside logs and is none, the fixtures that `learn` writes included.
_NO_LOG = re.compile(
    r"(?:readme|licen[cs]e).*|.*\.(?:md|rst|toml|ya?ml|py|sh)"
    rf"|.*(?:{re.escape(SAMPLE)}|{re.escape(EXPECTED)})",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Unrecognised:
    """A folder of logs, "" for the files in the logs folder itself: how many, and the path of the largest."""

    folder: str
    count: int
    largest: str


def unrecognised(logs: Path, root: Path) -> list[Unrecognised]:
    """Return the folders in `logs` that hold text and nothing that a format recognises, by name."""
    if not logs.is_dir():
        return []
    try:
        one = survey(logs, root)
    except RequestError:
        return []  # labels that are wrong are told of where they are needed
    recognised = {_folder(f"{unit.files.location}/") for unit in one.units}
    files: dict[str, list[str]] = defaultdict(list)
    for name in sorted(one.names):
        files[_folder(name)].append(name)
    found = []
    for folder in sorted(files.keys() - recognised):
        texts = _texts(one.files, files[folder])
        if texts:
            found.append(Unrecognised(folder, len(texts), max(texts, key=one.files.size)))
    return found


def is_of_logs(folder: Path, root: Path) -> bool:
    """Tell whether a folder holds logs that are recognised and no definition of a report.

    Raises RequestError for labels that are wrong.
    """
    one = survey(folder, root)
    if any(name.endswith(".toml") and "/" not in name for name in one.names):
        return False
    return bool(one.units) or any(
        _is_claimed(one.files.file(name)) for name in one.names if _may_be_log(name)
    )


def _is_claimed(view: LogFiles) -> bool:
    try:
        return offer(view) is not None
    except OSError:
        return False


def _folder(path: str) -> str:
    first, slash, _ = path.partition("/")
    return first if slash else ""


def _may_be_log(path: str) -> bool:
    return not _NO_LOG.fullmatch(path.rpartition("/")[2])


def _texts(files: LogFiles, names: list[str]) -> list[str]:
    """Return the files that could be logs; none if a format recognises one of them or one cannot be read."""
    found = []
    for name in names:
        view = files.file(name)
        try:
            if offer(view):
                return []
            if _may_be_log(name) and not no_text(view.head(view.path)):
                found.append(name)
        except OSError:
            return []
    return found
