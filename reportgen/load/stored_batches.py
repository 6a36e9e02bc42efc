"""Parsed batches from the cache: a batch is parsed again only if something that it depends on changed.

A row is the whole result of a batch, because findings and used labels belong to all of its files. It depends
on its own files, on the files beside them that readers asked for, there or not, on the labels, on what is
made of a run, and on the program. Names of files decide where a batch ends, so that one more file moves few
of the others.
"""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

import msgspec

from reportgen.cache.inputs import Inputs, Unanswerable, add_program
from reportgen.cache.rows import Rows
from reportgen.core.model import Finding
from reportgen.core.rules import Rule
from reportgen.load.worker import Batch, BatchResult

T = TypeVar("T")


class _Row(msgspec.Struct):
    """A stored batch. `beside` is the digest of the files that were consulted beside its own."""

    consulted: list[str]
    beside: bytes
    result: msgspec.Raw


@dataclass(frozen=True, slots=True)
class BatchStore(Generic[T]):
    """Where parsed batches are stored, and how they are encoded.

    made     the type that a run becomes; a batch has several
    purpose  what else the results depend on, such as the protocol
    """

    rows: Rows
    decoder: "msgspec.msgpack.Decoder[BatchResult[T]]"
    purpose: str


# Bytes of results that wait in memory to be stored.
_STORED_AT_ONCE = 16 * 2**20


class StoredBatches(Generic[T]):
    """The stored results of some batches, and those to be stored."""

    def __init__(self, store: BatchStore[T], batches: Sequence[Batch], root: Path) -> None:
        self._store, self._new, self._used = store, dict[bytes, bytes](), list[bytes]()
        self._size = 0
        program = Inputs()
        user = os.geteuid() if hasattr(os, "geteuid") else None
        program.add(store.purpose, str(root), user)
        try:
            add_program(program)
        except Unanswerable:
            program.add(os.urandom(8))  # a program that cannot be named has no rows
        self._program = program.digest()
        self._keys = [self._key(batch) for batch in batches]
        rows = store.rows.load(key for key in self._keys if key)
        self._known = {key: row for key, row in rows.items() if self._holds(row)}

    def known(self, number: int) -> BatchResult[T] | None:
        """Return the result of a batch by its number, None if it must be parsed."""
        key = self._keys[number]
        if key is None or key not in self._known:
            return None
        try:
            row = _ROW.decode(self._known[key])
            result = self._store.decoder.decode(row.result)
        except msgspec.MsgspecError:
            return None
        self._used.append(key)
        return result

    def add(self, number: int, batch: Batch, result: BatchResult[T]) -> None:
        """Keep the result of a batch that was parsed, unless its files are young or changed meanwhile."""
        key = self._keys[number]
        if key is None or _has_unreadable(result):
            return
        try:
            inputs, beside = self._inputs(batch), _beside(result.consulted)
            if inputs.digest() == key and inputs.is_settled() and beside.is_settled():
                encoded = msgspec.Raw(msgspec.msgpack.encode(result))
                self._new[key] = msgspec.msgpack.encode(_Row(result.consulted, beside.digest(), encoded))
                self._size += len(self._new[key])
        except (Unanswerable, UnicodeEncodeError):
            return
        if self._size >= _STORED_AT_ONCE:
            self.store()

    def store(self) -> None:
        """Store what was parsed since the last time."""
        if self._new:
            self._store.rows.store(self._new, self._used)
            self._new.clear()
            self._size = 0

    def _key(self, batch: Batch) -> bytes | None:
        try:
            return self._inputs(batch).digest()
        except Unanswerable:
            return None

    def _inputs(self, batch: Batch) -> Inputs:
        inputs = Inputs()
        inputs.add(self._program, *((labels.folder, labels.sha256) for labels in batch.labels))
        inputs.add(sorted(batch.cut), batch.is_named)
        for place, path in batch.files.disk_paths():
            inputs.add(place)
            inputs.add_file(path)
        for number, job in enumerate(batch.jobs):
            labels = tuple((labels.folder, labels.sha256) for labels in job.labels)
            inputs.add(number, job.format.name, job.files.is_folder, job.files.id(), labels)
            for place, path in job.files.disk_paths():
                inputs.add(number, place)
                inputs.add_file(path)
        return inputs

    def _holds(self, row: bytes) -> bool:
        """Return whether the files beside a batch are what they were."""
        try:
            decoded = _ROW.decode(row)
            return _beside(decoded.consulted).digest() == decoded.beside
        except (msgspec.MsgspecError, Unanswerable):
            return False


_ROW = msgspec.msgpack.Decoder(_Row)


def _beside(consulted: Sequence[str]) -> Inputs:
    inputs = Inputs()
    for path in consulted:
        inputs.add(os.path.realpath(path))
        inputs.add_file(path)
    return inputs


def _has_unreadable(result: BatchResult[T]) -> bool:
    """Return whether a file could not be read: the reason may pass."""
    return any(finding.rule == Rule.READ_UNREADABLE_FILE for finding in _findings(result))


def _findings(result: BatchResult[T]) -> Iterator[Finding]:
    yield from result.findings
    for file in result.parsed:
        yield from file.findings
