"""Split the runs of one folder into kinds of benchmark: each gets a report of its own.

A folder may hold the output of a trainer, of an inference benchmark and of nvidia-smi. Their factors have
little in common, so one table of all of them consists mostly of empty cells. Runs of one format are of one
kind. So are runs of the formats of one suite, and of formats that ran the same model: there, a reader wants
to compare programs. What only watched the devices, such as nvidia-smi, belongs to the benchmark beside it.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from reportgen.autolayout.table_layout import SUBJECTS
from reportgen.core.factors import factor_key
from reportgen.core.model import Run
from reportgen.formats.registry import suite_of

# A title, and the name of a folder.
_MAX_NAMED_FORMATS = 3


@dataclass(frozen=True, slots=True)
class BenchmarkKind:
    """Runs of one kind, what to call it, and the files and folders that hold these runs and no others.

    is_listed  whether the name is a mere list of formats, which says nothing in a title
    """

    name: str
    runs: tuple[Run, ...]
    logs: tuple[str, ...]
    is_listed: bool = False


def split_kinds(runs: Sequence[Run], folder: str, others: Collection[str] = ()) -> list[BenchmarkKind]:
    """Return the kinds by name, each with its runs in their order.

    folder  of the runs, relative to the root: the name of the kind if there is only one
    others  paths of runs in the folder that do not belong to these
    """
    members: dict[object, set[str]] = {}
    for run in runs:
        for key in _keys(run):
            members.setdefault(key, set()).add(run.format)
    groups = _merged(members.values())
    ran = {run.format for run in runs if run.series or run.aggregates or not run.telemetry}
    if len(groups) < 2 or sum(bool(group & ran) for group in groups) == 1:
        logs = tuple(covering_paths({run.source.path for run in runs}, others, folder)) or (folder,)
        return [BenchmarkKind(folder.rpartition("/")[2], tuple(runs), logs)]
    paths = {*others, *(run.source.path for run in runs)}
    kinds = []
    for formats in groups:
        own = tuple(run for run in runs if run.format in formats)
        own_paths = {run.source.path for run in own}
        logs = tuple(covering_paths(own_paths, paths - own_paths, folder))
        name = _name(own, logs)
        kinds.append(BenchmarkKind(name or _listed(own), own, logs, is_listed=not name))
    return sorted(kinds, key=lambda kind: (kind.name, kind.logs))


def _keys(run: Run) -> Iterator[object]:
    """Yield what makes two formats one kind."""
    yield suite_of(run.format)
    for name in SUBJECTS:
        if name in run.factors:
            yield name, factor_key(run.factors[name]), run.factors.get("item")


def _merged(sets: Iterable[Collection[str]]) -> list[frozenset[str]]:
    """Return the smallest sets such that each given set is in one of them."""
    groups: list[frozenset[str]] = []
    for each in sets:
        touching = [group for group in groups if group & set(each)]
        groups = [group for group in groups if group not in touching]
        groups.append(frozenset(each).union(*touching))
    return groups


def _name(runs: Sequence[Run], logs: Sequence[str]) -> str:
    """Return the name of their only folder, else what all of them ran, else their suite; "" for several."""
    if len(logs) == 1 and logs[0] not in {run.source.path for run in runs}:
        return logs[0].rpartition("/")[2]
    for name in SUBJECTS:
        values = {str(run.factors.get(name, "")) for run in runs}
        if len(values) == 1 and "" not in values:
            return values.pop()
    suites = {suite_of(run.format) for run in runs}
    return suites.pop() if len(suites) == 1 else ""


def _listed(runs: Sequence[Run]) -> str:
    """Return the formats of runs, of many the first and their number."""
    formats = sorted({run.format for run in runs})
    others = len(formats) - 1
    return " and ".join(formats if others < _MAX_NAMED_FORMATS else [formats[0], f"{others} more"])


def covering_paths(paths: Collection[str], others: Collection[str], folder: str) -> list[str]:
    """Return the fewest files and folders at or below a folder that hold the paths and none of the others."""
    inside = [path for path in paths if path == folder or path.startswith(f"{folder}/")]
    if not inside:
        return []
    if folder in paths or not any(path == folder or path.startswith(f"{folder}/") for path in others):
        return [folder]
    children = sorted({path[len(folder) + 1 :].partition("/")[0] for path in inside})
    return [place for child in children for place in covering_paths(inside, others, f"{folder}/{child}")]
