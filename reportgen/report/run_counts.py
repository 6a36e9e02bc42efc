"""Count runs by how they ended, in words: `54 runs (42 complete, 12 failed)`."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import get_args

from reportgen.core.model import Run, Status

_ORDER: tuple[Status, ...] = get_args(Status)


def count_runs(runs: Sequence[Run]) -> str:
    """Return the numbers of runs and of published results, each by status unless all are complete."""
    measured = [run.status for run in runs if not run.published]
    published = [run.status for run in runs if run.published]
    counted = (("run", measured), ("published result", published))
    return ", ".join(_counted(name, statuses) for name, statuses in counted if statuses)


def count_statuses(statuses: Iterable[str]) -> str:
    """Return how many runs have each status, complete ones first: `42 complete, 12 failed`."""
    counts = Counter(statuses)
    return ", ".join(f"{counts[status]:,} {status.replace('_', ' ')}" for status in _ORDER if counts[status])


def _counted(name: str, statuses: Sequence[str]) -> str:
    total = f"{len(statuses):,} {name}{'' if len(statuses) == 1 else 's'}"
    return total if set(statuses) == {"complete"} else f"{total} ({count_statuses(statuses)})"
