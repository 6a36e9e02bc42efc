"""Use parts of the environment like factors, where they distinguish runs whose logs are otherwise equal.

The hardware of a machine and the commit of the measured code are facts that a log states beside what was run.
Runs of two commits are not repeats: no code has their median.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace

from reportgen.core.factors import factors_key
from reportgen.core.model import FactorValue, Run

_HARDWARE = ("gpu",)
# Names under which formats keep the commit of the measured code.
COMMITS = ("commit", "build_commit")


def with_environment(runs: Sequence[Run]) -> list[Run]:
    """Return the runs with the hardware and the commit as factors, where they differ within a case."""
    return _promoted(runs, (*_HARDWARE, *COMMITS))


def with_commits(runs: Sequence[Run]) -> list[Run]:
    """Return the runs with the commit as a factor, where it differs within a case."""
    return _promoted(runs, COMMITS)


def _promoted(runs: Sequence[Run], names: Collection[str]) -> list[Run]:
    made = list(runs)
    for name in names:
        seen: dict[object, set[FactorValue | None]] = {}
        for run in made:
            seen.setdefault(factors_key(run.factors), set()).add(run.environment.get(name))
        if any(len(values) > 1 for values in seen.values()) and not any(name in run.factors for run in runs):
            made = [_with(run, name) for run in made]
    return made


def _with(run: Run, name: str) -> Run:
    if name not in run.environment:
        return run
    return replace(run, factors={**run.factors, name: run.environment[name]})
