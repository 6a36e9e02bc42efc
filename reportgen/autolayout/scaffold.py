"""Propose what `reportgen init` writes: definitions, settings, labels where only paths distinguish runs."""

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import NamedTuple

from reportgen.autolayout.layouts import ReportLayout
from reportgen.autolayout.overview import definition_text, layouts_of
from reportgen.autolayout.path_factors import PathFactors, find_path_factors
from reportgen.autolayout.report_plan import CampaignPlan, ReportPlan, plan_reports, separate_folders
from reportgen.core.errors import RequestError
from reportgen.core.model import Factors, Run
from reportgen.labels.labels_toml import LEARNED, is_accepted_by_init
from reportgen.labels.labels_toml import NAME as LABELS
from reportgen.load import load_runs
from reportgen.load.unrecognised import UnknownFolder, UnrecognisedFile
from reportgen.protocol import available_metrics
from reportgen.report.log_reader import LogReader
from reportgen.report.settings import EXPECTED, SETTINGS

_SETTINGS = """\
# Settings of this repository's reports; see docs/reference/definitions.md of reportgen.

[inject]
files = ["README.md"]        # tables between <!-- reportgen:begin REPORT/TABLE --> markers follow the logs

# [protocols.long]           # a named protocol: protocol = "long" in a definition
# steps = "200+1000x7"
"""

_EXPECTED = """\
# Sourced facts about how fast one system should be against another.

# [systems]                  # a run belongs to the first system whose factors it matches
# "A40"  = { device = "A40" }
# "V100" = { device = ["V100", "Tesla V100-SXM2-16GB"] }

# [[fact]]
# of = "V100"                # V100 runs at 0.927 x the speed of A40
# to = "A40"
# speed = 0.927
# where = { devices = 8 }
# source = "where the figure was published"
# url = "https://..."
# read = 2024-02-17
"""


# The names of the path levels are guesses that a person has to correct.
_PATH_COMMENT = """\
Runs whose logs say the same about themselves are in folders or files with different names, e.g.
{example}
Name the levels of the path after what they are, {{name:int}} for numbers, {{repeat:int}} for the number of a
repeat, and {{_}} for levels that do not matter; see docs/reference/labels.md of reportgen.
"""

# Above the factors that the name of a folder gives, and those that only some of its logs state.
_NAMED = "# What the name of this folder says and its logs do not."
_STATED = (
    "# Some logs of this folder state it: the others get it, too. Remove it if they are of another machine."
)
_WORK = "# Logs of the same names in other folders state it, these do not. Remove it if they did other work."

LOGS = "logs"


@dataclass(frozen=True, slots=True)
class DefinitionProposal:
    """Files to write, and what a person should know about them.

    files      path below the root -> content
    extended   path of a file that exists -> its content with what is added at the end
    campaigns  the folders of logs with runs
    layouts    definition -> the layouts that its first metric may have, the best first
    """

    files: Mapping[str, bytes]
    remarks: tuple[str, ...]
    campaigns: tuple[str, ...] = ()
    layouts: Mapping[str, Sequence[ReportLayout]] = field(default_factory=dict)
    unknown_folders: tuple[UnknownFolder, ...] = ()
    extended: Mapping[str, bytes] = field(default_factory=dict)


def propose_definitions(reports: Path, root: Path, pick: int = 1) -> DefinitionProposal:
    """Return the files for a reports folder, made from the runs in the folder `logs` of the root.

    pick  which of the layouts of each report to use, the best is the first

    Raises RequestError for a folder that holds logs instead of definitions.
    """
    if reports.is_dir() and holds_logs(reports.resolve(), root):
        raise RequestError(
            str(reports),
            "holds logs and no definition",
            "name a folder for reports: reportgen init reports/ "
            "(for logs outside logs/: reportgen build reports/ --logs DIR)",
        )
    name = reports.resolve().name
    if not (root / LOGS).is_dir():
        return propose_files(name, {}, lambda path: _is_taken(root / path))
    reader = LogReader(root)
    reader.expect(LOGS, LOGS)
    by_folder = {folder: reader.load([folder]).runs for folder in separate_folders(reader, LOGS)}
    campaigns = {folder: runs for folder, runs in by_folder.items() if runs}
    learned = {log: text for log in campaigns if (text := _learned(root / log / LABELS))}
    proposal = propose_files(
        name,
        campaigns,
        lambda path: _is_taken(root / path),
        lambda plan: _as_built(plan, reader),
        pick,
        learned,
    )
    unknown = reader.load([LOGS]).unknown_folders(LOGS)
    return replace(proposal, campaigns=tuple(campaigns), unknown_folders=tuple(unknown))


