"""Put generated tables between markers in hand-written files, and change nothing else.

    <!-- reportgen:begin resnet50/fp32-b128 -->
    (the table)
    <!-- reportgen:end sum=2c26b46b68ff -->

The sum in the end marker is the checksum of the text between the markers. If it does not match, the table was
edited by hand: this is reported, and the edit is never overwritten (the idea is cog's). An end marker without
a sum is new, and the text before it is replaced. A marker is alone on its line, indented by up to 3 spaces.
Markers in fenced code blocks and between backticks are examples. A marker in any other place or case is an
error, and so is an example with a sum: a table whose marker is lost would keep its numbers for ever.
"""

import hashlib
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from reportgen.core.errors import RequestError, did_you_mean
from reportgen.core.lazy_pattern import lazy_pattern

_ANY_MARKER = lazy_pattern(r" {0,3}<!--\s*reportgen:(\w+)")
# Also a damaged marker: of another case, indented, after text.
_LIKE_MARKER = lazy_pattern(r"<!-*\s*report-?gen\s*:", re.IGNORECASE)
_CODE_SPAN = lazy_pattern(r"(`+)(?!`).*?(?<!`)\1(?!`)")
_SUM = lazy_pattern(r"reportgen:end\s+sum=[0-9a-f]+", re.IGNORECASE)
_BEGIN_MARKER = lazy_pattern(r"<!--\s*reportgen:begin\s+(\S(?:.*?\S)?)\s*-->")
_END_MARKER = lazy_pattern(r"<!--\s*reportgen:end(?:\s+sum=([0-9a-f]+))?\s*-->")
_FENCE = lazy_pattern(r" {0,3}(`{3,}|~{3,})")


@dataclass(frozen=True, slots=True)
class Edited:
    """A generated table that was edited by hand and therefore not replaced.

    line  of the marker before the table, from 1
    """

    line: int
    table: str

    @property
    def message(self) -> str:
        """Return fact and remedy."""
        return (
            f'table "{self.table}" was edited by hand; '
            "undo the edit, or delete the sum from its end marker to have it generated again"
        )


@dataclass(frozen=True, slots=True)
class InjectResult:
    """The text with its tables up to date, and the tables that were not replaced because of edits."""

    text: str
    edited: tuple[Edited, ...]


@dataclass(frozen=True, slots=True)
class _Region:
    """Lines [first, last) between two markers, without the markers."""

    table: str
    first: int
    last: int
    checksum: str


def is_marked(text: str) -> bool:
    """Return whether a file has a marker, even a damaged one or one without its partner."""
    return bool(_LIKE_MARKER.search(text))


def check_file(path: str, place: str) -> None:
    """Raise RequestError unless tables may be put into the file: into Markdown, and never into logs.

    path   relative to the root, with all links followed
    place  the key that names the file
    """
    *folders, name = path.split("/")
    if folders[:1] == ["logs"] or any(part.startswith(".") for part in (*folders, name)):
        raise RequestError(place, f'"{path}" is in logs/ or hidden', "name a Markdown file elsewhere")
    if not name.lower().endswith((".md", ".markdown")):
        raise RequestError(place, f'"{path}" is not Markdown', "name a file that ends in .md")


def inject(
    text: str, tables: Mapping[str, str], *, place: str, expected: Collection[str] | None = None
) -> InjectResult:
    """Return the text with the region of each marker pair replaced.

    tables    Markdown by "report/table-id"
    place     the file, for messages
    expected  the tables that the settings expect in the file, None if they name only files
    Raises RequestError(place:line) for unknown tables, for damaged markers and those without a partner, and
    for tables that are not the expected ones.
    """
    lines = re.split(r"(?<=\n)", text)
    regions = _regions(lines, place)
    if expected is not None:
        _check_expected([region.table for region in regions], expected, place)
    edited = []
    for region in reversed(regions):  # from the end, so that line numbers stay valid
        if region.table not in tables:
            raise RequestError(
                f"{place}:{region.first}", f'no table "{region.table}"', did_you_mean(region.table, tables)
            )
        old = _plain("".join(lines[region.first : region.last]))
        new = _plain(tables[region.table])
        if region.checksum and region.checksum != _checksum(old) and old != new:
            edited.append(Edited(region.first, region.table))
            continue
        lines[region.first : region.last + 1] = _replacement(lines, region, new)
    return InjectResult("".join(lines), tuple(reversed(edited)))


