"""Parse a batch of files: recognise each one, read its runs, convert them.

This part of `load` also runs in other processes. A batch of files and folder jobs goes in; the result is
small: what a RunMapper makes of each run, and the fingerprints that find duplicates later. Files, and steps
that the caller does not need, stay in the process that read them.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Generic, NamedTuple, TypeVar, cast

import numpy as np
from msgspec import structs
from numpy.typing import NDArray

from reportgen.cache.archives import is_archive
from reportgen.core.column_file import ColumnFile
from reportgen.core.model import Factors, Finding, Run, Series, Source, Telemetry
from reportgen.core.remembered import Remembered
from reportgen.core.rules import Rule
from reportgen.core.stored_series import (
    SeriesLayout,
    StoredSeries,
    differ_in_numbers,
    shared_layout,
    stored_series,
)
from reportgen.formats.detection import offer
from reportgen.formats.filetype import compression, no_text, role
from reportgen.formats.tables.own_table import looks_like_table
from reportgen.labels.apply import Labeller
from reportgen.labels.labels_toml import Labels, above
from reportgen.labels.path_tokens import add_path_settings
from reportgen.labels.unused import Use
from reportgen.load.duplicates import RunFingerprint, fingerprint_files
from reportgen.load.evidence import Group, Joined, group_jobs, join
from reportgen.load.normalize import normalize_run
from reportgen.load.printed_results import with_printed_results
from reportgen.load.scan import FolderJob
from reportgen.load.truncated import has_values_of, mark_truncated
from reportgen.load.unrecognised import UnrecognisedFile
from reportgen.sources.logfiles import LogFiles, unreadable

T = TypeVar("T")

# Logs of this size are parsed, then converted, then dropped.
_PORTION_BYTES = 4 * 2**20


# Columns of more bytes than this are not compared: few runs are so long.
_MAX_SHARED_BYTES = 2**16
# The runs of a job, and its findings.
_Content = tuple[list[Run], list[Finding]]
_SHARED_COLUMNS = ("step", "span", "samples", "line")


@dataclass(slots=True)
class Shared:
    """The parts that runs have in common, and the file for the columns of their steps.

    known  factors and environments by their text, in which 1, 1.0 and True differ; columns by type and bytes;
           other texts and sets by themselves
    file   of the columns that one run has; None to keep them in memory
    environment, column, layout  return the first of them that equals one
    """

    known: dict[object, Any] = field(default_factory=dict)
    file: ColumnFile | None = None
    environment: Remembered[Factors] = field(init=False)
    column: Remembered[NDArray[Any]] = field(init=False)
    layout: Remembered[SeriesLayout] = field(init=False)

    def __post_init__(self) -> None:
        known = self.known
        self.environment = Remembered(partial(_known_environment, known=known))
        self.column = Remembered(partial(_known_column, known=known))
        self.layout = Remembered(partial(_known_layout, shared=self))


@dataclass(frozen=True, slots=True)
class RunMapper(Generic[T]):
    """How to convert a run where it is read, and how to change the result afterwards.

    mark    add a finding
    rename  give it another id
    share   take what is equal in other runs, and move its columns into a file; see `Shared`
    takes_digests  whether the SHA-256 of the files will be asked for: their bytes are at hand here
    """

    make: Callable[[Run], T]
    mark: Callable[[T, Finding], T]
    rename: Callable[[T, str], T]
    share: Callable[[T, Shared], T]
    takes_digests: bool = False


@dataclass(frozen=True, slots=True)
class Batch:
    """Files and folders that are parsed at once.

    scan    number of the scan that they belong to
    files   view of the files to recognise one by one
    labels  that may apply to them
    cut     locations of folders with other files that are in other batches
    is_named  whether the user named the file: then a document is read that quotes a log
    """

    scan: int
    files: LogFiles
    jobs: tuple[FolderJob, ...] = ()
    labels: tuple[Labels, ...] = ()
    cut: frozenset[str] = frozenset()
    is_named: bool = False

    def __len__(self) -> int:
        return len(self.files) + len(self.jobs)


class ParsedFile(NamedTuple, Generic[T]):
    """A file, or a folder that was parsed as a whole.

    place  relative to the root
    files  its files, below the folder of the scan
    runs   what became of its runs
    beside paths of files near it that its reader also reads, relative to the root; they may be missing
    evidence  files that were joined to its runs, below the folder of the scan
    sha256  of each of its files and its evidence, joined; b"" if one is not known
    """

    place: str
    files: tuple[str, ...]
    fingerprint: bytes | None
    runs: tuple[tuple[RunFingerprint, T], ...]
    findings: tuple[Finding, ...]
    beside: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    sha256: bytes = b""


@dataclass(frozen=True, slots=True)
class BatchResult(Generic[T]):
    """A parsed batch; `findings` are about files without a run, `used` are the labels that applied.

    consulted  paths on disk of files beside its own that readers asked for; they may be missing
    """

    parsed: list[ParsedFile[T]] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    unrecognised: list[UnrecognisedFile] = field(default_factory=list)
    used: set[Use] = field(default_factory=set)
    consulted: list[str] = field(default_factory=list)


def parse_batch(batch: Batch, mapper: RunMapper[T]) -> BatchResult[T]:
    """Parse a batch; a file that cannot be opened becomes a finding.

    Detect all files first, then parse and convert in portions. Working by stage is faster than working by
    file; portions bound the memory.
    """
    result: BatchResult[T] = BatchResult()
    # What runs have in common is sent to another process once.
    convert = partial(_convert, mapper=mapper, shared=Shared())
    groups = group_jobs([*_recognise(batch, result), *batch.jobs], batch.cut)
    for portion in _portions(groups, result.used):
        for group, contents in portion:
            result.parsed.extend(map(convert, join(group, contents)))
    result.consulted.extend(batch.files.consulted())
    return result


def _convert(joined: Joined, mapper: RunMapper[T], shared: Shared) -> ParsedFile[T]:
    job, view = joined.job, joined.job.files
    made = (mapper.share(mapper.make(run), shared) for run in joined.runs)
    return ParsedFile(
        _source(view).path,
        tuple(view.id(path) for path in view),
        fingerprint_files(view),
        tuple(zip(joined.prints, made, strict=True)),
        tuple(joined.findings),
        job.beside,
        tuple(piece.files.id(path) for piece in joined.evidence for path in piece.files),
        _sha256_as_read([job, *joined.evidence]) if mapper.takes_digests else b"",
    )


def _sha256_as_read(jobs: Iterable[FolderJob]) -> bytes:
    """Return the SHA-256 of the files of jobs, joined, as they were read; b"" if one is not at hand."""
    digests = [job.files.sha256_as_read(path) for job in jobs for path in job.files]
    return b"".join(digests) if all(digests) else b""


def _portions(groups: Iterable[Group], used: set[Use]) -> Iterator[list[tuple[Group, list[_Content]]]]:
    """Read groups, and yield some at a time, each with the runs and findings of its jobs."""
    portion: list[tuple[Group, list[_Content]]] = []
    size = 0
    for group in groups:
        portion.append((group, [_read_runs(job, used) for job in group.jobs]))
        # After reading, because a small file that was read has a size without asking the system.
        size += sum(job.files.total_size() for job in group.jobs)
        if size >= _PORTION_BYTES:
            yield portion
            portion, size = [], 0
    yield portion


def _recognise(batch: Batch, result: BatchResult[T]) -> Iterator[FolderJob]:
    """Yield a job for each file that a format claims, and note the others in the result."""
    for path in batch.files:
        view = batch.files.file(path)
        source = _source(view)
        try:
            claimed = offer(view)
            quote = claimed.quote(is_named=batch.is_named) if claimed else None
            if claimed is None or quote:
                result.unrecognised.append(_unrecognised(view, source.path))
                result.findings.extend([quote] if quote else _compressed_file(view, source))
                continue
        except OSError as error:
            result.findings.append(unreadable(source, error))
            continue
        result.findings.extend(filter(None, (claimed.ambiguity(), claimed.excerpt())))
        labels = tuple(above(source.path, batch.labels)) if batch.labels else ()
        beside = tuple(view.sibling_source(name) for name in claimed.claim.beside)
        yield FolderJob(claimed.format, claimed.files, labels, beside)


def _unrecognised(view: LogFiles, place: str) -> UnrecognisedFile:
    head = view.head(view.path)
    fact, _ = no_text(head) or ("", "")
    is_table = not fact and role(view.path, head) is None and looks_like_table(head)
    return UnrecognisedFile(place, view.size(view.path), fact.removeprefix("is "), is_table)


def _compressed_file(view: LogFiles, source: Source) -> Iterator[Finding]:
    """Yield the finding for a file that is compressed, though its name does not say so.

    Checkpoints and arrays are zip files.
    """
    program = compression(view.head(view.path))
    if program and program != "zip" and not is_archive(view.path):
        message = f"is compressed with {program} and was skipped; decompress it if it is a log"
        yield Finding("warning", Rule.READ_PACKED_FILE, source.path, message, source)


@np.errstate(all="ignore")
def _read_runs(job: FolderJob, used: set[Use]) -> _Content:
    """Return the labelled and normalised runs of a job, and its findings; add the applied labels to `used`.

    A value that overflows when a reader scales it is infinite and not measured: no warning on stderr.
    """
    view, source = job.files, _source(job.files)
    labeller = Labeller(source.path, job.labels) if job.labels else None
    runs: list[Run] = []
    findings: list[Finding] = []
    gaps: list[tuple[str, int]] | None = None
    try:
        for item in with_printed_results(job.format, view, job.format.read(view)):
            if isinstance(item, Run):
                run = normalize_run(add_path_settings(labeller(item) if labeller else item))
                gaps = _gaps(view) if gaps is None else gaps
                for path, lines in gaps:
                    # What a command printed says nothing about a run that recorded its steps.
                    if path != job.format.output or has_values_of(run, view.source(path).path):
                        run = mark_truncated(run, view, path, lines)
                runs.append(run)
            else:
                findings.append(item)
    except OSError as error:
        findings.append(unreadable(source, error))
    if not runs and not findings:
        message = f"recognised as {job.format.name}, but no run could be read from it"
        findings.append(Finding("warning", Rule.READ_NO_RUN, source.path, message, source))
    if labeller:
        used |= labeller.used
    return runs, findings


def _gaps(view: LogFiles) -> list[tuple[str, int]]:
    """Return the files that were read in part, with the number of lines before the gap."""
    return [(path, lines) for path in view if (lines := view.lines_before_gap(path)) is not None]


def _source(view: LogFiles) -> Source:
    return view.source() if view.is_folder else view.source(view.path)


def _same(run: Run) -> Run:
    return run


def _mark(run: Run, finding: Finding) -> Run:
    return replace(run, findings=(*run.findings, finding))


def _rename(run: Run, id: str) -> Run:
    findings = tuple(
        replace(finding, subject=id) if finding.subject == run.id else finding for finding in run.findings
    )
    return replace(run, id=id, findings=findings)


def _share(run: Run, shared: Shared) -> Run:
    """Return the run with what is as in other runs, and with its own columns in the file if there is one."""
    known = shared.known
    return replace(
        run,
        factors=known.setdefault(repr(run.factors), run.factors),
        environment=shared.environment(run.environment),
        machines=_known(run.machines, shared),
        command=_known(run.command, shared),
        series=_shared_series(run.series, shared),
        telemetry=_stored_telemetry(run.telemetry, shared.file) if shared.file else run.telemetry,
    )


def _known(value: T, shared: Shared) -> T:
    """Return the first object that equals a text or a set."""
    return cast(T, shared.known.setdefault((type(value), value), value))


def _shared_series(series: Sequence[Series], shared: Shared) -> Sequence[Series]:
    """Return the series of a run with what they have in common with other runs, and their numbers stored."""
    if not isinstance(series, StoredSeries):
        sources = {each.source: each.source for each in reversed(series)}
        series = tuple(_with_shared_columns(each, sources[each.source], shared) for each in series)
        if not _differ_in_numbers(series):
            return _with_stored_columns(series, shared.file) if shared.file else series
        series = stored_series(series, shared.known)
    if not shared.file:
        return series
    layout = shared.layout(series.layout)
    return StoredSeries(layout, series.sources, shared.file.stored(series.numbers))


def _differ_in_numbers(series: Sequence[Series]) -> bool:
    """Return whether series may be equal in other runs but for times, values and sources."""
    has_long = any(
        getattr(each, name).nbytes > _MAX_SHARED_BYTES for each in series for name in _SHARED_COLUMNS
    )
    return not has_long and differ_in_numbers(series)


def _known_layout(layout: SeriesLayout, shared: Shared) -> SeriesLayout:
    """Return the known layout that equals this one."""
    share = partial(_with_shared_columns, source=layout.series[0].source, shared=shared)
    return shared_layout(layout, share, shared.known)


def _with_shared_columns(series: Series, source: Source, shared: Shared) -> Series:
    columns = {
        name: shared.column(column)
        for name in _SHARED_COLUMNS
        for column in (getattr(series, name),)
        if column.nbytes <= _MAX_SHARED_BYTES
    }
    phase, idle_after = _known(series.phase, shared), _known(series.idle_after, shared)
    return structs.replace(series, phase=phase, source=source, idle_after=idle_after, **columns)


def _known_environment(environment: Factors, known: dict[object, Any]) -> Factors:
    return cast(Factors, known.setdefault(repr(environment), environment))


def _known_column(column: NDArray[Any], known: dict[object, Any]) -> NDArray[Any]:
    return cast(NDArray[Any], known.setdefault((column.dtype.char, column.tobytes()), column))


def _stored_telemetry(telemetry: Iterable[Telemetry], file: ColumnFile) -> tuple[Telemetry, ...]:
    """Return telemetry with its columns in a file."""
    stored = _column_writer(file)  # devices have one column of times
    return tuple(
        replace(each, t=stored(each.t), columns={name: stored(c) for name, c in each.columns.items()})
        for each in telemetry
    )


def _column_writer(file: ColumnFile) -> Callable[[NDArray[Any]], NDArray[Any]]:
    """Return a function that writes columns of one run to the file; the same array is written only once."""
    columns: dict[int, NDArray[Any]] = {}

    def stored(column: NDArray[Any]) -> NDArray[Any]:
        if id(column) not in columns:
            columns[id(column)] = file.stored(column)
        return columns[id(column)]

    return stored


def _with_stored_columns(series: Sequence[Series], file: ColumnFile) -> tuple[Series, ...]:
    stored = _column_writer(file)  # phases have one column of times

    def own(each: Series) -> dict[str, Any]:
        shared = {name for name in _SHARED_COLUMNS if getattr(each, name).nbytes <= _MAX_SHARED_BYTES}
        names = ("begin", "value", *_SHARED_COLUMNS)
        return {name: stored(getattr(each, name)) for name in names if name not in shared}

    return tuple(structs.replace(each, **own(each)) for each in series)


RUNS: RunMapper[Run] = RunMapper(_same, _mark, _rename, _share, takes_digests=True)
