"""How far the digits that a log prints leave a measured time open.

A log that prints 0.002 s for each step may mean 1.5 to 2.5 ms, and the mean over a hundred steps need not be
any closer. Where the time since the line before is the difference of two means since the epoch
began, the rounding of both ends counts once for every step that the mean covers.
"""

from collections.abc import Sequence
from itertools import pairwise

from reportgen.core.model import Finding, Run, Series, Window
from reportgen.core.rules import Rule
from reportgen.protocol.window import MeasuredWindow

# Digits may leave this share of a measured value open.
MAX_ROUNDING_SHARE = 0.01

_MEANING = {
    "each": "",
    "mean": ", as a mean since the epoch began",
    "elapsed": ", as the time since the start",
}


def open_share(series: Sequence[Series], window: MeasuredWindow, value: float) -> float:
    """Return the largest share of a value per step that the digits of the series leave open.

    series  those whose times add up to the value on each rank
    """
    by_rank: dict[int, float] = {}
    for each in series:
        by_rank[each.rank] = by_rank.get(each.rank, 0.0) + _open_per_step(each, window.window)
    return max(by_rank.values(), default=0.0) / value


def _open_per_step(series: Series, window: Window) -> float:
    """Return what the digits leave open of the value, or of the time of a step."""
    if not series.rounding or series.rounded == "each":
        return series.rounding
    if series.rounded == "elapsed":
        return 2 * series.rounding / window.steps
    epochs = [each.step for each in series.breaks if each.kind == "epoch" and each.step < window.last]
    covered = 0
    for begin, end in pairwise((0, *epochs, window.last)):
        if end >= window.first:
            covered += (end - begin) + max(window.first - 1 - begin, 0)
    return series.rounding * covered / window.steps


def check_digits(
    run: Run, window: MeasuredWindow, used: Sequence[Series], value: float, share: float
) -> tuple[Finding, ...]:
    """Report a value uncertain by over 1 % because the log rounds."""
    if share <= MAX_ROUNDING_SHARE:
        return ()
    coarsest = max(used, key=lambda series: series.rounding)
    unit, per_step = ("samples/s", "") if coarsest.metric == "throughput" else ("s", " per step")
    printed = f"is printed to {2 * coarsest.rounding:.3g} {unit}{_MEANING[coarsest.rounded]}"
    message = (
        f"{coarsest.metric} ({coarsest.phase}) {printed}: {value:.3g} {unit}{per_step} may be off by "
        f"{share * value:.2g} {unit} ({share:.1%})"
    )
    return (Finding("warning", Rule.CLOCK_COARSE, run.id, message, window.ranks[0].place()),)
