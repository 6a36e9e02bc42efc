"""Find the file beside a table that has its rows, too: JSON beside a log, parts beside a summary."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.formats.parsing.text_log import TextLog
from reportgen.formats.tables.definition import TableFamily, TableRows
from reportgen.sources.logfiles import HEAD

_PLACEHOLDER = lazy_pattern(r"\{(\w+)\}")
_NAME_PART = lazy_pattern(r"[\w+-][\w.+-]{0,80}")
_NUMBERS = lazy_pattern(rb"\d+(?:\.\d+)?")
# Rows of a summary that are looked for by name.
_MAX_TWINS = 100


def names(family: TableFamily, path: str, head: bytes) -> tuple[str, ...]:
    """Return the names that the twins of a file may have; cells in them are taken from its head."""
    own = path.rpartition("/")[2]
    known: dict[str, None] = {}
    for name in _of_stem(family.rows, own):
        column = _PLACEHOLDER.search(name)
        texts = _cells(family, column[1], head) if column else ()
        known |= dict.fromkeys(_filled(name, {column[1]: text}) for text in texts) if column else {name: None}
    return tuple(twin for twin in known if twin not in ("", own))[:_MAX_TWINS]


def _cells(family: TableFamily, column: str, head: bytes) -> Iterator[str]:
    """Yield the texts of a column in a head: of JSON, or of a context."""
    for match in re.finditer(rb'"%b": ?"?([\w.+-]{1,80})' % column.encode(), head):
        yield match[1].decode()
    text = head.decode("utf-8", "replace")
    for context in family.context:
        if f"(?P<{column}>" in context.pattern:
            for line in re.finditer(context.pattern, text, re.MULTILINE):
                yield line[column] or ""


def _of_stem(rows: TableRows, own: str) -> list[str]:
    return [name.replace("{stem}", own.rpartition(".")[0] or own) for name in rows.twins]


@dataclass(slots=True)
class Twins:
    """The files beside a log that may have its rows; each is opened once."""

    rows: TableRows
    log: TextLog
    _numbers: dict[str, frozenset[bytes] | None] = field(default_factory=dict)
    _used: dict[str, None] = field(default_factory=dict)

    def have(self, cells: Mapping[str, Any]) -> bool:
        """Return whether a twin has this row."""
        own = self.log.path.rpartition("/")[2]
        wanted = {str(cells.get(column)).encode() for column in self.rows.twin_same}
        for twin in (_filled(name, cells) for name in _of_stem(self.rows, own)):
            numbers = self._numbers_of(twin) if twin not in ("", own) else None
            if numbers is not None and wanted <= numbers:
                self._used[twin] = None
                return True
        return False

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
