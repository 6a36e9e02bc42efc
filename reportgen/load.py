"""Find the runs below files and folders and read them.

Every path becomes a `LogFiles` view; labels.toml files are taken out of it; `formats.discover` says which
format reads what; the readers run here or, when there is enough to read, in a process pool, with the same
result. The order is that of the ids (numbers in them counted as numbers), so that neither the file system
nor the pool shows in anything made of the runs.
"""

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from reportgen import labels
from reportgen.duplicates import mark_duplicates
from reportgen.errors import RequestError
from reportgen.formats import by_name, discover
from reportgen.labelling import apply
from reportgen.labels import Labels
from reportgen.logfiles import LogFiles, unreadable
from reportgen.model import Finding, Run, Source
from reportgen.wellformed import wellformed

# Below this a pool costs more (starting processes, importing NumPy) than it saves.
_POOL_BYTES = 8 * 2**20
_POOL_UNITS = 200
_CHUNK_BYTES = 2**20
_CHUNK_UNITS = 64
_DIGITS = re.compile(r"([0-9]+)")

Progress = Callable[[int, int], None]
Read = tuple[list[Run], list[Finding]]


@dataclass(frozen=True, slots=True)
class Loaded:
    """What was found: runs ordered by id, findings about files that became no run.

    unclaimed  paths (below the argument) of files that no format recognises; to have some is normal
    """

    runs: tuple[Run, ...]
    findings: tuple[Finding, ...]
    unclaimed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Unit:
    """What one format reads at once: the argument it was found below, and the labels that hold for it."""

    argument: str
    format: str
    files: LogFiles
    chain: tuple[Labels, ...]

    @property
    def place(self) -> Source:
        """The file or folder, relative to the root."""
        return self.files.source() if self.files.is_folder else self.files.source(self.files.path)


def load(paths: Sequence[str | Path], *, root: Path, progress: Progress | None = None,
         executor: Executor | None = None) -> Loaded:
    """Read all runs below the paths.

    paths     files or folders, relative to the root; RequestError if one is not there
    root      sources are relative to it; labels.toml between it and a path hold too
    progress  called with (units read, units in all)
    executor  where to read instead of here or in a process pool of our own; it is not shut down
    """
    units: dict[Source, Unit] = {}
    findings: list[Finding] = []
    unclaimed: set[str] = set()
    root = root.absolute()
    for path in dict.fromkeys(Path(os.path.normpath(root / path)) for path in paths):
        found, trouble, rest = find_units(path, root)
        # Arguments may overlap; a log is read once, below the first of them.
        units = {unit.place: unit for unit in found} | units
        findings += trouble
        unclaimed.update(rest)
    ordered = sorted(units.values(), key=lambda unit: _by_name(unit.place.path))
    results = _read_all(ordered, progress, executor)
    findings += [finding for _, trouble in results for finding in trouble]
    runs = _with_unique_ids(ordered, [found for found, _ in results])
    marked = sorted(mark_duplicates([unit.files for unit in ordered], runs), key=lambda run: _by_name(run.id))
    told = sorted(dict.fromkeys(findings), key=_order)
    return Loaded(tuple(marked), tuple(told), tuple(sorted(unclaimed)))


def find_units(path: Path, root: Path) -> tuple[list[Unit], list[Finding], list[str]]:
    """Return what is to be read below one path, what cannot be, and the files that nobody claims."""
    files, findings = LogFiles.at(path, root)
    argument = _folder(files.source("x").path)
    own = {_folder(files.source(name).path): name for name in files if name.rpartition("/")[2] == labels.NAME}
    known = [labels.parse(_content(files, name), folder) for folder, name in own.items()]
    known += _labels_above(path, root)
    if own:
        files = files.without(own.values())
    places = {name.rpartition("/")[0]: folder for folder, name in own.items()} | {"": argument}
    found = discover(files.with_settings({location: labels.settings(labels.above(place, known))
                                          for location, place in places.items()}))
    ambiguities = [ambiguity for claimed in found.claimed if (ambiguity := claimed.ambiguity())]
    units = [Unit(argument, claimed.format.name, claimed.files, ()) for claimed in found.claimed]
    units = [replace(unit, chain=tuple(labels.above(unit.place.path, known))) for unit in units]
    return units, [*findings, *found.findings, *ambiguities], found.unclaimed


