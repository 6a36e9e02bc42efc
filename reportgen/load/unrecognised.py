"""Files that no format recognises, and the folders that consist of them.

A single such file is normal; a whole folder of them is rather a format that has to be learned.
"""

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from reportgen.formats.custom.reader import EXPECTED, SAMPLE

_FIXTURE = re.compile(rf".*(?:{re.escape(SAMPLE)}|{re.escape(EXPECTED)})")
_NOT_A_LOG = re.compile(r"(?:readme|licen[cs]e).*|.*\.(?:md|rst|toml|ya?ml|py|sh)", re.IGNORECASE)


@dataclass(frozen=True, slots=True, order=True)
class UnrecognisedFile:
    """A file that no format claims: its path relative to the root, its size in bytes, whether it is text."""

    path: str
    size: int
    is_text: bool

    @property
    def is_fixture(self) -> bool:
        """Whether `reportgen learn --write` wrote it beside the logs."""
        return bool(_FIXTURE.fullmatch(self._name))

    @property
    def may_be_log(self) -> bool:
        """Whether its name allows it to be a log."""
        return not self.is_fixture and not _NOT_A_LOG.fullmatch(self._name)

    @property
    def _name(self) -> str:
        return self.path.rpartition("/")[2]


@dataclass(frozen=True, slots=True)
class UnknownFolder:
    """A folder of logs in an unknown format: its path, the number of logs, the path of the largest."""

    path: str
    count: int
    largest: str


def unknown_folders(
    files: Iterable[UnrecognisedFile], known: Iterable[str], logs: str
) -> list[UnknownFolder]:
    """Return the folders directly in `logs`, and `logs` itself, with text files and no recognised log.

    known  paths of the files and folders that were recognised or cannot be opened
    """
    quiet = {_folder(path, logs) for path in known}
    texts: dict[str, list[UnrecognisedFile]] = defaultdict(list)
    for file in files:
        if file.is_text and file.may_be_log and (folder := _folder(file.path, logs)) not in quiet:
            texts[folder].append(file)
    return [
        UnknownFolder(folder, len(members), min(members, key=lambda file: (-file.size, file.path)).path)
        for folder, members in sorted(texts.items())
    ]


def _folder(path: str, logs: str) -> str:
    """Return the folder directly in `logs` that contains a path, else `logs` itself."""
    prefix = "" if logs == "." else f"{logs}/"
    first, slash, _ = path.removeprefix(prefix).partition("/")
    return f"{prefix}{first}" if slash and path.startswith(prefix) else logs
