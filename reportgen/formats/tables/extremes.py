"""Say which number the best or the worst of a quantity is: the least of times, the highest of rates."""

from reportgen.core import units
from reportgen.core.metrics import METRICS

_BETTER = ("best", "fastest")
_WORSE = ("worst", "slowest")


def extreme(statistic: str, metric: str, unit: str) -> str:
    """Return "minimum" or "maximum" for the best or the worst of a metric in a unit.

    Any other statistic, and one of a metric without a better direction, is returned as it is.
    """
    higher = _is_higher_better(metric, unit)
    if higher is None or statistic not in (*_BETTER, *_WORSE):
        return statistic
    return "maximum" if higher == (statistic in _BETTER) else "minimum"


def _is_higher_better(metric: str, unit: str) -> bool | None:
    """Return None if neither direction of a metric is better."""
    better = METRICS[metric].better if metric in METRICS else None
    if better:
        return better == "higher"
    # A rate alone has none: the best errors/s are the fewest.
    return False if units.to_base(1.0, unit)[1] == "s" else None
