"""Find the runs below files and folders and read them: `load_runs`.

Every path becomes a `LogFiles` view (`scan`); labels.toml files are taken out of it; folders that are one run
are claimed as folders; all other files are recognised and parsed in batches (`worker`), in this process or,
if there is enough to read, in a process pool, with the same result. Runs are ordered by id, numbers in ids
counted as numbers, so that neither the file system nor the pool influences any output.

A log is opened, recognised and parsed once: `parse_logs` parses everything, `ParsedLogs.select` returns the
runs of some of its files and folders as if only these had been loaded.
"""

import gc
import os
import posixpath
from collections import Counter, deque
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Generic, TypeVar
from zlib import crc32

from reportgen.cache.archives import is_archive
from reportgen.core.column_file import ColumnFile
from reportgen.core.factors import natural_key
from reportgen.core.frozen import FrozenDict
from reportgen.core.model import Finding, Run, Source
from reportgen.core.rules import Rule
from reportgen.labels.unused import Use, find_unused
from reportgen.load.duplicates import RunFingerprint, digest_files, find_duplicates, fingerprint_run
from reportgen.load.evidence import stem_of
from reportgen.load.same_time import find_company
from reportgen.load.scan import FolderJob, Scan, holds, nearest_scan, scan_paths
from reportgen.load.stored_batches import BatchStore, StoredBatches
from reportgen.load.unrecognised import UnknownFolder, UnrecognisedFile, damaged_logs, unknown_folders
from reportgen.load.worker import RUNS, Batch, BatchResult, ParsedFile, RunMapper, Shared, parse_batch
from reportgen.sources.filesystem import relative_place

# Below this a pool costs more (starting processes, importing NumPy) than it saves.
_POOL_BYTES = 8 * 2**20
_POOL_FILES = 200
_BATCH_BYTES = 2**20
# Batches of each processor that are parsed, or wait to be taken.
_AHEAD = 8
_BATCH_FILES = 128
_BATCH_FOLDERS = 64
# A folder with more files is not read as a whole: the files may be large, and several processes read them.
_WHOLE_FOLDER_FILES = 32
# With more files than this, batches are cut by number only: asking for every size takes time.
_MAX_SIZED_FILES = 2000
_GC_THRESHOLD = 2_000_000
_SHA256_BYTES = 32

T = TypeVar("T")
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class LoadResult(Generic[T]):
    """The result of a load.

    runs          ordered by id
    findings      about files, not about single runs
    unrecognised  files that no format recognises, by path; to have some is normal
    recognised    paths, relative to the root, of the files and folders that a format reads
    """

    runs: tuple[T, ...]
    findings: tuple[Finding, ...]
    unrecognised: tuple[UnrecognisedFile, ...] = ()
    recognised: tuple[str, ...] = ()

    def unknown_folders(self, logs: str) -> list[UnknownFolder]:
        """Return the folders directly in `logs` (relative to the root) that hold an unknown format only."""
        unreadable = [
            finding.source.path
            for finding in self.findings
            if finding.source and finding.rule == Rule.READ_UNREADABLE_FILE
        ]
        return unknown_folders(self.unrecognised, [*self.recognised, *unreadable], logs)


def load_runs(
    paths: Sequence[str | Path],
    *,
    root: Path,
    progress: Progress | None = None,
    executor: Executor | None = None,
) -> LoadResult[Run]:
    """Read all runs below the paths, unchangeable; the arguments are explained at `parse_logs`."""
    loaded = parse_logs(paths, RUNS, root=root, progress=progress, executor=executor).select(paths)
    return replace(loaded, runs=tuple(map(_frozen, loaded.runs)))


def _frozen(run: Run) -> Run:
    """Return the run with factors, environment and arrays that cannot be changed."""
    own = tuple(run.series)
    for series in own:
        for values in (series.step, series.span, series.begin, series.value, series.samples, series.line):
            values.setflags(write=False)
    for device in run.telemetry:
        for values in (device.t, *device.columns.values()):
            values.setflags(write=False)
    return replace(run, series=own, factors=FrozenDict(run.factors), environment=FrozenDict(run.environment))


