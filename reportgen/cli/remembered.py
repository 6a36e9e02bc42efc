"""Answer `runs` from the cache if nothing that it would read changed, before the command line is built.

The program of `runs` alone takes longer to start than ripgrep takes to search ten thousand logs. So its
arguments are parsed here as far as needed to name what it reads. Where that is uncertain (an option that is
not known, a pattern, a path that does not exist), the program runs as if there were no cache.
"""

import os
import sys
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, redirect_stdout
from typing import TextIO, cast

from reportgen.cache import cache_folder
from reportgen.cache.answers import MAX_ANSWER_BYTES, Answer, Answers
from reportgen.cache.inputs import Inputs, Unanswerable, add_program

COMMAND = "runs"
NO_CACHE = "--no-cache"
_VALUED = ("--format", "--protocol", "--where", "--sort")
_FLAGS = ("--skipped", "--strict")
_LABELS = "labels.toml"
# Done, and findings under --strict. Errors are never stored.
_CODES = (0, 4)


class KeptStream:
    """A stream that keeps what is written to it, up to the largest answer; its `stream` keeps nothing."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self._kept = bytearray()
        self._size = 0

    def write(self, text: str) -> int:
        """Write a text, and keep it."""
        written = self.stream.write(text)  # first: it refuses the bytes that Typer tries
        self._size += len(text)
        if self._size <= MAX_ANSWER_BYTES:
            self._kept += text.encode("utf-8", "backslashreplace")
        else:
            self._kept.clear()
        return written

    def writelines(self, texts: Sequence[str]) -> None:
        """Write texts, and keep them."""
        for text in texts:
            self.write(text)

    def __getattr__(self, name: str) -> object:
        return getattr(self.stream, name)

    def content(self) -> bytearray | None:
        """Return what was written, encoded as the program encodes its output; None if it was too much."""
        return None if self._size > MAX_ANSWER_BYTES else self._kept


def answer_or_run(arguments: Sequence[str], run: Callable[[], None]) -> None:
    """Print the stored answer of a command, or run it and store its answer; exits with its code."""
    inputs = _inputs(arguments)
    if inputs is None:
        run()
        return
    answers, key = Answers(cache_folder()), inputs.digest()
    if answer := answers.load(key):
        sys.stdout.write(answer.out.decode())
        sys.stderr.write(answer.error.decode())
        sys.exit(answer.code)
    out, error = KeptStream(sys.stdout), KeptStream(sys.stderr)
    try:
        with redirect_stdout(cast(TextIO, out)), redirect_stderr(cast(TextIO, error)):
            run()
        return
    except SystemExit as end:
        code = end.code or 0  # the exception holds all that was read
    # What changed while it was read may be half old in the answer.
    now = _inputs(arguments) if code in _CODES else None
    if now and now.is_settled() and now.digest() == key:
        printed, logged = out.content(), error.content()
        if printed is not None and logged is not None:
            answers.store(key, Answer(printed, logged, int(code)))
    sys.exit(code)


def _inputs(arguments: Sequence[str]) -> Inputs | None:
    """Return all that the answer of a command depends on; None if it is not known."""
    paths = _paths(arguments)
    if not paths:
        return None
    inputs = Inputs()
    here = os.getcwd()  # noqa: PTH109
    width = _width() if sys.stdout.isatty() else None
    user = os.geteuid() if hasattr(os, "geteuid") else None
    inputs.add(list(arguments), here, width, user)
    try:
        add_program(inputs)
        for path in map(os.path.realpath, paths):
            inputs.add_tree(path)
            _add_labels_above(inputs, path, here)
    except Unanswerable:
        return None
    return inputs


def _width() -> int:
    import shutil

    return shutil.get_terminal_size().columns


def _add_labels_above(inputs: Inputs, path: str, here: str) -> None:
    """Add the labels between a path and the working folder: they apply, too."""
    folder = os.path.dirname(path)  # noqa: PTH120
    while folder == here or folder.startswith(here.rstrip(os.sep) + os.sep):
        inputs.add_file(os.path.join(folder, _LABELS))  # noqa: PTH118
        if folder == here:
            return
        folder = os.path.dirname(folder)  # noqa: PTH120


def _paths(arguments: Sequence[str]) -> list[str]:
    """Return the paths that a command reads; none if it is another command, or not clear."""
    if not arguments or arguments[0] != COMMAND:
        return []
    paths = []
    rest = iter(arguments[1:])
    for argument in rest:
        name, equals, _ = argument.partition("=")
        if name in _VALUED:
            if not equals:
                next(rest, None)
        elif argument.startswith("-") and argument not in _FLAGS:
            return []
        elif argument not in _FLAGS:
            if not os.path.exists(argument):  # noqa: PTH110
                return []
            paths.append(argument)
    return paths
