"""The names of a run's devices as the driver wrote them into its log."""

import re
from functools import lru_cache

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.model import Run

_KEY = lazy_pattern(r"gpu(?:_name|\.name|\.[^.]+\.name)?|torch\.device|device(?:_name)?", re.IGNORECASE)
# Names that are remembered: runs have the same ones.
_MOST_NAMES = 1000


def names_of_devices(run: Run) -> set[str]:
    """Return the names of the devices in the environment of a run; none if the log has none."""
    return {str(value) for name, value in run.environment.items() if _is_of_device(name) and value != ""}


@lru_cache(maxsize=_MOST_NAMES)
def _is_of_device(name: str) -> bool:
    return _KEY.fullmatch(name) is not None