def join_runs(runs: Iterable[Run]) -> tuple[Run, ...]:
    """Return runs that were loaded separately as one set, ordered by id.

    A run that was loaded twice is there once, a copy of another's steps is marked as in one load, and ids
    that occur twice become the paths of their logs.
    """
    unique = {_identity(run): run for run in reversed(list(runs))}
    ordered = sorted(unique.values(), key=lambda run: (natural_key(run.source.path), natural_key(run.id)))
    counts = Counter(run.id for run in ordered)
    named = [RUNS.rename(run, _path_id(run)) if counts[run.id] > 1 else run for run in ordered]
    fingerprints = [[fingerprint_run(run)] for run in named]
    for number, _, finding in _marks([None] * len(named), fingerprints, lambda _: None):
        if all(known.rule != finding.rule for known in named[number].findings):
            named[number] = RUNS.mark(named[number], finding)
    return tuple(sorted(named, key=lambda run: natural_key(run.id)))


def _marks(
    prints: Sequence[bytes | None],
    runs: Sequence[Sequence[RunFingerprint]],
    digest: Callable[[int], bytes | None],
) -> Iterator[tuple[int, int, Finding]]:
    """Yield the findings of copies and of runs that competed; the arguments are as in `find_duplicates`."""
    copies = list(find_duplicates(prints, runs, digest))
    yield from copies
    copied = {(number, position) for number, position, _ in copies}
    stays = {
        (number, position): run.stay._replace(id=run.id)
        for number, several in enumerate(runs)
        for position, run in enumerate(several)
        if run.stay and (number, position) not in copied
    }
    yield from ((*place, finding) for place, finding in find_company(stays))


def _identity(run: Run) -> object:
    """Return what two loads of one run have in common: its log, its number in it, and its numbers."""
    fingerprint = fingerprint_run(run)
    figures = tuple((figure.metric, figure.phase, figure.original) for figure in run.aggregates)
    return run.source, _number(run), fingerprint.steps, fingerprint.blocks, figures


def _number(run: Run) -> str:
    name, mark, number = run.id.rpartition("#")
    return f"{mark}{number}" if name else ""


def _path_id(run: Run) -> str:
    """Return the id with the folder before it, relative to the root."""
    number = _number(run)
    name = run.id.removesuffix(number)
    path = f"/{run.source.path}"
    at = path.rfind(f"/{name}")
    return f"{path[1 : at + 1]}{run.id}" if at >= 0 else f"{run.source.path}{number}"


def parse_logs(
    paths: Sequence[str | Path],
    mapper: RunMapper[T],
    *,
    root: Path,
    progress: Progress | None = None,
    executor: Executor | None = None,
    store: BatchStore[T] | None = None,
) -> "ParsedLogs[T]":
    """Parse all logs below the paths and convert their runs.

    paths     files or folders, relative to the root; RequestError if one does not exist
    root      sources are relative to it; labels.toml files between it and a path apply too
    progress  called with (files and folders parsed, all of them)
    executor  used instead of this process or a pool of our own; it is not shut down
    store     of the batches that were parsed before, and did not change
    """
    root = root.absolute()
    with relaxed_gc():
        scans = scan_paths(_absolute(paths, root), root)
        # The folders that are one run leave memory with their batch.
        logs = ParsedLogs(root, mapper, [_ParsedScan(replace(scan, jobs=())) for scan in scans])
        batches = [batch for number, scan in enumerate(scans) for batch in _batches(number, scan)]
        stored = StoredBatches(store, batches, root) if store else None
        shared = Shared(file=ColumnFile())
        for batch, result in _parse_all(batches, mapper, progress, executor, stored):
            logs.scans[batch.scan].add(result, lambda made: mapper.share(made, shared))
        return logs


def iterate_logs(
    paths: Sequence[str | Path], mapper: RunMapper[T], *, root: Path, progress: Progress | None = None
) -> Iterator[BatchResult[T]]:
    """Parse all logs below the paths, and yield what became of them, in order of names; nothing is kept.

    Folders that are one run come before files. Ids are below each path; copies are not marked. Parameters
    and errors as those of `parse_logs`.
    """
    root = root.absolute()
    scans = [scan.in_order() for scan in scan_paths(_absolute(paths, root), root)]
    batches = [batch for number, scan in enumerate(scans) for batch in _batches(number, scan)]
    for _, result in _parse_all(batches, mapper, progress, None, None):
        yield result


def _absolute(paths: Iterable[str | Path], root: Path) -> list[Path]:
    return list(dict.fromkeys(Path(os.path.normpath(root / path)) for path in paths))


@contextmanager
def relaxed_gc() -> Iterator[None]:
    """Raise the GC threshold, here and in forked processes: runs, cases and documents contain no cycles.

    With the usual threshold the collector takes a tenth of the time of loading and a fifth of a build.
    """
    usual = gc.get_threshold()
    gc.set_threshold(_GC_THRESHOLD)
    try:
        yield
    finally:
        gc.set_threshold(*usual)