def holds_logs(folder: Path, root: Path) -> bool:
    """Return whether a folder holds logs and no definition of a report.

    Raises RequestError for wrong labels.
    """
    if any(path.name not in (LABELS, "source.toml") for path in folder.glob("*.toml")):
        return False
    recognised = load_runs([folder], root=root).recognised
    return any((root / path).is_dir() or UnrecognisedFile(path, 0).may_be_log for path in recognised)


def propose_files(
    reports: str,
    campaigns: Mapping[str, Sequence[Run]],
    is_taken: Callable[[str], bool] = lambda path: False,
    as_built: Callable[[ReportPlan], ReportPlan] = lambda plan: plan,
    pick: int = 1,
    learned: Mapping[str, str] = MappingProxyType({}),
) -> DefinitionProposal:
    """Return the files for campaigns (folder of logs -> its runs).

    reports   name of the reports folder
    is_taken  whether a path below the root exists; labels are never added to an existing definition
    as_built  returns a plan with the runs that a build of its definition will read
    pick      which of the layouts of each report to use
    learned   folder -> the text of its labels.toml, where `learn` wrote it: facts of paths are added to it

    A campaign without data and without failed runs gets no definition.
    """
    files = {f"{reports}/{SETTINGS}": _SETTINGS, f"{reports}/{EXPECTED}": _EXPECTED}
    remarks = []
    layouts: dict[str, Sequence[ReportLayout]] = {}
    with_data = {}
    for log, runs in campaigns.items():
        if any(available_metrics(run) or run.status != "complete" for run in runs):
            with_data[log] = runs
        elif runs:
            remarks.append(f"{log}: no definition, because no run has a number")
    places = {
        *with_data,
        *(folder for log, runs in with_data.items() for folder in _folders_below(log, runs)),
    }
    labelled = {folder for folder in places if is_taken(f"{folder}/{LABELS}")} - learned.keys()
    plans = plan_reports(with_data, labelled=labelled)
    for plan in plans:
        planned = {f"{reports}/{each.name}.toml": each for each in plan.reports}
        new = {
            path: _with_note(as_built(each), plan.campaign.folders, learned)
            for path, each in planned.items()
            if not is_taken(path)
        }
        if not new:
            continue
        layouts |= {path: layouts_of(each) for path, each in new.items()}
        runs = [run for log in plan.campaign.folders for run in with_data[log]]
        is_labelled = not labelled.isdisjoint(plan.campaign.folders)
        how = ""
        if is_labelled and (factors := find_path_factors(runs)):
            log = plan.campaign.folders[0]
            how = f"\nFor {log}/{LABELS}:\n{_comment(factors)}{factors.toml()}"
            remarks.append(f"{log}/{LABELS}: {_remark(factors)}; {min(new)} says how")
        for path, text, remark in _new_labels(plan, with_data, learned):
            files[path] = text
            remarks.append(f"{path}: {remark}")
        files |= {path: definition_text(each, how, pick) for path, each in new.items()}
    contents = {path: text.encode("utf-8", "backslashreplace") for path, text in files.items()}
    old = {f"{log}/{LABELS}" for log in learned}
    return DefinitionProposal(
        {path: content for path, content in contents.items() if path not in old},
        tuple(remarks),
        layouts=layouts,
        extended={path: content for path, content in contents.items() if path in old},
    )


def _folders_below(log: str, runs: Iterable[Run]) -> set[str]:
    """Return the folders of the logs of runs below a folder."""
    parents = (str(parent) for run in runs for parent in PurePosixPath(run.source.path).parents)
    return {parent for parent in parents if parent.startswith(f"{log}/")}


