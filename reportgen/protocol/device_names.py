"""The names of a run's devices as the driver wrote them into its log."""

import re

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.model import Run

_KEY = lazy_pattern(r"gpu(?:_name|\.name|\.[^.]+\.name)?|torch\.device|device(?:_name)?", re.IGNORECASE)


def names_of_devices(run: Run) -> set[str]:
    """Return the names of the devices in the environment of a run; none if the log has none."""
    return {str(value) for name, value in run.environment.items() if _KEY.fullmatch(name) and value != ""}
