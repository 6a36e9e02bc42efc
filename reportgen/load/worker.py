"""Read what lies in a batch of files: who claims each file, its runs, and what is to be made of them.

This is the part of `load` that runs in other processes. A batch goes in, of files that are still to be
offered to the formats and of folders that are one run; what comes back is small: what the caller makes of
each run (a Shape), and the little that a whole load must know of it. The files themselves, and where nobody
needs them the steps, stay where they were read.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Generic, NamedTuple, TypeVar

import numpy as np

from reportgen.core.model import Finding, Run, Source
from reportgen.core.rules import Rule
from reportgen.formats.base import Format
from reportgen.formats.detection import Claimed, offer
from reportgen.formats.filetype import compression
from reportgen.labels.apply import Labeller
from reportgen.labels.labels_toml import Labels, above
from reportgen.labels.unused import Use
from reportgen.load.duplicates import Print, Trace, print_of, trace
from reportgen.load.normalize import wellformed
from reportgen.load.truncated import with_gap
from reportgen.sources.logfiles import LogFiles, unreadable

T = TypeVar("T")

# What is read of so many bytes of logs is held at once.
_PORTION = 4 * 2**20


@dataclass(frozen=True)
class Shape(Generic[T]):
    """What is made of a run where it is read, and how that is changed afterwards.

    mark    with one more finding of the run
    rename  with another id
    """

    make: Callable[[Run], T]
    mark: Callable[[T, Finding], T]
    rename: Callable[[T, str], T]


@dataclass(frozen=True, slots=True)
class Unit:
    """A folder that is one run (or several), the format that reads it, and the labels that hold for it."""

    format: Format
    files: LogFiles
    chain: tuple[Labels, ...]


@dataclass(frozen=True, slots=True)
class Batch:
    """What is read at once: files by themselves, and folders.

    argument  the number of the argument that all was found below
    files     a view of the files that are to be offered one by one
    known     the labels that may hold for them
    """

    argument: int
    files: LogFiles
    units: tuple[Unit, ...] = ()
    known: tuple[Labels, ...] = ()

    def __len__(self) -> int:
        return len(self.files) + len(self.units)


class Read(NamedTuple, Generic[T]):
    """What was read at once: its place relative to the root, its files below the argument, its runs."""

    place: str
    argument: int
    files: tuple[str, ...]
    print: Print
    runs: tuple[tuple[Trace, T], ...]
    findings: tuple[Finding, ...]


class Outcome(NamedTuple, Generic[T]):
    """A batch read: what was claimed; findings about files that became no run; files nobody claims.

    used  what of the labels came to bear
    """

    read: list[Read[T]]
    findings: list[Finding]
    unclaimed: list[str]
    used: set[Use]


def read_batch(batch: Batch, shape: Shape[T]) -> Outcome[T]:
    """Read a batch; what cannot be opened is a finding.

    All files are recognised, then some are read, then something is made of their runs: to do one thing for
    many is faster than many things for one, and large files are as many by themselves.
    """
    found = Outcome[T]([], [], [], set())
    for units in _portions([*_recognised(batch, found), *batch.units]):
        for unit, (runs, findings) in [(unit, _runs(unit, found.used)) for unit in units]:
            view, made = unit.files, tuple((trace(run), shape.make(run)) for run in runs)
            files = tuple(view.id(path) for path in view)
            found.read.append(
                Read(_place(view).path, batch.argument, files, print_of(view), made, tuple(findings))
            )
    return found


def ambiguity(claimed: Claimed) -> Sequence[Finding]:
    """Return the finding for files that several formats claim alike, if they do."""
    finding = claimed.ambiguity()
    return [finding] if finding else []


def _portions(units: Sequence[Unit]) -> Iterator[list[Unit]]:
    """Cut units into what is in memory at once."""
    portion: list[Unit] = []
    size = 0
    for unit in units:
        portion.append(unit)
        size += unit.files.total_size()
        if size >= _PORTION:
            yield portion
            portion, size = [], 0
    yield portion


def _recognised(batch: Batch, found: Outcome[T]) -> Iterator[Unit]:
    """Yield the files of a batch that a format claims, and note the others."""
    for path in batch.files:
        view = batch.files.file(path)
        try:
            claimed = offer(view)
        except OSError as error:
            found.findings.append(unreadable(_place(view), error))
            continue
        if claimed is None:
            found.unclaimed.append(view.id(view.path))
            found.findings.extend(_unpacked(view))
            continue
        found.findings.extend(ambiguity(claimed))
        chain = tuple(above(_place(view).path, batch.known)) if batch.known else ()
        yield Unit(claimed.format, claimed.files, chain)


def _unpacked(view: LogFiles) -> Iterator[Finding]:
    """Yield the finding for a file that may be a packed log; checkpoints and arrays are zip files."""
    packed = compression(view.head(view.path))
    if packed and packed != "zip":
        place = _place(view)
        message = f"is compressed with {packed} and was skipped; decompress it if it is a log"
        yield Finding("warning", Rule.READ_PACKED_FILE, place.path, message, place)


@np.errstate(all="ignore")
def _runs(unit: Unit, used: set[Use]) -> tuple[list[Run], list[Finding]]:
    """Return the runs of a unit, with their labels and mended where they must be, and its findings.

    What of the labels came to bear is added to `used`.
    What overflows when a reader scales it is infinite and no longer measured: nothing to warn of on stderr.
    """
    view, place = unit.files, _place(unit.files)
    labelled = Labeller(place.path, unit.chain) if unit.chain else None
    runs: list[Run] = []
    findings: list[Finding] = []
    try:
        gaps = [(path, lines) for path in view if (lines := view.lines_before_gap(path)) is not None]
        for found in unit.format.read(view):
            if isinstance(found, Run):
                run = wellformed(labelled(found) if labelled else found)
                for path, lines in gaps:
                    run = with_gap(run, view, path, lines)
                runs.append(run)
            else:
                findings.append(found)
    except OSError as error:
        findings.append(unreadable(place, error))
    if labelled:
        used |= labelled.used
    return runs, findings


def _place(view: LogFiles) -> Source:
    return view.source() if view.is_folder else view.source(view.path)


def _same(run: Run) -> Run:
    return run


def _marked(run: Run, finding: Finding) -> Run:
    return replace(run, findings=(*run.findings, finding))


def _renamed(run: Run, id: str) -> Run:
    findings = tuple(
        replace(finding, subject=id) if finding.subject == run.id else finding for finding in run.findings
    )
    return replace(run, id=id, findings=findings)


RUNS: Shape[Run] = Shape(_same, _marked, _renamed)