def _parse_all(
    batches: Sequence[Batch],
    mapper: RunMapper[T],
    progress: Progress | None,
    executor: Executor | None,
    stored: StoredBatches[T] | None,
) -> Iterator[tuple[Batch, BatchResult[T]]]:
    """Yield each batch with its result, in order: stored, or parsed in processes where that pays."""
    total, done = sum(map(len, batches)), 0
    known = [stored.known(number) if stored else None for number in range(len(batches))]
    unknown = [batch for batch, result in zip(batches, known, strict=True) if result is None]
    pool = None
    with ExitStack() as stack:
        if executor is None and len(unknown) > 1 and _pays(unknown):
            import numpy.ma  # noqa: F401  # np.unique needs it: once here, not once in each forked process

            workers = min(os.cpu_count() or 1, len(unknown))
            pool = stack.enter_context(ProcessPoolExecutor(max_workers=workers))
        parse = partial(parse_batch, mapper=mapper)
        if pool:
            parsed = _in_order(pool, parse, unknown)
        else:
            parsed = iter(executor.map(parse, unknown) if executor else map(parse, unknown))
        for number, batch in enumerate(batches):
            result, known[number] = known[number], None
            if result is None:
                result = next(parsed)
                if stored:
                    stored.add(number, batch, result)
            done += len(batch)
            yield batch, result
            if progress:
                progress(done, total)
    if stored:
        stored.store()


def _in_order(
    executor: Executor, parse: Callable[[Batch], BatchResult[T]], batches: Iterable[Batch]
) -> Iterator[BatchResult[T]]:
    """Yield the result of each batch in order. Few results wait to be taken, however slow that is."""
    most = _AHEAD * (os.cpu_count() or 1)
    running: deque[Future[BatchResult[T]]] = deque()
    for batch in batches:
        running.append(executor.submit(parse, batch))
        if len(running) >= most:
            yield running.popleft().result()
    while running:
        yield running.popleft().result()


def _pays(batches: Sequence[Batch]) -> bool:
    """Return whether it pays to parse batches in processes."""
    if sum(map(len, batches)) > _POOL_FILES:
        return True
    views = [view for batch in batches for view in (batch.files, *(job.files for job in batch.jobs))]
    return sum(view.total_size() for view in views) > _POOL_BYTES


def _batches(number: int, scan: Scan) -> Iterator[Batch]:
    """Cut a scan into batches worth sending to another process: files or folders of about a MB.

    A name can end a batch by its digits, so that one more file, or a larger one, moves few of the others.
    """
    empty = scan.files.select(())
    is_named = scan.path.is_file()
    jobs: list[FolderJob] = []
    size = 0
    for job in scan.jobs:
        jobs.append(job)
        size += job.files.total_size()
        if size >= _BATCH_BYTES or len(jobs) >= _BATCH_FOLDERS or _is_last(job.files.id(), _BATCH_FOLDERS):
            yield Batch(number, empty, tuple(jobs))
            jobs, size = [], 0
    if jobs:
        yield Batch(number, empty, tuple(jobs))
    is_sized = len(scan.names) < _MAX_SIZED_FILES
    names: list[str] = []
    cut: set[str] = set()
    for folder, together in _inseparable(scan.names):
        names += together
        cut |= folder
        size += scan.files.select(together).total_size() if is_sized else 0
        is_last = any(_is_last(name, _BATCH_FILES) for name in together)
        if size >= _BATCH_BYTES or len(names) >= _BATCH_FILES or is_last:
            yield Batch(
                number, scan.files.select(names), labels=scan.labels, cut=frozenset(cut), is_named=is_named
            )
            names, cut, size = [], set(), 0
    if names:
        yield Batch(
            number, scan.files.select(names), labels=scan.labels, cut=frozenset(cut), is_named=is_named
        )


def _inseparable(names: Sequence[str]) -> Iterator[tuple[set[str], list[str]]]:
    """Yield the names that must be in one batch: all of a small folder, one stem of a large one.

    With them, the location of the folder if it is large.
    """
    for folder, group in groupby(names, key=posixpath.dirname):
        members = list(group)
        if len(members) <= _WHOLE_FOLDER_FILES:
            yield set(), members
            continue
        stems: dict[str, list[str]] = {}
        for name in members:
            stems.setdefault(stem_of(posixpath.basename(name)), []).append(name)
        for same in stems.values():
            yield {folder}, same


