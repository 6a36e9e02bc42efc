"""Inputs of the fuzzer: saved ones (corpus/), the valid logs to mutate, and large ones built on demand.

An Input is one or several files for one format. corpus/<format>/<what is hostile about it> is a file, or a
folder where several files belong together; inputs in corpus/any are for no format in particular. Files in
corpus/ are small: `large` makes lines of 140 kB and gzip files from the valid log of each format.
"""

import ast
import gzip
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from reportgen.sources.logfiles import LogFiles
from tests.builders import format_named
from tests.formats.valid_logs import SETTINGS, VALID_LOGS

CORPUS = Path(__file__).parent / "corpus"
ANY_FORMAT = "any"
_TESTS = Path(__file__).parents[1]
# More than any reader takes for the head of a log (2**17). A regular expression that looks at each byte again for each
# byte takes at least 1e-9 s a look, so 10 s for such a line.
_LINE = 140_000
_NUMBER = re.compile(rb"[0-9][0-9.]*")
# How many numbers of a line are made wide, one at a time.
_WIDE = 3
# Format -> start of a file, and the text repeated after it: starts of records that are never completed.
_ENDLESS: Mapping[str, Sequence[tuple[bytes, bytes]]] = {
    "dllogger": ((b"", b'DLLL {"timestamp":'),),
    "gnmt": ((b"1: TRAIN [", b"0"),),
    "hpl_mxp": ((b" N = 1, NB = 1, NPROW = 1, NPCOL = 1", b"0"),),
    "jade": ((b"", b"Batch 101: Data Loading Time: 0.4876"), (b"", b"Average Data Preprocessing Time:")),
    "lightning": (
        (b"Profiler Report\nMean duration (s)\n|", b" "),
        (b"Profiler Report\nMean duration (s)\n", b"Profile stats for: a\n function calls "),
    ),
    "maskrcnn": ((b"", b"maskrcnn_benchmark.trainer"),),
    "nemo": ((b"", b"Epoch 0: | 1/1 [0:00<0, 0, global_step="), (b"", b"Epoch 0: || 1/1 [0:00<0, 0, ")),
    "nvlog": ((b"", b") args: {"), (b"", b') gpu_info: {"num":')),
    "paddle": ((b"", b"2020-10-11 12:12:00 INFO: epoch:0   train step:310  "),),
    "published": ((b"", b"t."),),
}
# Shorter literals are words to compare with, and no logs.
_LITERAL = 40


@dataclass(frozen=True)
class Input:
    """Files by name, made for a format; `name` says what is the matter with them."""

    name: str
    format: str
    files: Mapping[str, bytes]

    @cached_property
    def views(self) -> Sequence[LogFiles]:
        """The view of each file, which all readers share as in a build."""
        folder = LogFiles.of(self.files, SETTINGS)
        return [folder.file(path) for path in self.files]

    def size(self) -> int:
        """Return the bytes of all files together."""
        return sum(map(len, self.files.values()))


def kept(corpus: Path = CORPUS) -> list[Input]:
    """Return the inputs kept in a folder, by name."""
    return [
        Input(f"{folder.name}/{entry.name}", folder.name, _contents(entry))
        for folder in sorted(corpus.iterdir())
        for entry in sorted(folder.iterdir())
    ]


def _contents(entry: Path) -> dict[str, bytes]:
    if entry.is_file():
        return {entry.name: entry.read_bytes()}
    paths = sorted(path for path in entry.rglob("*") if path.is_file())
    return {path.relative_to(entry).as_posix(): path.read_bytes() for path in paths}


def valid() -> list[Input]:
    """Return the valid log of every format, and the conformance corpus of our own."""
    found = [Input(f"{name}/valid", name, files) for name, files in VALID_LOGS.items()]
    folders = sorted(path for path in (_TESTS / "logformat" / "v1").iterdir() if path.is_dir())
    return [*found, *(Input(f"native/{folder.name}", "native", _contents(folder)) for folder in folders)]


def written() -> Iterator[Input]:
    """Yield the longer literals in the tests of the formats: more kinds of lines than the valid logs have."""
    for path in sorted((_TESTS / "formats").glob("test_*.py")):
        name = path.stem.removeprefix("test_")
        nodes = ast.walk(ast.parse(path.read_bytes())) if name in VALID_LOGS else ()
        for node in (node for node in nodes if isinstance(node, ast.Constant)):
            text = node.value
            content = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
            if isinstance(content, bytes) and len(content) >= _LITERAL:
                yield Input(f"{name}/line {node.lineno}", name, {f"literal{node.lineno}.log": content})


def large(name: str) -> Iterator[Input]:
    """Yield what is too large to be kept, or no text at all, for one format."""
    files = VALID_LOGS[name]
    for path, content in files.items():
        for what, hostile in _hostile(content):
            yield Input(f"{name}/{path}: {what}", name, {**files, path: hostile})


def _hostile(content: bytes) -> Iterator[tuple[str, bytes]]:
    lines = content.splitlines()
    longest = max(lines, key=len, default=b"")
    half = len(longest) // 2
    yield "gzip", gzip.compress(content, mtime=0)
    yield "UTF-16", content.decode("utf-8", "replace").encode("utf-16")
    yield "carriage returns only", b"\r".join(lines)
    yield "NUL bytes between the lines", b"\0\n\0".join(lines)
    yield "one long line of it all", _filled(b" ".join(lines) + b" ")
    yield "its longest line, without an end", _filled(longest)
    yield "its longest line, repeated", _filled(longest + b"\n")
    yield "a digit that never ends", content + b"\n" + longest.rstrip(b"}]\"'") + b"9" * _LINE
    yield "spaces that never end", longest[:half] + b" " * _LINE + longest[half:]
    yield "brackets that never end", content.rstrip(b"}]\n") + b", " + b'[{"a":' * (_LINE // 6)
    rows = _filled(longest + b"\n")[: _LINE // 4]
    for place in [*_NUMBER.finditer(longest)][:_WIDE]:
        wide = longest[: place.start()] + b"9" * (_LINE * 3 // 4) + longest[place.end() :]
        yield f"many lines, and one with number {place[0]!r} without an end", rows + wide + b"\n"


def endless(name: str) -> Iterator[Input]:
    """Yield long lines of the literals that a format searches for, and of texts that once took it too long."""
    units = [(b"", mark) for mark in format_named(name).marks] + [*_ENDLESS.get(name, ())]
    for start, unit in units:
        for path in VALID_LOGS[name]:
            files = {**VALID_LOGS[name], path: start + _filled(unit)}
            yield Input(f"{name}/{path}: {unit!r} without an end", name, files)


def _filled(unit: bytes) -> bytes:
    return unit * (_LINE // max(len(unit), 1))
