"""Plan the reports of one folder of logs: one for each kind of benchmark, with names for levels of the path.

Both the build without definitions and `init` follow this plan, so a proposed definition gives the report that
was built without it.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count

from reportgen.autolayout.benchmark_kinds import BenchmarkKind, split_kinds
from reportgen.autolayout.campaigns import FolderGroup, find_campaigns
from reportgen.autolayout.environment_factors import with_commits
from reportgen.autolayout.path_factors import PathFactors, find_path_factors
from reportgen.core.model import Run
from reportgen.report.log_reader import LogReader
from reportgen.report.settings import EXPECTED, SETTINGS

# The name of the report of logs that are in no folder of their own.
OVERVIEW = "overview"


@dataclass(frozen=True, slots=True)
class ReportPlan:
    """One report.

    name   of the report and its folder
    title  what sets it apart from other reports of the build, "" for the only one
    logs   that it reads, relative to the root
    runs   with the factors in the paths of their logs, of which `guessed` are the names
    note   what its logs do not state themselves, as a sentence, "" if there is nothing
    """

    name: str
    title: str
    logs: tuple[str, ...]
    runs: tuple[Run, ...]
    guessed: tuple[str, ...] = ()
    note: str = ""

    def label(self, runs: Iterable[Run]) -> tuple[Run, ...]:
        """Return runs that were read again with the factors and the work of the planned ones."""
        planned = {_key(run): run for run in self.runs}
        return tuple(_like(run, planned.get(_key(run), run)) for run in runs)


@dataclass(frozen=True, slots=True)
class CampaignPlan:
    """The reports of one campaign, and the factors in the paths of its logs.

    campaign  its folders, and the factors that their names give
    factors   from the paths below these folders, None if there are none
    """

    campaign: FolderGroup
    reports: tuple[ReportPlan, ...]
    factors: PathFactors | None = None


def separate_folders(reader: LogReader, log: str) -> list[str]:
    """Return the folders in an entry, whose runs must not be mixed; the entry if runs are directly in it."""
    campaigns = reader.campaigns(log)
    return [log] if log in campaigns else campaigns


def plan_reports(
    folders: Mapping[str, Sequence[Run]],
    *,
    labelled: Collection[str] = (),
    other_paths: Collection[str] = (),
    root: str = "logs",
) -> list[CampaignPlan]:
    """Return the plan of each campaign in folders of logs (folder -> its runs).

    labelled     folders with a labels.toml: a person decided already which levels of the path matter
    other_paths  of files without runs that a report should name, relative to the root as sources are
    root         the folder of all logs, whose name says nothing
    """
    names: list[str] = []
    plans = []
    left = set(other_paths)
    every = {run.source.path for runs in folders.values() for run in runs}
    campaigns = find_campaigns(folders, labelled)
    for campaign in campaigns:
        runs = [run for folder in campaign.folders for run in campaign.told(folder, folders[folder])]
        place = campaign.folders[0] if len(campaign.folders) == 1 else root
        kinds = split_kinds(runs, place, every - {run.source.path for run in runs})
        of_paths = [] if not {*campaign.folders}.isdisjoint(labelled) else kinds
        ids = {run.id for run in runs}
        # What a commit distinguishes needs no name of a file.
        of_kinds = [
            find_path_factors(with_commits(kind.runs), ids - {run.id for run in kind.runs})
            for kind in of_paths
        ]
        factors = PathFactors.joined([each for each in of_kinds if each])
        base = campaign.name(is_all=len(campaign.folders) == len(folders), root=root)
        place_in_title = campaign.title(root) if len(campaigns) > 1 else ""
        reports = []
        for kind in kinds:
            parts = [base, kind.name] if len(kinds) > 1 else [base]
            names.append(_free_name(parts, names))
            title = ": ".join(filter(None, (place_in_title, *([] if kind.is_listed else parts[1:]))))
            reports.append(_report(names[-1], title, kind, factors, campaign))
        left -= {path for path in left for report in reports if _is_below(path, report.logs)}
        own = sorted(path for path in left if _is_below(path, campaign.folders))
        reports[0] = replace(reports[0], logs=(*reports[0].logs, *own))
        plans.append(CampaignPlan(campaign, tuple(reports), factors))
    return plans


def _report(
    name: str, title: str, kind: BenchmarkKind, factors: PathFactors | None, campaign: FolderGroup
) -> ReportPlan:
    runs = factors.apply(kind.runs) if factors else kind.runs
    guessed = (*(factors.guessed if factors else ()), *campaign.guessed)
    return ReportPlan(name, title, kind.logs, tuple(runs), guessed, campaign.note)


def _is_below(path: str, folders: Iterable[str]) -> bool:
    return any(path == folder or path.startswith(f"{folder}/") for folder in folders)


def _free_name(parts: Sequence[str], taken: Sequence[str]) -> str:
    """Return a name that is not taken and does not belong to a settings file.

    parts  the name of a folder, "" for none, and that of the kind, if it has others beside it
    """
    kinds = (re.sub(r"[^a-z0-9]+", "-", part.lower()).strip("-") for part in parts[1:])
    name = "-".join(filter(None, (parts[0], *kinds))) or OVERVIEW
    name = f"{name}-campaign" if f"{name}.toml" in (SETTINGS, EXPECTED) else name
    numbered = (name if number == 1 else f"{name}-{number}" for number in count(1))
    return next(free for free in numbered if free not in taken)


def _like(run: Run, planned: Run) -> Run:
    return replace(
        run,
        factors=planned.factors,
        samples_per_step=planned.samples_per_step,
        work_is_labelled=planned.work_is_labelled,
    )


def _key(run: Run) -> tuple[str, str]:
    """Return what identifies a run whatever folder its id is below: its log, and its number there."""
    return run.source.path, run.id.rpartition("#")[2] if "#" in run.id else ""
