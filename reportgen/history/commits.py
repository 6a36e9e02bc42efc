"""The states of a report, from the report.json files of past commits. Nothing is built.

States are read one after the other, so that a long history needs no more memory than a short one.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from reportgen.core.errors import RequestError
from reportgen.document.file_names import REPORT_JSON
from reportgen.history.measured import MeasuredReport, read_measured
from reportgen.sources.git import FileVersion, GitRepository, object_id, open_repository

_HASH_CHARS = 8


@dataclass(frozen=True, slots=True)
class ReportState:
    """A report as one commit has it; an empty commit is the working tree."""

    label: str
    date: str
    subject: str
    commit: str
    report: MeasuredReport


class ReportStates:
    """The states of a report, the oldest first: one per commit that changed its report.json.

    The working tree is the last one if it differs from the last commit. Iterating reads them.
    """

    def __init__(
        self, repository: GitRepository, path: str, versions: Sequence[FileVersion], now: bytes
    ) -> None:
        """versions: of the report.json at `path`, the newest first; now: its content, empty without one."""
        self._repository, self._path, self._now = repository, path, now
        self._versions = [version for version in reversed(versions) if version.object]
        self._unreadable = 0

    def __iter__(self) -> Iterator[ReportState]:
        self._unreadable = 0
        contents = self._repository.iterate_objects([version.object for version in self._versions])
        for version, content in zip(self._versions, contents, strict=True):
            commit = version.commit
            label = commit.hash[:_HASH_CHARS]
            try:
                report = read_measured(content, f"{self._path} at {label}")
            except RequestError:
                self._unreadable += 1
                continue
            yield ReportState(label, commit.date[:10], commit.subject, commit.hash, report)
        if self._now and not self._is_committed():
            yield ReportState("now", "", "not committed", "", read_measured(self._now, self._path))

    def _is_committed(self) -> bool:
        last = self._versions[-1].object if self._versions else ""
        return bool(last) and object_id(self._now, last) == last

    def notes(self) -> Iterator[str]:
        """Yield what a reader should know about the states that were read."""
        if self._repository.is_shallow():
            yield "this clone is shallow, so older commits are missing: git fetch --unshallow"
        if self._unreadable:
            what = "1 commit has" if self._unreadable == 1 else f"{self._unreadable} commits have"
            yield f"{what} a report.json of another version, which is left out"


def read_states(folder: Path) -> ReportStates:
    """Return the states of the report in a folder."""
    repository = open_repository(folder)
    path = f"{repository.path_of(folder)}/{REPORT_JSON}"
    here = folder / REPORT_JSON
    now = here.read_bytes() if here.is_file() else b""
    return ReportStates(repository, path, repository.file_versions([path]).get(path, ()), now)
