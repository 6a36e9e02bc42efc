"""Print a message on stderr."""

import argparse
import sys
from contextlib import suppress
from typing import NoReturn


def warn(message: str) -> None:
    """Print a message on stderr; a closed stderr is ignored, because it must not end a training."""
    with suppress(OSError, ValueError):
        print(f"reportgen: {message}", file=sys.stderr, flush=True)


class OneLineParser(argparse.ArgumentParser):
    """A parser that prints a mistake in one line; the usage, which is a page, is in --help."""

    def error(self, message: str) -> NoReturn:
        """Print the message and exit with code 2."""
        self.exit(2, f"{self.prog}: error: {message}; see {self.prog} --help\n")
