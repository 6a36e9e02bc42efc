"""Scan files and folders: runs that are whole folders, and files that are still to be recognised.

labels.toml files are taken out of the listing and parsed; folders that are one run are claimed here, because
that needs the whole tree; single files are recognised later, where they are parsed (`worker`).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from reportgen.core.errors import RequestError
from reportgen.core.factors import natural_key
from reportgen.core.model import Finding
from reportgen.formats.base import Format
from reportgen.formats.detection import walk
from reportgen.formats.filetype import role
from reportgen.labels import labels_toml
from reportgen.labels.labels_toml import Labels
from reportgen.sources.filesystem import relative_place
from reportgen.sources.logfiles import LogFiles


@dataclass(frozen=True, slots=True)
class FolderJob:
    """Files that are parsed together (a folder, or one file), their format, and the labels that apply.

    beside  paths of files near them that the format also reads, relative to the root; they may be missing
    """

    format: Format
    files: LogFiles
    labels: tuple[Labels, ...]
    beside: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LabelsText:
    """A labels.toml below the scanned path: what it says, and its text (to find line numbers)."""

    labels: Labels
    text: str


@dataclass(frozen=True, slots=True)
class Scan:
    """The contents of one file or folder.

    path      on disk; place  the same relative to the root ("." is the root)
    folder    the path itself, of a file its folder; relative to the root, "" is the root. Ids are below it
    jobs      folders that are one run, or several
    names     paths below `folder` of the files to recognise one by one
    labels    that may apply to them
    own       the labels.toml files below the path
    findings  about what cannot be read, and about folders that several formats claim
    """

    path: Path
    place: str
    folder: str
    files: LogFiles
    jobs: tuple[FolderJob, ...]
    names: tuple[str, ...]
    labels: tuple[Labels, ...]
    own: tuple[LabelsText, ...]
    findings: tuple[Finding, ...]

    def in_order(self) -> "Scan":
        """Return the same with its folders and names in natural order, folder by folder."""
        jobs = sorted(self.jobs, key=lambda job: _path_order(job.files.source().path))
        return replace(self, jobs=tuple(jobs), names=tuple(sorted(self.names, key=_path_order)))

    def reads_alike(self, path: Path, root: Path) -> bool:
        """Return whether a path inside this one has the same files and runs here as in a scan of its own.

        It has not if a format claims a folder around it, if it is a document, and where hidden folders or
        links lead elsewhere.
        """
        place = relative_place(path, root)
        for job in self.jobs:
            is_around = place != job.files.source().path and holds(job.files.source().path, place)
            if is_around and any(holds(place, job.files.source(name).path) for name in job.files):
                return False
        alone, _ = LogFiles.at(path, root)
        if path.is_file() and any(role(name, alone.head(name)) == "document" for name in alone):
            return False  # a document is read only if it is named
        here = {source for name in self.files if holds(place, source := self.files.source(name).path)}
        return here == {alone.source(name).path for name in alone if not _is_labels(name)}


def _path_order(path: str) -> tuple[object, object]:
    folder, _, name = path.rpartition("/")
    return natural_key(folder), natural_key(name)


def holds(place: str, path: str) -> bool:
    """Return whether a path is at or below a place; both relative to the root, or addresses."""
    return place == path or path.startswith(f"{place}/") or (place == "." and "://" not in path)


def scan_paths(paths: Iterable[Path], root: Path) -> list[Scan]:
    """Scan files and folders (absolute paths). A path inside another one has no scan of its own.

    Raises RequestError for a path that does not exist and for wrong labels.
    """
    scans: list[Scan] = []
    for path in sorted(paths, key=lambda path: len(path.parts)):
        outer = nearest_scan(scans, path)
        if outer is None or not outer.reads_alike(path, root):
            scans.append(scan_path(path, root))
    return scans


def nearest_scan(scans: Iterable[Scan], path: Path) -> Scan | None:
    """Return the scan of a path, else of the nearest folder above it."""
    above = [scan for scan in scans if path.is_relative_to(scan.path)]
    return max(above, key=lambda scan: len(scan.path.parts), default=None)


def scan_path(path: Path, root: Path) -> Scan:
    """Scan one file or folder."""
    files, findings = LogFiles.at(path, root)
    folder = _parent(files.source("x").path)
    own = {_parent(files.source(name).path): name for name in files if _is_labels(name)}
    texts = {place: _read(files, name) for place, name in own.items()}
    below = [labels_toml.parse(content, place) for place, content in texts.items()]
    labels = [*below, *_labels_above(path, root)]
    if own:
        files = files.exclude(own.values())
    places = {_parent(name): place for place, name in own.items()} | {"": folder}
    settings = {
        location: labels_toml.settings(labels_toml.above(place, labels)) for location, place in places.items()
    }
    files = files.with_settings({location: table for location, table in settings.items() if table})
    jobs: list[FolderJob] = []
    names: list[str] = []
    for claims, view, left in walk(files):
        for claimed in claims:
            if ambiguity := claimed.ambiguity():
                findings = (*findings, ambiguity)
            chain = tuple(labels_toml.above(claimed.files.source().path, labels))
            jobs.append(FolderJob(claimed.format, claimed.files, chain))
        names += [view.id(name) for name in left]
    own_files = tuple(LabelsText(each, texts[each.folder].decode()) for each in below)
    return Scan(
        path,
        relative_place(path, root),
        folder,
        files,
        tuple(jobs),
        tuple(names),
        tuple(labels),
        own_files,
        findings,
    )


def _labels_above(path: Path, root: Path) -> Sequence[Labels]:
    """Return the labels between the root and a path below it; there are none outside the root."""
    labels = []
    for folder in path.parents:
        file = folder / labels_toml.NAME
        if folder.is_relative_to(root) and file.is_file():
            below = relative_place(folder, root)
            files = LogFiles({labels_toml.NAME: file}, prefix="" if below == "." else below)
            place = _parent(files.source(labels_toml.NAME).path)
            labels.append(labels_toml.parse(_read(files, labels_toml.NAME), place))
    return labels


def _read(files: LogFiles, name: str) -> bytes:
    try:
        return files.bytes(name)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise RequestError(
            files.source(name).path, f"cannot be read: {reason}", "check its permissions"
        ) from None


def _is_labels(name: str) -> bool:
    return name.rpartition("/")[2] == labels_toml.NAME


def _parent(path: str) -> str:
    return path.rpartition("/")[0]
