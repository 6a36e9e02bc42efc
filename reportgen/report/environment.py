"""The environment blocks of a report: what the runs of one machine had in common.

Runs of one campaign with equal environments form a block. Values that differ from run to run (a clock, a
load, a process number) do not distinguish machines and are listed within the block; if there are still too
many blocks, the campaign is one block.
"""

from collections.abc import Iterable, Mapping, Sequence

from reportgen.core.model import Factors, FactorValue, Run
from reportgen.document.model import Environment
from reportgen.protocol.case_checks import varies_by_nature
from reportgen.report.run_counts import whole_runs

# More different environments than this in one campaign are shown as one block.
MAX_BLOCKS = 6
# Where a published figure comes from is provenance, not environment.
PROVENANCE = frozenset({"publication.title", "publication.url", "publication.date", "source", "planned"})
# More different values than this are counted rather than listed.
MAX_VALUES = 4


def environments(campaigns: Mapping[str, Sequence[Run]]) -> tuple[Environment, ...]:
    """Return the blocks of all campaigns (folder -> its runs), without runs that have no environment."""
    blocks: list[Environment] = []
    for campaign, runs in campaigns.items():
        blocks += _campaign(campaign, runs)
    return tuple(blocks)


# The texts of an environment, by name.
_Texts = Mapping[str, str]


def _texts(environment: Factors) -> _Texts:
    return {k: str(v) for k, v in sorted(environment.items()) if k not in PROVENANCE}


def _campaign(campaign: str, runs: Sequence[Run]) -> list[Environment]:
    # The runs of a machine share one environment.
    every = {id(run.environment): run.environment for run in runs}
    known = {key: texts for key, environment in every.items() if (texts := _texts(environment))}
    described = [run for run in runs if id(run.environment) in known]
    names = _machine_names(known.values())
    about = {
        key: tuple((name, value) for name, value in texts.items() if name in names)
        for key, texts in known.items()
    }
    groups: dict[tuple[tuple[str, str], ...], list[Run]] = {}
    for run in described:
        groups.setdefault(about[id(run.environment)], []).append(run)
    if len(groups) > MAX_BLOCKS:
        return [Environment(campaign, len(whole_runs(described)), _rows(known.values()))]
    titles = _titles(list(groups.values()))
    return [
        Environment(
            f"{campaign}: {title}" if title else campaign,
            len(whole_runs(members)),
            _rows(known[key] for key in dict.fromkeys(id(run.environment) for run in members)),
        )
        for title, members in zip(titles, groups.values(), strict=True)
    ]


def _machine_names(environments: Iterable[_Texts]) -> set[str]:
    """Return the names whose values distinguish machines rather than runs (a clock, a process)."""
    values: dict[str, set[str]] = {}
    for texts in environments:
        for name, value in texts.items():
            values.setdefault(name, set()).add(value)
    by_run = {name for name in values if varies_by_nature(name)}
    return {name for name, different in values.items() if len(different) <= MAX_BLOCKS} - by_run


def _titles(groups: Sequence[Sequence[Run]]) -> list[str]:
    """Return, per group, the value of a factor that is constant in it and distinguishes it from others."""
    constants = [_constant(group) for group in groups]
    distinguishing = [
        name
        for name in dict.fromkeys(n for c in constants for n in c)
        if len({str(c.get(name)) for c in constants}) == len(groups) > 1
    ]
    return [str(c.get(distinguishing[0], "")) if distinguishing else "" for c in constants]


def _constant(runs: Iterable[Run]) -> dict[str, FactorValue]:
    values: dict[str, set[FactorValue]] = {}
    for run in runs:
        for name, value in run.factors.items():
            values.setdefault(name, set()).add(value)
    return {name: next(iter(different)) for name, different in sorted(values.items()) if len(different) == 1}


def _rows(environments: Iterable[_Texts]) -> tuple[tuple[str, str], ...]:
    values: dict[str, dict[str, None]] = {}
    for each in environments:
        for name, value in each.items():
            values.setdefault(name, {}).setdefault(value)
    return tuple((name.replace("_", " "), _joined(list(texts))) for name, texts in sorted(values.items()))


def _joined(values: Sequence[str]) -> str:
    if len(values) <= MAX_VALUES:
        return " | ".join(sorted(values))
    return f"{len(values)} different values, such as {min(values)}"
