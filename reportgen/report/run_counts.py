"""Name and count runs by how they ended: `runs (some failed)`, `54 runs (42 complete, 12 failed)`."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import get_args

from reportgen.core.model import Run, Status

_ORDER: tuple[Status, ...] = get_args(Status)


def source_sentences(runs: Sequence[Run], others: Sequence[Run] = ()) -> Iterator[str]:
    """Yield what the numbers of a report come from.

    runs  behind the tables; others  of the same logs, in no table

    A count would change this sentence, and the index of all reports, with every log that is added.
    """
    if runs:
        yield f"Source: {name_runs(runs)}."
    elif not others:
        yield "No runs to report on."
    if others:
        yield "Some runs of these logs are in no table."


def count_sentences(runs: Sequence[Run], others: Sequence[Run] = ()) -> Iterator[str]:
    """Yield how many runs are behind the tables, and how many in none."""
    if runs:
        yield f"In tables: {count_runs(runs)}."
    if others:
        yield f"In no table: {count_runs(others)}."


def count_runs(runs: Sequence[Run]) -> str:
    """Return the numbers of runs and of published results, each by status unless all are complete."""
    runs = whole_runs(runs)
    measured = [run.status for run in runs if not run.published]
    published = [run.status for run in runs if run.published]
    counted = (("run", measured), ("published result", published))
    return ", ".join(count_by_status(name, statuses) for name, statuses in counted if statuses)


def whole_runs(runs: Iterable[Run]) -> list[Run]:
    """Return the runs; of the results of one run, the first alone."""
    seen: set[tuple[str, int]] = set()
    whole = []
    for run in runs:
        if not run.part_of or (run.source.path, run.part_of) not in seen:
            whole.append(run)
        seen.add((run.source.path, run.part_of))
    return whole


def name_runs(runs: Sequence[Run]) -> str:
    """Return what the runs are, and how some ended unless all are complete: `runs (some failed)`."""
    names = [
        name
        for name, is_published in (("runs", False), ("published results", True))
        if any(bool(run.published) == is_published for run in runs)
    ]
    ended = {run.status for run in runs}
    amount = "all" if len(ended) == 1 else "some"
    parts = [f"{amount} {status.replace('_', ' ')}" for status in _ORDER[1:] if status in ended]
    return " and ".join(names) + (f" ({', '.join(parts)})" if parts else "")


def count_by_status(name: str, statuses: Sequence[str]) -> str:
    """Return how many things of a name there are, and how many have each status unless all are complete."""
    total = f"{len(statuses):,} {name}{'' if len(statuses) == 1 else 's'}"
    if are_complete(statuses):
        return total
    counts = Counter(statuses)
    parts = (f"{counts[status]:,} {status.replace('_', ' ')}" for status in _ORDER if counts[status])
    return f"{total} ({', '.join(parts)})"


def are_complete(statuses: Iterable[str]) -> bool:
    """Return whether all runs with these statuses are complete."""
    return set(statuses) <= {"complete"}
