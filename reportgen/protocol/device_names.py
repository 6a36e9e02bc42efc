"""The names of a run's devices as the driver wrote them into its log."""

import re

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.model import Factors, Run
from reportgen.core.remembered import Remembered

_KEY = lazy_pattern(r"gpu(?:_name|\.name|\.[^.]+\.name)?|torch\.device|device(?:_name)?", re.IGNORECASE)


def names_of_devices(run: Run) -> frozenset[str]:
    """Return the names of the devices in the environment of a run; none if the log has none."""
    return _names_in(run.environment)


@Remembered
def _names_in(environment: Factors) -> frozenset[str]:
    return frozenset(
        str(value) for name, value in environment.items() if value != "" and _KEY.fullmatch(name)
    )
