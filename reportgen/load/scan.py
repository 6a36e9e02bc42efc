"""Find the runs below files and folders and read them.

Every path becomes a `LogFiles` view; labels.toml files are taken out of it; what is one run as a folder is
set aside; the rest is offered to the formats and read in batches, here or, when there is enough to read, in
a process pool, with the same result (`reading`). The order is that of the ids (numbers in them counted as
numbers), so that neither the file system nor the pool shows in anything made of the runs.
"""

import gc
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Generic, TypeVar

from reportgen.core.errors import RequestError
from reportgen.core.factors import by_name
from reportgen.core.model import Finding, Run, Source
from reportgen.formats.detection import walk
from reportgen.labels import labels_toml
from reportgen.labels.labels_toml import Labels
from reportgen.labels.unused import Use, unused
from reportgen.load.duplicates import Trace, duplicates
from reportgen.load.worker import RUNS, Batch, Outcome, Read, Shape, Unit, ambiguity, read_batch
from reportgen.sources.logfiles import LogFiles

# Below this a pool costs more (starting processes, importing NumPy) than it saves.
_POOL_BYTES = 8 * 2**20
_POOL_UNITS = 200
_CHUNK_BYTES = 2**20
_CHUNK_UNITS = 64
_MANY = 2000
_OBJECTS = 200_000

T = TypeVar("T")
Progress = Callable[[int, int], None]


@contextmanager
def _seldom_collected() -> Iterator[None]:
    """Look for cycles seldom, here and in processes forked from here: of all that is read nothing has any.

    The collector would go through everything found so far again and again, a tenth of the time.
    """
    usual = gc.get_threshold()
    gc.set_threshold(_OBJECTS)
    try:
        yield
    finally:
        gc.set_threshold(*usual)


@dataclass(frozen=True)
class Gathered(Generic[T]):
    """What was found: what was made of the runs, ordered by id, and findings about files that became none.

    unclaimed  paths (below the argument) of files that no format recognises; to have some is normal
    """

    runs: tuple[T, ...]
    findings: tuple[Finding, ...]
    unclaimed: tuple[str, ...] = ()


Loaded = Gathered[Run]


@dataclass(frozen=True, slots=True)
class Survey:
    """What lies below one argument: folders that are runs, and files that are still to be offered.

    argument  its folder, relative to the root
    names     paths of the files to offer, below the argument
    own       the labels below the argument, each with the text it was read from
    """

    argument: str
    files: LogFiles
    units: tuple[Unit, ...]
    names: tuple[str, ...]
    known: tuple[Labels, ...]
    own: tuple[tuple[Labels, str], ...]
    findings: tuple[Finding, ...]


def load(
    paths: Sequence[str | Path],
    *,
    root: Path,
    progress: Progress | None = None,
    executor: Executor | None = None,
) -> Loaded:
    """Read all runs below the paths; arguments as those of `gather`."""
    return gather(paths, RUNS, root=root, progress=progress, executor=executor)


def gather(
    paths: Sequence[str | Path],
    shape: Shape[T],
    *,
    root: Path,
    progress: Progress | None = None,
    executor: Executor | None = None,
) -> Gathered[T]:
    """Return what a shape makes of all runs below the paths.

    paths     files or folders, relative to the root; RequestError if one is not there
    root      sources are relative to it; labels.toml between it and a path hold too
    progress  called with (files and folders read, all of them)
    executor  where to read instead of here or in a process pool of our own; it is not shut down
    """
    root = root.absolute()
    places = dict.fromkeys(Path(os.path.normpath(root / path)) for path in paths)
    with _seldom_collected():
        return _gather(places, shape, root, progress, executor)


def _gather(
    places: Iterable[Path], shape: Shape[T], root: Path, progress: Progress | None, executor: Executor | None
) -> Gathered[T]:
    surveys = _apart([survey(path, root) for path in places])
    findings = [finding for one in surveys for finding in one.findings]
    unclaimed: set[str] = set()
    used: set[Use] = set()
    reads: list[Read[T]] = []
    for outcome in _read_all(surveys, shape, progress, executor):
        reads += outcome.read
        findings += outcome.findings
        unclaimed.update(outcome.unclaimed)
        used.update(outcome.used)
    findings += [one for each in surveys for own in each.own for one in unused(*own, used)]
    reads.sort(key=lambda read: by_name(read.place))
    findings += [finding for read in reads for finding in read.findings]
    told = sorted(dict.fromkeys(findings), key=_order)
    return Gathered(tuple(_together(reads, surveys, shape)), tuple(told), tuple(sorted(unclaimed)))


