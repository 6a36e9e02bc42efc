"""Learn how to read folders of logs in an unknown format, where the proposal needs no person.

`init` writes what is learned here as a labels.toml, and its definition says so. Nothing is in doubt if nearly
every line speaks for itself: the time or rate has its unit, each line is of one step, no line with the same
words reads otherwise, nothing was assumed, and all logs of the folder are read in the same way.
"""

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from reportgen.core.errors import RequestError
from reportgen.core.model import Run
from reportgen.formats.tables.parquet import as_text
from reportgen.labels.labels_toml import NAME as LABELS
from reportgen.labels.labels_toml import accepted_by_init
from reportgen.learn.propose import MIN_LINES, Proposal, propose_format, read_with
from reportgen.learn.tables import propose_each
from reportgen.load.unrecognised import UnknownFolder
from reportgen.sources.logfiles import LogFiles

# The name of the format, which the page shows beside the logs.
NAME = "learned"
_MEASURED = ("step_time", "throughput")
# A folder of more logs takes long to check.
_MAX_LOGS = 500


def learn_logs(
    root: Path, folders: Iterable[UnknownFolder], logs: str, *, is_alone: bool
) -> dict[str, bytes]:
    """Return the labels.toml of each folder whose logs leave nothing in doubt: path below the root -> text.

    logs      the folder of all logs
    is_alone  whether no log is known: else a format for the folder of all logs would be offered to the others
    """
    learned = {}
    for folder in folders:
        path = f"{folder.path}/{LABELS}"
        if (folder.path == logs and not is_alone) or (root / path).exists() or folder.count > _MAX_LOGS:
            continue
        if text := _learned(root, folder.paths):
            learned[path] = text.encode()
    return learned


def _learned(root: Path, paths: Sequence[str]) -> str:
    """Return a labels.toml for logs, the largest first; "" if anything is in doubt."""
    try:
        views = [LogFiles.at(root / path, root)[0] for path in paths]
        if any(view.is_folder for view in views) or propose_each(as_text(views[0]), {}):
            return ""
        proposal = propose_format(views[0], NAME)
        table = tomllib.loads(proposal.toml)["format"]
        is_sure = _is_sure(proposal) and all(_is_read(view, table) for view in views)
    except (RequestError, OSError):
        return ""
    return accepted_by_init(proposal.toml) if is_sure else ""


def _is_sure(proposal: Proposal) -> bool:
    return not proposal.notes and not proposal.near_miss_count and 2 * proposal.matched > proposal.lines


def _is_read(view: LogFiles, table: Mapping[str, object]) -> bool:
    """Return whether a log has the time or rate of at least a few single steps."""
    run = read_with(view, dict(table))
    return run is not None and _steps(run) >= MIN_LINES


def _steps(run: Run) -> int:
    measured = [each for each in run.series if each.metric in _MEASURED]
    are_single = all(np.median(each.span) == 1 for each in measured)
    return max((len(each.step) for each in measured), default=0) if are_single else 0
