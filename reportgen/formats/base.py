"""Define a log format: a `Format` has two functions over a view of files; the first returns a `Claim`."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from reportgen.core.model import Finding, Run, Source
from reportgen.sources.logfiles import LogFiles
from reportgen.sources.text import line_at

Results = Iterator[Run | Finding]


@dataclass(frozen=True, slots=True)
class Claim:
    """A format's statement that it can read a view.

    confidence  in (0, 1]: 1 where the content names the format itself
    source      the line that identifies the format; reason  the text of that line, for people
    files       the paths, relative to the view, that the format reads or explains
    beside      small files that the format also reads for several runs (`LogFiles.read_sibling`)
    is_whole    whether a document is itself what the format reads, and does not quote it
    """

    confidence: float
    source: Source
    reason: str
    files: tuple[str, ...]
    beside: tuple[str, ...] = ()
    is_whole: bool = False

    @classmethod
    def of_file(cls, files: LogFiles, confidence: float, reason: str, line: int = 0) -> "Claim":
        """Return a claim on the only file of a view, identified by one of its lines."""
        return cls(confidence, files.source(files.path, line), reason, (files.path,))

    @classmethod
    def at(cls, files: LogFiles, confidence: float, reason: str, head: bytes, offset: int) -> "Claim":
        """Return a claim on the only file of a view, identified by the line of an offset in its head."""
        return cls.of_file(files, confidence, reason, line_at(head, offset))


@dataclass(frozen=True, slots=True, eq=False)
class Format:
    """A log format: its name, how it is recognised and how it is read.

    summary  the content of such logs in one short sentence, for `reportgen formats`
    claims   looks at the content of a view, never only at a name
    read     gets the view restricted to the claimed files and never raises because of their content
    marks    literals: every file that the format claims has one of them in its name or its first 64 KiB, and
             `claims` is called only for such files, or for all files that have settings for the format.
             Without marks, `claims` is called for every file
    views    what it claims; folders are offered before the files in them
    evidence  what its files say of the run beside them, to which `load` joins them; "" for runs
    output   name of the file with what a measured program printed, "" if views have none
    version  of the reader; raised when it gets other numbers out of the same log, so that `reportgen diff`
             can say that the reader, and not the log, changed
    is_last  whether it is asked only about files that no other format claims, by their head or their tail
    begun    claims a log with what the program prints first and without a record; asked only about files that
             end in an error and that no format claims
    """

    name: str
    summary: str
    claims: Callable[[LogFiles], Claim | None]
    read: Callable[[LogFiles], Results]
    marks: tuple[bytes, ...] = ()
    views: Literal["files", "folders", "both"] = "files"
    is_last: bool = False
    begun: Callable[[LogFiles], Claim | None] | None = None
    evidence: Literal["", "telemetry", "profile"] = ""
    output: str = ""
    version: int = 1