def _is_last(name: str, most: int) -> bool:
    """Return whether a name ends a batch, as one of half the largest number of names does."""
    return crc32(name.encode()) % max(most // 2, 1) == 0


@dataclass(slots=True)
class _ParsedScan(Generic[T]):
    """A scan and what was parsed of it. `digests` of contents are added when they are needed."""

    scan: Scan
    files: list[ParsedFile[T]] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    unrecognised: list[UnrecognisedFile] = field(default_factory=list)
    used: set[Use] = field(default_factory=set)
    digests: dict[str, bytes | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.findings += self.scan.findings

    def add(self, result: BatchResult[T], share: Callable[[T], T]) -> None:
        """Add a parsed batch. share: returns a run with what it has in common with others."""
        for file in result.parsed:
            runs = tuple((fingerprint, share(made)) for fingerprint, made in file.runs)
            self.files.append(file._replace(runs=runs))
        self.findings += result.findings
        self.unrecognised += result.unrecognised
        self.used |= result.used

    def sha256_of(self, file: ParsedFile[T]) -> dict[str, str]:
        """Return path relative to the root -> SHA-256 of the files that were parsed as one."""
        digests = {}
        for at, name in enumerate((*file.files, *file.evidence)):
            known = file.sha256[at * _SHA256_BYTES : (at + 1) * _SHA256_BYTES].hex()
            with suppress(OSError):  # an unreadable file has a finding
                digests[self.scan.files.source(name).path] = known or self.scan.files.sha256(name)
        return digests

    def joins(self, place: str) -> bool:
        """Return whether a place is a log with evidence beside it, or such evidence."""
        return any(
            place in (file.place, *(self.scan.files.source(name).path for name in file.evidence))
            for file in self.files
            if file.evidence
        )

    def digest(self, file: ParsedFile[T]) -> bytes | None:
        """Return the digest of a file's content."""
        if file.place not in self.digests:
            self.digests[file.place] = digest_files(self.scan.files.select(file.files))
        return self.digests[file.place]


@dataclass(slots=True)
class _Selected(Generic[T]):
    """A parsed file as part of a selection; `runs` have the ids that they have in it.

    folder  that the ids are below, relative to the root
    """

    origin: _ParsedScan[T]
    file: ParsedFile[T]
    folder: str
    runs: list[tuple[RunFingerprint, T]]

    def paths(self) -> Iterator[str]:
        """Yield the paths of its files, relative to the root."""
        folder = self.origin.scan.folder
        return (f"{folder}/{name}" if folder else name for name in self.file.files)


@dataclass(frozen=True, slots=True)
class ParsedLogs(Generic[T]):
    """Parsed logs. Every selection of files and folders gives the runs that a load of these would give."""

    root: Path
    mapper: RunMapper[T]
    scans: list[_ParsedScan[T]]

    def select(self, paths: Sequence[str | Path]) -> LoadResult[T]:
        """Return the runs below files and folders that are part of what was parsed.

        Ids are below the path that a run was found in (the first of several). Copies are marked among the
        runs of this selection only.
        """
        selected: dict[str, _Selected[T]] = {}
        findings: list[Finding] = []
        unrecognised: dict[str, UnrecognisedFile] = {}
        for path in _absolute(paths, self.root):
            place = relative_place(path, self.root)
            parsed = self._parsed_scan(path)
            inner = _inner_folder(parsed.scan, path, place)
            folder = f"{parsed.scan.folder}/{inner}".strip("/")
            findings += [_below(each, inner) for each in parsed.findings if _is_about(each, place)]
            findings += _unused_labels(parsed, place)
            unrecognised |= {
                file.path: file
                for file in parsed.unrecognised
                if holds(place, file.path) and not file.is_fixture
            }
            for file in parsed.files:
                if holds(place, file.place) and file.place not in selected:
                    findings += [_below(each, inner) for each in file.findings]
                    selected[file.place] = _Selected(parsed, file, folder, self._runs_below(file, inner))
        files = sorted(selected.values(), key=lambda part: natural_key(part.file.place))
        self._make_ids_unique(files)
        self._mark(files)
        runs = sorted((run for part in files for run in part.runs), key=lambda run: natural_key(run[0].id))
        for used in (used for part in files for used in part.file.beside):
            unrecognised.pop(used, None)
        others = sorted(unrecognised.values(), key=lambda file: natural_key(file.path))
        findings += damaged_logs(others, (path for part in files for path in part.paths()))
        return LoadResult(
            tuple(made for _, made in runs),
            tuple(sorted(dict.fromkeys(findings), key=_finding_order)),
            tuple(others),
            tuple(sorted(selected)),
        )

    def sha256_of(self, places: Container[str]) -> dict[str, str]:
        """Return path -> SHA-256 of every file in the files and folders at these places, and of their labels.

        places  relative to the root, as `LoadResult.recognised` lists them
        """
        digests: dict[str, str] = {}
        for parsed in self.scans:
            for file in (file for file in parsed.files if file.place in places):
                digests |= parsed.sha256_of(file)
                digests |= {
                    labels.source.path: labels.sha256
                    for labels in parsed.scan.labels
                    if labels.holds(file.place)
                }
        return digests

    def _parsed_scan(self, path: Path) -> _ParsedScan[T]:
        nearest = nearest_scan([parsed.scan for parsed in self.scans], path)
        parsed = next(parsed for parsed in self.scans if parsed.scan is nearest)
        if parsed.scan.path != path and parsed.joins(relative_place(path, self.root)):
            # By itself, a log has no evidence beside it, and evidence no run.
            parsed = parse_logs([path], self.mapper, root=self.root).scans[0]
            self.scans.append(parsed)
        return parsed

    def _runs_below(self, file: ParsedFile[T], inner: str) -> list[tuple[RunFingerprint, T]]:
        """Return the runs of a file with ids below a folder inside the scanned one."""
        return [self._renamed(*run, _id_below(run[0].id, inner)) for run in file.runs]

    def _renamed(self, fingerprint: RunFingerprint, made: T, id: str) -> tuple[RunFingerprint, T]:
        if id == fingerprint.id:
            return fingerprint, made
        return fingerprint._replace(id=id), self.mapper.rename(made, id)

    def _make_ids_unique(self, files: Sequence[_Selected[T]]) -> None:
        """Put the folder before ids that occur below several paths."""
        counts = Counter(fingerprint.id for part in files for fingerprint, _ in part.runs)
        for part in files:
            part.runs = [
                self._renamed(run, made, f"{part.folder}/{run.id}".removeprefix("/"))
                if counts[run.id] > 1
                else (run, made)
                for run, made in part.runs
            ]

    def _mark(self, files: Sequence[_Selected[T]]) -> None:
        marks = _marks(
            [part.file.fingerprint for part in files],
            [[fingerprint for fingerprint, _ in part.runs] for part in files],
            lambda number: files[number].origin.digest(files[number].file),
        )
        for number, position, finding in marks:
            fingerprint, made = files[number].runs[position]
            files[number].runs[position] = fingerprint, self.mapper.mark(made, finding)


def _inner_folder(scan: Scan, path: Path, place: str) -> str:
    """Return the folder that ids of a path are below, relative to the folder of its scan; "" for the same."""
    is_file = path.is_file() and not is_archive(path.name)
    folder = place if path != scan.path and not is_file else place.rpartition("/")[0]
    return "" if path == scan.path else folder.removeprefix(scan.folder).removeprefix("/")


def _id_below(id: str, inner: str) -> str:
    """Return an id, or the subject of a finding, below a folder inside the scanned one."""
    if inner and id.startswith(f"{inner}/"):
        return id[len(inner) + 1 :]
    if inner and (id == inner or id.startswith(f"{inner}#")):
        return id[inner.rfind("/") + 1 :]  # a folder that is one run is called by its own name
    return id


def _below(finding: Finding, inner: str) -> Finding:
    if finding.source and finding.subject == finding.source.path:
        return finding  # the subject is a path relative to the root, not an id
    return replace(finding, subject=_id_below(finding.subject, inner)) if inner else finding


def _is_about(finding: Finding, place: str) -> bool:
    return finding.source is None or holds(place, finding.source.path)


def _unused_labels(parsed: _ParsedScan[T], place: str) -> Iterator[Finding]:
    for own in parsed.scan.own:
        if holds(place, own.labels.source.path):
            has_others = any(own.labels.holds(file.path) for file in parsed.unrecognised)
            yield from find_unused(own.labels, own.text, parsed.used, has_others=has_others)


def _finding_order(finding: Finding) -> tuple[object, ...]:
    source = finding.source or Source("")
    return (
        *natural_key(source.path),
        source.line,
        finding.rule,
        finding.subject,
        finding.text,
        finding.severity,
    )
