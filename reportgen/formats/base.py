"""What a reader is: a `Format`, two functions over a view of files, and the `Claim` that it makes to them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from reportgen.core.model import Finding, Run, Source
from reportgen.sources.logfiles import LogFiles


@dataclass(frozen=True, slots=True)
class Claim:
    """A format's word that it can read a view.

    confidence  in (0, 1]: 1 where the content names the format itself
    source      the line that gave it away; reason  what stands there, for people
    files       the paths, relative to the view, that the format reads or explains
    beside      small files of several runs that the reader looks at too (`LogFiles.read_sibling`)
    """

    confidence: float
    source: Source
    reason: str
    files: tuple[str, ...]
    beside: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Format:
    """A log format: what it is called, how it is recognised and how it is read.

    claims  is asked about every folder first and about every file left over after that; looks at the
            content, never only at a name
    read    gets the view restricted to the claimed files and never raises on their content
    marks   literals of which one stands in the name or the first 64 KiB of every file that it claims; it is
            not asked about others, unless the settings name it. Without marks it is asked about everything
    folders whether a format with marks claims folders too
    is_last whether it is asked only about what no other format knows, by its begin or its end
    """

    name: str
    claims: Callable[[LogFiles], Claim | None]
    read: Callable[[LogFiles], Iterator[Run | Finding]]
    marks: tuple[bytes, ...] = ()
    folders: bool = False
    is_last: bool = False
