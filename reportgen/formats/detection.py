"""Decide which format reads which files.

`discover` walks a tree from the top: a folder that is one run is claimed as a folder, the remaining files are
claimed one by one, and files that no format claims are listed.
"""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace

from msgspec import structs

from reportgen.core.model import Finding
from reportgen.core.rules import Rule
from reportgen.formats.base import Claim, Format
from reportgen.formats.filetype import Role, role
from reportgen.formats.parsing.exit_status import error, is_error_last
from reportgen.formats.registry import FORMATS, Registry
from reportgen.sources.logfiles import LogFiles, unreadable

# A claim with less confidence is about a library: the program that called it may be in the tail of the file.
_MAX_UNSURE = 0.75


@dataclass(frozen=True, slots=True)
class Claimed:
    """A format and the view that it reads: `files` holds the claimed files alone.

    rivals     names of formats that claim the same files with the same confidence
    quoted_in  "code" or "document" if the file quotes lines of a log and is not a run itself
    """

    format: Format
    claim: Claim
    files: LogFiles
    rivals: tuple[str, ...] = ()
    quoted_in: Role | None = None

    def quote(self, *, is_named: bool) -> Finding | None:
        """Return the finding for a document or program that contains lines of a log and is not read.

        is_named  whether the user named the file: then a document is read
        """
        if self.quoted_in is None or (is_named and self.quoted_in == "document"):
            return None
        message = (
            f"a program that contains lines of a log ({self.format.name}); not read"
            if self.quoted_in == "code"
            else f"a document that quotes a log ({self.format.name}); it is read only if it is named itself"
        )
        return Finding("note", Rule.READ_EXCERPT, self.files.id(), message, self.claim.source)

    def excerpt(self) -> Finding | None:
        """Return the finding for a document that is read because the user named it; None for others.

        Its own tables may have other results than the lines that it quotes.
        """
        if self.quoted_in != "document":
            return None
        message = (
            f"a document, of which only what {self.format.name} prints is read;"
            f" for its own tables: reportgen learn {self.claim.source.path}"
        )
        return Finding("warning", Rule.READ_EXCERPT, self.files.id(), message, self.claim.source)

    def ambiguity(self) -> Finding | None:
        """Return the finding for files that several formats claim with equal confidence."""
        if not self.rivals:
            return None
        message = (
            f"read as {self.format.name}; {', '.join(self.rivals)} claimed it with the same confidence "
            f"({self.claim.confidence:g})"
        )
        return Finding("warning", Rule.READ_AMBIGUOUS_FORMAT, self.files.id(), message, self.claim.source)


def detect(files: LogFiles, formats: Registry = FORMATS) -> Claimed | None:
    """Return the format that claims a view with the most confidence, None if no format claims it.

    All candidates are asked, so that the answer does not depend on their order; formats of last resort only
    if no other format claims the view.
    """
    asked = formats.candidates(files)
    claims: list[tuple[Claim, Format]] = []
    for is_last in (False, True):
        now = (known for known in asked if known.is_last == is_last)
        claims = claims or [(claim, known) for known in now if (claim := known.claims(files))]
    if not claims:
        return None
    best, winner = max(claims, key=lambda pair: pair[0].confidence)
    rivals = tuple(
        known.name
        for claim, known in claims
        if known is not winner and claim.confidence == best.confidence and set(claim.files) & set(best.files)
    )
    return Claimed(winner, best, files.select(best.files, best.beside), rivals)


@dataclass(slots=True)
class Discovery:
    """The claims in a tree of files; `unclaimed` are paths below the root that no format recognises."""

    claimed: list[Claimed] = field(default_factory=list)
    unclaimed: list[str] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)


def discover(files: LogFiles, formats: Registry = FORMATS) -> Discovery:
    """Return the claims in a tree, those on folders before their files, and the files without a claim."""
    discovery = Discovery()
    for claims, view, names in walk(files, formats):
        discovery.claimed += claims
        for name in names:
            try:
                claimed = offer(view.file(name), formats)
            except OSError as error:
                discovery.findings.append(unreadable(view.source(name), error))
                continue
            quote = claimed.quote(is_named=not files.is_folder) if claimed else None
            if quote:
                discovery.findings.append(quote)
            if claimed and not quote:
                discovery.claimed.append(claimed)
            else:
                discovery.unclaimed.append(view.id(name))
    return discovery


def walk(files: LogFiles, formats: Registry = FORMATS) -> Iterator[tuple[list[Claimed], LogFiles, list[str]]]:
    """Yield for each folder of a tree: its claims, a view of the rest, the names of the remaining files."""
    pending = [files]
    while pending:
        view = pending.pop()
        claims: list[Claimed] = []
        # A folder may hold a second run, so the rest is offered again as a whole. A file in it that cannot
        # be opened is offered by itself later, and reported there.
        with suppress(OSError):
            while view.is_folder and len(view) and (claimed := detect(view, formats)) and len(claimed.files):
                claims.append(claimed)
                view = view.exclude(claimed.files)
        names, folders = view.children()
        pending += [view.subfolder(name) for name in folders]
        yield claims, view, names


def offer(view: LogFiles, formats: Registry = FORMATS) -> Claimed | None:
    """Return the format that claims a file by its head, else by its tail; OSError as from `detect`.

    Some containers print more than a head before the benchmark begins, and earlier launches may have failed
    in it. A format of last resort gives way to any other that recognises the tail, and a library's format to
    that of the program that called it. A program that failed before its first record is recognised by what
    it prints first. Lines of a log in code or in a document are claimed as a quote.
    """
    claimed = _claim_by_head_or_tail(view, formats) or _claim_failed(view, formats)
    if claimed is None or claimed.claim.is_whole:
        return claimed
    return replace(claimed, quoted_in=role(view.path, view.head(view.path)))


def _claim_by_head_or_tail(view: LogFiles, formats: Registry) -> Claimed | None:
    claimed = detect(view, formats)
    if claimed and not claimed.format.is_last and claimed.claim.confidence > _MAX_UNSURE:
        return claimed
    if not (at_end := view.tail_view()) or not (late := detect(at_end, formats)):
        return claimed
    if claimed and (late.format.is_last or not _is_surer(late, claimed)):
        return claimed
    # The line in the whole file is unknown, and the reader needs the file from its beginning.
    claim = replace(late.claim, source=structs.replace(late.claim.source, line=0))
    return replace(late, claim=claim, files=view.select([view.path], claim.beside))


def _claim_failed(view: LogFiles, formats: Registry) -> Claimed | None:
    """Return the first format whose program began a log and failed soon, without a record."""
    for known in formats.candidates(view):
        if known.begun and (claim := known.begun(view)) and _ends_in_error(view):
            return Claimed(known, claim, view.select(claim.files, claim.beside))
    return None


def _ends_in_error(view: LogFiles) -> bool:
    """Return whether an error comes soon, before any step, and is also the last output."""
    end = view.tail_view() or view
    return error(view.head(view.path))[0] is not None and is_error_last(end.head(end.path))


def _is_surer(late: Claimed, early: Claimed) -> bool:
    return early.format.is_last or late.claim.confidence > early.claim.confidence
