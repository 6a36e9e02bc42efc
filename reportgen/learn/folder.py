"""Propose definitions for the tables in a folder: one for each kind of table, checked on all of its files."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from pathlib import PurePosixPath

from reportgen.core.factors import natural_key
from reportgen.core.model import Finding
from reportgen.formats.detection import offer, walk
from reportgen.formats.filetype import no_text
from reportgen.formats.registry import FORMATS
from reportgen.formats.tables import own_table, parquet
from reportgen.formats.tables.interpret import TableReading
from reportgen.learn.tables import (
    TableProposal,
    best_reading,
    labels_text,
    numbers_read,
    propose_table,
    why_not,
)
from reportgen.sources.logfiles import LogFiles

# What these read, or refuse, a definition may read better.
_LAST = (own_table.FORMAT, parquet.FORMAT)
_MAX_CHECKED = 500
# A shorter beginning that names of files share does not say what they are.
_MIN_NAME = 3


@dataclass(frozen=True, slots=True)
class OpenTable:
    """Tables that need an answer first: the first of their paths, their number, the reason and the remedy."""

    path: str
    count: int
    fact: str
    remedy: str


@dataclass(frozen=True, slots=True)
class TablesProposal:
    """The definitions proposed for the tables below a path.

    known      format -> number of files that it reads already
    questions  tables that need an answer first
    others     paths of text files without a table
    """

    tables: tuple[TableProposal, ...]
    known: Mapping[str, int]
    questions: tuple[OpenTable, ...] = ()
    others: tuple[str, ...] = ()

    @property
    def toml(self) -> str:
        """Text of a labels.toml with all definitions."""
        return labels_text(self.tables)

    def document(self) -> dict[str, object]:
        """Return the proposals as JSON has them."""
        return {
            "tables": [table.document() for table in self.tables],
            "known": dict(self.known),
            "questions": [
                {"path": each.path, "files": each.count, "fact": each.fact, "remedy": each.remedy}
                for each in self.questions
            ],
            "others": list(self.others),
            "toml": self.toml,
        }

    def written(self) -> dict[str, bytes]:
        """Return what `--write` writes, by path; nothing without a definition."""
        return {"labels.toml": self.toml.encode()} if self.tables else {}


def propose_tables(
    files: LogFiles, answers: Mapping[str, str], skipped: Sequence[Finding] = ()
) -> TablesProposal:
    """Return definitions for the tables in a folder that no other format reads.

    answers  column -> unit
    skipped  findings about files that cannot be opened, such as a workbook without openpyxl
    """
    known: dict[str, int] = {}
    others: list[str] = []
    questions = _unopened(skipped)
    kinds: dict[object, list[tuple[LogFiles, TableReading]]] = {}
    for view in sorted(_views(files, known), key=lambda view: natural_key(view.source(view.path).path)):
        reading = best_reading(view, answers)
        if reading is None and (reason := why_not(view)):
            questions.append(OpenTable(view.source(view.path).path, 1, *reason))
        elif reading is None or reading.series:
            others += [] if no_text(view.head(view.path)) else [view.source(view.path).path]
        else:
            kinds.setdefault(_kind(reading), []).append((view, reading))
    tables: list[TableProposal] = []
    for members in kinds.values():
        view = members[0][0]
        own = {column: unit for column, unit in answers.items() if column in members[0][1].table.columns}
        taken = [table.name for table in tables]
        if proposal := propose_table(view, own, taken, _shared_name([view for view, _ in members])):
            tables.append(_of_all(proposal, [view for view, _ in members]))
        elif reason := why_not(view, own):
            questions.append(OpenTable(view.source(view.path).path, len(members), *reason))
        else:
            others += [view.source(view.path).path for view, _ in members]
    return TablesProposal(tuple(tables), known, tuple(questions), tuple(sorted(others, key=natural_key)))


def _unopened(skipped: Sequence[Finding]) -> list[OpenTable]:
    """Return the files that cannot be opened, one for each reason."""
    paths: dict[str, list[str]] = {}
    for finding in skipped:
        paths.setdefault(finding.message, []).append(str(finding.source or finding.subject))
    parts = ((message.partition(": "), files) for message, files in paths.items())
    return [OpenTable(files[0], len(files), fact, remedy) for (fact, _, remedy), files in parts]


def _views(files: LogFiles, known: dict[str, int]) -> Iterator[LogFiles]:
    """Yield the files that no format reads, or only a format of last resort; count the others."""
    for claims, view, names in walk(files, FORMATS):
        for each in claims:
            known[each.format.name] = known.get(each.format.name, 0) + len(each.files)
        for name in sorted(names, key=natural_key):
            if name == "labels.toml":
                continue
            file = view.file(name)
            try:
                claimed = offer(file)
            except OSError:
                continue
            if claimed is None or claimed.format in _LAST or claimed.quoted_in:
                yield parquet.as_text(file)
            else:
                known[claimed.format.name] = known.get(claimed.format.name, 0) + 1


def _kind(reading: TableReading) -> object:
    """Return what files of one kind share: the place of the rows and the columns."""
    rows = reading.table.rows
    place = rows.kind, rows.path, rows.separator, tuple(rows.decimal), rows.header
    if reading.files:  # the metric is stated beside the columns
        return place, tuple((figure.column, figure.metric, figure.unit) for figure in reading.figures)
    if reading.table.is_json:
        return place, frozenset(figure.column for figure in reading.figures)
    return place, frozenset(reading.table.columns)


def _shared_name(views: Sequence[LogFiles]) -> str:
    """Return how the names of several files begin, else the name of their folder; "" for neither."""
    names = [PurePosixPath(view.source(view.path).path) for view in views]
    start = re.sub(r"[^A-Za-z]+$", "", _shared_start([name.stem for name in names]))
    folders = {name.parent.name for name in names}
    if len(names) > 1 and len(start) >= _MIN_NAME:
        return start.replace(".", "-")
    return folders.pop() if len(names) > 1 and len(folders) == 1 else ""


def _shared_glob(paths: Sequence[PurePosixPath]) -> str:
    """Return a glob for files whose names begin and end alike; "" if it would match others, too."""
    begin, ends = _shared_start([path.name for path in paths]), {path.suffix for path in paths}
    return f"{begin}*{ends.pop()}" if len(begin) >= _MIN_NAME and len(ends) == 1 else ""


def _shared_start(texts: Sequence[str]) -> str:
    """Return how all of several texts begin."""
    letters = takewhile(lambda each: len(set(each)) == 1, zip(*texts, strict=False))
    return "".join(first for first, *_ in letters)


def _of_all(proposal: TableProposal, views: list[LogFiles]) -> TableProposal:
    """Return a proposal with all of its files; the definition is checked on them."""
    if "files" in proposal.table and len(views) > 1:
        names = [PurePosixPath(view.source(view.path).path) for view in views]
        if glob := _shared_glob(names):
            proposal = replace(proposal, table={**proposal.table, "files": glob})
    notes = list(proposal.notes)
    lost = [
        view.source(view.path).path for view in views[:_MAX_CHECKED] if not numbers_read(view, proposal.table)
    ]
    if lost:
        notes.append(f"no number is read from {len(lost)} of {len(views)} files, such as {lost[0]}")
    return replace(proposal, files=tuple(view.source(view.path).path for view in views), notes=tuple(notes))
