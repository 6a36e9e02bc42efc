"""How coarse the clock of step times is, and by which share that may falsify the time of a window.

Timestamps add up: only both ends of a window are cut to the clock's tick.
"""

from collections.abc import Sequence

from reportgen.core.model import STEP, Finding, Series
from reportgen.core.rules import Rule, Severity
from reportgen.protocol.available import is_in_whole_seconds
from reportgen.protocol.measured_run import MeasuredRun
from reportgen.protocol.window import MeasuredWindow

# A coarse clock may falsify a measured time by this share.
MAX_CLOCK_ERROR = 0.01
# Beyond this share, a number is in doubt.
INVALID_CLOCK_ERROR = 0.05
# Beyond this share, no number is printed.
UNUSABLE_CLOCK_ERROR = 0.1


def clock_error(series: Sequence[Series], window: MeasuredWindow) -> float:
    """Return the largest share by which the resolution of the clock may falsify the time of a window."""
    is_whole = window.window.time > 0 and any(is_in_whole_seconds(each) for each in series)
    return 1 / window.window.time if is_whole else 0.0


def check_resolution(measured: MeasuredRun, window: MeasuredWindow) -> tuple[Finding, ...]:
    """Report a window whose time is known to the second only, and is short."""
    error = clock_error(measured.series("step_time", STEP), window)
    if error <= MAX_CLOCK_ERROR or window.ranks[0].clock != "timestamp":
        return ()
    message = (
        f"timestamps in whole seconds: the time of the measured steps, {window.window.time:.4g} s, "
        f"may be off by 1 s ({error:.1%})"
    )
    severity: Severity = "invalid" if error > INVALID_CLOCK_ERROR else "warning"
    return (Finding(severity, Rule.CLOCK_COARSE, measured.run.id, message, window.ranks[0].place()),)
