"""The state of reports and logs at an earlier commit, by default the merge base of a pull request.

Reports are read from the committed report.json files: nothing is built, so no old code runs, and logs that
are gone do not matter. The working tree is the new side.
"""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

from reportgen.core.errors import RequestError
from reportgen.diff.changes import Diff, LogChanges, compare_reports, log_changes
from reportgen.diff.sections import Endpoint
from reportgen.document.encode import decode
from reportgen.document.model import Document
from reportgen.sources.forges import commit_link
from reportgen.sources.git import GitRepository, find_repository, open_repository

_NAME = "report.json"


@dataclass(frozen=True, slots=True)
class Baseline:
    """A commit that the working tree is compared with. notes: what a reader should know about the choice."""

    repository: GitRepository
    endpoint: Endpoint
    notes: tuple[str, ...] = ()

    @property
    def commit(self) -> str:
        """The full hash."""
        return self.endpoint.commit


@dataclass(frozen=True, slots=True)
class ReportDiff:
    """The reports of the working tree against an earlier commit."""

    diff: Diff
    old: Endpoint
    new: Endpoint


def find_baseline(place: Path, base: str = "", environ: Mapping[str, str] | None = None) -> Baseline:
    """Return the commit to compare with: the merge base of HEAD and a branch.

    place  anything in the repository; base  a branch, tag or commit, by default that of `merge_base`
    raises RequestError without a repository, without commits, or if there is no such base
    """
    repository = open_repository(place)
    if repository.head() is None:
        raise RequestError(str(repository.root), "has no commit to compare with", "commit the reports first")
    merge_base = repository.merge_base(base, environ)
    if merge_base.commit:
        is_itself = merge_base.commit == merge_base.tip
        name = merge_base.name if is_itself else f"merge base with {merge_base.name}"
        return Baseline(repository, _endpoint(repository, merge_base.commit, name))
    name = merge_base.name
    if repository.is_shallow():
        note = (
            f"This clone is shallow, so its merge base with {name} is not known. This compares with the "
            "latest commit there, and what that changed itself appears reversed. Fetch the history: "
            "git fetch --unshallow (actions/checkout: fetch-depth: 0)."
        )
    else:
        note = f"{name} and HEAD have no commit in common, so this compares with {name} itself."
    return Baseline(repository, _endpoint(repository, merge_base.tip, name), (note,))


def _endpoint(repository: GitRepository, commit: str, name: str) -> Endpoint:
    return Endpoint(commit, name, commit_link(repository.remote_url(), commit))


def diff_reports(reports: Path, base: str = "", environ: Mapping[str, str] | None = None) -> ReportDiff:
    """Return the reports of a folder as they are against an earlier commit. Parameters as `find_baseline`."""
    if not reports.is_dir():
        raise RequestError(str(reports), "no such folder", "name the folder of report definitions")
    baseline = find_baseline(reports, base, environ)
    repository = baseline.repository
    folder = repository.path_of(reports)
    old, errors = reports_at(baseline, folder)
    new = reports_in(reports)
    root = reports.resolve().parent
    # Without the merge base, a missing file may never have been on this branch.
    diff = compare_reports(old, new, lambda path: bool(baseline.notes) or (root / path).is_file())
    logs = _without_growth(diff.logs, baseline, root)
    head = repository.resolve("HEAD")
    has_edits = bool(repository.changed_files(head, None, folder))
    name = "HEAD with uncommitted changes" if has_edits else "HEAD"
    stale = _stale(new, root)
    unreadable = [f"{error.place} {error.fact}, so its report counts as new." for error in errors]
    notes = (*baseline.notes, *unreadable, *stale)
    if not new:
        notes = (*notes, f"There is no {_NAME} below {reports.name}/: run reportgen build.")
    if baseline.commit == head and not has_edits and not stale:
        notes = (*notes, "Both sides are the same commit. Name an earlier one: reportgen diff HEAD~1.")
    diff = replace(diff, logs=logs, unreadable=tuple(error.place for error in errors), notes=notes)
    return ReportDiff(diff, baseline.endpoint, _endpoint(repository, head, name))


def reports_at(baseline: Baseline, folder: str) -> tuple[dict[str, Document], tuple[RequestError, ...]]:
    """Return the reports of a folder at the baseline by name, and an error for each that cannot be read."""
    files = baseline.repository.list_files(baseline.commit, folder)
    below = len(folder) + 1 if folder else 0
    named = {
        path: name
        for path, name in files.items()
        if path.endswith(f"/{_NAME}") and path[below:].count("/") == 1
    }
    contents = baseline.repository.read_objects(named.values())
    stored: dict[str, Document] = {}
    errors = []
    for path, name in named.items():
        try:
            report = decode(contents[name], f"{path} at {baseline.commit[:10]}")
        except RequestError as error:
            errors.append(error)
        else:
            stored[path.split("/")[-2]] = report
    return stored, tuple(errors)


def reports_in(folder: Path) -> dict[str, Document]:
    """Return the reports of a folder on disk by name. Raises RequestError if one cannot be read."""
    return {
        path.parent.name: decode(path.read_bytes(), os.path.relpath(path))
        for path in sorted(folder.glob(f"*/{_NAME}"))
    }


def _stale(reports: Mapping[str, Document], root: Path) -> list[str]:
    """Return a note for each report whose logs are no longer those that it was built from."""
    notes = []
    for name, report in reports.items():
        other = [path for path, digest in report.sources.items() if _digest(root / path) != digest]
        if other:
            more = f" and {len(other) - 1} more" if len(other) > 1 else ""
            notes.append(
                f"{name} is not built from the logs that are there ({other[0]}{more}): run reportgen build."
            )
    return notes


def _digest(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest() if path.is_file() else ""


def changed_logs(
    reports: Path, new_sources: Iterable[Mapping[str, str]]
) -> tuple[Endpoint, LogChanges] | None:
    """Return the committed logs that were edited or deleted since the merge base, and the commit.

    new_sources  path -> SHA-256 of what each report reads now
    None without a repository, a base, or the history that leads to it: then nothing is known
    """
    if find_repository(reports) is None:
        return None
    try:
        baseline = find_baseline(reports)
    except RequestError:
        return None
    if baseline.notes:
        return None
    old, _ = reports_at(baseline, baseline.repository.path_of(reports))
    root = reports.resolve().parent
    changes = log_changes(
        (report.sources for report in old.values()), new_sources, lambda path: (root / path).is_file()
    )
    return baseline.endpoint, _without_growth(changes, baseline, root)


def _without_growth(changes: LogChanges, baseline: Baseline, root: Path) -> LogChanges:
    """Return the changes without edited logs that begin with their old content: they only grew."""
    repository = baseline.repository
    folder = repository.path_of(root)
    names = {path: f"{folder}/{path}" if folder else path for path in changes.edited}
    listed = repository.list_files(baseline.commit) if names else {}
    contents = repository.read_objects(listed[name] for name in names.values() if name in listed)

    def has_grown(path: str) -> bool:
        old = contents.get(listed.get(names[path], ""))
        return old is not None and (root / path).is_file() and (root / path).read_bytes().startswith(old)

    return replace(changes, edited=tuple(path for path in changes.edited if not has_grown(path)))