def _with_note(plan: ReportPlan, folders: Iterable[str], learned: Mapping[str, str]) -> ReportPlan:
    """Return a plan whose note says where `init` learned how to read the logs."""
    where = [f"{log}/{LABELS}" for log in folders if is_accepted_by_init(learned.get(log, ""))]
    told = f"How to read these logs was learned from their lines: check {', '.join(where)}." if where else ""
    return replace(plan, note=" ".join(filter(None, (plan.note, told))))


def _new_labels(
    plan: CampaignPlan, runs: Mapping[str, Sequence[Run]], learned: Mapping[str, str]
) -> Iterator[tuple[str, str, str]]:
    """Yield path, text and remark of the labels.toml of each folder whose name or paths say something."""
    campaign = plan.campaign
    for log in dict.fromkeys((*campaign.folders, *campaign.stated)):
        own = plan.factors.of_runs(runs[log]) if plan.factors and log in runs else None
        told = _Told(*(by.get(log, {}) for by in (campaign.constants, campaign.stated, campaign.work)))
        if own or any(told):
            text = "\n".join(filter(None, (learned.get(log), _labels(told, own))))
            yield f"{log}/{LABELS}", text, _label_remark(told, own)


def _learned(labels: Path) -> str:
    """Return a labels.toml that `learn` wrote and that names no levels of paths; "" for any other."""
    if not labels.is_file() or labels.parent.is_symlink():
        return ""
    text = labels.read_text("utf-8", "replace")
    return text if text.startswith(LEARNED) and "[[paths]]" not in text else ""


class _Told(NamedTuple):
    """Factors that logs of a folder do not state: its name, some of its logs, or logs elsewhere do."""

    named: Factors
    stated: Factors
    work: Factors


def _labels(told: _Told, factors: PathFactors | None) -> str:
    """Return the labels.toml of a folder."""
    comments = (_NAMED, _STATED, _WORK)
    lines = [line for comment, own in zip(comments, told, strict=True) for line in _constants(comment, own)]
    constants = "\n".join(["[constants]", *lines, ""]) if lines else ""
    if not factors:
        return constants
    comment = "".join(f"# {line}\n" for line in _comment(factors).splitlines())
    return "\n".join(filter(None, (constants, comment + factors.toml())))


def _constants(comment: str, constants: Factors) -> list[str]:
    lines = [f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in constants.items()]
    return [comment, *lines] if lines else []


def _comment(factors: PathFactors) -> str:
    return _PATH_COMMENT.format(example=json.dumps(factors.example)[1:-1])


def _label_remark(told: _Told, factors: PathFactors | None) -> str:
    sources = ("its name gives", "some of its logs state", "logs of the same names elsewhere state")
    remarks = [
        f"{source} {name} = {json.dumps(value)}"
        for source, own in zip(sources, told, strict=True)
        for name, value in own.items()
    ]
    return "; ".join([*remarks, *([_remark(factors)] if factors else [])])


def _remark(factors: PathFactors) -> str:
    """Return what a person should check: names of levels are guesses."""
    if factors.guessed:
        return f"only the path distinguishes some runs; give {', '.join(factors.guessed)} a better name"
    return f"the path gives {', '.join(factors.names)}; correct what is wrong"


def _as_built(plan: ReportPlan, reader: LogReader) -> ReportPlan:
    """Return a plan with the runs that its entries of `logs` give.

    A run of several files of a folder has the facts of one file only where the definition names that file.
    The build refuses a table that is laid out by factors of the other files.
    """
    if len(reader.load(plan.logs).runs) == len(plan.runs):
        return plan
    alone = LogReader(reader.root)
    for log in plan.logs:
        alone.expect(log, log)
    return replace(plan, runs=alone.load(plan.logs).runs)


def _is_taken(path: Path) -> bool:
    """Return whether a file exists, or its folder is a link, through which nothing is written."""
    return os.path.lexists(path) or path.parent.is_symlink()