def read_unit(unit: Unit) -> Read:
    """Read one unit and apply its labels; what cannot be read is a finding."""
    runs: list[Run] = []
    findings: list[Finding] = []
    try:
        for found in by_name(unit.format).read(unit.files):
            if isinstance(found, Run):
                runs.append(wellformed(apply(found, unit.place.path, unit.chain)))
            else:
                findings.append(found)
    except OSError as error:
        findings.append(unreadable(unit.place, error))
    return runs, findings


def natural(text: str) -> tuple[tuple[str, int], ...]:
    """Return a sorting key that puts r2 before r10."""
    parts = _DIGITS.split(text)
    return tuple((word, int(number)) for word, number in zip(parts[::2], [*parts[1::2], "-1"], strict=True))


def _labels_above(path: Path, root: Path) -> list[Labels]:
    """Return the labels between the root and a path below it; outside the root there are none."""
    found = []
    for folder in path.parents:
        file = folder / labels.NAME
        if folder.is_relative_to(root) and file.is_file():
            below = folder.relative_to(root).as_posix()
            files = LogFiles({labels.NAME: file}, prefix="" if below == "." else below)
            found.append(labels.parse(_content(files, labels.NAME), _folder(files.source(labels.NAME).path)))
    return found


def _content(files: LogFiles, name: str) -> bytes:
    try:
        return files.bytes(name)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise RequestError(files.source(name).path, f"cannot be read: {reason}") from None


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _by_name(text: str) -> tuple[object, ...]:
    # r1 and r01 are the same number: their texts decide.
    return natural(text), text


def _order(finding: Finding) -> tuple[object, ...]:
    source = finding.source or Source("")
    return (*_by_name(source.path), source.line, finding.rule, finding.subject, finding.message,
            finding.severity)


def _read_all(units: Sequence[Unit], progress: Progress | None, executor: Executor | None) -> list[Read]:
    """Read the units in order, in processes where that pays; the result is the same."""
    chunks = _chunks(units)
    if executor is None and len(chunks) > 1 and (len(units) > _POOL_UNITS or _bytes(units) > _POOL_BYTES):
        with ProcessPoolExecutor(max_workers=min(os.cpu_count() or 1, len(chunks))) as pool:
            return _collect(pool.map(_read_chunk, chunks), len(units), progress)
    return _collect(executor.map(_read_chunk, chunks) if executor else map(_read_chunk, chunks),
                    len(units), progress)


def _collect(chunks: Iterable[list[Read]], total: int, progress: Progress | None) -> list[Read]:
    results: list[Read] = []
    for chunk in chunks:
        results += chunk
        if progress:
            progress(len(results), total)
    return results


def _read_chunk(units: Sequence[Unit]) -> list[Read]:
    return [read_unit(unit) for unit in units]


def _chunks(units: Sequence[Unit]) -> list[list[Unit]]:
    """Cut the units into chunks worth sending to another process: about 1 MB or 64 units each."""
    chunks: list[list[Unit]] = []
    size = _CHUNK_BYTES
    for unit in units:
        if size >= _CHUNK_BYTES or len(chunks[-1]) >= _CHUNK_UNITS:
            chunks.append([])
            size = 0
        chunks[-1].append(unit)
        size += _bytes([unit])
    return chunks


def _bytes(units: Iterable[Unit]) -> int:
    return sum(unit.files.total_size() for unit in units)


def _with_unique_ids(units: Sequence[Unit], runs: Sequence[list[Run]]) -> list[list[Run]]:
    """Put the argument before ids that occur below several arguments."""
    counts = Counter(run.id for found in runs for run in found)
    return [[_renamed(run, unit.argument) if counts[run.id] > 1 else run for run in found]
            for unit, found in zip(units, runs, strict=True)]


def _renamed(run: Run, argument: str) -> Run:
    id = f"{argument}/{run.id}".removeprefix("/")
    findings = tuple(replace(finding, subject=id) if finding.subject == run.id else finding
                     for finding in run.findings)
    return replace(run, id=id, findings=findings)
