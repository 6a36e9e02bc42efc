"""Files that no format recognises, and the folders that consist of them.

A single such file is normal; a whole folder of them is rather a format that has to be learned. An empty or
binary file with a name like a log beside it is a run that was lost.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.model import Finding, Source
from reportgen.core.rules import Rule
from reportgen.formats.custom.reader import EXPECTED, SAMPLE

_NUMBER = lazy_pattern(r"[0-9]+")
_COMPRESSED = "compressed"  # these have a finding of their own
# sweep.jsonl: what `collectors sweep` did, beside the runs.
_NOT_A_LOG = lazy_pattern(
    r"(?:readme|licen[cs]e).*|sweep\.jsonl|.*\.(?:md|rst|toml|ya?ml|py|sh)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True, order=True)
class UnrecognisedFile:
    """A file that no format claims: its path relative to the root, its size in bytes.

    defect    why it cannot be a log: empty, binary, compressed with gzip; "" for text
    is_table  whether it looks like a table of results
    """

    path: str
    size: int
    defect: str = ""
    is_table: bool = False

    @property
    def is_text(self) -> bool:
        """Whether it is text."""
        return not self.defect

    @property
    def reason(self) -> str:
        """Why it is skipped, in words."""
        return self.defect or ("unknown format" if self.may_be_log else "not a log")

    @property
    def is_fixture(self) -> bool:
        """Whether `reportgen learn --write` wrote it beside the logs."""
        return self.path.endswith((SAMPLE, EXPECTED))

    @property
    def may_be_log(self) -> bool:
        """Whether its name allows it to be a log."""
        return not self.is_fixture and not _NOT_A_LOG.fullmatch(self._name)

    @property
    def may_be_table(self) -> bool:
        """Whether it may be a log, or a text of Markdown or reStructuredText with a table."""
        is_prose = self._name.lower().startswith(("readme", "license", "licence"))
        is_document = self._name.lower().endswith((".md", ".rst")) and not is_prose
        return self.is_text and not self.is_fixture and (self.may_be_log or is_document)

    @property
    def _name(self) -> str:
        return self.path.rpartition("/")[2]


@dataclass(frozen=True, slots=True)
class UnknownFolder:
    """A folder of logs in an unknown format: its path, and the paths of the logs, the largest first."""

    path: str
    paths: tuple[str, ...]

    @property
    def count(self) -> int:
        """Number of logs."""
        return len(self.paths)

    @property
    def largest(self) -> str:
        """The path of the largest log."""
        return self.paths[0]


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
        UnknownFolder(
            folder, tuple(file.path for file in sorted(members, key=lambda file: (-file.size, file.path)))
        )
        for folder, members in sorted(texts.items())
    ]


def damaged_logs(files: Iterable[UnrecognisedFile], recognised: Iterable[str]) -> Iterator[Finding]:
    """Yield `read.damaged-file` for each file that is not text but is named like a log.

    Names are alike if the paths differ in digits only, as those of repeats do, or if the files are in one
    folder and have one extension. recognised  paths of the files that a format reads
    """
    damaged = [file for file in files if not file.is_text and not file.defect.startswith(_COMPRESSED)]
    examples: dict[str, str] = {}
    for path in recognised if damaged else ():
        for likeness in _likenesses(path):
            examples.setdefault(likeness, path)
    for file in damaged:
        example = next((examples[each] for each in _likenesses(file.path) if each in examples), None)
        if example:
            message = f"is {file.defect}; {example} is a log, so a run may be missing"
            yield Finding("warning", Rule.READ_DAMAGED_FILE, file.path, message, Source(file.path))


def _likenesses(path: str) -> Iterator[str]:
    """Yield the texts that paths of alike names share."""
    yield _NUMBER.sub("0", path)
    folder, _, name = path.rpartition("/")
    if extension := name.partition(".")[2]:
        yield f"{folder}/*.{extension.rpartition('.')[2]}"


def _folder(path: str, logs: str) -> str:
    """Return the folder directly in `logs` that contains a path, else `logs` itself."""
    prefix = "" if logs == "." else f"{logs}/"
    first, slash, _ = path.removeprefix(prefix).partition("/")
    return f"{prefix}{first}" if slash and path.startswith(prefix) else logs