def survey(path: Path, root: Path) -> Survey:
    """Return what lies below one path."""
    files, findings = LogFiles.at(path, root)
    argument = _folder(files.source("x").path)
    own = {
        _folder(files.source(name).path): name
        for name in files
        if name.rpartition("/")[2] == labels_toml.NAME
    }
    texts = {folder: _content(files, name) for folder, name in own.items()}
    below = [labels_toml.parse(content, folder) for folder, content in texts.items()]
    known = [*below, *_labels_above(path, root)]
    if own:
        files = files.exclude(own.values())
    places = {name.rpartition("/")[0]: folder for folder, name in own.items()} | {"": argument}
    told = {
        location: labels_toml.settings(labels_toml.above(place, known)) for location, place in places.items()
    }
    files = files.with_settings({location: table for location, table in told.items() if table})
    units: list[Unit] = []
    names: list[str] = []
    for claims, view, left in walk(files):
        for claimed in claims:
            findings = (*findings, *ambiguity(claimed))
            chain = tuple(labels_toml.above(claimed.files.source().path, known))
            units.append(Unit(claimed.format, claimed.files, chain))
        names += [view.id(name) for name in left]
    told_by = tuple((each, texts[each.folder].decode()) for each in below)
    return Survey(argument, files, tuple(units), tuple(names), tuple(known), told_by, findings)


def _labels_above(path: Path, root: Path) -> list[Labels]:
    """Return the labels between the root and a path below it; outside the root there are none."""
    found = []
    for folder in path.parents:
        file = folder / labels_toml.NAME
        if folder.is_relative_to(root) and file.is_file():
            below = folder.relative_to(root).as_posix()
            files = LogFiles({labels_toml.NAME: file}, prefix="" if below == "." else below)
            found.append(
                labels_toml.parse(
                    _content(files, labels_toml.NAME), _folder(files.source(labels_toml.NAME).path)
                )
            )
    return found


def _content(files: LogFiles, name: str) -> bytes:
    try:
        return files.bytes(name)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise RequestError(files.source(name).path, f"cannot be read: {reason}") from None


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _order(finding: Finding) -> tuple[object, ...]:
    source = finding.source or Source("")
    return (*by_name(source.path), source.line, finding.rule, finding.subject, finding.text, finding.severity)


def _apart(surveys: Sequence[Survey]) -> list[Survey]:
    """Return the surveys with everything once: arguments may overlap, and the first of them has it."""
    if len(surveys) < 2:
        return list(surveys)
    seen: set[str] = set()
    found = []
    for one in surveys:
        units = tuple(unit for unit in one.units if unit.files.source().path not in seen)
        names = tuple(name for name in one.names if _place(one, name) not in seen)
        seen.update(unit.files.source().path for unit in units)
        seen.update(_place(one, name) for name in names)
        found.append(replace(one, units=units, names=names))
    return found


def _place(one: Survey, name: str) -> str:
    return f"{one.argument}/{name}"


def _read_all(
    surveys: Sequence[Survey], shape: Shape[T], progress: Progress | None, executor: Executor | None
) -> Iterator[Outcome[T]]:
    """Yield the batches in order, read in processes where that pays; the result is the same."""
    batches = [batch for number, one in enumerate(surveys) for batch in _batches(number, one)]
    total, done = sum(map(len, batches)), 0
    with ExitStack() as stack:
        if executor is None and len(batches) > 1 and (total > _POOL_UNITS or _bytes(surveys) > _POOL_BYTES):
            workers = min(os.cpu_count() or 1, len(batches))
            executor = stack.enter_context(ProcessPoolExecutor(max_workers=workers))
        results = executor.map if executor else map
        for batch, outcome in zip(batches, results(partial(read_batch, shape=shape), batches), strict=True):
            done += len(batch)
            yield outcome
            if progress:
                progress(done, total)


def _batches(number: int, one: Survey) -> Iterator[Batch]:
    """Cut a survey into batches worth sending to another process: some files of about a MB, or a folder."""
    empty = one.files.select(())
    for unit in one.units:
        yield Batch(number, empty, (unit,))
    # Where there are many, chance evens sizes out, and asking for all of them takes time.
    sized = len(one.names) < _MANY
    names: list[str] = []
    size = 0
    for name in one.names:
        names.append(name)
        size += one.files.select([name]).total_size() if sized else 0
        if size >= _CHUNK_BYTES or len(names) >= _CHUNK_UNITS:
            yield Batch(number, one.files.select(names), known=one.known)
            names, size = [], 0
    if names:
        yield Batch(number, one.files.select(names), known=one.known)


def _bytes(surveys: Iterable[Survey]) -> int:
    return sum(one.files.total_size() for one in surveys)


def _together(reads: Sequence[Read[T]], surveys: Sequence[Survey], shape: Shape[T]) -> Iterator[T]:
    """Yield what was made of all runs, by id; with the argument before ids that occur below several."""
    counts = Counter(trace.id for read in reads for trace, _ in read.runs)
    runs: list[list[tuple[Trace, T]]] = []
    for read in reads:
        argument = surveys[read.argument].argument
        runs.append(
            [_renamed(*each, argument, shape) if counts[each[0].id] > 1 else each for each in read.runs]
        )
    repeated = duplicates(
        [read.print for read in reads],
        [[trace for trace, _ in found] for found in runs],
        lambda number: surveys[reads[number].argument].files.select(reads[number].files),
    )
    for number, position, finding in repeated:
        trace, made = runs[number][position]
        runs[number][position] = trace, shape.mark(made, finding)
    every = sorted((each for found in runs for each in found), key=lambda each: by_name(each[0].id))
    return (made for _, made in every)


def _renamed(trace: Trace, made: T, argument: str, shape: Shape[T]) -> tuple[Trace, T]:
    id = f"{argument}/{trace.id}".removeprefix("/")
    return trace._replace(id=id), shape.rename(made, id)
