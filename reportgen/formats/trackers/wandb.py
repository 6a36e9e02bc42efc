"""Read the file that W&B writes beside each run, also offline: `run-ID.wandb`; see `logged_metrics`.

The file has a head of 7 bytes and blocks of 32 KiB with records in LevelDB's framing: CRC-32, length, type,
data. The data are messages: history = 2 (item = 1: key = 1, nested_key = 2, value_json = 16), run = 17
(config = 4, update = 1, items as before), exit = 18 (exit_code = 1). Host, account and command are not read.

Steps are those of `log_calls`.

Format: https://github.com/wandb/wandb, wandb/sdk/internal/datastore.py, wandb/proto/wandb_internal.proto.
"""

import struct
import zlib
from collections.abc import Iterator
from typing import Any

from reportgen.core.rules import Rule
from reportgen.formats.base import Claim, Format, Results
from reportgen.formats.parsing import json_values
from reportgen.formats.parsing.damage import Malformed
from reportgen.formats.parsing.run_builder import ResultRun
from reportgen.formats.parsing.timestamps import utc
from reportgen.formats.trackers.log_calls import LogCalls
from reportgen.formats.trackers.logged_metrics import add_metrics
from reportgen.formats.trackers.protobuf import fields, parts
from reportgen.formats.trackers.usual_parameters import NAMES, usual_factors
from reportgen.sources.logfiles import LogFiles

_NAME = "wandb"
_HEAD = b":W&B\xe1\xbe\x00"
_BLOCK, _RECORD_HEAD = 32768, 7
_FULL, _FIRST, _MIDDLE, _LAST = 1, 2, 3, 4
_MAX_VALUE_BYTES = 64
_CUT = "the file has no end: the process was killed, or still runs"


def claims(files: LogFiles) -> Claim | None:
    """Claim a file by its first bytes."""
    is_ours = files.head(files.path).startswith(_HEAD)
    return Claim.of_file(files, 1.0, "a file of W&B") if is_ours else None


def read(files: LogFiles) -> Results:
    """Yield the run of a file."""
    run = ResultRun.of_file(_NAME, files)
    damaged = Malformed(run.id, run.source.path)
    calls, exit_code = LogCalls(), None
    for message in _messages(files.bytes(files.path), damaged):
        for kind, part in fields(message):
            if not isinstance(part, bytes):
                continue
            if kind == 2:
                calls.add(dict(_items(part)))
            elif kind == 17:
                items = {name: value for config in parts(part, 4) for name, value in _items(config)}
                run.factors |= usual_factors({name: str(items[name]) for name in NAMES if name in items})
            elif kind == 18:
                exit_code = next(
                    (code for field, code in fields(part) if field == 1 and isinstance(code, int)), 0
                )
    run.findings += damaged.findings()
    run.set_start(utc(calls.begin))
    if exit_code is None:
        run.status = "partial"
        run.note(Rule.READ_INCOMPLETE_RUN, _CUT)
    elif exit_code:
        run.status = "failed"
        run.note(Rule.READ_FAILED_RUN, "the process failed: its exit code is not 0")
    add_metrics(run, calls.metrics(run.source))
    yield run.run()


def _items(message: bytes) -> Iterator[tuple[str, Any]]:
    """Yield (name, value) of the items of a history or a configuration; long values are not numbers."""
    for item in parts(message, 1):
        names = [*parts(item, 1)] or [*parts(item, 2)]
        value = next(parts(item, 16), b"")
        if len(value) <= _MAX_VALUE_BYTES:
            yield b".".join(names).decode("utf-8", "replace"), json_values.load(value)


def _messages(content: bytes, damaged: Malformed) -> Iterator[bytes]:
    """Yield the data of the records, joined where blocks divide them."""
    pieces: list[bytes] = []
    at = len(_HEAD)
    while at < len(content):
        left = _BLOCK - at % _BLOCK
        if left < _RECORD_HEAD:
            at += left
            continue
        if at + _RECORD_HEAD > len(content):
            damaged.add(0, "the file ends in a record")
            return
        checksum, length, kind = struct.unpack_from("<IHB", content, at)
        data = content[at + _RECORD_HEAD : at + _RECORD_HEAD + length]
        if len(data) < length or length > left - _RECORD_HEAD:
            damaged.add(0, "the file ends in a record")
            return
        at += _RECORD_HEAD + length
        if zlib.crc32(data, zlib.crc32(bytes([kind]))) != checksum:
            damaged.add(0, "a record has a wrong checksum")
            pieces = []
            continue
        if kind in (_FULL, _FIRST):
            pieces = []
        pieces.append(data)
        if kind in (_FULL, _LAST):
            yield b"".join(pieces)
            pieces = []


FORMAT = Format(
    _NAME, "Runs of W&B (run-ID.wandb): metrics that state a speed.", claims, read, marks=(b":W&B",)
)
