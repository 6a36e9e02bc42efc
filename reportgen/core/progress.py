"""How long work reports its progress."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

# Yields the items one by one and reports the progress to the user.
TrackProgress = Callable[[Sequence[Any]], Iterable[Any]]