def _check_expected(marked: list[str], expected: Collection[str], place: str) -> None:
    for table in sorted(set(expected) - set(marked)):
        raise RequestError(
            place,
            f'the markers of "{table}" are missing, which inject.files expects here',
            f"add <!-- reportgen:begin {table} --> and <!-- reportgen:end -->",
        )
    for table in sorted(set(marked) - set(expected)):
        fact = f'has markers of "{table}", which inject.files does not expect here'
        raise RequestError(place, fact, "add it to inject.files, or delete the markers")


def _regions(lines: list[str], place: str) -> list[_Region]:
    regions: list[_Region] = []
    begun: tuple[str, int] | None = None
    for number, line in _marker_lines(lines, place):
        where = f"{place}:{number + 1}"
        begin, end = _BEGIN_MARKER.fullmatch(line), _END_MARKER.fullmatch(line)
        if begin and not begun:
            begun = (begin[1], number)
        elif end and begun:
            regions.append(_Region(begun[0], begun[1] + 1, number, end[1] or ""))
            begun = None
        else:
            _check_conflict(lines, place)
            raise RequestError(where, *_malformed(line, begun))
    if begun:
        raise RequestError(
            f"{place}:{begun[1] + 1}",
            f'the reportgen:begin marker of "{begun[0]}" has no reportgen:end',
            "add <!-- reportgen:end --> below it",
        )
    return regions


def _check_conflict(lines: list[str], place: str) -> None:
    """Raise RequestError for the first conflict that a merge left; both of its sides have a table."""
    for number, line in enumerate(lines):
        if line.startswith("<<<<<<< "):
            remedy = "keep one side with its end marker, delete the other and git's lines, and build again"
            raise RequestError(f"{place}:{number + 1}", "has a conflict of a merge", remedy)


def _malformed(line: str, begun: tuple[str, int] | None) -> tuple[str, str]:
    if _END_MARKER.fullmatch(line):
        return (
            "reportgen:end marker without reportgen:begin",
            "add <!-- reportgen:begin report/table --> above it, or delete it",
        )
    if begun and _BEGIN_MARKER.fullmatch(line):
        return (
            f"reportgen:begin before the reportgen:end of line {begun[1] + 1}",
            "end the first table before it",
        )
    return "malformed marker", "write <!-- reportgen:begin report/table --> or <!-- reportgen:end -->"


def _marker_lines(lines: list[str], place: str) -> list[tuple[int, str]]:
    """Return (number from 0, text) of the markers outside of code blocks; RequestError for a damaged one."""
    markers = []
    fence = ""
    for number, line in enumerate(lines):
        mark = _FENCE.match(line)
        if fence:
            if _SUM.search(line):
                raise RequestError(
                    f"{place}:{number + 1}",
                    "the marker of a generated table is in a code block",
                    "move it out, or delete its sum if it is an example",
                )
            if mark and mark[1].startswith(fence) and not line[mark.end() :].strip():
                fence = ""
        elif mark:
            fence = mark[1]
        elif _ANY_MARKER.match(line):
            markers.append((number, line.strip()))
        elif _LIKE_MARKER.search(_CODE_SPAN.sub("", line)):
            raise RequestError(
                f"{place}:{number + 1}",
                "damaged marker",
                "write it in small letters, alone on its line, indented by up to 3 spaces",
            )
    return markers


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n").strip("\n")


def _checksum(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:12]


def _replacement(lines: list[str], region: _Region, new: str) -> list[str]:
    """Return the new content and end marker with the line breaks of the file."""
    ending = "\r\n" if lines[region.first - 1].endswith("\r\n") else "\n"
    old_end = lines[region.last]
    after = old_end[len(old_end.rstrip("\r\n")) :]
    content = [line + ending for line in ["", *new.split("\n"), ""]]
    return [*content, f"<!-- reportgen:end sum={_checksum(new)} -->{after}"]
