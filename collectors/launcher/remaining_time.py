"""Estimate how long the rest of a campaign takes, and stop it at its time budget.

A run is expected to take as long as the median of the runs of its case so far, otherwise of all runs.
"""

import argparse
import re
from collections.abc import Sequence
from statistics import median
from time import monotonic
from typing import Callable, Optional

_DURATION = re.compile(r"(?:([0-9]+)h)?(?:([0-9]+)m)?(?:([0-9]+)s)?")

_MIN_SHOWN_SECONDS = 60


class RemainingTime:
    """The durations of the runs of a campaign, and its budget in s (None: no limit), which begins now."""

    def __init__(self, budget: Optional[float] = None, now: Callable[[], float] = monotonic) -> None:
        self._budget = budget
        self._now = now
        self._begin = now()
        self._durations: dict[str, list[float]] = {}

    def add(self, case: str, seconds: float) -> None:
        """Add the duration of a run."""
        self._durations.setdefault(case, []).append(seconds)

    def expected(self, cases: Sequence[str]) -> Optional[float]:
        """Return the s that runs of these cases will take; None without any duration so far."""
        everything = [seconds for durations in self._durations.values() for seconds in durations]
        if not everything:
            return None
        return sum(median(self._durations.get(case, everything)) for case in cases)

    def prefix(self, cases: Sequence[str]) -> str:
        """Return ", about 12m left" for the runs to come, "" if that is unknown or less than a minute."""
        seconds = self.expected(cases) or 0.0
        return "" if seconds < _MIN_SHOWN_SECONDS else f", about {duration_text(seconds)} left"

    def over_budget(self, case: str) -> str:
        """Return why the budget does not allow a run of this case, "" if it does."""
        if self._budget is None:
            return ""
        left = self._budget - (self._now() - self._begin)
        expected = self.expected([case]) or 0.0
        if left > 0 and expected <= left:
            return ""
        budget = f"budget of {duration_text(self._budget)}"
        if left <= 0:
            return f"the {budget} is used up"
        return (
            f"{duration_text(left)} of the {budget} are left, and a run takes about {duration_text(expected)}"
        )


def parse_duration(text: str) -> float:
    """Return s of "2h", "90m" or "1h30m"; raises ArgumentTypeError."""
    match = _DURATION.fullmatch(text)
    hours, minutes, seconds = (int(group or 0) for group in match.groups()) if match else (0, 0, 0)
    total = hours * 3600 + minutes * 60 + seconds
    if not total:
        raise argparse.ArgumentTypeError(f"{text}: not a duration; use 2h, 90m, 1h30m or 45s")
    return float(total)


def duration_text(seconds: float) -> str:
    """Return a duration with its two largest units: "1h30m", "2m5s", "45s"."""
    whole = round(seconds)
    if whole >= 3600:
        hours, minutes = divmod(round(whole / 60), 60)
        return f"{hours}h{minutes}m" if minutes else f"{hours}h"
    minutes, rest = divmod(whole, 60)
    if not minutes:
        return f"{rest}s"
    return f"{minutes}m{rest}s" if rest else f"{minutes}m"
