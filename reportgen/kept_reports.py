"""Reports of an earlier build, which are not made again if they would be the same.

The key of a report is a digest of everything that it is made of: its definition and prose, the content of its
runs, the facts about systems, and the program. A row holds the digests of the report's files. A report is
taken from the reports folder only if each of these files is there with the content that was built; its
document is its report.json. So a file that was edited or removed is built again, as without a cache. Figures
and histories are kept in the same way, one by one: they outlive a change of other parts of their report.
"""

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b

import msgspec
import numpy as np
from msgspec.structs import replace

from reportgen.cache.inputs import Inputs, Unanswerable, add_program
from reportgen.cache.rows import Rows
from reportgen.core.column_file import release_columns
from reportgen.core.model import Finding
from reportgen.core.stored_files import StoredFiles, pieces_of
from reportgen.core.stored_series import SeriesLayout, StoredSeries
from reportgen.core.stored_texts import StoredTexts
from reportgen.document.encode import decode
from reportgen.document.file_names import REPORT_JSON
from reportgen.document.model import Document, Figure
from reportgen.render.registry import filter_committed

_DIGEST_BYTES = 20
# After as many runs, the steps that were read leave the memory.
_RELEASED_AT_ONCE = 500
# Layouts of series whose digests are remembered.
_MOST_LAYOUTS = 64


@dataclass(frozen=True, slots=True)
class BuiltReport:
    """A report: its document, the findings about it, and its files by their path below its folder."""

    document: Document
    findings: tuple[Finding, ...]
    files: Mapping[str, bytes]


class _KeptRow(msgspec.Struct):
    """A stored report: its findings, and the digest of each file, or of each committed one."""

    findings: tuple[Finding, ...]
    files: dict[str, bytes]
    committed_only: bool


class KeptReports:
    """The reports of earlier builds of one repository; `rows` is where they are stored."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        program = Inputs()
        try:
            add_program(program)
        except Unanswerable:
            program.add(os.urandom(8))  # a program that cannot be named has no rows
        self._program = program.digest()
        self._new, self._used = dict[bytes, bytes](), list[bytes]()

    def key(self, written: object, made_of: Iterable[object]) -> bytes:
        """Return the key of a report by all that it is made of; each part is encoded on its own.

        written  what people write in TOML: the order of its tables counts, because the first match wins
        """
        digest = blake2b(self._program, digest_size=_DIGEST_BYTES)
        digest.update(_digest(_IN_ORDER.encode(written)))
        for number, part in enumerate(made_of, 1):
            digest.update(_digest(_ENCODER.encode(part)))
            if number % _RELEASED_AT_ONCE == 0:
                release_columns()
        return digest.digest()

    def load(
        self, key: bytes, read_existing: Callable[[str], bytes | None], *, committed_only: bool
    ) -> BuiltReport | None:
        """Return a report if all of its files are as they were built.

        read_existing   returns a file of the report by its path, None if there is none
        committed_only  leaves out the files that are built and not committed
        """
        try:
            row = _ROW.decode(self._rows.load([key]).get(key, b""))
        except msgspec.MsgspecError:
            return None
        if row.committed_only and not committed_only:
            return None
        paths = filter_committed(row.files) if committed_only else row.files
        files = StoredFiles()
        for path in paths:
            files.add(path, read_existing(path) or b"")
        if len(files) < len(paths) or any(_digest_of(files, path) != row.files[path] for path in files):
            return None
        self._used.append(key)
        document = decode(files[REPORT_JSON], REPORT_JSON)
        return BuiltReport(replace(document, generated=()), row.findings, files)

    def add(self, key: bytes, report: BuiltReport, *, committed_only: bool) -> None:
        """Keep a report that was made."""
        digests = {path: _digest_of(report.files, path) for path in report.files}
        self._new[key] = msgspec.msgpack.encode(_KeptRow(report.findings, digests, committed_only))

    def is_kept(self, key: bytes, content: bytes) -> bool:
        """Return whether this is the file that was made under the key."""
        row = self._rows.load([key]).get(key)
        if row != _digest(content):
            return False
        self._used.append(key)
        return True

    def add_file(self, key: bytes, content: bytes) -> None:
        """Keep a file that was made."""
        self._new[key] = _digest(content)

    def is_drawn(self, figure: Figure, content: bytes) -> bool:
        """Return whether drawing the figure gave this content."""
        return self.is_kept(self.key("figure", [figure]), content)

    def add_drawn(self, figure: Figure, content: bytes) -> None:
        """Keep that drawing the figure gave this content."""
        self.add_file(self.key("figure", [figure]), content)

    def store(self) -> None:
        """Store what was made."""
        if self._new:
            self._rows.store(self._new, self._used)


def _digest(content: bytes) -> bytes:
    return blake2b(content, digest_size=_DIGEST_BYTES).digest()


def _digest_of(files: Mapping[str, bytes], path: str) -> bytes:
    digest = blake2b(digest_size=_DIGEST_BYTES)
    for piece in pieces_of(files, path):
        digest.update(piece)
    return digest.digest()


def _plain(value: object) -> object:
    """Return an array as bytes, and what is stored in a file as what it stands for, for the digest."""
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    if type(value) is StoredSeries:  # not isinstance, which is slow for an abstract class
        return _layout_digest(value.layout), value.sources, value.numbers
    if isinstance(value, StoredTexts):
        return dict(value.items())
    raise NotImplementedError(type(value))


@lru_cache(maxsize=_MOST_LAYOUTS)
def _layout_digest(layout: SeriesLayout) -> bytes:
    """Return the digest of what the series of many runs have in common."""
    return _digest(_ENCODER.encode(layout))


_ENCODER = msgspec.msgpack.Encoder(enc_hook=_plain, order="deterministic")
_IN_ORDER = msgspec.msgpack.Encoder(enc_hook=_plain)
_ROW = msgspec.msgpack.Decoder(_KeptRow)
