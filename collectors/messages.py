"""Print a message on stderr."""

import sys
from contextlib import suppress


def warn(message: str) -> None:
    """Print a message on stderr; a closed stderr is ignored, because it must not end a training."""
    with suppress(OSError, ValueError):
        print(f"reportgen: {message}", file=sys.stderr, flush=True)
