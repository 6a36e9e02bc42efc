"""Find the file beside a table that has its rows, too: JSON beside a log, parts beside a summary."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from reportgen.formats.parsing.text_log import TextLog
from reportgen.formats.tables.definition import Rows
from reportgen.sources.logfiles import HEAD

_PLACEHOLDER = re.compile(r"\{(\w+)\}")
_NAME_PART = re.compile(r"[\w+-]{1,60}")
_NUMBERS = re.compile(rb"\d+(?:\.\d+)?")
# Rows of a summary that are looked for by name.
_MAX_TWINS = 100


def names(rows: Rows, path: str, head: bytes) -> tuple[str, ...]:
    """Return the names that the twins of a file may have; cells of JSON in them are taken from its head."""
    own = path.rpartition("/")[2]
    name = rows.twin.replace("{stem}", own.rpartition(".")[0] or own)
    column = _PLACEHOLDER.search(name)
    if not column:
        return (name,) if name not in ("", own) else ()
    cells = re.findall(rb'"%b": ?"?([\w+-]{1,60})' % column[1].encode(), head)
    known = dict.fromkeys(_filled(name, {column[1]: cell.decode()}) for cell in cells)
    return tuple(twin for twin in known if twin not in ("", own))[:_MAX_TWINS]


@dataclass(slots=True)
class Twins:
    """The files beside a log that may have its rows; each is opened once."""

    rows: Rows
    log: TextLog
    _numbers: dict[str, frozenset[bytes] | None] = field(default_factory=dict)
    _used: dict[str, None] = field(default_factory=dict)

    def have(self, cells: Mapping[str, Any]) -> bool:
        """Return whether a twin has this row."""
        own = self.log.path.rpartition("/")[2]
        twin = _filled(self.rows.twin.replace("{stem}", own.rpartition(".")[0] or own), cells)
        if twin in ("", own):
            return False
        numbers = self._numbers_of(twin)
        wanted = {str(cells.get(column)).encode() for column in self.rows.twin_same}
        if numbers is None or not wanted <= numbers:
            return False
        self._used[twin] = None
        return True

    def used(self) -> Iterator[str]:
        """Yield the names of the files that have rows of the log."""
        yield from self._used

    def _numbers_of(self, name: str) -> frozenset[bytes] | None:
        if name not in self._numbers:
            head = self.log.files.read_sibling_head(name, HEAD)
            self._numbers[name] = None if head is None else frozenset(_NUMBERS.findall(head[0]))
        return self._numbers[name]


def _filled(name: str, cells: Mapping[str, Any]) -> str:
    """Return a name with cells for its placeholders, "" if one is missing or cannot be part of a name."""
    for column in _PLACEHOLDER.findall(name):
        cell = str(cells.get(column))
        if column not in cells or not _NAME_PART.fullmatch(cell):
            return ""
        name = name.replace(f"{{{column}}}", cell)
    return name
