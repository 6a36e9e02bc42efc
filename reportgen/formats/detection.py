"""Decide which format reads which files.

`discover` walks a tree from the top: a folder that is one run is claimed as a folder, the remaining files are
claimed one by one, and files that no format claims are listed.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache

from reportgen.core.model import Finding
from reportgen.core.rules import Rule
from reportgen.formats.base import Claim, Format
from reportgen.formats.parsing.literal_search import Marks
from reportgen.formats.registry import FORMATS
from reportgen.sources.logfiles import LogFiles, unreadable


@dataclass(frozen=True, slots=True)
class Claimed:
    """A view and the format that reads it: `files` holds the claimed files alone.

    rivals  names of formats that were just as sure of the same files
    """

    format: Format
    claim: Claim
    files: LogFiles
    rivals: tuple[str, ...] = ()

    def ambiguity(self) -> Finding | None:
        """Return the finding for files that several formats claim with equal confidence."""
        if not self.rivals:
            return None
        message = (
            f"read as {self.format.name}, but {', '.join(self.rivals)} is just as sure "
            f"({self.claim.confidence:g})"
        )
        return Finding("warning", Rule.READ_AMBIGUOUS_FORMAT, self.files.id(), message, self.claim.source)


def detect(files: LogFiles, formats: Iterable[Format] = FORMATS) -> Claimed | None:
    """Return the format that is surest of a view, None where no format claims it.

    All formats that could claim it are asked, so that the answer does not depend on the order of asking;
    those of last resort where no other claims it.
    """
    known = tuple(formats)
    asked = _of_folders(known) if files.is_folder else _asked(files, known)
    claims = _claims(files, asked, is_last=False) or _claims(files, asked, is_last=True)
    if not claims:
        return None
    best, winner = max(claims, key=lambda pair: pair[0].confidence)
    rivals = tuple(
        one.name
        for claim, one in claims
        if one is not winner and claim.confidence == best.confidence and set(claim.files) & set(best.files)
    )
    return Claimed(winner, best, files.select(best.files, best.beside), rivals)


def _claims(files: LogFiles, asked: Iterable[Format], *, is_last: bool) -> list[tuple[Claim, Format]]:
    known = (one for one in asked if one.is_last == is_last)
    return [(claim, one) for one in known if (claim := one.claims(files)) is not None]


@lru_cache(maxsize=8)
def _of_folders(formats: tuple[Format, ...]) -> list[Format]:
    return [known for known in formats if known.folders or not known.marks]


@lru_cache(maxsize=8)
def _marks(formats: tuple[Format, ...]) -> tuple[Marks, Mapping[bytes, list[int]], list[int]]:
    """Return all marks, the positions of the formats that have each, and of those that have none."""
    having: dict[bytes, list[int]] = {}
    for position, known in enumerate(formats):
        for mark in known.marks:
            having.setdefault(mark, []).append(position)
    return Marks(having), having, [position for position, known in enumerate(formats) if not known.marks]


def _asked(files: LogFiles, formats: tuple[Format, ...]) -> list[Format]:
    """Return the formats that could claim a file, by their marks."""
    path, settings = files.path, files.settings
    marks, having, always = _marks(formats)
    found = marks.in_text(b"%b\n%b" % (path.encode(), files.head(path)))
    asked = {*always, *(position for mark in found for position in having[mark])}
    if settings:
        asked |= {position for position, known in enumerate(formats) if known.name in settings}
    return [formats[position] for position in sorted(asked)]


@dataclass(slots=True)
class Discovery:
    """What a tree of files holds; `unclaimed` are paths below the argument that no format recognises."""

    claimed: list[Claimed] = field(default_factory=list)
    unclaimed: list[str] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)


def discover(files: LogFiles, formats: Iterable[Format] = FORMATS) -> Discovery:
    """Return what is claimed in a tree, a folder before its files, and what nobody claims or can open."""
    formats = tuple(formats)
    found = Discovery()
    for claimed, view, names in walk(files, formats):
        found.claimed += claimed
        for name in names:
            _offer_file(view.file(name), formats, found)
    return found


def walk(
    files: LogFiles, formats: Iterable[Format] = FORMATS
) -> Iterator[tuple[list[Claimed], LogFiles, list[str]]]:
    """Yield each folder of a tree: what it is claimed for, a view of it, the names of the files left."""
    formats = tuple(formats)
    pending = [files]
    while pending:
        view = pending.pop()
        claims: list[Claimed] = []
        # A second run may lie in the same folder, so what is left is offered again as a whole.
        while view.is_folder and (claimed := _offer_folder(view, formats)):
            claims.append(claimed)
            view = view.exclude(claimed.files)
        names, folders = view.children()
        pending += [view.subfolder(name) for name in folders]
        yield claims, view, names


def _offer_folder(view: LogFiles, formats: Iterable[Format]) -> Claimed | None:
    try:
        claimed = detect(view, formats)
    except OSError:
        return None  # the file that could not be opened is offered by itself, and says so there
    return claimed if claimed and len(claimed.files) else None


def offer(view: LogFiles, formats: Iterable[Format] = FORMATS) -> Claimed | None:
    """Return the format that is surest of a file by its begin, else by its end; OSError as from `detect`.

    What comes before the first line of a benchmark is no matter of its own: some containers print a lot. A
    format of last resort leaves a file to any other that knows its end.
    """
    claimed = detect(view, formats)
    if claimed and not claimed.format.is_last:
        return claimed
    if not (at_end := view.tail_view()) or not (late := detect(at_end, formats)):
        return claimed
    if claimed and late.format.is_last:
        return claimed
    # Nobody counted the lines before, and a reader wants the begin.
    claim = replace(late.claim, source=replace(late.claim.source, line=0))
    return replace(late, claim=claim, files=view.select([view.path], claim.beside))


def _offer_file(view: LogFiles, formats: Iterable[Format], found: Discovery) -> None:
    try:
        claimed = offer(view, formats)
    except OSError as error:
        found.findings.append(unreadable(view.source(view.path), error))
        return
    if claimed:
        found.claimed.append(claimed)
    else:
        found.unclaimed.append(view.id(view.path))
